"""Every room by keyboard alone: its main thing is done without a pointer; panels are maximised and left by Escape; what
moves is one short pass that any key ends; an address opened afresh shows the same."""

import pytest
from helpers.studio_house import House, Open
from playwright.sync_api import Browser, Locator, Page, expect

pytestmark = pytest.mark.browser
TEXT = "the film was not good"
MOST = 60  # presses of Tab


def tab_to(page: Page, wanted: Locator) -> None:
    """Goes there by Tab, as somebody without a mouse does."""
    wanted.first.wait_for()
    for _ in range(MOST):
        if wanted.first.evaluate("(node) => node === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"{wanted} cannot be reached by {MOST} presses of Tab.")


def press(page: Page, wanted: Locator) -> None:
    tab_to(page, wanted)
    page.keyboard.press("Enter")


def test_a_matrix_is_one_stop_of_tab_and_arrows_lead_from_number_to_number(visit: Open) -> None:
    page = visit("#room=by-hand&example=i-love-ai")
    stops = "(table) => [...table.querySelectorAll('button, input')].filter((each) => each.tabIndex === 0).length"
    page.locator("[data-stage=weights]").wait_for()
    tables = page.locator(".paper table.numbers")
    assert [table.evaluate(stops) for table in tables.all()] == [1] * tables.count()
    press(page, page.get_by_label("inputs 1, 1"))  # Enter goes down
    expect(page.get_by_label("inputs 2, 1")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("inputs 2, 2")).to_be_focused()
    page.keyboard.type("12")
    page.keyboard.press("ArrowLeft")  # between the signs that were written
    expect(page.get_by_label("inputs 2, 2")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_label("inputs 2, 1")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_label("inputs 2, 1")).to_be_focused()  # where one was
    scores = page.locator("[data-stage=scores] .figure-cell")
    tab_to(page, scores)
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    expect(scores.nth(2)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".paper .number .figure")).to_have_text(scores.nth(2).inner_text())
    tab_to(page, page.get_by_label("I may look at I"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_label("I may not look at love")).to_be_focused()


@pytest.mark.slow
def test_a_text_is_asked_and_looked_into(visit: Open) -> None:
    page = visit("#room=by-hand&example=i-love-ai")
    press(page, page.locator("[data-stage=queries] .figure-cell"))
    expect(page.locator(".paper .number .figure")).to_have_text("1")
    page.keyboard.press("2")
    page.locator(".why .first").wait_for()
    page.keyboard.press("/")
    page.keyboard.press("Control+a")
    page.keyboard.type(TEXT)
    page.keyboard.press("Enter")
    expect(page.locator(".why .chip bdi")).to_have_text(TEXT.split())
    tab_to(page, page.locator(".why .chip", has_text="film"))
    page.keyboard.press("Enter")  # two words trade places
    press(page, page.locator(".why .chip", has_text="good"))
    expect(page.get_by_label("instead of this text")).to_have_value("the good was not film")
    press(page, page.get_by_role("button", name="Undo"))
    expect(page.get_by_label("instead of this text")).to_have_value(TEXT)
    page.keyboard.press("Escape")
    tab_to(page, page.get_by_role("button", name="Every number"))
    page.keyboard.press("Enter")
    last = page.locator(".inside-view .path .last")
    expect(last).to_have_text("weights")
    page.keyboard.press("Escape")
    tab_to(page, page.locator(".inside-view").get_by_role("button", name="maximise this step"))
    page.keyboard.press("Enter")
    expect(page.locator(".stage.whole")).to_have_count(1)
    page.keyboard.press("]")
    expect(last).to_have_text("mixed")
    page.keyboard.press("Escape")
    expect(page.locator(".stage.whole")).to_have_count(0)
    page.keyboard.press("h")
    press(page, page.locator(".all-heads .tile").nth(1))
    expect(last).to_have_text("weights")


def test_models_are_raced_and_trained_and_a_lesson_is_taken(visit: Open) -> None:
    page = visit("#room=race&race=negation-race")
    page.locator(".said .token").first.wait_for()
    page.keyboard.press("/")
    page.keyboard.press("Control+a")
    page.keyboard.type("this film is good")
    page.keyboard.press("Enter")
    attends = page.locator(".said tr", has_text="transformer")
    expect(attends.locator(".token")).to_have_text(["this", "film", "is", "good"])
    assert "text=this+film+is+good" in page.url
    page.keyboard.press("Escape")
    page.keyboard.press("4")
    page.route("**/do/train/begin", lambda route: None)  # asked for, and never begun
    page.locator(".preview .rows").wait_for()
    with page.expect_request("**/do/train/begin") as begun:
        press(page, page.get_by_role("button", name="Train", exact=True))
    assert "negation" in (begun.value.post_data or "")
    expect(page.locator(".plan")).to_be_visible()
    page.keyboard.press("5")
    press(page, page.locator(".card-of-lesson"))
    press(page, page.locator(".lesson").get_by_role("button", name="Next"))
    expect(page.locator(".lesson .deed")).to_have_text("○ Click it in queries")


def test_the_focus_stays_where_one_was_when_all_around_is_drawn_anew(visit: Open) -> None:
    page = visit(f"#room=inside&model=classes&text={TEXT}")
    press(page, page.get_by_role("button", name="Negate it"))
    page.locator(".why:not([data-busy]) .turns, .why:not([data-busy]) .remarks").first.wait_for()
    expect(page.get_by_role("button", name="Negate it")).to_be_focused()
    page.locator(".why .opens").first.press("Enter")
    expect(page.locator(".matrix .frame")).to_be_focused()
    page.keyboard.press("h")
    page.get_by_label("each its own maximum").press("Space")
    expect(page.get_by_label("each its own maximum")).to_be_focused()
    page.locator(".all-heads .tile").nth(1).press("Enter")
    expect(page.locator(".matrix .frame")).to_be_focused()
    page.get_by_role("button", name="Switch it off").press("Enter")
    expect(page.get_by_role("button", name="Switch it on")).to_be_focused()
    page = visit("#room=inside&model=shakespeare&text=To be")
    page.locator(".next-bar").nth(2).press("Enter")
    page.wait_for_function("() => !location.hash.endsWith('To+be')")
    expect(page.locator(".sampling:not([data-old]) .next-bar").nth(2)).to_be_focused()


def test_a_chart_is_read_by_arrows_and_maximised(visit: Open) -> None:
    page = visit("#room=race&race=negation-race")
    tab_to(page, page.locator("svg.chart"))
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".chart-values")).to_contain_text("rnn 0.0")
    whole = page.get_by_role("button", name="maximise Validation loss")
    whole.focus()
    page.keyboard.press("Enter")
    box = page.locator(".charted.whole").bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == (1440, 900)
    page.keyboard.press("Escape")
    expect(page.locator(".charted.whole")).to_have_count(0)


