"""Whether a run has learnt anything: its score against baselines on the same samples, in words. It trains nothing.

A certificate says that a model keeps its promises, and a model that guesses can keep them all. This is the other half:
is it better than the answer that is right most often, than what is linear, than what text alone can do? What to do if
not is said with it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from shlex import quote
from typing import Any

import numpy as np

from glassformer.drawing.score_words import SCORES, figure, in_figures
from glassformer.models.card import Card
from glassformer.models.registry import MODELS
from glassformer.objectives.bootstrap import SIGNIFICANT, Measure, compare, sign_test
from glassformer.objectives.metrics import share_of_rows
from glassformer.objectives.table import objective_of
from glassformer.runs.folder import RunFolder
from glassformer.storage import figures

JUDGED_BY = {"bleu": "exact"}  # a translator is held against the most frequent answer by what is right to the letter
MAJORITY = "majority"  # the answer that is right most often, whatever the text
PAIRS, COPY, LOOKUP = "counted pairs", "copy", "lookup"  # what text alone can do
_TEXT_ALONE = {
    PAIRS: "pairs of tokens as they were counted in training",
    COPY: "the sources as they are",
    LOOKUP: "the translation of the nearest training sentence",
}


@dataclass(frozen=True)
class Against:
    """A baseline on the same samples, and how far the model is ahead of it."""

    baseline: str  # MAJORITY, what text alone can do, or a model's name
    answer: str  # what the majority is; of a model, nothing
    score: float
    ahead: float
    low: float
    high: float
    p_value: float

    @property
    def better(self) -> bool:
        """Whether the model is really ahead."""
        return self.ahead > 0 and self.p_value < SIGNIFICANT

    @property
    def worse(self) -> bool:
        """Whether the baseline is."""
        return self.ahead < 0 and self.p_value < SIGNIFICANT


@dataclass(frozen=True)
class Learnt:
    """What is known of it: the comparisons, a sentence on each, and what to do if the model is not ahead."""

    better: bool  # than the first of them: the majority, or what text alone can do
    verdict: str  # in a few words
    sentences: tuple[str, ...]
    advice: tuple[str, ...]
    against: tuple[Against, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "better_than_majority": self.better,
            "verdict": self.verdict,
            "sentences": list(self.sentences),
            "advice": list(self.advice),
            "baselines": [asdict(each) for each in self.against],
        }


# --- comparing --------------------------------------------------------------------------------------------------


def against_majority(model: Measure, truth: Sequence[str], answer: str) -> Against:
    """The model against one and the same answer to every sample."""
    return against(model, share_of_rows(np.array([[each == answer, 1.0] for each in truth])), MAJORITY, answer)


def against(model: Measure, other: Measure, baseline: str, answer: str = "") -> Against:
    """The model against another's answers to the same samples, each of which is right or wrong."""
    found = compare(model, other)
    return Against(baseline, answer, other.value, found.difference, found.low, found.high, sign_test(model, other))


def against_text(model: Measure, other: Measure, baseline: str, score: str) -> Against:
    """The model against what text alone can do, by a score that is not right or wrong; ahead is better."""
    found = compare(model, other)
    ends = (found.difference, found.low, found.high)
    ahead, low, high = ends if SCORES[score].best_is_high else (-found.difference, -found.high, -found.low)
    return Against(baseline, "", other.value, ahead, low, high, found.p_value)


def exactly(answers: Sequence[str], right: Sequence[str]) -> Measure:
    """Which answers are right to the letter."""
    return share_of_rows(np.array([[one == other, 1.0] for one, other in zip(answers, right, strict=True)]))


def majority(truths: Sequence[str]) -> str:
    """The answer that is right most often; of equals, the first by name."""
    counts = Counter(truths)
    return min(counts, key=lambda each: (-counts[each], each))


