"""What the rooms show at once, and what can be done there: first looks, all heads, sampling, data, runs, races."""

import json
import re
from pathlib import Path

import pytest
from helpers.browsing import Held
from helpers.small_runs import small_run
from helpers.studio_house import House, Open
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
TEXT = "the film was not good"


def test_the_matrix_is_on_the_first_screen(visit: Open) -> None:
    page = visit("#room=inside&tab=numbers&model=english-german&text=Where is the station?")
    frame = page.locator(".inside-view .seeing canvas, .inside-view .seeing .frame").first
    frame.wait_for()
    box = frame.bounding_box()
    assert box is not None
    assert box["y"] + min(box["height"], 200) <= 900
    assert page.evaluate("scrollY") == 0


def test_by_hand_scores_weights_and_one_number_are_on_the_first_screen(visit: Open) -> None:
    page = visit("#room=by-hand&example=i-love-ai")
    expect(page.locator(".paper > .number .figure")).to_have_text("3")  # the last score, without a click
    boxes = {name: page.locator(f"[data-stage={name}] table").bounding_box() for name in ("queries", "keys", "weights")}
    queries, keys, weights = (box or {} for box in boxes.values())
    assert queries["y"] == keys["y"]  # small matrices stand side by side
    assert queries["x"] < keys["x"]
    assert weights["y"] + weights["height"] <= 900
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_label("example", exact=True).select_option("masked")
    expect(page.locator(".paper > .number .figure")).to_have_count(0)  # there it would lie over the working


def test_a_first_look_is_there_before_the_model_has_answered(visit: Open) -> None:
    page = visit("#room=race")
    waiting = Held(page, "inside/why")
    page.get_by_role("link", name="Inside").click()
    page.get_by_label("model").select_option("sentiment")
    expect(page.locator(".why .first")).to_contain_text("Positive by")
    assert page.locator(".why[data-busy]").count() == 1
    waiting.let_go()
    expect(page.locator(".why[data-busy]")).to_have_count(0)
    expect(page.locator(".why .first")).to_contain_text("Positive by")


def test_what_the_page_waits_for_is_said(visit: Open) -> None:
    page = visit(f"#room=inside&model=classes&text={TEXT}")
    expect(page.locator(".why .first")).to_be_visible()
    waiting = Held(page, "inside/look")
    page.get_by_role("button", name="Every number").click()
    expect(page.locator(".waiting")).to_have_text("Running classes on your text, and keeping every number …")
    waiting.let_go()
    expect(page.locator(".inside-view .path .last")).to_be_visible()
    expect(page.locator(".waiting")).to_be_hidden()


def test_a_look_sends_well_under_a_megabyte_and_fetches_the_rest_when_it_is_opened(visit: Open) -> None:
    page = visit("#room=race")
    sizes: dict[str, int] = {}
    page.on("response", lambda answer: sizes.update({answer.url.rpartition("/")[2]: len(answer.body())}))
    page.goto(page.url.partition("#")[0] + "#room=inside&tab=numbers&model=english-german&text=Where is the station?")
    page.locator(".inside-view .path .last").wait_for()
    expect(page.locator(".inside-view .path .last")).to_have_text("weights")
    page.wait_for_load_state("networkidle")
    assert sizes["look"] < 500_000
    fetched = len(sizes)
    page.locator(".map .part", has_text="feed-forward").first.click()
    expect(page.locator(".inside-view .path")).to_contain_text("feed-forward")
    expect(page.locator(".strip .step").first).to_be_visible()
    assert len(sizes) >= fetched


def test_all_heads_stand_by_how_much_they_matter_on_one_scale(visit: Open) -> None:
    page = visit(f"#room=inside&tab=numbers&view=heads&model=classes&text={TEXT}")
    expect(page.locator(".tile-facts b").first).to_be_visible()
    shares = [float(each) for each in page.locator(".tile-facts b").all_inner_texts()]
    assert shares == sorted(shares, reverse=True)
    expect(page.locator(".tile").first.locator(".across span")).to_have_text(TEXT.split())
    expect(page.locator(".all-heads .legend")).to_contain_text("1, the same for every head")
    page.get_by_label("each its own maximum").check()
    expect(page.locator(".all-heads .legend")).to_contain_text("each head's own maximum")
    page.get_by_label("layer by layer").check()
    expect(page.locator(".tile-name").first).to_contain_text("block 1 · self · head 1")
    page.locator(".tile canvas").first.hover()
    expect(page.locator(".readout")).to_contain_text(re.compile(r"head 1: .+ → .+ 0\.\d+"))


