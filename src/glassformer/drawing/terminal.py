"""The terminal: where a command shows its pages, with colour where it is wanted. It knows no maths."""

import os
import sys
from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

WIDEST, NARROWEST = 108, 40  # of a page, whatever the window


class _Page(Console):
    """A console whose reader may leave early, as in `glassformer explain | head`."""

    def on_broken_pipe(self) -> None:
        """Stops writing, and that is no failure."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0)


# Signs that steer a terminal instead of being read: shown as pictures, one for one, so that columns stay.
_STEERING = (
    {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"}
    | dict.fromkeys([0x7F], 0x2421)
    | dict.fromkeys([*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD)
)


def visible(text: str) -> str:
    """The text of somebody else, as it may be printed: an escape sequence is seen, not obeyed."""
    return text.translate(_STEERING)


def terminal() -> Console:
    """Standard output, with colour where it is wanted."""
    return _Page(highlight=False)


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
