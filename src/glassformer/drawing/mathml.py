"""LaTeX as people write it in notes, as MathML that every browser draws without help; numbers can be marked.

Knows the signs of matrix arithmetic and no more: what it cannot draw is shown as it was typed.
"""

import re
from collections.abc import Callable
from html import escape
from types import MappingProxyType

Mark = Callable[[int, str], str | None]  # offset and number → what to draw in its place, or None

_TOKEN = re.compile(
    r"\\begin\s*\{(?P<begin>[a-zA-Z*]+)\}(?:\{[clr|\s]*\})?|\\end\s*\{(?P<end>[a-zA-Z*]+)\}|(?P<row>\\\\)"
    r"|\\(?:text|mathrm|mathbf|operatorname|boldsymbol|textbf|mathcal)\*?\s*\{(?P<text>[^{}]*)\}"
    r"|(?P<command>\\[A-Za-z]+|\\.)|(?P<number>(?:[-−]\s?)?(?:\d+\.?\d*|\.\d+))"
    r"|(?P<word>[A-Za-z]{4,})|(?P<letter>[^\W\d_])|(?P<space>\s+)|(?P<sign>.)",
    re.DOTALL,
)
_SIGNS = MappingProxyType(
    {
        r"\times": "×", r"\cdot": "·", r"\approx": "≈", r"\to": "→", r"\rightarrow": "→", r"\Rightarrow": "⇒",
        r"\infty": "∞", r"\top": "⊤", r"\in": "∈", r"\neq": "≠", r"\leq": "≤", r"\geq": "≥", r"\odot": "⊙",
        r"\dots": "…",
        r"\ldots": "…", r"\cdots": "…", r"\vdots": "⋮", r"\pm": "±", r"\sum": "∑", r"\oplus": "⊕", r"\equiv": "≡",
        r"\{": "{", r"\}": "}", r"\|": "‖", r"\%": "%", r"\alpha": "α", r"\beta": "β", r"\gamma": "γ", r"\delta": "δ",
        r"\Delta": "Δ", r"\mu": "μ",
        r"\epsilon": "ε", r"\varepsilon": "ε", r"\theta": "θ", r"\lambda": "λ", r"\sigma": "σ", r"\tau": "τ",
        r"\xi": "ξ", r"\pi": "π", r"\phi": "φ", r"\omega": "ω", r"\exp": "exp", r"\log": "log", r"\max": "max",
        r"\sin": "sin", r"\cos": "cos", r"\tanh": "tanh", r"\ell": "ℓ", r"\circ": "∘",
    }
)  # fmt: skip
_SPACES = frozenset(
    {r"\,", r"\;", r"\!", r"\:", r"\ ", r"\left", r"\right", r"\displaystyle", r"\limits", r"\nonumber", r"\big"}
)
# Brackets are drawn as borders: a browser without a mathematical font cannot stretch them.
_FENCES = MappingProxyType({"bmatrix": "square", "pmatrix": "round", "vmatrix": "bars", "Bmatrix": "round"})


class UndrawableError(ValueError):
    """LaTeX that is beyond this small drawer."""


