"""Parity: the largest difference by hand, what is written beside it, and the sentence."""

import copy
from pathlib import Path

import pytest
import torch
from helpers.small_runs import small_run

from glassformer.exchange.parity import LONGEST, Opened, Parity, _rows, compared, written
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


@pytest.mark.parametrize(("objective", "text"), [("answers", "3 1 2"), ("pairs", "a cat sat")])
def test_texts_that_part_where_two_tokens_are_equally_likely_are_alike(
    tmp_path: Path, objective: str, text: str
) -> None:
    one = trained(tmp_path, objective)
    bias = torch.zeros(len(one.tokens))
    bias[[8, 9]] = 1e3  # far ahead of the others, and of each other by nothing
    with torch.no_grad():
        for weight in one.model.head.parameters():
            weight.zero_()
    one.model.head.register_forward_hook(lambda module, inputs, answer: answer + bias)
    answers, usual = one.model, [8] * LONGEST

    def found(*ids: int) -> Parity:
        return compared(one, Opened(answers, lambda given, longest: list(ids)), [text], "here")

    assert written(one, _rows(one, [text])[0]) == usual
    assert (found(*usual).written_alike, found(*usual).ties) == (1, 0)
    tie = found(*usual[1:], 9)
    assert (tie.passed, tie.written_alike, tie.ties) == (True, 1, 1)
    assert "1 of 1 written alike (1 but for a tie of the likeliest tokens)" in tie.sentence
    for other in ([*usual[1:], 7], usual[1:], [9, one.tokens.end]):  # unlikely, too short, an end that is unlikely
        assert (found(*other).passed, found(*other).written_alike) == (False, 0)


def test_how_both_cut_is_compared_but_for_texts_that_name_a_special_token(tmp_path: Path) -> None:
    one = trained(tmp_path, "classes")
    parity = compared(one, Opened(one.model, cuts=lambda text: [9]), ["good", "a <pad> b"], "")
    assert (parity.cut, parity.cut_alike, parity.passed) == (1, 0, False)


def test_what_was_not_checked_is_loud() -> None:
    parity = Parity(checked=False, passed=False, why_not="nobody was there.")
    assert parity.sentence == "NOT CHECKED: nobody was there."
    assert parity.to_dict()["from"] == ""
    assert b'"checked": false' in parity.to_bytes()
