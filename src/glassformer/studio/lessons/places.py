"""The places a lesson leads to: whether an address of the studio exists, and the numbers that stand there.

It asks the rooms, and keeps what it saw. How a lesson is written it does not know.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from glassformer.by_hand.worksheets.solution import Solution, explain
from glassformer.by_hand.worksheets.worksheet import example_names, from_mapping, from_sentence, read_example
from glassformer.errors import InputError, nearest
from glassformer.inside.looks import Look
from glassformer.inside.parts import Texts
from glassformer.inside.why.telling.why_page import Why
from glassformer.stages.trace import Trace
from glassformer.studio.rooms.by_hand import sheet_mapping
from glassformer.studio.rooms.inside import Inside
from glassformer.studio.rooms.race import Races
from glassformer.studio.shelf import Shelf

Fields = Mapping[str, str]
# What may stand in the address of each room.
KNOWN: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "by-hand": ("example", "sentence", "sheet", "stage", "cell", "tab", "tokens"),
        "inside": (
            "model", "text", "target", "tab", "at", "head", "row", "cell", "view", "zoom", "changes", "rival",
            "rival_id", "token", "instead",
        ),
        "race": ("race", "text"),
        "train": (),
    }
)  # fmt: skip
TABS = MappingProxyType({"by-hand": ("check", "masks"), "inside": ("why", "numbers")})
VIEWS = ("stage", "heads", "answer")
SETTINGS = ("scale", "mask", "weigher")  # of a worksheet, what can be given otherwise beside its matrices
TYPED = ("text", "target")  # what a model is given
_HEAD = re.compile(r"(.*)/(\d+)")
_COMPARED = re.compile(r"(.+?)\s*(<|>|=)\s*(.+)")


class Places:
    """Every place of a studio with these models and races."""

    def __init__(self, shelf: Shelf, races: Races | None = None) -> None:
        self.shelf, self.inside = shelf, Inside(shelf)
        self.races = races or Races(shelf, ())

    def faults(self, fields: Fields) -> list[str]:
        """What is wrong with an address; nothing, if there is such a place."""
        room = fields.get("room", "")
        if room not in KNOWN:
            return [f"there is no room '{room}'; {nearest(room, KNOWN)}"]
        known = (*KNOWN[room], "room")
        found = [_strange(each, room, known) for each in fields if each not in known]
        tries: Mapping[str, Callable[[Fields], None]] = {
            "by-hand": self._by_hand, "inside": self._inside, "race": self._race, "train": lambda fields: None,
        }  # fmt: skip
        try:
            tries[room](fields)
        except InputError as error:
            found.append(str(error))
        return found

    def known(self, kind: str, name: str) -> None:
        """Whether there is such a model, or such an example."""
        if kind == "model":
            self.shelf.folder(name)
        elif name not in example_names():
            raise InputError(f"there is no example '{name}'; {nearest(name, example_names())}")

    def look(self, fields: Fields) -> Look:
        """What is seen there, with all its numbers."""
        if fields.get("room") == "by-hand":
            solution = self.solution(fields)
            sheet = solution.sheet
            texts = Texts(own=tuple(sheet.tokens), context=tuple(sheet.context_tokens))
            return Look(solution.trace, texts, sheet.title, sheet.about)
        if fields.get("room") != "inside":
            raise InputError(f"The room '{fields.get('room')}' has no stages; numbers stand in by-hand and inside.")
        return self.inside.looked({**fields, "changes": _json(fields.get("changes", "[]"), list)})

    def why(self, fields: Fields) -> Why | None:
        """Why a model answers so, if that is what this address opens; None where it opens numbers."""
        if fields.get("room") != "inside" or _is_deep(fields):
            return None
        at, over = (
            int(each) if each.isdigit() else None for each in (fields.get("token", ""), fields.get("rival_id", ""))
        )
        return self.inside.reasons({**fields, "at": at, "rival_id": over, "changes": []})

    def trace(self, fields: Fields) -> Trace:
        """Every stage there, under its address."""
        return self.look(fields).trace

    def solution(self, fields: Fields) -> Solution:
        """The worksheet there, worked."""
        if fields.get("sheet"):
            return explain(from_mapping(_json(fields["sheet"], dict), "own"))
        if fields.get("sentence"):
            return explain(from_sentence(fields["sentence"], width=4, heads=2, seed=0))  # as the page makes one
        name = fields.get("example", "")
        if not name:
            raise InputError("nothing says what is shown: put 'example: i-love-ai' or 'model: sentiment' on top.")
        self.known("example", name)
        solution = explain(read_example(name))
        return solution.in_columns() if fields.get("tokens") == "columns" else solution

    def number(self, fields: Fields, address: str) -> float:
        """A number there, such as `weights[1,2]`; or a plain number."""
        try:
            return float(address.replace("−", "-"))
        except ValueError:
            trace = self.trace(fields)
            where, index = trace.find(address)
            return float(trace[where][index])

    def holds(self, fields: Fields, fact: str) -> tuple[bool, str]:
        """Whether a fact such as `weights[0,1] > weights[0,0]` is one, and how it reads in numbers."""
        found = _COMPARED.fullmatch(fact.strip())
        if found is None:
            raise InputError(f"'{fact}' is no comparison; write it as weights[0,1] > 0.5, with <, > or =.")
        left, right = self.number(fields, found[1].strip()), self.number(fields, found[3].strip())
        true = {"<": left < right, ">": left > right, "=": abs(left - right) <= 5e-4 * max(1.0, abs(right))}[found[2]]
        return true, f"{left:.4g} {found[2]} {right:.4g}"

    # --- what can be done there ---

    def cell(self, fields: Fields, what: str) -> tuple[str, tuple[int, ...]]:
        """The address and the whole index of a number."""
        return self.trace(fields).find(what)

    def given(self, fields: Fields, name: str) -> Any:
        """What is given there, as it is before anybody changes it: a matrix or a setting of the worksheet, or the text
        that a model is asked about; None if nothing was said."""
        if fields.get("room") not in ("by-hand", "inside"):
            raise InputError("only the rooms by-hand and inside have givens that can be changed.")
        here = fields if fields["room"] == "inside" else sheet_mapping(self.solution(fields).sheet)
        known = TYPED if fields["room"] == "inside" else (*self.solution(fields).sheet.givens, *SETTINGS)
        if name not in known:
            raise InputError(f"there is no given '{name}'; {nearest(name, known)}")
        return None if here.get(name) == "" else here.get(name)

    def shown(self, fields: Fields) -> dict[str, str]:
        """The address as the page has it: a sentence is a worksheet there."""
        if not fields.get("sentence"):
            return dict(fields)
        sheet = json.dumps(sheet_mapping(self.solution(fields).sheet), ensure_ascii=False, separators=(",", ":"))
        return {**{name: value for name, value in fields.items() if name != "sentence"}, "sheet": sheet}

    def head(self, fields: Fields, what: str) -> tuple[str, int] | None:
        """The address at which a head hands over what it mixed, and its number counted from 0; None for any head."""
        if what == "any" and fields.get("room") == "inside":
            return None
        found = _HEAD.fullmatch(what)
        if found is None:
            raise InputError(f"'{what}' names no head; write encoder.0.self/1, heads counted from 0, or any.")
        trace, address = self.trace(fields), f"{found[1]}.mixed".lstrip(".")
        heads = trace.entry(address).values.shape[1]
        if int(found[2]) >= heads:
            raise InputError(f"{found[1]} has {heads} heads, counted from 0; there is no head {found[2]}.")
        return address, int(found[2])

    # --- rooms ---

    def _by_hand(self, fields: Fields) -> None:
        _tab(fields)
        trace = self.solution(fields).trace
        if fields.get("stage"):
            trace.entry(fields["stage"])
        if fields.get("cell"):
            stage, *index = fields["cell"].split(",")
            trace.find(f"{stage}[{','.join(index)}]")

    def _inside(self, fields: Fields) -> None:
        _tab(fields)
        if fields.get("view", "stage") not in VIEWS:
            raise InputError(f"there is no view '{fields['view']}'; {nearest(fields['view'], VIEWS)}")
        if fields.get("model"):
            self.known("model", fields["model"])
        if not fields.get("text"):
            raise InputError(f"nothing says what '{fields.get('model', '')}' reads: put 'text: …' beside its model.")
        trace = self.trace(fields)
        if _is_deep(fields):
            _place(trace, fields)
        else:
            at = fields.get("token", "1")
            asked = {**fields, "at": int(at) if at.isdigit() and int(at) else 1, "changes": []}
            self.inside.why(asked)

    def _race(self, fields: Fields) -> None:
        name = fields.get("race", next(iter(self.races.races)))
        self.races.table({"race": name})


def _is_deep(fields: Fields) -> bool:
    """Whether an address of the room Inside opens every number, as the page decides it; else it opens why."""
    if fields.get("tab"):
        return fields["tab"] == "numbers"
    return bool(fields.get("at")) or fields.get("changes", "[]") not in ("", "[]")


def _strange(name: str, room: str, known: Sequence[str]) -> str:
    """What is said of a field that a room does not have: of one that another room has, why this one was taken."""
    if room == "inside" and name in KNOWN["by-hand"]:
        return (
            f"'{name}' belongs to a worksheet, and this view shows a model, since the front matter or the view names "
            "one; write 'example: i-love-ai' into the view, or for a model 'at: encoder.0.self.weights'."
        )
    if room == "by-hand" and name in KNOWN["inside"]:
        return (
            f"'{name}' belongs to a model, and this view shows a worksheet, since neither the front matter nor the "
            "view names a model; write 'model: sentiment' and 'text: …' into it, or for a worksheet 'stage: weights'."
        )
    return f"'{name}' is not part of an address; {nearest(name, known)}"


def _place(trace: Trace, fields: Fields) -> None:
    """Whether the stage, the head, the row and the number are there."""
    if "at" not in fields:
        return
    values = trace.entry(fields["at"]).values
    if head := fields.get("head"):
        heads = values.shape[1] if values.ndim == 4 else 1
        if not head.isdigit() or int(head) >= heads:
            raise InputError(f"{fields['at']} has {heads} heads, counted from 0; there is no head {head}.")
    if row := fields.get("row"):
        rows = values.shape[-2] if values.ndim > 1 else 1
        if not row.isdigit() or int(row) >= rows:
            raise InputError(f"{fields['at']} has {rows} rows, counted from 0; there is no row {row}.")
    if fields.get("cell"):
        trace.find(f"{fields['at']}[{fields['cell']}]")


def _tab(fields: Fields) -> None:
    known = TABS[fields["room"]]
    if fields.get("tab") and fields["tab"] not in known:
        raise InputError(f"there is no tab '{fields['tab']}'; {nearest(fields['tab'], known)}")


def _json(text: str, kind: type) -> Any:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, kind):
        raise InputError(f"'{text[:40]}' is not what the studio writes there; copy the address from the browser.")
    return found
