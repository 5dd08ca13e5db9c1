"""Tokens cut into statements and sides; what is only said beside them is left out."""

import pytest
from helpers.formulas import kinds, lexed
from lark import Token

from glassformer.by_hand.grammar.cutting import (
    cut_sides,
    is_program,
    next_names,
    other_cuts,
    split,
    take_asides,
    take_label,
    without_remarks,
)


def written(tokens: list[Token]) -> str:
    return " ".join(map(str, tokens))


@pytest.mark.parametrize(
    ("text", "program"), [("for i in x:", True), ("m = Model(d=512)", True), ("a = 1 + 2", False), ("f(a) = 2", False)]
)
def test_a_line_of_a_program_is_told_from_a_working(text: str, program: bool) -> None:
    assert is_program(lexed(text, "code")) is program


def test_statements_are_parted_at_commas_outside_of_brackets() -> None:
    parts = [written(part) for part in split(lexed("a = [1, 2], b = 3"))]
    assert parts == ["a = [ 1 , 2 ]", "b = 3"]


def test_a_row_that_begins_with_a_relation_goes_on() -> None:
    assert len(list(split(lexed(r"a &= 1 + 2 \\ &= 3", "math")))) == 1
    assert len(list(split(lexed(r"a &= 3 \\ b &= 5", "math")))) == 2


def test_sides_are_cut_at_relations() -> None:
    sides = cut_sides(lexed("a = 1 + 2 ≈ 3"))
    assert [(relation, written(side)) for relation, side in sides] == [("", "a"), ("EQUALS", "1 + 2"), ("ABOUT", "3")]


def test_a_bracket_with_a_relation_of_its_own_is_an_aside() -> None:
    kept, asides = take_asides(lexed("a / 8 (with d = 64) = 3"))
    assert written(kept) == "a / 8 = 3"
    assert [written(aside) for aside in asides] == ["with d = 64"]


def test_a_label_stands_before_a_colon() -> None:
    label, rest = take_label(lexed("tea: [1, 0] = x"), "text")
    assert (label, kinds(rest)[0]) == ("tea", "LSQB")
    assert take_label(lexed("a = 1"), "text")[0] == ""


def test_words_around_a_formula_are_remarks() -> None:
    assert written(without_remarks(lexed("2 (dot product)"), first=False, last=True, alone=False)) == "2"
    assert written(without_remarks(lexed("scores [1, 2]"), first=True, last=False, alone=False)) == "[ 1 , 2 ]"


def test_the_next_name_begins_without_a_comma() -> None:
    tokens = lexed("Q = [1, 0] K = [0, 1]")
    assert [str(tokens[i]) for i in next_names(tokens)] == ["K"]


@pytest.mark.parametrize(("text", "other"), [("10 (twice 5) + 2", "10 + 2"), ("0.42x1", "0.42 x 1"), ("1 + 2", None)])
def test_the_same_signs_may_be_cut_otherwise(text: str, other: str | None) -> None:
    assert [written(each) for each in other_cuts(lexed(text), "text", text)] == ([other] if other else [])
