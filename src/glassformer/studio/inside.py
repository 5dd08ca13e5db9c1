"""The room *Inside*: a model and a text, looked at; what was changed, the answer before and after, which heads matter.

Looks are kept for a little while, so that a page can ask for one head of a long text at a time.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from glassformer.runs import Run
from glassformer.studio import asking
from glassformer.studio.asking import Content
from glassformer.studio.changes import Asked, read_changes, writes
from glassformer.studio.shelf import Shelf
from glassformer.trace import Trace
from glassformer.view.answers import shares
from glassformer.view.data import stage_numbers, view_data
from glassformer.view.looks import Look, Writes

LONGEST = 20_000  # characters of a text
WHOLE = 256  # tokens up to which all numbers come at once
LARGEST = 8_000_000  # bytes of an answer
KEPT = 6  # looks
MOST_HEADS = 256  # that are tried one by one

JSON = dict[str, Any]
# A text to begin with, for each kind of model; made sets know theirs by the name of the data.
_FIRST = MappingProxyType(
    {
        "negation": "this film is not good but dull",
        "dates": "the third of March 1984",
        "sorting": "3 1 2",
        "arithmetic": "12+7",
        "classify": "the film was not good at all",
        "translate": "Where is the station?",
        "generate": "To be, or not to be",
    }
)


class Inside:
    """The room, with the shelf it takes models from."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self._looks: OrderedDict[tuple[Any, ...], Look] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def actions(self) -> dict[str, Callable[[Content], JSON]]:
        """What can be asked for here."""
        return {
            "inside/start": self.start,
            "inside/look": self.look,
            "inside/head": self.head,
            "inside/matters": self.matters,
        }

    def start(self, content: Content) -> JSON:
        """The models, and a text to begin with for each."""
        models = [self.shelf.about(name) for name in self.shelf.names]
        for each in models:
            each["first"] = _FIRST.get(each.get("data", ""), _FIRST.get(each.get("task", ""), ""))
        return {"models": models}

    def look(self, content: Content) -> JSON:
        """What is seen, with what it answered before it was changed."""
        name, text, target, changes = self._asked(content)
        look = self._look(name, text, target, changes)
        long = max(len(look.texts.own), len(look.texts.context)) > WHOLE
        data = view_data(look, limit=LARGEST, later=long)
        data["off"] = [_head_name(each) for each in changes if each.kind == "head off"]
        before = self._look(name, text, target, ()).answer if changes else None
        return {"data": data, "before": before}

    def head(self, content: Content) -> JSON:
        """The numbers of one head of one stage."""
        head = None if content.get("head") is None else asking.whole(content, "head", least=0, most=4096)
        return stage_numbers(self._look(*self._asked(content)), asking.text(content, "address"), head)

    def matters(self, content: Content) -> JSON:
        """For every head: how much of the answer moves when it is switched off, from 0 to 1."""
        name, text, target, _ = self._asked(content)
        run, usual = self.shelf.get(name), self._look(name, text, target, ())
        found: JSON = {}
        for address, count in _heads(usual.trace):
            for head in range(count):
                if len(found) >= MOST_HEADS:
                    break
                asked = Asked("head off", address, head)
                found[_head_name(asked)] = _moved(usual.trace, self._seen(run, text, target, (asked,)).trace)
        return {"matters": found}

    # --- looking ---

    def _asked(self, content: Content) -> tuple[str, str, str | None, tuple[Asked, ...]]:
        text = asking.text(content, "text", longest=LONGEST)
        target = asking.text(content, "target", default="", longest=LONGEST)
        return asking.text(content, "model"), text, target or None, read_changes(content, LONGEST)

    def _look(self, name: str, text: str, target: str | None, changes: tuple[Asked, ...]) -> Look:
        run = self.shelf.get(name)
        key = (run, text, target, changes)
        with self._lock:
            if key in self._looks:
                self._looks.move_to_end(key)
                return self._looks[key]
        look = self._seen(run, text, target, changes)
        with self._lock:
            self._looks[key] = look
            while len(self._looks) > KEPT:
                self._looks.popitem(last=False)
        return look

    def _seen(self, run: Run, text: str, target: str | None, changes: tuple[Asked, ...]) -> Look:
        write = writes(changes, lambda other: look_at(run, other, target).trace)
        return look_at(run, text, target, write or None)


def look_at(run: Run, text: str, target: str | None = None, write: Writes | None = None) -> Look:
    """A look for which a language model only reads: passes that are compared must have as many tokens. The page around
    it says which model it is."""
    longest = 0 if run.card.task == "generate" else None
    return replace(run.look(text, target=target, longest=longest, write=write).look, title="", about="")


# --- heads --------------------------------------------------------------------------------------------------------


def _heads(trace: Trace) -> list[tuple[str, int]]:
    """Where heads hand over what they mixed, and how many they are."""
    mixed = [entry for entry in trace.entries.values() if entry.stage.name == "mixed" and entry.values.ndim == 4]
    return [(entry.address, entry.values.shape[1]) for entry in mixed]


def _head_name(asked: Asked) -> str:
    """`encoder.0.self/2`, as the view calls it."""
    return f"{asked.address.rpartition('.')[0]}/{asked.head}"


def _moved(before: Trace, after: Trace) -> float:
    """The share of the answer's probability that went elsewhere: for text that goes on, of its next token; for a
    translation, the mean over its tokens."""
    one, other = shares(before["logits"])[0], shares(after["logits"])[0]
    if one.ndim == 2 and not any(address.startswith("decoder") for address in before):
        one, other = one[-1], other[-1]
    return float(0.5 * np.abs(one - other).sum(-1).mean())
