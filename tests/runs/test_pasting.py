"""Commands that are printed can be pasted: a shell takes from them the words that were meant."""

import shlex

from hypothesis import given
from hypothesis import strategies as st

from glassformer.runs.pasting import pasteable


def test_only_what_needs_quotes_has_them() -> None:
    assert pasteable(["glassformer", "certify", "runs/dates-2"]) == "glassformer certify runs/dates-2"
    assert pasteable(["predict", "my runs/it's", "a text"]) == 'predict "my runs/it\'s" "a text"'
    assert pasteable(["predict", 'say "no"', "", "$5"]) == "predict 'say \"no\"' \"\" '$5'"


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"))))
def test_a_shell_takes_them_apart_as_they_were(words: list[str]) -> None:
    assert shlex.split(pasteable(words)) == words
