"""The terminal: where a command shows its pages, with colour where it is wanted. It knows no maths."""

import os
import sys
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from glassformer.errors import visible

WIDEST, NARROWEST = 108, 40  # of a page, whatever the window


class Page(Console):
    """A console whose reader may leave early, as in `glassformer explain | head`, and which no text can steer."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Every piece of text that is not a control sequence of the console's own, as it may be printed."""
        for piece in super().render(renderable, options):
            yield piece if piece.control else piece._replace(text=visible(piece.text))

    def on_broken_pipe(self) -> None:
        """Stops writing, and that is no failure."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0)


def terminal() -> Console:
    """Standard output, with colour where it is wanted. A window that says it is 0 or 5 columns wide is written to all
    the same."""
    page = Page(highlight=False)
    page.width = max(NARROWEST, page.width)
    return page


def width(console: Console) -> int:
    """How wide a page is there."""
    return page_width(console.width)


def page_width(window: int) -> int:
    """How wide a page is in a window."""
    return max(NARROWEST, min(window, WIDEST))


def show(console: Console, page: Iterable[Text]) -> None:
    """The page, line by line as it was drawn."""
    for line in page:
        console.print(line, soft_wrap=True)
