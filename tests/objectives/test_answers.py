"""The objective *answers*: what follows the mark, scored as a whole and by the token."""

import math
from pathlib import Path

import pytest
from helpers.small_runs import small_corpus, small_run

from glassformer.models.language_model import Continuation
from glassformer.models.sampling import Stop, greedy
from glassformer.objectives.predictions import Writing, Written
from glassformer.objectives.table import evaluate
from glassformer.runs.run import Run, load
from glassformer.text.samples import Pair
from glassformer.text.token_kinds import END, START


@pytest.fixture
def answerer(tmp_path: Path) -> Run:
    return load(small_run(tmp_path / "run", "answers").path)


def test_an_answer_follows_the_mark_that_training_put_there(answerer: Run) -> None:
    prompt = "3 1 2 ="
    ids = [*answerer.tokens.encode(prompt).ids, START]
    wanted = greedy(Continuation(answerer.model, [ids]), Stop(longest=19, endings=((END,),)))[0]  # type: ignore[arg-type]
    found = answerer.predict([prompt, "9 9 ="], longest=19)
    assert found[0] == Written(answerer.tokens.decode(wanted.body))
    assert "".join(answerer.stream(prompt, longest=19)) == found[0].text  # type: ignore[union-attr]


def test_answers_are_scored_as_a_whole_and_by_the_piece(answerer: Run) -> None:
    test = small_corpus("answers").test
    scores = answerer.evaluate()
    assert scores["exact"] == 0.0  # nobody has taught it
    assert scores["perplexity"] == pytest.approx(math.exp(scores["loss"]))
    pair = test[0]
    assert isinstance(pair, Pair)
    found = answerer.predict([pair.source], longest=19)[0]
    told = Pair(pair.source, found.text)  # type: ignore[union-attr]
    scored = evaluate(answerer.model, answerer.card, answerer.tokens, [told, told, pair], how=Writing(longest=19))
    assert scored["exact"] == pytest.approx(2 / 3)
    assert scored["exact_interval"][0] <= 2 / 3 <= scored["exact_interval"][1]
