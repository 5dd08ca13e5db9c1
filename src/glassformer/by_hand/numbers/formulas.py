"""The formulas that the catalogue of stages gives for a name, over the stages that the notes give. Works out none."""

from collections.abc import Mapping, Sequence

from glassformer.by_hand.grammar.expressions import Name, Node, children, with_children
from glassformer.by_hand.grammar.lexing import lex
from glassformer.by_hand.grammar.name_lexing import Ground
from glassformer.by_hand.grammar.parsing import parse
from glassformer.by_hand.numbers.scope import Scope
from glassformer.stages.catalogue import CATALOGUE, fill


def catalogue_formulas(stage: str, scope: Scope) -> list[Node]:
    """The ways in which the catalogue makes a stage, over the stages that the notes give; the likeliest first."""
    formulas: list[Node] = []
    for way in CATALOGUE[stage].ways:
        found: list[str | None] = []
        for operand in way.operands:
            choices = [choice for choice in operand.rstrip("?").split("|") if "." not in choice]
            found.append(next((choice for choice in choices if scope.named(choice) is not None), None))
        latex, operands = _on_paper(stage, way.latex, found)
        needed = [place for place, operand in enumerate(way.operands) if not operand.endswith("?")]
        if all(operands[place] is not None for place in needed if place < len(operands)):
            formulas.append(_parsed(latex, operands))
    if stage == "output":
        for first, second in (("mixed", "output_weight"), ("weights", "values")):
            if scope.named(first) is not None and scope.named(second) is not None:
                formulas.append(_parsed("@0 @1", [first, second]))
    return formulas


def _on_paper(stage: str, latex: str, found: list[str | None]) -> tuple[str, list[str | None]]:
    """On paper a scale is a division by √d, and a mask of 0 and −∞ is added."""
    if stage == "scaled":
        return r"\frac{@0}{\sqrt{d_k}}", found[:1]
    return ("@0 + @1" if stage == "masked" else latex), found


def _parsed(latex: str, operands: Sequence[str | None]) -> Node:
    symbols = [f"p_{place}" if operand else None for place, operand in enumerate(operands)]
    tree = parse(lex(Ground(fill(latex, symbols), 0, "math")))
    names = {f"p_{place}": operand for place, operand in enumerate(operands) if operand}
    return _renamed(tree, names)


def _renamed(node: Node, names: Mapping[str, str]) -> Node:
    if isinstance(node, Name):
        return Name(names.get(node.text, node.text), node.span)
    return with_children(node, tuple(_renamed(child, names) for child in children(node)))
