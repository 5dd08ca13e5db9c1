"""The hand-worked ways back against torch's own, against finite differences, and by hand."""

import pytest
import torch
import torch.nn.functional as F

from glassformer.kernels import dropout, rms_norm, squared_relu

SHAPES = [(7,), (3, 5), (2, 3, 11), (2, 5, 3, 13)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_norm_is_torchs_forward_and_backward(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    rows = torch.randn(shape, dtype=dtype, requires_grad=True)
    weight = torch.randn(shape[-1], dtype=dtype, requires_grad=True)
    gradient = torch.randn(shape, dtype=dtype)
    ours, theirs = rms_norm(rows, weight, 1e-6), F.rms_norm(rows, (shape[-1],), weight, 1e-6)
    tolerance = {"rtol": 1e-5, "atol": 5e-6} if dtype == torch.float32 else {"rtol": 1e-12, "atol": 1e-12}
    torch.testing.assert_close(ours, theirs, **tolerance)
    for one, other in zip(
        torch.autograd.grad(ours, (rows, weight), gradient),
        torch.autograd.grad(theirs, (rows, weight), gradient),
        strict=True,
    ):
        torch.testing.assert_close(one, other, **tolerance)


def test_gradients_by_finite_differences() -> None:
    rows = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x, w: rms_norm(x, w, 1e-6), (rows, weight))
    assert torch.autograd.gradcheck(squared_relu, (rows,))


def test_the_bend_by_hand() -> None:
    x = torch.tensor([-2.0, 0.0, 3.0], requires_grad=True)
    y = squared_relu(x)
    assert y.tolist() == [0.0, 0.0, 9.0]
    y.backward(torch.tensor([1.0, 1.0, 5.0]))
    assert x.grad is not None
    assert x.grad.tolist() == [0.0, 0.0, 30.0]  # 5 · 2 · 3


def test_rows_of_zeros_have_a_finite_way_back() -> None:
    rows = torch.zeros(2, 3, requires_grad=True)
    rms_norm(rows, torch.ones(3), 1e-6).sum().backward()
    assert rows.grad is not None
    assert torch.isfinite(rows.grad).all()


def test_without_gradients_it_is_torchs_own() -> None:
    rows, weight = torch.randn(3, 5), torch.randn(5)
    assert torch.equal(rms_norm(rows, weight, 1e-6), F.rms_norm(rows, (5,), weight, 1e-6))
    assert torch.equal(squared_relu(rows), F.relu(rows).square())


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 0.9])
def test_dropout_drops_its_share_and_stretches_the_rest(rate: float) -> None:
    rows = torch.ones(211, 503, requires_grad=True)
    dropped = dropout(rows, rate)
    kept = dropped != 0
    assert kept.float().mean().item() == pytest.approx(1 - rate, abs=0.006)  # four standard errors of 106,133 draws
    torch.testing.assert_close(dropped[kept], torch.full_like(dropped[kept], 1 / (1 - rate)), rtol=2e-4, atol=0.0)
    dropped.sum().backward()
    assert rows.grad is not None
    assert torch.equal(rows.grad, dropped.detach())


def test_neighbours_are_dropped_independently() -> None:
    """Four neighbours share one drawn number; none of them may know of another."""
    kept = (dropout(torch.ones(40_000, 4), 0.5) != 0).float()
    together = (kept.T @ kept / len(kept)).fill_diagonal_(0.25)
    assert (together - 0.25).abs().max().item() < 0.01
    assert (kept.mean(0) - 0.5).abs().max().item() < 0.01


def test_the_same_seed_drops_the_same() -> None:
    torch.manual_seed(7)
    one = dropout(torch.ones(3, 5), 0.4)
    torch.manual_seed(7)
    assert torch.equal(one, dropout(torch.ones(3, 5), 0.4))
