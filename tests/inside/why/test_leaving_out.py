"""Leave-one-out equals really leaving out: the shorter text, asked by itself."""

from pathlib import Path

import pytest
import torch
from helpers.small_runs import TEXTS, run_of_each

from glassformer.inside.why.leaving_out import all_left_out, left_out
from glassformer.inside.why.question import Which, question
from glassformer.runs.run import Run


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    return run_of_each(tmp_path_factory.mktemp("runs"))


def margin_by_hand(run: Run, text: str, written: tuple[int, ...], answer: int, rival: int) -> float:
    """By the model as it was loaded, in float32, alone."""
    ids = torch.from_numpy(run.objective.prompt(run.tokens, text))[None]
    real = torch.ones_like(ids, dtype=torch.bool)
    with torch.no_grad():
        if run.objective.family == "translator":
            logits = run.model(ids, real, torch.tensor([written]))[0, -1]
        elif run.objective.family == "classifier":
            logits = run.model(ids, real)[0]
        else:
            logits = run.model(torch.tensor([[*ids[0].tolist(), *written]]))[0, -1]
    return float(logits[answer] - logits[rival])


@pytest.mark.parametrize("objective", list(TEXTS))
def test_the_margin_is_that_of_the_shorter_text(trained: dict[str, Run], objective: str) -> None:
    run, text = trained[objective], TEXTS[objective]
    words = text.split()
    shorter = [" ".join(words[:i] + words[i + 1 :]) for i in range(len(words))]
    asked = question(run.model, run.card, run.tokens, text, Which())
    found = left_out(asked.margin, text, asked.given, asked.words, asked.read)
    both = asked.margin.answer, asked.margin.rival
    whole = margin_by_hand(run, text, asked.given.written, *both)
    by_hand = [whole - margin_by_hand(run, rest, asked.given.written, *both) for rest in shorter]
    assert [each.less for each in found] == pytest.approx(by_hand, abs=2e-4)
    for rest, each in zip(shorter, found, strict=True):
        assert question(run.model, run.card, run.tokens, rest, Which()).margin.answer == each.top


@pytest.mark.parametrize("objective", list(TEXTS))
def test_several_words_are_left_out_at_once(trained: dict[str, Run], objective: str) -> None:
    run, text = trained[objective], TEXTS[objective]
    asked = question(run.model, run.card, run.tokens, text, Which())
    first, *_, last = asked.words
    found = all_left_out(asked.margin, text, asked.given, [first, last], asked.read)
    both = asked.margin.answer, asked.margin.rival
    whole, rest = (
        margin_by_hand(run, each, asked.given.written, *both) for each in (text, " ".join(text.split()[1:-1]))
    )
    assert found.less == pytest.approx(whole - rest, abs=2e-4)


def test_a_written_word_is_left_out_of_what_was_written(trained: dict[str, Run], tmp_path: Path) -> None:
    run, text = trained["pairs"], TEXTS["pairs"]
    asked = question(run.model, run.card, run.tokens, text, Which(at=4, target="1984-03"))
    found = left_out(asked.margin, text, asked.given, asked.words, asked.read)
    both = asked.margin.answer, asked.margin.rival
    (word,) = [word for word in asked.words if word.written]
    assert word.text == "198"
    whole = margin_by_hand(run, text, asked.given.written, *both)
    assert found[-1].less == pytest.approx(whole - margin_by_hand(run, text, (run.tokens.start,), *both), abs=2e-4)
