"""Whether a run has learnt anything: its score against baselines on the same samples, in words. It trains nothing.

A certificate says that a model keeps its promises, and a model that guesses can keep them all. This is the other half:
is it better than the answer that is right most often, than what is linear, than what text alone can do? What to do if
not is said with it. The rule:

    better, worse      by the p-value alone (of answers that are right or wrong, the signs tossed anew)
    too few to tell    neither, and either the baseline is wrong on so few samples that a model without a mistake could
                       not be told from it, or the interval lies on one side of 0: by resampling, it trusts few too much
    no better          neither, and there were enough
    still falling      the last validation loss is the least of two or more, and not a hundredth of the first; in the
                       last quarter of the steps it fell by more than a hundredth of the first, and by more than a
                       twentieth of all that it fell. A model that makes no mistake has nothing left to learn
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from glassformer.drawing.score_words import SCORES, figure, in_figures
from glassformer.errors import counted
from glassformer.models.card import Card
from glassformer.models.registry import MODELS
from glassformer.objectives.bootstrap import SIGNIFICANT, Measure, by_text, compare, lead_by_luck
from glassformer.objectives.metrics import share_of_rows
from glassformer.objectives.table import objective_of
from glassformer.runs.folder import RunFolder
from glassformer.runs.pasting import pasteable
from glassformer.runs.same_data import same_data
from glassformer.storage import figures

JUDGED_BY = {"bleu": "exact"}  # a translator is held against the most frequent answer by what is right to the letter
NOTHING_LEFT = 0.01  # of the first validation loss: what is still to be gained is worth no minute
FLAT = 0.05  # of all that a loss fell: less in the last quarter looks level, and is
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
    learns: bool | None = None  # of a model: whether it is really ahead of the majority; None if nobody asked

    @property
    def better(self) -> bool:
        """Whether the model is really ahead."""
        return self.ahead > 0 and self.p_value < SIGNIFICANT

    @property
    def worse(self) -> bool:
        """Whether the baseline is."""
        return self.ahead < 0 and self.p_value < SIGNIFICANT

    def undecided(self, samples: int) -> bool:
        """Whether so few samples cannot tell; of 0, nobody knows how many there were."""
        if self.p_value < SIGNIFICANT or self.baseline in _TEXT_ALONE:
            return False
        wrong = round((1 - self.score) * samples)
        return self.low > 0 or self.high < 0 or (samples > 0 and 2 * 0.5**wrong >= SIGNIFICANT)


@dataclass(frozen=True)
class Todo:
    """Something to do: in words, and as a command for a terminal. A page has buttons instead of commands."""

    kind: str  # longer, linear, columns, data or nothing
    words: str
    command: str = ""

    def __str__(self) -> str:
        return f"{self.words}: {self.command}" if self.command else self.words


@dataclass(frozen=True)
class Learnt:
    """What is known of it: the comparisons, a sentence on each, and what to do if the model is not ahead."""

    better: bool  # than the first of them: the majority, or what text alone can do
    verdict: str  # in a few words
    sentences: tuple[str, ...]
    todo: tuple[Todo, ...]
    against: tuple[Against, ...]
    undecided: bool = False  # there were too few samples to tell

    @property
    def lost(self) -> bool:
        """Whether it is known to be no better."""
        return not self.better and not self.undecided

    @property
    def advice(self) -> tuple[str, ...]:
        """What to do, with the commands that do it."""
        return tuple(map(str, self.todo))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "better_than_majority": self.better,
            "undecided": self.undecided,
            "verdict": self.verdict,
            "sentences": list(self.sentences),
            "advice": list(self.advice),
            "todo": [{"kind": each.kind, "words": each.words} for each in self.todo],
            "baselines": [asdict(each) for each in self.against],
        }


# --- comparing --------------------------------------------------------------------------------------------------


def against_majority(model: Measure, truth: Sequence[str], answer: str, texts: Sequence[str] = ()) -> Against:
    """The model against one and the same answer to every sample; of samples that show the same text, once."""
    usual = share_of_rows(np.array([[each == answer, 1.0] for each in truth]))
    return against(model, by_text(usual, texts) if texts else usual, MAJORITY, answer)


def against(model: Measure, other: Measure, baseline: str, answer: str = "", *, learns: bool | None = None) -> Against:
    """The model against another's answers to the same samples, each of which is right or wrong."""
    found = compare(model, other)
    ends = (found.difference, found.low, found.high)
    return Against(baseline, answer, other.value, *ends, lead_by_luck(model, other), learns)


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
    few = first.undecided(_witnesses(scores))
    sentences = tuple(_sentence(each, card, scores) for each in found)
    behind = [each for each in others if each.worse and each.learns is not False and each.baseline in MODELS]
    todo = [*_todo(folder, card, scores, found), *(_use(folder, each, card) for each in behind)]
    return Learnt(first.better, _verdict(found, card, scores), sentences, tuple(todo), tuple(found), few)