def test_a_token_is_taken_drawn_and_taken_back(visit: Open) -> None:
    page = visit("#room=inside&model=shakespeare&text=To b")
    bars = page.locator(".next-bar")
    expect(bars).to_have_count(12)
    plain = bars.first.locator(".share").inner_text()
    page.get_by_label("top-k").fill("1")
    expect(bars.first.locator(".share")).to_have_text("1.000")
    expect(bars.nth(1).locator(".share")).to_have_text("cut")
    assert plain != "1.000"
    best = bars.first.locator(".name").inner_text()
    page.get_by_role("button", name="Step").click()
    expect(page.get_by_label("your text")).to_have_value(f"To b{best}")
    page.get_by_label("top-k").fill("41")
    bars.nth(2).click()
    expect(page.get_by_label("your text")).to_have_value(re.compile(f"^To b{best}.$", re.DOTALL))
    page.get_by_role("button", name="◂ Back").click()
    expect(page.get_by_label("your text")).to_have_value(f"To b{best}")
    page.get_by_role("button", name="Run ▸").click()
    expect(page.locator(".why .older")).to_contain_text("why is asked once the run stops")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".why .older")).to_have_count(0)  # it was asked, and has answered


def test_a_dropped_file_is_seen_and_its_columns_are_chosen(visit: Open, tmp_path: Path) -> None:
    rows = [f"{i},film {i} is {'good' if i % 2 else 'bad'},{'yes' if i % 2 else 'no'}" for i in range(60)]
    (tmp_path / "films.csv").write_text("\n".join(["number,review,liked", *rows, "60,,no"]) + "\n")
    page = visit("#room=train")
    Held(page, "train/estimate")
    page.locator("select[name=data]").select_option("file")
    page.get_by_label("a file of yours").set_input_files(tmp_path / "films.csv")
    expect(page.locator(".preview .rows tbody tr")).to_have_count(5)
    page.get_by_label("what liked is").select_option("label")
    expect(page.locator(".facts-of-data")).to_contain_text("60 of 61 rows can be learnt from")
    expect(page.locator(".classes li")).to_have_count(2)
    expect(page.locator(".facts-of-data")).to_contain_text("line 62: the text is empty")
    expect(page.locator(".facts-of-data details").last).to_have_attribute("open", "")  # what was noticed
    expect(page.locator(".estimate")).to_contain_text("Measuring this machine")
    expect(page.locator(".facts-of-data")).to_contain_text("1 row would be skipped")
    expect(page.locator(".facts-of-data")).to_contain_text("1 row: the text is empty")


def test_a_file_that_is_refused_changes_nothing_that_is_chosen(visit: Open, tmp_path: Path) -> None:
    page = visit("#room=train")
    expect(page.locator(".preview")).to_contain_text("10,000 of 10,000 rows")
    (tmp_path / "marks.xlsx").write_bytes(b"PK")
    page.locator("input[type=file]").set_input_files(tmp_path / "marks.xlsx")
    expect(page.get_by_role("alert").filter(has_text="'marks.xlsx' cannot be learnt from")).to_be_visible()
    expect(page.locator(".plan select").nth(1)).to_have_value("negation")  # as what stands below says
    expect(page.locator(".preview")).to_contain_text("10,000 of 10,000 rows")
    expect(page.locator(".plan [name=name]")).to_have_value(re.compile(r"negation(-\d+)?"))  # or the next one free


def test_of_many_columns_those_that_are_read_come_first(visit: Open, tmp_path: Path) -> None:
    names = [f"measure_{i}" for i in range(20)]
    rows = [f"{','.join('1.5' for _ in names)},tweet number {i},{'up' if i % 2 else 'down'}" for i in range(60)]
    (tmp_path / "tweets.csv").write_text("\n".join([",".join([*names, "text", "sentiment"]), *rows]) + "\n")
    page = visit("#room=train")
    Held(page, "train/estimate")
    page.get_by_label("a file of yours").set_input_files(tmp_path / "tweets.csv")
    expect(page.locator(".preview .rows th > span")).to_have_text(["text", "sentiment", *names])
    expect(page.locator(".preview .rows tbody tr").first.locator("td")).to_have_text(
        ["tweet number 0", "down", *["1.5"] * 20]
    )
    expect(page.locator(".facts-of-data")).to_contain_text("With 6 to test on, its score will say little.")
    expect(page.locator(".facts-of-data")).to_contain_text("Half of them have 3 words or fewer, the longest has 3.")


