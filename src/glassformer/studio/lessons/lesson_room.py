"""The room *Lessons*: the eight that came along and one of the reader's own, step by step, and answers that are worked.

What is on screen in a step is a view of another room; this one gives its address. Progress is kept by the page.
"""

from collections.abc import Callable
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

from glassformer.errors import InputError, nearest
from glassformer.studio import asking
from glassformer.studio.asking import Content
from glassformer.studio.lessons.lesson_check import answer, check_lesson
from glassformer.studio.lessons.lesson_files import Ask, Deed, Lesson, read_lesson_file
from glassformer.studio.lessons.places import Fields, Places
from glassformer.studio.lessons.prose import Tree, inline, paragraphs

JSON = dict[str, Any]
# What is to be done with a given that is no matrix of numbers.
GIVEN_SAYS: MappingProxyType[str, Tree] = MappingProxyType(
    {
        "scale": ["Change ", ["em", {}, "scale β"]],
        "mask": ["Click into the mask"],
        "weigher": ["Choose another weigher"],
        "text": ["Type another text, and look"],
        "target": ["Type another translation, and look"],
    }
)


def taught() -> list[Path]:
    """The lessons that came with the package, in their order."""
    folder = Path(str(resources.files("glassformer.studio.lessons"))) / "taught"
    return sorted(folder.glob("*.md"))


class LessonRoom:
    """The room, with all lessons it can teach."""

    def __init__(self, places: Places, mine: list[Path]) -> None:
        self.places = places
        self._mine = {path.stem: path for path in mine}
        self._paths = self._mine | {path.stem: path for path in taught() if path.stem not in self._mine}
        for path in mine:
            self._checked(path)

    @property
    def actions(self) -> dict[str, Callable[[Content], JSON]]:
        """What can be asked for here."""
        return {"lessons/start": self.start, "lessons/open": self.open, "lessons/answer": self.answer}

    def start(self, content: Content) -> JSON:
        """All lessons, what each is about, and how long it takes."""
        found = [(name, read_lesson_file(path)) for name, path in self._paths.items()]
        numbers = {path.stem: i for i, path in enumerate(taught(), start=1) if path.stem not in self._mine}
        return {"lessons": [{**_about(lesson), "name": name, "number": numbers.get(name)} for name, lesson in found]}

    def open(self, content: Content) -> JSON:
        """One lesson with all its steps; answers stay here."""
        lesson = self._lesson(content)
        steps = [step_of(lesson, i, self.places) for i in _all(lesson)]
        return {**_about(lesson), "name": lesson.name, "next": self._next(lesson.name), "steps": steps}

    def answer(self, content: Content) -> JSON:
        """Whether an answer is right, and why, or a hint."""
        lesson = self._lesson(content)
        step = asking.whole(content, "step", least=0, most=len(lesson.steps) - 1)
        ask = lesson.steps[step].ask
        if ask is None:
            raise InputError("Nothing is asked in this step.")
        right = self._right(ask, lesson.fields(step), content)
        return {"right": right, "says": inline(ask.why if right else ask.hint)}

    def _right(self, ask: Ask, fields: Fields, content: Content) -> bool:
        if ask.choices:
            return ask.choices[asking.whole(content, "choice", least=0, most=len(ask.choices) - 1)][1]
        return abs(asking.number(content, "number") - answer(ask, fields, self.places)) <= ask.tolerance

    def _next(self, name: str) -> JSON | None:
        """The lesson after this one; None after the last."""
        names = list(self._paths)
        after = names[names.index(name) + 1 :]
        return {"name": after[0], "title": read_lesson_file(self._paths[after[0]]).title} if after else None

    def _lesson(self, content: Content) -> Lesson:
        name = asking.text(content, "lesson")
        if name not in self._paths:
            raise InputError(f"There is no lesson called '{name:.80}'; {nearest(name[:80], self._paths)}")
        lesson = read_lesson_file(self._paths[name])
        return self._checked(self._paths[name]) if name in self._mine else lesson

    def _checked(self, path: Path) -> Lesson:
        """A lesson of somebody's own is opened only if all of it is there."""
        lesson = read_lesson_file(path)
        faults = check_lesson(lesson, self.places).faults
        if faults:
            raise InputError(
                f"{path}, line {faults[0].line}: {faults[0].words}\n`glassformer lesson --check {path.name}` "
                "names all that is wrong."
            )
        return lesson


def step_of(lesson: Lesson, i: int, places: Places) -> JSON:
    """A step as the page has it."""
    step, fields = lesson.steps[i], lesson.fields(i)
    return {
        "title": step.title,
        "body": paragraphs(step.words),
        "view": places.shown(fields),
        "deed": None if step.deed is None else deed_of(step.deed, fields, places),
        "ask": None if step.ask is None else ask_of(step.ask),
    }


def ask_of(ask: Ask) -> JSON:
    """A question without its answer."""
    return {"question": inline(ask.question), "choices": [inline(choice) for choice, _ in ask.choices]}


def deed_of(deed: Deed, fields: Fields, places: Places) -> JSON:
    """What is to be done, and how it will be seen that it was."""
    if deed.kind == "cell":
        address, index = places.cell(fields, deed.what)
        return {"kind": "cell", "address": address, "index": list(index), "says": _said("Click it in", address)}
    if deed.kind == "given":
        says = GIVEN_SAYS.get(deed.what) or _said("Change a number of", deed.what)
        return {"kind": "given", "given": deed.what, "before": places.given(fields, deed.what), "says": says}
    head_off = places.head(fields, deed.what)
    if head_off is None:
        return {"kind": "head off", "address": None, "head": None, "says": ["Switch a head off"]}
    address, head = head_off
    return {"kind": "head off", "address": address, "head": head, "says": [f"Switch head {head + 1} off"]}


def _said(act: str, address: str) -> Tree:
    return [f"{act} ", ["em", {}, address.rpartition(".")[2].replace("_", " ")]]


def _about(lesson: Lesson) -> JSON:
    about = " ".join(line.strip() for line in lesson.words if line.strip())
    return {"title": lesson.title, "minutes": lesson.minutes, "about": inline(about), "count": len(lesson.steps)}


def _all(lesson: Lesson) -> range:
    return range(len(lesson.steps))
