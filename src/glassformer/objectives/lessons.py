"""What there is to learn: samples as ids, batch by batch, and the loss of a model on each. One kind for each objective.

Here text and models meet: ids come from tokens and batches below, tensors go to the models. Every batch follows from
(seed, epoch, place) alone, so that whoever resumes, or shares the work, sees the same. It knows no loop and no clock.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from glassformer.errors import InputError
from glassformer.layers.kernels import cross_entropy
from glassformer.text import batches
from glassformer.text.corruption import FEWEST_TO_CUT, span_hidden
from glassformer.text.samples import Labelled, Pair, Plain
from glassformer.text.tokens import Ids, Tokens

Loss = Callable[[nn.Module, Any, float], tuple[Tensor, int]]  # model, batch, smoothing → summed loss, over how many


class Part(Protocol):
    """Samples as batches: drawn anew in every epoch to learn from, or in order to be judged on."""

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
class Lessons:
    """What to learn from, what to be judged on, and the loss on either."""

    train: Rows | Stream
    valid: Part
    loss: Loss
    notes: tuple[str, ...] = ()  # what a person should know: how much was cut, how much is padding


@dataclass(frozen=True, kw_only=True)
class Measures:
    """How samples are cut and batched."""

    longest: int  # ids of a text; in a stream, the context
    tokens_per_batch: int
    seed: int = 0


# --- one kind for each objective --------------------------------------------------------------------------------


def classify(
    train: Sequence[Labelled], valid: Sequence[Labelled], labels: Sequence[str], tokens: Tokens, measures: Measures
) -> Lessons:
    """Texts and their classes; the loss is that of the right class."""
    numbers = {label: i for i, label in enumerate(labels)}
    cut: list[batches.Shortened] = []

    def part(samples: Sequence[Labelled]) -> Rows:
        cut.append(batches.shortened(tokens.encode_many([each.text for each in samples]), measures.longest))
        rows, classes = cut[-1].rows, [numbers[each.label] for each in samples]

        def made(indices: Sequence[int], epoch: int) -> batches.LabelledBatch:
            return batches.labelled_batch([rows[i] for i in indices], [classes[i] for i in indices])

        return Rows(always([len(row) for row in rows]), made, measures.tokens_per_batch, measures.seed)

    return _lessons(part(train), part(valid), class_loss, cut[0])


def translate(train: Sequence[Pair], valid: Sequence[Pair], tokens: Tokens, measures: Measures) -> Lessons:
    """Sentences and their translations; the loss is that of each next piece."""
    cut: list[batches.Shortened] = []

    def part(samples: Sequence[Pair]) -> Rows:
        cut.append(batches.shortened(tokens.encode_many([each.source for each in samples]), measures.longest))
        sources = cut[-1].rows
        targets = batches.shortened(
            tokens.encode_many([each.target for each in samples]), measures.longest - 1  # and </s>
        ).rows  # fmt: skip

        def made(indices: Sequence[int], epoch: int) -> batches.PairBatch:
            return batches.pair_batch([sources[i] for i in indices], [targets[i] for i in indices])

        lengths = [max(len(source), len(target) + 1) for source, target in zip(sources, targets, strict=True)]
        return Rows(always(lengths), made, measures.tokens_per_batch, measures.seed)

    return _lessons(part(train), part(valid), translation_loss, cut[0])


def stream(train: Sequence[Plain], valid: Sequence[Plain], tokens: Tokens, measures: Measures) -> Lessons:
    """One long text; blocks of it begin anywhere, and the loss is that of each next piece."""
    learnt, judged = (
        batches.stream_of(tokens.encode_many([each.text for each in samples])) for samples in (train, valid)
    )
    context = min(measures.longest, len(learnt) - 1)
    rows = max(1, measures.tokens_per_batch // max(context, 1))
    return Lessons(Stream(learnt, context, rows, measures.seed), Stream(judged, context, rows, 0), language_loss)


def answers(train: Sequence[Pair], valid: Sequence[Pair], tokens: Tokens, measures: Measures) -> Lessons:
    """Prompts and answers for a language model, prompt <s> answer </s>; only the answer counts."""

    def part(samples: Sequence[Pair]) -> Rows:
        prompts = tokens.encode_many([each.source for each in samples])
        written = tokens.encode_many([each.target for each in samples])
        lengths = [len(prompt) + len(answer) + 2 for prompt, answer in zip(prompts, written, strict=True)]
        if max(lengths) - 1 > measures.longest:  # the last id is not looked back on
            raise InputError(
                f"The longest prompt and answer have {max(lengths)} ids with their marks, but this model looks back on "
                f"{measures.longest}; set a length of {max(lengths) - 1} or more."
            )

        def made(indices: Sequence[int], epoch: int) -> batches.LanguageBatch:
            return batches.answer_batch([prompts[i] for i in indices], [written[i] for i in indices])

        return Rows(always(lengths), made, measures.tokens_per_batch, measures.seed)

    return _lessons(part(train), part(valid), language_loss)


def spans(train: Sequence[Plain], valid: Sequence[Plain], tokens: Tokens, measures: Measures) -> Lessons:
    """Texts with a span taken out and put behind, before <mask> after <s> span </s>; each next piece counts."""

    def part(samples: Sequence[Plain]) -> Rows:
        rows = [row for row in tokens.encode_many([each.text for each in samples]) if len(row) >= FEWEST_TO_CUT]
        rows = batches.shortened(rows, measures.longest).rows

        def hidden(index: int, epoch: int) -> Ids:
            return span_hidden(rows[index], measures.longest, seed=measures.seed, epoch=epoch, index=index)

        def made(indices: Sequence[int], epoch: int) -> batches.LanguageBatch:
            return batches.shifted_batch([hidden(i, epoch) for i in indices])

        def lengths(epoch: int) -> list[int]:
            return [len(hidden(i, epoch)) - 1 for i in range(len(rows))]  # the last is only to be written

        return Rows(lengths, made, measures.tokens_per_batch, measures.seed)

    return _lessons(part(train), part(valid), language_loss)


def masked(train: Sequence[Plain], valid: Sequence[Plain], tokens: Tokens, measures: Measures) -> Lessons:
    """Texts with some pieces hidden, for an encoder to find again where they stand; only the hidden ones count."""
    cut: list[batches.Shortened] = []

    def part(samples: Sequence[Plain]) -> Rows:
        cut.append(batches.shortened(tokens.encode_many([each.text for each in samples]), measures.longest))
        rows = [row for row in cut[-1].rows if len(row)]

        def made(indices: Sequence[int], epoch: int) -> batches.LanguageBatch:
            return batches.hidden_batch(
                [rows[i] for i in indices], indices, len(tokens), seed=measures.seed, epoch=epoch
            )

        return Rows(always([len(row) for row in rows]), made, measures.tokens_per_batch, measures.seed)

    return _lessons(part(train), part(valid), hidden_loss, cut[0])


def _lessons(train: Rows, valid: Rows, loss: Loss, cut: batches.Shortened | None = None) -> Lessons:
    notes = [f"{train.waste():.1%} of the batches is padding."]
    if cut is not None and cut.rows_cut:
        lengths = train.lengths(0)
        share = cut.tokens_lost / (cut.tokens_lost + sum(lengths))
        notes.append(f"{cut.rows_cut:,} of {len(lengths):,} texts were cut; {share:.1%} of all pieces are lost.")
    return Lessons(train, valid, loss, tuple(notes))


# --- losses: summed, and over how many --------------------------------------------------------------------------


def class_loss(model: nn.Module, batch: batches.LabelledBatch, smoothing: float = 0.0) -> tuple[Tensor, int]:
    """Of the right class of each text."""
    ids, real, labels = tensors(model, batch.ids, batch.real, batch.labels)
    return cross_entropy(model(ids, real), labels, smoothing), len(labels)


def translation_loss(model: nn.Module, batch: batches.PairBatch, smoothing: float = 0.0) -> tuple[Tensor, int]:
    """Of each next piece of the target; padding does not count."""
    source, real, target, wanted, counted = tensors(
        model, batch.source, batch.source_real, batch.target_in, batch.target_out, batch.target_real
    )
    return cross_entropy(model(source, real, target, counted=counted), wanted[counted], smoothing), int(counted.sum())


def language_loss(model: nn.Module, batch: batches.LanguageBatch, smoothing: float = 0.0) -> tuple[Tensor, int]:
    """Of each counted next piece. Padding stands on the right, where no row looks: it need not be hidden."""
    ids, wanted, counted = tensors(model, batch.ids_in, batch.ids_out, batch.counted)
    return cross_entropy(model(ids, counted=counted), wanted[counted], smoothing), int(counted.sum())


def hidden_loss(model: nn.Module, batch: batches.LanguageBatch, smoothing: float = 0.0) -> tuple[Tensor, int]:
    """Of each hidden piece, from the encoder's rows and the embedding's own matrix: no weight is learnt for this."""
    ids, wanted, real, counted = tensors(model, batch.ids_in, batch.ids_out, batch.real, batch.counted)
    rows = model.read(ids, real)  # type: ignore[operator]
    logits = F.linear(rows[counted], model.embedding.weight)  # type: ignore[union-attr, arg-type]
    return cross_entropy(logits, wanted[counted], smoothing), int(counted.sum())


def tensors(model: nn.Module, *arrays: Any) -> list[Tensor]:
    """Arrays as tensors where the model is."""
    device = next(model.parameters()).device
    return [torch.from_numpy(array).to(device) for array in arrays]
