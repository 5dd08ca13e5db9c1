"""Draws the pictures of the docs from the real program, as `.venv/bin/python docs/make_pictures.py`."""

import io
import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME

from glassformer.by_hand.worksheets.laboratory_page import laboratory_page, setting_of
from glassformer.by_hand.worksheets.mask_laboratory import experiments
from glassformer.by_hand.worksheets.solution import explain
from glassformer.by_hand.worksheets.text_page import solution_page
from glassformer.drawing.terminal import page_width, show

FOLDER = Path(__file__).parent / "pictures"
WIDTH = 84


def terminal() -> Console:
    """A console that remembers what it shows, always of the same size and colours."""
    return Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor", highlight=False,
        legacy_windows=False, _environ={},
    )  # fmt: skip


def svg(console: Console, command: str) -> str:
    """What the console showed, as an SVG that asks no other host for anything."""
    drawn = console.export_svg(title=command, theme=SVG_EXPORT_THEME, unique_id="terminal")
    drawn = re.sub(r"@font-face \{.*?\}", "", drawn, flags=re.DOTALL)  # the template would fetch its font
    drawn = drawn.replace("Fira Code, monospace", "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace")
    return "\n".join(line.rstrip() for line in drawn.splitlines()) + "\n"


def solution_picture() -> str:
    """`glassformer explain --example i-love-ai`"""
    console = terminal()
    show(console, solution_page(explain("i-love-ai").handout(), page_width(WIDTH), legend=True))
    return svg(console, "glassformer explain --example i-love-ai")


def laboratory_picture() -> str:
    """`glassformer explain masks`"""
    console = terminal()
    setting = setting_of(explain("masked").trace)
    show(console, laboratory_page(setting, experiments(setting.scores, setting.mask), page_width(WIDTH)))
    return svg(console, "glassformer explain masks")


PICTURES = {"explain.svg": solution_picture, "masks.svg": laboratory_picture}

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (FOLDER / name).write_text(draw(), encoding="utf-8")
