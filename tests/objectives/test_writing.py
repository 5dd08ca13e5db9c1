"""What a model writes: the pieces add up, stop at a stop, and go on beyond what it looks back on."""

import pytest
from helpers.small_runs import TEXT, language_run

from glassformer.models.language_model import Continuation
from glassformer.models.sampling import Stop, greedy
from glassformer.objectives.predictions import Written
from glassformer.runs.run import Run
from glassformer.text.token_kinds import END


@pytest.mark.parametrize("scorer", ["dot product", "random synthesizer"])
def test_prompts_of_any_length_are_answered_by_any_scorer(scorer: str) -> None:
    run = language_run("answers", scorer=scorer)
    texts = ["the cat", "a", "the dog sat", "mat"]
    together = run.predict(texts, longest=5)
    assert together == [run.predict([text], longest=5)[0] for text in texts]


def endless_run() -> Run:
    """No end is ever written: a model that nobody taught comes to one by chance, and soon."""
    run = language_run()
    run.tokens.end = 10**6
    return run


def test_what_is_written_goes_on_beyond_what_the_model_can_look_back_on() -> None:
    run = endless_run()
    pieces = list(run.stream("the cat", longest=101, seed=3))
    written = run.predict(["the cat"], longest=101, seed=3)[0]
    assert "".join(pieces) == written.text  # type: ignore[union-attr]
    assert len(pieces) > 40
    assert run.predict(["a", "the cat"], longest=7, seed=2)[1] == run.predict(["the cat"], longest=7, seed=3)[0]
    assert run.predict([TEXT], longest=7)[0] == run.predict([TEXT[-23:]], longest=7)[0]


@pytest.mark.parametrize("kind", ["character", "word", "bpe", "byte-bpe"])
def test_pieces_add_up_to_the_text_whatever_it_is_cut_into(kind: str) -> None:
    run = language_run(kind=kind)
    ids = run.tokens.encode("the cat").ids
    pieces = list(run.stream("the cat", longest=31, temperature=0))
    wanted = greedy(Continuation(run.model, [list(ids)]), Stop(longest=10, endings=((END,),)))[0]  # type: ignore[arg-type]
    whole = run.tokens.decode([*ids, *wanted.body])
    assert (run.tokens.decode(ids) + "".join(pieces)).startswith(whole[:-1])


def test_writing_stops_at_a_stop_and_never_shows_a_part_of_it() -> None:
    run = endless_run()
    free = "".join(run.stream("the cat", longest=60, seed=1))
    stop = free[20:23]
    pieces = list(run.stream("the cat", longest=60, seed=1, stop=(stop,)))
    assert "".join(pieces) == free[: free.index(stop)]
    assert run.predict(["the cat"], longest=60, seed=1, stop=(stop,)) == [Written(free[: free.index(stop)])]
