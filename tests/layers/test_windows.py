"""Convolutions and pooling, compared with torch's kernels at prime sizes."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from glassformer.layers.blocks import FeedForward
from glassformer.layers.windows import convolution, image_convolution, max_pooling
from glassformer.stages.recorder import record

T, D, W, N = 13, 5, 3, 7


def drawn(*shape: int) -> Tensor:
    return torch.randn(shape, dtype=torch.float64)


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(7)


def on_paper(filters: Tensor) -> Tensor:
    """torch's filters, N D W, as one column each: row by row of the window."""
    return filters.permute(2, 1, 0).flatten(0, 1)


@pytest.mark.parametrize("stride", [1, 2, 3])
def test_a_convolution_is_what_torch_does(stride: int) -> None:
    rows, filters, bias = drawn(T, D), drawn(N, D, W), drawn(N)
    of = {"sequence_rows": rows, "filter_weight": on_paper(filters), "filter_bias": bias}
    wanted = F.conv1d(rows.T[None], filters, bias, stride=stride)[0].T
    answer, trace = record(convolution, {**of, "window_stride": torch.tensor(float(stride))})
    torch.testing.assert_close(answer, wanted, rtol=0, atol=1e-12)
    assert trace["window_rows"].shape == (len(wanted), W * D)
    pooled = convolution({**of, "window_stride": torch.tensor(float(stride))}, pooling="global")
    torch.testing.assert_close(pooled, F.adaptive_max_pool1d(wanted.T[None], 1)[0, :, 0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("stride", [1, 2])
def test_an_image_convolution_is_what_torch_does(stride: int) -> None:
    image, kernel, bias = drawn(11, 7), drawn(3, 2), drawn()
    of = {"image": image, "kernel_weight": kernel, "kernel_bias": bias, "window_stride": torch.tensor(float(stride))}
    answer = image_convolution(of)
    windows = F.unfold(image[None, None], (3, 2), stride=stride)  # another way than the kernel that was asked
    wanted = (kernel.flatten() @ windows[0] + bias).view(answer.shape)
    torch.testing.assert_close(answer, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("size", [2, 3])
def test_max_pooling_is_what_torch_does(size: int) -> None:
    found = drawn(11, 7)
    blocks = found[: 11 // size * size, : 7 // size * size].unfold(0, size, size).unfold(1, size, size)
    pooled = max_pooling({"feature_map": found, "block_size": torch.tensor(float(size))})
    torch.testing.assert_close(pooled, blocks.amax((-2, -1)), rtol=0, atol=0)
    torch.testing.assert_close(max_pooling({"feature_map": found}), found.max()[None], rtol=0, atol=0)
    torch.testing.assert_close(max_pooling({"convolved": found}), found.amax(0), rtol=0, atol=0)


def test_the_feed_forward_network_is_two_convolutions_of_one_row() -> None:
    network, rows = FeedForward(D, N).double(), drawn(T, D)
    hidden = convolution(
        {"sequence_rows": rows, "filter_weight": network.expand.weight.T, "filter_bias": network.expand.bias}
    )
    answer = convolution(
        {
            "sequence_rows": hidden.relu(),
            "filter_weight": network.contract.weight.T,
            "filter_bias": network.contract.bias,
        }
    )
    torch.testing.assert_close(answer, network(rows[None])[0], rtol=0, atol=1e-12)
