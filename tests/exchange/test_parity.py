"""Parity: the largest difference by hand, what is written beside it, and the sentence."""

import copy
from pathlib import Path

import pytest
import torch
from helpers.small_runs import small_run

from glassformer.exchange.parity import LONGEST, Opened, Parity, compared
from glassformer.models.language_model import Continuation
from glassformer.models.sampling import Stop, greedy
from glassformer.objectives.objective import Trained
from glassformer.runs.run import load


def trained(root: Path, objective: str) -> Trained:
    run = load(small_run(root / "run", objective).path)
    return Trained(run.model, run.card, run.tokens)


def test_the_largest_difference_by_hand(tmp_path: Path) -> None:
    one = trained(tmp_path, "classes")
    shifts = iter([0.0, 3e-5, 1e-5])
    again = Opened(lambda ids, real: one.model(ids, real) + torch.tensor([0.0, next(shifts)]))
    parity = compared(one, again, ["good", "not good", "bad"], "here")
    assert parity.largest_difference == pytest.approx(3e-5, rel=0.05)
    assert (parity.passed, parity.texts, parity.from_) == (True, 3, "here")


def test_what_is_no_number_or_of_another_shape_is_not_the_same(tmp_path: Path) -> None:
    one = trained(tmp_path, "classes")
    shifts = iter([0.0, torch.nan, 0.0])
    stumbles = Opened(lambda ids, real: one.model(ids, real) + next(shifts))
    wide = Opened(lambda ids, real: one.model(ids, real)[:, None])
    for again in (stumbles, wide):
        parity = compared(one, again, ["good", "not good", "bad"], "here")
        assert (parity.passed, parity.to_dict()["largest_difference"]) == (False, None)
        assert parity.sentence == ("NOT THE SAME MODEL: an answer is no number, or has another shape, on 3 texts")


def test_large_numbers_may_differ_by_what_rounding_does_to_them_and_by_no_more(tmp_path: Path) -> None:
    one = trained(tmp_path, "classes")
    with torch.no_grad():
        one.model.head.linear.weight *= 1e5
    exact = copy.deepcopy(one.model).double()
    texts = ["good", "not good", "bad"]
    found = compared(one, Opened(lambda ids, real: exact(ids, real).float()), texts, "here")
    assert found.largest_difference is not None
    assert 1e-4 < found.largest_difference < found.bar
    assert found.passed
    assert "(large numbers: up to" in found.sentence
    far = compared(one, Opened(lambda ids, real: one.model(ids, real) + 20 * found.bar), texts, "here")
    assert not far.passed
    assert "large numbers" not in far.sentence


def test_without_a_text_nothing_was_compared(tmp_path: Path) -> None:
    one = trained(tmp_path, "classes")
    parity = compared(one, Opened(one.model), [], "here")
    assert (parity.checked, parity.passed) == (False, False)
    assert parity.sentence == "NOT CHECKED: there was no text to compare the two on."


def test_what_both_write_is_compared(tmp_path: Path) -> None:
    one = trained(tmp_path, "answers")

    def writes(ids: torch.Tensor, longest: int) -> list[int]:
        stop = Stop(longest=longest, endings=((one.tokens.end,),))
        return list(greedy(Continuation(one.model, ids.tolist()), stop)[0].ids)

    texts = ["3 1 2", "5 4"]
    assert compared(one, Opened(one.model, writes), texts, "").written_alike == 2
    other = compared(one, Opened(one.model, lambda ids, longest: [*writes(ids, longest), 7]), texts, "")
    assert (other.written_alike, other.passed) == (0, False)
    assert one.card.settings.length > LONGEST


def test_how_both_cut_is_compared_but_for_texts_that_name_a_special_token(tmp_path: Path) -> None:
    one = trained(tmp_path, "classes")
    parity = compared(one, Opened(one.model, cuts=lambda text: [9]), ["good", "a <pad> b"], "")
    assert (parity.cut, parity.cut_alike, parity.passed) == (1, 0, False)


def test_what_was_not_checked_is_loud() -> None:
    parity = Parity(checked=False, passed=False, why_not="nobody was there.")
    assert parity.sentence == "NOT CHECKED: nobody was there."
    assert parity.to_dict()["from"] == ""
    assert b'"checked": false' in parity.to_bytes()
