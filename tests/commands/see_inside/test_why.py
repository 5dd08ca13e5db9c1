"""`glassformer why`: words first, then figures; twins by hand or by rule; JSON."""

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.small_runs import small_run

HUNGRY = "The old man gives the children a red apple because they are hungry."


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(small_run(tmp_path_factory.mktemp("runs") / "run").path)


def test_words_come_first(glassformer: Any) -> None:
    answer = glassformer("why", "sentiment", "the film was not good at all")
    assert answer.code == 0
    assert answer.out.startswith(
        "Negative by 1.1 over positive. Words for it: *not* +0.96, *was* +0.75, *at* +0.24; against it: *good* −0.53, "
        "*film* −0.39; all others +0.12. Left out one at a time (another measure): without *not* it is 1.9 less, and "
        "it would say positive.\n"
    )
    assert "not    +0.96    1.9 less ≠\n" in answer.out
    assert "together +1.1." in answer.out


def test_all_figures_as_json(glassformer: Any, run: str, tmp_path: Path) -> None:
    page = tmp_path / "why.html"
    answer = glassformer(
        "why", run, "the film was not good", "--rival", "negative", "--answer", "positive", "--json", "--out", str(page)
    )
    content = json.loads(answer.out)
    assert (content["answer"], content["rival"]) == ("positive", "negative")
    assert sum(word["share"] for word in content["words"]) + content["blank"]["margin"] == pytest.approx(
        content["margin"]
    )
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("option", "twin"),
    [
        (("--instead", "the film was so good"), "the film was so good"),
        (("--swap", "film", "good"), "the good was not film"),
        (("--replace", "good", "bad"), "the film was not bad"),
        (("--negate",), "the film was good"),
    ],
)
def test_a_twin_in_each_way(glassformer: Any, run: str, option: tuple[str, ...], twin: str) -> None:
    content = json.loads(glassformer("why", run, "the film was not good", *option, "--json").out)
    assert content["twin"]["text"] == twin


def test_of_what_is_written_another_token_can_be_asked_for(glassformer: Any, tmp_path: Path) -> None:
    path = str(small_run(tmp_path / "run", "pairs").path)
    answer = glassformer("why", path, "the third of March", "--at", "2", "--target", "1984")
    assert "In all: “1984” (along your translation (teacher forcing))." in answer.out
    assert "Written: 1 1  2 9  3 8  4 4  5 </s>; --at asks for another." in answer.out
    assert "early rows are often noise" in answer.out
    assert "(spaces)" in answer.out


def test_of_two_tokens_of_a_name_the_likelier_is_taken_and_said(glassformer: Any) -> None:
    answer = glassformer("why", "english-german", HUNGRY, "--at", "6", "--rival", "den")
    assert answer.out.startswith("“die” by 2.2 over “den”.")
    assert (
        "\n2 tokens read “den”; taken is the one that is likeliest here, “␣den”, which begins a word.\n" in answer.out
    )
    assert "(written greedily, the likeliest token each time; glassformer predict searches with 4 beams)" in answer.out


def test_what_is_wrong_is_said(glassformer: Any, run: str) -> None:
    for words, said in [
        (("the film", "--negate", "--swap", "the", "film"), "No verb"),
        (("it is good", "--negate", "--swap", "it", "good"), "One twin at a time"),
        (("--instad", "x"), "There is no option --instad; `glassformer why --help` lists them."),
        (("it is good", "--rival", "neutral"), "There is no class 'neutral'"),
    ]:
        answer = glassformer("why", run, *words)
        assert answer.code == 2
        assert said in answer.err
