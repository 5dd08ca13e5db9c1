"""Tensors as bytes and back: every bit, what is shared once, and only what a config asks for."""

from pathlib import Path

import pytest
import torch

from glassformer.errors import InputError
from glassformer.models.config import LanguageModelConfig
from glassformer.models.registry import build, configure
from glassformer.models.weights import fitting, from_bytes, halved, outline, shared, to_bytes, widened
from glassformer.storage import DamagedError

FILE = Path("model.safetensors")
CONFIG = LanguageModelConfig(vocabulary=17, width=12, heads=3, hidden=7, layers=1, length=13, positions="t5")


def test_bytes_come_back_to_the_bit_and_what_was_shared_is_shared() -> None:
    state = build("modern", CONFIG).state_dict()
    content = to_bytes(state)
    again = from_bytes(content, FILE)
    assert all(torch.equal(again[name], state[name]) for name in state)
    assert shared(again) == shared(state) == {"head.linear.weight": "embedding.weight"}
    assert to_bytes(again) == content


@pytest.mark.parametrize("damaged", [b"", b"\0" * 8, b"\xff" * 64, to_bytes({"a": torch.ones(3)})[:-1]])
def test_what_is_no_file_of_weights_is_named(damaged: bytes) -> None:
    with pytest.raises(DamagedError, match=r"model\.safetensors"):
        from_bytes(damaged, FILE)


def test_half_the_room_keeps_what_fits_into_it() -> None:
    state = {"whole": torch.tensor([1.0, -0.5, 2.0**-20]), "count": torch.tensor([3])}
    assert halved(state)["whole"].dtype == torch.float16
    assert widened(halved(state))["whole"].tolist() == [1.0, -0.5, 2.0**-20]
    assert halved(state)["count"].dtype == torch.int64


def test_an_outline_takes_no_memory_and_refuses_what_is_too_large() -> None:
    module = outline("modern", CONFIG)
    assert all(weight.is_meta for weight in module.parameters())
    with pytest.raises(InputError, match="at most 1,000,000,000 are built"):
        outline("modern", LanguageModelConfig(vocabulary=2**24, width=128))


def test_weights_fit_by_name_shape_and_kind() -> None:
    state, module = build("modern", CONFIG).state_dict(), outline("modern", CONFIG)
    assert fitting(state, module).keys() == state.keys()
    name = "order.biases.decoder.weight"
    for wrong, said in (
        ({key: value for key, value in state.items() if key != name}, f"'{name}' is missing"),
        ({**state, "more": torch.ones(1)}, "'more' belongs to no part"),
        ({**state, name: state[name][1:]}, r"shape \[31, 3\] .* needs \[32, 3\]"),
        ({**state, name: state[name].double()}, "of torch.float64"),
        ({**state, "head.linear.weight": state["embedding.weight"] + 1}, "are one matrix, and these differ"),
    ):
        with pytest.raises(InputError, match=said):
            fitting(wrong, module)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_refused_by_name(value: float) -> None:
    model = build("modern", CONFIG)
    state = dict(model.state_dict())
    state["final_norm.weight"] = torch.full_like(state["final_norm.weight"], value)
    with pytest.raises(InputError, match=r"'final_norm.weight' holds NaN or ∞. Training diverged, or the file was"):
        fitting(state, model)


@pytest.mark.parametrize(("scorer", "idle"), [("dense synthesizer", {"key"}), ("random synthesizer", {"key", "query"})])
def test_a_synthesizer_has_no_norm_of_what_it_has_not_got_and_an_older_one_is_still_read(
    scorer: str, idle: set[str]
) -> None:
    model = build("modern", configure("modern", vocabulary=29, width=8, heads=2, layers=1, hidden=7, scorer=scorer))
    state = model.state_dict()
    norms = {f"blocks.0.attention.layer.{each}_norm.weight" for each in ("query", "key")}
    kept = {name: torch.ones(4) for name in norms if any(f".{each}_norm" in name for each in idle)}
    assert norms - state.keys() == kept.keys()
    assert fitting(state | kept, model).keys() == state.keys()
    with pytest.raises(InputError, match=r"'head\.key_norm\.weight' belongs to no part"):
        fitting(state | {"head.key_norm.weight": torch.ones(4)}, model)
