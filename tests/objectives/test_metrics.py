"""Metrics: by hand, against scikit-learn and sacrebleu, and the same in any order of the samples."""

import logging
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sklearn import metrics as theirs

from glassformer.errors import InputError
from glassformer.objectives.bootstrap import compare, interval
from glassformer.objectives.metrics import (
    ClassScores,
    Mean,
    accuracy,
    bleu,
    chrf,
    macro_f1,
    mean_loss,
    score_classes,
    score_language,
    score_translations,
)


def shares_by_chance(seed: int, samples: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    return generator.integers(0, classes, samples), generator.dirichlet(np.ones(classes) * 0.5, samples)


# --- means ------------------------------------------------------------------------------------------------------


def test_a_mean_is_no_mean_of_means() -> None:
    """Batches of 3 and 1: (3 · 2 + 1 · 6) / 4 = 3, not 4."""
    mean = Mean()
    mean.add(2.0, 3)
    mean.add(6.0)
    mean.add(math.nan, 0)
    assert (mean.value, mean.count) == (3.0, 4)


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=31), st.integers(1, 7))
def test_a_mean_does_not_depend_on_the_batches(values: list[float], size: int) -> None:
    mean = Mean()
    for start in range(0, len(values), size):
        batch = values[start : start + size]
        mean.add(math.fsum(batch) / len(batch), len(batch))
    assert mean.value == pytest.approx(math.fsum(values) / len(values), abs=1e-9)


def test_a_mean_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="no sample was added"):
        _ = Mean().value
    with pytest.raises(InputError, match="this one is over -1"):
        Mean().add(1.0, -1)


# --- classes ----------------------------------------------------------------------------------------------------


def test_four_samples_by_hand() -> None:
    truth = np.array([0, 0, 1, 1])
    shares = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0.3, 0.7]])
    scores = score_classes(truth, shares)
    assert scores.confusion.tolist() == [[1, 1], [0, 2]]
    assert scores.accuracy == 0.75
    assert scores.classes == (ClassScores(1.0, 0.5, 2 / 3, 2), ClassScores(2 / 3, 1.0, 0.8, 2))
    assert scores.macro_f1 == pytest.approx((2 / 3 + 0.8) / 2)
    assert scores.log_loss == pytest.approx(-math.log(0.9 * 0.4 * 0.8 * 0.7) / 4)
    # each in a bin of its own: |1 − 0.9|, |0 − 0.6|, |1 − 0.8|, |1 − 0.7|
    assert scores.calibration_error == pytest.approx((0.1 + 0.6 + 0.2 + 0.3) / 4)


def test_confidence_that_comes_true_is_calibrated() -> None:
    """Ten samples at 0.8, of which eight are right; then one bin holds all and the gap is 0."""
    shares = np.tile([0.8, 0.2], (10, 1))
    assert score_classes(np.array([0] * 8 + [1] * 2), shares).calibration_error == pytest.approx(0.0, abs=1e-12)
    assert score_classes(np.array([0] * 5 + [1] * 5), shares).calibration_error == pytest.approx(0.3)


def test_a_bin_holds_its_upper_edge() -> None:
    """2/3 is the upper edge of bin 10 of 15; 0.62 is in that bin too: one gap of |1/2 − (2/3 + 0.62)/2|."""
    shares = np.array([[2 / 3, 1 / 3], [0.62, 0.38]])
    found = score_classes(np.array([0, 1]), shares).calibration_error
    assert found == pytest.approx(abs(0.5 - (2 / 3 + 0.62) / 2))


def test_a_class_that_never_occurs_does_not_count() -> None:
    scores = score_classes(np.array([0, 1]), np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]]))
    assert scores.macro_f1 == 1.0
    assert scores.classes[2] == ClassScores(0.0, 0.0, 0.0, 0)


def test_a_truth_held_impossible_costs_much_but_not_all() -> None:
    assert score_classes(np.array([1]), np.array([[1.0, 0.0]])).log_loss == pytest.approx(52 * math.log(2))


@pytest.mark.parametrize(("samples", "classes"), [(1, 2), (7, 3), (101, 2), (997, 5), (31, 23)])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_they_are_scikit_learns(samples: int, classes: int, kind: type[np.floating]) -> None:
    truth, shares = shares_by_chance(samples, samples, classes)
    shares = shares.astype(kind)
    predicted, everyone = shares.argmax(1), list(range(classes))
    scores = score_classes(truth, shares)
    assert scores.accuracy == pytest.approx(theirs.accuracy_score(truth, predicted))
    assert scores.macro_f1 == pytest.approx(theirs.f1_score(truth, predicted, average="macro", zero_division=0))
    assert scores.confusion.tolist() == theirs.confusion_matrix(truth, predicted, labels=everyone).tolist()
    exact = shares.astype(np.float64) / shares.astype(np.float64).sum(1, keepdims=True)
    assert scores.log_loss == pytest.approx(theirs.log_loss(truth, exact, labels=everyone), rel=1e-5)
    table = theirs.precision_recall_fscore_support(truth, predicted, labels=everyone, zero_division=0)
    for own, (precision, recall, f1, support) in zip(scores.classes, zip(*table, strict=True), strict=True):
        assert (own.precision, own.recall, own.f1, own.samples) == pytest.approx((precision, recall, f1, support))