def test_what_was_chosen_is_still_there_after_a_run(visit: Open, house: House, tmp_path: Path) -> None:
    rows = [f"{i},dish {i},{'thumbs up' if i % 2 else 'thumbs completely down'}" for i in range(60)]
    (tmp_path / "our tasting.csv").write_text("\n".join(["number,remark,what the taster said of it", *rows]) + "\n")
    small_run(house.studio.train.root / "another")
    page = visit("#room=train")
    Held(page, "train/estimate")
    page.get_by_label("a file of yours").set_input_files(tmp_path / "our tasting.csv")
    expect(page.locator(".preview .wrong")).not_to_contain_text("--")
    page.get_by_label("what remark is").select_option("text")
    page.get_by_label("what what the taster said of it is").select_option("label")
    expect(page.locator(".classes li")).to_have_count(2)
    expect(page.get_by_label("name", exact=True)).to_have_value("our-tasting")
    command = page.locator(".what-comes code")
    expect(command).to_contain_text("glassformer train classify 'our tasting.csv' --")
    bars = page.locator(".classes .fill").evaluate_all("all => all.map(each => each.getBoundingClientRect().width)")
    assert bars[0] == pytest.approx(bars[1])
    tops = page.locator(".preview .rows th select").evaluate_all(
        "all => all.map(each => each.getBoundingClientRect().bottom)"
    )
    assert len({round(each) for each in tops}) == 1
    page.get_by_role("button", name="another", exact=True).click()
    page.get_by_role("button", name="All runs").click()
    expect(page.locator(".classes li")).to_have_count(2)
    expect(page.locator("select[name=data]")).to_have_value("file")
    expect(page.get_by_label("what what the taster said of it is")).to_have_value("label")
    expect(page.locator(".drop")).to_contain_text("our tasting.csv")


def test_a_run_with_one_validation_is_a_point_and_not_a_line(visit: Open, house: House) -> None:
    for name, points in (("one-point", 1), ("three-points", 3)):
        folder = small_run(house.studio.train.root / name)
        for i in range(points):
            folder.log({"event": "judged", "step": i, "seconds": 0.4 * (i + 1), "loss": 0.7 - 0.1 * i})
    page = visit("#room=train")
    for name in ("one-point", "three-points"):
        page.get_by_label(f"compare {name}").check()
    chart = page.locator(".compared .chart")
    expect(chart.locator("circle.end")).to_have_count(2)
    expect(chart.locator(".lead")).to_have_count(1)  # from the one that goes to the end
    expect(chart).to_contain_text("1.2 s")


def test_on_a_phone_the_names_of_lines_stand_below_them_and_nothing_lies_on_them(visit: Open) -> None:
    page = visit("#room=race&race=negation-race", size={"width": 390, "height": 844})
    expect(page.locator(".charted .legend li")).to_have_count(8)
    chart, button = page.locator(".charted .chart").bounding_box(), page.locator(".charted > .maximise").bounding_box()
    assert chart is not None
    assert button is not None
    assert chart["x"] + chart["width"] <= 390
    assert button["y"] + button["height"] <= chart["y"]


