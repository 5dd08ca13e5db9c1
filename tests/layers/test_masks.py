"""Masks: who may look at whom, what is refused at the door, and what must hold however little may be seen."""

import itertools
import math
from typing import Any

import pytest
import torch
from torch import Tensor

from glassformer.errors import InputError
from glassformer.layers import attention_checks as checks
from glassformer.layers.attention import (
    WEIGHERS,
    Attention,
    DotProduct,
    Scorer,
    attend,
    causal_mask,
    padding_mask,
    quiet_softmax,
    sigmoid,
    softmax,
)
from glassformer.layers.cache import Cache
from glassformer.layers.positions import Rotary
from glassformer.layers.synthesizers import DenseSynthesizer, RandomSynthesizer
from glassformer.stages.recorder import Recorder, record
from glassformer.stages.watchers import Watcher, nothing

# --- with a pencil ----------------------------------------------------------------------------------------------


def test_nobody_sees_the_future() -> None:
    assert causal_mask(3, 3).int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_the_last_query_stands_at_the_last_key() -> None:
    assert causal_mask(2, 4).int().tolist() == [[1, 1, 1, 0], [1, 1, 1, 1]]
    assert causal_mask(3, 1).int().tolist() == [[0], [0], [1]]


def test_nobody_sees_padding() -> None:
    mask = padding_mask(torch.tensor([[True, True, False], [False, True, True]]))
    assert mask.int().tolist() == [[[[1, 1, 0]]], [[[0, 1, 1]]]]


def test_masks_are_joined_with_and() -> None:
    module, x = Attention(6, 2, causal=True), torch.randn(1, 3, 6)
    _, trace = record(module, x, mask=padding_mask(torch.tensor([[False, True, True]])))
    assert trace["mask"].astype(int).tolist() == [[[[0, 0, 0], [0, 1, 0], [0, 1, 1]]]]
    assert (trace["weights"][0, :, 0] == 0).all()


# --- what is refused --------------------------------------------------------------------------------------------

B, H, TQ, TK = 2, 3, 5, 7
LEGAL = [
    (TQ, TK), (1, TK), (TQ, 1), (1, 1), (B, TQ, TK), (1, TQ, TK), (B, 1, TK), (B, H, TQ, TK), (1, H, TQ, TK),
    (B, 1, TQ, TK), (B, 1, 1, TK), (1, 1, 1, 1),
]  # fmt: skip
ILLEGAL: dict[str, tuple[Tensor, str]] = {
    "float": (torch.ones(TQ, TK), "torch.float32.*mask.bool()"),
    "float to be added": (torch.zeros(TQ, TK).fill_(-math.inf), "`score_bias`"),
    "half": (torch.ones(TQ, TK, dtype=torch.float16), "torch.float16"),
    "int": (torch.ones(TQ, TK, dtype=torch.int64), "torch.int64"),
    "byte": (torch.ones(TQ, TK, dtype=torch.uint8), "torch.uint8"),
    "a number": (torch.tensor(True), r"shape \[\]"),
    "one row": (torch.ones(TK, dtype=torch.bool), r"shape \[7\]"),
    "padding without its axes": (torch.ones(B, TK, dtype=torch.bool), r"shape \[2, 7\].*padding_mask"),
    "turned round": (torch.ones(TK, TQ, dtype=torch.bool), r"shape \[7, 5\] does not fit 5 queries and 7 keys"),
    "too few keys": (torch.ones(TQ, TK - 1, dtype=torch.bool), r"shape \[5, 6\]"),
    "too many queries": (torch.ones(TQ + 1, TK, dtype=torch.bool), r"shape \[6, 7\]"),
    "heads without batch": (torch.ones(H, TQ, TK, dtype=torch.bool), r"shape \[3, 5, 7\].*batch 2"),
    "wrong batch": (torch.ones(B + 2, 1, TQ, TK, dtype=torch.bool), r"shape \[4, 1, 5, 7\]"),
    "wrong heads": (torch.ones(B, H - 1, TQ, TK, dtype=torch.bool), r"shape \[2, 2, 5, 7\].*3 heads"),
    "five axes": (torch.ones(1, B, H, TQ, TK, dtype=torch.bool), r"shape \[1, 2, 3, 5, 7\]"),
}


