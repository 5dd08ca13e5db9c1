"""The room *Inside*: a model and a text, why it answers so, and a look at every number; what was changed, the answer
before and after, which heads matter.

Looks are kept for a little while, so that a page can ask for one head of a long text at a time.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from glassformer.errors import GlassformerError, InputError
from glassformer.inside import look_at_text
from glassformer.inside.answers import shares
from glassformer.inside.document.data import stage_numbers, view_data
from glassformer.inside.hugging_face import HuggingFaceModel, is_hugging_face
from glassformer.inside.looks import Look, Writes
from glassformer.inside.why.telling.why_page import Why
from glassformer.inside.why.twins import negated, swapped
from glassformer.runs.folder import RunFolder
from glassformer.runs.run import Run, pocket_folders
from glassformer.runs.texts_to_try import READ_BEFORE, TO_TRY
from glassformer.stages.trace import Trace
from glassformer.studio import asking
from glassformer.studio.asking import Content
from glassformer.studio.first_looks import first_look
from glassformer.studio.rooms.changes import NETWORK, Asked, read_changes, writes
from glassformer.studio.shelf import Shelf
from glassformer.text.made_sets import MADE
from glassformer.text.tasks import TASKS
from glassformer.text.token_kinds import UNKNOWN

LONGEST = 20_000  # characters of a text
MOST_IDS = 10**7  # of any vocabulary
WHOLE = 256  # tokens up to which all numbers come at once
LARGEST = 8_000_000  # bytes of an answer
KEPT = 6  # looks
MOST_PARTS = 256  # that are tried one by one
TOKENS_SHOWN, ROWS_SHOWN, NUMBERS_SHOWN = 60, 5, 6  # of a text on its way into a model
COMPANY = "A short text"
FOR_ANY = "The cat sat on the mat."  # a text for a model of which nothing is known

JSON = dict[str, Any]
Model = Run | HuggingFaceModel


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
            "inside/why": self.why,
            "inside/twin": self.twin,
            "inside/look": self.look,
            "inside/head": self.head,
            "inside/matters": self.matters,
            "inside/tokens": self.tokens,
        }

    def start(self, content: Content) -> JSON:
        """The models, for each a text to begin with, and some to try; one that is asked for may stand behind them, and
        if there is none of that name, its row says so."""
        wanted = asking.text(content, "model", default="")
        missing = self._missing(wanted)
        names = list(self.shelf.names)
        if wanted and not missing and wanted not in names:
            names.append(wanted)  # as it was before training
        models = [self.shelf.about(name) for name in names]
        for each in models:
            data = each.get("data", "")
            each["called"] = self.shelf.called(each["name"])
            each["first"] = first_text(self.shelf.folder(each["name"]), data, each.get("task", ""))
            kept = first_look(self.shelf.folder(each["name"])) if each["name"] in self.shelf.names else {}
            each["look"] = kept.get("why") if kept.get("text") == each["first"] else None
            each["heads"] = kept.get("heads")
            each["examples"] = list(dict.fromkeys([each["first"], *TO_TRY.get(data, ())]))
            note, texts = self._read_before(each["name"])
            each["read_before"] = {"note": note, "texts": list(texts)}
        return {"models": models + missing}

    def _missing(self, wanted: str) -> list[JSON]:
        """What is said of a model that is asked for and not there."""
        try:
            if wanted:
                self.shelf.folder(wanted)
        except GlassformerError as error:
            return [{"name": wanted, "error": str(error)}]
        return []

    def _read_before(self, name: str) -> tuple[str, tuple[str, ...]]:
        """Which of the texts to try a bundled model has learnt from, and how that is said."""
        came_along = name in self.shelf.names and self.shelf.folder(name) in pocket_folders()
        return READ_BEFORE.get(name, ("", ())) if came_along else ("", ())

    def why(self, content: Content) -> JSON:
        """Why it answers so: in words, over the words, by blocks and heads, against a twin."""
        return self.reasons(content).to_dict()

    def reasons(self, content: Content) -> Why:
        """The same as others ask for it who draw it."""
        name, text, target, _ = self._asked(content)
        rival, instead = (asking.text(content, each, default="", longest=LONGEST) for each in ("rival", "instead"))
        at = asking.whole(content, "at", least=1, most=LONGEST) if content.get("at") is not None else None
        chosen = content.get("rival_id")
        over = rival or None if chosen is None else asking.whole(content, "rival_id", least=0, most=MOST_IDS)
        return self.shelf.get(name).why(text, target=target, at=at, rival=over, instead=instead or None)

    def twin(self, content: Content) -> JSON:
        """Another text to ask instead: with two words in each other's place, or negated."""
        text = asking.text(content, "text", longest=LONGEST)
        if content.get("negate"):
            return {"text": negated(text)}
        one, other = asking.texts(content, "swap", 2)
        return {"text": swapped(text, one, other)}

    def look(self, content: Content) -> JSON:
        """What is seen, with what it answered before it was changed."""
        name, text, target, changes = self._asked(content)
        look = self._look(name, text, target, changes)
        long = max(len(look.texts.own), len(look.texts.context)) > WHOLE
        data = view_data(look, limit=LARGEST, later=long, shown=_shown(look, asking.text(content, "at", default="")))
        data["off"] = [_part_name(each) for each in changes if each.kind.endswith("off")]
        before = self._look(name, text, target, ()).answer if changes else None
        return {"data": data, "before": before}

    def looked(self, content: Content) -> Look:
        """The look itself, as others ask for it who need every number."""
        return self._look(*self._asked(content))

    def head(self, content: Content) -> JSON:
        """The numbers of one head of one stage."""
        head = None if content.get("head") is None else asking.whole(content, "head", least=0, most=4096)
        return stage_numbers(self.looked(content), asking.text(content, "address"), head)

    def matters(self, content: Content) -> JSON:
        """For every head and feed-forward network: how much of the answer moves when it is off, from 0 to 1."""
        name, text, target, _ = self._asked(content)
        run, usual = self.shelf.model(name), self._look(name, text, target, ())
        if "logits" not in usual.trace:
            raise InputError(f"'{name}' gives no logits, so it cannot be told how far its answer moves.")
        found: JSON = {}
        for asked in _parts(usual.trace)[:MOST_PARTS]:
            found[_part_name(asked)] = _moved(usual, self._seen(run, text, target, (asked,), usual))
        return {"matters": found}

    def tokens(self, content: Content) -> JSON:
        """The way of a text into the model, beside another one: alone it would need no padding. Of long ones the
        beginning."""
        name, text, _, _ = self._asked(content)
        run = self.shelf.get(name)
        others = (first_text(self.shelf.folder(name), run.card.data, run.card.task), TASKS[run.card.task].first)
        company = next(other for other in (*others, COMPANY) if other != text)
        way = run.tokenize([text, company])
        steps, rows = way.texts[0], way.rows
        return {
            "standardised": steps.standardised if way.kind == "word" else None,
            "tokens": steps.tokens[:TOKENS_SHOWN],
            "ids": steps.ids[:TOKENS_SHOWN],
            "count": len(steps.ids),
            "lost": steps.lost,
            "unknown": UNKNOWN,
            "company": company,
            "batch": way.ids[:, :TOKENS_SHOWN].tolist(),
            "real": way.real[:, :TOKENS_SHOWN].tolist(),
            "shape": way.ids.shape,
            "rows": None if rows is None else rows[0, :ROWS_SHOWN, :NUMBERS_SHOWN].tolist(),
            "width": None if rows is None else rows.shape[2],
            "kind": way.kind,
            "vocabulary": way.vocabulary,
        }

    # --- looking ---

    def _asked(self, content: Content) -> tuple[str, str, str | None, tuple[Asked, ...]]:
        text = asking.text(content, "text", longest=LONGEST)
        target = asking.text(content, "target", default="", longest=LONGEST)
        return asking.text(content, "model"), text, target or None, read_changes(content, LONGEST)

    def _look(self, name: str, text: str, target: str | None, changes: tuple[Asked, ...]) -> Look:
        run = self.shelf.model(name)
        key = (run, text, target, changes)
        with self._lock:
            if key in self._looks:
                self._looks.move_to_end(key)
                return self._looks[key]
        like = self._look(name, text, target, ()) if changes else None
        look = self._seen(run, text, target, changes, like)
        with self._lock:
            self._looks[key] = look
            while len(self._looks) > KEPT:
                self._looks.popitem(last=False)
        return look

    def _seen(
        self, run: Model, text: str, target: str | None, changes: tuple[Asked, ...], like: Look | None = None
    ) -> Look:
        write = writes(changes, lambda other: reading_look(run, other, target).trace)
        return reading_look(run, text, target, write or None, like)


