"""The page's pure functions, asked in a browser of their own: numbers, addresses and packed bytes, held against Python.

The modules come from the studio's own table of files; no studio runs, and nothing is drawn.
"""

import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from helpers.browsing import number
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page, Route

from glassformer.inside.document.packing import encoded_array
from glassformer.stages.notation import aligned, is_tiny
from glassformer.studio.app import static_files

pytestmark = pytest.mark.browser
PLACE = "http://page.invalid/"


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """An empty page that can import every module of ours; each request is answered from the disk."""
    files = static_files()

    def answer(route: Route) -> None:
        name = route.request.url.removeprefix(PLACE).partition("#")[0]
        if name:
            route.fulfill(path=files[name], content_type="text/javascript")
        else:
            route.fulfill(body="<!doctype html><title>empty</title>", content_type="text/html")

    found = browser.new_page()
    found.route("**/*", answer)
    found.goto(PLACE)
    yield found
    found.close()


def ask(page: Page, module: str, expression: str, content: Any = None) -> Any:
    """What an expression of `page` (a module's exports) and `it` (the content) comes to."""
    script = f"""async (it) => {{
      const page = await import("{PLACE}{module}");
      return {expression};
    }}"""
    return page.evaluate(script, content)


# --- numbers ------------------------------------------------------------------------------------------------------


def some_numbers() -> list[float]:
    """A thousand: of every size, halves that a rounding must decide, and what is hardly different from them."""
    draw = random.Random(7)
    sizes = [draw.choice([-1, 1]) * 10 ** draw.uniform(-9, 5) for _ in range(500)]
    halves = [draw.randrange(-4000, 4000) / draw.choice([2, 4, 8, 16, 32, 2000]) for _ in range(400)]
    near = [math.nextafter(each, draw.choice([-math.inf, math.inf])) for each in halves[:93]]
    return [*sizes, *halves, *near, 0.0, -0.0, 0.5, 1.5, 2.5, 0.0625, -0.0625]


def test_a_matrix_has_the_same_digits_on_the_page_and_in_the_terminal(page: Page) -> None:
    numbers = some_numbers()
    assert len(numbers) == 1000
    for decimals in range(5):
        fit = [each for each in numbers if abs(each) < 1e5 and not is_tiny(each, decimals)]
        terminal = [aligned(each, decimals, 4) for each in fit]
        zero = f"−{0:.{decimals}f}"  # of which the page leaves out the sign
        expected = [text.removeprefix("−") if text == zero else text for text in terminal]
        for module in ("page/store.js", "panels/tables.js"):
            assert ask(page, module, f"it.map((each) => page.figure(each, {decimals}))", fit) == expected


def test_a_short_figure_is_off_by_half_of_its_last_digit_at_most(page: Page) -> None:
    numbers = some_numbers()
    said = ask(page, "page/store.js", "it.map((each) => page.short(each))", numbers)
    for value, text in zip(numbers, said, strict=True):
        assert len(text.lstrip("−").replace(".", "").partition("e")[0]) <= 5, text
        assert number(text) == pytest.approx(value, rel=5.001e-3 if "e" in text else 5.001e-4, abs=5.001e-4)


def test_a_number_in_full_is_that_number(page: Page) -> None:
    numbers = [*some_numbers(), 1e21, -1e300, 5e-324]
    assert [
        number(text) for text in ask(page, "page/store.js", 'it.map((each) => page.full(each, "f8"))', numbers)
    ] == numbers
    single = [float(np.float32(each)) for each in some_numbers()]
    said = ask(page, "page/store.js", 'it.map((each) => page.full(each, "f4"))', single)
    assert [float(np.float32(number(text))) for text in said] == single
    assert [digits(text) for text in said] == [digits(str(np.float32(each))) for each in single]


def digits(text: str) -> int:
    """How many count: no sign, no point, no power of ten, no zeros around them."""
    return len(text.partition("e")[0].lstrip("−-").replace(".", "").strip("0"))


def test_what_is_no_number_is_said_and_what_is_typed_is_read(page: Page) -> None:
    odd = [math.inf, -math.inf, math.nan]
    assert ask(page, "page/store.js", "it.map((each) => page.figure(each, 2))", odd) == ["∞", "−∞", "NaN"]
    assert ask(page, "page/store.js", "it.map((each) => page.full(each, 'f4'))", odd) == ["∞", "−∞", "NaN"]
    words = ["1", "−1,5", " 2.25 ", "1e3", "3/4", "−1 / 2", "25 %", "1/0", "3/", "1/2/3", "%"]
    assert ask(page, "page/store.js", "it.map(page.typed)", words) == [
        *(1, -1.5, 2.25, 1000, 0.75, -0.5, 0.25, None, None, None, None),
    ]
    words = ["", "abc", "1,2,3", "1e999", "--1", "1x"]
    assert ask(page, "page/store.js", "it.map(page.typed)", words) == [None] * 6
    numbers = some_numbers()
    assert (
        ask(page, "page/store.js", "it.map((each) => page.typed(String(each).replace('-', '−')))", numbers) == numbers
    )