def _verdict(found: Sequence[Against], card: Card, scores: Mapping[str, Any]) -> str:
    first, *others = found
    alone = _TEXT_ALONE.get(first.baseline, "")
    if first.better:
        verdict = f"better than {alone or f'the {_common(card)}'}"
    elif first.undecided(_witnesses(scores)):
        verdict = "too few samples to tell"
    else:
        verdict = f"{'worse' if first.worse else _no_better(first)} than {alone or f'the {_common(card)}'}"
    behind = [each for each in others if each.worse and each.baseline in MODELS]
    return f"{verdict}, behind a linear model ({behind[0].baseline})" if behind else verdict


def _todo(folder: RunFolder, card: Card, scores: Mapping[str, Any], found: Sequence[Against]) -> list[Todo]:
    first, *others = found
    falls = _still_falling(folder, scores, card)
    longer = [_longer(folder, card, scores)]
    if first.better:
        return longer if falls and any(not each.better and each.baseline in MODELS for each in others) else []
    if first.undecided(_witnesses(scores)):
        return [*([] if not falls else longer), _more_data(first, card, scores)]
    return longer if first.baseline in _TEXT_ALONE else _no_chance(longer, card, found)


def too_early(folder: RunFolder, card: Card) -> str:
    """What to do with a run of which nothing is known, if it ended while it was still learning; empty otherwise."""
    scores = folder.read_scores() or {}
    return str(_longer(folder, card, scores)) if _still_falling(folder, scores, card) else ""


def _sentence(each: Against, card: Card, scores: Mapping[str, Any]) -> str:
    main = objective_of(card).main
    if each.baseline in _TEXT_ALONE:
        return _on_text(each, main, scores[main])
    judged_by = JUDGED_BY.get(main, main)
    return (
        _on_majority(each, card, judged_by, scores) if each.baseline == MAJORITY else _on_model(each, judged_by, scores)
    )


def _on_text(each: Against, main: str, value: float) -> str:
    told = "Better than" if each.better else "WORSE THAN" if each.worse else "NO BETTER THAN"
    lead = f"ahead by {_signed(main, each.ahead)}" if each.ahead >= 0 else f"behind by {figure(main, -each.ahead)}"
    return (
        f"{told} {_TEXT_ALONE[each.baseline]}: {SCORES[main].words} {in_figures(main, value)}, against "
        f"{in_figures(main, each.score)}; {lead} ({_spread(each, main)}, "
        f"{_p(each.p_value)})."
    )


def _on_majority(first: Against, card: Card, main: str, scores: Mapping[str, Any]) -> str:
    samples = _witnesses(scores)
    value, usual = in_figures(main, scores[main]), in_figures(main, first.score)
    against = f"the {_common(card)} (“{first.answer}”{_here(first, scores)})"
    seen = f"{SCORES[main].words} {value}, against {usual} for {against}"
    if first.undecided(samples):
        return f"TOO FEW SAMPLES TO TELL: {seen}. {_so_few(scores)} can come by chance ({_p(first.p_value)})."
    if first.better:
        return f"Better than the {_common(card)}: {seen}; {_by(first, main)}."
    if first.worse:
        return f"WORSE THAN THE {_common(card).upper()}: {seen}; {_by(first, main)}."
    found = f"{_no_better(first).upper()} THAN THE {_common(card).upper()}: {seen}; {_by(first, main)}"
    return f"{found}. That is as far as {_many(scores)} can tell."


def _no_better(first: Against) -> str:
    """Of a lead that may be luck nobody can say that there is none."""
    return "not shown to be better" if first.ahead > 0 else "no better"


def _here(first: Against, scores: Mapping[str, Any]) -> str:
    """Where what was most frequent in training is not what is most frequent among the samples that are judged."""
    confusion = scores.get("confusion")
    if not confusion:
        return ""
    counts = {str(label): sum(row) for label, row in zip(confusion["labels"], confusion["table"], strict=True)}
    most = max(counts, key=lambda label: counts[label])
    if counts.get(first.answer, 0) == counts[most]:
        return ""
    return f", most frequent in training; here “{most}” is, with {100 * counts[most] / sum(counts.values()):.1f} %"


def _so_few(scores: Mapping[str, Any]) -> str:
    return f"On {_many(scores)}, such a difference" if _witnesses(scores) else "Such a difference"


def _witnesses(scores: Mapping[str, Any]) -> int:
    """How many samples speak for themselves: those that show the same text count once. 0 if nobody knows."""
    return int(scores.get("texts") or scores.get("samples", 0))


def _many(scores: Mapping[str, Any]) -> str:
    return counted(scores["texts"], "different text") if "texts" in scores else counted(_witnesses(scores), "sample")


def _common(card: Card) -> str:
    return "majority class" if card.labels else "most frequent answer"


