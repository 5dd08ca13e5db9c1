"""Formulas as MathML in nested lists, so that a page can build them node by node; each operand says which one it is.

It knows the catalogue through a trace, and draws nothing.
"""

import re
from typing import Any
from xml.etree import ElementTree

from glassformer.drawing.mathml import to_mathml
from glassformer.stages.catalogue import stage
from glassformer.stages.stage import Stage, fill
from glassformer.stages.trace import Trace

Tree = list[Any]  # tag, attributes, then texts and trees


def formula_tree(trace: Trace, address: str) -> Tree:
    """The stage's formula with the symbols of the operands it really had."""
    entry = trace.entry(address)
    way = entry.stage.way(entry.how)
    symbol = _symbol(entry.stage, None)
    if way is None:
        return ["math", {}, symbol]
    operands = trace.operands(address)
    holders = [rf"\text{{§{i}}}" if found else None for i, found in enumerate(operands)]
    right = _tree(fill(trace.patterns(way)[1], holders))
    symbols = {f"§{i}": _symbol(stage(found), i) for i, found in enumerate(operands) if found}
    return ["math", {}, symbol, ["mo", {}, "="], _with_symbols(right, symbols)]


def symbol_tree(known: Stage) -> Tree:
    """A stage's symbol alone."""
    return ["math", {}, _tree(known.latex)]


def _symbol(known: Stage, operand: int | None) -> Tree:
    leads = {} if operand is None else {"data-operand": str(operand)}
    return ["mrow", {**leads, "class": known.role}, _tree(known.latex)]


def _with_symbols(tree: Tree, symbols: dict[str, Tree]) -> Tree:
    if tree[0] == "mtext" and tree[2:] and tree[2] in symbols:
        return symbols[tree[2]]
    return [*tree[:2], *(_with_symbols(each, symbols) if isinstance(each, list) else each for each in tree[2:])]


def _tree(latex: str) -> Tree:
    drawn = to_mathml(latex, 0, lambda _place, _number: None, block=False)
    return _as_lists(ElementTree.fromstring(re.sub(r"^<math>|</math>$", "", drawn)))


def _as_lists(element: ElementTree.Element) -> Tree:
    text = (element.text or "").replace("-", "−")
    if element.tag == "mo" and (text.isalpha() or text in ("∞", "…")):
        return ["mi", {}, text]  # β and ∞ are not operators, and want no space around them
    children = [_as_lists(child) for child in element]
    return [element.tag, dict(element.attrib), *([text] if text else []), *children]
