"""The logit lens: what each layer would say, against norms and heads applied by hand; and when it refuses."""

from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf
from torch import Tensor, nn

import glassformer as gf
from glassformer.inside.watching.lens import CalledWith, logits_of

hf.logging.set_verbosity_error()
IDS = torch.tensor([[3, 14, 15, 9, 26, 5, 30], [8, 9, 7, 9, 3, 23, 8]])
SIZES = {"hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 20}
WIDE = {**SIZES, "num_key_value_heads": 2, "head_dim": 6, "vocab_size": 31, "initializer_range": 0.4}


class Small(nn.Module):
    """Three layers of sums over the past, with or without a way around them."""

    def __init__(self, around: bool = False, causal: bool = True, named: bool = True) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embed, self.head = nn.Embedding(13, 5), nn.Linear(5, 13)
        layers = [nn.Linear(5, 5) for _ in range(3)]
        self.layers = nn.ModuleList(layers) if named else None
        self.a, self.b, self.c = layers if not named else (None,) * 3
        self.around, self.causal = around, causal

    def forward(self, ids: Tensor) -> Tensor:
        first = x = self.embed(ids)
        for layer in self.layers if self.layers is not None else (self.a, self.b, self.c):
            x = layer(x.cumsum(1) if self.causal else x.mean(1, keepdim=True) + x)
        return self.head(x + first if self.around else x)


def hands(logits: Tensor) -> Any:
    """The five largest shares."""
    return logits.double().softmax(-1).topk(5).values.detach().numpy()


# --- against norms and heads by hand ------------------------------------------------------------------------------


def test_a_small_model_layer_by_layer() -> None:
    model, ids = Small().eval(), IDS % 13
    lens = gf.watch(model).run(ids).lens()
    assert lens.layers == ("layers.0", "layers.1", "layers.2")
    x = model.embed(ids)
    for layer, shares in zip(model.layers or (), lens.probabilities, strict=True):
        x = layer(x.cumsum(1))
        np.testing.assert_allclose(shares, hands(model.head(x)), atol=1e-6)


@pytest.mark.parametrize("how", ["eager", "sdpa"])
def test_gpt2(how: str) -> None:
    config = hf.GPT2Config(n_embd=15, n_layer=3, n_head=3, n_positions=11, vocab_size=31, initializer_range=0.4)
    model: Any = hf.GPT2LMHeadModel(config).eval()
    model.set_attn_implementation(how)
    with torch.no_grad():
        lens = gf.watch(model).run(IDS).lens()
        answer = model(IDS, output_hidden_states=True)
        for i in range(2):
            rows = model.transformer.ln_f(answer.hidden_states[i + 1])
            np.testing.assert_allclose(lens.probabilities[i], hands(model.lm_head(rows)), atol=1e-5)
    np.testing.assert_array_equal(lens.probabilities[-1], hands(answer.logits))
    np.testing.assert_array_equal(lens.ids[-1, ..., 0], answer.logits.argmax(-1))
    np.testing.assert_array_equal(lens.of_the_answer[-1], lens.probabilities[-1, ..., 0])


def test_a_cap_behind_the_head_is_part_of_it() -> None:
    """Gemma 2 bends its logits: a head alone would not say the same."""
    torch.manual_seed(0)
    model: Any = hf.Gemma2ForCausalLM(hf.Gemma2Config(**WIDE, final_logit_softcapping=2.0)).eval()
    with torch.no_grad():
        lens = gf.watch(model).run(IDS).lens()
        answer = model(IDS, output_hidden_states=True)
        bare = model.lm_head(model.model.norm(answer.hidden_states[1]))
    np.testing.assert_allclose(lens.probabilities[0], hands(2.0 * (bare / 2.0).tanh()), atol=1e-5)
    np.testing.assert_array_equal(lens.probabilities[-1], hands(answer.logits))


def test_a_translator_is_looked_through_at_its_decoder() -> None:
    sizes = {"d_model": 15, "d_kv": 4, "num_layers": 2, "num_heads": 3, "d_ff": 20, "vocab_size": 31}
    model = hf.T5ForConditionalGeneration(hf.T5Config(**sizes, decoder_start_token_id=0)).eval()
    lens = gf.watch(model).run(input_ids=IDS, decoder_input_ids=IDS.flip(0)).lens(top=2)
    assert lens.layers == ("decoder.block.0", "decoder.block.1")
    assert lens.ids.shape == (2, 2, 7, 2)


# --- refused ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (Small(around=True), "do not follow from the rows of its last layer alone"),
        (Small(causal=False), "is for causal models; here earlier tokens see the last one"),
        (Small(named=False), "found no layers in a row"),
        (nn.Embedding(13, 5).requires_grad_(False), "found no layers in a row"),
        (nn.Sequential(nn.Embedding(13, 5), nn.Flatten(1)), "answer is logits"),
    ],
)
def test_it_refuses_and_says_why(model: nn.Module, why: str) -> None:
    with pytest.raises(gf.InputError, match=why):
        gf.watch(model.eval()).run(IDS % 13).lens()


