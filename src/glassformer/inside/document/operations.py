"""The operations of the catalogue as data: which cells make a number, and how they are written down.

A page that was saved to disk has no Python to ask. With these recipes it can point at the operands of any number it
shows and spell them out as `arithmetic.py` does; a test holds the two against each other, operation by operation. The
recipes compute nothing and know no model.

How a recipe is read:
    0[^,i]     a cell of operand 0. The index is worked from the number's own place: `*` all of it, `^` all but the
               last, `b h r c` batch, head, row and column, `i` the running number, `h/` the key/value head that serves
               head h, `w` the width of the stage itself; `m[…]` is a cell of the stage itself
    each       how far `i` runs: `0.-1` is the last axis of operand 0
    where      only those i for which this cell is not 0
    let        names for single numbers: a size, or what stands in a cell
    terms      how each term is written; one whose operand is absent is left out
    whole      how the terms make the number; without it they are added up. {sum} all terms, {0} the first, {c} the one
               of the number's column, {n} how many; a part in <…> goes when its term is absent
    when       for a list of recipes: the first whose condition holds
"""

from types import MappingProxyType
from typing import Any

Recipe = dict[str, Any]


def _copy(cell: str, **more: Any) -> list[Recipe]:
    return [{"terms": [cell], **more}]


def _bend(whole: str) -> list[Recipe]:
    return _copy("0[*]", whole=whole)


def _row(term: str, **more: Any) -> list[Recipe]:
    return [{"each": "0.-1", "terms": [term], "whole": "({sum}) / {n}", **more}]


def _shares(silent: str, silent_shifted: str) -> list[Recipe]:
    """Shares of a row; where e^z could not be written down, the row's top is taken off every exponent first."""
    return [
        {"when": "nothing", "terms": [], "whole": "0, since this row may look at nothing"},
        {
            "when": "steep",
            "each": "0.-1",
            "terms": ["e^(0[^,i] − 0[^,top])"],
            "whole": "{c} / (" + silent_shifted + "{sum})",
        },
        {"each": "0.-1", "terms": ["e^0[^,i]"], "whole": "{c} / (" + silent + "{sum})"},
    ]


RECIPES: MappingProxyType[str, list[Recipe]] = MappingProxyType(
    {
        "project": [{"each": "1.0", "terms": ["0[^,i] × 1[i,c]"], "then": ["2[c]"]}],
        "project to heads": [{"each": "1.0", "terms": ["0[b,r,i] × 1[i,h*w+c]"], "then": ["2[h*w+c]"]}],
        "split heads": _copy("0[b,r,h*w+c]"),
        "rotate": [
            {"let": {"p": "1.-1"}, "when": "c>=2*p", "terms": ["0[*]"]},
            {
                "let": {"p": "1.-1"},
                "when": "c<p",
                "terms": ["0[*] × 1[b,r,c]", "0[b,h,r,c+p] × 2[b,r,c]"],
                "whole": "{0} − {1}",
            },
            {"let": {"p": "1.-1"}, "terms": ["0[*] × 1[b,r,c-p]", "0[b,h,r,c-p] × 2[b,r,c-p]"]},
        ],
        "dot": [{"each": "0.-1", "terms": ["0[b,h,r,i] × 1[b,h/,c,i]"]}],
        "synthesize": [{"each": "0.-1", "terms": ["relu(0[b,h,r,i]) × 1[h,i,c]"], "then": ["2[h,c]"]}],
        "cut": _copy("0[h,r,c]"),
        "inverse root": _copy("0[]", whole="1 / √({0})"),
        "scale": _copy("1[] × 0[*]"),
        "add": [{"terms": ["0[*]", "1[*]"]}],
        "subtract": [{"terms": ["0[b,r]", "1[b,c]"], "whole": "{0} − {1}"}],
        "penalise": [{"terms": ["0[h]", "1[b,r,c]"], "whole": "−{0} × |{1}|"}],
        "bucket": _copy("0[*]", whole="the bucket of {0}"),
        "bucket backwards": _copy("0[*]", whole="the bucket of {0}"),
        "pick": [{"let": {"n": "0[b,r,c]"}, "terms": ["0[b,r,c]", "1[n,h]"], "whole": "bucket {0}: {1}"}],
        "mask": [
            {"let": {"allowed": "1[*]"}, "when": "allowed>0", "terms": ["0[*]"], "whole": "{0}, since it may look"},
            {"terms": ["0[*]"], "whole": "hidden"},
        ],
        "softmax": _shares("", ""),
        "quiet softmax": _shares("1 + ", "e^(−{top}) + ")[1:],
        "sigmoid": _bend("1 / (1 + e^(−{0}))"),
        "drop": [
            {"let": {"own": "m[*]"}, "when": "own=0", "terms": ["0[*]"], "whole": "0, since {0} was dropped"},
            {"terms": ["0[*]", "1[]"], "whole": "{0} / (1 − {1})"},
        ],
        "mix": [{"each": "1.2", "terms": ["0[b,h,r,i] × 1[b,h/,i,c]"]}],
        "join heads": _copy("0[b,c/v,r,c%v]", let={"v": "0.-1"}),
        "same": _copy("0[*]"),
        "mean": _row("0[*,i]"),
        "variance": _row("(0[*,i] − 1[*])²"),
        "mean square": _row("0[*,i]²"),
        "layer norm": [
            {
                "terms": ["0[*]", "1[^]", "2[^]", "3[]", "4[c]", "5[c]"],
                "whole": "({0} − {1}) / √({2} + {3})< × {4}>< + {5}>",
            }
        ],
        "rms norm": [{"terms": ["0[*]", "1[^]", "2[]", "3[c]"], "whole": "{0} / √({1} + {2})< × {3}>"}],
        "relu": _bend("max(0, {0})"),
        "gelu": _bend("{0} × Φ({0})"),
        "tanh gelu": _bend("½ × {0} × (1 + tanh(√(2/π) × ({0} + 0.044715 × {0}³)))"),
        "squared relu": _bend("max(0, {0})²"),
        "swiglu": [{"terms": ["1[*]", "0[*]"], "whole": "{0} × sigmoid({0}) × {1}"}],
        "look up": [
            {"let": {"n": "0[b,r]"}, "when": "has 2", "terms": ["2[] × 1[n,c]"]},
            {"let": {"n": "0[b,r]"}, "terms": ["1[n,c]"]},
        ],
        "recur": [
            {
                "when": "r<1",
                "each": "1.0",
                "terms": ["0[b,r,i] × 1[i,c]"],
                "then": ["2[c]", "4[c]"],
                "whole": "tanh({sum})",
            },
            {
                "each": "1.0",
                "terms": ["0[b,r,i] × 1[i,c]"],
                "then": ["2[c]"],
                "each again": "3.0",
                "again": ["m[b,r-1,i] × 3[i,c]"],
                "last": ["4[c]"],
                "whole": "tanh({sum})",
            },
        ],
        "last state": _copy("0[b,last,c]"),
        "largest": _copy("0[b,c,top]", whole="max(…) = {0}"),
        "mean of real": [{"each": "0.1", "where": "1[b,i]", "terms": ["0[b,i,c]"], "whole": "({sum}) / {n}"}],
    }
)  # fmt: skip
