"""What there is to learn: samples as ids, batch by batch, and the loss of a model on each. It knows no objective.

Here text and models meet: ids come from tokens and batches below, tensors go to the models. Every batch follows from
(seed, epoch, place) alone, so that whoever resumes, or shares the work, sees the same. It knows no loop and no clock.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import torch.nn.functional as F
from torch import Tensor, nn

from glassformer.layers.devices import sent
from glassformer.layers.kernels import cross_entropy
from glassformer.text import batches
from glassformer.text.files.permutation import permuted
from glassformer.text.files.token_files import TokenFolder
from glassformer.text.tokens import Ids
from glassformer.text.varied_pairs import Variety

Loss = Callable[[nn.Module, Any, float], tuple[Tensor, int]]  # model, batch, smoothing → summed loss, over how many
Graded = Callable[[nn.Module, Any, float], tuple[Tensor, int, int]]  # the same, and how many were right


class Batched(Protocol):
    """Samples as batches: drawn anew in every epoch for training, or in order for validation."""

    def n_batches(self, epoch: int) -> int: ...

    def batch(self, epoch: int, place: int) -> Any: ...

    def in_order(self) -> Iterator[Any]: ...


@dataclass(frozen=True, eq=False)
class Rows:
    """Samples of unlike length: those of like length together, in an order that each epoch draws anew."""

    lengths: Callable[[int], Sequence[int]]  # of all samples in an epoch: some are cut anew in each
    made: Callable[[Sequence[int], int], Any]  # indices and epoch → batch
    tokens_per_batch: int
    seed: int

    @lru_cache(maxsize=2)  # noqa: B019 - the epoch at hand and the next; a part lives as long as its run
    def epoch(self, epoch: int) -> list[list[int]]:
        """The batches of an epoch, as lists of indices."""
        return batches.bucketed(self.lengths(epoch), self.tokens_per_batch, self.seed, epoch)

    def n_batches(self, epoch: int) -> int:
        """How many batches make this epoch."""
        return len(self.epoch(epoch))

    def batch(self, epoch: int, place: int) -> Any:
        """One batch of an epoch."""
        return self.made(self.epoch(epoch)[place], epoch)

    def in_order(self) -> Iterator[Any]:
        """Every sample once, without any draw."""
        in_order = batches.bucketed(self.lengths(0), self.tokens_per_batch, shuffle=False)
        return (self.made(indices, 0) for indices in in_order)

    def waste(self) -> float:
        """The share of the first epoch's batches that is padding."""
        return batches.padding_waste(self.lengths(0), self.epoch(0))


def always(lengths: Sequence[int]) -> Callable[[int], Sequence[int]]:
    """The same lengths in every epoch."""
    return lambda epoch: lengths


