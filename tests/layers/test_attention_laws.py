"""The laws of attention, tried on many shapes: what may be swapped, shifted, split or padded without any effect."""

import itertools
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from glassformer.layers.attention import WEIGHERS, Attention, attend, padding_mask, softmax
from glassformer.layers.blocks import RMSNorm, block, decoder_block
from glassformer.layers.cache import BlockCache, Cache
from glassformer.layers.positions import Rotary
from glassformer.layers.synthesizers import DenseSynthesizer, RandomSynthesizer
from glassformer.stages.recorder import Recorder, record
from glassformer.stages.watchers import Watcher, nothing

seeds = st.integers(0, 2**31 - 1)
lengths = st.sampled_from([1, 2, 3, 5, 7, 11])
heads = st.sampled_from([(1, 1), (2, 2), (3, 1), (6, 2)])
widths = st.sampled_from([1, 2, 3, 5])
weighers = st.sampled_from(sorted(WEIGHERS))
MOST = {torch.float32: 5e-6, torch.float64: 1e-12}
dtypes = st.sampled_from(sorted(MOST, key=str))


def explicit(name: str, value: Tensor, how: str = "") -> Tensor:
    """A watcher that puts a copy of the scores in place, so that the answer must come from the shown stages."""
    return value.clone() if name.endswith("scores") else value


watchers = st.sampled_from([nothing, explicit])


def close(one: Tensor, other: Tensor) -> bool:
    return bool((one - other).abs().max() <= MOST[one.dtype])