def first_text(folder: Path, data: str, task: str) -> str:
    """A text to begin with: one that the run validated on; of a made set its own, of a known one the first that is to
    be tried, else the task's."""
    if is_hugging_face(folder):
        return FOR_ANY
    own = _kept_text(folder)
    if own:
        return own
    if (made := data.partition(":")[0]) in MADE:
        return MADE[made].first
    if data in TO_TRY:
        return TO_TRY[data][0]
    return TASKS[task].first if task in TASKS else ""


def _kept_text(folder: Path) -> str:
    try:
        kept = (RunFolder(folder).read_about() or {}).get("first", "")
    except GlassformerError:  # a damaged note spoils no model
        return ""
    return kept[:LONGEST] if isinstance(kept, str) else ""


def reading_look(
    run: Model, text: str, target: str | None = None, write: Writes | None = None, like: Look | None = None
) -> Look:
    """A look for which a model of running text only reads: it has no end of its own."""
    if isinstance(run, HuggingFaceModel):
        return run.look(text, target=target, longest=None if run.reads_two else 0, write=write, like=like)
    longest = 0 if run.objective.goes_on else None
    return look_at_text.look_at(
        run.model, run.card, run.tokens, text, target=target, longest=longest, write=write, like=like
    )


def _shown(look: Look, at: str) -> str:
    """The stage that is shown first: the one asked for, or the one at which the page opens."""
    if at in look.trace:
        return at
    patterns = [entry.address for entry in look.trace.entries.values() if entry.stage.name == "weights"]
    crossing = [each for each in patterns if look.trace.entry(each).scope + "context" in look.trace]
    found: list[str] = [*crossing[-1:], *patterns, *look.trace]
    return found[0]