SLOWLY = """{
  const animate = Element.prototype.animate;
  globalThis.flows = [];
  Element.prototype.animate = function (...how) {
    const made = animate.apply(this, how);
    flows.push(made.effect.getComputedTiming().endTime);
    made.updatePlaybackRate(0.001);
    return made;
  };
}"""


def test_one_pass_of_motion_is_short_and_any_key_ends_it(browser: Browser, house: House) -> None:
    context = browser.new_context(reduced_motion="no-preference")
    page = context.new_page()
    page.add_init_script("localStorage.setItem('glassformer-toured', 'yes')")
    page.add_init_script(SLOWLY)
    page.goto(f"{house.address}#room=inside&model=classes&text={TEXT}")
    page.locator(".why .chip").first.wait_for()
    assert 0 < max(page.evaluate("flows")) <= 1200
    moving = "document.querySelectorAll('.why .chip')[4].getAnimations().length"
    assert page.evaluate(moving) == 1
    page.keyboard.press("Shift")
    assert page.evaluate(moving) == 0
    context.close()


@pytest.mark.slow
def test_addresses_opened_afresh_show_the_same(visit: Open) -> None:
    """What is on screen after some steps is on screen for who gets the address."""
    page = visit(f"#room=inside&tab=numbers&model=classes&text={TEXT}")
    page.locator(".inside-view .path .last").wait_for()
    for key in ("]", ".", "ArrowLeft"):
        page.keyboard.press(key)
    expect(page.locator(".inside-view .path")).to_contain_text("head 2")
    page.wait_for_load_state("networkidle")
    again = visit("#" + page.url.partition("/#")[2])
    for place in (".inside-view .path", ".inside-view .number .figure", ".inside-view .number .where"):
        expect(again.locator(place)).to_have_text(page.locator(place).text_content() or "")
    page.keyboard.press("h")
    expect(page.locator(".all-heads")).to_be_visible()
    again.goto(page.url)
    again.reload()
    expect(again.locator(".all-heads .tile.here .tile-name")).to_have_text(
        page.locator(".all-heads .tile.here .tile-name").inner_text()
    )
