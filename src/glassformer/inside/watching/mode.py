"""One watched pass, call by call: which calls of torch are attention, whose they are, and what is kept of each.

Every call is handed on unchanged, unless an attention is to be written: then the model goes on with what follows from
the change. What goes wrong with looking never stops the model. It knows no architecture by name.
"""

import inspect
import itertools
import math
import sys
from types import FrameType
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import _disable_current_modes

from glassformer.inside.watching.asking import Asking
from glassformer.inside.watching.beneath.bookkeeping import CHOSEN
from glassformer.inside.watching.beneath.origins import Origins, has_own_storage, storage_of
from glassformer.inside.watching.beneath.sources import Sources
from glassformer.inside.watching.beneath.underneath import CHOOSY, Underneath
from glassformer.inside.watching.calls import AttentionCall, Comparison, facts_of_attention
from glassformer.inside.watching.following.axes import ALONE, TURNED, may_be_turned
from glassformer.inside.watching.following.follower import Follower, FollowerOfWeights
from glassformer.inside.watching.following.products import tensors_among
from glassformer.inside.watching.following.rebuilding import (
    CaughtAttention,
    Heart,
    Multihead,
    from_flexible,
    from_kernel,
)  # fmt: skip
from glassformer.inside.watching.fused import Again, Pair
from glassformer.inside.watching.interruptions import from_a_signal, in_words
from glassformer.inside.watching.seen import Seen
from glassformer.stages.recorder import Recorder
from glassformer.stages.trace import Trace
from glassformer.stages.watchers import within

_AFTER_THE_WEIGHTS = frozenset(("values", "mixed"))
_MULTIHEAD = inspect.signature(F.multi_head_attention_forward)


