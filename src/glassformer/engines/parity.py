"""Whether two models are the same: their logits on made-up ids, and what each of them writes. It knows no engine."""

import copy
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import torch
from torch import Tensor

from glassformer.models.language_model import Continuation
from glassformer.models.sampling import Answer, Stop, gather, greedy, stream
from glassformer.models.translator import Translation

TOLERANCE = 1e-4  # of logits, in float32, unless rounding alone does more
ROADS = 8  # times its distance from float64 may two roads to one answer be apart
FIRST_ID = 5  # those before it are special tokens, which begin no text
BEGIN, END = 2, 3
ALONE = 3  # texts that are written once more by themselves, where no column is padding


@dataclass(frozen=True)
class EngineParity:
    """How far two models are apart.

    largest     the largest difference of any logit
    agreeing    the share of places where the most likely id, or class, is the same
    texts       how many texts both have written greedily, or classified; `equal` of them to the last id
    bar         how large that difference may be
    """

    largest: float
    agreeing: float
    texts: int
    equal: int
    bar: float = TOLERANCE

    @property
    def exact(self) -> bool:
        """Whether one may stand for the other."""
        return self.largest <= self.bar and self.equal == self.texts

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return asdict(self)

    def said(self) -> str:
        """The same in words."""
        room = f" (large numbers: up to {self.bar:.1e} is rounding)" if self.exact and self.bar > TOLERANCE else ""
        return (
            f"logits differ by {self.largest:.1e} at most{room}, the most likely is the same in "
            f"{100 * self.agreeing:.1f} %, {self.equal} of {self.texts} texts are equal"
        )


def compared(model: Any, other: Any, *, texts: int = 12, seed: int = 0) -> EngineParity:
    """Both models on the same ids; texts of unequal length stand in one batch."""
    kind, given = _family(model), _ids(model, texts, seed)
    with torch.inference_mode():
        found = _COMPARED[kind](model, other, given)
        if not TOLERANCE < found.largest < math.inf or found.equal < found.texts:
            return found
        ids, real = given
        led = (ids[:, : max(1, ids.shape[1] // 2)],) if kind == "translator" else ()
        return replace(found, bar=bar_of(model, lambda each: each(ids, real, *led)))


def bar_of(model: Any, ask: Callable[[Any], Tensor]) -> float:
    """How far from a model's answer another road to it may be: large logits are rounded more, which shows in how far
    the model's own are from those that it gives in float64."""
    with torch.inference_mode():
        apart = ask(model).cpu().double() - ask(copy.deepcopy(model).cpu().double()).cpu()
    rounding = float(apart.abs().max())
    return max(TOLERANCE, ROADS * rounding) if math.isfinite(rounding) else TOLERANCE


def _family(model: Any) -> str:
    return (
        "translator" if hasattr(model, "decode") else "language model" if hasattr(model, "new_cache") else "classifier"
    )


def _ids(model: Any, texts: int, seed: int) -> tuple[Tensor, Tensor]:
    """Ids, and where they are real, padding on the right."""
    draw = torch.Generator().manual_seed(seed)
    longest = min(48, getattr(model.config, "length", 48))
    alike = "synthesizer" in getattr(model.config, "scorer", "")  # it counts columns
    lengths = torch.randint(1, longest + 1, (texts,), generator=draw)
    lengths = torch.full_like(lengths, max(1, longest // 2)) if alike else lengths
    real = torch.arange(int(lengths.max())) < lengths[:, None]
    first = min(FIRST_ID, model.config.vocabulary - 1)
    ids = torch.randint(first, model.config.vocabulary, real.shape, generator=draw)
    return ids.masked_fill(~real, 0), real


def _differences(mine: Tensor, theirs: Tensor) -> tuple[float, float]:
    """The largest difference, and the share of rows whose best is the same."""
    largest = float((mine - theirs).abs().max())
    agreeing = float((mine.argmax(-1) == theirs.argmax(-1)).double().mean())
    return largest if math.isfinite(largest) else math.inf, agreeing


def _classifier(model: Any, other: Any, given: tuple[Tensor, Tensor]) -> EngineParity:
    mine, theirs = model(*given), other(*given)
    return EngineParity(*_differences(mine, theirs), len(mine), int((mine.argmax(-1) == theirs.argmax(-1)).sum()))


def _language_model(model: Any, other: Any, given: tuple[Tensor, Tensor]) -> EngineParity:
    ids, real = given
    found = _differences(model(ids, real)[real], other(ids, real)[real])
    prompts = [row[kept][:8].tolist() for row, kept in zip(ids, real, strict=True)]
    stop = Stop(longest=max(1, min(16, model.config.length - 8)))
    return _texts(found, *(_every_way(each, prompts, stop) for each in (model, other)))


def _every_way(model: Any, prompts: list[list[int]], stop: Stop) -> list[Answer]:
    """What is written greedily: at once where the model can do so, in company and alone, and step by step."""
    by_steps = stream(Continuation(model, prompts), stop, lambda logprobs, _: logprobs.argmax(-1))
    alone = [greedy(Continuation(model, [prompt]), stop)[0] for prompt in prompts[:ALONE]]
    return [*greedy(Continuation(model, prompts), stop), *alone, *gather(len(prompts), by_steps)]


def _translator(model: Any, other: Any, given: tuple[Tensor, Tensor]) -> EngineParity:
    ids, real = given
    target = ids[:, : max(1, ids.shape[1] // 2)]
    found = _differences(model(ids, real, target), other(ids, real, target))
    stop = Stop(longest=min(16, model.config.length), endings=((END,),))
    return _texts(found, *(greedy(Translation(each, ids, real, BEGIN), stop) for each in (model, other)))


def _texts(found: tuple[float, float], mine: list[Answer], theirs: list[Answer]) -> EngineParity:
    equal = sum(one.ids == two.ids for one, two in zip(mine, theirs, strict=True))
    return EngineParity(*found, len(mine), equal)


_COMPARED = {"classifier": _classifier, "language model": _language_model, "translator": _translator}
