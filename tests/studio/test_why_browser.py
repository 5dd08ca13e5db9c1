"""Why this answer, on the page: nothing that is said there is about another token, another answer or another text."""

import base64
import re
import shlex
from pathlib import Path
from urllib.parse import quote

import pytest
from helpers.browsing import Held
from helpers.studio_house import House, Open
from playwright.sync_api import Browser, expect

from glassformer.inside.why.telling.sentences import plainly, signed

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TEXT = "the film was not good"
HAIRLINE = 0.6  # pixels: the thinnest band
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


def test_every_number_opens_where_the_token_that_is_asked_about_is_decided(visit: Open, house: House) -> None:
    page = visit("#room=inside&model=pairs&text=the third of March")
    chosen = page.locator(".inside-view .text .token.chosen")
    for i, row in ((3, 2), (1, 0)):
        page.locator(".why .tokens .token").nth(i - 1).click()
        page.wait_for_selector(f".why .tokens .token:nth-of-type({i})[aria-pressed=true]")
        page.locator(".why:not([data-busy]) .opens").filter(has_text="decoder").first.click()
        expect(chosen).to_have_count(1)
        expect(page).to_have_url(re.compile(f"row={row}"))  # once the new one is there
        page.get_by_role("button", name="Why this answer").click()


def test_from_what_cannot_be_asked_a_button_leads_back(visit: Open) -> None:
    page = visit(f"#room=inside&model=classes&text={TEXT}&rival=nobody")
    expect(page.get_by_role("alert").filter(has_text="nobody")).to_be_visible()
    page.get_by_role("button", name="Back to the answer").click()
    expect(page.locator(".why .chip").first).to_be_visible()
    assert "rival" not in page.url


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
    waiting = Held(page, "inside/why")
    page.keyboard.press("Enter")
    expect(old).to_have_text(WORKING)
    waiting.let_go()
    expect(page.locator(".why .chip bdi")).to_have_text(["the", "film", "was", "bad"])
    expect(page.locator("[data-old]")).to_have_count(0)


def test_a_step_dims_the_answer_before_at_once_and_a_run_after_it_goes_on(visit: Open) -> None:
    page = visit("#room=inside&model=shakespeare&text=God save the ki")
    expect(page.locator(".why .first")).to_be_visible()
    expect(page.locator(".why[data-busy]")).to_have_count(0)
    waiting = Held(page, "inside/why")
    page.get_by_role("button", name="Step").click()
    expect(page.locator(".why[data-old] > .older")).to_have_text(WORKING)
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_label("your text")).to_have_value(re.compile(r"^God save the ki[\s\S]{4,}"))
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".why[data-old]")).to_have_count(1)
    page.get_by_label("your text").press("Enter")
    expect(page.locator(".why[data-busy]")).to_have_count(1)
    page.wait_for_timeout(1000)  # the rest after a step is over
    waiting.let_go()
    expect(page.locator("[data-old]")).to_have_count(0)


def test_a_space_that_the_blank_is_made_of_has_no_share(visit: Open) -> None:
    page = visit("#room=inside&model=shakespeare&text=God save the king%20")
    expect(page.locator(".why .chip:not(.blank) .portion").last).to_have_text("–")
    expect(page.locator(".why .chip.blank")).to_contain_text("(spaces)")


# How wide each band of the river is where it begins, in pixels, with the side it goes to.
BANDS = """(paths) => paths.map((path) => {
  const [top, ...rest] = path.getAttribute('d').match(/-?[\\d.]+(?:e-?\\d+)?/g).map(Number).slice(1);
  return [path.getAttribute('class'), rest.at(-1) - top];
})"""


def test_bands_are_as_wide_as_the_shares_and_arrive_where_they_speak_for(visit: Open, house: House) -> None:
    why = house.studio.shelf.get("sentiment").why(TEXT).reasons
    page = visit(f"#room=inside&model=sentiment&text={TEXT}")
    expect(page.locator(".river .spring bdi")).to_have_text([word.text for word in why.words])
    bands = page.locator(".river .water path").evaluate_all(BANDS)
    assert [kind for kind, _ in bands] == ["for" if word.share > 0 else "against" for word in why.words]
    sizes = [abs(word.share) for word in why.words]
    per_logit = max(wide for _, wide in bands) / max(sizes)
    assert [wide for _, wide in bands] == pytest.approx([max(per_logit * size, HAIRLINE) for size in sizes], rel=1e-3)
    sides = [sum(word.share for word in why.words if word.share * side > 0) for side in (1, -1)]
    expect(page.locator(".river .end .portion")).to_have_text([signed(side) for side in sides])
    page.locator(".river .pane").last.click()
    expect(page.locator(".path")).to_contain_text(f"block {page.locator('.river .pane').count()} · self-attention")


