"""The classifiers that read all words at once: dense, convolutional, and those that attend.

All share one contract: ids (B T) and where they are real (B T, padding on the right) go in, logits (B N) come out, and
every stage is seen. How a text is cut into ids they do not know; that padding says nothing, each of them guarantees.
"""

from itertools import pairwise

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from glassformer.layers.attention import Attention, padding_mask, project
from glassformer.layers.blocks import block, norm_of
from glassformer.layers.embedding import POOLINGS, Embedding, Head, Pooler
from glassformer.layers.positions import Dimensions, Order
from glassformer.models.config import ConvolutionConfig, DenseConfig, EncoderConfig
from glassformer.stages.watchers import Watcher, Witness, nothing, within

MOST_SHOWN = 10_000_000  # numbers of a matrix that is shown to whoever looks


class DenseClassifier(nn.Module):
    """All words side by side, then layer upon layer. It knows where each word stands, but not that words are alike."""

    def __init__(self, config: DenseConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = Embedding(config.vocabulary, config.width)
        widths = [config.length * config.width, *config.hidden]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.head = Head(widths[-1], config.classes)

    def forward(
        self, ids: Int[Tensor, "B T"], real: Bool[Tensor, "B T"], *, see: Watcher = nothing
    ) -> Float[Tensor, "B N"]:
        """Flatten, then layers with a bend after each."""
        rows = _fixed_length(self.embedding(ids, see=see), real, self.config.length, see)
        hidden = see("flat_rows", rows.flatten(1))
        for i, layer in enumerate(self.layers):
            assert isinstance(layer, nn.Linear)
            hidden = _dense(layer, hidden, within(see, f"dense.{i}"))
        return self.head(see("pooled", hidden, "dense layers"), see=see)  # type: ignore[no-any-return]


class ConvolutionClassifier(nn.Module):
    """Finds patterns in windows of words; with pooling, wherever they stand."""

    def __init__(self, config: ConvolutionConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = Embedding(config.vocabulary, config.width)
        widths = [config.width, *config.filters]
        self.convolutions = nn.ModuleList(nn.Conv1d(a, b, config.kernel, config.stride) for a, b in pairwise(widths))
        self.hidden = nn.Linear(widths[-1] * (1 if config.pooled else self._windows()), config.hidden)
        self.head = Head(config.hidden, config.classes)

    def _windows(self) -> int:
        length = self.config.length
        for _ in self.config.filters:
            length = (length - self.config.kernel) // self.config.stride + 1
        return length

    def forward(
        self, ids: Int[Tensor, "B T"], real: Bool[Tensor, "B T"], *, see: Watcher = nothing
    ) -> Float[Tensor, "B N"]:
        """Convolutions, then the largest answer of each filter or all of them, then one hidden layer."""
        rows = _fixed_length(self.embedding(ids, see=see), real, self.config.length, see)
        for i, convolution in enumerate(self.convolutions):
            assert isinstance(convolution, nn.Conv1d)
            rows = _convolved(convolution, rows, within(see, f"convolutions.{i}"))
        found = see("windows", see("last_windows", rows).transpose(1, 2))  # B S W
        found = see("largest_window", found.amax(-1)) if self.config.pooled else see("flat_rows", found.flatten(1))
        hidden = _dense(self.hidden, found, within(see, "hidden"))
        return self.head(see("pooled", hidden, "hidden layer"), see=see)  # type: ignore[no-any-return]


def _fixed_length(
    embedded: Float[Tensor, "B T D"], real: Bool[Tensor, "B T"], length: int, see: Watcher
) -> Float[Tensor, "B L D"]:
    """Zeros where there is no word, up to the length that the network was made for."""
    quiet = embedded.masked_fill(~see("real", real)[..., None], 0.0)[:, :length]
    return see("filled_rows", F.pad(quiet, (0, 0, 0, length - quiet.shape[1])))


def _dense(layer: nn.Linear, rows: Float[Tensor, "B D"], see: Watcher) -> Float[Tensor, "B F"]:
    """One dense layer with its bend. A matrix of millions is not shown: nobody could look at it."""
    rows = see("dense_inputs", rows)
    is_small = layer.weight.numel() <= MOST_SHOWN
    return see("dense_rows", F.relu(see("dense_sum", project(layer, rows, "dense", see) if is_small else layer(rows))))


def _convolved(layer: nn.Conv1d, rows: Float[Tensor, "B T D"], see: Watcher) -> Float[Tensor, "B W O"]:
    """One convolution with its bend. The kernel works it, unless somebody wrote into what it is worked from."""
    witness = Witness(see)
    rows = witness("window_inputs", rows)
    worked = None if see is nothing else _by_windows(layer, rows, witness)
    found = worked if worked is not None and witness.rewritten else layer(rows.transpose(1, 2)).transpose(1, 2)
    return see("bent_windows", F.relu(see("filtered", found)))


def _by_windows(layer: nn.Conv1d, rows: Float[Tensor, "B T D"], see: Watcher) -> Float[Tensor, "B W O"]:
    """Each window as one row, each filter as one column, row by row of the window."""
    stride = see("window_stride", rows.new_tensor(float(layer.stride[0])))
    unrolled = see("unrolled", rows.unfold(1, layer.kernel_size[0], int(stride)).transpose(2, 3).flatten(2))  # B W WD
    weight = see("filter_weight", layer.weight.permute(2, 1, 0).flatten(0, 1))  # WD O
    assert layer.bias is not None  # as torch makes it
    return unrolled @ weight + see("filter_bias", layer.bias)


def words_left_out(
    ids: Int[Tensor, "B T"], real: Bool[Tensor, "B T"], most: float
) -> tuple[Int[Tensor, "B t"], Bool[Tensor, "B t"]]:
    """The texts without a share of their words, drawn at random; what is left closes up, so a shorter text is read.

    The share is drawn anew for each batch, `most` of them at most, so that whole texts are seen as well. A text that
    would lose all its words keeps them.
    """
    share = float(torch.rand(())) * most
    keep = real & (torch.rand(ids.shape, device=ids.device) >= share)
    keep = torch.where(keep.any(1, keepdim=True), keep, real)
    first = keep.to(torch.uint8).argsort(dim=1, descending=True, stable=True)[:, : int(keep.sum(1).max())]
    return ids.gather(1, first), keep.gather(1, first)


class EncoderClassifier(nn.Module):
    """Every word looks at every word; the mean of the rows answers, or the first row."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = Embedding(config.vocabulary, config.width)
        dimensions = Dimensions(config.length, config.width, config.heads, config.key_width, config.rotary_base)
        self.order = Order(config.positions, dimensions, ("encoder",))
        norm = norm_of(config.norm, config.epsilon)
        self.embedding_norm = norm(config.width) if config.embedding_norm else None
        self.blocks = nn.ModuleList(
            block(
                config.width, config.heads, config.hidden, norm=norm, norm_first=config.norm_first,
                activation=config.activation, dropout=config.dropout,
                attention_dropout=config.attention_dropout, d_key=config.key_width or None,
                d_value=config.value_width or None, bias=config.bias,
            )
            for _ in range(config.layers)
        )  # fmt: skip
        self.attention = None
        if config.layers == 0:
            self.attention = Attention(
                config.width, config.heads, learned="qkvo" if config.learned else "", d_key=config.key_width or None,
                d_value=config.value_width or None, bias=config.bias,
            )  # fmt: skip
        self.final_norm = norm(config.width) if config.layers and config.norm_first else None
        self.pooler = Pooler(config.width) if config.pooler else None
        self.head = Head(config.width, config.classes)
        if config.learned:
            nn.init.normal_(self.embedding.weight, std=0.05)  # small, so that words rarely seen say little

    def forward(
        self, ids: Int[Tensor, "B T"], real: Bool[Tensor, "B T"], *, see: Watcher = nothing
    ) -> Float[Tensor, "B N"]:
        """The mean over the real words' rows (or the first row), turned into logits."""
        ids, real = ids[:, : self.config.length], real[:, : self.config.length]
        if self.training and self.config.word_dropout > 0:
            ids, real = words_left_out(ids, real, self.config.word_dropout)
        pooled = POOLINGS[self.config.pooling](self.read(ids, real, see=see), real, see)
        if self.pooler is not None:
            pooled = self.pooler(pooled, see=see)
        return self.head(pooled, see=see)  # type: ignore[no-any-return]

    def read(
        self, ids: Int[Tensor, "B T"], real: Bool[Tensor, "B T"], *, see: Watcher = nothing
    ) -> Float[Tensor, "B T D"]:
        """A row for every word, after the blocks (or the one attention)."""
        x, angles, bias = self.order(self.embedding(ids, see=see), stack="encoder", see=see)
        if self.embedding_norm is not None:
            x = self.embedding_norm(x, see=within(see, "embedding_norm"))
        mask = padding_mask(real)
        if self.attention is not None:
            x = self.attention(x, mask=mask, score_bias=bias, angles=angles, see=within(see, "self"))
        for i, each in enumerate(self.blocks):
            x = each(x, mask=mask, score_bias=bias, angles=angles, see=within(see, f"encoder.{i}"))
        if self.final_norm is not None:
            x = self.final_norm(x, see=within(see, "final_norm"))
        return x  # type: ignore[no-any-return]