def test_it_refuses_a_masked_language_model() -> None:
    model = hf.BertForMaskedLM(hf.BertConfig(**SIZES, vocab_size=31)).eval()
    with pytest.raises(gf.InputError, match="causal models"):
        gf.watch(model).run(IDS).lens()


def test_it_refuses_what_it_cannot_run_again() -> None:
    model = Small().eval()
    with gf.watch(model) as seen:
        model(IDS % 13)
    with pytest.raises(gf.InputError, match=r"look with `seen = gf\.watch\(model\)\.run"):
        seen.lens()
    with pytest.raises(gf.InputError, match="`top` is 0"):
        gf.watch(model).run(IDS % 13).lens(top=0)
    with pytest.raises(gf.InputError, match=r"call model\.eval"):
        gf.watch(model.train()).run(IDS % 13).lens()


def test_it_refuses_a_model_that_answers_otherwise_each_time() -> None:
    class Random(Small):
        def forward(self, ids: Tensor) -> Tensor:
            return super().forward(ids) + torch.randn(13)

    with pytest.raises(gf.InputError, match="another answer the second time"):
        gf.watch(Random().eval()).run(IDS % 13).lens()


def test_it_refuses_a_model_that_reads_numbers_and_no_tokens() -> None:
    """A forecast of several columns has the shape of logits, and is none."""

    class Forecast(Small):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Linear(2, 5)  # type: ignore[assignment]

    with pytest.raises(gf.InputError, match="this model reads rows of numbers, not ids"):
        gf.watch(Forecast().eval()).run(torch.randn(1, 7, 2)).lens()


# --- its parts ----------------------------------------------------------------------------------------------------


def test_where_logits_are() -> None:
    three, two = torch.randn(2, 3, 5), torch.randn(2, 3)
    for answer in (three, (three, 1), {"logits": three, "loss": 1}):
        found = logits_of(answer)
        assert found is not None
        assert torch.equal(found, three)
    assert logits_of(two) is None
    assert logits_of(None) is None


def test_another_end_is_another_token() -> None:
    given = CalledWith((torch.tensor([[4, 4], [0, 0], [1, 2]]),), {})
    changed = given.with_another_end(0).args[0]
    assert changed.tolist() == [[4, 3], [0, 1], [1, 1]]
    assert given.tokens(2) == 0
    assert CalledWith((), {"input_ids": IDS, "decoder_input_ids": IDS}).tokens(7) == "decoder_input_ids"


def test_tokens_are_what_is_read_and_no_targets_or_masks() -> None:
    def nano(idx: Any, targets: Any = None) -> None: ...
    def plain(inputs: Any, targets: Any) -> None: ...
    def translator(source: Any, target: Any) -> None: ...
    def masked(words: Any, mask: Any = None) -> None: ...
    def usual(input_ids: Any = None, attention_mask: Any = None, decoder_input_ids: Any = None) -> None: ...

    for forward, place in ((nano, 0), (plain, 0), (translator, 1), (masked, 0), (usual, 0)):
        assert CalledWith.of(forward, (IDS, IDS), {}).tokens(7) == place, forward.__name__
    assert CalledWith.of(usual, (IDS,) * 3, {}).tokens(7) == 2
    assert CalledWith.of(print, (IDS,), {}).tokens(7) == 0

    class Learning(Small):
        def forward(self, ids: Tensor, targets: Tensor | None = None) -> Tensor:
            return super().forward(ids)

    assert gf.watch(Learning().eval()).run(IDS % 13, IDS % 7).ids == tuple((IDS % 13)[0].tolist())


def test_the_table_has_a_line_for_each_layer() -> None:
    lens = gf.watch(Small().eval()).run(IDS % 13).lens()
    lines = str(lens).splitlines()
    assert [line.split()[0] for line in lines] == list(lens.layers)
    words = lens.table(lambda ids: [f"<{each}>" for each in ids], batch=1)
    assert f"<{lens.ids[0, 1, 0, 0]}>" in words
