"""The hand-worked ways back against torch's own, against finite differences, and by hand."""

import math

import pytest
import torch
import torch.nn.functional as F

from glassformer.layers import kernels
from glassformer.layers.kernels import cross_entropy, dropout, rms_norm, squared_relu, tanh_gelu, turned

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
    assert torch.autograd.gradcheck(tanh_gelu, (rows,))


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


def test_gpts_bend_is_torchs_forward_and_backward() -> None:
    rows = torch.cat([torch.linspace(-12, 12, 1009), torch.tensor([-1e15, 1e15])]).requires_grad_()
    ours, theirs = tanh_gelu(rows), F.gelu(rows, approximate="tanh")
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=2e-6)
    (one,), (other,) = (torch.autograd.grad(answer.sum(), rows) for answer in (ours, theirs))
    torch.testing.assert_close(one, other, rtol=1e-5, atol=2e-6)


def test_a_quarter_turn_by_hand() -> None:
    rows = torch.tensor([[[[3.0, 5.0, 7.0]]]], requires_grad=True)  # the pair (3, 5), and 7, which no angle turns
    answer = turned(rows, torch.zeros(1, 1, 1, 1), torch.ones(1, 1, 1, 1))
    assert answer.flatten().tolist() == [-5.0, 3.0, 7.0]
    answer.backward(torch.tensor([[[[1.0, 0.0, 0.0]]]]))
    assert rows.grad is not None
    assert rows.grad.flatten().tolist() == [0.0, -1.0, 0.0]


@pytest.mark.parametrize("batch", [1, 2])
def test_turning_is_torchs_forward_and_backward(batch: int) -> None:
    rows = torch.randn(2, 5, 3, 7, dtype=torch.float64).transpose(1, 2).requires_grad_()  # laid out as heads are
    angles = torch.randn(batch, 1, 5, 3, dtype=torch.float64)
    trained = turned(rows, angles.cos(), angles.sin())
    with torch.no_grad():
        assert torch.equal(trained, turned(rows, angles.cos(), angles.sin()))
    assert torch.autograd.gradcheck(lambda x: turned(x, angles.cos(), angles.sin()), (rows,))


def test_angles_that_are_learnt_get_a_gradient() -> None:
    rows, angles = torch.randn(1, 2, 3, 4, requires_grad=True), torch.randn(1, 1, 3, 2, requires_grad=True)
    turned(rows, angles.cos(), angles.sin()).square().sum().backward()
    assert angles.grad is not None


def test_cross_entropy_by_hand() -> None:
    logits = torch.tensor([[0.0, 0.0], [0.0, math.log(3.0)]], requires_grad=True)
    loss = cross_entropy(logits, torch.tensor([0, 1]))  # shares ½ ½ and ¼ ¾
    assert loss.item() == pytest.approx(math.log(2) + math.log(4 / 3))
    loss.backward()
    assert logits.grad is not None
    torch.testing.assert_close(logits.grad, torch.tensor([[-0.5, 0.5], [0.25, -0.25]]))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("numbers", [1, 50, 2**18])  # one row at a time, four, all
def test_cross_entropy_is_torchs(smoothing: float, numbers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels._CrossEntropy, "NUMBERS", numbers)
    logits, wanted = (10 * torch.randn(13, 11)).requires_grad_(), torch.randint(11, (13,))
    ours = cross_entropy(logits, wanted, smoothing)
    theirs = F.cross_entropy(logits, wanted, reduction="sum", label_smoothing=smoothing)
    torch.testing.assert_close(ours, theirs)
    (one,), (other,) = (torch.autograd.grad(3 * loss, logits) for loss in (ours, theirs))
    torch.testing.assert_close(one, other)


def test_cross_entropy_of_huge_and_impossible_scores_is_finite_where_torchs_is() -> None:
    logits = torch.tensor([[1e4, -1e4, 0.0], [-math.inf, 0.0, 0.0]], requires_grad=True)
    loss = cross_entropy(logits, torch.tensor([0, 1]))
    assert loss.item() == pytest.approx(math.log(2))
    loss.backward()
    assert logits.grad is not None
    assert logits.grad.tolist() == [[0.0, 0.0, 0.0], [0.0, -0.5, 0.5]]


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


def test_rows_of_half_precision_meet_weights_of_full_precision() -> None:
    rows, weight = torch.randn(3, 5).bfloat16(), torch.randn(5)
    with torch.no_grad():
        found = rms_norm(rows, weight, 1e-6)
    assert found.dtype == torch.bfloat16
    assert torch.equal(found, F.rms_norm(rows.float(), (5,), weight, 1e-6).bfloat16())
