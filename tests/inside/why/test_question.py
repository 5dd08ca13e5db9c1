"""The question: which answer, over whom, at which token; marks stay, and what cannot be asked is said."""

from pathlib import Path

import pytest
from helpers.small_runs import TEXTS, language_run, run_of_each, small_run

import glassformer as gf
from glassformer.errors import InputError
from glassformer.inside.why.question import Question, Which, question
from glassformer.runs.run import Run, load

HUNGRY = "The old man gives the children a red apple because they are hungry."


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    return run_of_each(tmp_path_factory.mktemp("runs"))


def asked(run: Run, text: str, **how: object) -> Question:
    return question(run.model, run.card, run.tokens, text, Which(**how))  # type: ignore[arg-type]


def test_a_class_over_the_next_best(trained: dict[str, Run]) -> None:
    run = trained["classes"]
    found = asked(run, TEXTS["classes"])
    said = run.predict([TEXTS["classes"]])[0]
    assert found.name(found.margin.answer) == said.label  # type: ignore[union-attr]
    assert found.fixed == ()
    assert found.neutral.space is None
    turned = asked(run, TEXTS["classes"], answer=found.name(found.margin.rival))
    assert (turned.margin.answer, turned.margin.rival) == (found.margin.rival, found.margin.answer)


def test_a_translator_is_asked_where_it_is_least_certain(trained: dict[str, Run]) -> None:
    run = trained["pairs"]
    target = "1984-03-03"
    found = asked(run, TEXTS["pairs"], target=target, at=None)
    shares = []
    for at, token in enumerate(run.tokens.encode(target, bare=True).ids, start=1):
        one = asked(run, TEXTS["pairs"], target=target, at=at)
        shares.append(float(one.logits().softmax(-1)[token]))
    assert found.at == 1 + shares.index(min(shares))
    assert asked(trained["classes"], TEXTS["classes"], at=None).at == 1


def test_of_written_tokens_only_the_beginning_of_a_word_is_asked_about_unasked() -> None:
    run = load("english-german")
    found = asked(run, "I love AI", at=None)
    certain = {}
    for at, spelled in enumerate(run.tokens.strings(found.written[:-1]), start=1):
        if spelled[0] == " ":
            one = asked(run, "I love AI", at=at)
            certain[at] = float(one.logits().softmax(-1)[found.written[at - 1]])
    assert len(certain) < len(found.written) - 1  # a piece and a full stop were there as well
    assert found.at == min(certain, key=lambda at: certain[at])


def test_a_token_of_a_translation_and_the_mark_before_it(trained: dict[str, Run]) -> None:
    run = trained["pairs"]
    found = asked(run, TEXTS["pairs"], target="1984-03-03", at=3)
    assert found.name(found.margin.answer) == "8"
    assert found.given.written == (run.tokens.start, *run.tokens.encode("19", bare=True).ids)
    assert found.fixed == (len(found.given.ids),)
    assert [word.text for word in found.words] == ["the", "third", "of", "March", "1984", "19"]
    assert found.neutral.space == run.tokens.encode(" ").ids[0]
    own = asked(run, TEXTS["pairs"])
    assert own.margin.answer == own.written[0] == int(own.logits().argmax())


def test_an_answer_begins_behind_its_mark(trained: dict[str, Run]) -> None:
    run = trained["answers"]
    found = asked(run, "3 1 2")
    assert found.given.ids[-1] == run.tokens.start
    assert found.fixed == (len(found.given.ids) - 1,)
    assert [word.text for word in found.words] == ["3", "1", "2"]


def test_a_text_goes_on_for_as_long_as_is_asked() -> None:
    run = language_run()
    second = asked(run, "the cat", at=2)
    first = asked(run, "the cat")
    assert second.given.written == first.written[:1] == (first.margin.answer,)