def test_of_many_words_the_largest_have_bands_and_the_rest_share_two(visit: Open, house: House) -> None:
    text = "not a good film, but I loved every minute of it and would see it again with all of my friends"
    words = house.studio.shelf.get("sentiment").why(text).reasons.words
    page = visit(f"#room=inside&model=sentiment&text={text}")
    springs = page.locator(".river .spring")
    expect(springs).to_have_count(11)
    rest = sorted((word.share for word in words), key=abs)[:-9]
    sums = [signed(sum(share for share in rest if share * side > 0)) for side in (1, -1)]
    expect(springs.locator(".portion")).to_have_text([re.compile(r"^[+−]?\d")] * 9 + sums)


def test_a_word_whose_measures_disagree_is_marked_among_the_words(visit: Open, house: House) -> None:
    text = "the film was not good at all"
    found = house.studio.shelf.get("sentiment").why(text)
    parted = [found.reasons.words[i].text for i in found.to_dict()["parted"]]
    assert parted == ["not"]
    page = visit(f"#room=inside&model=sentiment&text={text}")
    expect(page.locator(".why .chip", has=page.locator(".parted"))).to_contain_text(parted)
    expect(page.locator(".why .legend")).to_contain_text("≠ the number and leaving the word out disagree")
    against = next(word for word in found.reasons.words if word.without < 0)
    said = page.locator(".why .chip", has_text=re.compile(f"^{against.text}")).first.get_attribute("title") or ""
    assert said.endswith(f"without it the margin is {plainly(-against.without)} more")


def test_where_shares_are_no_reason_nothing_is_coloured(visit: Open) -> None:
    page = visit("#room=inside&model=sentiment-untrained&text=the film was not good at all")
    expect(page.locator(".why .verdict")).to_be_visible()
    expect(page.locator(".why .first")).to_contain_text("and faintly, as a model that has learnt nothing")
    expect(page.locator(".river")).to_have_count(0)
    expect(page.locator(".why .legend")).to_contain_text("no share per word is a reason here")
    depths = page.locator(".why .chip:not(.blank)").evaluate_all(
        "(all) => all.map((each) => each.style.getPropertyValue('--depth'))"
    )
    assert set(depths) == {"0%"}


LONG = f"{'Donaudampfschifffahrtsgesellschaftskapitaen' * 5} was good"


