"""Reads a lesson from its Markdown: front matter, a step for every `##`, and three fences: view, do, ask.

Everything keeps the line it stands in, so that whoever checks can name it. Whether an address exists it does not know.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl

from glassformer.errors import InputError, nearest

FRONT = ("title", "minutes", "model", "text", "example", "sentence")
SHEETS = ("example", "sentence", "sheet")  # what names a worksheet; one of them does
FENCES = ("view", "do", "ask")
DEEDS = ("cell", "given", "head off")
ANSWERS = ("number", "tolerance", "hint", "why", "holds")
TOLERANCE = 0.01  # of a number that is asked for, unless said otherwise
LONGEST = 200_000  # signs of a file
MOST_STEPS = 40
_FIELD = re.compile(r"([A-Za-z][A-Za-z ]*?)\s*:\s*(.*)")
_ADDRESS = re.compile(r"(?:https?:[^#]*)?#?([a-z_]+=.*)")
_HTML = re.compile(  # <s> is a token of many models
    r"</?(?:a|b|br|big|center|code|div|em|font|h[1-6]|hr|i|iframe|img|li|ol|p|pre|script|small|span|strong|style|sub"
    r"|sup|t[dhr]|table|u|ul)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_UNSHOWN = re.compile(  # of Markdown, what a page of the studio would show as it is written
    r"(?P<picture>!\[[^\]]*\]\([^)]*\))|(?P<link>\[[^\]]+\]\([^)]*\))|^\s*(?P<table>\|.*\|)\s*$"
    r"|^\s*(?P<list>[-*+] .*|\d+\. .*)$|^(?P<heading>#{3,6} .*)$|^\s*(?P<code>(?:```|~~~).*)$"
    r"|(?P<formula>\$\$?(?=\S)[^$]+(?<=\S)\$(?!\d))"
)
_CHOICE = re.compile(r"[-*] \[([ xX])\]\s+(.*)")


@dataclass(frozen=True)
class Fault:
    """What is wrong, and the line it stands in."""

    line: int
    words: str


@dataclass(frozen=True)
class View:
    """What the studio shows: the fields of its address."""

    line: int
    fields: dict[str, str]


@dataclass(frozen=True)
class Deed:
    """What the reader is to do: a cell opened, a given changed, a head switched off."""

    line: int
    kind: str
    what: str


@dataclass(frozen=True)
class Ask:
    """A question: choices of which some are right, or a number by its address. `holds` are facts the answer rests on,
    each with its line."""

    line: int
    question: str
    choices: tuple[tuple[str, bool], ...] = ()
    number: str = ""
    tolerance: float = TOLERANCE
    hint: str = ""
    why: str = ""
    holds: tuple[tuple[int, str], ...] = ()


@dataclass
class LessonStep:
    """A step: its title, its words, and what stands in its fences."""

    line: int
    title: str
    words: list[str] = field(default_factory=list)
    view: View | None = None
    deed: Deed | None = None
    ask: Ask | None = None


@dataclass
class Lesson:
    """A lesson as it was written, and what cannot be read in it."""

    name: str
    front: dict[str, str] = field(default_factory=dict)
    front_lines: dict[str, int] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    steps: list[LessonStep] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    @property
    def title(self) -> str:
        """What it is called."""
        return self.front.get("title") or self.name

    @property
    def minutes(self) -> int:
        """How long it takes."""
        return int(self.front["minutes"]) if self.front.get("minutes", "").isdigit() else 5

    def fields(self, step: int) -> dict[str, str]:
        """The address of a step's view, with what the front matter says of all; a step without one keeps the last."""
        shown = next((each.view.fields for each in self.steps[step::-1] if each.view), {})
        defaults = {name: self.front[name] for name in FRONT[2:] if self.front.get(name)}
        room = shown.get("room") or ("inside" if "model" in {**defaults, **shown} else "by-hand")
        if room != "inside":
            defaults = {name: value for name, value in defaults.items() if name in SHEETS and room == "by-hand"}
        elif shown.get("model", defaults.get("model")) != defaults.get("model"):
            defaults.pop("text", None)  # it was for another model
        if room == "inside" or any(name in shown for name in SHEETS):
            defaults = {name: value for name, value in defaults.items() if name not in SHEETS}
        return {"room": room, **defaults, **shown}


def read_lesson_file(path: Path) -> Lesson:
    """A lesson on the disk."""
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors begin a file with a mark
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not a text in UTF-8; save it as one.") from error
    return read_lesson(text, path.stem)


