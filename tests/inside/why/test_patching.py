"""Patching: nothing but what is put there changes, and with everything put there the pass is the twin's."""

import pytest
import torch
from helpers.small_models import small

from glassformer.inside.why.margins import Margin, Prompted, margin_of
from glassformer.inside.why.patching import patched_parts, patched_stages
from glassformer.models.registry import MODELS
from glassformer.stages.recorder import record

TEXT, TWIN = (5, 7, 11, 6, 17), (5, 7, 13, 6, 17)
WRITTEN = (2, 9, 8)


def asked(name: str) -> tuple[Margin, Prompted, Prompted]:
    family = MODELS[name].family
    written = WRITTEN if family == "translator" else ()
    return margin_of(small(name), family).between(1, 2), Prompted(TEXT, written), Prompted(TWIN, written)


@pytest.mark.parametrize("name", ["attention", "transformer", "bert", "gpt", "modern", "translator", "rnn"])
def test_the_whole_of_a_stage_makes_the_twin(name: str) -> None:
    margin, given, twin = asked(name)
    read = tuple(range(len(TEXT)))
    groups = [read, tuple(range(len(TEXT), len(given.places)))] if given.written else [read]
    stages = patched_stages(margin, given, twin, groups)
    whole, top = float(margin.of_ids([twin])[0]), int(margin.logits([twin])[0].argmax())
    for stage in stages:
        if not stage.address.startswith(("target", "decoder")):  # there the source is still the text's
            assert stage.margins == pytest.approx([whole], abs=1e-10), stage.title
            assert stage.tops == (top,)
    blocks = {"attention": 1, "rnn": 0, "translator": 4}.get(name, 2)
    assert len(stages) == blocks + (2 if given.written else 1)


def test_at_first_only_the_changed_place_differs() -> None:
    margin, given, twin = asked("transformer")
    first, after, _ = patched_stages(margin, given, twin, [(place,) for place in range(5)])
    here, there = (float(margin.of_ids([each])[0]) for each in (given, twin))
    assert first.margins == pytest.approx([here, here, there, here, here], abs=1e-10)
    assert len({round(each, 6) for each in after.margins}) == 5
    assert (first.title, after.title) == ("embedding", "after encoder · block 1")


def test_it_is_what_writing_the_stage_does() -> None:
    margin, given, twin = asked("gpt")
    stage = patched_stages(margin, given, twin, [(3, 4)])[1]
    _, other = record(margin.model, torch.tensor([TWIN]))

    def change(rows: torch.Tensor) -> torch.Tensor:
        rows[:, 3:] = torch.from_numpy(other["blocks.0.feed_forward.added"])[:, 3:]
        return rows

    logits, _ = record(margin.model, torch.tensor([TEXT]), write={"blocks.0.feed_forward.added": change})
    assert stage.margins == pytest.approx([float(logits[0, -1, 1] - logits[0, -1, 2])], abs=1e-10)


def test_every_head_and_network_by_itself() -> None:
    margin, given, twin = asked("translator")
    parts = patched_parts(margin, given, twin)
    assert len(parts) == (3 + 1) * 2 + (3 + 3 + 1) * 2
    usual = float(margin.of_ids([given])[0])
    titles = {part.title: part.margin for part in parts}
    assert titles["encoder · block 1 · self-attention · head 2"] != pytest.approx(usual, abs=1e-6)
    assert titles["decoder · block 1 · self-attention · head 2"] == pytest.approx(usual, abs=1e-10)  # it saw no source
