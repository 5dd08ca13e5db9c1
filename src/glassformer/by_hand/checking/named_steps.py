"""Steps that are named in words: "Step 3 — softmax each row", "applying softmax to S gives", `std = 0.82`.

Gives the expressions that the words may mean, over what was printed or named just before. Works nothing out, and proves
nothing: the numbers themselves must show that the step was meant.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from glassformer.by_hand.grammar.expressions import (
    Call,
    Inverse,
    Matrix,
    Name,
    Node,
    Number,
    Product,
    Span,
    Transpose,
    children,
    names_in,
    with_children,
)
from glassformer.by_hand.grammar.lexing import lex
from glassformer.by_hand.grammar.name_lexing import Ground
from glassformer.by_hand.grammar.names import canonical
from glassformer.by_hand.grammar.parsing import UnreadableError, parse
from glassformer.by_hand.numbers.scope import Scope

# The words of a step, and the function that they name.
_STEPS = (
    (re.compile(r"\bsoft(?:arg)?max", re.I), "softmax"),
    (re.compile(r"\bsigmoid|\blogistic", re.I), "sigmoid"),
    (re.compile(r"\b(?:leaky )?relu\b", re.I), "relu"),
    (re.compile(r"\btanh\b|hyperbolic tangent", re.I), "tanh"),
    (re.compile(r"\bgelu\b", re.I), "gelu"),
    (re.compile(r"\bexponent\w+|\bexp\b", re.I), "exp"),
    (re.compile(r"\bstd\b|\bstandard deviation", re.I), "standard deviation"),
    (re.compile(r"\bvar(?:iance)?\b", re.I), "variance"),
    (re.compile(r"\blayer[ -]?norm\w*|\bnormali[sz]ed?\b", re.I), "layernorm"),
    (re.compile(r"\bmean\b|\baverage\b", re.I), "mean"),
)
_SYMBOL = re.compile(r"\$\s*([A-Z](?:_\{?\w+\}?)?)\s*\$")
_OF_ONE = frozenset({"sigmoid", "relu", "tanh", "gelu", "exp"})  # these have a meaning for a single number, too
_SCALE = re.compile(
    r"(?:\b(?:scal\w+|divid\w+)\b[^.]{0,40}?|^[^=≈]{0,12}:\s*(?P<over>[/÷])\s*)"
    r"(?:(?:\\|\b)sqrt\s*[({]?\s*(?P<root>[\w.]+)|√\s*\(?(?P<sign>[\w.]+)"
    r"|(?:\bby\s+\$?|(?(over)|(?!)))(?P<by>\d+(?:\.\d+)?))",
    re.I,
)
_OF_NAME = re.compile(
    r"\b(?:of|to|on)\s+(?:the\s+)?(?:(?:matrix|vector|scores?)\s+)?[$`*]*([A-Za-z](?:_\{?\w{1,8}\}?)?)[$`*]*(?=[\s,.:;$`]|$)"
)
_OF_FORMULA = re.compile(
    r"\b(?:of|to|on|over)\s+(?:the\s+)?\$([^$\n]*[A-Za-z][^$\n]*[-+−/*·][^$\n=≈]*|[^$\n=≈]*\\frac[^$\n=≈]*)\$"
)
# Something else is done as well.
_MORE = re.compile(r"[∂∇Δδ]|\bgrad|\bderiv|\bmask|\bmultipl|\badd|\btranspos|\bsum\b|\bcolumn", re.I)
MOST_WORDS = 40  # longer words say more than one thing
_DOT = re.compile(r"dot products?|scores?\b.*\bQ\s*K", re.I)


def steps(words: str, scope: Scope, before: list[Node]) -> Iterator[Node]:
    """The expressions that the words may name, the likeliest first."""
    if _MORE.search(words) or len(words.split()) > MOST_WORDS:
        return
    functions = [function for pattern, function in _STEPS if pattern.search(words)]
    if len(functions) + bool(re.search(r"\b(?:scal|divid)", words, re.I)) > 1:
        return  # two steps, of which one is not shown
    operands = list(_operands(words, scope, before))
    for operand in operands:
        here = operand.span
        if scale := _SCALE.search(words):
            yield Product((operand, Inverse(_divisor(scale, here), here)), here)
        for function in functions:
            if not isinstance(operand, Number) or function in _OF_ONE:
                yield Call(function, operand, here)
    if functions == ["softmax"]:  # of the list before the one that was printed last: its powers of e stand between
        yield from (Call("softmax", node, node.span) for node in before[-4:] if isinstance(node, Matrix))
    if _DOT.search(words) and scope.find("Q") and scope.find("K"):
        here = Span(0, 0)
        yield Product((Name("Q", here), Transpose(Name("K", here), here)), here)


def _operands(words: str, scope: Scope, before: list[Node]) -> Iterator[Node]:
    """What the words name, or else what was printed last, or the last list of several numbers."""
    if formula := _formula(words, scope):
        yield formula
        return
    symbols = {canonical(symbol) for symbol in _SYMBOL.findall(words)}
    if match := _OF_NAME.search(words):
        symbols.add(canonical(match[1]))
    known = [symbol for symbol in symbols if scope.find(symbol)]
    if known and len(symbols) == 1:
        yield Name(known[0], Span(0, 0))
    if symbols:
        return
    yield from before[-1:]
    lists = [node for node in before if isinstance(node, Matrix)]
    if lists and lists[-1] is not before[-1]:
        yield lists[-1]


def _formula(words: str, scope: Scope) -> Node | None:
    """`softmax to $S + M$`: the one formula that the words speak of, if all its names are known."""
    said = _OF_FORMULA.findall(words)
    if len(said) != 1 or words.count("$") != 2:
        return None
    try:
        formula = parse(lex(Ground(said[0], 0, "math")))
    except UnreadableError:
        return None
    names = names_in(formula)
    return _nowhere(formula) if names and all(scope.find(name) for name in names) else None


def _nowhere(node: Node) -> Node:
    """The same without a place on the page: words have none that a number could be laid beside."""
    inner = tuple(_nowhere(child) for child in children(node))
    return replace(with_children(node, inner) if inner else node, span=Span(0, 0))


def _divisor(scale: re.Match[str], here: Span) -> Node:
    root, by = scale["root"] or scale["sign"], scale["by"]
    if by:
        return Number(by, here)
    is_number = re.fullmatch(r"\d+(?:\.\d+)?", root) is not None
    return Call("sqrt", Number(root, here) if is_number else Name(canonical(root), here), here)
