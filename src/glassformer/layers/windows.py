"""Convolutions and max pooling in plain sight: every window laid out as a row, every block by its largest number.

They take their givens under the names of their stages, matrices as on paper, and hand every stage to the watcher.
As everywhere in this field the filter is not turned round. They know no batch; torch's kernels give the same numbers.
"""

from collections.abc import Mapping

import torch.nn.functional as F
from torch import Tensor

from glassformer.stages.watchers import Watcher, nothing

Givens = Mapping[str, Tensor]


def convolution(of: Givens, *, pooling: str = "none", see: Watcher = nothing) -> Tensor:
    """A window slides along a sequence: one row for each place of it, one column for each filter."""
    rows, weight = of["sequence_rows"], of["filter_weight"]
    size = see("window_size", rows.new_tensor(len(weight) // rows.shape[1]))
    stride = see("window_stride", of.get("window_stride", rows.new_tensor(1.0)))
    unrolled = rows.unfold(0, int(size), int(stride)).transpose(1, 2).flatten(1)  # W WD
    unrolled = see("window_rows", unrolled)
    found = unrolled @ weight
    found = see("convolved", found + of["filter_bias"] if "filter_bias" in of else found)
    return see("window_maxima", found.amax(0)) if pooling == "global" else found


def image_convolution(of: Givens, *, see: Watcher = nothing) -> Tensor:
    """A small kernel slides over an image of one channel, across and down."""
    image, kernel = of["image"], of["kernel_weight"]
    stride = see("window_stride", of.get("window_stride", image.new_tensor(1.0)))
    bias = of["kernel_bias"][None] if "kernel_bias" in of else None
    found = F.conv2d(image[None, None], kernel[None, None], bias, stride=int(stride))
    return see("feature_map", found[0, 0], "slid")


def max_pooling(of: Givens, *, see: Watcher = nothing) -> Tensor:
    """The largest number of each block, or of all; or of each filter's windows, wherever it stands."""
    if "convolved" in of:
        return see("window_maxima", of["convolved"].amax(0))
    found = of["feature_map"]
    if "block_size" not in of:
        return see("map_maximum", found.max()[None])
    return see("pooled_map", F.max_pool2d(found[None], int(of["block_size"]))[0])
