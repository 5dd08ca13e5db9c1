"""How an answer may be asked for, and texts as rows of ids."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.small_runs import small_run

from glassformer.errors import InputError
from glassformer.objectives.predictions import Classified, Translated, Writing, Written, encoded, ids_of, together
from glassformer.runs.run import load
from glassformer.text.token_kinds import UNKNOWN
from glassformer.text.tokens import Tokens

TOKENS = Tokens.train("word", ["a cat sat"], min_frequency=1)


def test_an_answer_in_words() -> None:
    assert Classified("good", {"good": 0.75, "bad": 0.25}).said == "good"
    assert (Translated("eine Katze", -0.5).said, Written("a cat").said) == ("eine Katze", "a cat")


def test_a_text_ends_before_the_first_stop() -> None:
    how = Writing(stop=("sat", "cat"))
    assert how.ended("the cat sat") == ("the ", True)
    assert how.ended("the dog") == ("the dog", False)


def test_a_text_without_ids_is_one_unknown_token() -> None:
    assert ids_of(TOKENS, "").tolist() == [UNKNOWN]
    assert [len(row) for row in encoded(TOKENS, ["a cat", "", "sat"])] == [2, 1, 1]


def test_rows_of_like_length_go_together() -> None:
    rows = [np.zeros(length, dtype=np.int64) for length in (2, 5, 2, 3, 5)]
    assert sorted(map(sorted, together(rows, 10**6))) == [[0, 1, 2, 3, 4]]
    assert sorted(map(sorted, together(rows, 10**6, alike=True))) == [[0, 2], [1, 4], [3]]
    assert sorted(i for batch in together(rows, 4) for i in batch) == [0, 1, 2, 3, 4]  # a long row stands alone
    assert max(len(batch) for batch in together(rows, 4)) == 2


@pytest.mark.parametrize(("how", "said"), [({"beam": 0}, "`beam`"), ({"temperature": -1.0}, "it is -1.0")])
def test_a_way_to_write_that_is_none_is_refused(tmp_path: Path, how: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        load(small_run(tmp_path / "run", "answers").path).predict(["3 1 2"], **how)