# --- heads and networks -------------------------------------------------------------------------------------------


def _parts(trace: Trace) -> list[Asked]:
    """Each head that hands over what it mixed, then each feed-forward network, switched off."""
    mixed = [entry for entry in trace.entries.values() if entry.stage.name == "mixed" and entry.values.ndim == 4]
    heads = [Asked("head off", entry.address, head) for entry in mixed for head in range(entry.values.shape[1])]
    networks = [entry.address for entry in trace.entries.values() if entry.stage.name == NETWORK]
    return [*heads, *(Asked("network off", address) for address in networks)]


def _part_name(asked: Asked) -> str:
    """`encoder.0.self/2` or `encoder.0.feed_forward`, as the view calls it."""
    scope = asked.address.rpartition(".")[0]
    return scope if asked.head is None else f"{scope}/{asked.head}"


def _moved(before: Look, after: Look) -> float:
    """The share of the answer's probability that went elsewhere: the mean over all tokens of an answer or translation;
    for text that goes on, of its next token."""
    one, other = shares(before.trace["logits"])[0], shares(after.trace["logits"])[0]
    begins = (before.answer or {}).get("read", 1) - 1  # tokens before the answer
    moved = np.abs(np.atleast_2d(one - other)).sum(-1)
    return float(0.5 * moved[begins:].mean())
