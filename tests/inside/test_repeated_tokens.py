"""Random tokens that come twice: they do, none is special, and a look at them is the model's own."""

import pytest
from helpers.small_runs import language_run

from glassformer.errors import InputError
from glassformer.inside.repeated_tokens import repeated_looks
from glassformer.text.token_kinds import SPECIAL


def test_every_token_comes_twice_in_the_same_order() -> None:
    run = language_run()
    looks = list(repeated_looks(run.model, run.tokens, 14, 3))
    rows = [look.trace["ids"][0].tolist() for look in looks]
    assert len({tuple(row) for row in rows}) == 3
    for row in rows:
        assert row[:7] == row[7:]
        assert len(set(row)) == 7
        assert min(row) >= len(SPECIAL)
    assert looks[0].texts.own == tuple(run.tokens.strings(rows[0]))
    again = next(repeated_looks(run.model, run.tokens, 14, 1))
    assert again.trace["ids"][0].tolist() == rows[0]


def test_where_there_is_no_room_that_is_said() -> None:
    run = language_run()
    with pytest.raises(InputError, match="need room for 4"):
        next(repeated_looks(run.model, run.tokens, 3, 1))
