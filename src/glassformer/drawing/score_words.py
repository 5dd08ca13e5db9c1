"""Scores in words: their names, their figures and their intervals, the same in the terminal and on pages.

It knows how a score is written and which way is better, not how it is worked.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from glassformer.choices import Choices
from glassformer.errors import counted


@dataclass(frozen=True)
class ScoreWords:
    """One row of the table: what a score is called, what it is counted in, and whether more of it is better."""

    words: str
    unit: str = ""  # "%" for a share, "points" for those out of a hundred, by custom without a sign
    best_is_high: bool = False


SCORES: Choices[ScoreWords] = Choices(
    "score",
    {
        "accuracy": ScoreWords("accuracy", "%", best_is_high=True),
        "macro_f1": ScoreWords("macro-F1", "%", best_is_high=True),
        "calibration_error": ScoreWords("calibration error", "%"),
        "bleu": ScoreWords("BLEU", "points", best_is_high=True),
        "bleu_lowercase": ScoreWords("BLEU, lower case", "points", best_is_high=True),
        "chrf": ScoreWords("chrF", "points", best_is_high=True),
        "exact": ScoreWords("exactly right", "%", best_is_high=True),
        "loss": ScoreWords("loss"),
        "perplexity": ScoreWords("perplexity"),
        "bits_per_byte": ScoreWords("bits per byte"),
    },
)


def in_figures(name: str, value: float) -> str:
    """A score as it is printed: 97.3 %, 31.4 or 1.4712."""
    return f"{figure(name, value)} %" if SCORES[name].unit == "%" else figure(name, value)


def figure(name: str, value: float) -> str:
    """The same without its sign, for tables and axes that name it once."""
    if SCORES[name].unit == "%":
        return f"{100 * value:.1f}"
    return f"{value:.1f}" if SCORES[name].unit == "points" else f"{value:.4f}"


def between(name: str, interval: tuple[float, float] | list[float]) -> str:
    """An interval: 96.1 to 98.2 %."""
    low, high = interval
    return f"{figure(name, low)} to {in_figures(name, high)}"


def score_lines(scores: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and values of the scores, with their 95 % intervals where there are any."""
    lines = []
    for key, score in SCORES.items():
        if scores.get(key) is not None:
            interval = scores.get(f"{key}_interval")
            value = in_figures(key, scores[key])
            lines.append((score.words, f"{value}  ({between(key, interval)})" if interval else value))
    return lines


def scored(scores: Mapping[str, Any], main: str) -> str:
    """The main score in one breath, with how sure it is: accuracy 97.4 % (92.3 to 100.0 %, 39 samples)."""
    if scores.get(main) is None:
        return ""
    interval, samples = scores.get(f"{main}_interval"), scores.get("samples")
    sure = [between(main, interval)] if interval else []
    sure += [counted(samples, "sample")] if samples is not None else []
    name, value = SCORES[main].words, in_figures(main, scores[main])
    return f"{name} {value} ({', '.join(sure)})" if sure else f"{name} {value}"


def caution(scores: Mapping[str, Any]) -> str:
    """What takes away from a score: that samples were drawn at random, that many repeat each other's text, that some of
    what it was scored on was learnt from, or that nobody can tell."""
    return " ".join(each for each in (_drawn(scores), _repeats(scores), _learnt_from(scores)) if each)


def _drawn(scores: Mapping[str, Any]) -> str:
    if not scores.get("drawn_from"):
        return ""
    drawn, there = scores["drawn"], scores["drawn_from"]
    return (
        f"{drawn:,} of {there:,} samples, drawn at random: the minutes allowed no more. glassformer evaluate takes all."
    )


def _repeats(scores: Mapping[str, Any]) -> str:
    samples, texts = scores.get("samples", 0), scores.get("texts")
    if texts is None or texts > (1 - _SEVERAL) * samples:
        return ""
    stand = "text stands" if texts == 1 else "texts stand"
    return f"Only {texts:,} different {stand} in these {samples:,} samples; the interval counts each text once."


def _learnt_from(scores: Mapping[str, Any]) -> str:
    known = scores.get("in_training", 0)
    if known is None:
        return "Whether it has learnt from some of these is not known: its training data are not at hand as they were."
    if not known:
        return ""
    if "samples" not in scores:
        return f"{counted(known, 'text of these stands', 'texts of these stand')} in the training part: {_MEMORY}"
    if known == scores["samples"]:
        return f"{'This sample stands' if known == 1 else f'All {known:,} stand'} in the training part: {_MEMORY}"
    stand = "stands" if known == 1 else "stand"
    return (
        f"{known:,} of the {counted(scores['samples'], 'sample')} {stand} in the training part too: on these {_MEMORY}"
    )


_SEVERAL = 0.02  # of the samples: as many repeats are worth a word
_MEMORY = "the score shows memory, not skill."


def clock(seconds: float) -> str:
    """A time: 47 s or 3:20 min."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d} min" if minutes else f"{rest} s"