@pytest.mark.parametrize(("model", "text"), [("sentiment", LONG), ("english-german", "I love AI")])
def test_all_columns_are_seen_however_long_a_word_is(visit: Open, model: str, text: str) -> None:
    page = visit(f"#room=inside&model={model}&text={text}", size={"width": 1280, "height": 900})
    expect(page.locator(".why[data-busy]")).to_have_count(0)
    hidden = "(all) => all.map((each) => each.scrollWidth - each.clientWidth)"
    for width in (1280, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        frames = page.locator(".why .frame")
        assert set(frames.evaluate_all(hidden)) == {0}
        assert page.evaluate("document.documentElement.scrollWidth") == width
        river = page.locator(".river .water").bounding_box()
        assert river is not None
        assert river["width"] > width / 3


def test_of_an_empty_text_no_old_answer_is_left(visit: Open) -> None:
    page = visit("#room=inside&model=shakespeare&text=God save the ki")
    expect(page.locator(".sampling .ends")).to_contain_text("tokens can be drawn")
    page.get_by_label("your text").fill("")
    page.keyboard.press("Enter")
    expect(page.locator(".sampling [role=alert]")).to_contain_text("There is no text yet")
    expect(page.locator(".sampling .ends")).not_to_contain_text("tokens can be drawn")


@pytest.mark.parametrize("width", [1440, 2560])
def test_a_band_begins_beside_its_word(visit: Open, width: int) -> None:
    page = visit("#room=inside&model=sentiment", size={"width": width, "height": 900})
    page.locator(".river .spring").first.wait_for()
    middles = "(all) => all.map((each) => each.getBoundingClientRect()).map((box) => (box.top + box.bottom) / 2)"
    words = page.locator(".river .spring").evaluate_all(middles)
    begins = page.locator(".water path").evaluate_all(
        """(all) => all.map((path) => {
          const [x, y] = path.getAttribute('d').match(/-?[\\d.]+/g).map(Number);
          const bottom = Number(path.getAttribute('d').match(/([\\d.]+)Z$/)[1]);
          return new DOMPoint(x, (y + bottom) / 2).matrixTransform(path.getScreenCTM()).y;
        })"""
    )
    assert begins == pytest.approx(words, abs=1)


def test_a_wide_band_at_the_edge_is_drawn_whole(visit: Open) -> None:
    page = visit("#room=inside&model=shakespeare&text=God save the kin")
    expect(page.locator(".river .spring bdi").last).to_have_text("kin")
    height = page.locator(".water").evaluate("(water) => water.viewBox.baseVal.height")
    edges = page.locator(".water path").evaluate_all(
        "(all) => all.map((path) => path.getBBox()).map((b) => [b.y, b.y + b.height])"
    )
    assert edges
    assert all(0 <= top < bottom <= height for top, bottom in edges)


SENT = "the <b>film</b> wasn't good & it's late"
# How many pixels of a picture have the colour that speaks for the answer.
BLUE = """async (picture) => {
  const image = await createImageBitmap(await (await fetch(picture)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
  canvas.drawImage(image, 0, 0);
  const { data } = canvas.getImageData(0, 0, image.width, image.height);
  let found = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i + 2] > 200 && data[i] < 140) found += 1;
  return [image.width, found];
}"""


def test_an_answer_that_was_sent_opens_without_a_studio(visit: Open, browser: Browser, tmp_path: Path) -> None:
    page = visit(f"#room=inside&model=sentiment&text={quote(SENT)}&instead={quote(SENT.replace('good', 'bad'))}")
    expect(page.locator(".why .remarks")).to_contain_text("The twin")
    verdict = page.locator(".why .verdict").inner_text()
    chips = page.locator(".why .chip").all_inner_texts()
    with page.expect_download() as saved:
        page.get_by_role("button", name="as a page").click()
    saved.value.save_as(tmp_path / "sent.html")
    context = browser.new_context(java_script_enabled=False, offline=True)
    sent = context.new_page()
    sent.goto((tmp_path / "sent.html").as_uri())
    expect(sent.locator(".asked")).to_have_text(SENT)
    expect(sent.locator(".masthead")).to_contain_text(
        "the model sentiment answers so · transformer, 834,882 parameters"
    )
    expect(sent.locator(".verdict")).to_have_text(verdict)
    assert sent.locator(".chip").all_inner_texts() == chips
    expect(sent.locator(".river .water path").first).to_be_visible()
    expect(sent.locator(".deeper table").first).to_be_visible()
    expect(sent.locator("button, form, script, link, [src], .invites")).to_have_count(0)
    command = sent.locator("footer code").inner_text()
    run, model, text, option, twin = shlex.split(command.removeprefix("glassformer "))
    assert (run, model, text, option, twin) == ("why", "sentiment", SENT, "--instead", SENT.replace("good", "bad"))
    context.close()


def test_an_answer_as_a_picture_has_its_colours(visit: Open, browser: Browser, tmp_path: Path) -> None:
    page = visit(f"#room=inside&model=sentiment&text={TEXT}")
    expect(page.locator(".river .water path").first).to_be_visible()
    with page.expect_download() as saved:
        page.get_by_role("button", name="as a picture").click()
    saved.value.save_as(tmp_path / "sent.png")
    picture = base64.b64encode((tmp_path / "sent.png").read_bytes()).decode()
    blank = browser.new_page()
    width, blue = blank.evaluate(BLUE, f"data:image/png;base64,{picture}")
    blank.close()
    assert width == 2400
    assert blue > 10_000


def test_what_no_terminal_knows_is_sent_without_a_command(visit: Open, tmp_path: Path) -> None:
    page = visit(f"#room=inside&model=classes&text={TEXT}")
    with page.expect_download() as saved:
        page.get_by_role("button", name="as a page").click()
    saved.value.save_as(tmp_path / "sent.html")
    assert "Ask it again" not in (tmp_path / "sent.html").read_text(encoding="utf-8")