def _from_confusion(confusion: Mapping[str, Any]) -> Against:
    """For a run that was scored without baselines: a confusion matrix tells what was right of each sample."""
    labels, table = confusion["labels"], confusion["table"]
    truth = [label for label, row in zip(labels, table, strict=True) for _ in range(sum(row))]
    hits = [i == j for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return against_majority(share_of_rows(np.array([[hit, 1.0] for hit in hits])), truth, majority(truth))


# --- in words ---------------------------------------------------------------------------------------------------


def learnt(folder: RunFolder, card: Card) -> Learnt | None:
    """What is known of a run's learning; None if it was not evaluated, or has no baseline."""
    with figures(folder.path / "scores.json"):
        return _learnt(folder, card)


def _learnt(folder: RunFolder, card: Card) -> Learnt | None:
    scores = folder.read_scores() or {}
    found = [Against(**each) for each in scores.get("baselines", [])]
    if not found and "confusion" in scores:
        found = [_from_confusion(scores["confusion"])]
    if not found:
        return None
    first, *others = found
    sentences = [_sentence(each, card, scores) for each in found]
    behind = [each for each in others if each.worse and each.baseline in MODELS]
    alone = _TEXT_ALONE.get(first.baseline, "")
    verdict = (
        f"better than {alone or f'the {_common(card)}'}" if first.better else f"no better than {alone or 'chance'}"
    )
    if behind:
        verdict += f", behind a linear model ({behind[0].baseline})"
    advice = [] if first.better else [_longer(folder, card)] if alone else _no_chance(folder, card, others)
    if first.better and behind and _still_falling(folder):
        advice = [_longer(folder, card)]
    advice += [_use(each, card) for each in behind]
    return Learnt(first.better, verdict, tuple(sentences), tuple(advice), tuple(found))


def too_early(folder: RunFolder, card: Card) -> str:
    """What to do with a run of which nothing is known, if it ended while it was still learning; empty otherwise."""
    return _longer(folder, card) if _still_falling(folder) else ""


def _sentence(each: Against, card: Card, scores: Mapping[str, Any]) -> str:
    main = objective_of(card).main
    if each.baseline in _TEXT_ALONE:
        return _on_text(each, main, scores[main])
    judged_by = JUDGED_BY.get(main, main)
    return _on_majority(each, card, judged_by, scores) if each.baseline == MAJORITY else _on_model(each, judged_by)


def _on_text(each: Against, main: str, value: float) -> str:
    told = "Better than" if each.better else "NO BETTER THAN"
    low, high = (_signed(main, end) for end in (each.low, each.high))
    return (
        f"{told} {_TEXT_ALONE[each.baseline]}: {SCORES[main].words} {in_figures(main, value)}, against "
        f"{in_figures(main, each.score)}; ahead by {_signed(main, each.ahead)} (95 % confidence interval {low} to "
        f"{high}, {_p(each.p_value)})."
    )


def _on_majority(first: Against, card: Card, main: str, scores: Mapping[str, Any]) -> str:
    told = f"Better than the {_common(card)}" if first.better else "NO BETTER THAN CHANCE"
    samples = scores.get("samples", 0)
    far = "" if first.better else f" That is as far as {samples:,} samples can tell."
    value, usual = in_figures(main, scores[main]), in_figures(main, first.score)
    return (
        f"{told}: {SCORES[main].words} {value}, against {usual} for the {_common(card)} (“{first.answer}”); "
        f"{_by(first, main)}.{far}"
    )


def _common(card: Card) -> str:
    return "majority class" if card.labels else "most frequent answer"


def _on_model(each: Against, main: str) -> str:
    told = "Ahead of" if each.better else "BEHIND" if each.worse else "Level with"
    name = f"the linear model {each.baseline} fitted beside it"
    return f"{told} {name}, which has {in_figures(main, each.score)}; {_by(each, main)}."


def _by(each: Against, main: str) -> str:
    low, high = (_signed(main, value) for value in (each.low, each.high))
    return f"{_signed(main, each.ahead)} points (95 % confidence interval {low} to {high}, {_p(each.p_value)})"


def _signed(main: str, value: float) -> str:
    return figure(main, abs(value)) if value == 0 else f"{'+' if value > 0 else '−'}{figure(main, abs(value))}"


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


# --- what to do -------------------------------------------------------------------------------------------------


def _no_chance(folder: RunFolder, card: Card, others: Sequence[Against]) -> list[str]:
    answer, text = ("label", "text") if card.labels else ("target", "source")
    check = (
        f"Check the {answer}s: does each stand beside its {text}, and are --{text} and --{answer} the right columns?"
    )
    if any(each.worse for each in others):
        check = "The labels can be learnt from these texts: the linear model does."
    elif others:
        check += " The linear model finds nothing in them either."
        return [check, _longer(folder, card)]
    return [_longer(folder, card), check]


def _longer(folder: RunFolder, card: Card) -> str:
    """How to go on: from where it ended, unless the model counts its texts anew."""
    early = "It ended too early, while its validation loss was still falling. " if _still_falling(folder) else ""
    more = f"--model {card.model}" if MODELS[card.model].counts else f"--from {quote(str(folder.path))}"
    return f"{early}Train longer: {_train(card)} {more} --minutes 5"


def _still_falling(folder: RunFolder) -> bool:
    losses = [each["loss"] for each in folder.metrics() if each.get("event") == "judged" and each["loss"] is not None]
    return len(losses) < 2 or losses[-1] <= min(losses)


def _use(each: Against, card: Card) -> str:
    return f"Use the linear model: {_train(card)} --model {each.baseline}"


def _train(card: Card) -> str:
    return f"glassformer train {card.task} {quote(card.data)}"
