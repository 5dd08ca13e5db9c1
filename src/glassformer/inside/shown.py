"""A look that can be kept and shown: as one HTML file, as the output of a notebook's cell, as a widget.

In a notebook it stands in a frame of its own, inside the cell's output: what is saved with the cell is the whole page,
so it draws again without a kernel, without a network and without any extension. It knows no model.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glassformer.errors import InputError
from glassformer.extras import needing
from glassformer.inside.document.data import LEFT_OUT
from glassformer.inside.looks import Look
from glassformer.inside.page.one_file import LARGEST, look_frame, look_page, page_data
from glassformer.stages.trace import Trace
from glassformer.storage import write_file

if TYPE_CHECKING:
    from glassformer.inside.widget import LookWidget

MEGABYTES = LARGEST / 1e6


@dataclass(frozen=True)
class Saved:
    """A page on the disk, and what was done to keep it small: numbers rounded to six decimals, stages left out."""

    path: Path
    bytes: int
    rounded: bool
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class Shown:
    """A look inside a model, to be read, kept and shown.

    look.trace["encoder.0.self.weights"]     every number
    look.words                               the answer
    look.save("page.html")                   one file that needs nothing else
    """

    look: Look

    @property
    def trace(self) -> Trace:
        """Every stage of the pass, under its address."""
        return self.look.trace

    @property
    def answer(self) -> Mapping[str, Any]:
        """What came out, as data; empty where nothing was asked."""
        return self.look.answer or {}

    @property
    def words(self) -> str:
        """What came out, in a line of text."""
        return self.look.words

    def document(self, *, megabytes: float = MEGABYTES) -> dict[str, Any]:
        """What a page draws, as JSON-ready data: for a file of at most so many megabytes."""
        if not megabytes > 0:
            raise InputError(f"A page of {megabytes:g} megabytes cannot be written; allow more than 0.")
        return page_data(self.look, limit=int(megabytes * 1e6))

    def html(self, *, megabytes: float = MEGABYTES) -> str:
        """The page: one HTML file that opens from disk, with the network off."""
        return look_page(self.document(megabytes=megabytes))

    def save(self, path: str | Path, *, megabytes: float = MEGABYTES) -> Saved:
        """Writes the page, in place of one that was there before."""
        path, document = Path(path), self.document(megabytes=megabytes)
        if path.is_dir():
            raise InputError(f"{path} is a folder; name a file for the page, such as {path / 'look.html'}.")
        content = look_page(document).encode()
        write_file(path, content)
        left_out = tuple(stage["address"] for stage in document["stages"] if stage["why"] == LEFT_OUT)
        return Saved(path, len(content), document["rounded"], left_out)

    def widget(self) -> "LookWidget":
        """The view as a live widget, whose `state` can be read and set from Python; needs anywidget."""
        with needing("notebook", "The widget"):
            from glassformer.inside.widget import LookWidget
        return LookWidget(self.look)

    def _repr_html_(self) -> str:
        """What a notebook shows, and saves."""
        return look_frame(self.document(), str(self))

    def __str__(self) -> str:
        title = self.look.title or "A look inside"
        tokens = max(len(self.look.texts.own), len(self.look.texts.context))
        size = [f"{tokens} tokens"] if tokens else []
        facts = ", ".join([*size, f"{len(self.trace)} stages"])
        return f"{title}: {facts}{f'; {self.words}' if self.words else ''}."

    def __repr__(self) -> str:
        return f"<{str(self).removesuffix('.')}>"
