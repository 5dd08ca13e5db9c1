"""The data of a run are named again, whatever was said of them."""

import shlex

from glassformer.models.card import Card
from glassformer.runs.pasting import pasteable
from glassformer.runs.same_data import same_data

CARD = Card(
    task="classify", model="ngrams", config={"vocabulary": 9, "classes": 2}, objective="classes", longest=8, data="odd"
)


def test_all_that_was_said_of_the_data_is_said_again() -> None:
    data = {
        "source": "my data.csv", "columns": {"text": "Was war?", "label": "Urteil :)"}, "encoding": "cp1252",
        "valid": "it's.csv", "limit": 50, "without": ["a b", "-c"], "seed": 7,
    }  # fmt: skip
    words = same_data({"data": data}, CARD)
    assert words == [
        "my data.csv", "--text", "Was war?", "--label", "Urteil :)", "--valid", "it's.csv", "--encoding", "cp1252",
        "--limit", "50", "--without", "a b", "--without=-c", "--seed", "7",
    ]  # fmt: skip
    assert shlex.split(pasteable(words)) == words


def test_nothing_is_said_that_was_not() -> None:
    assert same_data({"data": {"source": "negation", "seed": 0}}, CARD) == ["negation"]
    assert same_data({}, CARD) == ["odd"]
