"""What there is to learn: samples as ids, batch by batch, and the loss of a model on each. One kind for each task.

Here text and models meet: ids come from tokens and batches below, tensors go to the models. Every batch follows from
(seed, epoch, place) alone, so that whoever resumes, or shares the work, sees the same. It knows no loop and no clock.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from glassformer import batches
from glassformer.samples import Labelled, Pair, Plain
from glassformer.tokens import Ids, Tokens


class Lessons(Protocol):
    """Batches to learn from and to be judged on."""

    seed: int

    def n_batches(self, epoch: int) -> int: ...

    def batch(self, epoch: int, place: int) -> Any: ...

    def valid(self) -> Iterator[Any]: ...

    def loss(self, model: nn.Module, batch: Any, smoothing: float = 0.0) -> tuple[Tensor, int]: ...


def tensors(*arrays: Any) -> list[Tensor]:
    """Arrays as tensors that share their memory."""
    return [torch.from_numpy(array) for array in arrays]


@dataclass(frozen=True, eq=False)
class Bucketed:
    """Rows of like length together, in an order that each epoch draws anew."""

    lengths: Sequence[int]
    tokens_per_batch: int
    seed: int

    @lru_cache(maxsize=2)  # noqa: B019 - the epoch at hand and the next; a Bucketed lives as long as its run
    def epoch(self, epoch: int) -> list[list[int]]:
        """The batches of an epoch, as lists of indices."""
        return batches.bucketed(self.lengths, self.tokens_per_batch, self.seed, epoch)

    def in_order(self) -> list[list[int]]:
        """The same rows without any draw, for judging."""
        return batches.bucketed(self.lengths, self.tokens_per_batch, shuffle=False)


class ClassifyLessons:
    """Texts and their classes; the loss is that of the right class."""

    def __init__(
        self, train: Sequence[Labelled], valid: Sequence[Labelled], labels: Sequence[str], tokens: Tokens,
        *, longest: int, tokens_per_batch: int, seed: int,
    ) -> None:  # fmt: skip
        self.seed = seed
        numbers = {label: i for i, label in enumerate(labels)}
        self._train, self._valid = (
            (
                batches.shortened(tokens.encode_many([each.text for each in part]), longest).rows,
                [numbers[each.label] for each in part],
            )
            for part in (train, valid)
        )
        self._order = Bucketed([len(row) for row in self._train[0]], tokens_per_batch, seed)
        self._valid_order = Bucketed([len(row) for row in self._valid[0]], tokens_per_batch, seed)

    def n_batches(self, epoch: int) -> int:
        """How many batches make this epoch."""
        return len(self._order.epoch(epoch))

    def batch(self, epoch: int, place: int) -> batches.LabelledBatch:
        """One batch of an epoch."""
        return _labelled(self._train, self._order.epoch(epoch)[place])

    def valid(self) -> Iterator[batches.LabelledBatch]:
        """What the model is judged on while it learns."""
        return (_labelled(self._valid, indices) for indices in self._valid_order.in_order())

    def loss(self, model: nn.Module, batch: batches.LabelledBatch, smoothing: float = 0.0) -> tuple[Tensor, int]:
        """The summed loss, and over how many texts."""
        ids, real, labels = tensors(batch.ids, batch.real, batch.labels)
        logits = model(ids, real)
        return F.cross_entropy(logits, labels, reduction="sum", label_smoothing=smoothing), len(labels)


def _labelled(part: tuple[list[Ids], list[int]], indices: Sequence[int]) -> batches.LabelledBatch:
    rows, labels = part
    return batches.labelled_batch([rows[i] for i in indices], [labels[i] for i in indices])


class TranslateLessons:
    """Sentences and their translations; the loss is that of each next piece."""

    def __init__(
        self, train: Sequence[Pair], valid: Sequence[Pair], tokens: Tokens,
        *, longest: int, tokens_per_batch: int, seed: int,
    ) -> None:  # fmt: skip
        self.seed = seed

        def encoded(part: Sequence[Pair]) -> tuple[list[Ids], list[Ids]]:
            sources = batches.shortened(tokens.encode_many([each.source for each in part]), longest).rows
            targets = batches.shortened(tokens.encode_many([each.target for each in part]), longest - 1).rows
            return sources, targets

        def order(part: tuple[list[Ids], list[Ids]]) -> Bucketed:
            lengths = [max(len(source), len(target) + 1) for source, target in zip(*part, strict=True)]
            return Bucketed(lengths, tokens_per_batch, seed)

        self._train, self._valid = encoded(train), encoded(valid)
        self._order, self._valid_order = order(self._train), order(self._valid)

    def n_batches(self, epoch: int) -> int:
        """How many batches make this epoch."""
        return len(self._order.epoch(epoch))

    def batch(self, epoch: int, place: int) -> batches.PairBatch:
        """One batch of an epoch."""
        return _pairs(self._train, self._order.epoch(epoch)[place])

    def valid(self) -> Iterator[batches.PairBatch]:
        """What the model is judged on while it learns."""
        return (_pairs(self._valid, indices) for indices in self._valid_order.in_order())

    def loss(self, model: nn.Module, batch: batches.PairBatch, smoothing: float = 0.0) -> tuple[Tensor, int]:
        """The summed loss, and over how many pieces; padding does not count."""
        source, real, target, wanted, counted = tensors(
            batch.source, batch.source_real, batch.target_in, batch.target_out, batch.target_real
        )
        return _summed(model(source, real, target), wanted, counted, smoothing)


def _pairs(part: tuple[list[Ids], list[Ids]], indices: Sequence[int]) -> batches.PairBatch:
    sources, targets = part
    return batches.pair_batch([sources[i] for i in indices], [targets[i] for i in indices])


class StreamLessons:
    """One long text; blocks of it begin anywhere, and the loss is that of each next piece."""

    def __init__(
        self, train: Sequence[Plain], valid: Sequence[Plain], tokens: Tokens, *, context: int, rows: int, seed: int
    ) -> None:
        self.seed, self.context, self.rows = seed, context, rows
        self._train = batches.stream_of(tokens.encode_many([each.text for each in train]))
        self._valid = batches.stream_of(tokens.encode_many([each.text for each in valid]))

    def n_batches(self, epoch: int) -> int:
        """As many as would read the whole text once."""
        return max(1, len(self._train) // (self.context * self.rows))

    def batch(self, epoch: int, place: int) -> batches.LanguageBatch:
        """Blocks from random places of the text."""
        step = epoch * self.n_batches(epoch) + place
        return batches.blocks(self._train, self.context, self.rows, seed=self.seed, step=step)

    def valid(self) -> Iterator[batches.LanguageBatch]:
        """The whole validation text, every token once."""
        return iter(batches.whole(self._valid, self.context, self.rows))

    def loss(self, model: nn.Module, batch: batches.LanguageBatch, smoothing: float = 0.0) -> tuple[Tensor, int]:
        """The summed loss, and over how many pieces."""
        return language_loss(model, batch, smoothing)


class AnswerLessons:
    """Prompts and answers for a language model; only the answer counts."""

    def __init__(
        self, train: Sequence[Pair], valid: Sequence[Pair], tokens: Tokens, *, tokens_per_batch: int, seed: int
    ) -> None:
        self.seed = seed

        def encoded(part: Sequence[Pair]) -> tuple[list[Ids], list[Ids]]:
            prompts = tokens.encode_many([each.source for each in part])
            return prompts, tokens.encode_many([each.target for each in part])

        def order(part: tuple[list[Ids], list[Ids]]) -> Bucketed:
            lengths = [len(prompt) + len(answer) + 2 for prompt, answer in zip(*part, strict=True)]
            return Bucketed(lengths, tokens_per_batch, seed)

        self._train, self._valid = encoded(train), encoded(valid)
        self._order, self._valid_order = order(self._train), order(self._valid)

    def n_batches(self, epoch: int) -> int:
        """How many batches make this epoch."""
        return len(self._order.epoch(epoch))

    def batch(self, epoch: int, place: int) -> batches.LanguageBatch:
        """One batch of an epoch."""
        return self._answers(self._train, self._order.epoch(epoch)[place])

    def valid(self) -> Iterator[batches.LanguageBatch]:
        """What the model is judged on while it learns."""
        return (self._answers(self._valid, indices) for indices in self._valid_order.in_order())

    @staticmethod
    def _answers(part: tuple[list[Ids], list[Ids]], indices: Sequence[int]) -> batches.LanguageBatch:
        prompts, answers = part
        return batches.answer_batch([prompts[i] for i in indices], [answers[i] for i in indices])

    def loss(self, model: nn.Module, batch: batches.LanguageBatch, smoothing: float = 0.0) -> tuple[Tensor, int]:
        """The summed loss, and over how many pieces."""
        return language_loss(model, batch, smoothing)


def language_loss(model: nn.Module, batch: batches.LanguageBatch, smoothing: float) -> tuple[Tensor, int]:
    """The summed loss of each counted next piece, and their number."""
    ids, wanted, real, counted = tensors(batch.ids_in, batch.ids_out, batch.real, batch.counted)
    logits = model(ids) if bool(np.all(batch.real)) else model(ids, real)
    return _summed(logits, wanted, counted, smoothing)


def _summed(logits: Tensor, wanted: Tensor, counted: Tensor, smoothing: float) -> tuple[Tensor, int]:
    loss = F.cross_entropy(logits[counted], wanted[counted], reduction="sum", label_smoothing=smoothing)
    return loss, int(counted.sum())
