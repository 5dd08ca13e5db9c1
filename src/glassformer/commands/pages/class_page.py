"""A class's marks in the terminal: a row for each student, and under it what went wrong first. Marks nothing."""

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from glassformer.by_hand.exercises.marking import Mark
from glassformer.by_hand.reports.class_table import class_sentence, told
from glassformer.drawing.terminal import terminal
from glassformer.errors import visible

_STYLES = {"right": ("✓", "green"), "wrong": ("✗", "red")}  # by outcome; the others are a matter for the teacher
_ANSWERED = ("wrong", "unfinished", "changed sheet")
_WIDEST_NAME = 32


def show_marks(title: str, marks: list[Mark]) -> None:
    """The whole table."""
    console = terminal()
    console.print()
    console.print(Text(f"  {visible(title)}", style="bold"))
    console.print(Text(f"  {class_sentence(marks)}\n"))
    room = min(_WIDEST_NAME, max(len(mark.name) for mark in marks))
    for mark in marks:
        _show(console, mark, room)
    console.print()


def _show(console: Console, mark: Mark, room: int) -> None:
    sign, style = _STYLES.get(mark.outcome, ("–", "yellow"))
    line = Text("  ").append(f"{sign} ", style=style).append(visible(mark.name).ljust(room), style="bold")
    line.append(f"  {mark.points:>3} of {mark.blanks}")
    notes = [mark.outcome] if mark.outcome not in _STYLES else []
    notes += [f"{mark.not_answered} not answered"] if mark.not_answered and mark.outcome in _ANSWERED else []
    notes += [f"{mark.follow_through} by following through"] if mark.follow_through else []
    console.print(line.append(f"  {', '.join(notes)}", style="dim"), soft_wrap=True)
    if told(mark):
        console.print(Padding(Text(visible(told(mark)), style=style), (0, 0, 0, 6), expand=False))