class WatchMode(TorchFunctionMode):
    """Sees every call of torch on its thread, hands each on unchanged, and keeps what is attention."""

    def __init__(self, model: nn.Module, asked: Asking) -> None:
        super().__init__()
        self.asked = asked
        self.seen = Seen()
        self.ran = False  # whether anything of the model did
        self.paths: dict[int, str] = {id(module): path for path, module in model.named_modules()}
        numbers = itertools.count(1)
        origins = Origins(model)
        following = self._path, numbers, origins.addresses, origins.given
        self.follower = Follower(*following)
        self.asking_layers = Follower(*following, layers=True)
        self.of_weights = FollowerOfWeights(*following)
        self._parts: dict[int, list[int]] = {}  # calls that worked a part of an attention, by its number
        self.under = Underneath(self._path, origins, Sources(model))
        self._told: set[int] = set()  # calls of which something was said
        self._instead: dict[int, Tensor] = {}  # weights, by number, that others were written in place of

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Runs the call, then looks at it. Whatever goes wrong with looking must not stop the model."""
        kwargs = kwargs or {}
        self.ran = self.ran or self._path() is not None
        result, number = self._run(func, args, kwargs)
        if torch.compiler.is_compiling() or torch._C._get_tracing_state() is not None:
            return result
        with torch._C.DisableTorchFunction(), torch.no_grad(), _disable_current_modes():
            try:
                self.under.told_above(getattr(func, "__name__", ""), args, result)
                found = self._found(func, args, kwargs, result, number)
                if found is not None:
                    self._told.add(number)
                    instead = self._keep(found)
                    result = result if instead is None else self._put(instead, result, kwargs.get("out"))
                elif self.follower.spoke:
                    self._told.add(number)
                elif self.follower.part_of is not None:
                    self._parts.setdefault(self.follower.part_of, []).append(number)
            except Exception as error:
                if from_a_signal(error) or error is self.asked.failed:
                    raise
                self._told.add(number)
                self.seen.missed.append((self._path() or "", in_words(error)))
        return result

    def _run(self, func: Any, args: Any, kwargs: Any) -> tuple[Any, int]:
        """Runs a call under a number of its own, which the kernels below can be asked by."""
        under = self.under
        under.calls += 1
        number, outer = under.calls, under.call
        under.call = number
        try:
            if getattr(func, "__name__", "") not in CHOOSY:
                return func(*args, **kwargs), number
            with under.aside():
                result = func(*args, **kwargs)
            under.ran(args, kwargs, result)
            return result, number
        finally:
            under.call = outer

    def _found(self, func: Any, args: Any, kwargs: Any, result: Any, number: int) -> CaughtAttention | None:
        """The attention that this call was, or completed."""
        name = getattr(func, "__name__", "")
        name = func.__self__.__name__ if name == "__get__" else name  # a property, such as `tensor.mT`
        if func is F.scaled_dot_product_attention:
            return from_kernel(result, *args, **kwargs)
        if func is F.multi_head_attention_forward:
            given = _MULTIHEAD.bind(*args, **kwargs)
            given.apply_defaults()
            return Multihead(given.arguments, result[0])
        if name == "flex_attention":
            return from_flexible(result[0], *args, **kwargs)
        if not all(map(has_own_storage, tensors_among(args))):  # of another kind, or wrapped: it is looked at below
            return None
        found = self.follower.told(name, args, kwargs, result)
        if found is not None and found.number is not None:
            self._told.update(self._parts.pop(found.number, ()))
        asked = self.asking_layers.told(name, args, kwargs, result)
        if asked is not None and self._given(asked, learned=False):  # the mean of fixed numbers under a softmax
            asked = None
        if found is not None and found.bent and self._given(found, learned=True):  # what was bent has met a layer
            found = None
        by_weights = self.of_weights.told(name, args, kwargs, result)
        found = asked if found is None else found
        return self._rescued(by_weights, number) if found is None and by_weights is not None else found

    def _rescued(self, found: Heart, number: int) -> Heart | None:
        """An attention known by its weights alone, where the kernels of this call say that there was one."""
        if not any(call == number and met.certain for call, _, met in self.under.met):
            return None
        if found.standing == ALONE and self._mixes_answers(found):
            self._told.add(number)
            return None
        self.follower.forget(self.follower.spoke_of if self.follower.spoke else None)
        return found

    def _mixes_answers(self, found: Heart) -> bool:
        """Whether it adds up what several layers answer to the same row, by shares that a layer makes of that row."""
        under, weights = self.under, found.weights
        if weights is None or not under.shares_columns(weights):
            return False
        one, other = (_root(under.sources.of(tensor)) for tensor in (weights, found.values))
        return bool(one == other)

    def _given(self, found: Heart, learned: bool) -> bool:
        """Whether its values depend on the model alone; and not on its weights, unless these count too."""
        origins, place = self.under.origins, storage_of(found.values)
        return place in origins.fixed and (learned or place not in origins.learned)

    def _keep(self, found: CaughtAttention) -> Any | None:
        """Rebuilds an attention, compares it, and keeps its stages; gives what to go on with if one was written."""
        path = self._path()
        if path is None:
            self.seen.outside += 1
            return None
        nth = 1 + sum(call.path == path for call in self.seen.calls)
        scope = path if nth == 1 else f"{path}@{nth}"
        stem = f"{scope}." if scope else ""
        number = found.number if isinstance(found, Heart) else None
        again = None if number is None else self._instead.get(number)
        recorder = Recorder(self.asked.writer_for(stem, again))
        with torch.autocast(found.answer.device.type, enabled=False):
            rebuilt = found.rebuild(within(recorder, scope) if scope else recorder)
        entries = recorder.trace.entries
        written = tuple(entry.stage.name for entry in entries.values() if entry.written)
        if written and number is not None and set(written) - _AFTER_THE_WEIGHTS:
            self._instead[number] = rebuilt.weights
        compared = (
            self.asked.known.get(scope) if written else self._worst(found, rebuilt.pairs, _reach(recorder.trace, stem))
        )
        known = facts_of_attention(recorder.trace, stem)
        known["standing"] = self._standing(found) if isinstance(found, Heart) else ""
        self.seen.calls.append(
            AttentionCall(path, scope, found.kind, dropout=found.dropout, rebuilt=compared, written=written, **known)
        )
        self.asked.passed.update(dict.fromkeys(entries))
        kept = {name: self.asked.kept(entry) for name, entry in entries.items() if self.asked.keeps(name)}
        self.seen.trace.entries.update(kept)
        return rebuilt.instead if written else None

    def _standing(self, found: Heart) -> str:
        """What is not known of the axes, in words."""
        return found.standing or (TURNED if may_be_turned(found.shape, self.under.origins.texts) else "")

    @staticmethod
    def _worst(found: CaughtAttention, pairs: list[Pair], reach: float) -> Comparison | None:
        coarsest = torch.finfo(found.coarsest).eps if isinstance(found, Heart) else 0.0
        compared = [_compared(real, rebuilt, _ROUNDINGS * reach, coarsest) for real, rebuilt in pairs]
        return max(compared, key=lambda each: (each.nans, each.error / each.allowed), default=None)

    def _put(self, instead: Any, result: Any, out: Tensor | None) -> Any:
        """What follows from a change, in the place of what the call gave, and laid out in memory like it."""
        if isinstance(result, tuple) and isinstance(instead, Tensor):  # what else was told is as before
            return (self._put(instead, result[0], None), *result[1:])
        if isinstance(result, tuple):
            return tuple(self._put(new, old, None) for new, old in zip(instead, result, strict=True))
        if result is None:
            return None
        place = torch.empty_like(result) if out is None else out
        place.copy_(instead)
        self.under.origins.made(place)
        return place

    def repeat(self, module: nn.Module, again: Again) -> Pair | None:
        """Looks at a second pass of a module that ran unwatched."""
        path, start = self.paths.get(id(module)), len(self.seen.calls)
        pair = again()
        if path is None:  # another watch, of another model, has stepped aside
            return pair
        if pair is None:
            self.seen.missed.append((path, "it ran in one kernel, and cannot run without"))
        compared = None
        with torch._C.DisableTorchFunction(), torch.no_grad():
            if pair is not None and pair[0].shape == pair[1].shape:
                compared = _compared(*pair, _roundings_of_a_layer(pair[0].dtype))
            elif pair is not None:
                self.seen.missed.append((path, "run once more without its kernel, it gives an answer of another shape"))
        self.seen.calls[start:] = [call.after(path, compared) for call in self.seen.calls[start:]]
        return pair

    def finish(self) -> None:
        """Says which softmaxes were never followed to the end, and what ran underneath and was not told above."""
        missed = self.seen.missed
        weighed = {path for call, path, met in self.under.met if met.certain and call not in self._told}
        for number, (path, why) in self.follower.open.items():  # else they weighed nothing
            if path is not None and (number in self.follower.weighed or path in weighed):
                missed.append((path, why))
        added_up = {met.number for _, _, met in self.under.met if not met.apart}
        for call, path, met in self.under.met:
            if (met.apart and met.number in added_up) or (met.doubt and met.number in self.under.books.scores):
                continue
            if met.doubt == CHOSEN and call in self._told:
                continue
            if met.doubt:
                self.under.unsure[path, met.doubt] = None
                continue
            if call in self._told or any(path == told for told, _ in missed):
                continue
            if met.apart:
                why = f"{met.made_by} multiplies other numbers place by place, and no sum along them was seen"
                self.under.unsure[path, why] = None
            elif met.learned:
                why = f"a {met.made_by} meets a matrix of the model: learned values, or a plain layer"
                self.under.unsure[path, why] = None
            else:
                missed.append((path, f"{met.made_by} weighs other numbers, and was not followed"))
        self.seen.unsure += list(self.under.unsure)
        self.seen.unmatched += self.asked.unmatched()

    def broke(self, kind: type[BaseException]) -> None:
        """The pass ended with an error of this kind."""
        self.seen.broken = f"The pass is not whole: it ended with {kind.__name__}, and what would follow was not seen."

    def _path(self) -> str | None:
        """The innermost module of the model that is running, found among the callers; None outside of it."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_argcount:
                path = self.paths.get(id(frame.f_locals.get(frame.f_code.co_varnames[0])))
                if path is not None:
                    return path
            frame = frame.f_back
        return None


