"""A page in fonts that are not ours: forced on everything before it is drawn; and what then sticks out of the screen.

It knows no page. It measures the rectangles of controls and of every line of text, since a page that is clipped says
nothing by its `scrollWidth`.
"""

import json
import os
import shutil
import subprocess
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page

PHONES = (390, 360)  # pixels wide
PHONE = {"width": 390, "height": 844}
SENTENCE = "Each query looks at the keys: 0.123, 4.567, −8.9; it mixes what it finds."


class Font(NamedTuple):
    """What is forced on a page, and Debian's package that brings it."""

    name: str
    family: str
    package: str
    spacing: str = "0"

    def __str__(self) -> str:
        return self.name


DEJAVU = Font("DejaVu Sans", "DejaVu Sans", "fonts-dejavu-core")
FONTS = (
    DEJAVU,
    Font("Liberation Sans", "Liberation Sans", "fonts-liberation"),
    DEJAVU._replace(name="15 % wider", spacing="0.1em"),
)


def dressed(page: Page, font: Font) -> None:
    """Whatever this page opens is drawn in the font from its first line on; no policy of a page forbids it. Without the
    font the machine's own is taken, unless the gate insists."""
    family = font.family if is_installed(font.family) else "sans-serif"
    if family != font.family and os.environ.get("GLASSFORMER_BROWSER") == "required":
        pytest.fail(
            f"The font {font.family} is missing, in which the page must be tried; apt-get install {font.package}"
        )
    style = f"* {{ font-family: {family!r} !important; letter-spacing: {font.spacing} !important; }}"
    page.add_init_script(
        f"{{ const sheet = new CSSStyleSheet(); sheet.replaceSync({json.dumps(style)});"
        " document.adoptedStyleSheets = [sheet]; }"
    )


def change_font(page: Page, font: Font) -> None:
    """Another font for a page that is dressed already; what measures itself does so again."""
    style = f"* {{ font-family: {font.family!r} !important; letter-spacing: {font.spacing} !important; }}"
    page.evaluate(
        "(style) => { document.adoptedStyleSheets[0].replaceSync(style); dispatchEvent(new Event('resize')); }", style
    )


def is_installed(family: str) -> bool:
    """As fontconfig has it, whom Chromium asks."""
    listed = shutil.which("fc-list")
    return bool(listed and subprocess.run([listed, family], capture_output=True, check=True).stdout.strip())


def sentence_width(page: Page) -> float:
    """How wide a sentence is in the page's font."""
    script = """(text) => {
      const line = document.body.appendChild(document.createElement("span"));
      line.style.whiteSpace = "nowrap";
      line.textContent = text;
      const { width } = line.getBoundingClientRect();
      line.remove();
      return width;
    }"""
    return float(page.evaluate(script, SENTENCE))


def sticking_out(page: Page) -> list[dict[str, Any]]:
    """Controls and lines of text that are not wholly between the edges of the screen, or of the box that clips them;
    buttons too narrow for their words. What stands in a box that scrolls is asked for no more than its box."""
    return page.evaluate(_STICKING_OUT)  # type: ignore[no-any-return]


def settled(page: Page) -> None:
    """Waits until the page is drawn as it is now."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def on_every_phone(page: Page) -> dict[int, list[dict[str, Any]]]:
    """What sticks out, by the width of the phone; nothing at all is `{}`."""
    found = {}
    for width in PHONES:
        page.set_viewport_size({"width": width, "height": PHONE["height"]})
        settled(page)
        found[width] = sticking_out(page)
    return {width: each for width, each in found.items() if each}


_STICKING_OUT = """() => {
  const CONTROLS = "button, a, input, select, textarea, summary, label, canvas, svg, table";
  const width = document.documentElement.clientWidth;
  const scrolls = (node) => /auto|scroll/.test(getComputedStyle(node).overflowX);
  const clips = (node) => /hidden|clip/.test(getComputedStyle(node).overflowX);
  const shortens = (node) => getComputedStyle(node).textOverflow === "ellipsis";
  const isSeen = (node) =>
    node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !node.closest(".spoken");
  const edges = (box) => {
    for (let here = box; here && here !== document.documentElement; here = here.parentElement) {
      if (scrolls(here) || shortens(here)) return null;
      if (clips(here)) return here.getBoundingClientRect();
    }
    return { left: 0, right: width };
  };
  const found = [];
  const judge = (what, rect, box) => {
    const within = edges(box);
    if (!within || !rect.width || !rect.height) return;
    if (rect.left >= within.left - 0.6 && rect.right <= within.right + 0.6) return;
    const [left, right] = [Math.round(rect.left), Math.round(rect.right)];
    found.push({ what, of: box.getAttribute("class"), left, right, within: [within.left, within.right] });
  };
  for (const node of document.body.querySelectorAll("*")) {
    if (!isSeen(node)) continue;
    if (node.matches(CONTROLS) || scrolls(node) || clips(node))
      judge(node.localName, node.getBoundingClientRect(), node.parentElement);
    if (node.matches("button") && node.scrollWidth > node.clientWidth + 1 && !shortens(node))
      found.push({ what: "too narrow for its words", of: node.textContent.slice(0, 40) });
    for (const text of node.childNodes) {
      if (text.nodeType !== Node.TEXT_NODE || !text.data.trim() || node.localName === "option") continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      for (const line of range.getClientRects()) judge(text.data.trim().slice(0, 40), line, node);
    }
  }
  const { scrollWidth } = document.scrollingElement;
  if (scrollWidth > width) found.push({ what: "the page scrolls sideways", right: scrollWidth, within: [0, width] });
  return found;
}"""