def _on_model(each: Against, main: str, scores: Mapping[str, Any]) -> str:
    name = f"the linear model {each.baseline} fitted beside it, which has {in_figures(main, each.score)}"
    if not each.better and not each.worse and (each.low > 0 or each.high < 0):
        return f"Not to be told from {name}: so few samples may differ so by chance ({_p(each.p_value)})."
    if each.low == each.high == 0:
        return f"Not to be told from {name}: on these samples the two are right and wrong together."
    told = "Ahead of" if each.better else "BEHIND" if each.worse else "Level with"
    return f"{told} {name}; {_by(each, main)}.{'' if each.better or each.worse else _counted(each, main, scores)}"


def _counted(each: Against, main: str, scores: Mapping[str, Any]) -> str:
    """How many answers a small lead is, where one is right or wrong: of few samples, each is worth points."""
    samples = 0 if "texts" in scores else _witnesses(scores)
    answers = round(abs(each.ahead) * samples) if SCORES[main].unit == "%" else 0
    return f" That is {counted(answers, 'answer')} of {samples:,}, which may be chance." if answers else ""


def _by(each: Against, main: str) -> str:
    return f"{_signed(main, each.ahead)} points ({_spread(each, main)}, {_p(each.p_value)})"


def _spread(each: Against, main: str) -> str:
    """The interval; where all samples differ alike, to draw them anew shows no spread, and none is known."""
    if each.low == each.high:
        return "the same on every sample, so resampling tells no interval"
    low, high = (_signed(main, end) for end in (each.low, each.high))
    return f"95 % confidence interval {low} to {high}"


def _signed(main: str, value: float) -> str:
    return figure(main, abs(value)) if value == 0 else f"{'+' if value > 0 else '−'}{figure(main, abs(value))}"


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


# --- what to do -------------------------------------------------------------------------------------------------


def _no_chance(longer: list[Todo], card: Card, found: Sequence[Against]) -> list[Todo]:
    first, *others = found
    answer, text = ("label", "text") if card.labels else ("target", "source")
    columns = Todo(
        "columns", f"Check the {answer}s: does each stand beside its {text}, in the columns that were taken?"
    )
    if any(each.worse and each.learns for each in others):
        return [*longer, Todo("nothing", f"The {answer}s can be learnt from these {text}s: the linear model does.")]
    if others and all(each.score <= first.score or each.learns is False for each in others):
        words = f"{columns.words} The linear model is not really ahead of the {_common(card)} either."
        return [replace(columns, words=words), *longer]
    return [*longer, columns]


def _more_data(first: Against, card: Card, scores: Mapping[str, Any]) -> Todo:
    samples = _witnesses(scores)
    if not samples:
        return Todo("data", "Give it more data: then it can be told.")
    right = round(first.score * samples)
    return Todo(
        "data",
        f"Give it more data, so that more is left to be tried: of {_many(scores)}, the {_common(card)} "
        f"alone gets {right} right.",
    )


def _longer(folder: RunFolder, card: Card, scores: Mapping[str, Any]) -> Todo:
    """How to go on: from where it ended, unless the model counts its texts anew."""
    falls = _still_falling(folder, scores, card)
    early = "It ended too early, while its validation loss was still falling. " if falls else ""
    early = "It ended before it was validated twice. " if len(_losses(folder)) < 2 else early
    return Todo("longer", f"{early}Train longer", to_go_on(folder, card, 5))


def to_go_on(folder: RunFolder, card: Card, minutes: float) -> str:
    """The command that trains it for so many more minutes."""
    more = ("--model", card.model) if MODELS[card.model].counts else ("--from", folder.path)
    return _train(folder, card, *more, "--minutes", f"{minutes:g}")


def _losses(folder: RunFolder) -> list[tuple[int, float]]:
    """The validation losses, each with its step."""
    rows = (each for each in folder.metrics() if each.get("event") == "judged")
    return [(each["step"], each["loss"]) for each in rows if each["loss"] is not None]


def _still_falling(folder: RunFolder, scores: Mapping[str, Any], card: Card) -> bool:
    """Whether there was more to learn when it ended; of a single validation nobody knows, and more would tell."""
    main = objective_of(card).main
    if scores.get(JUDGED_BY.get(main, main)) == 1.0 and main != "loss":
        return False
    losses = _losses(folder)
    return len(losses) < 2 or _falls(losses)


def _falls(losses: Sequence[tuple[int, float]]) -> bool:
    """Whether they still fell in the last quarter of the steps, by an amount that can be seen."""
    (_, first), (end, last) = losses[0], losses[-1]
    if last > min(loss for _, loss in losses) or last <= NOTHING_LEFT * first:
        return False
    before = [loss for step, loss in losses if step <= 0.75 * end] or [first]
    return before[-1] - last > max(NOTHING_LEFT * first, FLAT * (first - last))


def _use(folder: RunFolder, each: Against, card: Card) -> Todo:
    return Todo("linear", "Use the linear model", _train(folder, card, "--model", each.baseline))


def _train(folder: RunFolder, card: Card, *more: object) -> str:
    objective = ("--objective", card.objective) if objective_of(card).pretrains else ()
    return pasteable(["glassformer", "train", card.task, *same_data(folder.settings, card), *objective, *more])
