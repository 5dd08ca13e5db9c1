"""Formulas kept as trees, MathML of web pages and OMML of Word, written out in LaTeX.

What is not known leaves \\unreadable behind, so that nothing is guessed from half a formula.
"""

from collections.abc import Callable
from types import MappingProxyType
from xml.etree.ElementTree import Element

DEEPEST = 60
UNKNOWN = r"\unreadable "
_SIGNS = MappingProxyType(
    {
        "−": "-", "×": r"\times ", "·": r"\cdot ", "⋅": r"\cdot ", "∗": "*", "≈": r"\approx ", "→": r"\to ",
        "⊤": r"\top ", "√": r"\sqrt ", "∞": r"\infty ", "⊙": r"\odot ", "∘": r"\odot ", "\u2061": "", "\u2062": " ",
        "\u2063": ",", "\u2064": "+", "…": r"\dots ", "⋯": r"\dots ", "⋮": r"\dots ", "⟨": r"\langle ",
        "⟩": r"\rangle ", "∑": r"\sum ", "∂": r"\partial ", "{": r"\{", "}": r"\}", "%": r"\%", "&": r"\&", "′": "'",
    }
)  # fmt: skip
_ACCENTS = MappingProxyType(
    {"^": "hat", "ˆ": "hat", "\u0302": "hat", "¯": "bar", "‾": "bar", "\u0304": "bar", "\u0305": "bar", "~": "tilde"}
    | {"˜": "tilde", "\u0303": "tilde", "→": "vec", "\u20d7": "vec", "˙": "dot", "\u0307": "dot"}
)


def local(element: Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def tex_of(element: Element, depth: int = 0) -> str:
    """The formula in LaTeX."""
    if depth > DEEPEST:
        return UNKNOWN

    def inner(each: Element) -> str:
        return tex_of(each, depth + 1)

    name = local(element)
    if name in _LETTERS:
        return _letters(element, name)
    if name in _BUILT:
        parts = [each for each in element if not local(each).endswith("Pr")]
        return _BUILT[name](element, [inner(each) for each in parts])
    if name in _THROUGH:
        return " ".join(inner(each) for each in element if not local(each).endswith("Pr"))
    return "" if name in _SILENT else UNKNOWN


def _signs(text: str) -> str:
    return "".join(_SIGNS.get(sign, sign) for sign in text)


_LETTERS = frozenset({"mi", "mn", "mo", "mtext", "ms", "t", "delText"})
_THROUGH = frozenset(
    {
        "math",
        "mrow",
        "mstyle",
        "mpadded",
        "semantics",
        "mtd",
        "menclose",
        "merror",
        "oMath",
        "oMathPara",
        "r",
        "e",
        "num",
    }
    | {"den", "sup", "sub", "fName", "box", "borderBox", "lim", "deg", "a"}
)
_SILENT = frozenset(
    {"mspace", "annotation", "annotation-xml", "mphantom", "rPr", "ctrlPr", "none", "mprescripts", "bookmarkStart"}
    | {"bookmarkEnd", "proofErr", "br", "maligngroup", "malignmark"}
)


def _letters(element: Element, name: str) -> str:
    text = (element.text or "").strip() if name != "t" else (element.text or "")
    if name in ("mi", "mtext") and len(text) > 1:
        return rf"\operatorname{{{text}}}" if text.replace(" ", "").isalpha() else rf"\text{{{_signs(text)}}}"
    return _signs(text)


def _scripted(parts: list[str], *signs: str) -> str:
    if len(parts) != len(signs) + 1:
        return UNKNOWN
    base = parts[0].strip()
    whole = base if len(base) <= 1 or base.startswith("\\") else f"{{{base}}}"
    return whole + "".join(f"{sign}{{{part.strip()}}}" for sign, part in zip(signs, parts[1:], strict=True))


def _fraction(_: Element, parts: list[str]) -> str:
    return rf"\frac{{{parts[0]}}}{{{parts[1]}}}" if len(parts) == 2 else UNKNOWN


def _root(element: Element, parts: list[str]) -> str:
    degree = next((each for each in element if local(each) == "deg"), None)
    if degree is not None and "".join(degree.itertext()).strip():
        return UNKNOWN
    whole = parts[-1] if degree is not None else " ".join(parts)
    return rf"\sqrt{{{whole}}}"


def _accented(element: Element, parts: list[str]) -> str:
    if len(parts) != 2:
        return UNKNOWN
    sign = "".join(list(element)[-1].itertext()).strip()
    return rf"\{_ACCENTS[sign]}{{{parts[0].strip()}}}" if sign in _ACCENTS else UNKNOWN


def _word_accent(element: Element, parts: list[str]) -> str:
    signs = [value for each in element.iter() if local(each) == "chr" for key, value in each.items() if "val" in key]
    sign = signs[0] if signs else "\u0302"
    return rf"\{_ACCENTS[sign]}{{{parts[-1].strip()}}}" if sign in _ACCENTS and parts else UNKNOWN


def _rows(_: Element, parts: list[str]) -> str:
    return r"\begin{matrix} " + r" \\ ".join(parts) + r" \end{matrix}"


def _cells(_: Element, parts: list[str]) -> str:
    return " & ".join(parts)


def _delimited(element: Element, parts: list[str]) -> str:
    """Word's brackets: `begChr` and `endChr`, round ones if they are not named."""
    marks = {"begChr": "(", "endChr": ")", "sepChr": "|"}
    for each in element.iter():
        if local(each) in marks and each in [c for p in element if local(p) == "dPr" for c in p]:
            marks[local(each)] = next((value for key, value in each.items() if key.endswith("val")), "")
    if marks["begChr"] in ("[", "(") and len(parts) == 1 and parts[0].strip().startswith(r"\begin{matrix}"):
        return parts[0]
    return _signs(marks["begChr"]) + _signs(marks["sepChr"]).join(parts) + _signs(marks["endChr"])


def _fenced(element: Element, parts: list[str]) -> str:
    opening, closing = element.get("open", "("), element.get("close", ")")
    return _signs(opening) + ", ".join(parts) + _signs(closing)


def _function(_: Element, parts: list[str]) -> str:
    return rf"{parts[0].strip()}{{{parts[1]}}}" if len(parts) == 2 else UNKNOWN


_BUILT: MappingProxyType[str, Callable[[Element, list[str]], str]] = MappingProxyType(
    {
        "mfrac": _fraction, "f": _fraction, "msqrt": _root, "rad": _root,
        "msup": lambda _, parts: _scripted(parts, "^"), "sSup": lambda _, parts: _scripted(parts, "^"),
        "msub": lambda _, parts: _scripted(parts, "_"), "sSub": lambda _, parts: _scripted(parts, "_"),
        "msubsup": lambda _, parts: _scripted(parts, "_", "^"), "sSubSup": lambda _, parts: _scripted(parts, "_", "^"),
        "mover": _accented, "acc": _word_accent, "bar": _word_accent, "mtable": _rows, "m": _rows, "eqArr": _rows,
        "mtr": _cells, "mr": _cells, "d": _delimited, "mfenced": _fenced, "func": _function,
    }
)  # fmt: skip
