"""The operations of the catalogue: for each, which cells make a number and how they are written. The only such table.

`arithmetic.py` works a number from it, and the page spells one from the same trees; both know no operation by name.
The table computes nothing and knows no model.

How it is read (the signs are those of `calculator.py`):
    0[^,i]     a cell of operand 0, its place worked from the number's own: `*` all of that, `^` all but the last,
               `b h r c` batch, head, row and column, `i` the running number; `m[…]` is a cell of the stage itself
    0#-1       the length of the last axis of operand 0
    terms      how each term is written. `i<n: …` one for each i, `i<n, x: …` where x is not 0; a term whose operand is
               absent is left out
    whole      how the terms make the number; without it they are added up. {sum} all terms, {list} with commas,
               {0} the first, {c} the one of the number's column,
             {r} of its row, {n} how many, {top} a name of `let`; a part in <…>
               goes with its absent term
    worth      the same to be worked, where what is written would lose digits or is said in words; {terms} is their list
    when       an operation has several cases: the first whose condition holds
    let        names for what is found once: `top(i<n: …)` where the largest stands, `count(i<n: …)` how many are not 0
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from glassformer.stages.calculator import term, tree


@dataclass(frozen=True)
class Case:
    """How a number is made, if `when` holds."""

    terms: tuple[str, ...]
    whole: str = ""
    worth: str = ""
    when: str = ""
    let: Mapping[str, str] = field(default_factory=dict)


def _one(*terms: str, whole: str = "", worth: str = "") -> tuple[Case, ...]:
    return (Case(terms, whole, worth),)


def _largest(term_: str) -> tuple[Case, ...]:
    return _one(term_, whole="max({list})", worth="largest({terms})")


def _averaged(term_: str) -> tuple[Case, ...]:
    return _one(term_, whole="({sum}) / {n}")


# Where the largest of a row stands, and what it is. e^±300 can be written down; beyond, the top is taken off first.
_TOP = MappingProxyType({"t": "top(i<0#-1: 0[^,i])", "top": "0[^,t]"})
_POWER = "i<0#-1: e^0[^,i]"
_POWER_BELOW_TOP = "i<0#-1: e^(0[^,i] − 0[^,t])"
_TOP_OF_COLUMN = MappingProxyType({"t": "top(i<0#2: 0[b,h,i,c])", "top": "0[b,h,t,c]"})
_POWER_OF_COLUMN = "i<0#2: e^0[b,h,i,c]"
_POWER_OF_COLUMN_BELOW_TOP = "i<0#2: e^(0[b,h,i,c] − 0[b,h,t,c])"
_LENGTH = MappingProxyType({"n": "count(i<1#-1: 1[b,i])"})  # how many words are real
_GROUP = "h*1#1//m#1"  # the key/value head that serves head h
# Of so many buckets, `near` have one distance each; the others are as wide as each other on a scale of logarithms.
_BUCKETS = MappingProxyType({"half": "1#0//2", "near": "1#0//4", "wide": "half-near", "last": "half-1"})
_BUCKETS_BACK = MappingProxyType({"near": "1#0//2", "wide": "1#0-near", "last": "1#0-1"})
_FAR = "min({last}, {near} + ⌊ln(|{0}| / {near}) / ln({1} / {near}) × {wide}⌋)"
_WORTH = "(−max(−last, −(near + ln(abs({0}) / near) / ln({1} / near) × wide // 1)))"

OPERATIONS: MappingProxyType[str, tuple[Case, ...]] = MappingProxyType(
    {
        # attention
        "project": _one("i<1#0: 0[^,i] × 1[i,c]", "2[c]"),
        "project to heads": _one("i<1#0: 0[b,r,i] × 1[i,h*m#-1+c]", "2[h*m#-1+c]"),
        "split heads": _one("0[b,r,h*m#-1+c]"),
        "three side by side": _one(
            "i<1, c<0#-1: 0[r,c]", "i<1, c>0#-1-1 and c<0#-1+1#-1: 1[r,c-0#-1]", "i<1, c>0#-1+1#-1-1: 2[r,c-0#-1-1#-1]"
        ),
        "cut first": _one("0[b,r,h*m#-1+c]"),
        "cut second": _one("0[b,r,1#-1+h*m#-1+c]"),
        "cut third": _one("0[b,r,1#-1+2#-1+h*m#-1+c]"),
        "rotate": (
            Case(("0[*]",), when="c>2*1#-1-1"),
            Case(("0[*] × 1[b,r,c]", "0[b,h,r,c+1#-1] × 2[b,r,c]"), "{0} − {1}", when="c<1#-1"),
            Case(("0[*] × 1[b,r,c-1#-1]", "0[b,h,r,c-1#-1] × 2[b,r,c-1#-1]")),
        ),
        "dot": _one(f"i<0#-1: 0[b,h,r,i] × 1[b,{_GROUP},c,i]"),
        "distance": _one(f"i<0#-1: (0[b,h,r,i] − 1[b,{_GROUP},c,i])²", whole="√({sum})"),
        "squared distance": _one(f"i<0#-1: (0[b,h,r,i] − 1[b,{_GROUP},c,i])²"),
        "talk": _one("i<1#1: 1[h,i] × 0[b,i,r,c]", "2[h]"),
        "renormalise": _one("i<0#-1: 0[^,i]", "1[]", whole="{c} / ({sum})"),
        "synthesize": _one("i<0#-1: relu(0[b,h,r,i]) × 1[h,i,c]", "2[h,c]"),
        "cut": _one("0[h,r,c]"),
        "inverse root": _one("0[]", whole="1 / √({0})"),
        "scale": _one("1[] × 0[*]"),
        "cap": _one("0[*]", "1[]", whole="{1} × tanh({0} / {1})"),
        "add": _one("0[*]", "1[*]"),
        "subtract": _one("0[b,r]", "1[b,c]", whole="{0} − {1}"),
        "penalise": _one("0[h]", "1[b,r,c]", whole="−{0} × |{1}|", worth="−{0} × abs({1})"),
        "pick": _one("0[b,r,c]", "1[0[b,r,c],h]", whole="bucket {0}: {1}", worth="{1}"),
        "bucket": (
            Case(("0[*]",), "{half} + |{0}|", "half + abs({0})", "0[*]<0 and abs(0[*])<near", _BUCKETS),
            Case(("0[*]",), "{0}", when="0[*]<near and 0[*]>0−1", let=_BUCKETS),
            Case(("0[*]", "2[]"), "{half} + " + _FAR, "half + " + _WORTH, "0[*]<0", _BUCKETS),
            Case(("0[*]", "2[]"), _FAR, _WORTH, let=_BUCKETS),
        ),
        "bucket backwards": (
            Case(("0[*]",), "0, since {0} is ahead", "0", "0[*]<0"),
            Case(("0[*]",), "{0}", when="0[*]<near", let=_BUCKETS_BACK),
            Case(("0[*]", "2[]"), _FAR, _WORTH, let=_BUCKETS_BACK),
        ),
        "mask": (
            Case(("0[*]",), "{0}, since it may look", when="1[*]"),
            Case(("0[*]",), "hidden", worth="−∞"),
        ),
        "softmax": (
            Case((), "0, since this row may look at nothing", when="top=−∞", let=_TOP),
            Case((_POWER_BELOW_TOP,), "{c} / ({sum})", when="abs(top)>300", let=_TOP),
            Case((_POWER,), "{c} / ({sum})"),
        ),
        "softmax over queries": (
            Case((), "0, since nobody may look here", when="top=−∞", let=_TOP_OF_COLUMN),
            Case((_POWER_OF_COLUMN_BELOW_TOP,), "{r} / ({sum})", when="abs(top)>300", let=_TOP_OF_COLUMN),
            Case((_POWER_OF_COLUMN,), "{r} / ({sum})"),
        ),
        "quiet softmax": (
            Case(
                (_POWER_BELOW_TOP,), "{c} / (e^(−{top}) + {sum})", "{c} / sum(e^(−{top}), {terms})", "top>300", _TOP
            ),
            Case((_POWER,), "{c} / (1 + {sum})", "{c} / sum(1, {terms})"),
        ),
        "sigmoid": _one("0[*]", whole="1 / (1 + e^(−{0}))", worth="sigmoid({0})"),
        "drop": (  # the draw itself is the one thing no formula knows
            Case(("0[*]",), "0, since {0} was dropped", when="m[*]=0 and 0[*]≠0"),
            Case(("0[*]", "1[]"), "{0} / (1 − {1})"),
        ),
        "mix": _one(f"i<1#2: 0[b,h,r,i] × 1[b,{_GROUP},i,c]"),
        "join heads": _one("0[b,c//0#-1,r,c%0#-1]"),
        "same": _one("0[*]"),
        # layers
        "mean": _averaged("i<0#-1: 0[*,i]"),
        "variance": _averaged("i<0#-1: (0[*,i] − 1[*])²"),
        "mean square": _averaged("i<0#-1: 0[*,i]²"),
        "layer norm": _one(
            "0[*]", "1[^]", "2[^]", "3[]", "4[c]", "5[c]", whole="({0} − {1}) / √({2} + {3})< × {4}>< + {5}>"
        ),
        "rms norm": _one("0[*]", "1[^]", "2[]", "3[c]", whole="{0} / √({1} + {2})< × {3}>"),
        "relu": _one("0[*]", whole="max(0, {0})"),
        "gelu": _one("0[*]", whole="{0} × Φ({0})"),
        "tanh gelu": _one("0[*]", whole="½ × {0} × (1 + tanh(√(2/π) × ({0} + 0.044715 × {0}³)))"),
        "squared relu": _one("0[*]", whole="max(0, {0})²"),
        "silu": _one("0[*]", whole="{0} × sigmoid({0})"),
        "swiglu": _one("1[*]", "0[*]", whole="{0} × sigmoid({0}) × {1}"),
        "geglu": _one("1[*]", "0[*]", whole="{0} × Φ({0}) × {1}"),
        "reglu": _one("1[*]", "0[*]", whole="max(0, {0}) × {1}"),
        # models
        "wave divisor": _one("0[]", "1[*]", "2[]", whole="{0}^(2 × {1} / {2})", worth="e^(ln({0}) × 2 × {1} / {2})"),
        "divide": _one("0[r] / 1[c]"),
        "wave": (
            Case(("0[^,c//2]",), "sin({0})", when="c%2=0"),
            Case(("0[^,c//2]",), "cos({0})"),
        ),
        "look up": (Case(("2[] × 1[0[b,r],c]",), when="2?"), Case(("1[0[b,r],c]",))),
        "recur": (
            Case((), "0, since the text ends before", when="r>max(1,n)-1", let={"n": "count(i<5#-1: 5[b,i])"}),
            Case(
                ("i<1#0: 0[b,r,i] × 1[i,c]", "2[c]", "i<3#0, r>0: m[b,r-1,i] × 3[i,c]", "4[c]"), whole="tanh({sum})"
            ),
        ),
        "project before": _one("i<1#0, r>0: 0[b,r-1,i] × 1[i,c]", "2[c]"),
        "lstm gates": (
            Case(("0[*]", "1[*]"), "tanh({0} + {1})", when="c//(m#-1//4)=2"),
            Case(("0[*]", "1[*]"), "1 / (1 + e^(−({0} + {1})))", "sigmoid({0} + {1})"),
        ),
        "gru gates": (
            Case(("0[*]", "m[b,r,c-2*(m#-1//3)]", "1[*]"), "tanh({0} + {1} × {2})", when="c//(m#-1//3)=2"),
            Case(("0[*]", "1[*]"), "1 / (1 + e^(−({0} + {1})))", "sigmoid({0} + {1})"),
        ),
        "keep and write words": _one("i<1, r>0: 0[b,r,m#-1+c] × m[b,r-1,c]", "0[b,r,c] × 0[b,r,2*m#-1+c]"),
        "bend both": _one("0[*]", "1[*]", whole="tanh({0} + {1})"),
        "show cells": _one("0[b,r,3*m#-1+c]", "1[*]", whole="{0} × tanh({1})"),
        "blend words": (
            Case(("0[b,r,m#-1+c]", "0[b,r,2*m#-1+c]"), "(1 − {0}) × {1}", when="r<1"),
            Case(("0[b,r,m#-1+c]", "0[b,r,2*m#-1+c]", "m[b,r-1,c]"), "(1 − {0}) × {1} + {0} × {2}"),
        ),
        "up to the end": (
            Case((), "0, since the text ends before", when="r>max(1,n)-1", let=_LENGTH),
            Case(("0[*]",)),
        ),
        "both ways": (
            Case((), "0, since the text ends before", when="r>max(1,n)-1", let=_LENGTH),
            Case(("0[*]",), when="c<0#-1"),
            Case(("2[b,max(1,n)-1-r,c-0#-1]",), let=_LENGTH),
        ),
        "end of way back": (Case(("0[b,max(1,n)-1,c]",), let=_LENGTH),),
        "last state": (Case(("0[b,max(1,n)-1,c]",), let=_LENGTH),),
        "largest": (Case(("0[b,c,t]",), "max(…) = {0}", worth="{0}", let={"t": "top(i<0#-1: 0[b,c,i])"}),),
        "fill": (
            Case((), "0, since the text ends before", when="r>0#1-1"),
            Case(("0[*]",), when="1[b,r]"),
            Case((), "0, since no word stands there"),
        ),
        "flatten": _one("0[b,c//0#-1,c%0#-1]"),
        "unroll texts": _one("0[b,r*1[]+c//0#-1,c%0#-1]"),
        "turn": _one("0[b,c,r]"),
        "add places": _one("i<0#1: 0[b,i,c]", "i<1#1: 1[b,i,c]", "i<2#1: 2[b,i,c]", "3[c]"),
        "first row": _one("0[b,0,c]"),
        "mean of real": _averaged("i<0#1, 1[b,i]: 0[b,i,c]"),
        # windows and blocks
        "unroll": _one("0[r*2[]+c//0#-1,c%0#-1]"),
        "slide": _one("i<1#0*1#1: 0[r*2[]+i//1#1,c*2[]+i%1#1] × 1[i//1#1,i%1#1]", "3[]"),
        "largest of column": _largest("i<0#0: 0[i,c]"),
        "largest of block": _largest("i<1[]*1[]: 0[r*1[]+i//1[],c*1[]+i%1[]]"),
        "largest of all": _largest("i<0#0*0#1: 0[i//0#1,i%0#1]"),
        # one step of writing
        "last row": _one("0[0,0#1-1,c]"),
        "place of largest": _one("i<0#-1: 0[i]", whole="argmax({list})", worth="top({terms})"),
        "delay": _one("i<1, c<1: 0[0]", "i<1, c>0: 1[c-1]"),
        "surprise": _one("0[1[2#-1-1]]", whole="−ln({0})"),
        # one step of a recurrent network
        "stack": _one("i<1, c<0#-1: 0[c]", "i<1, c>0#-1-1: 1[c-0#-1]"),
        "project both": _one("i<1#0: 0[i] × 1[i,c]", "i<3#0: 2[i] × 3[i,c]", "4[c]"),
        "project and let in": _one("i<1#0: 0[i] × 1[i,c]", "2[c]", "3[c] × 4[c]"),
        "times": _one("0[*] × 1[*]"),
        "tanh": _one("0[*]", whole="tanh({0})"),
        "keep and write": _one("0[*] × 1[*]", "2[*] × 3[*]"),
        "show cell": _one("0[*]", "1[*]", whole="{0} × tanh({1})"),
        "blend": _one("0[*]", "1[*]", "2[*]", whole="(1 − {0}) × {1} + {0} × {2}"),
    }
)  # fmt: skip


@functools.cache
def resolved(operation: str) -> list[dict[str, Any]]:
    """The cases of an operation as plain data: every text that leads to a cell or a term's value read into a tree."""
    return [
        {
            "let": {name: tree(text) for name, text in case.let.items()},
            "when": tree(case.when) if case.when else None,
            "terms": [term(text) for text in case.terms],
            "whole": case.whole,
        }
        for case in OPERATIONS[operation]
    ]
