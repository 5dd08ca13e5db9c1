"""Planting: where a digit may be changed, what is changed, and what counts as found."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from survey.planted_digits import Place, main, outcome, places, planted, summary, trial

from glassformer.by_hand.check import check_text


def test_results_are_numbers_of_two_digits_after_arithmetic() -> None:
    text = "x = 12\n0.5 · 0.4 + 0.1 = 0.30\n3 + 4 = 7\n$\\frac{1}{3} \\approx 0.333$\n2 + 9 = 11 + 1\n"
    assert [(each.line, each.printed) for each in places(text)] == [(2, "0.30"), (4, "0.333")]
    assert all(text[each.start :].startswith(each.printed) for each in places(text))


@given(st.integers(10, 99999), st.integers(0, 99))
def test_one_digit_is_changed_and_nothing_else(number: int, seed: int) -> None:
    text = f"a line\n7 · 11 = {number}\n"
    place = next(places(text))
    changed = planted(text, place, random.Random(seed))
    assert len(changed) == len(text)
    assert sum(one != other for one, other in zip(text, changed, strict=True)) == 1
    assert changed.startswith("a line\n7 · 11 = ")
    assert not changed.split("= ")[1].startswith("0")


def test_what_was_there_before_is_not_found_again() -> None:
    before = check_text("2 · 13 = 27\n\n3 · 13 = 39\n")
    place = Place(0, "39", 3)
    assert outcome(place, before, before) == "missed"
    assert outcome(place, before, check_text("2 · 13 = 27\n\n3 · 13 = 38\n")) == "wrong"
    assert outcome(place, before, check_text("2 · 13 = 25\n\n3 · 13 = 39\n")) == "elsewhere"


def test_a_trial_counts_what_is_recognised_and_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "notes.md"
    path.write_text("7 · 11 = 77\n\n13 · 17 = 221\n\n0.25 + 0.5 = 0.75\n", encoding="utf-8")
    (tmp_path / "words.txt").write_text("No numbers here.\n", encoding="utf-8")
    counts = trial([path], random.Random(5), 10, 6)
    assert (counts["wrong"], counts["wrong, recognised"]) == (3, 3)
    assert summary(counts).startswith("3 places: 3 recognised (100 %), 3 of these found (100 %); 3 of all found")
    main([str(tmp_path), "--places", "1"])
    assert capsys.readouterr().out.startswith("1 places: 1 recognised")
