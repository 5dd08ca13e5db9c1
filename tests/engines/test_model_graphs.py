"""Every model of ours as ONNX graphs: the same logits within 1e-5, for every choice a config has."""

from typing import Any

import pytest
import torch
from helpers.small_models import SMALL, inputs, small

from glassformer.engines.layer_graphs import UnsupportedError
from glassformer.engines.model_graphs import graphs_of
from glassformer.engines.onnx_models import run_by_onnx
from glassformer.layers.attention import WEIGHERS
from glassformer.layers.blocks import ACTIVATIONS, NORMS
from glassformer.layers.positions import SCHEMES
from glassformer.models.language_model import SCORERS

NAMES = [name for name in SMALL if name != "ngrams"]


def difference(name: str, **settings: Any) -> float:
    model = small(name, **settings)
    other = run_by_onnx(model, graphs_of(model))
    alike = "synthesizer" in settings.get("scorer", "")
    given = inputs(name, (11, 11)) if alike else inputs(name, pads=2)
    with torch.inference_mode():
        mine, theirs = model(*given), other(*given)
    if name in ("gpt", "modern"):
        mine, theirs = mine[given[1]], theirs[given[1]]
    return float((mine - theirs).abs().max())


@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_the_same(name: str) -> None:
    assert difference(name) < 1e-5


@pytest.mark.parametrize("positions", SCHEMES)
@pytest.mark.parametrize("name", ["modern", "translator", "transformer"])
def test_with_every_kind_of_positions(name: str, positions: str) -> None:
    assert difference(name, positions=positions, width=12) < 1e-5


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_with_every_activation(activation: str) -> None:
    assert difference("gpt", activation=activation) < 1e-5


@pytest.mark.parametrize("weigher", WEIGHERS)
@pytest.mark.parametrize("scorer", SCORERS)
def test_with_every_scorer_and_weigher(scorer: str, weigher: str) -> None:
    settings = {} if scorer == "dot product" else {"positions": "learned", "query_key_norm": False}
    assert difference("modern", scorer=scorer, weigher=weigher, **settings) < 1e-5


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(
    "settings",
    [
        {"name": "modern", "kv_heads": 1}, {"name": "modern", "key_width": 6, "value_width": 5},
        {"name": "modern", "kv_heads": 1, "weigher": "sigmoid"}, {"name": "modern", "tied": False, "bias": True},
        {"name": "translator", "norm_first": False}, {"name": "translator", "scaled_embedding": False},
        {"name": "translator", "key_width": 3, "value_width": 5}, {"name": "transformer", "key_width": 4},
    ],
    ids=str,
)  # fmt: skip
def test_with_other_sizes(norm: str, settings: dict[str, Any]) -> None:
    assert difference(**settings, norm=norm) < 1e-5


def test_what_has_no_nodes_is_refused_in_words() -> None:
    with pytest.raises(UnsupportedError, match="n-grams in a sorted table"):
        graphs_of(small("ngrams"))
