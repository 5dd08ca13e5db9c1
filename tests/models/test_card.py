"""The card of a model: to plain data and back, and every wrong word refused."""

from typing import Any

import pytest

from glassformer import __version__
from glassformer.errors import InputError
from glassformer.models.card import FORMAT, Card
from glassformer.models.config import LanguageModelConfig, to_dict


def card(**changed: Any) -> Card:
    known = {
        "task": "generate", "model": "modern", "config": to_dict(LanguageModelConfig(positions="alibi")),
        "objective": "stream", "longest": 23, "parents": ("a run",),
    }  # fmt: skip
    return Card(**{**known, **changed})


def test_a_card_goes_to_data_and_back() -> None:
    content = card().to_dict()
    assert content["parents"] == ["a run"]
    assert (content["format"], content["version"]) == (FORMAT, __version__)
    assert Card.from_dict(content) == card()
    assert card().settings == LanguageModelConfig(positions="alibi")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"model": "modrn"}, "did you mean 'modern'"),
        ({"longest": 0}, "a length are 1 or more"),
        ({"longest": "23"}, "`longest` must be a int; it is '23'"),
        ({"config": {"positions": "spiral"}}, "positions cannot be 'spiral'"),
        ({"config": {"widht": 3}}, "did you mean 'width'"),
        ({"format": FORMAT + 1}, f"reads formats up to {FORMAT}"),
    ],
)
def test_a_wrong_word_of_a_card_is_named(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        card(**changed)


def test_a_card_says_what_it_must_and_nothing_else() -> None:
    content = card().to_dict()
    with pytest.raises(InputError, match="has no 'colour'"):
        Card.from_dict({**content, "colour": "red"})
    del content["longest"]
    with pytest.raises(InputError, match="says its longest; this one does not"):
        Card.from_dict(content)
