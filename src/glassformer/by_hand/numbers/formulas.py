"""The formulas that the catalogue of stages gives for a name, over the stages that the notes give. Works out none.

In a worksheet of one layer a stage that nobody printed is put in as its own formula, down to what is given.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from glassformer.by_hand.grammar.expressions import Name, Node, Span, children, with_children
from glassformer.by_hand.grammar.lexing import lex
from glassformer.by_hand.grammar.name_lexing import Ground
from glassformer.by_hand.grammar.parsing import parse
from glassformer.by_hand.numbers.scope import Scope
from glassformer.stages.catalogue import CATALOGUE
from glassformer.stages.stage import fill

Ways = Mapping[str, str] | None  # how each stage that has a choice is made, in a worksheet of one layer
NOWHERE = Span(0, 0)  # a name of the catalogue stands in no notes


def catalogue_formulas(stage: str, scope: Scope, ways: Ways = None) -> list[Node]:
    """The ways in which the catalogue makes a stage, over the stages that the notes give; the likeliest first."""
    formulas: list[Node] = []
    for way in CATALOGUE[stage].ways:
        if way.only_watched or (ways is not None and ways.get(stage, way.how) != way.how):
            continue
        latex, operands = _on_paper(stage, way.latex, [_operand(each, scope, ways) for each in way.operands])
        needed = [place for place, operand in enumerate(way.operands) if not operand.endswith("?")]
        if all(operands[place] is not None for place in needed if place < len(operands)):
            formulas.append(_parsed(latex, operands))
    if stage == "output":
        for first, second in (("mixed", "output_weight"), ("weights", "values")):
            if scope.named(first) is not None and scope.named(second) is not None:
                formulas.append(_parsed("@0 @1", [Name(first, NOWHERE), Name(second, NOWHERE)]))
    return formulas


def _operand(operand: str, scope: Scope, ways: Ways) -> Node | None:
    """What the notes print for an operand; else, in a worksheet of one layer, the formula for it."""
    choices = [choice for choice in operand.rstrip("?").split("|") if "." not in choice]
    for choice in choices:
        if scope.named(choice) is not None:
            return Name(choice, NOWHERE)
        formulas = catalogue_formulas(choice, scope, ways) if ways is not None else []
        if formulas:
            return formulas[0]
    return None


def paper_formula(stage: str, latex: str, operands: list[Node | None]) -> Node:
    """A way of the catalogue over operands that are known, the scale among them."""
    return _parsed(*((latex, operands) if stage == "scaled" else _on_paper(stage, latex, operands)))


# Formulas whose signs say less than the worksheet means: an argmax counts from 0 here, and elsewhere perhaps from 1.
_WORKED_AS = MappingProxyType(
    {
        "masked": "@0 + @1",
        "chosen_id": r"\operatorname{largestplace}(@0)",
        "forced_ids": r"\operatorname{unitdelay}(@0, @1)",
        "step_loss": r"-\ln(\operatorname{pickedfrom}(@0, @1, @2))",
    }
)


def _on_paper(stage: str, latex: str, found: list[Node | None]) -> tuple[str, list[Node | None]]:
    """On paper a scale is a division by √d, a mask of 0 and −∞ is added, and each row is divided by its own root."""
    if stage == "scaled":
        return r"\frac{@0}{\sqrt{d_k}}", found[:1]
    if stage == "normed" and latex.startswith(r"\frac{@0 - @1}"):
        return r"(@0 - @1) \odot \frac{1}{\sqrt{@2 + @3}}< \odot @4>< + @5>", found
    return _WORKED_AS.get(stage, latex), found


def _parsed(latex: str, operands: Sequence[Node | None]) -> Node:
    symbols = [f"p_{place}" if operand else None for place, operand in enumerate(operands)]
    tree = parse(lex(Ground(fill(latex, symbols), 0, "math")))
    return _filled(tree, {f"p_{place}": operand for place, operand in enumerate(operands) if operand})


def _filled(node: Node, operands: Mapping[str, Node]) -> Node:
    if isinstance(node, Name):
        return operands.get(node.text, node)
    return with_children(node, tuple(_filled(child, operands) for child in children(node)))