@settings(max_examples=50)
@given(st.integers(0, 10_000), st.integers(1, 31), st.integers(2, 5))
def test_the_order_of_samples_does_not_matter(seed: int, samples: int, classes: int) -> None:
    truth, shares = shares_by_chance(seed, samples, classes)
    order = np.random.default_rng(seed + 1).permutation(samples)
    once, again = score_classes(truth, shares), score_classes(truth[order], shares[order])
    assert once.confusion.tolist() == again.confusion.tolist()
    assert once.classes == again.classes
    numbers = ("accuracy", "macro_f1", "log_loss", "calibration_error")
    assert [getattr(once, name) for name in numbers] == pytest.approx([getattr(again, name) for name in numbers])
    predicted = shares.argmax(1)
    for measure in (accuracy, lambda t, p: macro_f1(t, p, classes)):
        assert interval(measure(truth, predicted)) == interval(measure(truth[order], predicted[order]))


def test_the_interval_of_an_accuracy_is_the_textbooks() -> None:
    """±1.96 √(p(1 − p)/S), here ±0.0248 around 0.8."""
    truth = np.zeros(1000, dtype=int)
    predicted = (np.arange(1000) % 5 == 0).astype(int)
    found = interval(accuracy(truth, predicted), draws=10_000)
    assert (found.value, found.low, found.high) == pytest.approx((0.8, 0.8 - 0.0248, 0.8 + 0.0248), abs=0.002)


def test_the_better_classifier_is_found() -> None:
    truth = np.random.default_rng(1).integers(0, 3, 500)
    wrong = (truth + 1) % 3
    places = np.arange(500)
    good, bad = np.where(places % 10 == 0, wrong, truth), np.where(places % 5 == 0, wrong, truth)
    for measure in (accuracy, lambda t, p: macro_f1(t, p, 3)):
        found = compare(measure(truth, good), measure(truth, bad))
        assert found.low > 0.05
        assert found.p_value < 0.01


