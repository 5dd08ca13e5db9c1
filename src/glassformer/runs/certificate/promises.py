"""What every user of a model takes for granted: each promise as a sentence, a measurement and a bar. It knows no words.

Bars of 0 are meant: not one bit may differ. The others allow what rounding can do. For answers that is measured: how
far they are from the model's own in float64. Two roads to one answer round differently, and a trained model, whose
numbers are large and cancel, more than a fresh one. For weights it is worked out from the size of the scores and the
length of the sums.
"""

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

import torch
from torch import Tensor, nn

from glassformer.engines.parity import ROADS
from glassformer.layers.attention import DotProduct, for_each_head, how_weighed, softmax
from glassformer.models.weights import from_bytes, to_bytes
from glassformer.runs.certificate.subjects import Subject, Text
from glassformer.stages.watchers import Watcher, nothing

TOLERANCES = {torch.float64: 1e-12, torch.float32: 5e-6}  # of unit scale
COARSE = 2e-2  # for narrower kinds of float
PADS = (1, 2, 7, 31, 64)
WRITTEN = 11  # ids that are written greedily


Stage = TypeVar("Stage")


class _Keeper:
    """A watcher that keeps every stage as it is."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    def __call__(self, name: str, value: Stage, how: str = "") -> Stage:
        self.kept[name] = value
        return value


def _copying(name: str, value: Stage, how: str = "") -> Stage:
    """A watcher whose copies count as rewritten, so that every answer is worked from the steps."""
    copied: Stage = cast(Any, value).clone()
    return copied


class ModelOnTrial:
    """A model on trial: the texts it is asked about, and its plain answers."""

    def __init__(self, subject: Subject, texts: Sequence[Text], rebuild: Callable[[], nn.Module]) -> None:
        self.subject, self.texts, self.rebuild = subject, texts, rebuild

    @cached_property
    def answers(self) -> list[Tensor]:
        """To each text by itself."""
        return [self.subject.alone(text) for text in self.texts]

    @cached_property
    def tolerance(self) -> float:
        """What rounding may do to a number of size 1."""
        return TOLERANCES.get(self.answers[0].dtype, COARSE)

    @cached_property
    def bar(self) -> float:
        """What rounding may do to the largest logit."""
        largest = max([1.0, *(float(answer.abs().max()) for answer in self.answers)])
        return max(self.tolerance * largest, ROADS * self.rounding)

    @cached_property
    def exact(self) -> Subject:
        """The same model in float64, which not every device has."""
        return type(self.subject)(copy.deepcopy(self.subject.model).cpu().double())

    @cached_property
    def rounding(self) -> float:
        """How far the answers are from those of the same model in float64."""
        return self._from_exact(self.answers, nothing)

    @cached_property
    def rounding_of_steps(self) -> float:
        """The same for answers that are worked step by step: large scores that are rounded, as no kernel does, cost
        more."""
        return self._from_exact([self.subject.alone(text, _copying) for text in self.texts], _copying)

    def _from_exact(self, answers: Sequence[Tensor], see: Watcher) -> float:
        if answers[0].dtype == torch.float64:
            return 0.0
        found = max(
            _apart(self.exact.alone(text, see), answer) for text, answer in zip(self.texts, answers, strict=True)
        )
        return found if math.isfinite(found) else 0.0  # what is no number excuses nothing

    def room(self, text: Text) -> int:
        """How much padding a text can take."""
        longest = self.subject.longest
        return PADS[-1] if longest is None else longest - max(len(text.ids), len(text.source))

    @cached_property
    def shown(self) -> dict[str, Tensor]:
        """What attention shows of itself for all texts at once, some of them padded."""
        keeper = _Keeper()
        self.subject.ask(self.texts, right=min([5, *(self.room(text) for text in self.texts)]), see=keeper)
        return keeper.kept

    def stages(self, name: str) -> dict[str, Tensor]:
        """One stage of every attention that shows it, by the attention's address."""
        return {place.removesuffix(name): each for place, each in self.shown.items() if _last(place) == name}


def _last(address: str) -> str:
    return address.rpartition(".")[2]


def _apart(one: Tensor, other: Tensor) -> float:
    return _largest(one.detach().cpu() - other.detach().cpu()) if one.numel() else 0.0


