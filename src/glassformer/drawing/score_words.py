"""Scores in words: their names, their figures and their intervals, the same in the terminal and on pages."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

NAMES: Mapping[str, str] = MappingProxyType(
    {
        "accuracy": "accuracy",
        "macro_f1": "macro-F1",
        "calibration_error": "calibration error",
        "bleu": "BLEU",
        "bleu_lowercase": "BLEU, lower case",
        "chrf": "chrF",
        "exact": "exactly right",
        "loss": "loss",
        "perplexity": "perplexity",
        "bits_per_byte": "bits per byte",
    }
)
MAIN = ("accuracy", "bleu", "exact", "loss")  # the first of these that a run has is the one that counts most
BESIDE: Mapping[str, str] = MappingProxyType(
    {"accuracy": "macro_f1", "bleu": "chrf", "exact": "loss", "loss": "perplexity"}
)  # which other score stands beside the main one
_SHARES = ("accuracy", "macro_f1", "calibration_error", "exact")
_POINTS = ("bleu", "bleu_lowercase", "chrf")  # out of a hundred, by custom without a sign


def main_score(scores: Mapping[str, Any]) -> str:
    """The score that counts most."""
    return next(name for name in MAIN if name in scores)


def best_is_high(name: str) -> bool:
    """Whether more of it is better."""
    return name not in ("loss", "perplexity", "bits_per_byte", "calibration_error")


def in_figures(name: str, value: float) -> str:
    """A score as it is printed: 97.3 %, 31.4 or 1.4712."""
    return f"{figure(name, value)} %" if name in _SHARES else figure(name, value)


def figure(name: str, value: float) -> str:
    """The same without its sign, for tables and axes that name it once."""
    if name in _SHARES:
        return f"{100 * value:.1f}"
    return f"{value:.1f}" if name in _POINTS else f"{value:.4f}"


def between(name: str, interval: tuple[float, float] | list[float]) -> str:
    """An interval: 96.1 to 98.2 %."""
    low, high = interval
    return f"{figure(name, low)} to {in_figures(name, high)}"


def score_lines(scores: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and values of the scores, with their 95 % intervals where there are any."""
    lines = []
    for key, name in NAMES.items():
        if scores.get(key) is not None:
            interval = scores.get(f"{key}_interval")
            value = in_figures(key, scores[key])
            lines.append((name, f"{value}  ({between(key, interval)})" if interval else value))
    return lines


def clock(seconds: float) -> str:
    """A time: 47 s or 3:20 min."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d} min" if minutes else f"{rest} s"