def read_lesson(text: str, name: str = "lesson") -> Lesson:
    """A lesson from its text. What cannot be read is a fault of it, and the rest is read on."""
    if len(text) > LONGEST:
        raise InputError(f"This lesson has {len(text):,} signs; {LONGEST:,} are the most.")
    lines = text.splitlines()
    lesson = Lesson(name)
    at = _read_front(lines, lesson)
    while at < len(lines):
        at = _read_line(lines, at, lesson)
    if not lesson.steps:
        lesson.faults.append(Fault(len(lines) or 1, "there is no step; a step begins with '## ' and its title."))
    if len(lesson.steps) > MOST_STEPS:
        lesson.faults.append(Fault(lesson.steps[MOST_STEPS].line, f"{MOST_STEPS} steps are the most of one lesson."))
    return lesson


def _read_front(lines: list[str], lesson: Lesson) -> int:
    """The lines between two `---`, if the file begins with them; gives where the rest begins."""
    if not lines or lines[0].strip() != "---":
        lesson.faults.append(Fault(1, "a lesson begins with front matter: '---', 'title: …', '---'."))
        return 0
    for at, line in enumerate(lines[1:], start=1):
        if line.strip() == "---":
            if not lesson.front.get("title"):
                lesson.faults.append(Fault(1, "the front matter has no title."))
            return at + 1
        found = _FIELD.fullmatch(line.strip())
        if found and found[1] in lesson.front:
            lesson.faults.append(Fault(at + 1, f"'{found[1]}' is said twice; once is enough."))
        if found and found[1] in FRONT:
            lesson.front[found[1]], lesson.front_lines[found[1]] = found[2].strip(), at + 1
            if found[1] == "minutes" and not found[2].strip().isdigit():
                lesson.faults.append(Fault(at + 1, f"the minutes are '{found[2].strip()}'; write a number, such as 5."))
        elif line.strip():
            word = found[1] if found else line.strip()[:40]
            lesson.faults.append(Fault(at + 1, f"'{word}' is not known in the front matter; {nearest(word, FRONT)}"))
    lesson.faults.append(Fault(1, "the front matter does not end; put '---' after it."))
    return len(lines)


def _read_line(lines: list[str], at: int, lesson: Lesson) -> int:
    line = lines[at]
    step = lesson.steps[-1] if lesson.steps else None
    if not line.strip().startswith(":::"):
        _no_html(at + 1, line, lesson.faults)
        _only_words(at + 1, line, lesson.faults)
    if line.startswith("## "):
        lesson.steps.append(LessonStep(at + 1, line[3:].strip()))
    elif fence := re.fullmatch(r":{3,}\s*\{?([^}]*?)\}?\s*", line.strip()):
        return _read_fence(lines, at, fence[1].strip(), lesson)
    elif re.match(r"#\s", line):
        lesson.faults.append(Fault(at + 1, "a step begins with '## '; the lesson's title stands in the front matter."))
    else:
        (step or lesson).words.append(line)
    return at + 1


def _read_fence(lines: list[str], at: int, kind: str, lesson: Lesson) -> int:
    """A fence to its end, or to where something else begins; gives where the rest begins."""
    after = (i for i in range(at + 1, len(lines)) if re.match(r":{3,}|## ", lines[i].strip()))
    end = next(after, len(lines))
    inside = list(enumerate(lines[at + 1 : end], start=at + 2))
    closed = end < len(lines) and not lines[end].strip().strip(":")
    if not closed:
        lesson.faults.append(Fault(at + 1, f"':::{kind}' does not end; put ':::' in a line after it."))
        if end == len(lines):
            return at + 1
    step = lesson.steps[-1] if lesson.steps else None
    try:
        if kind not in FENCES:
            raise InputError(f"':::{kind}' is not known; {nearest(kind, FENCES)}")
        if step is None:
            raise InputError(f"':::{kind}' stands before the first step; a step begins with '## '.")
        if getattr(step, "deed" if kind == "do" else kind) is not None:
            raise InputError(f"this step has a ':::{kind}' already; one is enough.")
        if kind == "view":
            fields = list(_view_fields(inside))
            if twice := next((name for name, _ in fields if [each for each, _ in fields].count(name) > 1), ""):
                raise InputError(f"'{twice}' is said twice in this view; once is enough.")
            step.view = View(_first(inside, at + 1), dict(fields))
        elif kind == "do":
            step.deed = _deed(_first(inside, at + 1), inside)
        else:
            step.ask = _ask(at + 1, inside, lesson.faults)
    except InputError as error:
        lesson.faults.append(Fault(at + 1, str(error)))
    return end + closed


