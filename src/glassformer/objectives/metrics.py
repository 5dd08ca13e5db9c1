"""Scores of answers against the truth: accuracy, F1, BLEU, perplexity. It knows no model and no tokenizer.

For each kind a `score_…` function gives the whole report. The measures beside it (`accuracy`, `bleu`, …) hold one row
of numbers per sample: bootstrap.py gives their intervals, and compares two systems by them.

Shapes: S samples · C classes.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from glassformer.errors import InputError
from glassformer.objectives.bootstrap import Measure


class Mean:
    """A mean in which every sample counts once, however unequal the batches are that it comes in."""

    def __init__(self) -> None:
        self.total, self.count = 0.0, 0

    def add(self, mean: float, count: int = 1) -> None:
        """Takes in `count` samples by their mean."""
        if count < 0:
            raise InputError(f"A mean is over 0 or more samples; this one is over {count}.")
        if count:  # the mean of nothing is no number, and changes nothing
            self.total += mean * count
            self.count += count

    @property
    def value(self) -> float:
        """The mean of all samples so far."""
        if self.count == 0:
            raise InputError("There is no mean yet: no sample was added.")
        return self.total / self.count


# --- Classes ----------------------------------------------------------------------------------------------------

CALIBRATION_BINS = 15


@dataclass(frozen=True)
class ClassScores:
    """One class: which share of its predictions is right, which share of its samples is found, and both in one."""

    precision: float
    recall: float
    f1: float
    samples: int


@dataclass(frozen=True)
class ClassificationScores:
    """A classifier's report.

    macro_f1            mean F1 over the classes that occur, as a truth or as a prediction: small classes count in full
    log_loss            mean −log of the probability given to the truth, which is taken to be 2⁻⁵² at least
    calibration_error   how far confidence and accuracy are apart, on average over 15 equal bins of confidence
    confusion           samples by truth (rows) and prediction (columns)
    """

    accuracy: float
    macro_f1: float
    log_loss: float
    calibration_error: float
    classes: tuple[ClassScores, ...]
    confusion: Int[np.ndarray, "C C"]


def score_classes(truth: Int[np.ndarray, "S"], probabilities: Float[np.ndarray, "_ C"]) -> ClassificationScores:
    """From the true class of each sample, and the probability of each class. The largest is the answer."""
    _check_probabilities(truth, probabilities)
    n_classes = probabilities.shape[1]
    predicted = probabilities.argmax(axis=1)
    confusion = np.zeros((n_classes, n_classes), dtype=np.int64)
    np.add.at(confusion, (truth, predicted), 1)
    right, given, true = confusion.diagonal(), confusion.sum(axis=0), confusion.sum(axis=1)
    per_class = (_share(right, given), _share(right, true), _share(2 * right, given + true), true)
    return ClassificationScores(
        accuracy=accuracy(truth, predicted).value,
        macro_f1=macro_f1(truth, predicted, n_classes).value,
        log_loss=float(-np.log(_of_truth(truth, probabilities)).mean()),
        calibration_error=_calibration_error(truth, probabilities),
        classes=tuple(ClassScores(float(p), float(r), float(f), int(n)) for p, r, f, n in zip(*per_class, strict=True)),
        confusion=confusion,
    )


def accuracy(truth: Int[np.ndarray, "S"], predicted: Int[np.ndarray, "_"]) -> Measure:
    """The share of answers that are right."""
    _check_pairs(truth, predicted)
    rows = np.stack([truth == predicted, np.ones(len(truth))], axis=1).astype(np.float64)
    return Measure(rows, _ratio, share=True)


def macro_f1(truth: Int[np.ndarray, "S"], predicted: Int[np.ndarray, "_"], n_classes: int) -> Measure:
    """The mean F1 of the classes that occur."""
    _check_pairs(truth, predicted)
    _check_classes(truth, n_classes)
    _check_classes(predicted, n_classes)
    is_true, is_given = (np.eye(n_classes)[classes] for classes in (truth, predicted))  # S C
    return Measure(np.hstack([is_true * is_given, is_true + is_given]), _macro_f1)


def _macro_f1(sums: Float[np.ndarray, "R _"]) -> Float[np.ndarray, "R"]:
    right, occurring = np.split(sums, 2, axis=1)  # R C; a class occurs once as a truth and once as a prediction
    f1 = _share(2 * right, occurring)
    return np.asarray(f1.sum(axis=1) / (occurring > 0).sum(axis=1))


def _calibration_error(truth: Int[np.ndarray, "S"], probabilities: Float[np.ndarray, "S C"]) -> float:
    """Σ over bins of (samples in it / all) · |accuracy − mean confidence|; a bin holds its upper edge."""
    confidence, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == truth
    bins = np.clip(np.ceil(confidence * CALIBRATION_BINS).astype(int) - 1, 0, CALIBRATION_BINS - 1)
    gaps = np.bincount(bins, weights=right - confidence.astype(np.float64), minlength=CALIBRATION_BINS)
    return float(np.abs(gaps).sum() / len(truth))


def _of_truth(truth: Int[np.ndarray, "S"], probabilities: Float[np.ndarray, "S C"]) -> Float[np.ndarray, "S"]:
    given = probabilities.astype(np.float64)[np.arange(len(truth)), truth]
    return np.asarray(np.maximum(given, np.finfo(np.float64).eps))


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """part / whole, and 0 where there is nothing."""
    return np.asarray(np.divide(part, whole, out=np.zeros(np.shape(part)), where=whole > 0))


def _ratio(sums: Float[np.ndarray, "R 2"]) -> Float[np.ndarray, "R"]:
    return np.asarray(sums[:, 0] / sums[:, 1])


def _check_pairs(truth: Sequence[object] | np.ndarray, answers: Sequence[object] | np.ndarray) -> None:
    if len(truth) != len(answers) or len(truth) == 0:
        raise InputError(f"Each answer needs its truth, and there must be some; {len(answers)} and {len(truth)} came.")


def _check_classes(classes: np.ndarray, n_classes: int) -> None:
    if classes.min() < 0 or classes.max() >= n_classes:
        raise InputError(
            f"The classes run from {classes.min()} to {classes.max()}, but there are {n_classes}, counted from 0."
        )


def _check_probabilities(truth: np.ndarray, probabilities: np.ndarray) -> None:
    _check_pairs(truth, probabilities)
    _check_classes(truth, probabilities.shape[1])
    wrong = np.flatnonzero(~(np.abs(probabilities.sum(axis=1) - 1.0) < 1e-3) | (probabilities < 0.0).any(axis=1))
    if len(wrong):
        raise InputError(
            f"Sample {wrong[0]} has {probabilities[wrong[0]].tolist()}, which are no probabilities "
            "(each 0 or more, 1 in all); turn logits into such with softmax first."
        )


# --- Translations -----------------------------------------------------------------------------------------------

CHRF_ORDERS, CHRF_BETA = CHRF.CHAR_ORDER, CHRF.BETA


@dataclass(frozen=True)
class TranslationScores:
    """A translator's report: sacrebleu's scores, each with the signature that says how it was worked.

    `bleu` and `chrf` are on the text as it is. `bleu_lowercase` is for papers that report BLEU on lower-cased and
    tokenised text: the same after lower-casing both sides. Tokenised they are in either case, by sacrebleu's 13a.
    """

    bleu: float
    signature: str
    bleu_lowercase: float
    lowercase_signature: str
    chrf: float
    chrf_signature: str
    exact: float


def score_translations(written: Sequence[str], references: Sequence[str]) -> TranslationScores:
    """From each translation and its reference, both as plain text. `exact` is the share that is the reference."""
    _check_pairs(references, written)
    cased, lower, characters = BLEU(), BLEU(lowercase=True), CHRF()

    def score(metric: BLEU | CHRF) -> float:
        return float(metric.corpus_score(list(written), [list(references)]).score)

    return TranslationScores(
        bleu=score(cased),
        signature=str(cased.get_signature()),
        bleu_lowercase=score(lower),
        lowercase_signature=str(lower.get_signature()),
        chrf=score(characters),
        chrf_signature=str(characters.get_signature()),
        exact=sum(one == other for one, other in zip(written, references, strict=True)) / len(references),
    )


def bleu(written: Sequence[str], references: Sequence[str], *, lowercase: bool = False) -> Measure:
    """BLEU over all sentences: lengths and n-gram counts of each are sacrebleu's, and so is what it makes of them."""
    _check_pairs(references, written)
    metric = BLEU(lowercase=lowercase, effective_order=True)  # only the counts of a sentence are used
    counted = [metric.sentence_score(one, [other]) for one, other in zip(written, references, strict=True)]
    return Measure(np.array([[s.sys_len, s.ref_len, *s.counts, *s.totals] for s in counted], dtype=np.float64), _bleu)


