"""Sizes by formula, held against real modules: every weight, every operation, every number kept or remembered."""

from typing import Any

import pytest
import torch
from helpers.small_models import SIZES_IN_THE_NOTES
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from glassformer.layers.blocks import ACTIVATIONS, Gated
from glassformer.layers.positions import SCHEMES
from glassformer.models.registry import MODELS, build, configure
from glassformer.models.sizes import Sizes, count_parameters, sizes
from glassformer.stages.watchers import nothing


@pytest.mark.parametrize("name", SIZES_IN_THE_NOTES)
def test_the_notes_models_have_the_notes_sizes(name: str) -> None:
    assert count_parameters(name) == SIZES_IN_THE_NOTES[name]


def test_gpt_2_has_the_size_that_is_known_of_it() -> None:
    config = configure("gpt", vocabulary=50_257, width=768, length=1024, layers=12, heads=12, hidden=3072)
    assert count_parameters("gpt", config) == 124_439_808


def test_a_gate_from_outside_is_counted_with_its_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ACTIVATIONS, "data", dict(ACTIVATIONS.data))
    ACTIVATIONS.add("bilinear", Gated(lambda gate: gate))
    config = configure("gpt", activation="bilinear", vocabulary=17)
    assert count_parameters("gpt", config) == sum(each.numel() for each in build("gpt", config).parameters())


# --- configs of all kinds ----------------------------------------------------------------------------------------

PRIMES = st.sampled_from([2, 3, 5, 7, 11, 13])


@st.composite
def settings_for(draw: Any, name: str) -> dict[str, Any]:
    """Any settings of a model, small; widths are such that heads and pairs come out even."""
    found: dict[str, Any] = {"vocabulary": draw(st.sampled_from([17, 29, 31]))}
    heads = draw(st.sampled_from([1, 3, 6]))
    attending = {"heads": heads, "width": heads * draw(st.sampled_from([2, 4, 10])), "hidden": draw(PRIMES)}
    attending |= {"length": draw(st.sampled_from([19, 23])), "norm": draw(st.sampled_from(["layer", "rms"]))}
    attending |= {"positions": draw(st.sampled_from(sorted(SCHEMES)))}
    attending |= {"activation": draw(st.sampled_from(sorted(ACTIVATIONS)))}
    attending |= {"key_width": draw(st.sampled_from([0, 2, 14])), "value_width": draw(st.sampled_from([0, 5, 7]))}
    if MODELS[name].family == "classifier":
        found |= {"classes": draw(PRIMES)}
    if name in ("rnn", "gru", "bilstm"):
        found |= {"width": draw(PRIMES), "state": draw(PRIMES), "layers": draw(st.integers(1, 3))}
        cell = draw(st.sampled_from(["plain", "gru", "lstm"]))
        return found | {"lstm": cell == "lstm", "gru": cell == "gru", "both_ways": draw(st.booleans())}
    if name == "ngrams":
        return found | {"ngrams": draw(st.sampled_from([31, 101]))}
    if name == "mlp":
        return found | {"width": draw(PRIMES), "length": 19, "hidden": draw(st.lists(PRIMES, min_size=1, max_size=3))}
    if name in ("conv", "conv-pool"):
        filters = draw(st.lists(PRIMES, min_size=1, max_size=2))
        found |= {"width": draw(PRIMES), "length": 71, "filters": filters, "kernel": 5, "hidden": draw(PRIMES)}
        return found | {"stride": draw(st.sampled_from([1, 2, 3])), "pooled": draw(st.booleans())}
    if MODELS[name].family == "translator":
        layers = {"encoder_layers": draw(st.integers(1, 3)), "decoder_layers": draw(st.integers(1, 3))}
        return found | attending | layers | {"norm_first": draw(st.booleans()), "bias": draw(st.booleans())}
    if MODELS[name].family == "classifier":
        depth = {"layers": draw(st.integers(0, 3)), "learned": draw(st.booleans()), "bias": draw(st.booleans())}
        if not depth["layers"] and not depth["learned"]:  # bare: queries, keys and values are the rows themselves
            depth |= {"key_width": 0, "value_width": 0}
        return found | attending | depth
    scorer = draw(st.sampled_from(["dot product", "dense synthesizer", "random synthesizer"]))
    if scorer != "dot product" and attending["positions"] == "rotary":
        attending["positions"] = "none"  # there is nothing to turn
    found |= {"kv_heads": draw(st.sampled_from([k for k in (0, 1, 3) if k == 0 or heads % k == 0])), "scorer": scorer}
    found |= {"query_key_norm": scorer == "dot product" and draw(st.booleans()), "tied": draw(st.booleans())}
    return found | attending | {"layers": draw(st.integers(1, 3)), "bias": draw(st.booleans())}


