"""Every page the package writes: one frame, a policy that lets only our own script run, and nobody's text as markup."""

import base64
import hashlib
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from helpers.browsing import listen
from helpers.looks import LABELS
from helpers.small_models import small
from helpers.small_runs import small_run
from playwright.sync_api import Browser, Page

import glassformer
from glassformer.by_hand.check import check_text
from glassformer.by_hand.reports.html import to_html
from glassformer.drawing.html_page import framed
from glassformer.inside.looks import look_at_classifier
from glassformer.inside.page.one_file import look_file
from glassformer.objectives.bootstrap import Interval
from glassformer.runs.report import report
from glassformer.runs.run import load
from glassformer.training.race.race import Race, Standing, Standings
from glassformer.training.race.race_page import race_page

# What would run, if it were let through as it is; the last leave the place where an attribute or a block stands.
PLANTED = (
    "<script>window.ran = 1</script>",
    '<img src="x" onerror="window.ran = 2">',
    "<svg onload='window.ran = 3'><a href='javascript:window.ran = 4'>x</a></svg>",
    "</script></style></title></pre></math><script>window.ran = 5</script>",
    "'><img src=x onerror=window.ran=6> \"><img src=x onerror=window.ran=7>",
    "<math><mtext><style><img src=x onerror=window.ran=8></style></mtext></math>",
)
EVIL = " ".join(PLANTED)


def run_report(folder: Path) -> str:
    """Labels, examples, notes, the name of the data and the command are whatever somebody wrote."""
    kept = small_run(folder / "run", "classes")
    one = {"precision": 0.5, "recall": 0.5, "f1": 0.5, "samples": 7}
    labels = [*PLANTED, "plain"]
    table = [[i * j for j in range(len(labels))] for i in range(len(labels))]
    scores = {"accuracy": 0.5, "samples": 7, "part": EVIL, "classes": dict.fromkeys(labels, one)}
    kept.write_scores({**scores, "confusion": {"labels": labels, "table": table}})
    kept.write_about({"notes": list(PLANTED), "examples": [{"given": EVIL, "right": EVIL, "said": "no"}]})
    card = load(kept.path).card
    hostile = {**vars(card), "data": EVIL.replace("/", "∕"), "command": EVIL, "labels": tuple(labels)}
    return report(kept, type(card)(**hostile))


def race_report(folder: Path) -> str:
    standing = Standing("transformer", ("transformer-0",), 7, 2.0, Interval(0.5, 0.4, 0.6), (0.5,), 0.5, True)
    request = SimpleNamespace(
        task="classify", data=EVIL.replace("/", "∕"), command=EVIL, steps=2, minutes=None, epochs=None,
        settings={"weigher": EVIL},
    )  # fmt: skip
    race = SimpleNamespace(
        request=request,
        terms={"samples": {EVIL: 11}},
        curves=lambda each: [[(1.0, 0.7), (2.0, 0.5)]],
        standings=lambda: Standings("accuracy", "macro_f1", 11, None, (standing,)),
    )
    return race_page(cast(Race, race))


def look_page_(folder: Path) -> str:
    tokens = [*PLANTED, EVIL]
    ids = [5 + i for i in range(len(tokens))]
    return look_file(look_at_classifier(small("transformer"), ids, tokens, [EVIL, *LABELS[1:]], title=EVIL))


def check_report(folder: Path) -> str:
    lines = [f"# {EVIL}", EVIL, f"$$\\text{{{EVIL}}} = 1 + 1 = 3$$", f"`{EVIL}`", f"```\n{EVIL}\nS = 1 + 1 = 3\n```"]
    return to_html(check_text("\n\n".join(lines), EVIL.replace("/", "∕")))


PAGES: dict[str, Callable[[Path], str]] = {
    "run report": run_report,
    "race report": race_report,
    "look": look_page_,
    "check report": check_report,
}


class Tags(HTMLParser):
    """Writes down the policy, every attribute by name, and what scripts and styles hold."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.policy, self.attributes, self.tags, self.held = "", set[str](), list[str](), dict[str, str]()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.attributes |= given.keys()
        self.tags.append("data" if given.get("type") == "application/json" else tag)
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"] or ""

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] in ("script", "style"):
            self.held.setdefault(self.tags[-1], data)


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_the_policy_and_nothing_that_it_would_have_to_stop(name: str, tmp_path: Path) -> None:
    page = PAGES[name](tmp_path)
    tags = Tags(page)
    wanted = {"default-src 'none'", "base-uri 'none'", "form-action 'none'", f"style-src {digest(tags.held['style'])}"}
    wanted |= {f"script-src {digest(tags.held['script'])}"} if "script" in tags.held else set()
    wanted |= {"img-src blob: data:"} if name == "look" else set()
    assert set(tags.policy.split("; ")) == wanted
    assert not {each for each in tags.attributes if each.startswith("on")}
    assert not tags.attributes & {"style", "src", "href", "srcdoc", "action"}
    assert tags.tags.count("style") == 1
    assert tags.tags.count("script") == ("script" in tags.held)
    assert not {"img", "iframe", "object", "embed", "form", "base", "link"} & set(tags.tags)
    assert page.index("Content-Security-Policy") < page.index("<title>")


def test_no_other_frame_is_written() -> None:
    package = Path(glassformer.__file__).parent
    with_frame = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if re.search(r"<!doctype html|<html", path.read_text(encoding="utf-8"), re.IGNORECASE)
    }
    assert with_frame == {"drawing/html_page.py"}


def opened(browser: Browser, path: Path, page: str, complaints: list[str]) -> Page:
    path.write_text(page, encoding="utf-8")
    tab = browser.new_page()
    listen(tab, complaints, ("file:", "data:", "blob:"))
    tab.goto(path.as_uri())
    tab.wait_for_load_state("load")
    return tab


@pytest.mark.browser
@pytest.mark.parametrize("name", PAGES)
def test_nothing_planted_runs(name: str, browser: Browser, tmp_path: Path) -> None:
    complaints: list[str] = []
    tab = opened(browser, tmp_path / "page.html", PAGES[name](tmp_path), complaints)
    if name == "look":
        tab.wait_for_selector(".gf .path .last")
    for sign in tab.locator("[data-mark]").all()[:3]:
        sign.click(force=True)
    tab.wait_for_timeout(100)
    assert tab.evaluate("window.ran") is None
    assert tab.locator("img, iframe").count() == 0
    assert PLANTED[0] in str(tab.evaluate("document.documentElement.textContent"))
    assert complaints == []
    tab.close()


@pytest.mark.browser
def test_the_policy_stops_what_was_not_escaped(browser: Browser, tmp_path: Path) -> None:
    """Were text ever let through as it is, its scripts, handlers, styles, pictures and forms would still do nothing."""
    complaints: list[str] = []
    body = f"<p>{EVIL}</p><style>p {{ color: red }}</style><p id='q' style='color: red'>x</p><base href='https://a.b/'>"
    ours = "window.ours = 1;"
    page = framed(EVIL, body, style="p { color: rgb(1, 2, 3) }", script=ours)
    tab = opened(browser, tmp_path / "page.html", page, complaints)
    assert tab.evaluate("[window.ran ?? null, window.ours]") == [None, 1]
    assert tab.evaluate("getComputedStyle(document.getElementById('q')).color") == "rgb(1, 2, 3)"
    assert tab.evaluate("document.baseURI").startswith("file:")
    assert any("Content Security Policy" in each for each in complaints)
    tab.close()
