"""Lessons in a real browser: what is done is seen, answers are checked, progress is kept, every step has an address."""

from collections.abc import Callable

import pytest
from helpers.studio_house import Open
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser
FIRST = "1-a-query-meets-a-key"
PHONE, TABLET = {"width": 390, "height": 844}, {"width": 1024, "height": 768}


def free(page: Page) -> float:
    """Where what is in sight ends: at the lesson that stands below, or at the end of the window."""
    lesson, height = page.locator(".lesson").bounding_box(), page.evaluate("innerHeight")
    assert lesson is not None
    return float(lesson["y"] if lesson["width"] > 320 else height)


def in_sight(page: Page) -> Callable[[Locator], bool]:
    """Whether all of something can be seen."""
    end = free(page)

    def seen(thing: Locator) -> bool:
        box = thing.bounding_box()
        return box is not None and box["y"] >= -1 and box["y"] + box["height"] <= end + 1

    return seen


def test_a_lesson_is_begun_from_its_card_and_sees_what_is_done(visit: Open) -> None:
    page = visit("#room=lessons")
    expect(page.locator(".card-of-lesson")).to_have_count(8)
    page.get_by_role("link", name="A query meets a key").click()
    expect(page.locator(".lesson h2")).to_have_text("Three words, two numbers each")
    expect(page.locator(".shown")).to_have_attribute("data-given", "inputs")
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".shown")).to_have_attribute("data-stage", "queries")
    expect(page.locator(".lesson .deed")).to_have_text("○ Click it in queries")
    page.locator("[data-stage=queries] .figure-cell").nth(1).click()
    expect(page.locator(".paper .number .figure")).to_have_text("0")
    expect(page.locator(".lesson .deed")).to_have_text("○ Click it in queries; that is another number.")
    expect(page.locator(".lesson .deed")).not_to_have_class("deed done")
    page.locator("[data-stage=queries] .figure-cell").nth(4).click()
    expect(page.locator(".lesson .deed")).to_have_text("✓ Click it in queries")
    assert f"lesson={FIRST}&step=2" in page.url
    page.get_by_role("link", name="Lessons").click()
    expect(page.locator(f"[data-lesson='{FIRST}']")).to_contain_text("2 of 6 steps")
    expect(page.locator(".lesson")).to_be_hidden()


def test_an_answer_is_checked_and_a_given_is_seen_to_change(visit: Open) -> None:
    page = visit(f"#lesson={FIRST}&step=5")
    page.get_by_label("your answer").fill("5")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator(".lesson .told")).to_contain_text("Not yet. 1 × 1, and 1 × 1 again")
    page.get_by_label("your answer").fill("2")
    page.keyboard.press("Enter")
    expect(page.locator(".lesson .told")).to_contain_text("✓ 1 × 1 + 1 × 1 = 2.")
    page.get_by_role("button", name="step 6").click()
    page.get_by_label("query weight 1, 1").fill("4")
    expect(page.locator(".lesson .deed")).to_have_text("✓ Change a number of query weight")
    page.go_back()
    page.get_by_role("button", name="end the lesson").click()
    expect(page.locator(".lesson")).to_be_hidden()
    assert "lesson=" not in page.url


def test_choices_and_a_lesson_that_is_not_there(visit: Open) -> None:
    page = visit("#lesson=2-softmax-and-beta&step=4")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator(".lesson .told")).to_have_text("Choose an answer first.")
    page.get_by_label("All three are equal.").check()
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator(".lesson .told")).to_have_class("told wrong")
    page.get_by_label("The second and the third are equal").check()
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator(".lesson .told")).to_have_class("told right")
    page = visit("#lesson=none&step=4")
    expect(page.locator(".wrong")).to_contain_text("There is no lesson called 'none'")
    expect(page.locator(".card-of-lesson")).to_have_count(8)


def test_the_words_of_a_step_stand_at_the_side_on_a_desk_and_below_on_a_phone(visit: Open) -> None:
    page = visit(f"#lesson={FIRST}&step=4")
    box, room = page.locator(".lesson").bounding_box(), page.locator("main.room").bounding_box()
    assert box is not None
    assert room is not None
    assert box["x"] + box["width"] <= room["x"] + 1
    phone = visit(f"#lesson={FIRST}&step=4", size={"width": 390, "height": 844})
    phone.wait_for_selector(".step-by-hand.shown")
    box = phone.locator(".lesson").bounding_box()
    assert box is not None
    assert box["height"] <= 844 / 2
    assert box["y"] + box["height"] <= 845


