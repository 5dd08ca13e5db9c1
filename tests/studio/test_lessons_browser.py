"""Lessons in a real browser: what is done is seen, answers are checked, progress is kept, every step has an address."""

import pytest
from helpers.studio_house import Open
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
FIRST = "1-a-query-meets-a-key"


def test_a_lesson_is_begun_from_its_card_and_sees_what_is_done(visit: Open) -> None:
    page = visit("#room=lessons")
    expect(page.locator(".card-of-lesson")).to_have_count(8)
    page.get_by_role("link", name="A query meets a key").click()
    expect(page.locator(".lesson h2")).to_have_text("Three words, two numbers each")
    expect(page.locator(".step-by-hand.shown")).to_have_attribute("data-stage", "queries")
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".lesson .deed")).to_have_text("○ Click it in queries")
    page.locator("[data-stage=queries] .figure-cell").nth(1).click()
    expect(page.locator(".paper .number .figure")).to_have_text("0")
    expect(page.locator(".lesson .deed")).not_to_have_class("deed done")  # that was another number
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
