"""The objective *spans*: a gap is marked, and what was in it is written."""

from helpers.small_runs import language_run

from glassformer.objectives.predictions import Written
from glassformer.text.token_kinds import MASK, START


def test_a_gap_is_filled_where_it_is_marked_or_at_the_end() -> None:
    run = language_run("spans")
    a, b = run.tokens.encode("the ").ids, run.tokens.encode(" sat").ids
    assert run.objective.prompt(run.tokens, "the <mask> sat").tolist() == [*a, MASK, *b, START]
    assert run.objective.prompt(run.tokens, "the ").tolist() == [*a, MASK, START]
    assert isinstance(run.predict(["the <mask> sat"], longest=5)[0], Written)