@pytest.mark.parametrize("kind", ILLEGAL)
@pytest.mark.parametrize("looked_at", [False, True])
def test_a_mask_of_another_kind_is_refused(kind: str, looked_at: bool) -> None:
    mask, message = ILLEGAL[kind]
    module, x, context = Attention(6, H), torch.randn(B, TQ, 6), torch.randn(B, TK, 6)
    with pytest.raises(InputError, match=message):
        module(x, context, mask=mask, see=Recorder() if looked_at else nothing)


@pytest.mark.parametrize("shape", LEGAL)
def test_a_mask_may_leave_out_what_is_the_same_for_all(shape: tuple[int, ...]) -> None:
    mask = torch.rand(shape) < 0.6
    whole = checks.mask(mask, (B, H, TQ, TK)).expand(B, H, TQ, TK)
    by_hand = (mask[:, None] if mask.ndim == 3 else mask).expand(B, H, TQ, TK)
    assert torch.equal(whole, by_hand)


# --- a row that may look at nothing -----------------------------------------------------------------------------


@pytest.mark.parametrize("weigher", WEIGHERS)
@pytest.mark.parametrize("looked_at", [False, True])
def test_ten_thousand_mask_pairs_stay_finite_forward_and_backward(weigher: str, looked_at: bool) -> None:
    """Random causal × padding pairs of random length, each with at least one row that may look at nothing."""
    pairs, length = 10_000, 5
    real = torch.rand(pairs, length) < torch.rand(pairs, 1)
    real[:, 0] = False  # the first token is padding: with the causal mask, its row sees nothing
    queries, keys, values = (torch.randn(pairs, 1, length, 3, requires_grad=True) for _ in range(3))
    shown: dict[str, Tensor] = {}

    def see(name: str, value: Tensor, how: str = "") -> Tensor:
        shown[name] = value
        return value.clone() if name == "weights" else value  # rewritten, so the answer comes from these very weights

    answer = attend(
        queries, keys, values, weigher=WEIGHERS[weigher], mask=padding_mask(real), causal=True,
        see=see if looked_at else nothing,
    )  # fmt: skip
    answer.square().sum().backward()
    allowed = torch.ones(length, length, dtype=torch.bool).tril() & real[:, None, None, :]
    empty = ~allowed.any(-1)
    assert empty.sum() > pairs
    assert answer.isfinite().all()
    assert not answer[empty].any()
    for rows in (queries, keys, values):
        assert rows.grad is not None
        assert rows.grad.isfinite().all()
    assert queries.grad is not None
    assert not queries.grad[empty].any()
    if looked_at:
        assert not shown["weights"][~allowed].any()
        if weigher == "softmax":
            torch.testing.assert_close(shown["weights"].sum(-1), (~empty).float())


def test_an_empty_row_does_not_poison_training() -> None:
    """One text of a batch is all padding, somebody looks, and a step is taken on the other text."""
    module, x = Attention(6, 2), torch.randn(2, 5, 6)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    before = module(x[:1]).detach()
    answer, trace = record(module, x, mask=padding_mask(torch.tensor([[True], [False]]).expand(2, 5)))
    answer[0].square().sum().backward()
    optimizer.step()
    assert all(parameter.isfinite().all() for parameter in module.parameters())
    assert (trace["weights"][1] == 0).all()
    assert not torch.equal(module(x[:1]), before)


# --- no leak from the future ------------------------------------------------------------------------------------