def test_a_rival_is_chosen_by_its_name(trained: dict[str, Run]) -> None:
    run = trained["pairs"]
    found = asked(run, TEXTS["pairs"], target="1984-03-03", rival="2")
    assert found.name(found.margin.rival) == "2"
    assert asked(run, TEXTS["pairs"], target="1984-03-03", rival=found.margin.rival).name(found.margin.rival) == "2"
    with pytest.raises(InputError, match="'§' is no token of this model; the likeliest here are"):
        asked(run, TEXTS["pairs"], rival="§")
    with pytest.raises(InputError, match=r"'1' is the answer itself; its rival here can be [^1]"):
        asked(run, TEXTS["pairs"], target="1984-03-03", rival="1")
    with pytest.raises(InputError, match="There is no class 'negativ'; did you mean 'negative'"):
        asked(trained["classes"], TEXTS["classes"], rival="negativ")


def test_of_tokens_that_read_alike_the_likeliest_is_meant_unless_it_is_spelled() -> None:
    run = gf.load("english-german")
    listed = asked(run, HUNGRY, at=6)
    logits = listed.logits()
    begins, goes_on = (
        next(i for i in range(len(run.tokens)) if run.tokens.strings([i]) == [name]) for name in (" den", "den")
    )
    assert logits[begins] > logits[goes_on]
    found = asked(run, HUNGRY, at=6, rival="den")
    assert found.margin.rival == begins
    assert found.taken == (
        "2 tokens read “den”; taken is the one that is likeliest here, “␣den”, which begins a word.",
    )
    exact = asked(run, HUNGRY, at=6, rival=" den")
    assert (exact.margin.rival, exact.taken) == (begins, ())
    inside = asked(run, HUNGRY, at=6, rival=goes_on)
    assert (inside.margin.rival, inside.taken) == (goes_on, ())
    assert asked(run, HUNGRY, at=6, answer="den", rival=goes_on).names((begins, goes_on)) == ["␣den", "den"]
    assert (found.spelling(begins), found.names((begins, 0))[0]) == (" den", "den")
    with pytest.raises(InputError, match="There is no answer -1"):
        asked(run, HUNGRY, at=6, rival=-1)


@pytest.mark.parametrize(
    ("text", "at", "ends"),
    [
        ("God save the kin", 1, ["kin"]),
        ("God save the ki", 2, ["ki", "n"]),
        ("God save the king ", 1, ["␣"]),
        ("God save the king,", 1, [","]),
    ],
)
def test_the_last_word_before_the_answer_is_told_apart(text: str, at: int, ends: list[str]) -> None:
    assert [word.text for word in asked(gf.load("shakespeare"), text, at=at).asks_other] == ends


def test_of_a_translation_it_is_the_last_that_was_written(trained: dict[str, Run]) -> None:
    run = gf.load("english-german")
    assert [word.text for word in asked(run, HUNGRY, at=13).asks_other] == ["A"]  # A-pfel
    assert [word.text for word in asked(run, HUNGRY, at=6).asks_other] == ["gibt"]
    assert asked(run, HUNGRY, at=1).asks_other == ()
    assert asked(trained["classes"], TEXTS["classes"]).asks_other == ()


def test_what_cannot_be_asked_is_said(trained: dict[str, Run], tmp_path: Path) -> None:
    classes, pairs = trained["classes"], trained["pairs"]
    for run, text, how, said in [
        (classes, " ", {}, "There is no text"),
        (classes, "good " * 68, {}, "68 tokens; why can be asked for 67 at most"),
        (classes, "good", {"at": 2}, "writes nothing"),
        (pairs, "May", {"at": 0}, "counts the written tokens from 1"),
        (pairs, "May", {"target": "1984", "at": 9}, "There is no token 9: what is written has 5"),
        (trained["answers"], "3", {"target": "3"}, "Only a translator takes a target"),
        (language_run("spans"), "a cat", {}, "has only learnt to fill gaps"),
    ]:
        with pytest.raises(InputError, match=said):
            asked(run, text, **how)
    with pytest.raises(InputError, match="no embedding"):
        asked(load(small_run(tmp_path / "ngrams", model="ngrams").path), "good")
