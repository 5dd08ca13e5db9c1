"""The page in one file: the document, the front end and its style, with no address to fetch anything from.

A token can hold anything, so nothing of the document is ever markup: it stands in a data block, `<` written as an
escape, and the front end puts it on the page as text. The policy lets run only the script that was written here.
"""

import json
import re
from html import escape
from importlib.resources import files
from typing import Any

from glassformer.drawing.html_page import framed
from glassformer.inside.document.data import operations_of, view_data
from glassformer.inside.looks import Look

LARGEST = 5_000_000  # bytes of a file, unless more are allowed
HEIGHT = 820  # of a frame, in pixels
# In this order they make one module.
SCRIPTS = (
    *("store", "operations", "dom", "maximise", "address", "panels/matrix", "export", "panels/map", "panels/heads"),
    *("panels/strip", "panels/number_panel", "panels/answer", "controls", "keys", "standing", "view"),
)
STYLES = ("paper", "frame", "step", "number", "answer", "narrow")  # in this order they are read
_START = """
const shown = document.getElementById("view");
const content = JSON.parse(document.getElementById("data").textContent);
"""
# The address bar holds what is on screen; in a frame within another page, the address is not ours.
_ADDRESSED = """
mount(shown, content, {
  alone: true,
  state: stateFromHash(location.hash),
  onState: (state, replace) => history[replace ? "replaceState" : "pushState"](null, "", hashFromState(state)),
}).then((view) => {
  shown.view = view;
  addEventListener("popstate", () => view.show(stateFromHash(location.hash)));
});
"""
_FRAMED = """
mount(shown, content, { alone: true }).then((view) => { shown.view = view; });
"""
_BODY = """<main id="view" aria-busy="true"></main>
<noscript>This page draws a look inside a model, and needs JavaScript for it. It loads nothing from anywhere.</noscript>
<script type="application/json" id="data">{data}</script>"""


# A notebook that is not trusted, or a reader that strips frames, shows the words behind it.
_FRAME = """<div style="position:relative;min-height:{height}px">
<p>{words}</p><p>The view itself is a frame with a script; to see it, trust this notebook, or open it in Jupyter.</p>
<iframe title="A look inside" sandbox="allow-scripts allow-downloads" loading="lazy" \
style="position:absolute;inset:0;width:100%;height:100%;border:0" srcdoc='{page}'></iframe>
</div>"""


def look_file(look: Look, *, limit: int = LARGEST) -> str:
    """A look as one HTML file of at most so many bytes."""
    return look_page(page_data(look, limit=limit))


def page_data(look: Look, *, limit: int = LARGEST) -> dict[str, Any]:
    """The document for a file of at most so many bytes."""
    shell = len(look_page({"title": look.title}).encode())
    return view_data(look, limit=limit - shell)


def look_frame(data: dict[str, Any], words: str) -> str:
    """The page as a frame for somebody else's page: keys, styles and addresses stay apart."""
    page = look_page(data, addressed=False).replace("&", "&amp;").replace("'", "&#39;")
    return _FRAME.format(height=HEIGHT, words=escape(words), page=page)


def look_page(data: dict[str, Any], *, addressed: bool = True) -> str:
    """One HTML file that shows the document; it opens from disk, with the network off."""
    script = view_script() + _START + (_ADDRESSED if addressed else _FRAMED)
    # What was written before operations came along gets them here, so that its numbers are spelled too.
    whole = {"operations": operations_of(data.get("stages", [])), **data}
    # No "<" is left in the data block, so that nothing in it can end it; JSON reads the escape as the sign.
    text = json.dumps(whole, ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return framed(
        data["title"] or "A look inside",
        _BODY.format(data=text),
        style=view_style(),
        script=script,
        images="blob: data:",
        kind="gf-page",
    )


def view_script() -> str:
    """The front end as one ES module that imports nothing: its files, joined."""
    return "\n".join(_alone(_asset(f"{name}.js"), keep=name == "view") for name in SCRIPTS)


def widget_script() -> str:
    """The same module, with what a notebook's widget begins with."""
    return f"{view_script()}\n{_alone(_asset('widget.js'), keep=True)}"


def view_style() -> str:
    """Its style sheets, joined."""
    return "\n".join(_asset(f"style/{name}.css") for name in STYLES)


def _alone(script: str, *, keep: bool) -> str:
    """A file without its imports and its remarks, and without its exports unless it is the last."""
    script = re.sub(
        r"^ *(//[^\n]*|/\*\*.*?\*/)\n", "", script, flags=re.MULTILINE | re.DOTALL
    )  # they stay with the source
    script = re.sub(r"^import\b[^;]*;\n", "", script, flags=re.MULTILINE)
    return script if keep else re.sub(r"^export ", "", script, flags=re.MULTILINE)


def _asset(name: str) -> str:
    return files("glassformer.inside.page").joinpath(name).read_text(encoding="utf-8")
