"""The certificate of a model: every promise, tried on the very weights. It knows ids, no words and no files.

What has no meaning for a model is listed with the reason, never left out in silence.
"""

import copy
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from torch import nn

from glassformer.runs.certificate.promises import FIRST, PROMISES, ModelOnTrial, Promise
from glassformer.runs.certificate.subjects import Subject, Text, subject_for

LENGTHS = (3, 7, 13, 23)  # of the texts that are tried
NO_GRADE = "That is no grade: a model that guesses can keep every promise."
_IN_SHORT = {
    "no future leak: values": "no leak from the future",
    "padding on the right": "no effect of padding",
    "company": "no effect of company in a batch",
    "cache = no cache": "no effect of a cache",
    "shown = used": "what is shown is what was used",
    "save and load": "the same after saving and loading",
}


@dataclass(frozen=True)
class Check:
    """One promise, measured: it is kept if the value is not above the bar."""

    name: str
    passed: bool
    value: float
    bar: float
    sentence: str


@dataclass(frozen=True)
class LeftOut:
    """A promise that was not tried, and why."""

    name: str
    sentence: str


@dataclass(frozen=True)
class Certificate:
    """All promises of a model."""

    checks: tuple[Check, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def passed(self) -> bool:
        """Whether every promise that was tried is kept."""
        return all(check.passed for check in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        """The promises that are broken."""
        return tuple(check for check in self.checks if not check.passed)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; a value that is no number is null."""
        checks = [asdict(check) for check in self.checks]
        for check in checks:
            check["value"] = check["value"] if math.isfinite(check["value"]) else None
        left_out = [asdict(each) for each in self.left_out]
        about = verdict(self.passed, [check.name for check in self.checks if check.passed], len(checks))
        return {"passed": self.passed, "about": about, "checks": checks, "not_applicable": left_out}


Clock = Callable[[], float]  # seconds, from any beginning


def verdict(passed: bool, kept: Sequence[str], tried: int) -> str:
    """What the tick, or the cross, is about: the promises, those that every user counts on by name."""
    if not passed:
        return f"breaks its promises: it keeps {len(kept)} of {tried}"
    known = [words for name, words in _IN_SHORT.items() if name in kept]
    return f"keeps its promises, {len(kept)} of {tried}" + (f": {', '.join(known)}" if known else "")


@dataclass(frozen=True)
class Foreign:
    """What is to be known of a model that another tool works.

    left_out    promises that cannot be tried on it, and why
    rounding    how far its answers may be from exact ones; None if it can be worked in float64, and is
    """

    left_out: Mapping[str, str] = field(default_factory=dict)
    rounding: float | None = None


def certify(
    model: nn.Module,
    family: str,
    *,
    texts: Sequence[Sequence[int]] | None = None,
    rebuild: Callable[[], nn.Module] | None = None,
    foreign: Foreign | None = None,
    seed: int = 0,
) -> Certificate:
    """Tries every promise on a model; a few seconds for a few million weights.

    family    classifier, translator or language model
    texts     ids to try it on, cut short if they are long; by default a few are made up
    rebuild   makes a model of the same kind, for the saved weights to be loaded into; by default a copy is emptied
    foreign   what is to be known if another tool works it
    """
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            subject = subject_for(model, family)
            case = ModelOnTrial(subject, trial_texts(subject, texts, seed), rebuild or (lambda: _emptied(model)))
            if foreign is None:
                return _tried(case, {})
            if foreign.rounding is not None:
                case.rounding = foreign.rounding
            return _tried(case, foreign.left_out)
    finally:
        model.train(was_training)


def certifying_seconds(model: nn.Module, family: str, *, within: float, clock: Clock = time.monotonic) -> float:
    """How long a certificate of the model takes: of promises tried one after another, for about so many seconds, and as
    long for each of the others as for these. What comes of them is not kept."""
    model.eval()
    with torch.no_grad():
        subject = subject_for(model, family)
        case = ModelOnTrial(subject, trial_texts(subject), lambda: _emptied(model))
        began, tried, due = clock(), 0, [each for each in (*FIRST, *PROMISES) if not each.why_not(case)]
        for promise in due:
            _check(promise, case)
            tried += 1
            if clock() - began >= within:
                break
        return (clock() - began) * len(due) / max(tried, 1)


def _tried(case: ModelOnTrial, untried: Mapping[str, str]) -> Certificate:
    checks: list[Check] = []
    left_out: list[LeftOut] = []
    blocked = ""
    for promise in (*FIRST, *PROMISES):
        why_not = blocked or untried.get(promise.name) or promise.why_not(case)
        if why_not:
            left_out.append(LeftOut(promise.name, why_not))
            continue
        checks.append(_check(promise, case))
        if promise in FIRST and not checks[-1].passed:
            blocked = f"Cannot be judged: '{promise.name}' does not hold."
    return Certificate(tuple(checks), tuple(left_out))


def _check(promise: Promise, case: ModelOnTrial) -> Check:
    value, bar = promise.measure(case), promise.bar(case)
    return Check(promise.name, value <= bar, value, bar, promise.sentence)


def trial_texts(subject: Subject, given: Sequence[Sequence[int]] | None = None, seed: int = 0) -> list[Text]:
    """A few texts, the longest first: those given, or made-up ones of prime lengths.

    None takes more than half the room that the model has. For a translator each is a target; its source is the next.
    """
    most = LENGTHS[-1] if subject.longest is None else max(1, min(LENGTHS[-1], subject.longest // 2))
    if given:
        rows = [tuple(row[:most]) for row in given if len(row)][: len(LENGTHS)]
    else:
        draw = torch.Generator().manual_seed(seed)
        lengths = [length for length in LENGTHS if length <= most] or [most]
        rows = [tuple(torch.randint(subject.vocabulary, (each,), generator=draw).tolist()) for each in lengths]
    rows.sort(key=len, reverse=True)
    sources = [*rows[1:], rows[0]]
    return [Text(subject.begin + row[len(subject.begin) :], source) for row, source in zip(rows, sources, strict=True)]


def _emptied(model: nn.Module) -> nn.Module:
    """A copy of the model that has forgotten all that is saved."""
    empty = copy.deepcopy(model)
    for tensor in empty.state_dict().values():
        tensor.zero_()
    return empty