def _reach(trace: Trace, stem: str) -> float:
    """How large the scores are that a softmax was handed, which says how coarsely they are rounded."""
    shown = (trace[stem + name] for name in ("scaled", "rescaled") if stem + name in trace)
    return max(float(np.abs(scores[np.isfinite(scores)]).max(initial=1.0)) for scores in shown)


def _root(source: Any) -> Any:
    """What a source is a part of."""
    while isinstance(source, tuple):
        source = source[0]
    return source


# How many roundings may pile up between two ways to work the same numbers; larger scores are rounded more coarsely.
_ROUNDINGS = 32.0
_ROUNDINGS_OF_A_LAYER = 128.0
_COARSE, _COARSELY = 1e-4, 8.0  # numbers that are kept finer while they are worked, and rounded coarsely now and then


def _roundings_of_a_layer(kind: torch.dtype) -> float:
    return _COARSELY if torch.finfo(kind).eps > _COARSE else _ROUNDINGS_OF_A_LAYER


def _compared(real: Tensor, rebuilt: Tensor, roundings: float, coarsest: float = 0.0) -> Comparison:
    both = ~(real.isnan() | rebuilt.isnan())
    there, ours = real[both].double(), rebuilt[both].double()
    finite = there[there.isfinite()]
    size = float(finite.abs().max()) if finite.numel() else 0.0
    error = float(torch.where(there == ours, 0.0, (there - ours).abs()).max()) if there.numel() else 0.0
    error = math.inf if bool((rebuilt.isnan() & ~real.isnan()).any()) else error
    rounding = max(torch.finfo(real.dtype).eps, coarsest)
    nans = real.isnan()
    blind = bool(nans.any()) and not bool(rebuilt[nans].isnan().any())
    return Comparison(error, roundings * rounding * max(1.0, size), int(nans.sum()), blind)
