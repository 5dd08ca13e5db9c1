"""The logit lens for a model that is not ours: what it would say if it ended after each of its layers.

The rows that a layer hands on are put in the place of those of the last layer, and the model itself makes logits of
them, with whatever it has behind its layers. Before that it is tried that this is a fair question: that the answer
hangs on the last layer's rows alone, that no token sees a later one, and that the last layer's own rows give back the
model's own logits. If not, it refuses and says why. It knows no architecture by name.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
import torch
from torch import Tensor

from glassformer.errors import InputError, counted
from glassformer.stages.arithmetic import Array
from glassformer.stages.notation import plain
from glassformer.stages.trace import Trace

OUTPUT = "module_output"  # the stage under which a module's output is kept
_ROUNDINGS = 256.0  # that may pile up in the logits of a token whose past is the same
_BESIDE = ("mask", "targets", "label")  # in the names of what holds no tokens to be read
_TOKENS = ("decoder_input_ids", "input_ids", "ids", "idx", "tokens", "x", "decoder_inputs_embeds", "inputs_embeds")


@dataclass(frozen=True)
class CalledWith:
    """What the model was called with; `names` are those of `args`, and `spared` the places that it can do without."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    names: tuple[str, ...] = ()
    spared: frozenset[int] = frozenset()

    @classmethod
    def of(cls, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> "CalledWith":
        """The same for this function."""
        try:
            known = list(inspect.signature(forward).parameters.values())[: len(args)]
        except (TypeError, ValueError):
            known = []
        spared = frozenset(place for place, each in enumerate(known) if each.default is not each.empty)
        return cls(args, kwargs, tuple(each.name for each in known), spared)

    def tokens(self, length: int) -> str | int | None:
        """Where the tokens are that the logits are about, a row for each place: by their name, else the last ones that
        the model cannot do without; masks and targets are none."""
        named = [name for name in _TOKENS if _fits(self.kwargs.get(name), length)]
        if named:
            return named[0]
        called = dict(enumerate(self.names))
        places = [
            place
            for place, value in enumerate(self.args)
            if _fits(value, length) and not any(word in called.get(place, "") for word in _BESIDE)
        ]
        known = [place for name in _TOKENS if name != "x" for place in places if called.get(place) == name]
        needed = [place for place in places if place not in self.spared]
        return next(iter((*known, *reversed(needed), *places)), None)

    def at(self, place: str | int) -> Any:
        """What stands there."""
        return self.kwargs[place] if isinstance(place, str) else self.args[place]

    def ids(self) -> tuple[int, ...]:
        """The tokens of the first text, where the model was handed ids."""
        place = self.tokens(1)
        value = None if place is None else self.at(place)
        whole = value is not None and value.ndim == 2 and value.dtype in (torch.int64, torch.int32)
        return tuple(value[0].tolist()) if value is not None and whole else ()

    def with_another_end(self, place: str | int) -> "CalledWith":
        """The same, but for the last token."""
        if isinstance(place, str):
            return replace(self, kwargs={**self.kwargs, place: _another_end(self.kwargs[place])})
        args = [_another_end(value) if at == place else value for at, value in enumerate(self.args)]
        return replace(self, args=tuple(args))


@dataclass(frozen=True)
class PassAgain:
    """One pass: what came out, and the trace."""

    answer: Any
    trace: Trace


Again = Callable[[CalledWith, Sequence[str], Mapping[str, Any]], PassAgain]  # with what to keep, and what to write


@dataclass(frozen=True)
class Lens:
    """What each layer would say, next token by next token.

    layers          the modules, in order
    ids             the most likely tokens: layer, batch, position, rank
    probabilities   theirs, the same way
    of_the_answer   the probability that each layer gives the token which the model itself finds most likely:
                    layer, batch, position
    """

    layers: tuple[str, ...]
    ids: Array
    probabilities: Array
    of_the_answer: Array

    def table(self, names: Callable[[Sequence[int]], list[str]] | None = None, *, batch: int = 0) -> str:
        """A line for each layer, a column for each position: the most likely next token and its probability."""
        figure = plain(2)
        best, shares = self.ids[:, batch, :, 0], self.probabilities[:, batch, :, 0]
        told = [names([int(each) for each in row]) if names else [str(each) for each in row] for row in best]
        cells = [
            [f"{name.strip() or repr(name)} {figure(float(share))}" for name, share in zip(row, line, strict=True)]
            for row, line in zip(told, shares, strict=True)
        ]
        width = max(len(cell) for row in cells for cell in row)
        first = max(len(layer) for layer in self.layers)
        rows = zip(self.layers, cells, strict=True)
        return "\n".join(
            f"{layer:{first}}  {'  '.join(f'{cell:{width}}' for cell in row)}".rstrip() for layer, row in rows
        )

    def __str__(self) -> str:
        return self.table()


def look_through(again: Again, given: CalledWith, answer: Any, lists: Sequence[Sequence[str]], top: int) -> Lens:
    """The lens on a pass that gave this answer. `lists` holds the paths of the modules that stand in a row."""
    before = logits_of(answer)
    if before is None:
        raise InputError(
            "The lens needs a model whose answer is logits, batch × positions × vocabulary; this one gave none. "
            "Models of `transformers` have them with a head, such as AutoModelForCausalLM."
        )
    first = again(given, [f"{path}.{OUTPUT}" for paths in lists for path in paths], {})
    logits, kept = logits_of(first.answer), first.trace
    if logits is None or not _alike(before, logits):  # without gradients torch may round otherwise, no more than that
        raise InputError("The lens runs the model again, and this one gave another answer the second time.")
    other = _with_another_end(again, given, logits)
    stacks = sorted(_outermost(list(_stacks(lists, kept))), key=lambda stack: -len(stack))
    if not stacks:
        raise InputError(
            "The lens found no layers in a row: a ModuleList whose modules each hand on rows of one shape."
        )
    for stack in stacks:
        if _decides(again, (given, other), logits, stack, kept):
            return _looked(again, given, logits, stack, kept, top)
    tried = ", ".join(f"{stack[0]} … {stack[-1]}" for stack in stacks)
    raise InputError(
        f"The lens would not be true here: the model's logits do not follow from the rows of its last layer alone "
        f"({counted(len(stacks), 'row')} of layers tried: {tried})."
    )


def logits_of(answer: Any) -> Tensor | None:
    """Logits in an answer: under that name, or the answer itself, or the first of several."""
    first = answer[0] if isinstance(answer, list | tuple) and answer else answer
    named = has_named_logits(answer)
    found = (answer["logits"] if isinstance(answer, dict) else answer.logits) if named else first
    right = isinstance(found, Tensor) and found.ndim == 3 and found.is_floating_point()
    return found.detach() if isinstance(found, Tensor) and right else None


def has_named_logits(answer: Any) -> bool:
    """Whether the answer itself calls something logits."""
    named = answer.get("logits") if isinstance(answer, dict) else getattr(answer, "logits", None)
    return isinstance(named, Tensor)


def _fits(value: Any, length: int) -> bool:
    whole = isinstance(value, Tensor) and not value.is_nested  # a nested one has no shape
    return whole and value.ndim in (2, 3) and value.shape[1] >= length


def _another_end(tokens: Tensor) -> Tensor:
    changed = tokens.clone()
    if tokens.is_floating_point():
        changed[:, -1] = 1.0 - changed[:, -1]
    elif tokens.ndim == 2:
        others = torch.where(tokens[:, :-1] != tokens[:, -1:], tokens[:, :-1], -1).amax(-1)
        smaller = torch.where(tokens[:, -1] > 0, tokens[:, -1] - 1, 1)
        changed[:, -1] = torch.where(others >= 0, others, smaller)
    return changed


def _with_another_end(again: Again, given: CalledWith, logits: Tensor) -> CalledWith:
    """The same text but for its last token, of which the tokens before must know nothing."""
    length = logits.shape[1]
    place = given.tokens(length)
    if place is None:
        raise InputError("The lens found no row of tokens among what the model was called with.")
    if given.at(place).is_floating_point() and not (isinstance(place, str) and "embeds" in place):
        raise InputError("The lens tells next tokens, and this model reads rows of numbers, not ids of tokens.")
    changed = given.with_another_end(place)
    other = logits_of(again(changed, (), {}).answer)
    if other is None or other.shape != logits.shape or torch.equal(other[:, -1], logits[:, -1]):
        raise InputError("The lens cannot tell which tokens the logits are about: the last one changed nothing.")
    if length > 1 and not _alike(logits[:, :-1], other[:, :-1]):
        raise InputError("The lens is for causal models; here earlier tokens see the last one.")
    return changed


def _alike(before: Tensor, after: Tensor) -> bool:
    allowed = _ROUNDINGS * torch.finfo(before.dtype).eps * max(1.0, float(before.abs().max()))
    return before.shape == after.shape and float((before.double() - after.double()).abs().max()) <= allowed


def _outermost(stacks: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Those that are no parts of a layer."""
    layers = [path for stack in stacks for path in stack]
    return [stack for stack in stacks if not any(stack[0].startswith(f"{layer}.") for layer in layers)]


def _stacks(lists: Sequence[Sequence[str]], kept: Trace) -> Iterator[tuple[str, ...]]:
    """Modules in a row that each ran once and handed on rows of one shape."""
    for paths in lists:
        ran = [path for path in paths if f"{path}.{OUTPUT}" in kept and f"{path}@2.{OUTPUT}" not in kept]
        shapes = [shape for shape, _ in groupby(kept[f"{path}.{OUTPUT}"].shape for path in ran)]
        if len(ran) == len(paths) and len(shapes) == 1 and len(shapes[0]) == 3:
            yield tuple(paths)


def _decides(
    again: Again, texts: tuple[CalledWith, CalledWith], logits: Tensor, stack: Sequence[str], kept: Trace
) -> bool:
    """Whether the last layer's rows come to the model's logits, to the last bit, whatever was read and done before."""
    given, other = texts
    last = {f"{stack[-1]}.{OUTPUT}": kept[f"{stack[-1]}.{OUTPUT}"]}
    bent = {f"{stack[0]}.{OUTPUT}": lambda rows: rows.flip(-1) + 1.0}
    found = [logits_of(again(given, (), last).answer), logits_of(again(other, (), {**bent, **last}).answer)]
    return all(each is not None and torch.equal(each, logits) for each in found)


def _looked(again: Again, given: CalledWith, logits: Tensor, stack: Sequence[str], kept: Trace, top: int) -> Lens:
    last = f"{stack[-1]}.{OUTPUT}"
    chosen = logits.argmax(-1, keepdim=True)
    ids, probabilities, of_the_answer = [], [], []
    for path in stack:
        found = logits_of(again(given, (), {last: kept[f"{path}.{OUTPUT}"]}).answer)
        assert found is not None, "the same model gave logits before"
        shares = found.double().softmax(-1)
        best = shares.topk(min(top, shares.shape[-1]), -1)
        ids.append(best.indices.cpu().numpy())
        probabilities.append(best.values.cpu().numpy())
        of_the_answer.append(shares.gather(-1, chosen)[..., 0].cpu().numpy())
    return Lens(tuple(stack), np.stack(ids), np.stack(probabilities), np.stack(of_the_answer))
