"""The studio in a real browser: the main path of each room. Nothing is complained of; nothing leaves the machine."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.fonts import FONTS, PHONE, change_font, on_every_phone, settled, sticking_out
from helpers.small_runs import small_run
from helpers.studio_house import House, Open
from playwright.sync_api import Browser, Page, Route, expect

from glassformer.commands.ship_models.certify import certify

pytestmark = pytest.mark.browser
TEXT = "the film was not good"


def cells(page: Page, stage: str) -> list[str]:
    return page.locator(f"[data-stage={stage}] .figure-cell").all_inner_texts()


# --- by hand ------------------------------------------------------------------------------------------------------


def test_a_given_number_is_changed_and_everything_after_it_follows(visit: Open) -> None:
    page = visit("#room=by-hand&example=i-love-ai")
    page.wait_for_selector("[data-stage=weights]")
    weights, output, scores = (cells(page, stage) for stage in ("weights", "mixed", "scores"))
    assert weights[:3] == ["0.198", "0.401", "0.401"]
    page.get_by_label("value weight 1, 1").fill("5")
    expect(page.locator("[data-stage=values] .figure-cell").first).to_have_text("5")
    assert cells(page, "mixed") != output
    assert cells(page, "weights") == weights
    assert cells(page, "scores") == scores
    assert "sheet=" in page.url
    again = visit("#" + page.url.partition("/#")[2])
    again.wait_for_selector("[data-stage=mixed]")
    assert cells(again, "mixed") == cells(page, "mixed")


def test_a_number_is_clicked_and_its_arithmetic_adds_up(visit: Open) -> None:
    page = visit("#room=by-hand&example=i-love-ai")
    page.locator("[data-stage=scores] .figure-cell").nth(5).click()  # not the one that is open at first
    expect(page.locator(".paper .number .figure")).to_have_text("2")
    expect(page.locator(".paper .number .sum").first).to_have_text("= 1 × 1 + 1 × 1")
    expect(page.locator("td.used")).to_have_count(4)
    expect(page).to_have_url(re.compile("cell=scores,1,2"))


def test_other_layers_are_worked_in_the_same_room(visit: Open) -> None:
    page = visit("#room=by-hand&example=rnn-step&cell=step_sum,0")
    expect(page.locator(".paper .number .figure")).to_have_text("1.0")
    page.locator("[data-setting=activation]").select_option("relu")
    expect(page.locator("[data-stage=new_state] .figure-cell").nth(1)).to_have_text("0")
    assert page.locator(".given.mask").count() == 0
    page = visit("#room=by-hand&example=max-pooling&cell=pooled_map,0,0")
    expect(page.locator(".paper .number .sum").first).to_have_text("= max(1, 3, 5, 2)")
    page = visit("#room=by-hand&example=decoder-block&cell=cross.scores,0,1")
    expect(page.locator('[data-stage="cross.scores"] .says')).to_contain_text("cross-attention")
    expect(page.locator(".paper .number .figure")).to_have_text("0.802")


def test_tokens_stand_in_columns_if_that_is_wanted(visit: Open) -> None:
    page = visit("#room=by-hand&example=i-love-ai")
    rows = cells(page, "weights")
    expect(page.locator("[data-stage=scores]")).to_contain_text("why Kᵀ: 3×2 · 3×2 does not fit, 3×2 · 2×3 does")
    page.locator('[data-setting="tokens in"]').select_option("columns")
    expect(page.locator("[data-stage=weights]")).to_contain_text("soft(arg)max_β(Kᵀ Q)")
    assert cells(page, "weights") == [rows[3 * c + r] for r in range(3) for c in range(3)]
    page.locator("[data-stage=values] .figure-cell").nth(5).click()  # value 1 of “AI”
    expect(page.locator(".paper .number .sum").first).to_have_text("= 2 × 1 + 1 × 1")
    page.get_by_label("inputs 1, 3").fill("0")  # the first number of “AI”
    expect(page.locator(".paper .number .sum").first).to_have_text("= 2 × 0 + 1 × 1")
    assert page.locator("td.used").count() == 4
    again = visit("#room=by-hand&example=rnn-step&tokens=columns&cell=step_sum,2,0")
    expect(again.locator(".paper .number .figure")).to_have_text("−0.5")
    expect(again.locator("[data-stage=step_sum] .formula")).to_have_text(re.compile("W.*x.*h"))
    assert visit("#room=by-hand&example=max-pooling&tokens=columns").locator('[data-setting="tokens in"]').count() == 0


def test_a_step_of_writing_stands_beside_what_training_reads(visit: Open) -> None:
    page = visit("#room=by-hand&example=teacher-forcing&cell=chosen_id,0")
    expect(page.locator(".paper .number .figure")).to_have_text("3")
    assert cells(page, "next_ids") == ["0", "1", "3"]
    assert cells(page, "forced_ids") == ["0", "1", "2", "3"]
    expect(page.locator("[data-stage=next_ids] th").last).to_have_text("KI")
    page.get_by_label("rows 2, 2").fill("1.5")
    expect(page.locator("[data-stage=next_ids] .figure-cell").last).to_have_text("2")


def test_a_number_of_the_working_leads_down_to_what_was_given_and_up_again(visit: Open) -> None:
    """The panel is the one of the room Inside: terms, their sum, and links to where each number stands."""
    page = visit("#room=by-hand&example=masked&cell=weights,1,0")
    panel = page.locator(".paper .number")
    expect(panel.locator(".terms tbody tr").nth(1)).to_contain_text("second")
    values = [float(text) for text in panel.locator(".terms tbody td:last-child").all_inner_texts()]
    shown = panel.locator(".figure").inner_text()
    assert float(shown) == pytest.approx(values[0] / sum(values), abs=1e-3)
    assert page.locator("[data-stage=weights] td.chosen").inner_text() == shown
    panel.locator(".terms .cell").first.click()
    expect(panel).to_contain_text("Since “second” may look at “first”.")
    panel.locator(".terms .cell").click()
    panel.get_by_role("button", name="scale 0.577: go there").click()  # a single number, nowhere on the paper
    expect(panel.locator(".sum").first).to_have_text("= 1 / √(3)")
    page.go_back()
    for stage in ("scores", "queries", "inputs"):
        panel.get_by_role("button", name=re.compile(f"^{stage} .*: go there")).first.click()
        expect(page).to_have_url(re.compile(f"cell={stage},"))
    expect(panel).to_contain_text("Given.")
    panel.locator(".uses .cell").first.click()
    expect(page.locator("[data-stage=queries]")).to_be_in_viewport()
    page.locator("[data-stage=masked] td.hid .figure-cell").first.click()
    expect(panel.locator(".figure")).to_have_text("−∞")
    expect(panel).to_contain_text("Since “first” may not look at “second”.")


def test_settings_mask_and_scorer(visit: Open) -> None:
    page = visit("#room=by-hand&example=two-heads")
    page.wait_for_selector("[data-stage=weights]")
    page.locator("[data-setting=mask]").select_option("causal")
    expect(page.locator("[data-stage=weights] td.hid").first).to_be_visible()
    page.locator(".mask td button").nth(1).click()
    expect(page.locator("[data-setting=mask]")).to_have_value("own")
    page.locator("[data-setting=weigher]").select_option("sigmoid")
    expect(page.locator("[data-stage=weights] .formula")).to_contain_text("σ")
    page.locator("[data-setting=heads]").select_option("1")
    expect(page.locator("[data-stage=weights] caption").first).to_have_text("weights")
    page.locator("[data-setting=scorer]").select_option("random synthesizer")
    expect(page.get_by_label("synthesizer weight 1, 1", exact=True)).to_be_visible()


def test_what_is_no_number_is_said_where_it_stands(visit: Open) -> None:
    page = visit("#room=by-hand&example=i-love-ai")
    field = page.get_by_label("inputs 1, 1")
    field.fill("abc")
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("−1,5")
    expect(field).to_have_attribute("aria-invalid", "false")
    expect(page.locator("[data-stage=queries] .figure-cell").first).to_have_text("−1.5")


def test_a_working_with_a_slip_is_checked_in_place(visit: Open) -> None:
    page = visit("#room=by-hand&tab=check")
    page.get_by_role("button", name="Show me one with a slip").click()
    expect(page.locator(".verdict")).to_contain_text("First wrong number: S, row 3, column 3")
    expect(page.locator(".notes .mark.first")).to_contain_text("4")
    page.get_by_label("your working", exact=True).fill("<img src=x onerror=alert(1)> Q = [[1]]")
    page.get_by_role("button", name="Check it").click()
    expect(page.locator(".notes")).to_contain_text("<img src=x onerror=alert(1)>")


def test_the_laboratory_shows_one_right_way(visit: Open) -> None:
    page = visit("#room=by-hand&example=masked&tab=masks")
    expect(page.locator(".trial")).to_have_count(12)
    expect(page.locator(".laboratory .meaning")).to_contain_text("or to 0 where every token is hidden from it")
    assert page.locator(".trial.right", has_text="add −∞").count() == 3
    assert page.locator(".trial.fails", has_text="add −∞").count() == 0
    assert page.locator(".trial.fails", has_text="multiply before softmax").count() == 3


# --- inside -------------------------------------------------------------------------------------------------------


def test_inside_opens_at_the_answer_and_its_words(visit: Open, house: House) -> None:
    page = visit(f"#room=inside&model=classes&text={TEXT}")
    why = house.studio.shelf.get("classes").why(TEXT)
    expect(page.locator(".why .first")).to_have_text(why.sentences[0].replace("*", ""))
    expect(page.locator(".why .chip bdi")).to_have_text(TEXT.split())
    shares = [word.share for word in why.reasons.words]
    shown = page.locator(".why .chip:not(.blank) .portion").all_inner_texts()
    assert [float(each.replace("−", "-")) for each in shown] == pytest.approx(shares, abs=0.06)
    for chip, share in zip(page.locator(".why .chip:not(.blank)").all(), shares, strict=True):
        assert ("against" if share < 0 else "for") in (chip.get_attribute("class") or "").split()
    expect(page.locator(".inside-view .path")).to_have_count(0)
    page.get_by_role("button", name="Every number").click()  # one click deeper
    expect(page.locator(".inside-view .path .last")).to_be_visible()
    expect(page.locator(".why")).to_be_hidden()
    assert "tab=numbers" in page.url
    page.go_back()
    expect(page.locator(".why .first")).to_be_visible()


def test_a_twin_and_a_rival_are_asked_for_and_stand_in_the_address(visit: Open) -> None:
    page = visit(f"#room=inside&model=classes&text={TEXT}")
    page.get_by_role("button", name="Does it turn?").click()
    expect(page.locator(".why .wrong")).to_have_text("Change a word first.")
    page.get_by_label("instead of this text").fill("the film was so good")
    page.get_by_role("button", name="Does it turn?").click()
    expect(page.locator(".why .remarks")).to_contain_text("The twin, your other text, with so for not")
    expect(page.locator(".why .turns tbody tr")).to_have_count(3)
    assert "instead=the+film+was+so+good" in page.url
    again = visit("#" + page.url.partition("/#")[2])
    expect(again.locator(".why .turns tbody tr")).to_have_count(3)
    again.get_by_label("your text").fill("the film was bad")  # the twin was another text's
    again.keyboard.press("Enter")
    expect(again.locator(".why .chip bdi")).to_have_text(["the", "film", "was", "bad"])
    expect(again.locator(".why .turns")).to_have_count(0)


def test_what_if_keeps_the_line_breaks_of_the_text(visit: Open) -> None:
    page = visit("#room=inside&model=classes&text=the film:%0Awas not good")
    field = page.get_by_label("instead of this text")
    expect(field).to_have_value("the film:\nwas not good")
    field.press("End")
    field.press("Backspace")
    field.press("Enter")
    expect(page.locator(".why .remarks")).to_contain_text("with goo for good:")  # and nothing else
    assert "instead=the+film%3A%0Awas+not+goo" in page.url
    field.fill("the film:was not good")
    field.press("Enter")
    expect(page.locator(".why .remarks")).to_contain_text("with a line break left out:")


def test_the_parts_that_are_shown_add_up_and_a_heads_row_opens_it(visit: Open) -> None:
    page = visit("#room=inside&model=sentiment&text=good")
    parts = page.get_by_role("region", name="blocks and heads")

    def adds_up() -> int:
        figures = [parts.locator(f"{body} tr:visible td:nth-child(3)").all_inner_texts() for body in ("tbody", "tfoot")]
        values, total = ([float(each.replace("−", "-")) for each in some] for some in figures)
        assert sum(values) == pytest.approx(total[0], abs=0.05 * len(values))
        return len(values)

    few = adds_up()
    assert page.locator(".why .frame").evaluate_all("all => all.every((one) => one.scrollHeight <= one.clientHeight)")
    parts.get_by_role("button", name="more").click()
    assert adds_up() > few
    parts.locator(".opens", has_text="head").first.click()
    expect(page.locator(".inside-view .path .last")).to_have_text("weights")
    page.get_by_role("button", name="Switch it off").click()
    page.get_by_role("button", name="Why this answer").click()
    expect(page.locator(".why .left-out")).to_contain_text("That is left out here")


def test_each_token_that_was_written_can_be_asked_about(visit: Open, house: House) -> None:
    asked = house.studio.shelf.get("english-german").why("Where is the station?", at=None).reasons
    least = asked.written[asked.at - 1]
    page = visit("#room=inside&model=english-german&text=Where is the station?")
    expect(page.locator(".why .writing")).to_have_text(
        "the translation: Wo ist der Bahnhof? written greedily, the likeliest token each time; "
        "glassformer predict searches with 4 beams"
    )
    expect(page.locator(".why .token[aria-pressed=true]")).to_have_text(least)
    page.locator(".why .token", has_text="Bahnhof").click()
    expect(page.locator(".why .first")).to_contain_text("“Bahnhof” by")
    expect(page.locator(".why .chip.written bdi")).to_have_text(["Wo", "ist", "der"])
    assert "token=4" in page.url
    page.get_by_label("rival").select_option(label="Bus (begins a word)")
    expect(page.locator(".why .first")).to_contain_text("over “Bus”")


def test_what_cannot_be_asked_is_told_in_words(visit: Open) -> None:
    page = visit("#room=inside&model=classes&text=good")
    expect(page.locator(".why .chip bdi")).to_have_text(["good"])
    page.get_by_label("your text").fill("good " * 80)
    page.keyboard.press("Enter")
    expect(page.locator(".why .wrong")).to_contain_text("80 tokens; why can be asked for 67 at most")


def test_a_head_is_switched_off_and_the_answer_stands_before_and_after(visit: Open) -> None:
    page = visit(f"#room=inside&tab=numbers&model=classes&text={TEXT}")
    page.wait_for_selector(".inside-view .path .last")
    expect(page.locator(".matters output")).not_to_have_text("")
    page.get_by_role("button", name="Switch it off").click()
    expect(page.locator(".before-after .side-of")).to_have_count(2)
    expect(page.locator(".chips li")).to_contain_text("block 1 · self-attention · head 1 off")
    assert "changes=" in page.url
    again = visit("#" + page.url.partition("/#")[2])
    expect(again.locator(".before-after .side-of")).to_have_count(2)
    assert again.locator(".before-after").inner_text() == page.locator(".before-after").inner_text()
    again.get_by_role("button", name="Why this answer").click()
    expect(again.locator(".left-out")).to_be_visible()
    why = visit("#" + again.url.partition("/#")[2])  # what was changed goes along, and opens no other tab
    expect(why.locator(".left-out")).to_be_visible()
    page.get_by_role("button", name="Undo all").click()
    expect(page.locator(".before-after")).to_have_count(0)


def test_a_network_is_switched_off_and_on_again(visit: Open) -> None:
    page = visit(f"#room=inside&tab=numbers&model=classes&text={TEXT}")
    map_ = page.get_by_label("Map of the model")
    map_.get_by_role("button", name="feed-forward").first.click()
    expect(page.locator(".matters")).to_contain_text("block 1 · feed-forward")
    page.get_by_role("button", name="Switch it off").click()
    expect(page.locator(".before-after .side-of")).to_have_count(2)
    expect(page.locator(".chips li")).to_contain_text("feed-forward off")
    expect(map_.locator(".part.off")).to_have_text(["feed-forward"])
    assert "network+off" in page.url
    page.get_by_role("button", name="Switch it on").click()
    expect(page.locator(".before-after")).to_have_count(0)


def test_a_number_is_changed_and_a_patch_of_another_length_is_told_in_words(visit: Open) -> None:
    page = visit(f"#room=inside&tab=numbers&model=classes&text={TEXT}")
    page.get_by_label("new value").fill("0.9")
    page.get_by_role("button", name="Try", exact=True).click()
    expect(page.locator(".chips li")).to_contain_text("block 1 · self-attention · weights, head 1, row 5, column")
    expect(page.locator(".chips li")).to_contain_text("= 0.9")
    page.locator(".patch summary").click()
    page.get_by_placeholder("a text of as many tokens").fill("short")
    page.get_by_role("button", name="Take it").click()
    expect(page.locator(".inside > .wrong")).to_contain_text("as many tokens")


def test_a_form_that_is_being_filled_in_outlives_what_is_told_meanwhile(visit: Open) -> None:
    page = visit(f"#room=inside&tab=numbers&model=classes&text={TEXT}")
    expect(page.locator(".matters output")).not_to_have_text("")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/inside/matters", hold)
    page.get_by_label("your text").fill("the film was good")
    with page.expect_request("**/inside/matters"):
        page.keyboard.press("Enter")
    expect(page.locator(".matters")).to_contain_text("weighing every part")
    page.locator(".patch summary").click()
    other = page.get_by_placeholder("a text of as many tokens")
    other.fill("half of a")
    held[0].continue_()
    expect(page.locator(".matters output")).not_to_have_text("")
    expect(other).to_be_visible()
    expect(other).to_have_value("half of a")


def test_the_way_of_a_text_into_the_model_is_unfolded_and_follows_the_text(visit: Open) -> None:
    page = visit(f"#room=inside&tab=numbers&model=classes&text={TEXT}")
    expect(page.locator(".way dl")).to_have_count(0)
    unfolded(page)
    tokens = page.locator(".way .token bdi")
    expect(tokens).to_have_text(TEXT.split())
    expect(page.locator(".way .unknown")).to_have_count(0)
    page.get_by_label("your text").fill("the film WAS unbelievably good")
    page.keyboard.press("Enter")
    expect(tokens).to_have_text(["the", "film", "was", "unbelievably", "good"])
    expect(page.locator(".way .unknown bdi")).to_have_text("unbelievably")
    expect(page.locator(".way .padding").first).to_have_text("0")
    expect(page.locator(".way tbody th")).to_have_text(["the", "film", "was", "unbelievably", "good"])


def test_a_text_to_try_is_looked_at(visit: Open) -> None:
    page = visit("#room=inside&tab=numbers&model=sentiment")
    expect(page.get_by_label("your text")).to_have_value(re.compile("^not a good film"))
    page.get_by_label("texts to try").select_option(index=5)
    expect(page.get_by_label("your text")).to_have_value(re.compile("^BTW Carver"))
    expect(page.locator(".inside-view")).to_contain_text("annoying")
    expect(page.get_by_label("texts to try")).to_have_value("")


@pytest.mark.parametrize(("model", "text"), [("pairs", "the third of May 1984"), ("answers", "3 1 2 =")])
def test_translators_and_writers_are_looked_into(visit: Open, model: str, text: str) -> None:
    page = visit(f"#room=inside&tab=numbers&model={model}&text={text}")
    page.wait_for_selector(".inside-view .path .last")
    page.get_by_role("button", name="Switch it off").click()
    expect(page.locator(".before-after .side-of")).to_have_count(2)


def test_a_poet_writes_on_in_lines_of_its_own(visit: Open) -> None:
    page = visit("#room=inside&tab=numbers&model=shakespeare&text=ROMEO:%0A")
    page.wait_for_selector(".inside-view .path .last")
    page.get_by_role("button", name="Write on").click()
    expect(page.get_by_label("your text")).to_have_value(re.compile(r"^ROMEO:\n[\s\S]{24}$"))
    expect(page.locator(".inside-view .path")).to_be_visible()
    assert "text=ROMEO%3A%0A" in page.url
    page.get_by_label("model", exact=True).select_option("sentiment")
    expect(page.get_by_role("button", name="Write on")).to_be_hidden()


def test_a_translator_opens_where_words_meet(visit: Open) -> None:
    page = visit("#room=inside&tab=numbers&model=english-german")
    page.wait_for_selector(".inside-view .path .last")
    expect(page.locator(".inside-view .path")).to_contain_text("cross-attention")


def test_a_hostile_text_is_only_a_text(visit: Open) -> None:
    page = visit("#room=inside&tab=numbers&model=classes")
    page.get_by_label("your text").fill('"><img src=x onerror=alert(1)><script>alert(2)</script> \u202e \u200d good')
    page.keyboard.press("Enter")
    page.wait_for_selector(".inside-view .path .last")
    expect(page.get_by_role("button", name="Switch it off")).to_be_visible()
    assert page.locator("img").count() == 0


# --- race, train, and around --------------------------------------------------------------------------------------


def test_the_race_that_came_along_shows_who_cannot_read_order(visit: Open) -> None:
    page = visit("#room=race&race=negation-race")
    expect(page.locator(".standing")).to_contain_text("behind, p ≤ 0.001 · a bag of words")
    expect(page.locator(".said tr")).to_have_count(page.locator(".standing tbody tr").count())
    expect(page.locator(".race")).to_contain_text(
        "Those that are sure agree. 3 of the 8 are hardly surer than a guess."
    )


def test_a_race_is_read_and_all_are_asked(visit: Open) -> None:
    page = visit("#room=race")
    expect(page.locator(".standing tbody tr")).to_have_count(2)
    page.get_by_label("your sentence").fill(TEXT)
    page.keyboard.press("Enter")
    expect(page.locator(".said tr")).to_have_count(2)
    page.get_by_role("button", name="look inside").first.click()
    page.get_by_role("button", name="Every number").click()
    page.wait_for_selector(".inside-view .path .last")
    assert page.get_by_label("your text").input_value() == TEXT


@pytest.mark.slow
def test_a_run_is_begun_watched_and_stopped(visit: Open, house: House) -> None:
    page = visit("#room=train")
    page.get_by_label("minutes", exact=True).fill("2")  # its first checkpoint comes after a tenth of that
    page.get_by_label("name", exact=True).fill("seen")
    page.get_by_role("button", name="Train", exact=True).click()
    page.set_default_timeout(240_000)
    page.wait_for_selector(".train[data-frames]")
    page.get_by_role("button", name="Stop").click()
    page.wait_for_selector(".train[data-status=stopped]")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    assert page.locator(".lapse canvas").count() >= 1
    assert (house.studio.train.root / "seen" / "checkpoints").is_dir()
    assert on_every_phone(page) == {}


def test_a_model_that_guesses_is_told_so_beside_its_certificate(visit: Open, house: House) -> None:
    folder = small_run(house.studio.train.root / "guesser")
    folder.write_scores({"accuracy": 0.5, "confusion": {"labels": ["a", "b"], "table": [[7, 6], [5, 4]]}})
    certify(str(folder.path), json=True)
    page = visit("#room=train&run=guesser")
    expect(page.locator(".train")).to_contain_text(
        "✓ certificate: it keeps its promises, 10 of 10: no effect of padding"
    )
    expect(page.locator(".train")).to_contain_text("That is no grade")
    expect(page.locator(".train .wrong", has_text="NO BETTER THAN THE MAJORITY CLASS")).to_be_visible()
    expect(page.locator(".train")).to_contain_text("→ It ended before it was validated twice. Train 5 min more")
    assert "glassformer train" not in page.locator(".train").inner_text()
    assert on_every_phone(page) == {}


def test_a_wrong_wish_is_told_beside_the_form(visit: Open) -> None:
    page = visit("#room=train")
    page.locator("select[name=data]").select_option("file")
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.locator(".train .wrong")).to_have_text("Choose a file first.")


def test_a_finished_classifier_shows_two_curves_of_accuracy_and_its_intervals(visit: Open, house: House) -> None:
    folder = small_run(house.studio.train.root / "learnt", "classes")
    for epoch in range(1, 4):
        shares = {"training": 0.25 * epoch, "validation": 0.2 * epoch}
        folder.log({"event": "epoch", "step": epoch, "seconds": 2.0 * epoch, "epoch": epoch, **shares})
    scores = {"accuracy": 1.0, "accuracy_interval": [0.91, 1.0], "samples": 39, "in_training": 7}
    folder.write_scores({"part": "test", **scores})
    page = visit("#room=train&run=learnt")
    accuracy = page.locator(".run-accuracy")
    expect(accuracy).to_contain_text("while it learnt, 75.0 %. Thick: validation, 60.0 %")
    expect(accuracy.locator("svg path")).to_have_count(2)
    expect(accuracy).to_contain_text("3.0 epochs")
    expect(page.locator(".run-end")).to_contain_text("100.0 %  (91.0 to 100.0 %)")
    expect(page.locator(".run-end")).to_contain_text("39 samples of the test part")
    expect(page.locator(".run-end")).to_contain_text("7 of the 39 samples stand in the training part too")


def test_the_first_walk_belongs_to_its_room_and_can_be_left(visit: Open) -> None:
    page = visit(toured=False)
    for step in range(1, 6):
        expect(page.locator(".tour")).to_contain_text(f"{step} of 5")
        page.get_by_role("button", name="Next" if step < 5 else "Done").click()
        page.wait_for_selector("#studio[data-ready=inside]")
    expect(page.locator(".tour")).to_have_count(0)
    page.reload()
    page.wait_for_selector("#studio[data-ready]")
    expect(page.locator(".tour")).to_have_count(0)
    page.get_by_role("link", name="Train").click()
    page.wait_for_selector("#studio[data-ready=train]")
    page.get_by_role("button", name="help").click()
    page.get_by_role("button", name="Show me around").click()
    expect(page.locator(".tour")).to_contain_text("1 of 1")
    expect(page.locator(".toured")).to_have_class(re.compile("train"))


def test_the_ring_of_the_walk_is_whole(visit: Open) -> None:
    page = visit(toured=False)
    ring = page.locator(".toured")
    expect(ring).to_have_count(1)
    box = ring.bounding_box()
    inward = ring.evaluate("(node) => parseFloat(getComputedStyle(node).outlineOffset)")
    assert box is not None
    assert inward <= -2  # drawn within its box
    assert box["x"] >= 0


def test_the_walk_ends_for_who_goes_another_way(visit: Open) -> None:
    page = visit(toured=False)
    expect(page.locator(".tour")).to_contain_text("1 of 5")
    page.get_by_role("link", name="Race").click()
    page.wait_for_selector("#studio[data-ready=race]")
    expect(page.locator(".tour")).to_have_count(0)
    expect(page.locator(".toured")).to_have_count(0)


def test_a_room_that_was_left_hears_no_keys(visit: Open) -> None:
    page = visit("#room=inside&tab=numbers")
    page.wait_for_selector(".gf .path")
    page.keyboard.press("4")
    page.wait_for_selector("#studio[data-ready=train]")
    page.keyboard.press("?")
    expect(page.locator("dialog:visible")).to_have_count(1)


def test_rooms_by_key_and_back_by_the_browser(visit: Open) -> None:
    page = visit("#room=by-hand&example=masked")
    page.wait_for_selector("[data-stage=weights]")
    page.keyboard.press("4")
    page.wait_for_selector("#studio[data-ready=train]")
    page.keyboard.press("3")
    page.wait_for_selector("#studio[data-ready=race]")
    page.go_back()
    page.go_back()
    page.wait_for_selector("#studio[data-ready=by-hand]")
    assert "example=masked" in page.url


def with_a_slip(page: Page) -> None:
    page.get_by_role("button", name="Show me one with a slip").click()


def switched_off(page: Page) -> None:
    page.get_by_role("button", name="Switch it off").click()


def twin_shown(page: Page) -> None:
    for each in page.locator(".why summary").all():
        if each.locator("xpath=..").get_attribute("open") is None:
            each.click()


def nine_words(page: Page) -> None:
    page.get_by_label("a sentence of your own").fill("one two three four five six seven eight nine")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Random inputs")


def unfolded(page: Page) -> None:
    page.locator(".pipeline summary").click()


# Where to go, what to do there, and what is then on screen.
PLACES: dict[str, tuple[str, Callable[[Page], None], str]] = {
    "by-hand": ("#room=by-hand&example=two-heads&cell=scores,0,1,1", lambda page: None, ".paper .number .figure"),
    "check": ("#room=by-hand&tab=check", with_a_slip, ".verdict"),
    "masks": ("#room=by-hand&example=masked&tab=masks", lambda page: None, ".trial"),
    "inside": (f"#room=inside&tab=numbers&model=classes&text={TEXT}", switched_off, ".before-after"),
    "why": (f"#room=inside&model=classes&text={TEXT}&instead={TEXT.replace('not', 'so')}", twin_shown, ".why .turns"),
    "river": ("#room=inside&model=sentiment", lambda page: None, ".river .pane"),
    "tokens": (f"#room=inside&tab=numbers&model=classes&text={TEXT} unbelievably {'so ' * 40}", unfolded, ".way td"),
    "heads": (f"#room=inside&tab=numbers&view=heads&model=classes&text={TEXT}", lambda page: None, ".tile-facts b"),
    "next": ("#room=inside&model=shakespeare&text=To be", lambda page: None, ".next-bar"),
    "race": ("#room=race&race=negation-race", lambda page: None, ".said .token"),
    "train": ("#room=train", lambda page: None, ".plan"),
    "nine": ("#room=by-hand", nine_words, "[data-stage=weights]"),
    "lessons": ("#room=lessons", lambda page: None, ".card-of-lesson"),
    "lesson": ("#lesson=2-softmax-and-beta&step=4", lambda page: None, ".lesson .ask"),
}


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_nothing_sticks_out_of_a_phone_or_at_twice_the_size(visit: Open, place: str) -> None:
    """In every font, the widest first. A screen of 1280 pixels at 200 % is one of 640."""
    hash_, act, seen = PLACES[place]
    page = visit(hash_, size=PHONE, font=FONTS[-1])
    act(page)
    page.locator(seen).first.wait_for()
    for font in reversed(FONTS):
        change_font(page, font)
        assert on_every_phone(page) == {}, font
    page.set_viewport_size({"width": 640, "height": 400})
    settled(page)
    assert sticking_out(page) == []


def test_the_walk_fits_on_a_phone(visit: Open) -> None:
    page = visit(size=PHONE, toured=False, font=FONTS[-1])
    expect(page.locator(".tour")).to_contain_text("1 of 5")
    assert on_every_phone(page) == {}


def test_another_page_can_neither_read_nor_act(browser: Browser, house: House, tmp_path: Path) -> None:
    other = tmp_path / "other.html"
    other.write_text("<!doctype html><title>another page</title>")
    context = browser.new_context()
    page = context.new_page()
    page.goto(other.as_uri())
    attempt = (
        "async ([url, options]) => { try { return (await (await fetch(url, options)).text()).length; }"
        " catch { return 'refused'; } }"
    )
    json_kind = {"Content-Type": "application/json", "Authorization": "Bearer x"}
    for options in ({}, {"method": "POST", "body": "{}"}, {"method": "POST", "body": "{}", "headers": json_kind}):
        assert page.evaluate(attempt, [f"{house.address}do/by-hand/start", options]) == "refused"
    context.close()
