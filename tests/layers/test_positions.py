"""Positions: each scheme against its paper's formula or somebody else's implementation, and the laws of distance."""

import cmath
import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from transformers import T5Config
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from transformers.models.t5.modeling_t5 import T5Attention

from glassformer.errors import InputError
from glassformer.layers.attention import Attention, attend, padding_mask, rotate
from glassformer.layers.blocks import encoder_block
from glassformer.layers.cache import Cache
from glassformer.layers.positions import (
    SCHEMES,
    BucketBias,
    Dimensions,
    LinearBias,
    NoPositions,
    Order,
    Positions,
    Rotary,
    alibi_slopes,
    buckets,
    distances,
    sinusoids,
    slowed,
)
from glassformer.stages.recorder import record

OF = Dimensions(longest=13, d_model=12, n_heads=3)


def test_the_weights_of_a_scheme_are_told_by_its_row() -> None:
    sizes = {"T": OF.longest, "D": OF.d_model, "H": OF.n_heads}
    for name, scheme in SCHEMES.items():
        learned = sum(weight.numel() for weight in Order(name, OF, ("encoder",)).parameters())
        told = math.prod(sizes.get(sign) or int(sign) for sign in scheme.weights.split("·")) if scheme.weights else 0
        assert learned == told, name


def test_an_unknown_scheme_is_refused_and_the_nearest_named() -> None:
    with pytest.raises(InputError, match="no position scheme called 'alibbi'; did you mean 'alibi'"):
        Order("alibbi", OF, ("encoder",))


# --- rows and angles --------------------------------------------------------------------------------------------