@pytest.mark.parametrize(
    ("truth", "shares", "message"),
    [
        ([], [], "there must be some; 0 and 0 came"),
        ([0, 1], [[0.5, 0.5]], "1 and 2 came"),
        ([2], [[0.5, 0.5]], "The classes run from 2 to 2, but there are 2"),
        ([-1], [[0.5, 0.5]], "The classes run from -1 to -1"),
        ([0, 0], [[0.5, 0.5], [2.0, -1.0]], r"Sample 1 has \[2.0, -1.0\], which are no probabilities"),
        ([0], [[3.0, 1.0]], "softmax first"),
        ([0], [[math.nan, 1.0]], "which are no probabilities"),
    ],
)
def test_what_is_no_classification_is_refused(truth: list[int], shares: list[list[float]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        score_classes(np.array(truth, dtype=int), np.array(shares, dtype=float).reshape(len(shares), 2))


def test_a_predicted_class_is_one_of_them() -> None:
    with pytest.raises(InputError, match="The classes run from 0 to 3, but there are 3, counted from 0"):
        macro_f1(np.array([0, 1]), np.array([0, 3]), 3)


# --- translations -----------------------------------------------------------------------------------------------

REFERENCES = [
    "Ein Mann schläft in einem grünen Raum.",
    "Zwei Hunde spielen im Schnee, und ein Kind sieht zu.",
    "Die Frau liest.",
    "Ein Junge springt über ein Fahrrad.",
]
WRITTEN = [
    "Ein Mann schläft in einem Raum.",
    "zwei Hunde spielen im Schnee und das Kind sieht zu.",
    "Die Frau liest.",
    "Ein Fahrrad.",
]
WORDS = ("die", "Die", "Katze", ",", "sitzt.", "im", "Im", "Ga", "rten", "Garten")
SENTENCE = st.lists(st.sampled_from(WORDS), max_size=11).map(" ".join)


def test_three_words_by_hand() -> None:
    """`the cat sat here` against `the cat sat down`: 3/4 · 2/3 · 1/2 · (none of one, so half of one) and no penalty."""
    scores = score_translations(["the cat sat here"], ["the cat sat down"])
    assert scores.bleu == pytest.approx(100 * (3 / 4 * 2 / 3 * 1 / 2 * 1 / 2) ** 0.25)
    assert scores.exact == 0.0


def test_all_but_the_case_is_right() -> None:
    scores = score_translations(["the CAT sat down."], ["The cat sat down."])
    assert scores.bleu_lowercase == pytest.approx(100.0)
    assert scores.bleu < 60
    assert "case:mixed" in scores.signature
    assert "case:lc" in scores.lowercase_signature


def test_they_are_sacrebleus_with_its_signature() -> None:
    scores = score_translations(WRITTEN, REFERENCES)
    cased, characters = BLEU(), CHRF()
    assert scores.bleu == cased.corpus_score(WRITTEN, [REFERENCES]).score
    assert scores.chrf == characters.corpus_score(WRITTEN, [REFERENCES]).score
    assert scores.signature == str(cased.get_signature())
    assert scores.chrf_signature == str(characters.get_signature())
    assert scores.exact == 0.25


def test_lower_case_is_scoring_the_lower_cased_and_tokenised_texts() -> None:
    tokenise = Tokenizer13a()
    written, references = ([tokenise(text.lower()) for text in texts] for texts in (WRITTEN, REFERENCES))
    as_papers_do = BLEU(tokenize="none", force=True).corpus_score(written, [references]).score
    assert score_translations(WRITTEN, REFERENCES).bleu_lowercase == pytest.approx(as_papers_do)


@settings(max_examples=100)
@given(st.lists(st.tuples(SENTENCE, SENTENCE), min_size=1, max_size=7))
def test_a_measure_is_the_score_it_stands_for(pairs: list[tuple[str, str]]) -> None:
    written, references = [one for one, _ in pairs], [other for _, other in pairs]
    scores = score_translations(written, references)
    assert bleu(written, references).value == pytest.approx(scores.bleu)
    assert bleu(written, references, lowercase=True).value == pytest.approx(scores.bleu_lowercase)
    assert chrf(written, references).value == pytest.approx(scores.chrf)


def test_intervals_hold_the_score_and_are_sacrebleus() -> None:
    """sacrebleu draws other samples from another seed, so its half-width agrees only roughly."""
    generator = np.random.default_rng(1)
    references = [" ".join(generator.choice(WORDS, 11)) for _ in range(101)]
    written = [" ".join(w if generator.random() < 0.8 else "und" for w in text.split()) for text in references]
    for measure, metric in ((bleu, BLEU()), (chrf, CHRF())):
        found = interval(measure(written, references))
        right = metric.corpus_score(written, [references], n_bootstrap=1000)
        assert found.value == pytest.approx(right.score)
        assert found.low < found.value < found.high
        assert (found.high - found.low) / 2 == pytest.approx(right._ci, rel=0.15)


def test_counting_sentence_by_sentence_warns_of_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        bleu(WRITTEN, REFERENCES)
    assert not caplog.records


def test_the_better_translator_is_found() -> None:
    good, bad = REFERENCES * 10, WRITTEN * 10
    for measure in (bleu, chrf):
        assert compare(measure(good, REFERENCES * 10), measure(bad, REFERENCES * 10)).low > 0


@pytest.mark.parametrize("measure", [score_translations, bleu, chrf])
def test_each_translation_has_its_reference(measure: object) -> None:
    for written, references, counts in ((["a"], ["a", "b"], "1 and 2"), ([], [], "0 and 0")):
        with pytest.raises(InputError, match=f"{counts} came"):
            measure(written, references)  # type: ignore[operator]


# --- language ---------------------------------------------------------------------------------------------------


def test_a_byte_by_a_fair_coin_is_one_bit() -> None:
    """Six tokens of two bytes each, a loss of 2 ln 2 per token: perplexity 4, one bit per byte."""
    loss = Mean()
    loss.add(2 * math.log(2), 5)
    loss.add(2 * math.log(2), 1)
    scores = score_language(loss, 12)
    assert (scores.loss, scores.perplexity) == pytest.approx((2 * math.log(2), 4.0))
    assert scores.bits_per_byte == pytest.approx(1.0)
    assert (scores.tokens, scores.bytes) == (6, 12)


def test_a_hopeless_loss_has_no_finite_perplexity() -> None:
    loss = Mean()
    loss.add(1000.0)
    assert score_language(loss, 1).perplexity == math.inf


def test_a_loss_is_over_tokens_not_over_texts() -> None:
    """6 nats over 2 tokens and 2 over 6: 8/8, not (3 + 1/3)/2."""
    measure = mean_loss(np.array([6.0, 2.0]), np.array([2, 6]))
    assert measure.value == 1.0
    found = interval(measure)
    assert (found.low, found.high) == pytest.approx((1 / 3, 3.0))  # the same text twice


def test_what_is_no_language_is_refused() -> None:
    loss = Mean()
    loss.add(1.0)
    with pytest.raises(InputError, match="A text has at least 1 byte; this one has 0"):
        score_language(loss, 0)
    with pytest.raises(InputError, match="Text 1 has 0 tokens"):
        mean_loss(np.array([1.0, 0.0]), np.array([3, 0]))
    with pytest.raises(InputError, match=r"Sample 0 cannot be scored"):
        mean_loss(np.array([math.nan]), np.array([3]))
