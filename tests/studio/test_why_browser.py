"""Why this answer, on the page: nothing that is said there is about another token, another answer or another text."""

import re

import pytest
from helpers.browsing import held
from helpers.studio_house import House, Open
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
TEXT = "the film was not good"
HUNGRY = "The old man gives the children a red apple because they are hungry."
WORKING = "Below still stands the answer before; the new one is being worked out …"
TYPED = "Below still stands the answer to the text before; Enter asks about this one."


def test_a_rival_from_the_list_is_the_token_that_was_listed(visit: Open, house: House) -> None:
    asked = house.studio.shelf.get("english-german").why(HUNGRY, at=6).reasons
    best = asked.candidates[0].logit
    page = visit(f"#room=inside&model=english-german&text={HUNGRY}&token=6")
    for name in ("es", "den"):
        (rival,) = [each for each in asked.candidates if each.name == name]
        page.get_by_label("rival").select_option(label=f"{name} (begins a word)")
        expect(page.locator(".why .first")).to_contain_text(f"“die” by {best - rival.logit:.1f} over “{name}”.")
        assert f"rival_id={rival.id}" in page.url
    again = visit("#" + page.url.partition("/#")[2])
    expect(again.locator(".why .first")).to_contain_text("“die” by 2.2 over “den”.")


def test_a_twin_is_judged_by_what_the_model_would_say(visit: Open) -> None:
    page = visit("#room=inside&model=shakespeare&text=the qu&instead=the sq")
    expect(page.locator(".why .remarks")).to_contain_text("with sq for qu: it would say “u” (by")
    expect(page.locator(".why .remarks")).to_contain_text("over “e”); the answer turns.")
    expect(page.locator(".why .wide summary")).to_have_text("Where the twin turns it, stage by stage")
    assert page.locator(".why .turns .turned").first.get_attribute("title") == "it would say “u”"
    still = visit("#room=inside&model=shakespeare&text=the qu&instead=she qu")
    expect(still.locator(".why .remarks")).to_contain_text("it would still say “e” (by")
    expect(still.locator(".why .wide summary")).to_have_text("With rows of the twin, stage by stage")


def test_shares_and_leaving_out_have_bars_of_one_scale(visit: Open, house: House) -> None:
    words = house.studio.shelf.get("classes").why(TEXT).reasons.words
    page = visit(f"#room=inside&model=classes&text={TEXT}")
    bars = page.get_by_label("every word").locator("tbody rect")
    expect(bars).to_have_count(2 * len(words))
    wide = [float(each.get_attribute("width") or "") for each in bars.all()]
    values = [abs(value) for word in words for value in (word.share, word.without)]
    assert wide == pytest.approx([60 * value / max(values) for value in values], abs=1e-3)


def test_what_is_typed_and_not_yet_asked_dims_what_stands_below(visit: Open) -> None:
    page = visit(f"#room=inside&model=classes&text={TEXT}")
    expect(page.locator(".why .first")).to_be_visible()
    expect(page.locator(".why[data-busy]")).to_have_count(0)
    old = page.locator(".why[data-old] > .older")
    field = page.get_by_label("your text")
    field.fill("the film was bad")
    expect(old).to_have_text(TYPED)
    field.fill(TEXT)
    expect(old).to_have_count(0)
    field.fill("the film was bad")
    waiting = held(page, "inside/why")
    page.keyboard.press("Enter")
    expect(old).to_have_text(WORKING)
    waiting[-1].continue_()
    expect(page.locator(".why .chip bdi")).to_have_text(["the", "film", "was", "bad"])
    expect(page.locator("[data-old]")).to_have_count(0)


def test_a_step_dims_the_answer_before_at_once_and_a_run_after_it_goes_on(visit: Open) -> None:
    page = visit("#room=inside&model=shakespeare&text=God save the ki")
    expect(page.locator(".why .first")).to_be_visible()
    expect(page.locator(".why[data-busy]")).to_have_count(0)
    waiting = held(page, "inside/why")
    page.get_by_role("button", name="Step").click()
    expect(page.locator(".why[data-old] > .older")).to_have_text(WORKING)
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_label("your text")).to_have_value(re.compile(r"^God save the ki[\s\S]{4,}"))
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".why[data-old]")).to_have_count(1)
    page.get_by_label("your text").press("Enter")
    expect(page.locator(".why[data-busy]")).to_have_count(1)
    page.wait_for_timeout(1000)  # the rest after a step is over
    waiting[-1].continue_()
    expect(page.locator("[data-old]")).to_have_count(0)


def test_a_space_that_the_blank_is_made_of_has_no_share(visit: Open) -> None:
    page = visit("#room=inside&model=shakespeare&text=God save the king%20")
    expect(page.locator(".why .chip:not(.blank) .portion").last).to_have_text("–")
    expect(page.locator(".why .chip.blank")).to_contain_text("(spaces)")
