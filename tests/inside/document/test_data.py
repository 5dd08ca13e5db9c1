"""What a page is given to draw: every number true, every formula whole, nothing that could run or be fetched."""

import json

import numpy as np
import pytest
from helpers.looks import (
    LABELS,
    four_layers,
    names,
    numbers_of,
    random_look,
    small_look,
    stages_by_address,
)
from helpers.small_models import SMALL, small
from numpy.typing import NDArray

from glassformer.errors import InputError
from glassformer.inside.document import packing
from glassformer.inside.document.data import stage_numbers, view_data
from glassformer.inside.looks import (
    Look,
    look_at_classifier,
)
from glassformer.stages.arithmetic import OPERATIONS
from glassformer.stages.trace import Trace

Numbers = dict[str, NDArray[np.float64]]

# --- the numbers are the core's -----------------------------------------------------------------------------------


def close(left: NDArray[np.float64], right: NDArray[np.float64]) -> bool:
    return bool(np.allclose(left, right, rtol=1e-6, atol=1e-6, equal_nan=True))


@pytest.mark.parametrize("seed", range(50))
def test_every_number_is_the_cores_and_the_blocks_output_follows_from_what_is_shown(seed: int) -> None:
    look = random_look(seed)
    shown = numbers_of(json.loads(json.dumps(view_data(look), allow_nan=False)))
    assert shown.keys() == set(look.trace)
    for address, values in shown.items():
        assert close(values, look.trace[address].astype(np.float64)), address
    outputs = [entry.scope for entry in look.trace.entries.values() if entry.stage.name == "output"]
    assert outputs
    for scope in outputs:
        weights, values = shown[scope + "weights"], shown[scope + "values"]
        mixed = weights @ np.repeat(values, weights.shape[1] // values.shape[1], axis=1)  # B H Tq V
        joined = np.concatenate([mixed[:, head] for head in range(mixed.shape[1])], axis=-1)
        output = joined @ shown[scope + "output_weight"] if scope + "output_weight" in shown else joined
        output = output + shown.get(scope + "output_bias", np.zeros(()))
        assert np.abs(output - shown[scope + "output"]).max() <= 1e-6 * max(1.0, np.abs(output).max())


def test_a_document_without_packing_says_the_same() -> None:
    look = small_look("transformer")
    for stage in view_data(look, packed=False)["stages"]:
        if stage["numbers"] is not None:
            one = stage_numbers(look, stage["address"])
            assert stage["numbers"] == one
            assert set(one) == {"kind", "base64"}


def test_a_head_can_be_asked_for_by_itself() -> None:
    look = small_look("gpt")
    address = "blocks.1.self.weights"
    later = stages_by_address(view_data(look, later=True))
    assert later[address]["numbers"] is None
    assert later[address]["why"] == "later"
    assert later["blocks.1.self.queries"]["numbers"] is not None
    one = packing.encoded_array(look.trace[address][:, 2])
    assert stage_numbers(look, address, 2) == one


# --- small enough, and honest about it ----------------------------------------------------------------------------


def test_what_does_not_fit_is_left_out_and_says_so() -> None:
    document = view_data(small_look("transformer"), limit=10_000_000)
    assert not document["rounded"]
    look = four_layers("gpt")
    document = view_data(look, limit=2_000_000)
    gone = [stage for stage in document["stages"] if stage["why"]]
    assert len(json.dumps(document, separators=(",", ":"))) <= 2_000_000
    assert document["rounded"]
    assert gone
    assert all(stage["operation"] == "given" and "Left out" in stage["why"] for stage in gone)
    with pytest.raises(InputError, match="as small as 1,000 bytes"):
        view_data(small_look("transformer"), limit=1000)


def test_of_a_large_vocabulary_only_the_words_at_hand_are_kept() -> None:
    document = view_data(four_layers("gpt"))
    stages = stages_by_address(document)
    kept = stages["embedding_weight"]["kept"]["0"]
    assert stages["logits"]["kept"]["2"] == kept == sorted(int(each) for each in document["texts"]["names"])
    assert stages["embedding_weight"]["shape"] == [500, 128]
    assert stages["embedding_weight"]["stored"] == [len(kept), 128]
    assert len(kept) < 300
    assert document["texts"]["names"][str(kept[0])] == f"w{kept[0]}"


# --- what is said of it -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SMALL)
def test_the_operations_come_along_that_the_stages_were_made_by(name: str) -> None:
    document = view_data(small_look(name))
    made = {stage["operation"] for stage in document["stages"]} - {"given", "written"}
    assert document["operations"].keys() == made
    assert made <= OPERATIONS.keys()


def test_long_texts_bring_small_pictures_of_their_heads() -> None:
    model = small("transformer", length=300)
    ids = [5 + i % 23 for i in range(101)]
    look = look_at_classifier(model, ids, names(ids), LABELS)
    part = next(part for part in view_data(look)["parts"] if part["heads"])
    assert part["small"]["shape"] == [3, 48, 48]
    assert view_data(small_look("transformer"))["parts"][1]["small"] is None


def test_a_trace_alone_can_be_looked_at() -> None:
    trace = small_look("gpt").trace
    document = view_data(Look(trace))
    assert all(label is None for stage in document["stages"] for label in stage["labels"])
    assert document["answer"] is None
    with pytest.raises(InputError, match="as small as"):
        view_data(Look(Trace()), limit=1)
