"""The bars: shares, blocks and heads add up on the bundled models; planted causes are found.

The default draw is small; the full one, 200 texts of each, is slow.
"""

import json
import random
from pathlib import Path

import pytest
from helpers.planted import CAUSE, OPPOSITE, OTHERS, PAIR, planted_run, planted_text
from helpers.small_runs import small_run

import glassformer as gf
from glassformer.errors import InputError
from glassformer.inside.why.question import Which
from glassformer.inside.why.reasons import Reasons, reasons
from glassformer.inside.why.telling.sentences import SEVERAL, told
from glassformer.inside.why.telling.when_to_trust import nothing_known
from glassformer.inside.why.twins import swapped
from glassformer.runs.run import Run, load, pocket_folders, pocket_races
from glassformer.runs.trial_data import texts_to_compare
from glassformer.text.made_sets import BAD, GOOD, date_places, make
from glassformer.text.samples import Labelled, Pair

POCKET = [folder.name for folder in pocket_folders()]
FEW, MANY = 3, 40  # bench/why.py takes 200
SHORT = 60  # characters of a text
TEXT = planted_text(random.Random(3), CAUSE)


def asked(run: Run, text: str, *, instead: str | None = None, **how: object) -> Reasons:
    return reasons(run.model, run.card, run.tokens, text, Which(**how), instead=instead)  # type: ignore[arg-type]


def adds_up(why: Reasons) -> None:
    shares = why.shared.blank.margin + sum(word.share for word in why.words)
    assert shares == pytest.approx(why.margin, abs=1e-4)
    assert all(word.share == pytest.approx(sum(part for _, part in word.pieces)) for word in why.words)
    assert why.direct is not None
    assert sum(part.value for part in why.direct.parts) == pytest.approx(why.margin, abs=1e-4)
    assert sum(why.direct.blocks.values()) == pytest.approx(why.margin, abs=1e-4)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", POCKET)
def test_parts_add_up_to_the_margin(name: str, count: int) -> None:
    run = gf.load(name)
    texts, _ = texts_to_compare(run.card, run.folder, run.tokens, count + 9)
    tried = [text[:SHORT] for text in texts if text[:SHORT].strip()][:count]
    assert len(tried) == count
    for text in tried:
        adds_up(asked(run, text))


def test_every_token_that_a_model_of_letters_does_not_know_is_told() -> None:
    found = asked(gf.load("shakespeare"), "2024 was gööd")
    assert [word.unknown for word in found.words] == [("2", "0", "4"), (), ("ö",)]
    assert [word.is_unknown for word in found.words] == [True, False, False]


def test_a_translation_that_was_cut_off_has_no_end_of_its_own() -> None:
    run, text = gf.load("english-german"), '<img src=x onerror=alert(1)> <b>bad</b> &amp; "quoted"'
    whole = asked(run, text)
    assert whole.written[-1] != "</s>"
    last = asked(run, text, at=len(whole.written))
    assert last.says == whole.written[-1]  # what it would write there is what it wrote
    assert f"cut off after {len(whole.written)} tokens: it had not come to its end" in whole.search
    assert "cut off" not in asked(run, "Where is the station?").search
    with pytest.raises(InputError, match=f"There is no token 999: what is written has {len(whole.written)}\\."):
        asked(run, text, at=999)


@pytest.mark.parametrize("name", ["shakespeare", "english-german"])
def test_a_space_that_is_known_makes_no_unknown_word_known(name: str) -> None:
    """The second word takes its space along, and a translator has pieces for spaces; what it wrote is known to it."""
    found = asked(gf.load(name), "فيلم جيد", at=None)
    read = [word for word in found.words if not word.written]
    assert [(word.text, word.is_unknown) for word in read] == [("فيلم", True), ("جيد", True)]
    assert nothing_known(found)


# --- planted causes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [10, pytest.param(MANY, marks=pytest.mark.slow)])
def test_a_planted_word_comes_first(count: int) -> None:
    run, draw, first = planted_run(), random.Random(7), 0
    for _ in range(count):
        cause = draw.choice((CAUSE, OPPOSITE))
        words = asked(run, planted_text(draw, cause)).words
        shared, left_out = (max(words, key=lambda word: abs(getattr(word, way))) for way in ("share", "without"))
        first += shared.text == left_out.text == cause
    assert first >= 0.95 * count


