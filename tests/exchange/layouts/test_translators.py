"""The columns of a translator in another order: the same model, with waves in two halves."""

import pytest
import torch
from helpers.small_models import inputs, small

from glassformer.errors import InputError
from glassformer.exchange.foreign_config import ForeignConfig
from glassformer.exchange.layouts.table import LAYOUTS
from glassformer.exchange.layouts.translators import WAVES, reordered
from glassformer.models.registry import configure


@pytest.mark.parametrize("norm_first", [True, False])
def test_columns_in_another_order_give_the_same_answers(norm_first: bool) -> None:
    plain = small("translator", norm_first=norm_first).double()
    halves = small("translator", norm_first=norm_first, positions="split sinusoidal").double()
    order = torch.tensor([0, 2, 4, 1, 3, 5])
    state = reordered(plain.state_dict(), order)
    halves.load_state_dict(state)
    table = plain.order.rows.table[:, order]  # type: ignore[union-attr, index]
    torch.testing.assert_close(halves.order.rows.table, table)  # type: ignore[union-attr]
    torch.testing.assert_close(halves(*inputs("translator")), plain(*inputs("translator")))


def test_other_rows_than_waves_are_refused() -> None:
    config = configure("translator", vocabulary=29, width=6, length=5)
    state = {WAVES: torch.zeros(5, 6), "head.linear.bias": torch.zeros(1, 29), "embedding.weight": torch.zeros(29, 6)}
    with pytest.raises(InputError, match="are not the waves"):
        LAYOUTS["MarianMTModel"].inward(state, config)
    found = LAYOUTS["MarianMTModel"].inward({name: value for name, value in state.items() if name != WAVES}, config)
    assert found["head.linear.bias"].shape == (29,)


def test_projections_without_a_bias_have_no_place_there() -> None:
    config = configure("translator", vocabulary=29, width=6, heads=3, length=5, bias=False)
    assert "bias is false (true there)" in LAYOUTS["MarianMTModel"].misfits(config)


@pytest.mark.parametrize("name", ["decoder_attention_heads", "decoder_ffn_dim"])
def test_both_halves_must_say_the_same(name: str) -> None:
    told = LAYOUTS["MarianMTModel"].told(configure("translator", vocabulary=29, width=6, heads=3, length=5))
    LAYOUTS["MarianMTModel"].read(ForeignConfig(told))
    with pytest.raises(InputError, match=f"`{name}` is 2; only"):
        LAYOUTS["MarianMTModel"].read(ForeignConfig({**told, name: 2}))
    with pytest.raises(InputError, match=f"does not say `{name}`"):  # transformers has a number of its own then
        LAYOUTS["MarianMTModel"].read(ForeignConfig({each: told[each] for each in told if each != name}))
