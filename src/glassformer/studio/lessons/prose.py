"""The words of a lesson as nested lists, for a page to build node by node: paragraphs, *emphasis*, **more of it**, and
`signs`, which get the colour of what they stand for. There is no HTML in a lesson, and no script: both stay text."""

import re
from collections.abc import Iterable
from html import escape
from types import MappingProxyType
from typing import Any

Tree = list[Any]  # tag, attributes, then texts and trees
_MARKED = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*")
# The colours of the house: queries blue, keys orange, values green, scores and weights violet.
ROLES = MappingProxyType(
    {"Q": "query", "W_Q": "query", "K": "key", "W_K": "key", "V": "value", "W_V": "value", "H": "value"}
    | {"S": "score", "A": "score", "Z": "score"}
)


def paragraphs(lines: Iterable[str]) -> list[Tree]:
    """One tree for each paragraph; an empty line parts them."""
    found: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            found[-1].append(line.strip())
        elif found[-1]:
            found.append([])
    return [["p", {}, *inline(" ".join(each))] for each in found if each]


def inline(text: str) -> list[Any]:
    """A line of text with what is marked in it."""
    found: list[Any] = []
    last = 0
    for mark in _MARKED.finditer(text):
        if mark.start() > last:
            found.append(text[last : mark.start()])
        code, strong, _ = mark.groups()
        tag = "code" if code else "strong" if strong else "em"
        role = {"class": ROLES[code]} if code in ROLES else {}
        found.append([tag, role, *(_sign(code) if code else [mark[mark.lastindex or 0]])])
        last = mark.end()
    return [*found, text[last:]] if last < len(text) else found


def _sign(code: str) -> list[Any]:
    """`W_Q` is written as on the page, with its index below."""
    letter, below, index = code.partition("_")
    return [letter, ["sub", {}, index]] if below and len(letter) == 1 and index.isalnum() else [code]


def tree_html(tree: Tree | str) -> str:
    """The same as markup, for a page that needs no script to be read."""
    if isinstance(tree, str):
        return escape(tree)
    tag, attributes, *children = tree
    named = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    return f"<{tag}{named}>{''.join(tree_html(each) for each in children)}</{tag}>"
