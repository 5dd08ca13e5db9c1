"""A watched pass as a look: its tokens on the axes, and the next token at each place where the model has logits.

It takes traces, calls and answers; how tokens are named is handed in. It runs no model and draws nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from glassformer.errors import InputError
from glassformer.inside.answers import Names, come_to_shares, next_steps, worth_showing
from glassformer.inside.looks import Look
from glassformer.inside.parts import Texts
from glassformer.inside.watching.calls import AttentionCall
from glassformer.inside.watching.lens import OUTPUT, logits_of
from glassformer.inside.watching.showing.growing import joined
from glassformer.stages.recorder import as_array
from glassformer.stages.trace import Entry, Trace

NOT_FINITE = "its answer holds NaN or infinite numbers, so nothing can be said of what follows"


@dataclass(frozen=True)
class Read:
    """What the model read: the tokens and the context as text, the ids where they are known, and how ids are named."""

    tokens: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    names: Names | None = None

    @classmethod
    def of(cls, tokens: Sequence[Any], context: Sequence[Any], names: Names | None) -> "Read":
        """Words as they are, ids by their names."""
        ids = _ids(tokens)
        return cls(_named(tokens, names), _named(context, names), ids or (), names)

    def named(self, ids: Sequence[int]) -> list[str]:
        """What ids say; without a tokenizer their numbers."""
        return [str(each) for each in ids] if self.names is None else self.names(ids)


def look_at_seen(
    trace: Trace, calls: Sequence[AttentionCall], answer: Any, read: Read, *, foretells: bool | None = None
) -> Look:
    """The look at the first text of a batch.

    foretells    whether logits are about the next token, where that is known; else the attentions tell
    """
    trace = joined(_drawable(trace), calls)
    lengths = _lengths(trace)
    own, ids = read.tokens, read.ids
    if len(own) - 1 in lengths and len(own) not in lengths and len(calls) > len({call.path for call in calls}):
        own, ids = own[:-1], ids[:-1]  # the last token was written and not read
    for what, tokens in (("tokens", own), ("tokens of the context", read.context)):
        if tokens and lengths and len(tokens) not in lengths:
            there = " or ".join(str(each) for each in sorted(lengths))
            raise InputError(
                f"These are {len(tokens)} {what}, but the model had {there} at once; name every token that it read, "
                "special ones and padding too."
            )
    logits = logits_of(answer)
    if logits is None or not (_foretells(logits, calls) if foretells is None else foretells):
        return Look(trace, Texts(own=own, context=read.context))
    numbers = as_array(logits[:1])
    if not come_to_shares(numbers):
        return Look(trace, Texts(own=own, context=read.context), words=NOT_FINITE)
    follows = [*ids[1:], None] if len(ids) == numbers.shape[1] else [None] * numbers.shape[1]
    shown = worth_showing(numbers, ids)
    texts = Texts(own=own, context=read.context, names=dict(zip(shown, read.named(shown), strict=True)))
    steps = next_steps(numbers, follows, read.named)
    trace.entries["logits"] = Entry("logits", numbers)
    return Look(trace, texts, answer={"kind": "next", "read": numbers.shape[1], "steps": steps}, words=_words(steps))


def _drawable(trace: Trace) -> Trace:
    """All of it but outputs that have no rows of tokens, such as pictures."""
    kept = {
        name: each for name, each in trace.entries.items() if each.stage.name != OUTPUT or each.values.ndim in (2, 3)
    }
    return Trace(kept, dict(trace.about))


def _words(steps: Sequence[Any]) -> str:
    best = steps[-1]["items"][0]
    return f"“{best['name']}” is most likely to follow ({best['share']:.3f})"


def _foretells(logits: Tensor, calls: Sequence[AttentionCall]) -> bool:
    """Whether logits are about the next token: the last attention among their own places looks only back."""
    length = logits.shape[1]
    own = [call for call in calls if call.shapes["weights"][-2:] == (length, length)]
    return bool(own) and own[-1].causal


def _lengths(trace: Trace) -> set[int]:
    """How many tokens stood anywhere."""
    weights = [entry.values.shape for entry in trace.entries.values() if entry.stage.name == "weights"]
    if weights:
        return {size for shape in weights for size in shape[-2:]}
    rows = (entry.values.shape for entry in trace.entries.values() if entry.stage.name == OUTPUT)
    return {shape[1] for shape in rows if len(shape) == 3}


def _ids(tokens: Any) -> tuple[int, ...] | None:
    numbers = tokens.tolist() if isinstance(tokens, Tensor) else list(tokens)
    return tuple(numbers) if numbers and all(isinstance(each, int) for each in numbers) else None


def _named(tokens: Sequence[Any], names: Names | None) -> tuple[str, ...]:
    ids = _ids(tokens)
    if ids is None:
        strange = [each for each in tokens if not isinstance(each, str)]
        if strange:
            raise InputError(f"Tokens are words, or the ids of one text; this is a {type(strange[0]).__name__}.")
        return tuple(tokens)
    if names is None:
        raise InputError("These tokens are ids; hand in the tokenizer too, or name them as words.")
    return tuple(names(ids))
