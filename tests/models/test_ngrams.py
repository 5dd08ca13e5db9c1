"""The classifier of n-grams: ratios that can be counted with a pencil, and each n-gram once."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from glassformer.errors import InputError
from glassformer.models.ngrams import TRUST, UNUSED, NgramClassifier
from glassformer.models.registry import build, configure
from glassformer.stages.recorder import record

WORDS = {"not": 5, "good": 6, "bad": 7, "film": 8}


def batch(*texts: str) -> tuple[Tensor, Tensor]:
    """Texts as ids, the shorter filled up with 0."""
    rows = [[WORDS[word] for word in text.split()] for text in texts]
    longest = max(len(row) for row in rows)
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
    real = torch.tensor([[place < len(row) for place in range(longest)] for row in rows])
    return ids, real


def counted(ngrams: int = 101) -> Any:
    """Two texts of class 1 and one of class 0."""
    model: Any = build("ngrams", configure("ngrams", vocabulary=11, ngrams=ngrams))
    texts = *batch("good good film", "not bad", "not good"), torch.tensor([1, 1, 0])
    model.count(lambda: [texts])
    return model


def said(model: NgramClassifier, text: str) -> dict[str, float]:
    """What each n-gram says for class 1."""
    _, trace = record(model, *batch(text))
    words = text.split()
    return {
        " ".join(words[place : place + n]): float(evidence[1])
        for n, name in enumerate(("one_word", "two_words", "three_words"), start=1)
        for place, evidence in enumerate(trace[name][0])
        if evidence.any()
    }


def test_a_ratio_is_that_of_smoothed_shares_of_texts() -> None:
    found = said(counted(), "not bad")
    bad = math.log(((1 + 1) / (2 + 1)) / ((0 + 1) / (1 + 1)))  # one of two texts of class 1, none of one of class 0
    no = math.log(((1 + 1) / (2 + 1)) / ((1 + 1) / (1 + 1)))
    assert found == pytest.approx({"not": TRUST * no, "bad": TRUST * bad, "not bad": TRUST * bad}, rel=1e-6)


def test_an_n_gram_counts_once_in_a_text() -> None:
    model = counted()
    once, twice = said(model, "not bad"), said(model, "not bad not bad not bad")
    assert twice == once  # it was nowhere read that "bad" comes before "not"


def test_the_answer_is_all_that_is_said_and_how_frequent_a_class_is() -> None:
    model = counted()
    logits = model(*batch("good good film"))[0].detach()
    evidence = sum(said(model, "good good film").values())
    assert len(said(model, "good good film")) == 5  # good, film, good good, good film, good good film
    assert float(logits[1] - logits[0]) == pytest.approx(2 * evidence + math.log(3 / 2), rel=1e-5)


def test_words_that_were_never_read_say_nothing() -> None:
    model = counted()
    shares = torch.tensor([2 / 5, 3 / 5]).log()
    torch.testing.assert_close(model(torch.tensor([[9, 10, 9]]), torch.ones(1, 3, dtype=torch.bool))[0], shares)


def test_where_there_is_little_room_the_most_frequent_stay() -> None:
    model = counted(ngrams=2)
    assert model.keys.tolist() == [WORDS["not"] + 1, WORDS["good"] + 1]  # each in two texts, all others in one
    wide = counted()
    kept = int((wide.keys != UNUSED).sum())
    assert kept == 9  # 4 words, 4 pairs, and "good good film"
    assert not wide.ratios[kept:].any()


def test_two_orders_of_the_same_words_differ() -> None:
    """To a bag of words they would be one text."""
    model: Any = build("ngrams", configure("ngrams", vocabulary=11, ngrams=101))
    texts = *batch("not good bad", "good not bad"), torch.tensor([0, 1])
    model.count(lambda: [texts])
    assert model(*texts[:2]).argmax(1).tolist() == [0, 1]


@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_a_text_of_any_length_is_read(length: int) -> None:
    assert model_is_finite(counted(), length)


def model_is_finite(model: NgramClassifier, length: int) -> bool:
    ids = torch.full((1, length), 6)
    return bool(model(ids, torch.ones_like(ids, dtype=torch.bool)).isfinite().all())


def test_counting_in_parts_is_counting_at_once() -> None:
    whole, parts = counted(), counted()
    one, two = batch("good good film"), batch("not bad", "not good")
    parts.count(lambda: [(*two, torch.tensor([1, 0])), (*one, torch.tensor([1]))])
    for name, value in whole.state_dict().items():
        torch.testing.assert_close(parts.state_dict()[name], value)


def test_a_vocabulary_must_leave_room_for_three_words_in_one_number() -> None:
    with pytest.raises(InputError, match=r"below 2,097,151; it is 3,000,000"):
        configure("ngrams", vocabulary=3_000_000)