def reckoned(text: str, letters: dict[str, int]) -> int:
    """What a printed formula comes to; C₁ is C1 to Python."""
    plain = str.maketrans("₁₂₃₄₅₆₇₈₉₀", "1234567890")
    values = {sign.translate(plain): value for sign, value in letters.items()}
    return int(eval(text.replace(",", "").replace("·", "*").translate(plain), {"__builtins__": {}}, values))


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=25)
@given(data=st.data())
def test_the_rows_sum_to_the_real_module(name: str, data: Any) -> None:
    config = configure(name, **data.draw(settings_for(name)))
    with torch.device("meta"):
        real = sum(weight.numel() for weight in build(name, config).parameters())
    found = sizes(name, config)
    assert found.parameters == real
    assert count_parameters(name, config) == real
    for row in found.rows:
        assert reckoned(row.numbers, {}) == row.count, row
        assert reckoned(row.formula, found.letters) == row.count, row


def copying(name: str, value: Any, how: str = "") -> Any:
    """What is rewritten runs step by step: torch counts no operations inside its kernel for processors."""
    return value.clone()


def texts(name: str, tokens: int, rows: int = 2) -> tuple[Tensor, ...]:
    ids = torch.randint(5, 17, (rows, tokens))
    real = torch.ones(rows, tokens, dtype=torch.bool)
    return {"classifier": (ids, real), "translator": (ids, real, ids), "language model": (ids,)}[MODELS[name].family]


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=7)
@given(data=st.data())
def test_the_work_is_what_torch_counts(name: str, data: Any) -> None:
    chosen = data.draw(settings_for(name))
    chosen |= {"lstm": False} if "lstm" in chosen else {}  # torch counts nothing inside an LSTM
    config = configure(name, **chosen)
    tokens = data.draw(st.sampled_from([7, 13]))
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        # a recurrent layer that is watched is worked a second time, for the eye
        build(name, config).eval()(*texts(name, tokens), see=nothing if "lstm" in chosen else copying)
    assert counter.get_total_flops() == 2 * sizes(name, config, tokens=tokens).forward


def test_a_step_of_training_is_three_times_the_work() -> None:
    config = configure("gpt", vocabulary=17, width=12, heads=3, hidden=7, layers=2)  # drops, so it runs step by step
    model = build("gpt", config).train()
    with FlopCounterMode(display=False) as counter:
        model(*texts("gpt", 11)).sum().backward()
    told = sizes("gpt", config, tokens=11).to_dict()["flops"]
    assert counter.get_total_flops() == 2 * 11 * told["training_per_token"]


# --- memory ------------------------------------------------------------------------------------------------------


def kept_by(model: nn.Module, inputs: tuple[Tensor, ...]) -> float:
    """Numbers that torch keeps for the way back, weights aside; each piece of memory once."""
    weights = {tensor.untyped_storage().data_ptr() for tensor in (*model.parameters(), *model.buffers())}
    held: list[Tensor] = []  # so that no memory is used twice

    def hold(tensor: Tensor) -> Tensor:
        held.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(hold, lambda tensor: tensor):
        model(*inputs)
    sizes_by_place = {tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in held}
    return sum(size for place, size in sizes_by_place.items() if place not in weights) / 4