def _largest(numbers: Tensor) -> float:
    """How far from 0 any of them is: endless where one is no number, which `max` would pass over."""
    found = float(numbers.abs().max())
    return math.inf if math.isnan(found) else found


# --- what is measured: 0 is perfect -----------------------------------------------------------------------------


def _not_finite(case: ModelOnTrial) -> float:
    return float(sum((~answer.isfinite()).sum() for answer in [*case.answers, case.subject.nobody()]))


def _not_the_same_twice(case: ModelOnTrial) -> float:
    return max(_apart(case.subject.alone(text), answer) for text, answer in zip(case.texts, case.answers, strict=True))


def _future_in_values(case: ModelOnTrial) -> float:
    """Every id from some place on becomes another; each place is tried by itself."""
    worst = 0.0
    for text, answer in zip(case.texts, case.answers, strict=True):
        for place in range(1, len(text.ids)):
            others = tuple((id_ + 1) % case.subject.vocabulary for id_ in text.ids[place:])
            changed = case.subject.alone(Text(text.ids[:place] + others, text.source))
            worst = max(worst, _apart(changed[:place], answer[:place]))
    return worst


def _future_in_gradients(case: ModelOnTrial) -> float:
    """How far the answer at each place would move with the embedded ids after it."""
    embedded: list[Tensor] = []  # what is written is embedded last

    def hold(module: nn.Module, inputs: object, rows: Tensor) -> Tensor:
        embedded.append(rows.detach().requires_grad_())
        return embedded[-1]

    text = max(case.texts, key=lambda each: len(each.ids))
    worst = 0.0
    with torch.enable_grad(), case.subject.model.embedding.register_forward_hook(hold):
        answer = case.subject.alone(text)
        mixed = answer @ torch.linspace(-1, 1, answer.shape[1]).to(
            answer
        )  # one number a place; no class cancels another
        for place in range(len(answer) - 1):
            (slope,) = torch.autograd.grad(mixed[place], embedded[-1], retain_graph=True)
            worst = max(worst, _largest(slope[0, place + 1 :]))
    return worst


def _right_padding(case: ModelOnTrial) -> float:
    return _padding(case, lambda text, pads: case.subject.ask([text], right=pads))


def _left_padding(case: ModelOnTrial) -> float:
    return _padding(case, lambda text, pads: case.subject.ask([text], left=pads))


def _padding(case: ModelOnTrial, ask: Callable[[Text, int], list[Tensor]]) -> float:
    worst = 0.0
    for text, answer in zip(case.texts, case.answers, strict=True):
        for pads in {min(pads, case.room(text)) for pads in PADS}:
            worst = max(worst, _apart(ask(text, pads)[0], answer))
    return worst


def _company(case: ModelOnTrial) -> float:
    """All texts in one batch, from the longest to the shortest and the other way round."""
    worst = 0.0
    for order in (1, -1):
        together = case.subject.ask(case.texts[::order])
        worst = max(worst, *(_apart(one, other) for one, other in zip(together, case.answers[::order], strict=True)))
    return worst


def _cache(case: ModelOnTrial) -> float:
    """Read in two parts, cut at every place that leaves two ids or more on either side."""
    worst = 0.0
    for text, answer in zip(case.texts, case.answers, strict=True):
        for cut in range(2, len(text.ids) - 1):
            worst = max(worst, _apart(case.subject.in_parts(text, [cut]), answer))
    return worst


def _step_by_step(case: ModelOnTrial) -> float:
    return max(
        _apart(case.subject.in_parts(text, range(1, len(text.ids))), answer)
        for text, answer in zip(case.texts, case.answers, strict=True)
    )


def _greedy(case: ModelOnTrial) -> float:
    """Ids written otherwise in a batch and with a KV cache than alone and without; a tie within the bar is none."""
    texts = list(case.texts)
    if case.subject.counts_columns:  # they cannot be written together unless they are equally long
        texts = [Text(text.ids[: min(len(each.ids) for each in texts)], text.source) for text in texts]
    if not case.subject.fills_left:  # a translation begins with its first id
        texts = [Text(text.ids[:1], text.source) for text in texts]
    count = max(1, min([WRITTEN, *(case.room(text) for text in texts)]))
    return float(sum(_other_ids(case, *each) for each in zip(texts, case.subject.write(texts, count), strict=True)))