def random_rows(
    seed: int, dtype: torch.dtype, shape: tuple[tuple[int, int], int, int], n_queries: int, n_keys: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Queries, keys, values and a mask for heads, key width and value width."""
    torch.manual_seed(seed)
    (n_heads, n_kv_heads), d_key, d_value = shape
    return (
        torch.randn(2, n_heads, n_queries, d_key, dtype=dtype),
        torch.randn(2, n_kv_heads, n_keys, d_key, dtype=dtype),
        torch.randn(2, n_kv_heads, n_keys, d_value, dtype=dtype),
        torch.rand(2, n_heads, n_queries, n_keys) < 0.8,
    )


shapes = st.tuples(heads, widths, widths)


@given(seeds, dtypes, shapes, lengths, lengths, weighers, watchers)
def test_the_order_of_keys_and_values_does_not_matter(
    seed: int, dtype: torch.dtype, shape: Any, n_queries: int, n_keys: int, weigher: str, see: Watcher
) -> None:
    queries, keys, values, mask = random_rows(seed, dtype, shape, n_queries, n_keys)
    order = torch.randperm(n_keys)
    answer = attend(queries, keys, values, weigher=WEIGHERS[weigher], mask=mask, see=see)
    shuffled = attend(
        queries, keys[:, :, order], values[:, :, order], weigher=WEIGHERS[weigher], mask=mask[..., order], see=see
    )
    assert close(answer, shuffled)


@given(seeds, dtypes, shapes, lengths, lengths, weighers, watchers)
def test_queries_do_not_see_each_other(
    seed: int, dtype: torch.dtype, shape: Any, n_queries: int, n_keys: int, weigher: str, see: Watcher
) -> None:
    queries, keys, values, mask = random_rows(seed, dtype, shape, n_queries, n_keys)
    order = torch.randperm(n_queries)
    answer = attend(queries, keys, values, weigher=WEIGHERS[weigher], mask=mask, see=see)
    shuffled = attend(queries[:, :, order], keys, values, weigher=WEIGHERS[weigher], mask=mask[:, :, order], see=see)
    assert close(answer[:, :, order], shuffled)


@given(seeds, lengths, st.floats(-1e4, 1e4))
def test_softmax_does_not_feel_a_shift(seed: int, length: int, shift: float) -> None:
    torch.manual_seed(seed)
    scores = torch.randn(2, 3, 5, length, dtype=torch.float64)
    assert (softmax(scores + shift) - softmax(scores)).abs().max() <= 1e-11  # 1e4 costs four of the sixteen digits
    single = (scores.float() + shift) - shift  # what is left of the scores once the shift has rounded them
    assert (softmax(single + shift) - softmax(single)).abs().max() <= 1e-6


@given(seeds, dtypes, shapes, lengths, lengths)
def test_a_shift_of_a_row_by_the_bias_changes_nothing(
    seed: int, dtype: torch.dtype, shape: Any, n_queries: int, n_keys: int
) -> None:
    queries, keys, values, mask = random_rows(seed, dtype, shape, n_queries, n_keys)
    shift = torch.randn(2, 1, n_queries, 1, dtype=dtype).expand(-1, -1, -1, n_keys)
    assert close(attend(queries, keys, values, mask=mask, score_bias=shift), attend(queries, keys, values, mask=mask))


@given(seeds, dtypes, shapes, lengths, lengths)
def test_a_row_of_softmax_weights_sums_to_one_or_is_all_zero(
    seed: int, dtype: torch.dtype, shape: Any, n_queries: int, n_keys: int
) -> None:
    queries, keys, values, mask = random_rows(seed, dtype, shape, n_queries, n_keys)
    recorder = Recorder()
    attend(queries, keys, values, mask=mask, see=recorder)
    weights = torch.from_numpy(recorder.trace["weights"])
    assert (weights >= 0).all()
    assert not weights[~mask].any()
    assert (weights.sum(-1) - mask.any(-1).to(dtype)).abs().max() <= 1e-6


@given(seeds, dtypes, shapes, lengths, weighers)
def test_joined_heads_are_a_sum_over_heads(
    seed: int, dtype: torch.dtype, shape: Any, length: int, weigher: str
) -> None:
    torch.manual_seed(seed)
    (n_heads, n_kv_heads), d_key, d_value = shape
    module = Attention(
        7, n_heads, n_kv_heads=n_kv_heads, d_key=d_key, d_value=d_value, weigher=WEIGHERS[weigher]
    ).to(dtype)  # fmt: skip
    answer, trace = record(module, torch.randn(2, length, 7, dtype=dtype))
    mixed = torch.from_numpy(trace["mixed"])
    per_head = torch.from_numpy(trace["output_weight"]).view(n_heads, d_value, 7)
    assert module.output is not None
    assert close(answer, torch.einsum("bhtv,hvd->btd", mixed, per_head) + module.output.bias)


@given(seeds, dtypes, shapes, lengths)
def test_grouped_heads_are_heads_with_equal_keys_and_values(
    seed: int, dtype: torch.dtype, shape: Any, length: int
) -> None:
    queries, keys, values, mask = random_rows(seed, dtype, shape, length, length)
    repeats = queries.shape[1] // keys.shape[1]
    each = [rows.repeat_interleave(repeats, 1) for rows in (keys, values)]
    assert close(attend(queries, keys, values, mask=mask), attend(queries, *each, mask=mask))


# --- cache = no cache -------------------------------------------------------------------------------------------

CACHED: dict[str, Any] = {
    "plain": dict,
    "rotary": lambda: {"d_key": 4, "d_value": 5},
    "grouped": lambda: {"n_heads": 6, "n_kv_heads": 2, "d_key": 4},
    "rotary, grouped and normed": lambda: {
        "n_heads": 6, "n_kv_heads": 3, "d_key": 4, "query_norm": RMSNorm(4), "key_norm": RMSNorm(4),
    },
    "sigmoid": lambda: {"weigher": WEIGHERS["sigmoid"]},
    "dense synthesizer": lambda: {"scorer": DenseSynthesizer(2, 3, 11)},
    "random synthesizer": lambda: {"scorer": RandomSynthesizer(2, 11)},
}  # fmt: skip


@pytest.mark.parametrize("kind", CACHED)
@pytest.mark.parametrize("dtype", MOST)
def test_a_cache_changes_nothing_at_any_split_point(kind: str, dtype: torch.dtype) -> None:
    length = 7
    module = Attention(**{"d_model": 6, "n_heads": 2, **CACHED[kind]()}, causal=True).to(dtype)
    x = torch.randn(2, length, 6, dtype=dtype)
    angles = Rotary(4)(torch.arange(length)[None], dtype) if "rotary" in kind else None
    padding = padding_mask(torch.arange(length) >= torch.tensor([[0], [3]]))

    def part(start: int, end: int, cache: Cache | None, mask: Tensor | None, see: Watcher) -> Tensor:
        turned = None if angles is None else (angles[0][:, start:end], angles[1][:, start:end])
        seen = None if mask is None else mask[..., :end]
        answer: Tensor = module(x[:, start:end], angles=turned, cache=cache, mask=seen, see=see)
        return answer

    for mask, see in itertools.product((None, padding), (nothing, explicit)):
        whole = part(0, length, None, mask, nothing)
        for split in range(1, length):
            cache = Cache()
            with torch.no_grad():  # where a decoder lives: room grows by doubling
                parts = [part(0, split, cache, mask, see), part(split, length, cache, mask, see)]
            assert close(torch.cat(parts, 1), whole), (split, see)
        cache = Cache()
        with torch.no_grad():
            tokens = [part(i, i + 1, cache, mask, see) for i in range(length)]
        assert close(torch.cat(tokens, 1), whole)


@pytest.mark.parametrize("dtype", MOST)
@pytest.mark.parametrize("norm_first", [True, False])
def test_a_decoder_block_with_a_cache_is_the_block_without(dtype: torch.dtype, norm_first: bool) -> None:
    length, module = 7, decoder_block(6, 2, 11, norm_first=norm_first).to(dtype)
    x, context = torch.randn(2, length, 6, dtype=dtype), torch.randn(2, 5, 6, dtype=dtype)
    seen = padding_mask(torch.arange(5) < torch.tensor([[5], [2]]))
    whole = module(x, context, context_mask=seen)
    for split, see in itertools.product(range(1, length), (nothing, explicit)):
        cache = BlockCache()
        with torch.no_grad():
            parts = [
                module(x[:, start:end], context, context_mask=seen, cache=cache, see=see)
                for start, end in ((0, split), (split, length))
            ]
        assert close(torch.cat(parts, 1), whole), split


def test_two_texts_with_two_caches_do_not_mix() -> None:
    module, texts = Attention(6, 2, causal=True), torch.randn(2, 7, 6)
    caches = [Cache(), Cache()]
    with torch.no_grad():
        steps = [
            [module(text[None, i : i + 1], cache=c) for text, c in zip(texts, caches, strict=True)] for i in range(7)
        ]
    for text, answers in zip(texts, zip(*steps, strict=True), strict=True):
        assert close(torch.cat(answers, 1), module(text[None]))


# --- padding ----------------------------------------------------------------------------------------------------

PADDED: dict[str, Any] = {
    "encoder": dict,
    "decoder": lambda: {"causal": True},
    "post-norm": lambda: {"norm_first": False},
    "rotary": lambda: {"causal": True, "d_key": 4, "norm": RMSNorm},
    "sigmoid": lambda: {"weigher": WEIGHERS["sigmoid"]},
    "quiet softmax": lambda: {"weigher": WEIGHERS["quiet softmax"]},
}


def of_real_tokens(address: str, axes: tuple[str, ...], values: Tensor, real: slice) -> Tensor:
    """A stage without its padded positions."""
    for axis, name in enumerate(axes):
        if name in ("T", "Tq", "Tk") and values.shape[axis] > 1:
            values = values.narrow(axis, real.start, real.stop - real.start)
    if "norm" in address and values.ndim >= 2:  # the norms' leading axes have no names: B T
        values = values.narrow(1, real.start, real.stop - real.start)
    return values


@pytest.mark.parametrize("kind", PADDED)
@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_changes_no_shown_number_of_the_real_rows(kind: str, side: str) -> None:
    length, module = 5, block(6, 2, 11, **PADDED[kind]())
    x = torch.randn(1, length, 6)
    rotary = Rotary(4) if kind == "rotary" else None
    angles = rotary(torch.arange(length)[None]) if rotary else None
    answer, alone = record(module, x, angles=angles)
    for amount in (1, 2, 3, 7, 13, 64):
        start = amount if side == "left" else 0
        real = slice(start, start + length)
        padded = 10 * torch.randn(1, length + amount, 6)
        padded[:, real] = x
        positions = (torch.arange(length + amount) - start).clamp(min=0)[None]
        stands = torch.zeros(1, length + amount, dtype=torch.bool)
        stands[:, real] = True
        options = {"mask": padding_mask(stands), "angles": rotary(positions) if rotary else None}
        assert close(module(padded, **options)[:, real], answer)
        _, trace = record(module, padded, **options)
        for address in alone:
            if address != "self.mask":
                entry = trace.entry(address)
                shown = of_real_tokens(address, entry.axes, torch.from_numpy(entry.values), real)
                torch.testing.assert_close(
                    shown, torch.from_numpy(alone[address]), rtol=5e-6, atol=5e-6, msg=lambda m, a=address: f"{a}: {m}"
                )


def test_a_batch_of_texts_of_every_length_equals_one_by_one() -> None:
    module, longest = block(6, 2, 11, causal=True), 11
    texts = [torch.randn(1, n, 6) for n in range(1, longest + 1)]
    batch = torch.cat([torch.nn.functional.pad(text, (0, 0, 0, longest - text.shape[1])) for text in texts])
    stands = torch.arange(longest) < torch.arange(1, longest + 1)[:, None]
    answers = module(batch, mask=padding_mask(stands))
    for text, answer in zip(texts, answers, strict=True):
        assert close(answer[None, : text.shape[1]], module(text))