def _first(inside: list[tuple[int, str]], fence: int) -> int:
    """The line in which something stands."""
    return next((at for at, line in inside if line.strip()), fence)


def _view_fields(inside: list[tuple[int, str]]) -> Iterator[tuple[str, str]]:
    """What stands behind # in an address, with or without it, or one field in a line."""
    for _, line in inside:
        if address := _ADDRESS.fullmatch(line.strip()):
            yield from ((name, value) for name, value in parse_qsl(address[1]) if name not in ("lesson", "step"))
        elif found := _FIELD.fullmatch(line.strip()):
            yield found[1], found[2].strip()
        elif line.strip():
            raise InputError(f"'{line.strip()[:60]}' is no address; write '#room=…&…' as in the browser, or 'at: …'.")


def _deed(line: int, inside: list[tuple[int, str]]) -> Deed:
    found = [_FIELD.fullmatch(each.strip()) for _, each in inside if each.strip()]
    if len(found) != 1 or found[0] is None or found[0][1] not in DEEDS or not found[0][2]:
        raise InputError(f"':::do' holds one line, that begins with {', '.join(f'“{each}:”' for each in DEEDS)}.")
    return Deed(line, found[0][1], found[0][2].strip())


def _no_html(line: int, text: str, faults: list[Fault]) -> None:
    """Markup would stand on the page as it is written; between backticks it is meant so."""
    if found := _HTML.search(re.sub(r"`[^`]*`", "", text)):
        faults.append(Fault(line, f"'{found[0][:40]}' is HTML, which a lesson has none of; write *so* or **so**."))


def _only_words(line: int, text: str, faults: list[Fault]) -> None:
    """A step's words are paragraphs: other Markdown would stand on the page as it is written."""
    if found := _UNSHOWN.search(re.sub(r"`[^`]+`", "", text)):
        kind, written = next((kind, each) for kind, each in found.groupdict().items() if each)
        what = {"code": "code"}.get(kind, f"a {kind}")
        faults.append(
            Fault(
                line, f"'{written[:40]}' is {what}, which is not drawn; words are paragraphs, with *so*, **so**, `so`."
            )
        )


def _ask(line: int, inside: list[tuple[int, str]], faults: list[Fault]) -> Ask:
    """The question first; then choices, or `number:`, and what helps. What only looks like a field is a fault."""
    question, choices, fields = list[str](), list[tuple[str, bool]](), dict[str, str]()
    holds: list[tuple[int, str]] = []
    for at, each in inside:
        choice, named = _CHOICE.fullmatch(each.strip()), _FIELD.fullmatch(each.strip())
        _no_html(at, each, faults)
        if choice:
            choices.append((choice[2].strip(), choice[1] != " "))
        elif named and named[1] == "holds":
            holds.append((at, named[2].strip()))
        elif named and named[1] in ANSWERS:
            fields[named[1]] = named[2].strip()
            line = at if named[1] == "number" else line
            if named[1] == "tolerance" and not _is_tolerance(fields["tolerance"]):
                wrong = fields.pop("tolerance")
                faults.append(Fault(at, f"the tolerance is '{wrong}'; write a number above 0, such as {TOLERANCE}."))
        elif named and " " not in named[1] and (named[1].islower() or (question and named[1].lower() in ANSWERS)):
            faults.append(Fault(at, f"'{named[1]}:' is not known in ':::ask'; {nearest(named[1].lower(), ANSWERS)}"))
        elif each.strip():
            question.append(each.strip())
    if not question:
        raise InputError("':::ask' has no question.")
    if bool(choices) == bool(fields.get("number")):
        raise InputError("':::ask' has either choices, '- [ ] …' and '- [x] …', or 'number: ' and an address.")
    if choices and len({right for _, right in choices}) < 2:
        raise InputError("':::ask' needs a right choice, '- [x] …', and a wrong one, '- [ ] …'.")
    return Ask(
        line, " ".join(question), tuple(choices), fields.get("number", ""),
        float(fields.get("tolerance", TOLERANCE)), fields.get("hint") or "Look again.", fields.get("why", ""),
        tuple(holds),
    )  # fmt: skip


def _is_tolerance(text: str) -> bool:
    return re.fullmatch(r"\d+(\.\d+)?", text) is not None and float(text) > 0
