"""The page in a real browser, from disk with the network off: it draws, explains, and lets nothing in or out."""

import json
import math
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from helpers.browsing import click_cell, close_all_but, listen, number
from helpers.fonts import DEJAVU, FONTS, PHONE, Font, dressed, on_every_phone, sentence_width, sticking_out
from helpers.looks import LABELS, look_at_solution, names, small_look
from helpers.small_models import SMALL, small
from playwright.sync_api import Browser, Page, expect

from glassformer.by_hand.worksheets.solution import explain
from glassformer.inside.document.data import stage_numbers, view_data
from glassformer.inside.looks import Look, look_at_classifier, look_at_translator
from glassformer.inside.page.one_file import look_page, view_script, view_style
from glassformer.stages.trace import Explanation

pytestmark = [pytest.mark.browser, pytest.mark.slow]
Open = Callable[..., Page]
DESK = {"width": 1440, "height": 900}


@pytest.fixture
def open_page(blank_page: Page, tmp_path: Path) -> Iterator[Open]:
    """Opens a look from disk, offline. At the end: nothing was complained of, and nothing asked for."""
    complaints: list[str] = []

    def opened(
        look: Look | None, hash_: str = "", *, size: dict[str, int] = DESK, html: str = "", font: Font | None = None
    ) -> Page:
        path = tmp_path / "page.html"
        path.write_text(html or look_page(view_data(look or small_look("transformer"))), encoding="utf-8")
        page = blank_page.context.new_page()
        page.set_viewport_size(size)  # type: ignore[arg-type]
        listen(page, complaints, ("file:", "data:", "blob:"))
        if font:
            dressed(page, font)
        page.goto(f"{path.as_uri()}{hash_}")
        page.wait_for_selector(".gf .path .last")
        return page

    yield opened
    close_all_but(blank_page)
    assert not complaints


# --- the arithmetic -----------------------------------------------------------------------------------------------


def some_cells(look: Look, count: int) -> list[tuple[str, list[int]]]:
    draw = random.Random(5)
    return [
        (address, [draw.randrange(size) for size in look.trace[address].shape])
        for address in look.trace
        for _ in range(count)
    ]


def spelled(page: Page, cells: list[tuple[str, list[int]]]) -> list[dict[str, Any]]:
    """What the page says of each cell; numbers as text, so that none is lost on the way."""
    answer = page.evaluate(
        """async (cells) => {
          const { view } = document.getElementById("view");
          const found = await Promise.all(cells.map(([address, index]) => view.explained(address, index)));
          return JSON.stringify(found, (_, value) => (typeof value === "number" ? String(value) : value));
        }""",
        cells,
    )
    return json.loads(answer)  # type: ignore[no-any-return]


def same_arithmetic(said: dict[str, Any], true: Explanation) -> None:
    assert said["operation"] == true.operation
    assert said["pattern"] == true.working.pattern, true
    assert len(said["terms"]) == len(true.terms), true
    for term, expected in zip(said["terms"], true.terms, strict=True):
        assert term["pattern"] == expected.pattern
        assert float(term["value"]) == pytest.approx(expected.value, rel=1e-6, abs=1e-9)
        for cell, wanted in zip(term["cells"], expected.cells, strict=True):
            assert (cell["address"], tuple(int(i) for i in cell["index"])) == (wanted.address, wanted.index)
            assert float(cell["value"]) == pytest.approx(wanted.value, rel=1e-6, abs=1e-9)


VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in SMALL},
    "dense synthesizer": ("gpt", {"scorer": "dense synthesizer"}),
    "random synthesizer": ("gpt", {"scorer": "random synthesizer"}),
    "sigmoid": ("gpt", {"weigher": "sigmoid"}),
    "quiet softmax": ("modern", {"weigher": "quiet softmax"}),
    "shared keys": ("modern", {"kv_heads": 1}),
    "alibi": ("translator", {"positions": "alibi"}),
    "t5": ("translator", {"positions": "t5"}),
    "squared relu": ("modern", {"activation": "squared relu"}),
    "relu": ("transformer", {"activation": "relu", "norm": "layer"}),
    "norm last": ("translator", {"norm_first": False}),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_the_page_spells_every_stage_as_the_core_does(name: str, open_page: Open) -> None:
    model, settings = VARIANTS[name]
    look = small_look(model, **settings)
    cells = some_cells(look, 3)
    for (address, index), said in zip(cells, spelled(open_page(look), cells), strict=True):
        true = look.trace.explain(address, tuple(index))
        same_arithmetic(said, true)
        assert float(said["number"]) == pytest.approx(true.number, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("name", ["i-love-ai", "masked", "cross", "two-heads", "no-weights"])
def test_worked_examples_are_spelled_to_the_last_digit(name: str, open_page: Open) -> None:
    look = look_at_solution(explain(name))
    cells = [(a, list(i)) for a in look.trace for i in all_places(look.trace[a].shape)]
    for (address, index), said in zip(cells, spelled(open_page(look), cells), strict=True):
        same_arithmetic(said, look.trace.explain(address, tuple(index)))
        assert float(said["number"]) == float(look.trace[address][tuple(index)])


def all_places(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    places: list[tuple[int, ...]] = [()]
    for size in shape:
        places = [(*place, i) for place in places for i in range(size)]
    return places


def test_steep_scores_are_spelled_from_the_top(open_page: Open) -> None:
    given = {"scores": [[400.0, 399.0, -5.0]], "values": [[1.0], [2.0], [3.0]]}
    look = look_at_solution(explain(given))
    said = spelled(open_page(look), [("weights", [0, 0, 0, 1])])[0]
    same_arithmetic(said, look.trace.explain("weights", (0, 0, 0, 1)))
    assert said["terms"][0]["pattern"] == "e^({} − {})"


@pytest.mark.parametrize("stage", ["scores", "weights", "mixed", "output", "queries"])
def test_a_number_is_clicked_and_its_terms_add_up(stage: str, open_page: Open) -> None:
    page = open_page(small_look("transformer"), f"#at=encoder.1.self.{stage}&head=1")
    click_cell(page, 2, 1)
    figure = page.locator(".number .figure")
    shown = number(figure.inner_text())
    values = [number(text) for text in page.locator(".terms tbody td:last-child").all_inner_texts()]
    rows = page.locator(".terms tbody tr").all()
    assert len(values) > 1
    if stage == "weights":
        chosen = number(page.locator(".terms tr.chosen td:last-child").inner_text())
        assert shown == pytest.approx(chosen / sum(values), abs=2e-3)
    else:
        assert shown == pytest.approx(sum(values), abs=1e-3 * len(values))
        for row, value in zip(rows, values, strict=True):
            factors = [number(text) for text in row.locator(".cell").all_inner_texts()]
            assert math.prod(factors) == pytest.approx(value, abs=5e-3)
    assert number(page.locator(".terms .result").inner_text()) == shown


def test_operands_lead_down_to_the_embedding_and_up_again(open_page: Open) -> None:
    page = open_page(small_look("attention", positions="sinusoidal"), "#at=self.queries&cell=0,1,2,1")
    path = page.locator(".path")
    page.locator(".terms .cell").first.click()  # a number of X …
    expect(path).to_contain_text("inputs")
    page.locator(".terms .cell").first.click()  # … which is the positioned row …
    expect(path).to_contain_text("positioned")
    page.locator(".terms .cell").first.click()
    page.locator(".terms .cell").first.click()  # … which was looked up
    expect(path).to_contain_text("embedded")
    page.locator(".terms .cell").last.click()
    expect(path).to_contain_text("embedding weight")
    expect(page.locator(".number")).to_contain_text("Given")
    page.go_back()
    expect(path).to_contain_text("embedded")
    page.locator(".uses .cell").first.click()
    expect(path).to_contain_text("unplaced")


# --- getting about ------------------------------------------------------------------------------------------------


def test_the_address_holds_what_is_on_screen(open_page: Open) -> None:
    page = open_page(small_look("gpt"), "#at=blocks.1.self.scaled&head=2&row=4&cell=0,2,4,1")
    expect(page.locator(".path")).to_have_text("block 2 · self-attention · head 3 · scaled")
    expect(page.locator(".token.chosen")).to_have_text("w5")
    first = page.locator(".number .figure").inner_text()
    page.locator(".map .head").first.click()
    expect(page.locator(".path")).to_contain_text("block 1 · self-attention · head 1 · weights")
    assert "at=blocks.0.self.weights" in page.url
    page.go_back()
    expect(page.locator(".path")).to_have_text("block 2 · self-attention · head 3 · scaled")
    assert page.locator(".number .figure").inner_text() == first


@pytest.mark.parametrize("hash_", ["#at=nowhere", "#at=logits&cell=9,9,9,9", "#head=99&row=x&cell=,&zoom=-1", "#%ff"])
def test_an_address_that_makes_no_sense_still_shows_the_model(hash_: str, open_page: Open) -> None:
    page = open_page(small_look("transformer"), hash_)
    assert page.locator(".map .part").count() == 7


def test_keys_alone_are_enough(open_page: Open) -> None:
    page = open_page(small_look("transformer"), "#at=encoder.0.self.scores&cell=0,0,0,0")
    path, keyboard = page.locator(".path"), page.keyboard
    for _ in range(60):
        keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.frame')"):
            break
    assert page.evaluate("document.activeElement.matches('.frame')")
    keyboard.press("ArrowDown")
    keyboard.press("ArrowRight")
    assert "cell=0,0,1,1" in page.url
    expect(page.locator("[role=status]")).to_contain_text("w5₂ → w5₂")
    keyboard.press("Enter")
    assert page.evaluate("document.activeElement.matches('.number')")
    for key, words in {
        "]": "scaled",
        "[": "scores",
        ".": "head 2",
        ",": "head 1",
        "h": "all heads",
        "a": "the answer",
    }.items():
        keyboard.press(key)
        expect(path).to_contain_text(words)
    keyboard.press("?")
    assert page.locator("dialog").is_visible()
    keyboard.press("Escape")
    keyboard.press("s")
    keyboard.press(" ")
    expect(page.locator(".play")).to_have_attribute("aria-label", "pause")
    keyboard.press(" ")
    expect(page.locator(".play")).to_have_attribute("aria-label", "play")


def test_every_part_and_stage_can_be_opened(open_page: Open) -> None:
    look = small_look("translator")
    page = open_page(look)
    said = page.evaluate(
        """async (addresses) => {
          const { view } = document.getElementById("view");
          const said = [];
          for (const at of addresses) {
            await view.go({ at });
            said.push(document.querySelector(".path .last").textContent);
          }
          return said;
        }""",
        list(look.trace),
    )
    assert said == [look.trace.entry(address).stage.name.replace("_", " ") for address in look.trace]


def test_weights_have_one_scale_for_all_heads_and_other_numbers_their_own(open_page: Open) -> None:
    look = small_look("transformer")
    page = open_page(look, "#at=encoder.0.self.weights")
    expect(page.locator(".matrix .legend")).to_have_text("0 1, the same for every head")
    page = open_page(look, "#at=encoder.0.self.scores")
    expect(page.locator(".matrix .legend")).to_contain_text(", the largest here")
    ends = page.locator(".matrix .legend").inner_text().split(",")[0].split()
    largest = abs(look.trace["encoder.0.self.scores"][0, 0]).max()
    assert [number(end) for end in ends] == pytest.approx([-largest, largest], rel=5e-3)


def test_rows_without_a_name_are_counted_from_one(open_page: Open) -> None:
    look = small_look("transformer")
    page = open_page(look, "#at=encoder.0.self.query_weight")
    heads = page.locator(".matrix thead th").all_inner_texts()
    assert heads == [str(i + 1) for i in range(look.trace["encoder.0.self.query_weight"].shape[-1])]


def test_a_listener_is_given_a_table_with_headers(open_page: Open) -> None:
    look = small_look("transformer")
    page = open_page(look, "#at=encoder.0.self.weights")
    table = page.locator(".matrix table")
    heads = table.locator("thead th").all_inner_texts()
    assert heads == list(look.texts.own)
    cells = [number(text) for text in table.locator("tbody tr").nth(3).locator("td").all_inner_texts()]
    assert cells == pytest.approx(look.trace["encoder.0.self.weights"][0, 0, 3].tolist(), abs=6e-4)


@pytest.mark.parametrize("font", FONTS, ids=str)
@pytest.mark.parametrize("view", ["stage", "heads", "answer"])
def test_nothing_is_wider_than_the_screen(view: str, font: Font, open_page: Open) -> None:
    page = open_page(small_look("translator"), f"#view={view}&at=decoder.1.cross.weights", font=font)
    assert sticking_out(page) == []
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    page.reload()
    page.wait_for_selector(".gf .path .last")
    assert on_every_phone(page) == {}


@pytest.mark.parametrize("view", ["stage", "heads", "answer"])
def test_words_without_end_stay_on_the_screen(view: str, open_page: Open) -> None:
    tokens = ["Donaudampfschifffahrtsgesellschaftskapitän" * 2, "a", "x" * 97, "short", "猫" * 53, "w", "w"]
    labels = ["n" * 71, *LABELS[1:]]
    ids = [7, 5, 11, 28, 5, 19, 6]
    look = look_at_classifier(small("transformer"), ids, tokens, labels, title="t" * 83)
    assert on_every_phone(open_page(look, f"#view={view}", size=PHONE, font=FONTS[-1])) == {}


def test_the_wide_font_is_wide_and_what_sticks_out_is_found(open_page: Open) -> None:
    """What the tests above rest on: the fonts are put on, and each way of not fitting is seen."""
    plain, wide = (sentence_width(open_page(None, font=font)) for font in (DEJAVU, FONTS[-1]))
    assert wide >= 1.15 * plain
    page = open_page(None, size=PHONE, font=DEJAVU)
    page.evaluate(
        """() => {
          const add = (style, text, tag = "p") => {
            const node = document.body.appendChild(document.createElement(tag));
            node.style = style;
            node.textContent = text;
          };
          add("position: absolute; left: 300px; white-space: nowrap", "beyond the edge of the screen");
          add("width: 40px; overflow: hidden; white-space: nowrap", "cut off by its own box");
          add("width: 40px; white-space: nowrap; display: block; overflow: hidden", "a narrow button", "button");
          add("width: 40px; overflow: auto; white-space: nowrap", "a box that scrolls is fine");
        }"""
    )
    found = [each["what"] for each in sticking_out(page)]
    assert found == [
        "beyond the edge of the screen", "cut off by its own box", "too narrow for its words", "a narrow button",
        "the page scrolls sideways",
    ]  # fmt: skip


def test_a_long_source_goes_on_in_the_next_line(open_page: Open) -> None:
    ids = [5 + i for i in range(20)]
    look = look_at_translator(small("translator"), ids, names(ids), names, target=ids)  # type: ignore[arg-type]
    page = open_page(look, size=PHONE)
    for line in page.locator(".text").all():
        assert line.evaluate("(node) => node.scrollWidth - node.clientWidth") <= 0


def test_words_can_be_read_in_light_and_in_dark(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(look_page(view_data(small_look("transformer"))), encoding="utf-8")
    papers = set()
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)  # type: ignore[arg-type]
        page.goto(path.as_uri())
        page.wait_for_selector(".gf .path .last")
        style = "(name) => getComputedStyle(document.querySelector('.gf')).getPropertyValue(`--${name}`).trim()"
        paper = page.evaluate(style, "paper")
        papers.add(paper)
        for name in ("ink", "soft", "accent", "query", "key", "value", "score", "plain"):
            assert contrast(page.evaluate(style, name), paper) >= 4.5, (scheme, name)
        page.close()
    assert len(papers) == 2


def contrast(one: str, other: str) -> float:
    low, high = sorted(luminance(colour) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# --- what a text may hold -----------------------------------------------------------------------------------------

HOSTILE = [
    "</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "<svg/onload=alert(1)>", "a:alert(1)",
    "\u202egnp.exe", "\u200d", "👩\u200d👩\u200d👧", "שלום", "مرحبا", "猫が好き", "", " ", "\n", "${alert(1)}",
]  # fmt: skip


@pytest.mark.parametrize("view", ["stage", "heads", "answer"])
def test_hostile_tokens_never_run_and_are_shown_as_they_are(view: str, open_page: Open) -> None:
    ids = [5 + i for i in range(len(HOSTILE))]
    look = look_at_classifier(
        small("transformer"), ids, HOSTILE, ["<img src=x onerror=alert(1)>", *LABELS[1:]], title=HOSTILE[0]
    )
    page = open_page(look, f"#view={view}")
    tokens = page.locator(".text .token").all_inner_texts()
    assert tokens[:2] == HOSTILE[:2]
    assert tokens[4:6] == ["⟨202E⟩gnp.exe", "⟨200D⟩"]
    assert tokens[7:10] == HOSTILE[7:10]
    assert tokens[11:13] == ["␣", "↵"]
    assert page.locator("img, iframe, .gf script").count() == 0
    assert page.evaluate("document.scripts.length") == 2
    page.locator(".text button.token").nth(1).click()
    page.wait_for_timeout(100)


# --- the answer ---------------------------------------------------------------------------------------------------


def test_the_first_difference_of_a_translation_is_marked(open_page: Open) -> None:
    look = small_look("translator")
    assert look.answer is not None
    page = open_page(look, "#view=answer&row=1")
    marked = page.locator(".sides tr.differs")
    assert marked.count() == 1
    expect(marked.locator("th")).to_have_text(str(look.answer["divergence"] + 1))
    given = page.locator(".sides tbody tr td:nth-child(2)").all_inner_texts()
    assert given[:4] == ["w9", "w23", "w8", "</s>"]


def test_an_answer_leads_to_where_its_score_comes_from(open_page: Open) -> None:
    look = small_look("gpt")
    assert look.answer is not None
    page = open_page(look, "#view=answer&row=2")
    best = look.answer["steps"][2]["items"][0]
    page.locator(".bars .answer-item").first.click()
    expect(page.locator(".path")).to_contain_text("logits")
    logit = float(look.trace["logits"][0, 2, best["id"]])
    assert number(page.locator(".number .figure").inner_text()) == pytest.approx(logit, abs=2e-3)


# --- pictures -----------------------------------------------------------------------------------------------------


def test_a_panel_can_be_saved_as_svg_and_png(open_page: Open) -> None:
    page = open_page(small_look("transformer"), "#at=encoder.0.self.weights")
    saved = {}
    for kind in ("SVG", "PNG"):
        with page.expect_download() as download:
            page.locator(f"button:text-is('{kind}')").click()
        saved[kind] = download.value.path().read_bytes()
        assert download.value.suggested_filename.endswith(f".{kind.lower()}")
    assert saved["PNG"].startswith(b"\x89PNG")
    drawing = ElementTree.fromstring(saved["SVG"].decode())
    texts = ["".join(node.itertext()) for node in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert "w28" in texts
    assert sum(re.fullmatch(r"0\.\d\d\d", text) is not None for text in texts) >= 49
    assert len(list(drawing.iter("{http://www.w3.org/2000/svg}rect"))) >= 49


# --- mounted by another page --------------------------------------------------------------------------------------


def mounted(open_page: Open, look: Look, **options: bool) -> tuple[Page, dict[str, list[Any]]]:
    """A page of somebody else's that mounts the view and answers its questions."""
    calls: dict[str, list[Any]] = {"explain": [], "fetchHead": [], "onEdit": [], "onState": []}
    html = (
        f'<!doctype html><meta charset="utf-8"><style>{view_style()}</style><main id="host">'
        '<p class="gf"><i class="path"><b class="last">nothing yet</b></i></p></main>'
        f'<script type="module">{view_script()}\nwindow.mount = mount;</script>'
    )
    page = open_page(None, html=html)

    def explained(address: str, index: list[int]) -> dict[str, Any]:
        calls["explain"].append((address, index))
        return look.trace.explain(address, tuple(index)).to_dict()

    def fetched(address: str, head: int | None) -> dict[str, Any]:
        calls["fetchHead"].append((address, head))
        return stage_numbers(look, address, head)

    page.expose_function("explained", explained)
    page.expose_function("fetched", fetched)
    page.expose_function("told", lambda name, *said: calls[name].append(said))
    page.evaluate(
        """async ([data, options]) => {
          const main = document.createElement("div");
          document.getElementById("host").replaceChildren(main);
          window.view = await mount(main, data, {
            explain: options.explain ? window.explained : undefined,
            fetchHead: window.fetched,
            onEdit: (...said) => window.told("onEdit", ...said),
            onState: (...said) => window.told("onState", ...said),
            state: { at: options.at },
          });
        }""",
        [
            view_data(look, packed=False, later=options.get("later", False)),
            {"explain": options.get("explain", False), "at": "encoder.0.self.weights"},
        ],
    )
    page.wait_for_selector(".gf .figure")
    return page, calls


def test_numbers_that_come_later_are_asked_for_head_by_head(open_page: Open) -> None:
    look = small_look("transformer")
    page, calls = mounted(open_page, look, later=True, explain=True)
    assert ("encoder.0.self.weights", 0) in calls["fetchHead"]
    assert calls["explain"][0][0] == "encoder.0.self.weights"
    page.evaluate("view.go({ at: 'encoder.1.self.weights', head: 2 })")
    page.wait_for_function("view.store.has('encoder.1.self.weights', 2)")
    assert ("encoder.1.self.weights", 2) in calls["fetchHead"]
    shown = page.evaluate("view.store.value('encoder.1.self.weights', [0, 2, 3, 4])")
    assert shown == pytest.approx(float(look.trace["encoder.1.self.weights"][0, 2, 3, 4]))


def test_the_arithmetic_of_a_number_asks_for_what_it_is_made_of(open_page: Open) -> None:
    """Above some hundred tokens the scores come later than the weights; it once said that a row looks at nothing."""
    look = small_look("transformer")
    page, calls = mounted(open_page, look, later=True)
    page.evaluate("view.go({ at: 'encoder.0.self.weights', cell: [0, 0, 3, 4] })")
    page.wait_for_selector(".number .terms")
    panel = page.locator(".number")
    expect(panel).not_to_contain_text("nothing")
    expect(panel).not_to_contain_text("?")
    assert panel.locator(".terms tbody tr").count() == look.trace["encoder.0.self.weights"].shape[-1]
    made_of = {address for address, _ in calls["fetchHead"]}
    assert made_of > {"encoder.0.self.weights"}


def test_what_was_left_out_is_said_and_not_drawn_as_hidden(open_page: Open) -> None:
    look = small_look("transformer")
    page, _ = mounted(open_page, look, later=True)
    page.evaluate("view.store.fetchHead = null")
    page.evaluate("view.go({ at: 'encoder.1.self.weights', head: 2 })")
    expect(page.locator(".looking")).to_contain_text("These numbers did not come along")
    said = page.evaluate(
        """() => {
          const words = [];
          const brush = CanvasRenderingContext2D.prototype;
          const usual = brush.fillText;
          brush.fillText = function (text, ...rest) { words.push(text); return usual.call(this, text, ...rest); };
          view.matrix.paint();
          brush.fillText = usual;
          return words;
        }"""
    )
    assert said == ["left out"]


def test_where_the_operands_are_gone_no_case_is_guessed(open_page: Open) -> None:
    look = small_look("transformer")
    page, _ = mounted(open_page, look, later=True)
    page.wait_for_function("view.store.has('encoder.0.self.weights', 0)")
    page.evaluate(
        "view.store.fetchHead = null; for (const key of [...view.store.slices.keys()]) "
        "if (!key.startsWith('encoder.0.self.weights')) view.store.slices.delete(key)"
    )
    page.evaluate("view.go({ at: 'encoder.0.self.weights', cell: [0, 0, 2, 1] })")
    panel = page.locator(".number")
    expect(panel).to_contain_text("was left out of this file to keep it small: the number is as it was recorded")
    expect(panel).not_to_contain_text("nothing")


def test_a_number_can_be_changed_and_the_view_updated(open_page: Open) -> None:
    look = small_look("transformer")
    page, calls = mounted(open_page, look)
    page.locator(".edit input").fill("0.25")
    page.locator(".edit button").click()
    page.wait_for_function("true")
    address, index, value = calls["onEdit"][0]
    assert (address, value) == ("encoder.0.self.weights", 0.25)
    weights = look.trace[address].copy()
    weights[tuple(index)] = value
    model = small("transformer")
    ids = [7, 5, 11, 28, 5, 19, 6]
    changed = look_at_classifier(model, ids, names(ids), LABELS, write={address: weights})
    page.evaluate("(data) => view.update(data)", view_data(changed, packed=False))
    expect(page.locator(".number .figure")).to_have_text("0.25")
    panel = page.locator(".number")
    row = weights[tuple(index[:-1])].sum()
    expect(panel).to_contain_text(f"Written by you: what follows is worked from it.Its row now sums to {row:.3g}")
    page.evaluate("(cell) => view.go({ at: view.state.at, cell })", [*index[:-1], (index[-1] + 1) % len(ids)])
    expect(panel).to_contain_text("e^")  # every other number is as it was worked
    expect(panel).not_to_contain_text("Written by you")
    page.evaluate("(cell) => view.go({ at: view.state.at, cell })", index)
    off = view_data(changed, packed=False) | {"off": [f"encoder.0.self/{index[1]}"]}
    page.evaluate("(data) => view.update(data)", off)
    expect(panel).to_contain_text("Written by you: this head is switched off, so nothing follows from it.")
    expect(page.locator(".changed")).to_contain_text("changed by you")
    assert page.evaluate("view.state.at") == address
    page.evaluate("view.show({ at: view.state.at, row: 126 })")  # of a longer text
    assert page.evaluate("view.state.row") is None
    page.evaluate("(row) => view.show({ at: view.state.at, row })", len(ids) - 1)
    assert page.evaluate("view.state.row") == len(ids) - 1


def test_five_hundred_tokens_are_drawn(open_page: Open) -> None:
    model = small("transformer", length=600, layers=1)
    ids = [5 + i % 23 for i in range(512)]
    page = open_page(
        look_at_classifier(model, ids, names(ids), LABELS), "#at=encoder.0.self.weights&head=2&cell=0,2,500,490"
    )
    assert page.evaluate("document.getElementById('view').view.matrix.sheet.rows") == 512
    for _ in range(9):
        page.keyboard.press("+")
    seen = page.evaluate("(({ matrix }) => [matrix.w, matrix.h])(document.getElementById('view').view)")
    assert seen[0] >= 38  # room for digits
    assert seen[1] >= 17
