"""Formulas as tests write them: a text as tokens, as a tree, and worked out with the names that are known."""

import numpy as np
from lark import Token

from glassformer.by_hand.grammar.expressions import Node
from glassformer.by_hand.grammar.lexing import lex
from glassformer.by_hand.grammar.name_lexing import Ground
from glassformer.by_hand.grammar.parsing import parse
from glassformer.by_hand.numbers.comparison import fit
from glassformer.by_hand.numbers.conventions import PLAIN, Convention
from glassformer.by_hand.numbers.evaluator import Evaluator
from glassformer.by_hand.numbers.intervals import LOCAL, Value, exactly
from glassformer.by_hand.numbers.scope import RIGHT, Known, Scope
from glassformer.by_hand.slips.causes import Scene, scene_of


def lexed(text: str, way: str = "text") -> list[Token]:
    return lex(Ground(text, 0, way))


def kinds(tokens: list[Token]) -> list[str]:
    return [token.type for token in tokens]


def tree(text: str, way: str = "text") -> Node:
    return parse(lexed(text, way))


def known(numbers: object) -> Known:
    """Numbers that are right on paper."""
    value = exactly(np.array(numbers, dtype=np.float64))
    return Known(value, value)


def scope_of(**numbers: object) -> Scope:
    """A section in which these names were given."""
    scope = Scope()
    for name, each in numbers.items():
        scope.bind(tree(name), known(each))
    return scope


def evaluator(scope: Scope | None = None, convention: Convention = PLAIN) -> Evaluator:
    return Evaluator(scope or Scope(), {}, RIGHT, lambda base: [], convention)


def middle(value: Value) -> list[list[float]]:
    """The numbers themselves, row by row."""
    return value.middle(LOCAL).round(9).tolist()  # type: ignore[no-any-return]


def scene(expected: str, printed: str, scope: Scope | None = None) -> Scene:
    """A wrong result: what should have been worked out, and what was printed."""
    meant, literal = tree(expected), tree(printed)
    right = evaluator(scope)(meant, itself=False)
    return scene_of(meant, literal, fit(literal, right).wrong, right, lambda: evaluator(scope), {})