@pytest.mark.parametrize("count", [5, pytest.param(MANY, marks=pytest.mark.slow)])
def test_of_a_redundant_pair_both_are_in_front_and_the_page_says_so(count: int) -> None:
    run, draw, found = planted_run(pair=True), random.Random(7), 0
    for _ in range(count):
        why = asked(run, planted_text(draw, *PAIR))
        two = {word.text for word in sorted(why.words, key=lambda word: -word.share)[:2]}
        near_0 = all(abs(word.without) < 0.1 * why.margin for word in why.words)
        assert why.together is not None
        both = two == {why.words[i].text for i in why.together.words} and why.together.less > 0.5 * why.margin
        found += two == set(PAIR) and near_0 and both and any(SEVERAL in each for each in told(why))
    assert found >= 0.95 * count


def test_nothing_carries_the_answer_of_an_untrained_model(tmp_path: Path) -> None:
    why = asked(planted_run(steps=0), planted_text(random.Random(3), CAUSE))
    assert ", and faintly, as a model that has learnt nothing" in told(why)[0]
    assert not any(said in told(asked(planted_run(), TEXT))[0] for said in ("nothing carries it", "faintly"))


@pytest.mark.parametrize("steps", [0, 20, 30, 40])
def test_what_is_said_of_random_texts_holds_for_others_of_as_many_words(steps: int) -> None:
    """Counted on 320 texts that the trial did not draw: of models that hardly depend on words, and of one that does."""
    run, draw = planted_run(steps=steps), random.Random(5)
    known = [*OTHERS, CAUSE, OPPOSITE, *PAIR]
    others = [" ".join(draw.choices(known, k=len(TEXT.split()))) for _ in range(320)]
    own, *labels = [each.label for each in run.predict([TEXT, *others])]
    otherwise = sum(label != own for label in labels) / len(labels)
    assert otherwise < 1 / 4 or "nearly the same answer" not in told(asked(run, TEXT))[0]


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_of_a_date_the_right_span_comes_first(tmp_path: Path) -> None:
    """For a random figure of the date: the source token with the largest share says the year, the month or the day."""
    run = gf.train("translate", "dates", steps=300, threads=1, out=tmp_path / "dates")
    draw, right = random.Random(5), 0
    parts = {"year": range(4), "month": range(5, 7), "day": range(8, 10)}
    samples = make("dates", 2000, seed=77)[:MANY]
    for sample in samples:
        assert isinstance(sample, Pair)
        part = draw.choice(list(parts))
        figure = draw.choice(parts[part])
        offsets = run.tokens.encode(sample.target, bare=True).offsets
        at = next(i for i, (begin, end) in enumerate(offsets, start=1) if begin <= figure < end)
        words = asked(run, sample.source, at=at, target=sample.target).words
        shares = [share for word in words if not word.written for _, share in word.pieces]
        begin, end = run.tokens.encode(sample.source).offsets[shares.index(max(shares))]
        first, last = date_places(sample.source)[part]
        right += begin < last and first < end
    assert right >= 0.95 * len(samples)


# --- twins --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def negation() -> Run:
    return load(pocket_races()[0] / "transformer-0")


@pytest.mark.parametrize("count", [4, pytest.param(MANY, marks=pytest.mark.slow)])
def test_on_negation_the_twin_shows_the_turn(negation: Run, count: int) -> None:
    texts = [sample.text for sample in make("negation", 2000, seed=31) if isinstance(sample, Labelled)]
    pairs = [
        (text, good, bad)
        for text in texts
        for good, bad in [(set(text.split()) & set(GOOD), set(text.split()) & set(BAD))]
        if len(good) == len(bad) == 1
    ][:count]
    assert len(pairs) == count
    turned = 0
    for text, good, bad in pairs:
        twin = swapped(text, *good, *bad)
        why = asked(negation, text, instead=twin)
        assert why.twin is not None
        places = [name for stage in why.twin.stages for name, value in stage.margins if value < 0]
        turned += why.twin.margin < 0 and bool(places) and any("the answer turns" in each for each in told(why))
        first = why.twin.stages[0]
        assert {name for name, value in first.margins if value != pytest.approx(why.margin)} <= good | bad
    assert turned >= 0.95 * count


