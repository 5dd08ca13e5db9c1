"""What a page asks: each field of the right kind and size."""

from collections.abc import Callable
from typing import Any

import pytest

from glassformer.errors import InputError
from glassformer.studio import asking


def test_fields_of_the_right_kind_are_taken_out() -> None:
    content: dict[str, Any] = {"t": "word", "n": 7, "x": 0.5, "at": [1, 0], "m": {"a": 1}, "s": [{}, {"b": 2}]}
    assert asking.text(content, "t") == asking.choice(content, "t", ["word"]) == "word"
    assert asking.text(content, "none", default="") == ""
    assert asking.whole(content, "n", least=7, most=7) == 7
    assert asking.number(content, "x") == 0.5
    assert asking.places(content, "at") == (1, 0)
    assert asking.mapping(content, "m") == {"a": 1}
    assert asking.texts({"two": ["a", "b"]}, "two", 2) == ["a", "b"]
    assert (asking.several(content, "s", most=2), asking.several(content, "none", most=2)) == ([{}, {"b": 2}], [])


@pytest.mark.parametrize(
    ("take", "value", "said"),
    [
        (asking.text, 7, "must be a text; it is 7"),
        (asking.text, "x" * 201, "has 201 characters; 200 are the most"),
        (lambda c, n: asking.choice(c, n, ["word"]), "wrod", "did you mean 'word'"),
        (lambda c, n: asking.whole(c, n, least=1, most=5), True, "whole number from 1 to 5; it is True"),
        (lambda c, n: asking.whole(c, n, least=1, most=5), 6, "it is 6"),
        (lambda c, n: asking.number(c, n, most=2.0), 2.5, "to 2; it is 2.5"),
        (asking.places, [1, -1], "one for each axis"),
        (asking.places, [True], "one for each axis"),
        (asking.mapping, [], "names and values"),
        (lambda c, n: asking.texts(c, n, 2), ["a", 7], "list of 2 texts"),
        (lambda c, n: asking.texts(c, n, 1), ["x" * 201], "200 are the most"),
        (lambda c, n: asking.several(c, n, most=1), [{}, {}], "at most 1 objects"),
    ],
)
def test_fields_of_another_kind_are_named(take: Callable[[Any, str], Any], value: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        take({"field": value}, "field")
