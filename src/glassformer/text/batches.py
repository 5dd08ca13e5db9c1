"""Batches: rows of ids made equally long. The only place that pads and shifts. Knows ids, no text and no torch.

Shapes: B rows, T tokens; `real` is True where there is a token and False where there is padding. Every order and every
draw follows from the numbers handed in (a seed, an epoch, a step), never from what was drawn before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from jaxtyping import Bool, Int64
from numpy.typing import NDArray

from glassformer.errors import InputError
from glassformer.text.token_kinds import END, PAD, START
from glassformer.text.tokens import Ids

JITTER = 0.1  # how far lengths within a batch may differ, so that each epoch has other neighbours


@dataclass(frozen=True, eq=False)
class LabelledBatch:
    """Texts and the numbers of their classes."""

    ids: Int64[np.ndarray, "B T"]
    real: Bool[np.ndarray, "B T"]
    labels: Int64[np.ndarray, " B"]


@dataclass(frozen=True, eq=False)
class PairBatch:
    """Sources, and targets one step apart: what was written so far goes in, what comes next should come out."""

    source: Int64[np.ndarray, "B S"]
    source_real: Bool[np.ndarray, "B S"]
    target_in: Int64[np.ndarray, "B T"]  # <s> first
    target_out: Int64[np.ndarray, "B T"]  # </s> last
    target_real: Bool[np.ndarray, "B T"]


@dataclass(frozen=True, eq=False)
class LanguageBatch:
    """What goes in, what should come out at each place, and at which places that counts."""

    ids_in: Int64[np.ndarray, "B T"]
    ids_out: Int64[np.ndarray, "B T"]
    real: Bool[np.ndarray, "B T"]
    counted: Bool[np.ndarray, "B T"]


SomeBatch = TypeVar("SomeBatch")  # one of these: each of its fields has a row for each sample


def rows_for(batch: SomeBatch, rank: int, size: int) -> tuple[SomeBatch, bool]:
    """Of `size` that share a batch, the rows of one: every `size`-th, beginning with its own. Where there are fewer
    rows than that, it is given the first one, which does not count."""
    if size == 1:
        return batch, True
    columns = vars(batch)
    counts = rank < len(next(iter(columns.values())))
    rows = slice(rank, None, size) if counts else slice(0, 1)
    return type(batch)(**{name: column[rows] for name, column in columns.items()}), counts


# --- which rows go together -------------------------------------------------------------------------------------


def bucketed(
    lengths: Sequence[int] | Int64[np.ndarray, " N"],
    tokens_per_batch: int,
    seed: int = 0,
    epoch: int = 0,
    *,
    shuffle: bool = True,
) -> list[list[int]]:
    """Batches of rows of like length, as lists of indices: each index once, rows × longest within `tokens_per_batch`.

    With `shuffle` both the neighbours and the order of batches change with the epoch; without, the longest come first.
    For pairs hand in the longer side of each.
    """
    sizes = np.asarray(lengths, dtype=np.int64)
    if len(sizes) and sizes.max() > tokens_per_batch:
        raise InputError(
            f"Sample {sizes.argmax()} has {sizes.max()} tokens, more than the {tokens_per_batch} of a batch; "
            "cut it shorter or allow more."
        )
    draw = np.random.default_rng([3, seed, epoch])
    keys = sizes * (1 + JITTER * draw.random(len(sizes))) if shuffle else sizes.astype(np.float64)
    batches: list[list[int]] = []
    longest = 0
    for index in np.argsort(-keys, kind="stable").tolist():
        longest = max(longest, int(sizes[index]))
        if not batches or longest * (len(batches[-1]) + 1) > tokens_per_batch:
            batches.append([])
            longest = int(sizes[index])
        batches[-1].append(index)
    return [batches[place] for place in draw.permutation(len(batches))] if shuffle else batches


def padding_waste(lengths: Sequence[int] | Int64[np.ndarray, " N"], batches: Sequence[Sequence[int]]) -> float:
    """The share of a padded batch that is padding, over all batches."""
    sizes = np.asarray(lengths, dtype=np.int64)
    padded = sum(int(sizes[list(batch)].max()) * len(batch) for batch in batches)
    real = sum(int(sizes[list(batch)].sum()) for batch in batches)
    return 1 - real / padded if padded else 0.0


# --- how long a row may be --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shortened:
    """Rows of at most so many tokens, and what that cost."""

    rows: list[Ids]
    rows_cut: int
    tokens_lost: int


def shortened(rows: Sequence[Ids], longest: int, last: Sequence[int] = ()) -> Shortened:
    """Keeps the first `longest` tokens of each row, and counts what is lost; what must stand last, does so still."""
    if longest < 1:
        raise InputError(f"A row keeps 1 token or more; {longest} were asked for.")
    lost = [max(0, len(row) - longest) for row in rows]
    kept = [row[:longest] for row in rows]
    if last and longest > len(last):
        kept = [_joined(row[: -len(last)], list(last)) if cut else row for row, cut in zip(kept, lost, strict=True)]
    return Shortened(kept, sum(each > 0 for each in lost), sum(lost))


# --- rows to arrays ---------------------------------------------------------------------------------------------


def padded(rows: Sequence[Ids]) -> tuple[Int64[np.ndarray, "B T"], Bool[np.ndarray, "B T"]]:
    """Rows as one array, the shorter ones filled up on the right, and where they are real."""
    if not rows:
        raise InputError("A batch needs at least one row.")
    sizes = np.array([len(row) for row in rows])
    if not sizes.all():
        raise InputError(f"Row {int(sizes.argmin())} of the batch has no tokens; leave empty texts out.")
    real = np.arange(sizes.max()) < sizes[:, None]
    ids = np.full(real.shape, PAD, dtype=np.int64)
    ids[real] = np.concatenate(rows)
    return ids, real


def labelled_batch(rows: Sequence[Ids], labels: Sequence[int]) -> LabelledBatch:
    """Texts and the numbers of their classes."""
    return LabelledBatch(*padded(rows), np.array(labels, dtype=np.int64))


Marks = tuple[int, int]  # the ids that begin and end what is written


def pair_batch(sources: Sequence[Ids], targets: Sequence[Ids], marks: Marks = (START, END)) -> PairBatch:
    """Sources, and targets between <s> and </s>, shifted by one."""
    target_in, target_real = padded([_joined([marks[0]], row) for row in targets])
    target_out, _ = padded([_joined(row, [marks[1]]) for row in targets])
    return PairBatch(*padded(sources), target_in, target_out, target_real)


def shifted_batch(rows: Sequence[Ids], counted_from: Sequence[int] | None = None) -> LanguageBatch:
    """Rows to be predicted token by token; in each, what counts begins at token `counted_from` (usually the second)."""
    ids_in, real = padded([row[:-1] for row in rows])
    ids_out, _ = padded([row[1:] for row in rows])
    first = np.array([1] * len(rows) if counted_from is None else counted_from, dtype=np.int64)
    counted = real & (np.arange(1, real.shape[1] + 1) >= first[:, None])
    return LanguageBatch(ids_in, ids_out, real, counted)


def answer_behind(prompt: Ids, answer: Ids, marks: Marks = (START, END)) -> Ids:
    """A prompt and its answer in one row: prompt <s> answer </s>."""
    return _joined(prompt, [marks[0]], answer, [marks[1]])


def answer_batch(prompts: Sequence[Ids], answers: Sequence[Ids], marks: Marks = (START, END)) -> LanguageBatch:
    """Prompts and answers in one row each, prompt <s> answer </s>; only the answer and its </s> count."""
    rows = [answer_behind(prompt, answer, marks) for prompt, answer in zip(prompts, answers, strict=True)]
    return shifted_batch(rows, [len(prompt) + 1 for prompt in prompts])


def hidden_batch(rows: Sequence[Ids], shown: Sequence[Ids], hidden: Sequence[NDArray[np.bool_]]) -> LanguageBatch:
    """Rows, as they are shown with some tokens hidden, and which these are: only they count, and are to be found again
    where they stand."""
    ids_out, real = padded(rows)
    ids_in, _ = padded(shown)
    counted = np.zeros_like(real)
    counted[real] = np.concatenate(hidden)
    return LanguageBatch(ids_in, ids_out, real, counted)


# --- one long stream --------------------------------------------------------------------------------------------


def stream_of(documents: Sequence[Ids], end: int = END) -> Ids:
    """Documents one after another, each ended by </s>; a single one stays as it is."""
    if len(documents) == 1:
        return documents[0]
    return _joined(*(part for document in documents for part in (document, [end])))


def blocks(stream: Ids, context: int, rows: int, *, seed: int, step: int) -> LanguageBatch:
    """Blocks of the stream that begin at random places: those of one step, whoever asks and whatever came before."""
    _check_stream(stream, context)
    begins = np.random.default_rng([4, seed, step]).integers(0, len(stream) - context, size=rows)
    return shifted(stream[begins[:, None] + np.arange(context + 1)])


def shifted(windows: Int64[np.ndarray, "B W"]) -> LanguageBatch:
    """Windows of one length in which every token but the first is to be predicted."""
    everywhere = np.ones((len(windows), windows.shape[1] - 1), dtype=np.bool_)
    return LanguageBatch(windows[:, :-1], windows[:, 1:], everywhere, everywhere)


def whole(stream: Ids, context: int, rows: int, fresh: int | None = None) -> list[LanguageBatch]:
    """The whole stream in windows of `context`, every token after the first counted exactly once.

    fresh   how many new tokens each window counts (default: all); fewer are slower, and give each a longer past
    """
    context = min(context, len(stream) - 1)
    _check_stream(stream, context)
    fresh = context if fresh is None else fresh
    if not 1 <= fresh <= context:
        raise InputError(f"A window of {context} tokens counts 1 to {context} new ones; fresh is {fresh}.")
    ends = [*range(context, len(stream) - 1, fresh), len(stream) - 1]
    begins = np.array(ends) - context
    ids = stream[begins[:, None] + np.arange(context + 1)]
    first_new = np.array([0, *ends[:-1]]) - begins
    counted = np.arange(context) >= first_new[:, None]
    real = np.ones_like(counted)
    cuts = [slice(place, place + rows) for place in range(0, len(ids), rows)]
    return [LanguageBatch(ids[cut, :-1], ids[cut, 1:], real[cut], counted[cut]) for cut in cuts]


def _check_stream(stream: Ids, context: int) -> None:
    if context < 1 or len(stream) <= context:
        raise InputError(
            f"A context of {context} needs a text of {max(context, 1) + 1} tokens or more; this one has {len(stream)}."
        )


def _joined(*parts: Ids | list[int]) -> Ids:
    return np.concatenate([np.asarray(part, dtype=np.int64) for part in parts])