def _other_ids(case: ModelOnTrial, text: Text, written: tuple[int, ...]) -> int:
    ids = text.ids
    for id_ in written:
        logits = case.subject.alone(Text(ids, text.source))[-1]
        if not float(logits.max() - logits[id_]) <= 2 * case.bar:  # nor is what is no number
            return 1
        ids = (*ids, id_)
    return 0


def _looking(case: ModelOnTrial) -> float:
    return max(
        _apart(case.subject.alone(text, _Keeper()), answer)
        for text, answer in zip(case.texts, case.answers, strict=True)
    )


def _steps(case: ModelOnTrial) -> float:
    return max(
        _apart(case.subject.alone(text, _copying), answer)
        for text, answer in zip(case.texts, case.answers, strict=True)
    )


def _shown(case: ModelOnTrial) -> float:
    """Weights times values, against what was mixed; relative to the size of what is added up."""
    worst = 0.0
    values, mixed = case.stages("values"), case.stages("mixed")
    for place, weights in case.stages("weights").items():
        worked = weights @ for_each_head(values[place], weights.shape[1])
        added = float((weights.abs() @ for_each_head(values[place].abs(), weights.shape[1])).max())
        worst = max(worst, _apart(worked, mixed[place]) / max(1.0, added))
    return worst


def _row_sums(case: ModelOnTrial) -> float:
    sums = [weights.sum(-1) for weights in case.stages("weights").values()]
    return max(_largest(torch.minimum((each - 1).abs(), each.abs())) for each in sums)


def _hidden_weight(case: ModelOnTrial) -> float:
    masks = case.stages("mask")
    return max(
        (
            _largest(weights.masked_fill(masks[place].expand_as(weights), 0.0))
            for place, weights in case.stages("weights").items()
            if place in masks
        ),
        default=0.0,
    )


def _saved(case: ModelOnTrial) -> float:
    """Through the bytes of a file into a model that was built anew; a name that does not fit shows in the answers."""
    content = to_bytes(case.subject.model.state_dict())
    fresh = case.rebuild().to(case.answers[0]).eval()
    fresh.load_state_dict(from_bytes(content, Path("model.safetensors")), strict=False)
    again = type(case.subject)(fresh)
    return max(_apart(again.alone(text), answer) for text, answer in zip(case.texts, case.answers, strict=True))


# --- what has no meaning for a model, and why -------------------------------------------------------------------


def _always(case: ModelOnTrial) -> str:
    return ""


def _if_causal(case: ModelOnTrial) -> str:
    return "" if case.subject.causal else "It reads a text as a whole: every word may see every other."


def _if_it_writes(case: ModelOnTrial) -> str:
    return "" if case.subject.causal else "It writes nothing, so it has no KV cache."


def _if_filled_left(case: ModelOnTrial) -> str:
    if not case.subject.fills_left:
        return "It counts positions from the first column, so its texts are padded on the right only."
    if case.subject.counts_columns:
        return "A Synthesizer counts columns, not positions: padding before a text would make it another text."
    return ""


def _if_it_attends(case: ModelOnTrial) -> str:
    return "" if case.subject.attentions else "It has no attention."


def _if_weights_tell(case: ModelOnTrial) -> str:
    if not case.subject.attentions:
        return "It has no attention."
    hopeless = _rounded_weights(case) > 1 / 2
    return "Its scores are so large that rounding alone may turn one weight into another." if hopeless else ""


def _if_fused(case: ModelOnTrial) -> str:
    if not case.subject.attentions:
        return "It has no attention."
    fused = any(type(each.scorer) is DotProduct and each.weigher is softmax for each in case.subject.attentions)
    return "" if fused else "No kernel computes this kind of attention: it always walks the steps."


def _if_shares(case: ModelOnTrial) -> str:
    if not case.subject.attentions:
        return "It has no attention."
    others = [each.weigher for each in case.subject.attentions if each.weigher is not softmax]
    return f"Its weigher is {how_weighed(others[0])}, whose rows need not sum to 1." if others else ""


