"""A trace cut into parts that a person can find, and who stands on each axis."""

import pytest
from helpers.looks import small_look, stages_by_address

from glassformer.inside.document.data import view_data
from glassformer.inside.parts import Texts, title


def test_the_parts_of_a_translator_stand_in_two_columns() -> None:
    document = view_data(small_look("translator"))
    columns = {part["id"]: part["column"] for part in document["parts"]}
    assert columns["encoder.0.self"] == columns["source"] == "context"
    assert columns["decoder.0.cross"] == columns["target"] == columns["final_norm"] == "own"
    stages = stages_by_address(document)
    assert stages["decoder.0.cross.weights"]["labels"] == [None, None, "own", "context"]
    assert stages["decoder.0.self.weights"]["labels"] == [None, None, "own", "own"]
    assert stages["encoder.1.self.weights"]["labels"] == [None, None, "context", "context"]
    assert title("encoder.0.self") == "encoder · block 1 · self-attention"


@pytest.mark.parametrize("kind", ["alibi", "t5"])
def test_a_bias_has_heads_but_is_no_attention(kind: str) -> None:
    """It is made once beside the embedding, and every block shows it as the same."""
    document = view_data(small_look("transformer", positions=kind))
    first, second = document["parts"][:2]
    assert (first["title"], first["heads"], first["lanes"], first["pattern"]) == ("embedding", 3, None, None)
    assert "encoder.0.self.biased" in second["lanes"]["main"]
    assert stages_by_address(document)["encoder.1.self.bias"]["operands"] == ["bias"]


def test_the_lanes_lead_from_queries_keys_and_values_to_the_output() -> None:
    parts = {part["id"]: part for part in view_data(small_look("modern"))["parts"]}
    lanes = {
        name: [a.removeprefix("blocks.0.self.") for a in lane] for name, lane in parts["blocks.0.self"]["lanes"].items()
    }
    assert lanes == {
        "query": ["queries", "query_norm.normed", "rotated_queries"],
        "key": ["keys", "key_norm.normed", "rotated_keys"],
        "value": ["values"],
        "main": ["scores", "scaled", "masked", "weights", "mixed", "joined", "output", "added"],
        "from": ["inputs"],
    }
    assert parts["blocks.0.self"]["pattern"] == "blocks.0.self.weights"
    assert parts["blocks.0.feed_forward"]["lanes"] is None


def test_texts_say_who_stands_on_an_axis() -> None:
    texts = Texts(own=("a",), context=("b",), classes=("yes",), names={3: "c"})
    assert texts.on_axis("encoder.0.self.weights", "Tk", last=True, other=False) == "context"
    assert texts.on_axis("decoder.0.cross.weights", "Tk", last=True, other=True) == "context"
    assert texts.on_axis("decoder.0.cross.weights", "Tq", last=False, other=True) == "own"
    assert texts.on_axis("logits", "N", last=True, other=False) == "classes"
    assert texts.on_axis("embedding_weight", "N", last=False, other=False) == "names"
    assert texts.on_axis("x", "D", last=True, other=False) is None