SCORERS: dict[str, Any] = {
    "dot": DotProduct,
    "dense": lambda: DenseSynthesizer(2, 4, 7),
    "random": lambda: RandomSynthesizer(2, 7),
}
LOOKED_AT: dict[str, Any] = {"trace off": lambda: nothing, "trace on": Recorder}


def loud(module: Attention, factor: float) -> None:
    """Makes the scores `factor` times as large."""
    with torch.no_grad():
        for linear in (module.query, module.key):
            if linear is not None:
                linear.weight *= math.sqrt(factor)
        for parameter in module.scorer.parameters() if isinstance(module.scorer, torch.nn.Module) else ():
            parameter.mul_(factor)


@pytest.mark.parametrize(
    ("scorer", "weigher", "factor"), list(itertools.product(SCORERS, [softmax, sigmoid, quiet_softmax], [1.0, 1000.0]))
)
@pytest.mark.parametrize("looked_at", LOOKED_AT)
@pytest.mark.parametrize("training", [True, False])
def test_the_future_does_not_leak(scorer: str, weigher: Any, factor: float, looked_at: str, training: bool) -> None:
    length = 7
    module = Attention(6, 2, d_key=4, causal=True, scorer=SCORERS[scorer](), weigher=weigher).train(training)
    loud(module, factor)
    angles = Rotary(4)(torch.arange(length)[None])
    padding = torch.ones(2, length, dtype=torch.bool)
    padding[1, :2] = False
    for mask, cached in itertools.product((None, padding_mask(padding)), (False, True)):

        def run(x: Tensor, mask: Tensor | None = mask, cached: bool = cached) -> Tensor:
            see: Watcher = LOOKED_AT[looked_at]()
            answer: Tensor = module(x, mask=mask, angles=angles, cache=Cache() if cached else None, see=see)
            return answer

        x = torch.randn(2, length, 6, requires_grad=True)
        answer = run(x)
        for now in range(length):
            changed = x.detach().clone()
            changed[:, now + 1 :] = 100 * torch.randn(2, length - now - 1, 6)
            assert torch.equal(run(changed)[:, : now + 1], answer[:, : now + 1])
            (gradient,) = torch.autograd.grad(answer[:, now].square().sum(), x, retain_graph=True)
            assert not gradient[:, now + 1 :].any()
            assert gradient[0, now].any() or factor > 1  # a saturated weigher may have no slope left


# --- extreme scores ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weigher", WEIGHERS)
@pytest.mark.parametrize("size", [1e2, 1e3, 1e4])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_extreme_scores_stay_finite(weigher: str, size: float, dtype: torch.dtype) -> None:
    scores = (size * (2 * torch.rand(2, 3, 5, 7) - 1)).to(dtype)
    scores[0, 0, 0], scores[0, 0, 1] = size, -size
    rows = scores.clone().requires_grad_()
    weights = WEIGHERS[weigher](rows)
    weights.square().sum().backward()
    assert weights.isfinite().all()
    assert rows.grad is not None
    assert rows.grad.isfinite().all()
    assert ((weights >= 0) & (weights <= 1)).all()
    if weigher == "softmax":
        torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3, 5, dtype=dtype), rtol=0, atol=1e-6)


@pytest.mark.parametrize("looked_at", [False, True])
def test_attention_with_scores_of_ten_thousand_is_finite(looked_at: bool) -> None:
    queries, keys = (100.0 * torch.randn(2, 3, 5, 11) for _ in range(2))
    values = torch.randn(2, 3, 5, 7)
    rows = [each.requires_grad_() for each in (queries, keys, values)]
    recorder = Recorder()
    scorer: Scorer = DotProduct(1.0)
    answer = attend(*rows, scorer=scorer, causal=True, see=recorder if looked_at else nothing)
    answer.square().sum().backward()
    assert answer.isfinite().all()
    assert all(each.grad is not None and each.grad.isfinite().all() for each in rows)
    if looked_at:
        assert abs(recorder.trace["scores"]).max() > 1e4
