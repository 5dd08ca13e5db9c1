"""The arithmetic of an expression in a program as a tree of the notes' own kind, with its numbers put in.

Only for showing how a number comes about: products, sums and a few functions of matrices. Where numpy would stretch an
array to fit, or anything else is not plain, there is no tree.
"""

import ast

import numpy as np

from glassformer.by_hand.grammar.expressions import (
    Call,
    Inverse,
    Matrix,
    Negative,
    Node,
    Number,
    Span,
    Transpose,
    product,
    sum_of,
)
from glassformer.by_hand.notes.programs.array_functions import UnknownValueError
from glassformer.by_hand.notes.programs.python_expressions import Module
from glassformer.by_hand.notes.programs.python_values import Program

DEEPEST = 12
_NOWHERE = Span(0, 0)


def tree_of(expression: ast.expr, program: Program, depth: int = 0) -> Node | None:
    """The tree, or None."""
    if depth > DEEPEST:
        return None

    def inner(part: ast.expr) -> Node | None:
        return tree_of(part, program, depth + 1)

    match expression:
        case ast.Name(id=name) if name in program.sources and not _is_literal(program.sources[name]):
            return inner(program.sources[name]) if _unchanged(name, program) else _literal(expression, program)
        case ast.BinOp(op=ast.MatMult() | ast.Mult() | ast.Div() | ast.Add() | ast.Sub()):
            a, b = inner(expression.left), inner(expression.right)
            return _joined(expression, a, b, program) if a is not None and b is not None else None
        case ast.Attribute(attr="T"):
            of = inner(expression.value)
            return None if of is None else Transpose(of, _NOWHERE)
        case ast.Call(func=ast.Attribute(attr="exp" | "sqrt" | "tanh" as name), args=[argument], keywords=[]):
            of = inner(argument)
            return None if of is None else Call(name, of, _NOWHERE)
    return _literal(expression, program)


def _unchanged(name: str, program: Program) -> bool:
    """Whether working out what the name was set to still gives what it is: its parts may have changed since."""
    try:
        return bool(np.array_equal(program.value(program.sources[name]), program.known[name]))
    except (UnknownValueError, KeyError):
        return False


def _is_literal(expression: ast.expr) -> bool:
    return isinstance(expression, ast.Call | ast.List | ast.Constant) and not any(
        isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store) and node.id not in ("np", "torch", "numpy")
        for node in ast.walk(expression)
    )


def _joined(expression: ast.BinOp, a: Node, b: Node, program: Program) -> Node | None:
    left, right = (np.shape(program.value(part)) for part in (expression.left, expression.right))
    scalar = left == () or right == ()
    match expression.op:
        case ast.MatMult():
            return product([a, b], _NOWHERE) if len(left) == len(right) == 2 else None
        case ast.Mult() if scalar:
            return product([a, b], _NOWHERE)
        case ast.Div() if right == ():
            return product([a, Inverse(b, _NOWHERE)], _NOWHERE)
        case ast.Add() if left == right:
            return sum_of([a, b], _NOWHERE)
        case ast.Sub() if left == right:
            return sum_of([a, Negative(b, _NOWHERE)], _NOWHERE)
    return None


def _literal(expression: ast.expr, program: Program) -> Node | None:
    try:
        value = program.value(expression)
    except UnknownValueError:
        return None
    if isinstance(value, Module | str) or value is None:
        return None
    numbers = np.asarray(value)
    if numbers.dtype.kind not in "if" or numbers.ndim > 2 or not numbers.size or not np.isfinite(numbers).all():
        return None
    if not numbers.ndim:
        return _number(numbers.item())
    rows = numbers.reshape(1, -1) if numbers.ndim == 1 else numbers
    return Matrix(tuple(tuple(_number(entry) for entry in row) for row in rows.tolist()), _NOWHERE)


def _number(value: float) -> Number:
    text = str(abs(int(value))) if float(value) == int(value) and abs(value) < 1e15 else repr(abs(float(value)))
    return Number(text, _NOWHERE, -1 if value < 0 else 1)
