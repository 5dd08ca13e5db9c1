"""Given numbers that the results show to be exact: a bound on chance, the room that is left, and whole notes."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassformer.by_hand.check import check_text
from glassformer.by_hand.checking.proof.exactness import CHANCE, Agreement, chance, shares
from glassformer.by_hand.grammar.expressions import Number, Span


def _number(text: str) -> Number:
    return Number(text, Span(0, 0))


def _notes(x: np.ndarray, w: np.ndarray, v: np.ndarray, decimals: int = 1, fine: int = 3) -> str:
    """X, W and V = X W, as somebody prints them."""
    rows = {
        name: "[" + ", ".join("[" + ", ".join(f"{e:.{d}f}" for e in row) + "]" for row in matrix) + "]"
        for name, matrix, d in (("X", x, decimals), ("W", w, decimals), ("V", v, fine))
    }
    return f"X = {rows['X']}\n\nW = {rows['W']}\n\nV = X W = {rows['V']}\n"


def _matrices(seed: int) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    return draw.integers(1, 10, (5, 3)) / 10, draw.integers(1, 10, (3, 5)) / 10


def test_a_bound_worked_out_by_hand() -> None:
    a, b = _number("0.6"), _number("0.4")
    agreeing = [
        Agreement(0.01, True, {a: 0.1}),  # one in ten
        Agreement(0.01, True, {a: 0.1}),  # rests on nothing new
        Agreement(0.01, True, {a: 0.1, b: 0.05}),  # one in five, by b alone
    ]
    assert chance(agreeing) == pytest.approx(1 / 50)
    assert shares(agreeing) == {}  # which is not less than one in a million


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_rounded_numbers_agree_no_more_often_than_the_bound_says(seed: int) -> None:
    """Results that are sums of numbers rounded at random: how often all of them agree."""
    draw = np.random.default_rng(seed)
    givens = [_number("0.5") for _ in range(3)]
    weights = draw.uniform(0.2, 3, (2, 3)) * np.array([[1, 1, 0], [1, 1, 1]])
    errors = draw.uniform(-0.5, 0.5, (4000, 3))
    unit = 0.5
    agreeing = [
        Agreement(unit, True, {number: float(w) for number, w in zip(givens, row, strict=True) if w}) for row in weights
    ]
    often = (np.abs(errors @ weights.T) <= unit / 2).all(axis=1).mean()
    assert often <= chance(agreeing) + 4 * math.sqrt(0.25 / 4000)


def test_every_number_keeps_the_room_in_which_its_results_stay() -> None:
    numbers = [_number("0.5") for _ in range(4)]
    agreeing = [Agreement(0.001, True, {number: 0.1, numbers[0]: 0.05}) for number in numbers[1:]]
    assert chance(agreeing) == pytest.approx(1e-6)
    fifth = _number("0.5")
    agreeing.append(Agreement(0.001, True, {fifth: 0.01}))
    left = shares([*agreeing, Agreement(0.001, True, {numbers[1]: 0.1, fifth: 0.02})])
    assert left == pytest.approx({numbers[0]: 0.04, **dict.fromkeys(numbers[1:], 0.02), fifth: 0.1})


def test_what_is_not_joined_is_judged_apart_and_needs_a_majority() -> None:
    numbers = [_number("0.5") for _ in range(5)]
    agreeing = [Agreement(0.001, True, {number: 0.1}) for number in numbers]  # each by itself: one in a hundred
    assert shares(agreeing) == {}
    joined = Agreement(0.001, True, dict.fromkeys(numbers, 0.1))
    assert set(shares([*agreeing, joined])) == set(numbers)
    others = [Agreement(0.001, False, dict.fromkeys(numbers, 0.1))] * 6
    assert shares([*agreeing, joined, *others]) == {}


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.02, 0.1))
def test_a_number_that_only_rounding_would_allow_is_wrong_where_the_others_show_that_there_was_none(
    seed: int, slip: float
) -> None:
    x, w = _matrices(seed)
    v = x @ w
    i, j = seed % 5, seed % 4
    v[i, j] += slip
    findings = check_text(_notes(x, w, v)).findings
    assert [(f.row, f.col, f.right, f.level) for f in findings] == [(i + 1, j + 1, f"{(x @ w)[i, j]:.3f}", "wrong")]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_numbers_that_were_rounded_are_never_called_exact(seed: int) -> None:
    """Printed to one decimal, gone on with in full: nothing is wrong, whatever agrees by chance."""
    draw = np.random.default_rng(seed)
    x, w = draw.uniform(0.1, 1, (5, 3)), draw.uniform(0.1, 1, (3, 5))
    assert not [f for f in check_text(_notes(x, w, x @ w)).findings if f.level == "wrong"]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_a_few_rounded_numbers_among_exact_ones_make_nothing_wrong(seed: int, count: int) -> None:
    x, w = _matrices(seed)
    draw = random.Random(seed)
    for _ in range(count):
        x[draw.randrange(5), draw.randrange(3)] += draw.uniform(-0.049, 0.049)
    assert not [f for f in check_text(_notes(x, w, x @ w)).findings if f.level == "wrong"]


def test_the_bound_is_one_in_a_million() -> None:
    assert CHANCE == 1e-6


def test_rows_under_their_words_are_given_numbers_too() -> None:
    rows = {"tea": [1.0, 0.2], "milk": [0.8, 1.0], "bread": [0.6, 0.4], "salt": [0.3, 0.7], "oil": [0.9, 0.6]}
    w = np.array([[0.9, 0.3], [0.4, 0.7]])
    printed = {word: np.array(row) @ w for word, row in rows.items()}
    printed["salt"] = printed["salt"] + [0, 0.05]
    above = "".join(f"{word}\n[{a}, {b}]\n" for word, (a, b) in rows.items())
    below = "".join(f"{word}\n[{a:.3f}, {b:.3f}]\n" for word, (a, b) in printed.items())
    report = check_text(f"{above}\nW_V = [[0.9, 0.3], [0.4, 0.7]]\n\nValues\n{below}", suffix=".txt")
    assert [(f.printed, f.right, f.cause) for f in report.findings] == [("0.630", "0.580", None)]