MIDDLING: list[tuple[str, dict[str, Any]]] = [
    ("ngrams", {}),
    ("ngrams", {"classes": 5}),
    ("rnn", {}),
    ("rnn", {"layers": 2, "both_ways": True}),
    ("gru", {}),
    ("gru", {"layers": 2, "both_ways": True}),
    ("bilstm", {}),
    ("bilstm", {"layers": 1, "both_ways": False}),
    ("mlp", {"length": 97}),
    ("conv", {"length": 97}),
    ("conv-pool", {"length": 97}),
    ("bare-attention", {}),
    ("attention", {}),
    ("transformer", {"layers": 2}),
    ("transformer", {"layers": 2, "attention_dropout": 0.1}),
    ("bert", {}),
    ("bert", {"layers": 2, "embedding_norm": False, "pooler": False}),
    ("modern", {"qkv_bias": True, "kv_heads": 2}),
    ("transformer", {"layers": 2, "dropout": 0.0, "positions": "rotary", "activation": "swiglu"}),
    ("transformer", {"layers": 2, "activation": "geglu"}),
    ("transformer", {"layers": 2, "activation": "reglu"}),
    ("attention", {"positions": "alibi"}),
    ("bare-attention", {"positions": "alibi"}),
    ("transformer", {"layers": 2, "positions": "alibi"}),
    ("transformer", {"layers": 2, "positions": "t5"}),
    ("transformer", {"layers": 2, "positions": "t5", "attention_dropout": 0.1}),
    ("translator", {"positions": "alibi"}),
    ("translator", {"positions": "t5"}),
    ("translator", {}),
    ("translator", {"dropout": 0.0, "norm_first": False, "norm": "rms"}),
    ("gpt", {}),
    ("gpt", {"attention_dropout": 0.0, "scorer": "dense synthesizer"}),
    ("gpt", {"attention_dropout": 0.0, "scorer": "random synthesizer"}),
    ("modern", {}),
    ("modern", {"key_width": 22, "value_width": 7}),
    ("transformer", {"layers": 2, "key_width": 22, "value_width": 7}),
    ("translator", {"key_width": 22, "value_width": 7}),
    ("modern", {"positions": "alibi"}),
    ("modern", {"positions": "t5", "kv_heads": 2}),
    ("modern", {"dropout": 0.1, "attention_dropout": 0.1, "kv_heads": 2}),
    ("modern", {"weigher": "sigmoid", "activation": "squared relu"}),
]


@pytest.mark.parametrize(("name", "chosen"), MIDDLING, ids=str)
def test_what_training_keeps_is_told_within_a_tenth(name: str, chosen: dict[str, Any]) -> None:
    config = configure(name, vocabulary=17, **chosen)
    real = kept_by(build(name, config).train(), texts(name, 97)) / 2
    assert sizes(name, config, tokens=97).kept == pytest.approx(real, rel=0.1)


@pytest.mark.parametrize("scorer", ["dot product", "dense synthesizer", "random synthesizer"])
def test_what_writing_remembers_is_the_cache(scorer: str) -> None:
    chosen = {"width": 24, "heads": 6, "kv_heads": 3, "layers": 3, "scorer": scorer, "vocabulary": 17, "length": 13}
    config = configure("gpt", **chosen)
    model = build("gpt", config).eval()
    cache = model.new_cache()
    model(torch.randint(17, (1, 11)), cache=cache)
    real = sum(block.own.keys.numel() + block.own.values.numel() for block in cache)
    assert real == 11 * sizes("gpt", config).remembered


def test_a_translator_remembers_both_sides_alike() -> None:
    config = configure("translator", width=12, heads=3, vocabulary=17, decoder_layers=3)
    model = build("translator", config).eval()
    ids = torch.randint(17, (1, 11))
    real, cache = torch.ones(1, 11, dtype=torch.bool), model.new_cache()
    model.decode(ids[:, :7], model.encode(ids, real), real, cache=cache)
    told = sizes("translator", config).remembered
    assert sum(block.own.keys.numel() + block.own.values.numel() for block in cache) == 7 * told
    assert sum(block.cross.keys.numel() + block.cross.values.numel() for block in cache) == 11 * told


# --- as plain data ------------------------------------------------------------------------------------------------


def test_plain_data_carries_all() -> None:
    found: Sizes = sizes("modern", tokens=100)
    content = found.to_dict()
    assert content["parameters"] == sum(row["count"] for row in content["table"]) == 1_082_752
    assert content["memory"]["weights"] == 4 * 1_082_752
    assert content["memory"]["optimizer"] == 8 * 1_082_752
    assert content["memory"]["cache_per_token"] == 4 * 4 * 2 * 128  # bytes · blocks · keys and values · width
    assert content["flops"]["forward_per_token"] * 100 == content["flops"]["forward"]
    assert content["letters"] == {"N": 256, "D": 128, "L": 4, "H": 4, "K": 32, "V": 32, "F": 512}