# --- the promises -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Promise:
    """A name, its sentence, what is measured, how much the bar allows, and for which models it has no meaning."""

    name: str
    sentence: str
    measure: Callable[[ModelOnTrial], float]
    bar: Callable[[ModelOnTrial], float]
    why_not: Callable[[ModelOnTrial], str] = _always


def _nothing(case: ModelOnTrial) -> float:
    return 0.0


def _rounding(case: ModelOnTrial) -> float:
    return case.bar


def _rounding_of_steps(case: ModelOnTrial) -> float:
    return max(case.bar, ROADS * case.rounding_of_steps)


def _rounded_sums(case: ModelOnTrial) -> float:
    """What rounding may do to a sum of shares, for each unit of what is added up.

    Each share is rounded once and comes from a quotient, and so does the other road's; the sum is rounded at its end.
    On its way it rounds as often as it has terms, in float32 at the least: nobody adds up in fewer bits.
    """
    unit, adding = _units(case)
    keys = max(weights.shape[-1] for weights in case.stages("weights").values())
    return 4 * unit + keys * adding


def _rounded_weights(case: ModelOnTrial) -> float:
    """The same for shares that follow from scores: a weight is e to the score, and takes over in proportion what
    rounding did to it and to the largest beside it. A score is a sum of as many terms as a key is wide, rounded after
    it, after its scale and after its bias."""
    unit, adding = _units(case)
    scores = [scores for name in ("scaled", "scores", "biased") for scores in case.stages(name).values()]
    largest = max((float(each[each.isfinite()].abs().max()) for each in scores), default=0.0)
    widest = max(each.d_key for each in case.subject.attentions)
    return 2 * (widest * adding + 3 * unit) * largest + _rounded_sums(case)


def _units(case: ModelOnTrial) -> tuple[float, float]:
    """What rounding may do to a number of size 1: to one that is kept, and to one that is added up."""
    unit = torch.finfo(case.answers[0].dtype).eps / 2
    return unit, min(unit, torch.finfo(torch.float32).eps / 2)


# Without these two nothing else can be judged.
FIRST = (
    Promise("finite numbers", "No answer holds NaN or ∞, not even to a text that is all padding.",
            _not_finite, _nothing),
    Promise("same answer twice", "The same text gets the same answer, to the last bit: nothing is left to chance.",
            _not_the_same_twice, _nothing),
)  # fmt: skip
PROMISES = (
    Promise("no future leak: values", "Changing later ids changes no earlier answer, not by one bit.",
            _future_in_values, _nothing, _if_causal),
    Promise("no future leak: gradients", "No answer would move with an id that comes after it.",
            _future_in_gradients, _nothing, _if_causal),
    Promise("padding on the right", "Up to 64 ids of padding after a text change nothing, whatever they are.",
            _right_padding, _rounding),
    Promise("padding on the left", "Up to 64 ids of padding before a text change nothing, whatever they are.",
            _left_padding, _rounding, _if_filled_left),
    Promise("company", "A text is answered in a batch of unequal texts as it is alone.",
            _company, _rounding),
    Promise("cache = no cache", "Reading a text in two parts, with a KV cache, gives what reading it at once gives.",
            _cache, _rounding, _if_it_writes),
    Promise("step by step = all at once", "Writing id by id gives the logits that teacher forcing gives.",
            _step_by_step, _rounding, _if_it_writes),
    Promise("greedy writing", "Texts written in a batch with a KV cache are those written alone without one.",
            _greedy, _nothing, _if_it_writes),
    Promise("looking changes nothing", "Watching every stage leaves the answer as it is, to the last bit.",
            _looking, _nothing),
    Promise("kernel = steps", "The fused kernel gives what score, mask, weigh, mix give one by one.",
            _steps, _rounding_of_steps, _if_fused),
    Promise("shown = used", "The weights that are shown, times the values, are what attention went on with.",
            _shown, _rounded_weights, _if_weights_tell),
    Promise("rows sum to 1", "Every row of weights sums to 1, or is all 0 where nothing may be seen.",
            _row_sums, _rounded_sums, _if_shares),
    Promise("hidden keys", "What a query may not see has a weight of exactly 0.",
            _hidden_weight, _nothing, _if_it_attends),
    Promise("save and load", "A model that was saved and loaded answers as before, to the last bit.",
            _saved, _nothing),
)  # fmt: skip
