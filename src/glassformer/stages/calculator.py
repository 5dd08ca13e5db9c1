"""Arithmetic as it is written on paper, read into a tree and worked. It knows no operation and no model.

A tree is plain data, so that it can go to a page as it is: a number, a name, or a list of a sign and its parts.
    1[i,c]      ["cell", 1, ["i", "c"]]     a number of operand 1, at this place; of `m`, the stage that is made
    0#-1        ["size", 0, -1]             how long the last axis of operand 0 is
    2?          ["has", 2]                  whether there is an operand 2
    i<n: x      ["each", n, x]              x for every i below n, as a list
    a × b + c   ["+", ["×", "a", "b"], "c"]
Whoever works a tree says what its names and cells are.
"""

import functools
import math
import operator
import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

Tree = Any  # float | str | list[Tree]

_TOKEN = re.compile(
    r"\s*(?:(?P<size>[\dm]#-?\d)|(?P<cell>[\dm]\[)|(?P<has>\d\?)|(?P<slot>\{\w+\})"
    r"|(?P<number>\d+(?:\.\d+)?)|(?P<sign>e\^|//|[-+−×*/%<>=≠²³√^(),:\]])|(?P<name>[A-Za-zΦ]+|[½π∞]))"
)
CONSTANTS = MappingProxyType({"½": 0.5, "π": math.pi, "∞": math.inf})  # names that are the same everywhere
_ONE_SIGN = MappingProxyType({"-": "−", "*": "×"})  # what a keyboard has for it
_BEFORE = MappingProxyType({"e^": "exp", "√": "root"})
_BEHIND = MappingProxyType({"²": "square", "³": "cube"})


def _sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))


def _top(values: list[float]) -> int:
    """Where the largest stands; the first, if there are several."""
    return max(range(len(values)), key=values.__getitem__)


# What each sign does. The page works those that lead to a cell or stand in a term (operations.js), not the others.
SIGNS: MappingProxyType[str, Callable[..., Any]] = MappingProxyType(
    {
        "+": operator.add,
        "−": lambda a, b=None: -a if b is None else a - b,
        "×": operator.mul,
        "/": operator.truediv,
        "//": operator.floordiv,
        "%": operator.mod,
        "<": operator.lt,
        ">": operator.gt,
        "=": operator.eq,
        "≠": operator.ne,
        "and": lambda a, b: bool(a) and bool(b),
        "exp": math.exp,
        "ln": math.log,
        "root": math.sqrt,
        "square": lambda a: a**2,
        "cube": lambda a: a**3,
        "abs": abs,
        "max": lambda least, a: max(a, least),
        "relu": lambda a: max(a, 0.0),
        "sigmoid": _sigmoid,
        "tanh": math.tanh,
        "sin": math.sin,
        "cos": math.cos,
        "Φ": lambda a: 0.5 * (1.0 + math.erf(a / math.sqrt(2.0))),
        "sum": lambda first, others: math.fsum([first, *others]),  # rounded once
        "largest": max,
        "top": _top,
        "count": lambda values: sum(1 for each in values if each),
    }
)


@functools.cache
def tree(text: str) -> Tree:
    """The tree of one expression."""
    return _Reader(text).whole()


@functools.cache
def term(text: str) -> dict[str, Tree]:
    """A term: `each` (how often, or nothing) and `where`, its `cells`, its `value` from them, its `pattern`."""
    reader = _Reader(text)
    running = reader.running() if reader.runs() else {}
    start = reader.place
    cells: list[Tree] = []
    value = _with_slots(reader.whole(), cells)
    pattern, end = "", start
    for first, last in reader.spans:
        if first >= start:
            pattern, end = pattern + text[end:first] + "{}", last
    return {**running, "cells": cells, "value": value, "pattern": (pattern + text[end:]).strip()}


def _with_slots(found: Tree, cells: list[Tree]) -> Tree:
    """The tree with `{0}`, `{1}` in place of its cells, which are put on the list."""
    if not isinstance(found, list):
        return found
    if found[0] == "cell":
        cells.append(found)
        return f"{{{len(cells) - 1}}}"
    return [found[0], *(_with_slots(part, cells) for part in found[1:])]


