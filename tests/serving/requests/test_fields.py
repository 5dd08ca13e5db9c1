"""The fields of a request: read as they are documented, and refused in words."""

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.errors import InputError
from glassformer.serving.requests import fields
from glassformer.serving.requests.fields import Field, listed, read_fields, schema_of

KNOWN: dict[str, Field] = {
    "name": fields.a_text("A name.", longest=5),
    "input": fields.texts("Texts.", most=3),
    "count": fields.whole("How many.", least=1, most=7, default=2),
    "share": fields.number("A share.", least=0.0, most=1.0),
    "loud": fields.flag("Loud."),
    "kind": fields.one_of("Which.", ["a", "b"], default="a"),
    "zero": fields.one_of("Only 0.", [0]),
    "stop": fields.words("Stops.", most=2, longest=4),
    "more": fields.mapping_of("More.", {"deep": fields.flag("")}),
}


def test_what_is_left_out_or_null_has_its_default() -> None:
    usual = {
        "name": None, "input": "x", "count": 2, "share": None, "loud": False, "kind": "a", "zero": None, "stop": None,
        "more": None,
    }  # fmt: skip
    assert read_fields({"input": "x"}, KNOWN) == usual
    assert read_fields({**dict.fromkeys(KNOWN), "input": "x"}, KNOWN) == usual


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({}, "'input' must be a text, or a list of 1 to 3 texts"),
        ({"input": []}, "it is \\[\\]"),
        ({"input": ["a", ""]}, "not empty"),
        ({"input": "\ud800"}, "'input' must be"),
        ({"input": "a", "cuont": 1}, "no field called 'cuont'; did you mean 'count'"),
        ({"input": "a", "count": True}, "whole number from 1 to 7; it is True"),
        ({"input": "a", "count": 8}, "it is 8"),
        ({"input": "a", "count": 2.0}, "it is 2.0"),
        ({"input": "a", "share": float("nan")}, "number from 0 to 1; it is nan"),
        ({"input": "a", "share": True}, "it is True"),
        ({"input": "a", "loud": 1}, "true or false; it is 1"),
        ({"input": "a", "zero": False}, "must be 0, or left out; it is False"),
        ({"input": "a", "stop": ["a", "b", "c"]}, "at most 2 texts"),
        ({"input": "a", "stop": ""}, "of 1 to 4 characters"),
        ({"input": "a", "more": {"x": 1}}, "an object with deep"),
        ({"input": "a", "name": "x" * 100}, "…"),
    ],
)
def test_what_is_not_as_expected_is_refused(content: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_fields(content, KNOWN)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.floats(allow_nan=False) | st.text(max_size=7),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["deep", "x"]), inner, max_size=2),
    max_leaves=5,
)


@given(content=st.dictionaries(st.sampled_from([*KNOWN, "strange"]), VALUES, max_size=4))
def test_the_schema_allows_exactly_what_is_read(content: dict[str, Any]) -> None:
    """A whole number may be written 2.0 in a schema's eyes; we want 2."""

    def has_whole_floats(value: Any) -> bool:
        return isinstance(value, float) and value.is_integer()

    allowed = jsonschema.Draft202012Validator(schema_of(KNOWN)).is_valid(content)
    try:
        read_fields(content, KNOWN)
        assert allowed
    except InputError:
        assert not allowed or any(has_whole_floats(each) for each in content.values())


def test_one_text_or_several_are_a_list() -> None:
    assert (listed("a"), listed(["a", "b"]), listed(None)) == (["a"], ["a", "b"], [])
