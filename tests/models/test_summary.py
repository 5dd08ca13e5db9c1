"""The summary of a module: counts worked with a pencil, torch's own, published ones, and those of our formulas."""

from typing import Any

import pytest
import torch
from helpers.small_models import CLASSES, SMALL, VOCABULARY
from torch import Tensor, nn

import glassformer as gf
from glassformer.layers.positions import SCHEMES
from glassformer.models.registry import MODELS, configure
from glassformer.models.sizes import sizes
from glassformer.models.summary import Summary, describe, describe_named


def rows(summary: Summary, depth: int | None = None) -> dict[str, tuple[Any, int, int]]:
    """Output shape, parameters and mult-adds of each layer."""
    return {each.path: (each.shape, each.parameters, each.mult_adds) for each in summary.folded(depth)}


# --- with a pencil -----------------------------------------------------------------------------------------------


def test_two_linear_layers() -> None:
    found = describe(nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 2, bias=False)), torch.ones(7, 3))
    assert rows(found) == {
        "": ((7, 2), 0, 0),
        "0": ((7, 5), 3 * 5 + 5, 7 * 3 * 5),
        "1": ((7, 5), 0, 0),
        "2": ((7, 2), 5 * 2, 7 * 5 * 2),
    }
    assert (found.parameters, found.mult_adds) == (30, 175)
    assert found.input_bytes == 4 * 7 * 3
    assert found.forward_bytes == 4 * 7 * (5 + 2)  # the layers that have parameters
    assert found.parameter_bytes == 4 * 30
    assert found.bytes == 84 + 196 + 120


def test_every_token_of_a_text_is_multiplied() -> None:
    assert describe(nn.Linear(3, 5), torch.ones(2, 7, 3)).mult_adds == 2 * 7 * 3 * 5


def test_an_embedding_is_looked_up() -> None:
    found = describe(nn.Embedding(31, 5), torch.zeros(2, 7, dtype=torch.long))
    assert (found.parameters, found.mult_adds, found.layers[0].shape) == (31 * 5, 0, (2, 7, 5))
    assert found.input_bytes == 8 * 2 * 7  # ids have eight bytes


@pytest.mark.parametrize(
    ("layer", "example", "parameters", "mult_adds"),
    [
        (nn.Conv1d(3, 5, 7), torch.ones(2, 3, 11), 5 * 3 * 7 + 5, 2 * 5 * 5 * 3 * 7),
        (nn.Conv2d(3, 5, (2, 3), stride=2), torch.ones(1, 3, 7, 11), 5 * 3 * 6 + 5, 5 * 3 * 5 * 3 * 6),
        (nn.Conv2d(6, 6, 3, groups=3), torch.ones(1, 6, 5, 7), 6 * 2 * 9 + 6, 6 * 3 * 5 * 2 * 9),
        (nn.RNN(3, 5, batch_first=True), torch.ones(2, 7, 3), 15 + 25 + 10, 2 * 7 * (15 + 25)),
        (nn.GRU(3, 5, batch_first=True), torch.ones(2, 7, 3), 3 * (15 + 25 + 10), 2 * 7 * 3 * (15 + 25)),
        (nn.LSTM(3, 5, batch_first=True), torch.ones(2, 7, 3), 4 * (15 + 25 + 10), 2 * 7 * 4 * (15 + 25)),
        (nn.LSTM(3, 5, 2, bidirectional=True), torch.ones(7, 2, 3), 2 * 4 * (50 + 50 + 25 + 10), 14 * 8 * (40 + 75)),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, nn.Module) else "",
)  # fmt: skip
def test_layers_one_by_one(layer: nn.Module, example: Tensor, parameters: int, mult_adds: int) -> None:
    found = describe(layer, example)
    assert (found.parameters, found.mult_adds) == (parameters, mult_adds)
    assert found.parameters == sum(each.numel() for each in layer.parameters())


