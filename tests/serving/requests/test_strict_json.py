"""JSON that strangers send: an object, finite numbers, each name once, not too deep."""

import pytest

from glassformer.errors import InputError
from glassformer.serving.requests.strict_json import read_json


def test_a_body_is_an_object() -> None:
    assert read_json(b'{"a": [1, 2.5, "x"]}') == {"a": [1, 2.5, "x"]}
    assert read_json(b"") == {}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"[1]", "must be an object"),
        (b"{", "not JSON"),
        (b"\xff", "not JSON"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": 1, "a": 2}', "stands twice"),
        (rb'{"a": ["\ud800"]}', "half a character"),
        (rb'{"\udfff": 1}', "half a character"),
        (b'{"a": ' + b"[" * 13 + b"]" * 13 + b"}", "more than 12 deep"),
    ],
)
def test_what_is_no_such_object_is_told_in_words(body: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_json(body)