def test_a_twin_turns_if_and_only_if_the_models_own_answer_changes() -> None:
    run = gf.load("shakespeare")
    alone = asked(run, "the sq")
    why = asked(run, "the qu", instead="the sq")
    assert (why.says, alone.says) == ("e", "u")
    assert why.twin is not None
    assert (why.twin.answer, why.twin.turns, why.twin.over) == ("u", True, "e")
    assert why.twin.lead == pytest.approx(asked(run, "the sq", rival="e").margin, abs=1e-9)
    assert why.twin.stages[-1].says[-1] == "u"
    other = asked(run, "the qu", instead="she qu", answer="n", rival="a").twin  # asked about what it does not say
    assert other is not None
    assert (other.answer, other.turns) == ("e", False)
    assert other.over == asked(run, "she qu").rival


def test_a_space_that_the_blank_is_made_of_is_marked() -> None:
    why = asked(gf.load("shakespeare"), "God save the king ")
    assert (
        [word.text for word in why.words if word.is_blank]
        == ["␣"]
        == [word.text for word in why.words if word.asks_other]
    )
    assert why.words[-1].share == 0.0


def test_how_a_translation_was_written_is_said() -> None:
    run = gf.load("english-german")
    assert asked(run, "Good morning.").search.endswith("glassformer predict searches with 4 beams")
    assert asked(run, "Good morning.", target="Hallo.").search.startswith("along your translation")
    found = {each.name: each.piece for each in asked(run, "Good morning.").candidates}
    assert "begins a word" in found.values()
    led = asked(run, "Good morning.", target="Xylophon.", at=1)
    assert led.answer_id in [each.id for each in led.candidates]  # however unlikely


def test_a_twin_whose_words_have_moved_is_not_patched() -> None:
    """As many tokens, but at the third place stands another word: its row would not be the same word's."""
    run = load("shakespeare")
    moved = asked(run, "the qu", instead="te hqu").twin
    stands = asked(run, "the qu", instead="tea qu").twin
    assert moved is not None
    assert stands is not None
    assert (moved.longer, moved.stages, moved.parts) == (0, (), ())
    assert stands.stages


def test_a_twin_of_another_length_is_not_patched(negation: Run) -> None:
    twin = asked(negation, "this film is good", instead="this film is not good").twin
    assert twin is not None
    assert (twin.stages, twin.parts, twin.changed) == ((), (), (("", "not"),))
    with pytest.raises(InputError, match="The other text is empty"):
        asked(negation, "this film is good", instead=" ")


# --- the whole ----------------------------------------------------------------------------------------------------


def test_all_of_it_is_plain_data(tmp_path: Path) -> None:
    run = load(small_run(tmp_path / "run", "pairs").path)
    why = asked(run, "the third of March", at=2, target="1984", instead="the ninth of March")
    content = json.loads(json.dumps(why.to_dict(), allow_nan=False))
    assert (content["answer"], content["at"], content["written"]) == ("9", 2, ["1", "9", "8", "4", "</s>"])
    assert content["margin"] == pytest.approx(sum(content["blocks"].values()))
    assert [row["title"] for row in content["lens"]] == ["after decoder · block 1", "after decoder · block 2"]
    assert "early rows are often noise" in content["lens_warning"]
    assert [word["text"] for word in content["words"]][-2:] == ["March", "1"]
    assert content["twin"]["changed"] == [["third", "ninth"]]
    assert sum(each["head"] is None for each in content["switched_off"]) == 4
    assert len(content["switched_off"]) == 18 + 4
    assert content["row"] == 1  # of <s> and “1”
    assert "attention" not in " ".join(told(why)).replace("self-attention", "")
