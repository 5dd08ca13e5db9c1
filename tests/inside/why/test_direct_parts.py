"""Blocks and heads: exact for every model with a stream of rows; a head or a network off is really off."""

import pytest
import torch
from helpers.small_models import small

from glassformer.inside.why.direct_parts import direct_parts, part_title, switched_off
from glassformer.inside.why.margins import Margin, Prompted, margin_of
from glassformer.models.registry import MODELS
from glassformer.stages.recorder import record

STREAMS = ["bare-attention", "attention", "transformer", "bert", "translator", "gpt", "modern"]


def asked(name: str, **settings: object) -> tuple[Margin, Prompted]:
    family = MODELS[name].family
    return margin_of(small(name, **settings), family).between(1, 2), Prompted(
        (5, 7, 11, 6, 17), (2, 9, 8) if family == "translator" else ()
    )


@pytest.mark.parametrize("name", STREAMS)
def test_the_parts_are_the_margin(name: str) -> None:
    margin, given = asked(name)
    found = direct_parts(margin, given)
    assert found is not None
    whole = float(margin.of_ids([given])[0])
    assert sum(part.value for part in found.parts) == pytest.approx(whole, abs=1e-10)
    assert sum(found.blocks.values()) == pytest.approx(whole, abs=1e-10)
    assert abs(found.error) < 1e-10


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary", "alibi", "t5"])
@pytest.mark.parametrize("norm", ["rms", "layer"])
def test_also_for_other_positions_and_norms(positions: str, norm: str) -> None:
    margin, given = asked("gpt", positions=positions, norm=norm)
    found = direct_parts(margin, given)
    assert found is not None
    assert abs(found.error) < 1e-10
    assert ("positions" in {part.title for part in found.parts}) == (positions in ("sinusoidal", "learned"))


def test_with_a_pencil() -> None:
    """What a feed-forward network adds: its last row over the norm's scale, times the difference of two columns."""
    margin, given = asked("modern")
    found = direct_parts(margin, given)
    model = margin.model
    _, trace = record(model, torch.tensor([given.ids]))
    row = torch.from_numpy(trace["blocks.1.feed_forward.contracted"][0, -1])
    scale = (trace["final_norm.mean_square"][0, -1] + float(trace["final_norm.epsilon"])) ** 0.5
    columns = model.get_parameter("head.linear.weight")
    by_hand = (row / scale * model.get_parameter("final_norm.weight")) @ (columns[1] - columns[2])
    assert found is not None
    part = {part.title: part.value for part in found.parts}["block 2 · feed-forward"]
    assert part == pytest.approx(float(by_hand), abs=1e-12)


@pytest.mark.parametrize("name", ["rnn", "conv", "mlp"])
def test_without_a_stream_there_are_none(name: str) -> None:
    margin, given = asked(name)
    assert direct_parts(margin, given) is None
    assert switched_off(margin, given) == {}


@pytest.mark.parametrize("name", STREAMS)
def test_what_is_off_is_really_off(name: str) -> None:
    margin, given = asked(name)
    found = switched_off(margin, given)
    whole = float(margin.of_ids([given])[0])
    ids = torch.tensor([given.ids])
    inputs: tuple[torch.Tensor, ...] = (ids,)
    if margin.family != "language model":
        inputs += (torch.ones_like(ids, dtype=torch.bool),)
    if margin.family == "translator":
        inputs += (torch.tensor([given.written]),)
    for (address, head), (less, top) in list(found.items())[-2:]:  # a head, and where there is one a network

        def off(stage: torch.Tensor, head: int | None = head) -> torch.Tensor:
            stage[:, slice(None) if head is None else head] = 0.0
            return stage

        logits, _ = record(margin.model, *inputs, write={address: off})
        last = logits.flatten(0, -2)[-1]
        assert less == pytest.approx(whole - float(last[1] - last[2]), abs=1e-10)
        assert top == int(last.argmax())
    heads = {"translator": 18, "bare-attention": 1, "attention": 3}
    networks = {"translator": 4, "bare-attention": 0, "attention": 0}
    assert sum(head is not None for _, head in found) == heads.get(name, 6)
    assert sum(head is None for _, head in found) == networks.get(name, 2)


def test_heads_are_counted_from_one_and_a_network_goes_by_its_block() -> None:
    assert part_title("encoder.0.self.mixed", 0) == "encoder · block 1 · self-attention · head 1"
    assert part_title("mixed", 2) == "head 3"
    assert part_title("blocks.1.feed_forward.contracted", None) == "block 2 · feed-forward"
