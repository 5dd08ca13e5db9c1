"""A lesson as one file: nothing is loaded from anywhere, the views are drawn, and answers are checked."""

import json
from pathlib import Path

import pytest
from helpers.browsing import listen
from playwright.sync_api import Browser, expect

from glassformer.studio.lessons.lesson_files import read_lesson, read_lesson_file
from glassformer.studio.lessons.lesson_page import lesson_page
from glassformer.studio.lessons.lesson_room import taught
from glassformer.studio.lessons.places import Places
from glassformer.studio.shelf import Shelf


def test_views_that_are_the_same_are_kept_once() -> None:
    page = lesson_page(read_lesson_file(taught()[0]), Places(Shelf()))
    assert page.count('"glassformer-view/1"') == 1 + page.count("format !==")  # the script names it once
    assert "http://" not in page.replace("http://www.w3.org/", "")
    assert "default-src 'none'" in page


WHY = """---
title: x
model: sentiment
text: the film was not good
---
## Why
words
:::view
tab: why
instead: the film was so good
:::
## Where it looks
words
:::view
tab: numbers
:::
"""


def test_a_step_that_shows_why_shows_it_in_the_file() -> None:
    page = lesson_page(read_lesson(WHY), Places(Shelf()))
    first, second = page.split("<section class='lesson-step'")[1:]
    assert "<div class='gf-why'>" in first
    assert "<p class='first'>Negative by" in first
    assert "The twin, your other text, with" in first
    assert "gf-why" not in second.split("<script")[0]
    steps = json.loads(page.split("id='data'>")[1].split("</script>")[0])["steps"]
    assert [step["view"] for step in steps] == [None, 0]  # no numbers in its place


@pytest.mark.browser
def test_the_file_draws_its_views_and_checks_its_answers(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "lesson.html").write_text(lesson_page(read_lesson_file(taught()[0]), Places(Shelf())))
    complaints: list[str] = []
    page = browser.new_page()
    listen(page, complaints, ((tmp_path / "lesson.html").as_uri(),))
    page.goto((tmp_path / "lesson.html").as_uri())
    expect(page.locator(".lesson-step")).to_have_count(6)
    expect(page.locator(".lesson-step").first.locator(".path .last")).to_have_text("inputs")
    lines = page.locator(".lesson-file > header > *, .lesson-step > h2, .lesson-step > p, .lesson-step > form")
    edges = lines.evaluate_all(
        "all => all.map(each => each.getBoundingClientRect().left + parseFloat(getComputedStyle(each).paddingLeft))"
    )
    assert len({round(edge) for edge in edges}) == 1
    deed = page.locator(".lesson-step").nth(3)
    deed.scroll_into_view_if_needed()
    expect(deed.locator(".deed")).to_have_text("○ Click it in scores")
    expect(deed.locator(".number")).to_contain_text("Click any number")  # what is to be clicked is not open already
    deed.locator(".seen").evaluate("node => node.view.move({ cell: [0, 0, 2, 2] })")  # as a click on its canvas does
    expect(deed.locator(".deed")).to_have_text("✓ Click it in scores")
    expect(deed.locator(".number .sum").first).to_have_text("= 2 × 1 + 1 × 1")
    expect(deed.locator(".number")).to_be_visible()
    expect(page.locator(".deed").last).to_have_text("In the studio: Change a number of query weight")
    step = page.locator(".lesson-step").nth(4)
    step.get_by_label("your answer").fill("3")
    step.get_by_role("button", name="Check").click()
    expect(step.locator(".told")).to_have_text("Not yet. 1 × 1, and 1 × 1 again; add them.")
    step.get_by_label("your answer").fill("2")
    step.get_by_role("button", name="Check").click()
    expect(step.locator(".told")).to_contain_text("✓ 1 × 1 + 1 × 1 = 2.")
    page.close()
    assert complaints == []
