"""What a stage is: its name, symbol, axes and meaning, and the ways to make it. Names no stage, computes nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

LEGEND = MappingProxyType(
    {
        "B": "batch",
        "T": "position",
        "Tq": "query position",
        "Tk": "key position",
        "H": "head",
        "G": "key/value head (as many as heads, unless heads share them)",
        "D": "model width",
        "C": "context width",
        "K": "key width of one head",
        "V": "value width of one head",
        "F": "feed-forward width",
        "L": "longest sequence",
        "R": "rotated pair",
        "U": "bucket of distances",
        "HK": "key widths of all heads, side by side",
        "HV": "value widths of all heads, side by side",
        "HX": "query, key and value widths of all heads, side by side",
        "GK": "key widths of all key/value heads, side by side",
        "GV": "value widths of all key/value heads, side by side",
        "N": "vocabulary, or classes",
        "S": "state of a recurrent network",
        "GS": "gates of a recurrent network, each as wide as its state, side by side",
        "DS": "model width and state, side by side",
        "W": "window of a convolution",
        "WD": "the rows of a window, side by side",
        "O": "filter of a convolution",
        "Y": "height of an image",
        "Z": "width of an image",
        "I": "height of a kernel",
        "J": "width of a kernel",
        "YI": "places of a kernel, from top to bottom",
        "ZJ": "places of a kernel, from left to right",
        "YP": "blocks from top to bottom",
        "ZP": "blocks from left to right",
        "TN": "position, and the one after it",
        "E": "position in the true sentence",
        "P": "a number by itself",
        "…": "any leading axes",
    }
)


@dataclass(frozen=True)
class Way:
    """One way to make a stage: an operation on other stages.

    An operand is an address relative to the stage's own scope; `a|b` is the first of them that was seen, and a
    trailing `?` marks one that may be absent. In the two formulas `@0` stands for the symbol of operand 0, and a
    part in `<…>` is left out when its operand is absent: `@0 @1< + @2>` is `X W_Q` or `X W_Q + b_Q`.
    """

    operation: str
    operands: tuple[str, ...]
    latex: str
    plain: str
    how: str = ""  # names this way where a stage has several
    meaning: str = ""  # where this way gives the stage another meaning
    only_watched: bool = False  # met in models that are not ours; by hand the stage is never meant so


@dataclass(frozen=True)
class Stage:
    """One named step of the computation; without a way it is given, not made."""

    name: str
    symbol: str
    latex: str
    axes: tuple[str, ...]
    role: str  # query, key, value, score or plain: the colour it has everywhere
    meaning: str
    ways: tuple[Way, ...] = ()

    def way(self, how: str) -> Way | None:
        """The way called `how`, or None: the stage is a given, or its maker is a variant from outside."""
        return next((way for way in self.ways if way.how == how), None)


def fill(pattern: str, symbols: Sequence[str | None]) -> str:
    """The right-hand side of a formula, with the operands' symbols put in."""

    def optional(match: re.Match[str]) -> str:
        places = [int(place) for place in re.findall(r"@(\d)", match[1])]
        return match[1] if all(place < len(symbols) and symbols[place] is not None for place in places) else ""

    pattern = re.sub(r"<([^>]*)>", optional, pattern)
    return re.sub(r"@(\d)", lambda match: symbols[int(match[1])] or "", pattern)


def described(name: str, symbols: str, axes: str, role: str, meaning: str, *ways: Way) -> Stage:
    """A stage; `symbols` is its symbol, and after two spaces its LaTeX where that is another."""
    symbol, _, latex = symbols.partition("  ")
    return Stage(name, symbol, latex.strip() or symbol, tuple(axes.split()), role, meaning, ways)