class _Drawer:
    def __init__(self, text: str, start: int, mark: Mark) -> None:
        self.text, self.start, self.mark, self.position, self.depth = text, start, mark, 0, 0

    def row(self, stop: str = "") -> str:
        """Everything up to a closing sign, as one row."""
        self.depth += 1
        if self.depth > 40:
            raise UndrawableError("nested too deeply")
        parts: list[str] = []
        while self.position < len(self.text):
            match = _TOKEN.match(self.text, self.position)
            if match is None:
                raise UndrawableError("a sign that cannot be drawn")
            if stop and self._stops(match, stop):
                break
            self.position = match.end()
            self._draw(match, parts)
        self.depth -= 1
        return "<mrow>" + "".join(parts) + "</mrow>"

    def _stops(self, match: re.Match[str], stop: str) -> bool:
        if stop == "cell":
            return bool(match["row"] or match["end"]) or match["sign"] == "&"
        return match["sign"] == stop

    def _draw(self, match: re.Match[str], parts: list[str]) -> None:
        if match["begin"]:
            parts.append(self._environment(match["begin"]))
        elif match["text"] is not None:
            parts.append(self._word(match, "text"))
        elif match["word"]:
            parts.append(self._word(match, "word"))
        elif match["number"]:
            parts.append(self._number(match, parts))
        elif match["letter"]:
            parts.append(f"<mi>{match['letter']}</mi>")
        elif match["command"]:
            parts.append(self._command(match["command"]))
        elif match["row"]:
            parts.append("<mspace linebreak='newline'/>")
        elif match["sign"] in ("_", "^"):
            base = parts.pop() if parts else "<mrow></mrow>"
            tag = "msub" if match["sign"] == "_" else "msup"
            parts.append(f"<{tag}>{base}{self._argument()}</{tag}>")
        elif match["sign"] == "{":
            parts.append(self.row("}"))
            self.position += 1
        elif match["sign"] and match["sign"] != "&":
            parts.append(f"<mo stretchy='false'>{escape(match['sign'])}</mo>")
        elif match["end"]:
            raise UndrawableError("an environment that was never opened")

    def _word(self, match: re.Match[str], group: str) -> str:
        word = match[group]
        return self.mark(self.start + match.start(group), word) or f"<mtext>{escape(word)}</mtext>"

    def _number(self, match: re.Match[str], parts: list[str]) -> str:
        text, offset = match["number"], self.start + match.start()
        signed = text[0] in "-−"
        if signed and parts and not parts[-1].startswith("<mo") and self.mark(offset, text) is None:
            marked = self.mark(offset + len(text) - len(text[1:].lstrip()), text[1:].lstrip())
            return f"<mo>−</mo>{marked or f'<mn>{text[1:].strip()}</mn>'}"
        return self.mark(offset, text) or f"<mn>{escape(text.replace('-', '−').replace(' ', ''))}</mn>"

    def _argument(self) -> str:
        while match := _TOKEN.match(self.text, self.position):
            self.position = match.end()
            if match["space"]:
                continue
            if match["sign"] == "{":
                inner = self.row("}")
                self.position += 1
                return inner
            parts: list[str] = []
            self._draw(match, parts)
            return "".join(parts) or "<mrow></mrow>"
        raise UndrawableError("something is missing at the end")

    def _command(self, name: str) -> str:
        if name in _SPACES:
            return ""
        if name in (r"\quad", r"\qquad"):
            return "<mspace width='1.5em'/>"
        if name in (r"\frac", r"\dfrac", r"\tfrac"):
            return f"<mfrac>{self._argument()}{self._argument()}</mfrac>"
        if name == r"\sqrt":
            return f"<msqrt>{self._argument()}</msqrt>"
        if name in (r"\hat", r"\tilde", r"\bar"):
            accent = {r"\hat": "^", r"\tilde": "~", r"\bar": "¯"}[name]
            return f"<mover>{self._argument()}<mo>{accent}</mo></mover>"
        if name in _SIGNS:
            return f"<mo stretchy='false'>{_SIGNS[name]}</mo>"
        return f"<mtext>{escape(name)}</mtext>"

    def _environment(self, name: str) -> str:
        rows: list[list[str]] = [[]]
        while True:
            rows[-1].append(self.row("cell"))
            match = _TOKEN.match(self.text, self.position)
            if match is None:
                raise UndrawableError(f"{name} is never closed")
            self.position = match.end()
            if match["row"]:
                rows.append([])
            elif match["end"]:
                break
        if rows[-1] == ["<mrow></mrow>"]:
            rows.pop()
        body = "".join("<mtr>" + "".join(f"<mtd>{cell}</mtd>" for cell in row) + "</mtr>" for row in rows)
        kind = "aligned" if "align" in name or name in ("split", "cases") else _FENCES.get(name, "")
        return f"<mtable class='{kind}'>{body}</mtable>"


def to_mathml(text: str, start: int, mark: Mark, *, block: bool) -> str:
    """MathML for a stretch of LaTeX that begins at `start`; as typed, if it cannot be drawn."""
    try:
        inner = _Drawer(text, start, mark).row()
    except (UndrawableError, RecursionError):
        return f"<code>{escape(text)}</code>"
    display = " display='block'" if block else ""
    return f"<math{display}>{inner}</math>"