def _bleu(sums: Float[np.ndarray, "R _"]) -> Float[np.ndarray, "R"]:
    def one(sys_len: int, ref_len: int, *counts: int) -> float:
        right, of = list(counts[: len(counts) // 2]), list(counts[len(counts) // 2 :])
        return BLEU.compute_bleu(right, of, sys_len, ref_len, smooth_method="exp").score

    return np.array([one(*row) for row in sums.astype(np.int64).tolist()])


def chrf(written: Sequence[str], references: Sequence[str]) -> Measure:
    """chrF over all sentences: of the character n-grams up to 6, how many agree; spaces do not count."""
    _check_pairs(references, written)
    rows = [_characters(one, other) for one, other in zip(written, references, strict=True)]
    return Measure(np.array(rows, dtype=np.float64), _chrf)


def _characters(written: str, reference: str) -> list[int]:
    """For each order: n-grams written, in the reference, and in both. An order the reference lacks is left out."""
    numbers = []
    for order in range(1, CHRF_ORDERS + 1):
        ours, theirs = (
            Counter(text[i : i + order] for i in range(len(text) - order + 1))
            for text in ("".join(written.split()), "".join(reference.split()))
        )
        numbers += [ours.total() if theirs else 0, theirs.total(), (ours & theirs).total()]
    return numbers


def _chrf(sums: Float[np.ndarray, "R _"]) -> Float[np.ndarray, "R"]:
    """100 · Fβ of the mean precision and the mean recall over the orders that occur on both sides."""
    written, reference, both = sums[:, 0::3], sums[:, 1::3], sums[:, 2::3]  # R orders
    occurring = np.maximum(((written > 0) & (reference > 0)).sum(axis=1), 1)
    precision = _share(both, written).sum(axis=1) / occurring
    recall = _share(both, reference).sum(axis=1) / occurring
    factor = CHRF_BETA**2
    return 100 * _share((1 + factor) * precision * recall, factor * precision + recall)


# --- Language ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LanguageScores:
    """A language model's report: nats per token, e to that, and bits per byte, which no tokenizer can flatter."""

    loss: float
    perplexity: float
    bits_per_byte: float
    tokens: int
    bytes: int


def score_language(loss: Mean, n_bytes: int) -> LanguageScores:
    """From the mean loss over all tokens of a text, and how many bytes that text has in UTF-8."""
    if n_bytes < 1:
        raise InputError(f"A text has at least 1 byte; this one has {n_bytes}.")
    perplexity = math.exp(loss.value) if loss.value < 700 else math.inf
    return LanguageScores(loss.value, perplexity, loss.total / math.log(2) / n_bytes, loss.count, n_bytes)


def mean_loss(nats: Float[np.ndarray, "S"], tokens: Int[np.ndarray, "_"]) -> Measure:
    """The loss per token, from the sum of it and the number of tokens in each text or window."""
    _check_pairs(tokens, nats)
    if tokens.min() < 1:
        raise InputError(f"Text {tokens.argmin()} has {tokens.min()} tokens; a loss needs at least 1.")
    return Measure(np.stack([nats, tokens], axis=1).astype(np.float64), _ratio)


# --- Rows that were kept: a score again, also from the rows of several runs on the same samples, added up ----------


def share_of_rows(rows: Float[np.ndarray, "S 2"]) -> Measure:
    """The share of answers that are right."""
    return Measure(rows, _ratio, share=True)


def mean_of_rows(rows: Float[np.ndarray, "S 2"]) -> Measure:
    """The loss per token."""
    return Measure(rows, _ratio)


def bleu_of_rows(rows: Float[np.ndarray, "S K"]) -> Measure:
    """BLEU, from the lengths and counts of each sentence."""
    return Measure(rows, _bleu)