def test_runs_stand_in_a_table_and_are_deleted_when_asked_twice(visit: Open, house: House) -> None:
    folder = small_run(house.studio.train.root / "short-lived")
    folder.write_scores({"accuracy": 0.75, "confusion": {"labels": ["a", "b"], "table": [[3, 1], [1, 3]]}})
    page = visit("#room=train")
    row = page.locator(".all-runs tbody tr:not(.told-of-run)", has_text="short-lived")
    question = page.locator(".told-of-run", has_text="short-lived")
    expect(row).to_contain_text("accuracy 75.0 %")
    expect(row).to_contain_text("MB")
    row.get_by_role("button", name="delete").click()
    expect(question).to_contain_text("Delete short-lived for good?")
    expect(question).not_to_contain_text("stays")  # its data were made, and are no file
    for size in ((1440, 900), (1024, 768), (390, 844)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        for name in ("Yes, delete it", "Keep it"):
            box = question.get_by_role("button", name=name).bounding_box()
            frame = page.locator(".all-runs .scroll").first.bounding_box()
            assert box is not None
            assert frame is not None
            assert frame["x"] <= box["x"]
            assert box["x"] + box["width"] <= frame["x"] + frame["width"]
    question.get_by_role("button", name="Keep it").click()
    expect(question).to_be_hidden()
    assert folder.path.is_dir()
    row.get_by_role("button", name="delete").click()
    question.get_by_role("button", name="Yes, delete it").click()
    expect(row).to_have_count(0)
    assert not folder.path.exists()


def test_a_run_that_was_stopped_while_it_was_judged_says_so_and_can_go_on(visit: Open, house: House) -> None:
    root = house.studio.train.root
    for name in ("half", "whole"):
        folder = small_run(root / name)
        folder.log({"event": "step", "step": 4, "seconds": 6.0, "loss": 0.7})
        folder.log({"event": "judged", "step": 4, "seconds": 6.0, "loss": 0.7})
    folder.write_scores({"accuracy": 0.75, "confusion": {"labels": ["a", "b"], "table": [[3, 1], [1, 3]]}})
    with (root / "half" / "config.toml").open("a", encoding="utf-8") as config:
        config.write("\n[plan]\nseconds = 6.0\n")
    page = visit("#room=train&run=half")
    expect(page.get_by_role("status").first).to_have_text("trained; judging was stopped")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    expect(page.locator(".run-end")).to_contain_text("None: it was not judged.")
    expect(page.locator(".run-end")).to_contain_text("It was stopped while judging: training had ended after 6.0 s")
    thin, thick = page.locator(".run-curve circle.end"), page.locator(".run-curve circle.dot")
    assert float(thin.get_attribute("r") or 0) < float(thick.get_attribute("r") or 0)
    page.get_by_role("button", name="All runs").click()
    row = page.locator(".all-runs tbody tr:not(.told-of-run)", has_text="half")
    expect(row).to_contain_text("trained; judging was stopped")
    expect(row.get_by_role("button", name="resume")).to_be_visible()
    for name in ("half", "whole"):
        page.get_by_label(f"compare {name}").check()
    expect(page.locator(".confusions")).to_contain_text("No such table of half: not judged, or no classifier.")
    expect(page.locator(".confusion")).to_have_count(1)


def test_a_race_is_read_by_pointing_and_two_confusions_stand_side_by_side(visit: Open) -> None:
    page = visit("#room=race&race=negation-race")
    strokes = page.evaluate(
        "[...document.querySelectorAll('.chart path.curve')].map((each) => getComputedStyle(each))"
        ".map(({ stroke, strokeDasharray }) => `${stroke} ${strokeDasharray}`)"
    )
    assert len(set(strokes)) == len(strokes) == 8
    page.locator(".chart").hover()
    expect(page.locator(".chart-values")).to_contain_text(re.compile(r"rnn \d\.\d{3} at \d+ s · gru"))
    standing = page.locator(".standing tbody")
    expect(standing).to_contain_text("first, level with 3 more")
    expect(standing.locator("tr").last).to_contain_text("behind, p ≤ 0.001 · worse than the majority class")
    expect(page.locator(".race")).to_contain_text("Each was given 1 min, and trained once, from one seed.")
    expect(page.locator(".race")).to_contain_text("8 models were trained to classify negation")
    expect(page.locator(".said tr", has_text="bare-attention")).to_contain_text("looks at all alike")
    expect(page.locator(".race")).to_contain_text(
        "Those that are sure agree. 3 of the 8 are hardly surer than a guess."
    )
    button = page.locator(".charted > .maximise").bounding_box()
    chart = page.locator(".charted .chart").bounding_box()
    assert button is not None
    assert chart is not None
    assert chart["x"] + chart["width"] <= button["x"]  # which covers no name
    expect(page.get_by_label("the other model")).to_have_value("attention")  # the one that is wrong most often
    expect(page.locator(".confusion")).to_have_count(2)
    counts = json.loads(
        (Path(__file__).parents[2] / "src/glassformer/runs/pocket/negation-race/attention-0/scores.json").read_text()
    )["confusion"]["table"]
    shown = [
        int(each.replace(",", "")) for each in page.locator(".confusion").nth(1).locator("td.num").all_inner_texts()
    ]
    assert shown == [each for row in counts for each in row]


def test_an_exercise_reads_as_formulas(visit: Open) -> None:
    page = visit("#room=by-hand&tab=check")
    page.get_by_role("button", name="Surprise me").click()
    expect(page.locator(".notes math").first).to_be_visible()
    expect(page.locator(".notes").first).not_to_contain_text("bmatrix")


def test_look_inside_opens_the_run_of_its_row(visit: Open, house: House) -> None:
    folder = small_run(house.studio.train.root / "coin")
    folder.write_scores({"accuracy": 0.5, "accuracy_interval": [0.3, 0.7], "samples": 10, "in_training": 4})
    page = visit("#room=inside&model=classes")
    page.get_by_role("link", name="Train").click()
    row = page.locator(".all-runs tbody tr:not(.told-of-run)", has_text="coin")
    row.get_by_role("button", name="look inside").click()
    expect(page.get_by_label("model", exact=True)).to_have_value("coin")
    told = page.locator(".about-model")
    expect(told).to_contain_text("accuracy 50.0 % (30.0 to 70.0 %, 10 samples) · 4 of the 10 samples")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(told.locator(".how-good")).to_be_visible()
    seen = "({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth"
    assert told.evaluate(seen)  # with what takes away from the score, and nothing of it cut
    page.get_by_role("link", name="Train").click()
    row.get_by_role("button", name="delete").click()
    page.get_by_role("button", name="Yes, delete it").click()
    expect(row).to_have_count(0)
    page.get_by_role("link", name="Inside").click()
    expect(page.get_by_role("alert").filter(has_text="There is no model called 'coin'")).to_be_visible()
    expect(page.get_by_label("model", exact=True)).to_have_value("")


def test_a_model_that_is_not_there_is_refused_and_none_stands_in_its_place(visit: Open) -> None:
    page = visit(f"#room=inside&model=nobody&text={TEXT}")
    expect(page.get_by_role("alert").filter(has_text="no model called 'nobody'")).to_be_visible()
    expect(page.get_by_label("model", exact=True)).to_have_value("")
    for part in (".why", ".depth", ".depths"):
        expect(page.locator(f".inside > {part}")).to_be_hidden()
    assert "model=nobody" in page.url
    page.get_by_label("your text").fill("a good film")
    page.get_by_role("button", name="Look", exact=True).click()
    expect(page.locator(".inside > .wrong")).to_have_text("Choose a model first.")
    page.get_by_label("model", exact=True).select_option("classes")
    expect(page.locator(".why .first")).to_be_visible()
    expect(page.locator(".inside > .wrong")).to_be_hidden()
    assert "model=classes" in page.url


@pytest.mark.parametrize(("width", "columns"), [(1440, 4), (390, 2)])
def test_heads_stand_in_columns(visit: Open, width: int, columns: int) -> None:
    page = visit(
        f"#room=inside&tab=numbers&view=heads&model=sentiment&text={TEXT}", size={"width": width, "height": 844}
    )
    expect(page.locator(".tile-facts b")).to_have_count(8)
    boxes = page.locator(".tile").evaluate_all(
        "(all) => all.map((each) => [each.offsetLeft, each.scrollWidth <= each.clientWidth])"
    )
    lefts = [left for left, _ in boxes]
    assert lefts == lefts[:columns] * (8 // columns)
    assert len(set(lefts)) == columns
    assert all(fits for _, fits in boxes)


def test_on_a_phone_the_cell_that_opens_stands_above_the_foot(visit: Open) -> None:
    page = visit(f"#room=inside&tab=numbers&model=classes&text={TEXT}", size={"width": 390, "height": 700})
    page.locator(".peek:not([hidden])").wait_for()
    page.wait_for_function(  # it is one of the last row
        "() => document.querySelector('.matrix .frame').getBoundingClientRect().bottom"
        " <= document.querySelector('.peek').getBoundingClientRect().top + 4"
    )


def test_a_model_that_cannot_be_asked_why_opens_at_its_numbers(visit: Open) -> None:
    page = visit("#room=race&race=negation-race")
    page.get_by_role("row", name="ngrams").get_by_role("button", name="look inside").click()
    expect(page.get_by_role("button", name="Every number")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Why this answer")).to_be_hidden()
    expect(page.locator(".inside-view .path")).to_be_visible()
    expect(page.get_by_label("model", exact=True).locator("option:checked")).to_have_text("ngrams of negation-race")


INSIDE, PATTERN = "room=inside&model=classes&text=good", "tab=numbers&at=encoder.0.self.weights"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("room=nowhere", "There is no room called 'nowhere'."),
        ("room=by-hand&example=nobody", "There is no example called 'nobody'; choose one of the list."),
        ("room=by-hand&example=i-love-ai&cell=weights,9,9", "There is no number at weights,9,9 in this working."),
        ("room=race&race=nobody", "There is no race called 'nobody' here."),
        ("room=race&txt=good", "The address says 'txt', which is not read here; this room reads race, text."),
        ("room=by-hand&example=i-love-ai&stage=sums", "The address asks for stage=sums, which is not there."),
        ("room=by-hand&tokens=across", "The address asks for tokens=across, which is not there."),
        ("lesson=4-heads&step=99", "“Heads” has steps 1 to 6; there is no step 99."),
        (f"{INSIDE}&tab=both", "The address asks for tab=both, which is not there. What is shown is tab=why."),
        (f"{INSIDE}&rival_id=it", "The address asks for rival_id=it, which is not there."),
        (f"{INSIDE}&changes=it", "The address asks for changes=it, which is not there."),
        (
            f"{INSIDE}&tab=numbers&at=nowhere",
            "The address asks for at=nowhere, which is not there. What is shown is at=",
        ),
        (f"{INSIDE}&{PATTERN}&head=9", "The address asks for head=9, which is not there. What is shown is head="),
        (f"{INSIDE}&{PATTERN}&cell=0,0,9,0", "The address asks for cell=0,0,9,0, which is not there."),
        (f"{INSIDE}&{PATTERN}&row=9&view=all", "The address asks for row=9, view=all, which is not there."),
    ],
)
def test_an_address_that_leads_nowhere_says_so(visit: Open, address: str, said: str) -> None:
    expect(visit(f"#{address}").get_by_role("alert").filter(has_text=said)).to_be_visible()


def test_an_address_of_a_run_of_a_race_needs_no_race_to_have_been_asked(visit: Open) -> None:
    page = visit("#room=inside&model=rnn of negation-race&text=this film is not good but dull")
    expect(page.locator(".why .first")).to_contain_text("Negative by")
    expect(page.get_by_label("model", exact=True).locator("option:checked")).to_have_text("rnn of negation-race")


def test_a_sentence_in_the_address_is_worked(visit: Open) -> None:
    page = visit("#room=by-hand&sentence=the old man and the sea is very long")
    expect(page.get_by_role("heading", name="the old man and the sea is very long")).to_be_visible()
    expect(page.locator("[data-stage=weights] .figure-cell").first).to_be_visible()
    assert "sheet=" in page.url


@pytest.mark.parametrize("size", [(1024, 768), (390, 844)])
def test_a_number_stays_in_sight_above_its_arithmetic(visit: Open, size: tuple[int, int]) -> None:
    page = visit("#room=by-hand&example=i-love-ai&cell=scores,2,2", size={"width": size[0], "height": size[1]})
    cell, panel = page.locator(".figure-cell.chosen, .chosen .figure-cell"), page.locator(".paper > .number")
    expect(panel.locator(".figure")).to_have_text("3")
    page.wait_for_function(
        """() => {
          const cell = document.querySelector(".working .chosen").getBoundingClientRect();
          return cell.top >= 0 && cell.bottom <= document.querySelector(".paper > .number").getBoundingClientRect().top;
        }"""
    )
    expect(cell.first).to_be_in_viewport()


def test_on_a_phone_a_number_that_was_read_is_closed_again(visit: Open) -> None:
    page = visit("#room=by-hand&example=i-love-ai&cell=scores,2,2", size={"width": 390, "height": 844})
    close = page.get_by_role("button", name="close this number")
    close.click()
    expect(page.locator(".paper > .number")).to_contain_text("Click a number")
    expect(page.locator(".working :is(.used, .chosen)")).to_have_count(0)
    expect(page.locator(".figure-cell:focus")).to_have_text("3")  # where one was
    assert "cell=" not in page.url
    page.keyboard.press("Enter")
    expect(close).to_be_visible()


def test_what_scrolls_sideways_fades_where_there_is_more_of_it(visit: Open) -> None:
    hash_ = "#room=by-hand&sentence=the quick brown fox jumps over the lazy dog"
    page = visit(hash_, size={"width": 390, "height": 844})
    tables = page.locator("[data-stage=scores] .tables")
    expect(tables).to_have_attribute("data-more", "right")
    for scrolled, more in ((40, "left right"), (9999, "left")):
        tables.evaluate(f"(node) => {{ node.scrollLeft = {scrolled} }}")
        expect(tables).to_have_attribute("data-more", more)
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(page.locator("[data-more]")).to_have_count(0)


@pytest.mark.parametrize("room", ["race", "train", "lessons"])
def test_a_room_fills_the_width_of_a_desk(visit: Open, room: str) -> None:
    page = visit(f"#room={room}")
    box = page.locator(f".room > .{room}").bounding_box()
    assert box is not None
    assert box["width"] == 1440
