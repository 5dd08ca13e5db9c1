"""All models share one contract: ids and mask in, logits out, stages seen; padding and looking change nothing."""

import numpy as np
import pytest
import torch
from helpers.small_models import VOCABULARY, inputs, small

from glassformer.layers.positions import SCHEMES
from glassformer.models.registry import MODELS
from glassformer.stages.recorder import record

# Every model as it is, and those that attend with a bias on their scores.
ATTENDING = ("bare-attention", "attention", "transformer", "bert", "translator", "gpt", "modern")
KINDS = [(name, {}) for name in MODELS] + [
    (name, {"positions": kind}) for name in ATTENDING for kind in ("alibi", "t5")
]


@pytest.mark.parametrize(("name", "settings"), KINDS, ids=str)
def test_looking_changes_nothing_and_every_number_explains_itself(name: str, settings: dict[str, str]) -> None:
    model = small(name, **settings).double()
    answer, trace = record(model, *inputs(name))
    assert torch.equal(answer, model(*inputs(name)))
    generator = np.random.default_rng(1)
    for address in trace:
        shape = trace[address].shape
        for _ in range(3):
            index = tuple(int(generator.integers(size)) for size in shape)
            why = trace.explain(address, index)
            if address == "states" and why.number == 0:
                continue  # padding after the last word
            assert why.result == pytest.approx(why.number, rel=1e-12, abs=1e-12), (address, index)


@pytest.mark.parametrize(("name", "settings"), KINDS, ids=str)
@pytest.mark.parametrize("pads", [1, 3, 12])
def test_padding_and_company_say_nothing(name: str, settings: dict[str, str], pads: int) -> None:
    model = small(name, **settings)
    alone = [model(*(part[i : i + 1, : n if j < 2 else None] for j, part in enumerate(inputs(name))))
             for i, n in enumerate((11, 7, 4))]  # fmt: skip
    together = model(*inputs(name, pads=pads))
    for i, (one, n) in enumerate(zip(alone, (11, 7, 4), strict=True)):
        mine = together[i : i + 1, :n] if MODELS[name].family == "language model" else together[i : i + 1]
        torch.testing.assert_close(one, mine, rtol=0, atol=5e-6)


@pytest.mark.parametrize("name", ["translator", "gpt", "modern"])
@pytest.mark.parametrize("kind", SCHEMES)
def test_the_future_does_not_leak(name: str, kind: str) -> None:
    model = small(name, positions=kind)
    parts = inputs(name)
    ids = parts[-1] if name == "translator" else parts[0]
    before = model(*parts)
    for place in range(1, ids.shape[1]):
        changed = ids.clone()
        changed[:, place:] = (changed[:, place:] + 1) % VOCABULARY
        others = (*parts[:-1], changed) if name == "translator" else (changed, parts[1])
        assert torch.equal(model(*others)[:, :place], before[:, :place])


@pytest.mark.parametrize("name", ["translator", "gpt", "modern"])
def test_scores_only_where_they_count_are_the_same_scores(name: str) -> None:
    model, parts = small(name).double(), inputs(name)
    whole = model(*parts)
    counted = torch.rand(whole.shape[:2], generator=torch.Generator().manual_seed(7)) < 0.4
    some = model(*parts, counted=counted)
    assert some.shape == (int(counted.sum()), VOCABULARY)
    torch.testing.assert_close(some, whole[counted], rtol=0, atol=1e-12)