def test_a_matrix_for_each_head(page: Page) -> None:
    values = np.arange(2 * 3 * 5).reshape(2, 3, 5)
    for shown in (values, values[0], values[0, 0], values[0, 0, 0]):
        script = "page.sheetsOf(it[0], it[1]).map((s) => s.rows.map((row, r) => row.map((v, c) => [v, s.at(r, c)])))"
        found = [
            cell
            for sheet in ask(page, "panels/tables.js", script, [shown.tolist(), shown.shape])
            for row in sheet
            for cell in row
        ]
        assert sorted(value for value, _ in found) == sorted(np.ravel(shown).tolist())
        for value, index in found:
            assert shown[tuple(index)] == value


# --- addresses ----------------------------------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
PLACES = st.integers(0, 2**31)
STATES = st.fixed_dictionaries(
    {},
    optional={
        "at": TEXTS,
        "head": PLACES,
        "row": PLACES,
        "cell": st.lists(PLACES, min_size=1, max_size=4),
        "view": st.sampled_from(["heads", "answer"]),
        "zoom": st.floats(1, 40, exclude_min=True),
    },
)


@given(st.lists(STATES, min_size=1, max_size=8))
def test_an_address_holds_what_is_on_screen(page: Page, states: list[dict[str, Any]]) -> None:
    assert (
        ask(page, "page/address.js", "it.map((each) => page.stateFromHash(page.hashFromState(each)))", states) == states
    )


@given(
    st.lists(st.one_of(TEXTS, st.from_regex(r"#(at|head|row|cell|view|zoom)=[-0-9a-z.,%&=]*")), min_size=1, max_size=8)
)
def test_whatever_an_address_says_the_state_has_an_address(page: Page, hashes: list[str]) -> None:
    read = ask(page, "page/address.js", "it.map(page.stateFromHash)", hashes)
    defaults = {"view": "stage", "zoom": 1}
    expected = [{name: value for name, value in each.items() if defaults.get(name) != value} for each in read]
    assert (
        ask(page, "page/address.js", "it.map((each) => page.stateFromHash(page.hashFromState(each)))", read) == expected
    )


@settings(max_examples=50)  # a browser lets nobody write addresses without end
@given(st.dictionaries(TEXTS, TEXTS, max_size=5))
def test_a_room_is_found_again_by_its_address(page: Page, state: dict[str, str]) -> None:
    assert ask(page, "talk.js", "(page.writeAddress(it, { replace: true }), page.readAddress())", state) == state


# --- packed numbers -----------------------------------------------------------------------------------------------

ARRAYS = {
    "f8": np.array([0.1, -1e300, 5e-324, np.inf, -np.inf, 0.0]),
    "f4": np.array([0.1, -3e38, 1e-45, -np.inf, 7.0], dtype=np.float32),
    "u1": np.array([True, False, False, True, True]),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_numbers_come_out_of_their_base64_bit_for_bit(page: Page, kind: str) -> None:
    values = ARRAYS[kind]
    packed = encoded_array(values)
    assert packed["kind"] == kind
    assert [float(each) for each in ask(page, "page/store.js", "Array.from(page.decoded(it), String)", packed)] == [
        float(each) for each in values
    ]


# --- words --------------------------------------------------------------------------------------------------------


def test_every_token_can_be_seen(page: Page) -> None:
    tokens = ["a", " a", "a ", " ", "   ", "", "\n", "a\tb", "\x00", "\x7f\x9f", "\u202ea", "\u200d", "é", "猫", None]
    assert ask(page, "page/store.js", "it.map(page.visible)", tokens) == [
        "a", "␣a", "a␣", "␣", "␣␣␣", "␣", "↵", "a⇥b", "⟨0000⟩", "⟨007F⟩⟨009F⟩", "⟨202E⟩a", "⟨200D⟩", "é", "猫", "",
    ]  # fmt: skip


def test_an_answer_early_or_late_has_a_tick_where_it_is_the_target(page: Page) -> None:
    frames = [
        {"step": step, "answers": [{"text": "dull", "truth": "negative", "says": says}]}
        for step, says in ((2, "negative"), (4, "positive"))
    ]
    drawn = (
        "(() => { const lapse = new page.TimeLapse({ root: document.body }); lapse.drawSamples(it);"
        " return [...lapse.samples.querySelectorAll('td')].map((each) => each.textContent); })()"
    )
    assert ask(page, "panels/train/time_lapse.js", drawn, frames) == ["dull", "negative ✓", "positive", "negative"]
