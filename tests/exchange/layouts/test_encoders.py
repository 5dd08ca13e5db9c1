"""BERT and RoBERTa: the row of the segment goes into the positions, and RoBERTa's first two rows go."""

from dataclasses import replace

import pytest
import torch

from glassformer.errors import InputError
from glassformer.exchange.foreign_config import ForeignConfig
from glassformer.exchange.layouts.encoders import SEGMENTS
from glassformer.exchange.layouts.table import LAYOUTS
from glassformer.models.registry import configure

CONFIG = configure("bert", vocabulary=29, width=6, layers=1, heads=3, hidden=13, length=5)


def test_the_first_segment_is_added_to_every_position() -> None:
    table, segments = torch.arange(30.0).view(5, 6), torch.tensor([[1.0] * 6, [100.0] * 6])
    state = {"order.rows.table": table, SEGMENTS: segments}
    assert torch.equal(LAYOUTS["BertModel"].inward(state, CONFIG)["order.rows.table"], table + 1)
    assert torch.equal(LAYOUTS["RobertaModel"].inward(state, CONFIG)["order.rows.table"], table[2:] + 1)
    assert torch.equal(LAYOUTS["BertModel"].outward({}, CONFIG)[SEGMENTS], torch.zeros(2, 6))


def test_roberta_has_two_positions_fewer_than_it_says() -> None:
    told = {**LAYOUTS["BertModel"].told(CONFIG), "model_type": "roberta"}
    assert LAYOUTS["RobertaModel"].read(ForeignConfig(told)).settings["length"] == 3
    with pytest.raises(InputError, match="`pad_token_id` is 0; only 1 can be taken in"):  # it would be one fewer
        LAYOUTS["RobertaModel"].read(ForeignConfig({**told, "pad_token_id": 0}))


def test_a_width_that_is_said_twice_must_be_one() -> None:
    told = LAYOUTS["BertModel"].told(CONFIG)
    said = ForeignConfig({**told, "emb_size": 6})
    LAYOUTS["BertModel"].read(said)
    said.done()
    with pytest.raises(InputError, match="`emb_size` is 5; only 6"):
        LAYOUTS["BertModel"].read(ForeignConfig({**told, "emb_size": 5}))


def test_every_weight_has_its_place_once() -> None:
    slots = LAYOUTS["BertForSequenceClassification"].slots(CONFIG)
    ours = [name for slot in slots for name in slot.ours]
    assert len(ours) == len(set(ours))
    assert len({slot.theirs for slot in slots}) == len(slots)


def test_projections_without_a_bias_have_no_place_there() -> None:
    assert "bias is false (true there)" in LAYOUTS["BertModel"].misfits(replace(CONFIG, bias=False))
    assert not LAYOUTS["BertModel"].misfits(CONFIG)