def test_attention_multiplies_queries_with_keys_and_weights_with_values() -> None:
    attention = gf.Attention(6, n_heads=3, d_key=5, d_value=2)
    found = describe(attention, torch.ones(1, 7, 6))
    projections = 6 * (2 * 5 + 2) * 3 + 3 * 2 * 6
    assert found.parameters == projections + (2 * 5 + 2) * 3 + 6  # d(2m+l)T + Tl·d, and the biases
    assert rows(found)[""] == ((1, 7, 6), 0, 3 * 7 * 7 * (5 + 2))
    assert found.mult_adds == 7 * projections + 3 * 7 * 7 * (5 + 2)


@pytest.mark.parametrize("batch_first", [True, False])
def test_torchs_attention_is_counted_whatever_kernel_works_it(batch_first: bool) -> None:
    attention = nn.MultiheadAttention(6, 3, batch_first=batch_first)
    x = torch.ones(1, 7, 6) if batch_first else torch.ones(7, 1, 6)
    for how in ({"need_weights": True}, {"need_weights": False}):
        assert describe(attention, (x, x, x), **how).mult_adds == 7 * 4 * 36 + 7 * 7 * 2 * 6


# --- what is shared, called often, or not at all -----------------------------------------------------------------


class Tied(nn.Module):
    """An embedding whose matrix is the output's own, a layer that is called three times, one that never is."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(31, 5)
        self.again = nn.Linear(5, 5)
        self.same = self.again
        self.idle = nn.Linear(2, 3)
        self.output = nn.Linear(5, 31)
        self.output.weight = self.embedding.weight

    def forward(self, ids: Tensor) -> dict[str, Tensor]:
        x = self.embedding(ids)
        for layer in (self.again, self.again, self.same):
            x = layer(x)
        return {"logits": self.output(x)}


def test_what_is_shared_is_counted_once() -> None:
    module = Tied()
    found = describe(module, torch.zeros(1, 7, dtype=torch.long))
    assert found.parameters == sum(each.numel() for each in module.parameters()) == 155 + 30 + 9 + 31
    assert found.parameter_bytes == 4 * found.parameters
    assert rows(found)["output"] == ((1, 7, 31), 31, 7 * 5 * 31)
    assert "output: Linear (shared)" in str(found)
    assert found.layers[0].shape == (1, 7, 31)  # of what stands first in what was given out


def test_a_layer_called_three_times_works_three_times() -> None:
    found = describe(Tied(), torch.zeros(1, 7, dtype=torch.long))
    again = next(each for each in found.layers if each.path == "again")
    assert (again.calls, again.parameters, again.mult_adds) == (3, 30, 3 * 7 * 25)
    assert again.output_bytes == 3 * 4 * 7 * 5
    assert "again: Linear ×3" in str(found)
    assert rows(found)["same"] == (None, 0, 0)  # the same module under another name


def test_a_layer_that_is_not_called_has_no_shape() -> None:
    assert rows(describe(Tied(), torch.zeros(1, 7, dtype=torch.long)))["idle"] == (None, 9, 0)


def test_what_is_not_trained_is_said() -> None:
    module = nn.Sequential(nn.Linear(3, 5), nn.Linear(5, 2))
    module[0].requires_grad_(False)
    found = describe(module, torch.ones(1, 3))
    assert (found.parameters, found.trainable) == (32, 12)
    assert "32, 20 of them not trained" in str(found)


def test_describing_changes_nothing() -> None:
    module = nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5), nn.Dropout(0.5)).train()
    module[1].eval()
    before, drawn = {name: value.clone() for name, value in module.state_dict().items()}, torch.get_rng_state()
    describe(module, torch.randn(7, 3, generator=torch.Generator().manual_seed(3)))
    assert [each.training for each in module] == [True, False, True]
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())
    assert torch.equal(torch.get_rng_state(), drawn)
    assert not any(each._forward_hooks or each._forward_pre_hooks for each in module.modules())


def test_an_error_of_the_module_is_its_own_and_leaves_no_hook() -> None:
    module = nn.Sequential(nn.Linear(3, 5))
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        describe(module, torch.ones(2, 7))
    assert not module[0]._forward_hooks
    assert torch.backends.mha.get_fastpath_enabled()
    with pytest.raises(gf.InputError, match=r"`module` is a torch.nn.Module; this is str"):
        describe("transformer", torch.ones(1))  # type: ignore[arg-type]


def test_names_and_plain_data() -> None:
    attention = nn.MultiheadAttention(6, 3, batch_first=True)
    x = torch.ones(1, 7, 6)
    content = describe(attention, x, key=x, value=x).to_dict()
    assert content["bytes"]["input"] == 3 * 4 * 7 * 6
    assert content["layers"][0]["shape"] == [1, 7, 6]
    assert content["parameters"] == 4 * 36 + 4 * 6


# --- published counts --------------------------------------------------------------------------------------------


def test_lenet_5() -> None:
    lenet = nn.Sequential(
        nn.Conv2d(1, 6, 5), nn.Tanh(), nn.AvgPool2d(2), nn.Conv2d(6, 16, 5), nn.Tanh(), nn.AvgPool2d(2),
        nn.Conv2d(16, 120, 5), nn.Flatten(), nn.Linear(120, 84), nn.Tanh(), nn.Linear(84, 10),
    )  # fmt: skip
    found = describe(lenet, torch.ones(1, 1, 32, 32))
    assert (found.parameters, found.mult_adds) == (61_706, 416_520)


def test_vgg_16() -> None:
    layers: list[nn.Module] = []
    channels = 3
    for width in (64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0):
        layers += [nn.Conv2d(channels, width, 3, padding=1, device="meta"), nn.ReLU()] if width else [nn.MaxPool2d(2)]
        channels = width or channels
    widths = (512 * 7 * 7, 4096, 4096, 1000)
    layers += [nn.Flatten(), *(nn.Linear(widths[i], widths[i + 1], device="meta") for i in range(3))]
    found = describe(nn.Sequential(*layers), torch.ones(1, 3, 224, 224, device="meta"))
    assert (found.parameters, found.mult_adds) == (138_357_544, 15_470_264_320)


def test_the_papers_base_transformer() -> None:
    transformer = nn.Transformer(512, 8, 6, 6, 2048, batch_first=True, device="meta")
    source, target = torch.ones(1, 7, 512, device="meta"), torch.ones(1, 5, 512, device="meta")
    found = describe(transformer, (source, target))
    assert found.parameters == sum(each.numel() for each in transformer.parameters()) == 44_140_544
    attention, forward = 4 * 512 * 512, 2 * 512 * 2048
    encoder = 6 * (7 * (attention + forward) + 2 * 7 * 7 * 512)
    own, cross = 5 * attention + 2 * 5 * 5 * 512, 2 * (5 + 7) * 512 * 512 + 2 * 5 * 7 * 512
    assert found.mult_adds == encoder + 6 * (own + cross + 5 * forward)


def test_torchs_fused_encoder_is_seen_layer_by_layer() -> None:
    layer = nn.TransformerEncoderLayer(6, 3, 11, batch_first=True)
    found = describe(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval(), torch.ones(1, 7, 6))
    assert found.mult_adds == 2 * (7 * (4 * 36 + 2 * 66) + 2 * 7 * 7 * 6)
    assert rows(found)["layers.1.linear1"] == ((1, 7, 11), 6 * 11 + 11, 7 * 66)


def test_gpt_2() -> None:
    config = configure("gpt", vocabulary=50_257, width=768, length=1024, layers=12, heads=12, hidden=3072)
    assert describe_named("gpt", config, 13).parameters == 124_439_808


# --- our own models: the same as by formula ----------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_every_model_comes_to_what_its_formulas_say(name: str) -> None:
    classes = {"classes": CLASSES} if MODELS[name].family == "classifier" else {}
    config = configure(name, **{"vocabulary": VOCABULARY, **classes, **SMALL[name]})
    found, told = describe_named(name, config, 19), sizes(name, config, tokens=19)
    assert found.parameters == told.parameters
    assert 2 * found.mult_adds == told.forward


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ["transformer", "translator", "modern"])
def test_so_does_every_scheme_with_widths_of_ones_own(name: str, scheme: str) -> None:
    config = configure(name, **{**SMALL[name], "positions": scheme, "key_width": 14, "value_width": 5})
    found, told = describe_named(name, config, 13), sizes(name, config, tokens=13)
    assert (found.parameters, 2 * found.mult_adds) == (told.parameters, told.forward)


# --- as slides print them ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "mult_adds", "total"), [("mlp", 68.23, 260.89), ("conv", 35.38, 18.58), ("conv-pool", 27.58, 11.53)]
)
def test_slides_count_an_embedding_and_one_text(name: str, mult_adds: float, total: float) -> None:
    found = describe_named(name, configure(name), 500).slide_totals(64)
    assert round(found.mult_adds / 1e6, 2) == mult_adds
    assert found.input == 64 * 500  # ids, and no mask
    assert round(found.to_dict()["total_mb"], 2) == total


def test_of_any_module_the_batch_is_that_of_the_example() -> None:
    module = nn.Sequential(nn.Embedding(31, 5), nn.Flatten(), nn.Linear(35, 3), nn.ReLU())
    found = describe(module, torch.zeros(2, 7, dtype=torch.long)).slide_totals()
    assert found.input == 2 * 7
    assert found.forward == 2 * (7 * 5 + 3)  # of one text, there and back
    assert found.parameters == 31 * 5 + 35 * 3 + 3
    assert found.mult_adds == 31 * 5 + 35 * 3  # no bias
    one = describe(module, torch.zeros(1, 7, dtype=torch.long))
    assert one.slide_totals(2) == found
    with pytest.raises(gf.InputError, match="1 or more; 0 were asked for"):
        one.slide_totals(0)


def test_a_convolution_multiplies_once_for_each_window() -> None:
    found = describe(nn.Conv1d(3, 5, 7), torch.ones(2, 3, 11)).slide_totals()
    assert found.mult_adds == 5 * 3 * 7 * 5  # 11 − 7 + 1 = 5 windows
    assert found.forward == 2 * 5 * 5


# --- how it is shown ---------------------------------------------------------------------------------------------


def test_the_columns_of_a_folded_tree_come_to_the_same_totals() -> None:
    found = describe_named("modern", configure("modern", **SMALL["modern"]), 11)
    for depth in (0, 1, 2, 3, 4, None):
        folded = found.folded(depth)
        assert sum(each.parameters for each in folded) == found.parameters
        assert sum(each.mult_adds for each in folded) == found.mult_adds
        assert sum(each.output_bytes for each in folded) == found.forward_bytes
    assert len(found.folded(0)) == 1
    assert len(found.folded(1)) < len(found.folded(2)) < len(found.folded(None))


def test_the_table_as_it_is_printed() -> None:
    found = describe(nn.Sequential(nn.Linear(3, 5), nn.ReLU()), torch.ones(7, 3))
    assert str(found).splitlines() == [
        "layer        output  parameters  mult-adds     MB",
        "─────────────────────────────────────────────────",
        "Sequential   [7, 5]           –          –      –",
        "├─0: Linear  [7, 5]          20        105  0.000",
        "└─1: ReLU    [7, 5]           –          –      –",
        "─────────────────────────────────────────────────",
        "parameters  20",
        "mult-adds   105",
        "size        304 B: input 84 B + forward 140 B + parameters 80 B",
    ]