@dataclass(frozen=True, eq=False)
class Stream:
    """One long text: blocks of it begin anywhere; in order it is read from end to end, every token once."""

    ids: Ids
    context: int
    rows: int
    seed: int

    def n_batches(self, epoch: int) -> int:
        """As many as would read the whole text once."""
        return max(1, len(self.ids) // (self.context * self.rows))

    def batch(self, epoch: int, place: int) -> batches.LanguageBatch:
        """Blocks from random places of the text."""
        step = epoch * self.n_batches(epoch) + place
        return batches.blocks(self.ids, self.context, self.rows, seed=self.seed, step=step)

    def in_order(self) -> Iterator[batches.LanguageBatch]:
        """The whole text."""
        return iter(batches.whole(self.ids, self.context, self.rows))

    def waste(self) -> float:
        """Nothing is padded."""
        return 0.0


@dataclass(frozen=True, eq=False)
class Windows:
    """A text that stays on the disk: windows of it side by side, in an order that each epoch draws anew over all of it.
    Every token is learnt once in an epoch, but for a few at its ends."""

    kept: TokenFolder
    context: int
    rows: int
    seed: int

    def n_batches(self, epoch: int) -> int:
        """As many as read every window once."""
        return max(1, self._windows // self.rows)

    @property
    def _windows(self) -> int:
        return (len(self.kept) - self.context) // self.context

    def batch(self, epoch: int, place: int) -> batches.LanguageBatch:
        """The windows at this place of the epoch's order; where they begin is shifted in each epoch."""
        first = int(np.random.default_rng([6, self.seed, epoch]).integers(0, self.context))
        places = np.arange(place * self.rows, (place + 1) * self.rows) % self._windows
        begins = first + self.context * permuted(places, self._windows, self.seed, epoch)
        return batches.shifted(self.kept.at(begins, self.context + 1))

    def in_order(self) -> Iterator[batches.LanguageBatch]:
        """Every window, from the first to the last."""
        for begin in range(0, self._windows, self.rows):
            begins = self.context * np.arange(begin, min(begin + self.rows, self._windows))
            yield batches.shifted(self.kept.at(begins, self.context + 1))

    def waste(self) -> float:
        """Nothing is padded."""
        return 0.0


@dataclass(frozen=True, eq=False)
class Lessons:
    """What to train on, what to validate on, and the loss on either."""

    train: Rows | Stream | Windows
    valid: Batched
    loss: Loss
    notes: tuple[str, ...] = ()  # what a person should know: how much was cut, how much is padding
    graded: Graded | None = None  # the loss again, where an answer is right or wrong


@dataclass(frozen=True, kw_only=True)
class Measures:
    """How samples are cut and batched."""

    longest: int  # ids of a text; in a stream, the context
    tokens_per_batch: int
    seed: int = 0
    variety: Variety = field(default_factory=Variety)  # of pairs
    crop: float = 0.0  # share of the texts of which a piece is read; of texts with classes


def lessons_of(train: Rows, valid: Rows, loss: Loss, cut: batches.Shortened | None = None) -> Lessons:
    """Rows for training and for validation, with notes on how much is padding and how much of the texts was `cut`."""
    notes = [f"{train.waste():.1%} of the batches is padding."]
    if cut is not None and cut.rows_cut:
        lengths = train.lengths(0)
        share = cut.tokens_lost / (cut.tokens_lost + sum(lengths))
        notes.append(f"{cut.rows_cut:,} of {len(lengths):,} texts were cut; {share:.1%} of all tokens are lost.")
    return Lessons(train, valid, loss, tuple(notes))


# --- losses: model, batch, smoothing → summed loss, over how many ------------------------------------------------


def language_loss(model: nn.Module, batch: batches.LanguageBatch, smoothing: float = 0.0) -> tuple[Tensor, int]:
    """Of each counted next token, summed, and over how many. Padding stands on the right, where no row looks: it need
    not be hidden."""
    ids, wanted, counted = tensors(model, batch.ids_in, batch.ids_out, batch.counted)
    return cross_entropy(model(ids, counted=counted), wanted[counted], smoothing), int(batch.counted.sum())


def class_loss(model: nn.Module, batch: batches.LabelledBatch, smoothing: float = 0.0) -> tuple[Tensor, int]:
    """Of the right class of each text, summed, and over how many."""
    return graded_loss(model, batch, smoothing)[:2]


def graded_loss(model: nn.Module, batch: batches.LabelledBatch, smoothing: float = 0.0) -> tuple[Tensor, int, int]:
    """The same, and for how many the right class was the likeliest."""
    ids, real, labels = tensors(model, batch.ids, batch.real, batch.labels)
    logits = model(ids, real)
    right = int((logits.detach().argmax(-1) == labels).sum())
    return cross_entropy(logits, labels, smoothing), len(labels), right


def hidden_loss(model: nn.Module, batch: batches.LanguageBatch, smoothing: float = 0.0) -> tuple[Tensor, int]:
    """Of each hidden token, from the encoder's rows and the embedding's own matrix: no weight is learnt for this."""
    ids, wanted, real, counted = tensors(model, batch.ids_in, batch.ids_out, batch.real, batch.counted)
    rows = model.read(ids, real)  # type: ignore[operator]
    logits = F.linear(rows[counted], model.embedding.weight)  # type: ignore[union-attr, arg-type]
    return cross_entropy(logits, wanted[counted], smoothing), int(batch.counted.sum())


def translation_loss(model: nn.Module, batch: batches.PairBatch, smoothing: float = 0.0) -> tuple[Tensor, int]:
    """Of each next token of the target, summed, and over how many; padding does not count."""
    source, real, target, wanted, counted = tensors(
        model, batch.source, batch.source_real, batch.target_in, batch.target_out, batch.target_real
    )
    answered = model(source, real, target, counted=counted)
    return cross_entropy(answered, wanted[counted], smoothing), int(batch.target_real.sum())


def tensors(model: nn.Module, *arrays: Any) -> list[Tensor]:
    """Arrays as tensors where the model is."""
    device = next(model.parameters()).device
    return [sent(array, device) for array in arrays]
