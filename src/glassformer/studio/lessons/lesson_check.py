"""Checks a lesson: every address must lead somewhere, every answer is worked. It says where, and changes nothing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from glassformer.errors import GlassformerError, InputError
from glassformer.studio.lessons.lesson_files import Ask, Fault, Lesson, LessonStep
from glassformer.studio.lessons.places import Fields, Places

SHOWN = ("example", "sentence", "model")  # of the front matter, what a step shows that says nothing else
NOTHING_SHOWN = "nothing says what the first step shows; put 'example: …' or 'model: …' on top, or a ':::view' in it."
PASS = ("room", "model", "text", "target", "example", "sentence", "sheet", "tokens")  # of an address, what names a pass


@dataclass
class Checked:
    """What is wrong, by line, each answer as it was worked, and those that nothing could be worked of."""

    faults: list[Fault] = field(default_factory=list)
    worked: list[Fault] = field(default_factory=list)
    taken: list[Fault] = field(default_factory=list)
    views: int = 0

    @property
    def right(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


def check_lesson(lesson: Lesson, places: Places) -> Checked:
    """Every address is gone to, every answer worked."""
    found = Checked(list(lesson.faults))
    for name in ("model", "example"):
        if name in lesson.front:
            _tried(found, lesson.front_lines[name], lambda name=name: places.known(name, lesson.front[name]))  # type: ignore[misc]
    if lesson.steps and not lesson.steps[0].view and not any(lesson.front.get(name) for name in SHOWN):
        found.faults.append(Fault(lesson.steps[0].line, NOTHING_SHOWN))
    for i, step in enumerate(lesson.steps):
        try:
            _check_step(step, lesson.fields(i), places, found)
        except GlassformerError as error:
            found.faults.append(Fault(step.line, str(error)))
    found.faults.sort(key=lambda fault: fault.line)
    return found


def _check_step(step: LessonStep, fields: Fields, places: Places, found: Checked) -> None:
    if step.view:
        found.views += 1
        wrong = places.faults(fields)
        found.faults += [Fault(step.view.line, each) for each in wrong]
        if wrong and places.faults(fields := _pass_of(fields)):
            return  # what is asked about it cannot be found either
    elif (step.deed or step.ask) and (wrong := places.faults(_pass_of(fields))):  # of a step before: told once
        told = {fault.words for fault in found.faults}
        found.faults += [Fault(step.line, each) for each in wrong if each not in told]
        return
    tries: Mapping[str, Callable[[Fields, str], object]] = {
        "cell": places.cell, "given": places.given, "head off": places.head,
    }  # fmt: skip
    if step.deed:
        _tried(found, step.deed.line, lambda deed=step.deed: tries[deed.kind](fields, deed.what))  # type: ignore[misc]
    if step.ask:
        _check_ask(step.ask, fields, places, found)


def _pass_of(fields: Fields) -> Fields:
    """Which pass is shown, without what is shown of it."""
    return {name: fields[name] for name in PASS if name in fields}


def _check_ask(ask: Ask, fields: Fields, places: Places, found: Checked) -> None:
    if ask.number:
        _tried(
            found,
            ask.line,
            lambda: found.worked.append(Fault(ask.line, f"{ask.number} = {answer(ask, fields, places):.4g}")),
        )
    for line, fact in ask.holds:

        def work(line: int = line, fact: str = fact) -> None:
            true, numbers = places.holds(fields, fact)
            if not true:
                raise InputError(f"'{fact}' does not hold: {numbers}.")
            found.worked.append(Fault(line, f"{fact}: {numbers}"))

        _tried(found, line, work)
    if ask.choices and not ask.holds:
        right = ", ".join(choice for choice, true in ask.choices if true)
        found.taken.append(Fault(ask.line, f"“{right}” is taken as you marked it; 'holds: …' would have it worked"))


def _tried(found: Checked, line: int, act: Callable[[], object]) -> None:
    try:
        act()
    except GlassformerError as error:
        found.faults.append(Fault(line, str(error)))


def answer(ask: Ask, fields: Fields, places: Places) -> float:
    """The number a question asks for, worked by the core."""
    return places.number(fields, ask.number)
