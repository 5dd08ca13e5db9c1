"""What each sign and LaTeX command is: a relation, an operation, a bracket. Tables only; lexing.py reads by them."""

from types import MappingProxyType

MATRICES = frozenset(["matrix", "bmatrix", "pmatrix", "vmatrix", "Bmatrix", "Vmatrix", "smallmatrix", "array"])
# A letter with a sign above it, as x̄ and ŷ.
ACCENTS = MappingProxyType(
    {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "bar", "\u0307": "dot", "\u20d7": "vec"}
)
RELATION_SIGNS = MappingProxyType(
    {
        **dict.fromkeys(["=", ":=", r"\equiv", r"\triangleq", "←", r"\leftarrow", r"\gets", r"\coloneqq"], "EQUALS"),
        **dict.fromkeys(["≈", "≃", "≅", "≐", r"\approx", r"\simeq", r"\cong", r"\doteq", r"\approxeq"], "ABOUT"),
        **dict.fromkeys(
            [
                *("→", "⟶", "⇒", "⟹", "=>", "->", "↦", r"\to", r"\rightarrow", r"\Rightarrow", r"\longrightarrow"),
                *(r"\implies", r"\mapsto", r"\Longrightarrow"),
            ],
            "ARROW",
        ),
        **dict.fromkeys(["==", "==="], "STOP"),  # in a program: a question, and not an answer
        **dict.fromkeys(["∈", "≠", "!=", "<", ">", "≤", "≥", "<=", ">=", "∼", r"\in", r"\neq", r"\ne"], "STOP"),
        **dict.fromkeys([r"\le", r"\leq", r"\ge", r"\geq", r"\sim", r"\propto", r"\subset"], "STOP"),
    }
)
RELATIONS = frozenset({"EQUALS", "ABOUT", "ARROW", "STOP"})
SYMBOLS = MappingProxyType(
    {
        "+": "PLUS", "-": "MINUS", "−": "MINUS", "–": "MINUS", "*": "STAR", "×": "TIMES", "·": "TIMES", "⋅": "TIMES",
        "∗": "STAR", "∙": "TIMES", "@": "TIMES", "/": "OVER", "÷": "OVER", "^": "CARET", "(": "LPAR", ")": "RPAR",
        "{": "LBRACE", "}": "RBRACE", "[": "LSQB", "]": "RSQB", ",": "COMMA", ";": "SEMICOLON", ":": "COLON",
        "&": "AMP", "%": "PERCENT", "√": "ROOT", "ᵀ": "TURN", "⊤": "TURN", "'": "TURN", "∞": "INFINITY",
        "…": "DOTS", "⊙": "ENTRYWISE",
    }
)  # fmt: skip
COMMANDS = MappingProxyType(
    {
        **dict.fromkeys([r"\cdot", r"\times", r"\ast", r"\bullet"], "TIMES"),
        **dict.fromkeys([r"\odot", r"\circ", r"\otimes"], "ENTRYWISE"),
        **dict.fromkeys([r"\dots", r"\ldots", r"\cdots", r"\vdots", r"\ddots"], "DOTS"),
        **dict.fromkeys([r"\frac", r"\dfrac", r"\tfrac"], "FRACTION"),
        **dict.fromkeys([r"\binom", r"\dbinom", r"\tbinom"], "BINOMIAL"),
        r"\sqrt": "ROOT",
        r"\*": "STAR",  # as Markdown has it
        r"\div": "OVER",
        r"\infty": "INFINITY",
        r"\top": "TURN",
        r"\intercal": "TURN",
        r"\{": "LPAR",
        r"\}": "RPAR",
        r"\%": "PERCENT",
        r"\rangle": "RPAR",
        r"\lbrack": "LSQB",
        r"\rbrack": "RSQB",
    }
)
# What opens a bracket that is a function of what stands in it, and what closes one.
ROUNDING = MappingProxyType({"⌊": "floor", r"\lfloor": "floor", "⌈": "ceil", r"\lceil": "ceil"})
ROUNDED = frozenset({"⌋", r"\rfloor", "⌉", r"\rceil"})
OPENS = MappingProxyType(
    {"LPAR": 1, "LSQB": 1, "LBRACE": 1, "OPEN": 1, "RPAR": -1, "RSQB": -1, "RBRACE": -1, "CLOSE": -1}
)
# After these, or nothing, a number or a name may begin.
BEFORE_OPERANDS = frozenset(
    {"", "PLUS", "MINUS", "TIMES", "STAR", "OVER", "ENTRYWISE", "LPAR", "LSQB", "LBRACE", "COMMA", "SEMICOLON", "COLON"}
    | {"WIDE", "BREAK", "ROOT", *RELATIONS}
)