@pytest.mark.parametrize("size", [{"width": 1440, "height": 900}, TABLET, PHONE], ids=["desk", "tablet", "phone"])
def test_the_head_that_a_step_speaks_of_is_the_one_that_is_switched_off(visit: Open, size: dict[str, int]) -> None:
    page = visit("#room=lessons", size=size)
    page.get_by_role("link", name="Heads").click()
    for title in ("different things", "Side by side", "Eight heads", "pretty pattern"):
        page.get_by_role("button", name="Next", exact=True).click()
        expect(page.locator(".lesson h2")).to_contain_text(title)
        page.wait_for_function("() => !document.querySelector('[data-busy]')")
    expect(page.locator(".path")).to_contain_text("block 1 · self-attention · head 3")
    expect(page.locator(".matters")).to_contain_text("encoder · block 1 · self-attention · head 3 matters here")
    seen = in_sight(page)
    assert seen(page.get_by_role("button", name="Switch it off"))
    page.get_by_role("button", name="Switch it off").click()
    expect(page.locator(".chips li")).to_contain_text("block 1 · self-attention · head 3 off")
    expect(page.locator(".lesson .deed")).to_have_text("✓ Switch head 3 off")
    assert seen(page.locator(".before-after"))


def test_the_badge_follows_the_steps_back_and_forth(visit: Open) -> None:
    page = visit("#lesson=4-heads&step=6")
    expect(page.locator(".matters")).to_contain_text("block 2 · self-attention · head 3")
    for step in (4, 5):
        page.get_by_role("button", name=f"step {step}").click()
        expect(page.locator(".lesson .pip[aria-current=step]")).to_have_attribute(
            "aria-label", f"step {step}, done" if step == 4 else "step 5"
        )
    expect(page.locator(".matters")).to_contain_text("block 1 · self-attention · head 3")


@pytest.mark.parametrize("size", [TABLET, PHONE], ids=["tablet", "phone"])
def test_where_there_is_no_side_the_clicked_number_and_its_arithmetic_are_seen_together(
    visit: Open, size: dict[str, int]
) -> None:
    page = visit(f"#lesson={FIRST}&step=2", size=size)
    page.locator("[data-stage=queries] .figure-cell").nth(4).click()
    expect(page.locator(".paper .number .figure")).to_have_text("2")
    expect(page.locator(".lesson .deed")).to_have_class("deed done")
    seen = in_sight(page)
    assert seen(page.locator("td.chosen"))
    assert seen(page.locator(".number .sum").last)
    page.get_by_role("button", name="step 6").click()
    expect(page.locator(".lesson h2")).to_have_text("Change what it looks for")
    assert in_sight(page)(page.get_by_label("query weight 1, 1"))


def test_a_question_does_not_open_its_own_answer(visit: Open) -> None:
    page = visit("#lesson=7-from-encoder-to-decoder&step=4")
    expect(page.locator(".path")).to_contain_text("weights")
    expect(page.locator(".inside-view .number")).to_contain_text("Click any number")


def test_the_door_of_lessons_is_marked_and_the_last_step_leads_on(visit: Open) -> None:
    page = visit(f"#lesson={FIRST}&step=6")
    expect(page.locator(".door[aria-current=page]")).to_have_text("Lessons")
    expect(page.locator(".door[aria-current=location]")).to_have_text("By hand")
    expect(page.locator(".lesson code.query").first).to_have_js_property("innerHTML", "W<sub>Q</sub>")
    page.get_by_role("button", name="Next lesson: Softmax and β").click()
    expect(page.locator(".lesson h2")).to_have_text("Scores are not shares yet")
    page.get_by_role("button", name="end the lesson").click()
    expect(page.locator(".door[aria-current=page]")).to_have_text("By hand")
    last = visit("#lesson=8-what-training-does-to-a-head&step=6")
    last.get_by_role("button", name="All lessons").click()
    expect(last.locator(".card-of-lesson")).to_have_count(8)


@pytest.mark.parametrize("size", [{"width": 1440, "height": 900}, PHONE], ids=["desk", "phone"])
def test_every_matrix_has_all_its_lines(visit: Open, size: dict[str, int]) -> None:
    """Half of the outer line of a table lies outside of it: what scrolls it must not cut that off."""
    page = visit("#room=by-hand&example=two-heads", size=size)
    cut = page.eval_on_selector_all(
        ".paper .scroll",
        "all => all.filter(one => [...one.querySelectorAll('table')].some(each => "
        "each.getBoundingClientRect().top < one.getBoundingClientRect().top + 0.5)).length",
    )
    assert cut == 0
    heads = page.locator(".mask thead th")
    assert heads.evaluate_all("all => all.every(each => each.scrollWidth <= each.clientWidth)")
