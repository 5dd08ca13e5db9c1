"""A lesson as one HTML file: its words, its questions, and below each step the view itself, with no studio behind it.

A view of numbers is drawn by the front end of a look, why an answer came about as its own page tells it; of other rooms
the words alone are kept. It reads no file.
"""

import json
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

from glassformer.drawing.html_page import framed
from glassformer.inside.document.data import view_data
from glassformer.inside.page.one_file import view_script, view_style
from glassformer.inside.why.telling.why_page import Why, why_style
from glassformer.studio.lessons.lesson_check import answer
from glassformer.studio.lessons.lesson_files import Ask, Deed, Lesson
from glassformer.studio.lessons.lesson_room import deed_of
from glassformer.studio.lessons.places import Fields, Places
from glassformer.studio.lessons.prose import inline, paragraphs, tree_html

LARGEST_VIEW = 1_500_000  # bytes of one look
JSON = dict[str, Any]
_SEEN = ("at", "head", "row", "cell", "view", "zoom")
_ASIDE = (*_SEEN, "stage", "tab", "rival", "rival_id", "token", "instead")  # what leaves the numbers as they are


def lesson_page(lesson: Lesson, places: Places) -> str:
    """The whole file. The lesson must have been checked."""
    documents: list[JSON] = []
    keys: dict[str, int] = {}
    steps: list[JSON] = []
    whys: list[Why | None] = []
    for i in range(len(lesson.steps)):
        fields = lesson.fields(i)
        why = places.why(fields)
        whys.append(why)
        view = None if why is not None else _document(fields, places, documents, keys)
        steps.append({"view": view, "state": _state(fields)})
        ask, deed = lesson.steps[i].ask, lesson.steps[i].deed
        if ask is not None:
            steps[-1]["ask"] = _answers(ask, fields, places)
        if deed is not None and deed.kind == "cell" and why is None:
            address, index = places.cell(fields, deed.what)
            steps[-1]["deed"] = {"address": address, "index": list(index)}
    content = {"steps": steps, "documents": documents}
    data = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    body = f"{_body(lesson, places, whys)}<script type='application/json' id='data'>{data}</script>"
    script = f"{view_script()}\n{_asset('lesson_page.js')}"
    style = f"{view_style()}\n{why_style()}\n{_asset('lesson_page.css')}"
    return framed(lesson.title, body, style=style, script=script, images="blob: data:", kind="gf-page")


def _document(fields: Fields, places: Places, documents: list[JSON], keys: dict[str, int]) -> int | None:
    """Where the look of a step stands among all; looks that are the same are kept once."""
    if fields.get("room") not in ("by-hand", "inside"):
        return None
    key = json.dumps({name: value for name, value in sorted(fields.items()) if name not in _ASIDE})
    if key not in keys:
        keys[key] = len(documents)
        documents.append(view_data(places.look(fields), limit=LARGEST_VIEW))
    return keys[key]


def _state(fields: Fields) -> JSON:
    """Where a view stands: the address of a look, or the stage of a worksheet."""
    if fields.get("room") == "by-hand":
        stage, *_ = fields.get("cell", fields.get("stage", "")).split(",")
        return {"at": stage} if stage else {}
    found: JSON = {name: fields[name] for name in _SEEN if name in fields}
    for name in ("head", "row"):
        if name in found:
            found[name] = int(found[name])
    if "cell" in found:
        found["cell"] = [int(each) for each in found["cell"].split(",")]
    return found


def _answers(ask: Ask, fields: Fields, places: Places) -> JSON:
    told = {"why": ask.why, "hint": ask.hint}
    if ask.choices:
        return {"right": [right for _, right in ask.choices], **told}
    return {"number": answer(ask, fields, places), "tolerance": ask.tolerance, **told}


def _body(lesson: Lesson, places: Places, whys: Sequence[Why | None]) -> str:
    about = "".join(tree_html(each) for each in paragraphs(lesson.words))
    steps = "".join(_step(lesson, i, places, why) for i, why in enumerate(whys))
    head = f"<header><h1>{escape(lesson.title)}</h1>{about}</header>"
    return f"<div class='gf lesson-file' data-view='stage'>{head}<main>{steps}</main></div>"


def _step(lesson: Lesson, i: int, places: Places, why: Why | None) -> str:
    step = lesson.steps[i]
    words = "".join(tree_html(each) for each in paragraphs(step.words))
    room = lesson.fields(i)["room"]
    elsewhere = "" if room in ("by-hand", "inside") else f"<p class='quiet'>To be seen in the studio, room {room}.</p>"
    ask = "" if step.ask is None else _question(step.ask, i)
    deed = "" if step.deed is None else _deed(step.deed, lesson.fields(i), places, why is None)
    head = f"<p class='quiet'>{i + 1} of {len(lesson.steps)}</p><h2>{escape(step.title)}</h2>"
    return (
        f"<section class='lesson-step' data-step='{i}'>{head}{words}{elsewhere}{deed}{ask}"
        f"<div class='seen'>{'' if why is None else why.body()}</div></section>"
    )


def _deed(deed: Deed, fields: Fields, places: Places, shows_numbers: bool) -> str:
    """What is to be done. A click is seen here; what changes numbers needs the studio."""
    says = "".join(tree_html(each) for each in deed_of(deed, fields, places)["says"])
    if deed.kind == "cell" and shows_numbers:
        return f"<p class='deed'><span class='sign' aria-hidden='true'>○</span> {says}</p>"
    return f"<p class='deed'>In the studio: {says}</p>"


def _question(ask: Ask, i: int) -> str:
    question = "".join(tree_html(each) for each in inline(ask.question))
    choices = "".join(
        f"<label><input type='radio' name='step{i}' value='{k}'> {''.join(tree_html(each) for each in inline(choice))}"
        "</label>"
        for k, (choice, _) in enumerate(ask.choices)
    )
    field = choices or "<input type='text' inputmode='decimal' aria-label='your answer'>"
    return (
        f"<form class='ask'><fieldset><legend>{question}</legend>{field}</fieldset>"
        "<button class='tool strong'>Check</button><p class='told' role='status'></p></form>"
    )


def _asset(name: str) -> str:
    return files("glassformer.studio.lessons").joinpath(name).read_text(encoding="utf-8")
