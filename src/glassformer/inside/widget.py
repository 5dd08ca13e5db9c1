"""A look as a live widget of a notebook (anywidget: Jupyter, VS Code, marimo). The front end is the view's own.

The widget's state holds the whole document, so a notebook that is saved with its widgets keeps it; beside it stands
the page in a frame, for readers that run no widgets.
"""

from typing import Any

import anywidget
import traitlets

from glassformer.inside.looks import Look
from glassformer.inside.page.one_file import look_frame, page_data, view_style, widget_script


class LookWidget(anywidget.AnyWidget):
    """The view in a cell. `state` says where the reader stands, and may be set: {"at": address, "head": 1}."""

    _esm = widget_script()
    _css = view_style()
    document = traitlets.Dict().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)

    def __init__(self, look: Look, **more: Any) -> None:
        self._words = look.words or look.title
        super().__init__(document=page_data(look), **more)

    def _repr_mimebundle_(self, **asked: Any) -> Any:
        """The widget, and the same page for those who cannot show it."""
        bundle, about = super()._repr_mimebundle_(**asked) or ({}, {})  # None where no widgets are shown
        return {**bundle, "text/html": look_frame(self.document, self._words)}, about
