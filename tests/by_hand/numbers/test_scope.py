"""What is known, section by section: on paper and as it should be."""

from helpers.formulas import known, tree

from glassformer.by_hand.numbers.intervals import exactly
from glassformer.by_hand.numbers.scope import PAPER, RIGHT, Known, Mistake, Scope, World


def test_a_world_says_which_numbers_to_take() -> None:
    mistake = Mistake(tree("3"))
    wrong = Known(exactly(3.0), exactly(2.0), mistake=mistake)
    assert PAPER.value(wrong) is wrong.paper
    assert RIGHT.value(wrong) is wrong.right
    assert World(frozenset({mistake})).value(wrong) is wrong.right
    mistake.state = "slip"
    assert PAPER.value(wrong) is wrong.right


def test_what_is_not_known_here_may_be_known_around() -> None:
    outer = Scope()
    outer.bind(tree("Q"), known(1))
    inner = Scope(outer)
    assert inner.find("Q") is outer.known["Q"]
    inner.bind(tree("Q"), known(2))
    assert [each.paper.low[0].item() for each in inner.versions("Q")] == [2, 1]
    assert outer.versions("Q") == [outer.known["Q"]]
    assert inner.find("K") is None


def test_a_name_given_anew_makes_what_mentions_it_unknown() -> None:
    scope = Scope()
    for text in ("Q", "Q K", "V"):
        scope.bind(tree(text), known(1))
    scope.bind(tree("Q"), known(2))
    assert scope.find(tree("Q K").key) is None
    assert scope.find("V") is not None
    assert len(scope.past["Q"]) == 1


def test_names_by_their_stage_and_by_their_letter() -> None:
    scope = Scope()
    rows = {name: known([[i, i]]) for i, name in enumerate(("q_1", "q_2", "attention weights"))}
    for name, each in rows.items():
        scope.known[name] = each
    assert scope.named("weights") is rows["attention weights"]
    assert scope.latest("q") is rows["q_2"]
    assert scope.rows_of("q") == [rows["q_1"], rows["q_2"]]
    assert scope.rows_of("k") == []


def test_a_blank_is_filled_when_its_name_is_given() -> None:
    scope = Scope(blanks={"Y"})
    assert Scope(scope).is_blank("Y")
    scope.bind(tree("Y"), known(1))
    assert not scope.is_blank("Y")