class _Reader:
    """Reads one text from left to right, the loosest sign first."""

    def __init__(self, text: str) -> None:
        self.text, self.place, self.depth = text, 0, 0
        self.spans: list[tuple[int, int]] = []  # where the outermost cells stand

    def whole(self) -> Tree:
        found = self.expression()
        if self.text[self.place :].strip():
            raise ValueError(f"{self.text!r} cannot be read from {self.text[self.place :]!r} on.")
        return found

    def next(self) -> tuple[str, str]:
        match = _TOKEN.match(self.text, self.place)
        return (match.lastgroup or "", match[match.lastgroup or 0]) if match else ("", "")

    def take(self, *wanted: str) -> str:
        """The next sign, if it is one of these."""
        match = _TOKEN.match(self.text, self.place)
        found = match[match.lastgroup or 0] if match else ""
        if match is None or found not in wanted:
            return ""
        self.place = match.end()
        return found

    def need(self, wanted: str) -> None:
        if not self.take(wanted):
            raise ValueError(f"{self.text!r} has no {wanted!r} at {self.text[self.place :]!r}.")

    def runs(self) -> bool:
        return re.match(r"\s*i<", self.text[self.place :]) is not None

    def running(self) -> dict[str, Tree]:
        """`i<n:`, or `i<n, condition:`"""
        self.need("i")
        self.need("<")
        found = {"each": self.sum()}
        if self.take(","):
            found["where"] = self.expression()
        self.need(":")
        return found

    def expression(self) -> Tree:
        return self.chain(self.comparison, "and")

    def comparison(self) -> Tree:
        return self.chain(self.sum, "<", ">", "=", "≠")

    def sum(self) -> Tree:
        return self.chain(self.product, "+", "−", "-")

    def product(self) -> Tree:
        return self.chain(self.signed, "×", "*", "//", "/", "%")

    def chain(self, part: Callable[[], Tree], *signs: str) -> Tree:
        found = part()
        while sign := self.take(*signs):
            found = [_ONE_SIGN.get(sign, sign), found, part()]
        return found

    def signed(self) -> Tree:
        if self.take("−", "-"):
            return ["−", self.signed()]
        found = self.single()
        while sign := self.take(*_BEHIND):
            found = [_BEHIND[sign], found]
        return found

    def single(self) -> Tree:
        if sign := self.take(*_BEFORE):
            return [_BEFORE[sign], self.single()]
        if self.take("("):
            return self.closed(self.expression())
        kind, found = self.next()
        match = _TOKEN.match(self.text, self.place)
        if match is None or kind in ("", "sign"):
            raise ValueError(f"{self.text!r} cannot be read from {self.text[self.place :]!r} on.")
        start, self.place = match.start(kind), match.end()
        if kind == "cell":
            return self.cell(found[0], start)
        if kind == "size":
            return ["size", _operand(found[0]), int(found[2:])]
        if kind == "has":
            return ["has", int(found[0])]
        if kind == "number":
            return float(found) if "." in found else int(found)
        return self.call(found) if kind == "name" and self.take("(") else found

    def closed(self, found: Tree) -> Tree:
        self.need(")")
        return found

    def call(self, name: str) -> Tree:
        if self.runs():
            running = self.running()
            return self.closed([name, ["each", running["each"], self.expression()]])
        parts = [self.expression()]
        while self.take(","):
            parts.append(self.expression())
        return self.closed([name, *parts])

    def cell(self, operand: str, start: int) -> Tree:
        """`1[^,i]`: a place is counted out, or `*`, the number's own place, or `^`, the same without its last part."""
        self.depth += 1
        places: list[Tree] = []
        while not self.take("]"):
            places.append(self.take("*", "^") or self.sum())
            self.take(",")
        self.depth -= 1
        if not self.depth:
            self.spans.append((start, self.place))
        return ["cell", _operand(operand), places]


def _operand(sign: str) -> int | str:
    return sign if sign == "m" else int(sign)