def test_sinusoids_are_the_papers_formula() -> None:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i+1) = cos(pos / 10000^(2i/d))."""
    length, width = 101, 14
    table = sinusoids(length, width)
    for position in range(length):
        for i in range(width // 2):
            angle = position / 10000 ** (2 * i / width)
            assert table[position, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-7)
            assert table[position, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-7)


def test_sinusoids_in_halves_are_the_same_columns_in_another_order() -> None:
    alternating, halves = sinusoids(7, 10), sinusoids(7, 10, interleaved=False)
    assert torch.equal(halves, torch.cat([alternating[:, 0::2], alternating[:, 1::2]], dim=1))


def test_the_first_position_is_0_1_0_1() -> None:
    assert sinusoids(1, 6).tolist() == [[0, 1, 0, 1, 0, 1]]


def test_positions_add_a_row_per_place() -> None:
    module = Positions(torch.tensor([[10.0], [20.0], [30.0]]))
    embedded = torch.tensor([[[1.0], [2.0]]])
    assert module(embedded).tolist() == [[[11], [22]]]
    assert module(embedded, torch.tensor([[2, 0]])).tolist() == [[[31], [12]]]
    assert NoPositions()(embedded) is embedded


def test_trained_positions_are_trained_and_fixed_ones_are_not() -> None:
    assert [name for name, _ in Positions.trained(7, 6).named_parameters()] == ["table"]
    assert not list(Positions.sinusoidal(7, 6).parameters())
    assert not Positions.sinusoidal(7, 6).state_dict()


@pytest.mark.parametrize(
    ("longest", "positions", "message"),
    [
        (3, None, "There are 3 positions, .* at 0 to 3"),
        (7, torch.tensor([[0, 7, 1, 2]]), "There are 7 positions, .* at 0 to 7"),
        (7, torch.tensor([[-1, 0, 1, 2]]), "There are 7 positions, .* at -1 to 2"),
    ],
)
def test_a_position_beyond_the_table_is_refused(longest: int, positions: Tensor | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Positions.sinusoidal(longest, 6)(torch.randn(1, 4, 6), positions)


@pytest.mark.parametrize(("make", "width"), [(lambda w: sinusoids(5, w), 7), (Rotary, 3)])
def test_an_odd_width_has_no_pairs(make: Any, width: int) -> None:
    with pytest.raises(InputError, match=f"width of {width} is odd"):
        make(width)


def test_rotary_turns_complex_numbers() -> None:
    """Each pair of columns is one complex number, multiplied by e^(i · position / base^(2r/d))."""
    d_key, base, positions = 10, 500.0, [0, 1, 5, 1000]
    rows = torch.randn(1, 2, len(positions), d_key + 3, dtype=torch.float64)  # three columns are not turned
    turned = rotate(rows, *Rotary(d_key, base=base)(torch.tensor([positions]), torch.float64))
    pairs = d_key // 2
    for head in range(2):
        for t, position in enumerate(positions):
            row, answer = rows[0, head, t].tolist(), turned[0, head, t].tolist()
            for r in range(pairs):
                wanted = complex(row[r], row[r + pairs]) * cmath.exp(1j * position / base ** (2 * r / d_key))
                assert complex(answer[r], answer[r + pairs]) == pytest.approx(wanted, abs=1e-12)
            assert answer[d_key:] == row[d_key:]


def test_a_larger_base_turns_more_slowly() -> None:
    order = Order("rotary", Dimensions(7, 4, 1, rotary_base=100), ("decoder",))
    cosines, _ = order(torch.zeros(1, 3, 4), stack="decoder").angles or pytest.fail("no angles")
    wanted = [[math.cos(t / 100**r) for r in (0, 0.5)] for t in range(3)]
    np.testing.assert_allclose(cosines[0].numpy(), wanted, atol=1e-7)


def test_rotations_are_slowed_for_long_texts() -> None:
    """By pencil: in 100 positions these turn 8, 4, 2.5, 1 and a half times; the third is halfway between 1 and 4."""
    speeds = torch.tensor([8, 4, 2.5, 1, 0.5], dtype=torch.float64) * 2 * math.pi / 100
    np.testing.assert_allclose(slowed(speeds, "linear 4"), speeds / 4, rtol=1e-15)
    np.testing.assert_allclose(
        slowed(speeds, "llama3 8 1 4 100") / speeds, [1, 1, 0.5 + 0.5 / 8, 1 / 8, 1 / 8], rtol=1e-12
    )
    assert torch.equal(slowed(speeds, ""), speeds)


@pytest.mark.parametrize(
    "said", ["linear", "linear 0", "linear nan", "yarn 4", "llama3 8 4 1 100", "llama3 8", "linear x"]
)
def test_a_way_to_slow_them_that_is_not_known_is_refused(said: str) -> None:
    with pytest.raises(InputError, match=r"stretched by|give less first"):
        Rotary(4, stretched=said)


def test_rotated_scores_depend_on_distance_alone() -> None:
    queries, keys = torch.randn(1, 1, 1, 6, dtype=torch.float64), torch.randn(1, 1, 1, 6, dtype=torch.float64)
    rotary = Rotary(6)

    def score(query_at: int, key_at: int) -> float:
        turned = [
            rotate(rows, *rotary(torch.tensor([[at]]), torch.float64))
            for rows, at in ((queries, query_at), (keys, key_at))
        ]
        return (turned[0] @ turned[1].transpose(-2, -1)).item()

    for distance in (0, 1, 7, 100):
        assert score(distance, 0) == pytest.approx(score(100_000 + distance, 100_000), abs=1e-9)
    assert score(1, 0) != pytest.approx(score(2, 0), abs=1e-3)


def test_rotary_keeps_the_models_dtype() -> None:
    module, x = Attention(6, 3).to(torch.bfloat16), torch.randn(2, 5, 6, dtype=torch.bfloat16)
    answer, trace = record(module, x, angles=Rotary(2)(torch.arange(5)[None]))
    assert answer.dtype == torch.bfloat16
    assert trace["cosines"].shape == (1, 5, 1)


def test_a_model_without_positions_does_not_know_the_order() -> None:
    module, x, order = encoder_block(6, 2, 11), torch.randn(1, 5, 6), torch.tensor([3, 0, 4, 1, 2])
    torch.testing.assert_close(module(x)[:, order], module(x[:, order]))
    placed = Positions.sinusoidal(5, 6)
    assert not torch.allclose(module(placed(x))[:, order], module(placed(x[:, order])), atol=1e-3)


# --- ALiBi ------------------------------------------------------------------------------------------------------


def test_alibi_by_hand() -> None:
    """Two heads: 2^(−8/2) and 2^(−16/2); a key three places back costs the first head 3/16."""
    assert alibi_slopes(2).tolist() == [1 / 16, 1 / 256]
    bias = LinearBias(2)(distances(torch.tensor([[3]]), torch.tensor([[0, 1, 2, 3, 4]])))
    assert bias.tolist() == [[[[-3 / 16, -2 / 16, -1 / 16, 0, -1 / 16]], [[-3 / 256, -2 / 256, -1 / 256, 0, -1 / 256]]]]


def test_slopes_of_heads_that_are_no_power_of_two_are_the_papers() -> None:
    """Six heads: the four slopes of four heads, then the first and the third of eight."""
    assert alibi_slopes(6).tolist() == [2.0**-2, 2.0**-4, 2.0**-6, 2.0**-8, 2.0**-1, 2.0**-3]


@pytest.mark.parametrize("n_heads", range(1, 34))
def test_alibi_is_blooms_and_mpts(n_heads: int) -> None:
    """BLOOM adds m·j to every row, which softmax cannot tell from −m·(i−j); MPT has the row of the last query."""
    length = 11
    ours = LinearBias(n_heads)(distances(*[torch.arange(length)[None]] * 2))[0]  # H T T
    blooms = build_alibi_tensor(torch.ones(1, length), n_heads, torch.float32)  # H 1 T
    mpts = build_mpt_alibi_tensor(n_heads, length)  # H 1 T
    exact = n_heads in (1, 2, 4, 8)  # whose slopes are powers of two; theirs are rounded to float32 on the way
    torch.testing.assert_close(ours[:, -1:], mpts, rtol=0 if exact else 3e-7, atol=0)
    for i in range(length):
        seen = blooms[:, 0, : i + 1] - blooms[:, 0, i : i + 1]
        torch.testing.assert_close(ours[:, i, : i + 1], seen, rtol=0 if exact else 3e-7, atol=0 if exact else 1e-6)


# --- T5's buckets -----------------------------------------------------------------------------------------------


def test_buckets_by_hand() -> None:
    """Of 32, backwards: 0 … 15 have their own; 16 … 127 share fifteen by logarithm, and the last is open."""
    apart = torch.tensor([-5, 0, 1, 15, 16, 32, 127, 128, 10**6])
    assert buckets(apart, 32, 128, causal=True).tolist() == [0, 0, 1, 15, 16, 21, 31, 31, 31]
    # both ways: half of them each; of its sixteen, later keys have 16 … 31
    assert buckets(torch.tensor([0, 7, 8, 16, 500, -1, -7, -500]), 32, 128, causal=False).tolist() == [
        0, 7, 8, 10, 15, 17, 23, 31,
    ]  # fmt: skip


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("count", "farthest"), [(32, 128), (64, 256), (16, 20), (12, 53)])
def test_buckets_are_t5s_at_every_distance(causal: bool, count: int, farthest: int) -> None:
    apart = torch.arange(-20_011, 20_012)
    theirs = T5Attention._relative_position_bucket(
        -apart, bidirectional=not causal, num_buckets=count, max_distance=farthest
    )
    assert torch.equal(buckets(apart, count, farthest, causal=causal), theirs)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("past", [0, 5])
def test_the_bias_is_t5s(causal: bool, past: int) -> None:
    config = T5Config(d_model=14, d_kv=7, num_heads=2, num_layers=1, is_decoder=causal)
    theirs = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    ours = BucketBias(2, causal=causal)
    assert theirs.relative_attention_bias.weight.shape == ours.weight.shape
    theirs.relative_attention_bias.weight.data = ours.weight.data
    length = 211
    wanted = theirs.compute_bias(length, past + length, past_seen_tokens=past)
    assert torch.equal(
        ours(distances(torch.arange(past, past + length)[None], torch.arange(past + length)[None])), wanted
    )


# --- laws of every bias -----------------------------------------------------------------------------------------

BIASES = {"alibi": lambda causal: LinearBias(3), "t5": lambda causal: BucketBias(3, causal=causal)}


@pytest.mark.parametrize("name", BIASES)
@given(shift=st.integers(-10_000, 10_000), length=st.sampled_from([1, 2, 7, 211]), causal=st.booleans())
def test_a_shift_changes_nothing(name: str, shift: int, length: int, causal: bool) -> None:
    module, at = BIASES[name](causal), torch.arange(length)[None]
    assert torch.equal(module(distances(at, at)), module(distances(at + shift, at + shift)))


@pytest.mark.parametrize("name", BIASES)
@pytest.mark.parametrize("causal", [True, False])
def test_a_longer_text_begins_with_the_bias_of_a_shorter_one(name: str, causal: bool) -> None:
    """So it goes on beyond the longest text that was learnt from."""
    module, at = BIASES[name](causal), torch.arange(997)[None]
    longer = module(distances(at, at))
    assert torch.equal(longer[..., :13, :13], module(distances(at[:, :13], at[:, :13])))
    assert longer.isfinite().all()


def test_alibi_looks_both_ways_alike_and_t5_does_not() -> None:
    at = torch.arange(7)[None]
    penalty, learned = LinearBias(3)(distances(at, at)), BucketBias(3)(distances(at, at))
    assert torch.equal(penalty, penalty.mT)
    assert not torch.equal(learned, learned.mT)


@pytest.mark.parametrize("name", BIASES)
@pytest.mark.parametrize("causal", [True, False])
def test_every_number_of_a_bias_explains_itself(name: str, causal: bool) -> None:
    at = torch.tensor([[0, 1, 2, 5, 30, 127, 128, 4000], [0, 0, 0, 1, 2, 3, 4, 5]])
    _, trace = record(lambda see: BIASES[name](causal).double()(distances(at, at, see), torch.float64, see=see))
    for address in trace:
        for index in np.ndindex(trace[address].shape):
            why = trace.explain(address, index)
            assert why.result == pytest.approx(why.number, abs=1e-12), why
    assert trace.explain("bias", (0, 1, 7, 5)).operation == {"alibi": "penalise", "t5": "pick"}[name]


def test_a_bias_is_spelled_as_on_paper() -> None:
    at = torch.arange(7)[None]
    _, trace = record(lambda see: LinearBias(2)(distances(at, at, see), see=see))
    assert trace.formula("bias")[0] == "P = −m |Δ|"
    assert repr(trace.explain("bias", (0, 0, 5, 2))) == "bias[0,0,5,2] = −0.0625 × |3| = −0.1875"
    assert repr(trace.explain("distances", (0, 2, 5))) == "distances[0,2,5] = 2 − 5 = −3"
    module = BucketBias(2)
    module.weight.data[3, 1] = 0.25
    _, trace = record(lambda see: module(distances(at, at, see), see=see))
    assert repr(trace.explain("bias", (0, 1, 5, 2))) == "bias[0,1,5,2] = bucket 3: 0.25 = 0.25"
    assert repr(trace.explain("buckets", (0, 2, 5))) == "buckets[0,2,5] = 16 + |(−3)| = 19"


# --- a bias in attention ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_kv_heads", [1, 2, 6])
@pytest.mark.parametrize("causal", [True, False])
def test_alibi_attention_by_loops(n_kv_heads: int, causal: bool) -> None:
    """Kernel and steps, shared heads and padding, against scores that are written out pair by pair."""
    queries, keys, values = (torch.randn(2, n, 5, 4, dtype=torch.float64) for n in (6, n_kv_heads, n_kv_heads))
    real = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    at = torch.arange(5)[None]
    bias = LinearBias(6)(distances(at, at), torch.float64)
    answer = attend(queries, keys, values, mask=padding_mask(real), causal=causal, score_bias=bias)
    slopes = [2.0**-2, 2.0**-4, 2.0**-6, 2.0**-8, 2.0**-1, 2.0**-3]
    for b in range(2):
        for h in range(6):
            g = h * n_kv_heads // 6
            for i in range(5):
                seen = [j for j in range(5) if real[b, j] and (j <= i or not causal)]
                scores = [float(queries[b, h, i] @ keys[b, g, j]) / 2 - slopes[h] * abs(i - j) for j in seen]
                parts = [math.exp(each) for each in scores]
                wanted = sum(part / sum(parts) * values[b, g, j] for part, j in zip(parts, seen, strict=True))
                torch.testing.assert_close(answer[b, h, i], wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", BIASES)
def test_what_is_learned_of_a_bias_has_the_right_gradient(name: str) -> None:
    module, attention, at = BIASES[name](True).double(), Attention(6, 3, causal=True).double(), torch.arange(5)[None]
    x = torch.randn(2, 5, 6, dtype=torch.float64, requires_grad=True)

    def answer(x: Tensor, *weights: Tensor) -> Tensor:
        bias = torch.func.functional_call(module, dict(zip(names, weights, strict=True)), (distances(at, at), x.dtype))
        return attention(x, score_bias=bias)

    names = [name for name, _ in module.named_parameters()]
    assert torch.autograd.gradcheck(answer, (x, *module.parameters()))


# --- the order of a model ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SCHEMES)
def test_read_in_parts_with_a_cache_the_rows_angles_and_bias_are_the_same(kind: str) -> None:
    order, x = Order(kind, OF, ("decoder",)), torch.randn(2, 11, 12)
    whole = order(x, stack="decoder")
    for cut in range(1, 11):
        cache = Cache()
        order(x[:, :cut], stack="decoder", cache=cache)
        cache.append(*[torch.randn(2, 1, cut, 4)] * 2)
        rest = order(x[:, cut:], stack="decoder", cache=cache)
        assert torch.equal(rest.rows, whole.rows[:, cut:])
        if whole.angles is not None:
            assert rest.angles is not None
            assert all(torch.equal(one, other[:, cut:]) for one, other in zip(rest.angles, whole.angles, strict=True))
        if whole.bias is not None:
            assert rest.bias is not None
            assert torch.equal(rest.bias, whole.bias[:, :, cut:])


def test_a_cache_remembers_where_texts_stand_that_begin_at_different_places() -> None:
    """Two rows, one filled up on the left by three; a gap in the second is not forgotten when rows trade places."""
    order, cache = Order("alibi", OF, ("decoder",)), Cache()
    order(torch.randn(2, 4, 12), torch.tensor([[0, 0, 0, 0], [0, 1, 2, 7]]), stack="decoder", cache=cache)
    cache.append(*[torch.randn(2, 1, 4, 4)] * 2)
    cache.keep(torch.tensor([1, 0, 1]))
    bias = order(torch.randn(3, 1, 12), torch.tensor([[8], [1], [8]]), stack="decoder", cache=cache).bias
    assert bias is not None
    apart = torch.tensor([[8, 7, 6, 1, 0], [1, 1, 1, 1, 0], [8, 7, 6, 1, 0]])
    assert torch.equal(bias[:, 0, 0], -apart / 2**4)  # three heads: 2^−4, 2^−8 and 2^−2


def test_a_stack_that_stops_halfway_does_not_spoil_the_memory() -> None:
    order, cache = Order("alibi", OF, ("decoder",)), Cache()
    for _ in range(2):  # nothing was appended after the first
        bias = order(torch.randn(1, 3, 12), stack="decoder", cache=cache).bias
    assert bias is not None
    assert bias.shape == (1, 3, 3, 3)


@pytest.mark.parametrize("kind", SCHEMES)
def test_a_scheme_has_an_end_unless_it_counts_distances(kind: str) -> None:
    order, x = Order(kind, OF, ("encoder",)), torch.randn(1, 14, 12)
    if SCHEMES[kind].bias:
        assert order(x, stack="encoder").rows.shape == x.shape
    else:
        with pytest.raises(InputError, match="looks back on 13 tokens at most; there are 14"):
            order(x, stack="encoder")


def test_an_encoder_and_a_decoder_learn_their_own_numbers() -> None:
    names = [name for name, _ in Order("t5", OF, ("encoder", "decoder")).named_parameters()]
    assert names == ["biases.encoder.weight", "biases.decoder.weight"]
