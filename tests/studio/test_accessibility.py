"""The studio for everybody: axe finds nothing serious in any room, light or dark; all goes by keyboard; matrices have
names; nothing moves for who asked for that; what was done can be undone."""

from pathlib import Path

import pytest
from helpers.studio_house import House, Open
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser
AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
TEXT = "the film was not good"
PLACES = {
    "by-hand": ("#room=by-hand&example=two-heads&cell=scores,0,1,1", ".paper .number .figure"),
    "check": ("#room=by-hand&tab=check", ".check textarea"),
    "masks": ("#room=by-hand&example=masked&tab=masks", ".trial"),
    "why": (f"#room=inside&model=classes&text={TEXT}&instead={TEXT.replace('not', 'so')}", ".why .turns"),
    "translation": ("#room=inside&model=english-german&text=Where is the station?", ".why .pane"),
    "inside": (f"#room=inside&tab=numbers&model=classes&text={TEXT}", ".matters output:not(:empty)"),
    "heads": (f"#room=inside&tab=numbers&view=heads&model=classes&text={TEXT}", ".all-heads .tile"),
    "next": ("#room=inside&model=shakespeare&text=To be", ".next-bar"),
    "race": ("#room=race&race=negation-race", ".said .token"),
    "train": ("#room=train", ".plan"),
    "lessons": ("#room=lessons", ".card-of-lesson"),
    "lesson": ("#lesson=2-softmax-and-beta&step=4", ".lesson .ask"),
}
SERIOUS = """async () => {
  const found = await axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] });
  return found.violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => [id, nodes.slice(0, 4).map(({ html, any }) => [html.slice(0, 120), any[0]?.message])]);
}"""


@pytest.mark.slow
@pytest.mark.axe
@pytest.mark.parametrize("place", PLACES)
def test_axe_finds_nothing_serious_in_either_theme(visit: Open, place: str) -> None:
    hash_, seen = PLACES[place]
    page = visit(hash_)
    page.locator(seen).first.wait_for()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
        assert page.evaluate(SERIOUS) == [], theme


def test_a_given_is_changed_and_undone_by_keyboard_alone(visit: Open) -> None:
    page = visit("#room=by-hand&example=i-love-ai")
    first = page.locator("[data-stage=queries] .figure-cell").first
    expect(first).to_have_text("1")
    page.get_by_label("inputs 1, 1").focus()
    page.keyboard.type("5")
    expect(first).to_have_text("5")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Undo").focus()
    page.keyboard.press("Enter")
    expect(first).to_have_text("1")
    expect(page.get_by_label("inputs 1, 1")).to_have_value("1")


def test_every_matrix_is_a_table_with_a_name(visit: Open) -> None:
    page = visit("#room=by-hand&example=two-heads")
    page.wait_for_selector("[data-stage=weights]")
    unnamed = (
        "() => [...document.querySelectorAll('table.numbers')].filter((each) => !each.caption?.textContent).length"
    )
    assert page.evaluate(unnamed) == 0
    inside = visit(f"#room=inside&tab=numbers&model=classes&text={TEXT}")
    inside.wait_for_selector(".inside-view .path .last")
    grid = inside.get_by_role("grid").or_(inside.locator(".seeing table"))
    expect(grid.first).to_be_attached()


def test_nothing_moves_for_who_asked_for_that(browser: Browser, house: House) -> None:
    context = browser.new_context(reduced_motion="reduce")
    page: Page = context.new_page()
    page.add_init_script("localStorage.setItem('glassformer-toured', 'yes')")
    page.goto(f"{house.address}#room=by-hand&example=i-love-ai")
    page.wait_for_selector("[data-stage=weights]")
    page.get_by_label("inputs 1, 1").fill("7")
    expect(page.locator("[data-stage=queries] .figure-cell").first).to_have_text("7")
    assert page.locator(".flash").count() == 0
    assert page.evaluate("document.getAnimations().length") == 0
    context.close()
