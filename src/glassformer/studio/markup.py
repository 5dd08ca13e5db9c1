"""Our own markup as nested lists, so that a page can build it node by node and never has to trust a string."""

import re
from typing import Any
from xml.etree import ElementTree

Tree = list[Any]  # tag, attributes, then texts and trees
# Signs that XML cannot hold; notes may bring any of them.
_UNFIT = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def markup_tree(markup: str) -> Tree:
    """Well-formed markup: tag, attributes, and what stands inside."""
    return _lists(ElementTree.fromstring(f"<div>{_UNFIT.sub('�', markup)}</div>"))


def _lists(element: ElementTree.Element) -> Tree:
    inside: list[Any] = [element.text] if element.text else []
    for child in element:
        inside.append(_lists(child))
        if child.tail:
            inside.append(child.tail)
    return [element.tag, dict(element.attrib), *inside]
