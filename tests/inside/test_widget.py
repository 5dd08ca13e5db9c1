"""Looks in notebooks: a real one is run, saved, and opened again without kernel, widgets or network."""

import builtins
import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest
from helpers.looks import numbers_of, small_look
from helpers.small_runs import small_run
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from playwright.sync_api import Browser, Frame, Page, expect

from glassformer.errors import InputError
from glassformer.inside.document.data import view_data
from glassformer.inside.page.one_file import view_style, widget_script
from glassformer.inside.shown import Shown
from glassformer.inside.widget import LookWidget

HOSTILE = """it's <b>"good"</b> & </script><script>alert(1)</script>'><img src=x onerror=alert(1)>"""


class Sources(HTMLParser):
    """The pages in the frames of a markup."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if (tag, name) == ("iframe", "srcdoc")]


# --- what a cell gives --------------------------------------------------------------------------------------------


def test_the_output_of_a_cell_holds_the_whole_page() -> None:
    look = Shown(small_look("transformer"))
    (page,) = Sources(look._repr_html_()).found
    data = page.split('id="data">')[1].split("</script>")[0]
    assert json.loads(data) == json.loads(json.dumps(look.document()))
    assert "location" not in page.split("const content")[1]  # in a frame, the address is not ours
    assert str(look) in look._repr_html_()


def test_a_widget_holds_the_document_and_offers_the_page_to_those_without_widgets() -> None:
    look = Shown(small_look("translator"))
    widget = look.widget()
    found = numbers_of(widget.get_state()["document"])
    assert (found["decoder.1.cross.weights"] == look.trace["decoder.1.cross.weights"]).all()
    bundle = widget._repr_mimebundle_()[0]
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert len(Sources(bundle["text/html"]).found) == 1
    widget.close()


def test_without_anywidget_the_page_is_shown_and_the_widget_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = builtins.__import__

    def lacking(name: str, *rest: Any) -> Any:
        if name.startswith("glassformer.inside.widget"):
            raise ModuleNotFoundError("No module named 'anywidget'", name="anywidget")
        return usual(name, *rest)

    monkeypatch.setattr(builtins, "__import__", lacking)
    look = Shown(small_look("transformer"))
    assert Sources(look._repr_html_()).found
    with pytest.raises(InputError, match=r"pip install 'glassformer\[notebook\]'"):
        look.widget()


# --- in a browser -------------------------------------------------------------------------------------------------


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page without a network. At the end nothing was complained of."""
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(f"a token opened a dialog: {dialog.message}"))
    yield page
    context.close()
    assert not complaints


def frames(page: Page, count: int) -> list[Frame]:
    """The frames of the looks, drawn."""
    page.wait_for_function("(count) => document.querySelectorAll('iframe').length === count", arg=count)
    handles = page.query_selector_all("iframe")
    found = []
    for handle in handles:
        handle.scroll_into_view_if_needed()
        frame = handle.content_frame()
        assert frame is not None
        frame.wait_for_selector(".gf .path .last")
        found.append(frame)
    return found


CELLS = """
import glassformer as gf
run = gf.load({run!r})
---
run.look({text!r})
---
run.look("not good")
"""


@pytest.mark.browser
@pytest.mark.filterwarnings("default")  # of the kernel's packages, not of ours
@pytest.mark.slow
def test_a_saved_notebook_keeps_the_view(tmp_path: Path, page: Page) -> None:
    run = small_run(tmp_path / "run").path
    cells = CELLS.format(run=str(run), text=HOSTILE).split("---")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.strip()) for cell in cells])
    NotebookClient(notebook, timeout=280).execute()
    nbformat.write(notebook, tmp_path / "saved.ipynb")

    saved = nbformat.read(tmp_path / "saved.ipynb", as_version=4)
    outputs = [cell.outputs[0].data for cell in saved.cells[1:]]
    assert all(set(output) == {"text/html", "text/plain"} for output in outputs)
    assert "tokens" in outputs[1]["text/plain"]

    body, _ = HTMLExporter(template_name="lab").from_notebook_node(saved)
    (tmp_path / "saved.html").write_text(body, encoding="utf-8")
    page.goto((tmp_path / "saved.html").as_uri(), wait_until="commit")
    first, second = frames(page, 2)
    expect(second.locator(".text .token")).to_have_text(["not", "good"])
    two_apart(page, first, second)


def two_apart(page: Page, first: Frame, second: Frame) -> None:
    """What is done in one view does not reach the other, nor the address of the page."""
    address = page.url
    before = second.locator(".path").inner_text()
    first.locator(".matrix .frame").focus()
    page.keyboard.press("]")
    page.keyboard.press("h")
    expect(first.locator(".path")).to_have_text("all heads")
    assert second.locator(".path").inner_text() == before
    assert page.url == address


WIDGETS = """<!doctype html><meta charset="utf-8"><style>{style}</style>
<input id="cell"><div id="one"></div><div id="two"></div>
<script type="module">{script}
globalThis.widget = widget;
</script>"""


@pytest.mark.browser
def test_two_widgets_on_one_page_do_not_disturb_each_other(tmp_path: Path, page: Page) -> None:
    script = widget_script().replace("export default {", "const widget = {")
    assert "const widget" in script
    path = tmp_path / "page.html"
    path.write_text(WIDGETS.format(style=view_style(), script=script), encoding="utf-8")
    page.goto(path.as_uri())
    data = view_data(small_look("transformer"))
    page.evaluate(
        """async (data) => {
          for (const id of ["one", "two"]) {
            const state = { document: data, state: id === "two" ? { at: "encoder.1.self.scores", head: 2 } : {} };
            const heard = [];
            const model = {
              get: (name) => state[name],
              set: (name, value) => { state[name] = value; heard.forEach((each) => each()); },
              save_changes: () => {}, on: (_, each) => heard.push(each), off: () => heard.splice(0),
            };
            const shadow = document.getElementById(id).attachShadow({ mode: "open" });
            shadow.append(document.querySelector("style").cloneNode(true));
            globalThis[id] = model;
            globalThis[`${id}Ends`] = await widget.render({ model, el: shadow });
          }
        }""",
        data,
    )
    one, two = (page.locator(f"#{name} .path") for name in ("one", "two"))
    expect(two).to_have_text("encoder · block 2 · self-attention · head 3 · scores")
    page.keyboard.press("h")  # with the focus on nothing, the key is nobody's
    expect(one).to_contain_text("weights")
    page.locator("#one .matrix .frame").focus()
    page.keyboard.press("[")
    expect(one).to_contain_text("masked")
    expect(two).to_contain_text("scores")
    assert page.evaluate("one.get('state').at") == "encoder.0.self.masked"
    assert page.evaluate("location.hash") == ""
    page.evaluate("two.set('state', { at: 'encoder.0.self.keys', head: 1 })")
    expect(two).to_have_text("encoder · block 1 · self-attention · head 2 · keys")
    page.locator("#one .tab", has_text="All heads").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.getElementById('one').shadowRoot.activeElement.textContent") == "All heads"
    page.evaluate("oneEnds()")
    assert page.locator("#one .path").count() == 0
    expect(two).to_contain_text("keys")


def test_the_widgets_state_can_be_set_from_python() -> None:
    widget = LookWidget(small_look("gpt"), state={"at": "blocks.0.self.weights"})
    assert widget.get_state()["state"] == {"at": "blocks.0.self.weights"}
    widget.close()
