"""From scores for the next id to sequences: greedy, by temperature, top-k, top-p. It knows no text and no model class.

What writes is handed in as a `Writer`, which stands beside its model. How an id is chosen is handed in too: the most
likely one (greedy), or one drawn at random (sampling). `stream` is the one loop: it gives each id as it is made, and
stops working when its reader stops reading. Beam search, which changes its mind about earlier ids, stands in beam.py.

The legend of shapes is the one of attention.py; B counts the texts still being written, N is the vocabulary.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, cast, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from glassformer.errors import GlassformerError, InputError, must_count

# --- Who writes -------------------------------------------------------------------------------------------------

LIKELIEST = -1.0  # in the place of a chance
FEW = 32  # ids that may be made ahead of a short text; of a longer one as many as it has, so that few are in vain
ENDLESS = 2**31  # the room of a model that can look back on any length


@runtime_checkable
class Writer(Protocol):
    """A model, and the batch of texts it is writing: what it remembers of them is its own affair."""

    @property
    def room(self) -> Sequence[int]:
        """How many ids can be written to each text, counted from its first."""

    def first(self) -> Tensor:
        """Begins anew; scores (B N) for the first id of each text."""

    def next(self, ids: Tensor) -> Tensor:
        """Adds an id (B) to each text; scores (B N) for the one after it."""

    def keep(self, rows: Tensor) -> None:
        """Goes on with these rows of the batch only, in this order; one that is named twice goes on twice."""


class WritesAhead(Protocol):
    """A writer that makes several ids at once, before anybody is asked again."""

    @property
    def burst(self) -> int:
        """How many at most; 0 if it must be asked for each."""

    def written(self, ids: Tensor, chances: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
        """Adds an id (B) to each text; the ids after it, and their log-probabilities (B T both): each is the one that
        its chance (B T) falls on, or the likeliest where that is below 0. The last of them is not yet added."""


def must_rest(model: nn.Module) -> None:
    """A model that is being trained does not write."""
    if model.training:
        raise InputError("This model is being trained, so it drops at random; call model.eval() before it writes.")


def first_logprobs(writer: Writer) -> Float[Tensor, "B N"]:
    """How likely each id is to be the first of each text, as a logarithm."""
    with torch.inference_mode():
        return _logprobs(writer.first())


def next_logprobs(
    writer: Writer, ids: Sequence[int] | Tensor, rows: Sequence[int], n_rows: int
) -> Float[Tensor, "B N"]:
    """Goes on with some of the batch's rows, each by one id, and gives the logarithms for the id after it."""
    with torch.inference_mode():
        if rows != list(range(n_rows)):
            writer.keep(torch.tensor(rows))
        return _logprobs(writer.next(torch.as_tensor(ids)))


def _logprobs(scores: Float[Tensor, "B N"]) -> Float[Tensor, "B N"]:
    wide = scores.to("cpu", torch.float64 if scores.dtype == torch.float64 else torch.float32)
    found = wide.log_softmax(-1)  # one bad score spoils its row
    _must_be_numbers(found)
    return found


def _must_be_numbers(logprobs: Float[Tensor, "B N"]) -> None:
    if math.isnan(logprobs.sum()):
        n_broken = int(logprobs.isnan().any(-1).sum())
        raise GlassformerError(
            f"The model's logits for the next id hold NaN or +∞, or are all −∞, in {n_broken} of {len(logprobs)} "
            "texts: its weights are damaged, or its training diverged. Try an earlier checkpoint."
        )


# --- When a text is done ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Finish:
    """Why a text is done: `stop` if it came to an ending, whose ids are the last `ending` ones; `length` if cut."""

    reason: Literal["stop", "length"]
    ending: int = 0


@dataclass(frozen=True, kw_only=True)
class Stop:
    """When to stop writing a text.

    longest   ids to be written at most; the writer may have room for fewer
    endings   sequences of ids that end a text: ((2,), (13, 13)) stops at 2, and at two 13 in a row
    until     a rule of the caller's own, asked with all ids so far: for stop words, which only a tokenizer can see
    """

    longest: int
    endings: tuple[tuple[int, ...], ...] = ()
    until: Callable[[Sequence[int]], bool] | None = None

    def __post_init__(self) -> None:
        must_count("longest", self.longest)
        if not all(self.endings):
            raise InputError("An ending without ids would end every text before it begins; leave it out of `endings`.")

    @property
    def may_come_early(self) -> bool:
        """Whether anything but its length can end a text."""
        return bool(self.endings) or self.until is not None

    def finish(self, ids: Sequence[int], room: int) -> Finish | None:
        """How a text with these ids is done, or None if it goes on. Of two endings the longer one counts."""
        if self.endings:
            matching = [len(ending) for ending in self.endings if tuple(ids[-len(ending) :]) == ending]
            if matching:
                return Finish("stop", max(matching))
        if self.until is not None and self.until(ids):
            return Finish("stop")
        return Finish("length") if len(ids) >= min(self.longest, room) else None


# --- What was written -------------------------------------------------------------------------------------------


class Chosen(NamedTuple):
    """One id as it is made: for which text, how likely the model held it, and whether the text is done with it."""

    text: int
    id: int
    logprob: float
    finish: Finish | None


@dataclass(frozen=True)
class Answer:
    """All ids written to one text, its ending included, each with the model's own log-probability of it."""

    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    finish: Finish

    @property
    def body(self) -> tuple[int, ...]:
        """The ids without the ending."""
        return self.ids[: len(self.ids) - self.finish.ending]

    def score(self, alpha: float = 0.0) -> float:
        """The log-probability of the whole, divided by length^α: with α = 0 the sum, with α = 1 the mean per id."""
        return math.fsum(self.logprobs) / math.pow(len(self.ids), alpha)


# --- Choosing an id ---------------------------------------------------------------------------------------------

Chooser = Callable[[Tensor, Sequence[int]], Tensor]  # log-probabilities (B N), and which texts they are for → ids (B)


def likeliest(logprobs: Float[Tensor, "B N"], texts: Sequence[int]) -> Int[Tensor, "B"]:
    """Greedy: the most likely id; of equals the lowest."""
    return logprobs.argmax(-1)


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How an id is drawn. The settings work in this order, and of equally likely ids the lowest is kept first.

    temperature   divides the logits: below 1 sharper, above 1 more varied
    top_k         keep the k most likely ids
    top_p         of those, keep the fewest most likely ids whose shares add up to p
    min_p         of those, keep the ids at least this share as likely as the most likely one
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0
    min_p: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 < self.temperature < math.inf:
            raise InputError(f"`temperature` must be above 0 and finite; it is {self.temperature}.")
        if self.top_k is not None:
            must_count("top_k", self.top_k)
        if not 0.0 < self.top_p <= 1.0:
            raise InputError(f"`top_p` is a share above 0, up to 1 (keep all); it is {self.top_p}.")
        if not 0.0 <= self.min_p <= 1.0:
            raise InputError(f"`min_p` is a share from 0 (keep all) to 1; it is {self.min_p}.")

    @property
    def keeps_all(self) -> bool:
        """Whether every id may be drawn."""
        return self.top_k is None and self.top_p == 1.0 and self.min_p == 0.0

    def shares(self, logprobs: Float[Tensor, "B N"]) -> Float[Tensor, "B N"]:
        """The share of the draws that each id gets, in float64; 0 for those that are not kept."""
        if self.keeps_all:  # then there is nothing to rank
            return ((logprobs - logprobs.amax(-1, keepdim=True)).double() / self.temperature).softmax(-1)
        ranked, ids = logprobs.double().sort(dim=-1, descending=True, stable=True)
        shares = ((ranked - ranked[:, :1]) / self.temperature).softmax(-1)  # the best is 0: no temperature overflows
        if self.top_k is not None:
            shares[:, self.top_k :] = 0.0
            shares /= shares.sum(-1, keepdim=True)
        before = shares.cumsum(-1).roll(1, -1)  # what the likelier ones add up to
        before[:, 0] = 0.0
        shares = shares.masked_fill(before >= self.top_p, 0.0)
        shares = shares.masked_fill(shares < self.min_p * shares[:, :1], 0.0)
        return torch.zeros_like(shares).scatter(-1, ids, shares / shares.sum(-1, keepdim=True))


class Draw:
    """Draws ids, each text by its own generator: what is drawn for a text does not depend on who else is written."""

    def __init__(self, sampling: Sampling, seeds: Sequence[int]) -> None:
        self.sampling = sampling
        self.generators = [_generator(seed) for seed in seeds]

    def __call__(self, logprobs: Float[Tensor, "B N"], texts: Sequence[int]) -> Int[Tensor, "B"]:
        """The ids that the next chances fall on."""
        return pick(self.sampling.shares(logprobs), self.chances(texts, 1)[:, 0])

    def chances(self, texts: Sequence[int], count: int) -> Float[Tensor, "B T"]:
        """The next chances of each text, each from 0 up to, not including, 1."""
        drawn = [torch.rand(count, generator=self.generators[text], dtype=torch.float64) for text in texts]
        return torch.stack(drawn)


def pick(shares: Float[Tensor, "B N"], chances: Float[Tensor, "B"]) -> Int[Tensor, "B"]:
    """The id that each chance falls on when the shares are laid end to end."""
    ends = shares.cumsum(-1)
    return torch.searchsorted(ends, chances[:, None] * ends[:, -1:], right=True)[:, 0]


def _generator(seed: int) -> torch.Generator:
    if isinstance(seed, bool) or not 0 <= seed < 2**63:
        raise InputError(f"A seed must be a whole number from 0 to 2⁶³ − 1; it is {seed}.")
    return torch.Generator().manual_seed(seed)


# --- The loop ---------------------------------------------------------------------------------------------------


def stream(writer: Writer, stop: Stop, choose: Chooser = likeliest) -> Iterator[Chosen]:
    """Each id as it is made, text by text and step by step. Closing the iterator stops the work."""
    logprobs = first_logprobs(writer)
    room = [min(stop.longest, each) for each in writer.room]
    texts = list(range(len(room)))  # the text each row of the batch belongs to
    written: list[list[int]] = [[] for _ in texts]
    made = _made(logprobs, choose(logprobs, texts))
    while texts:
        rows = list(range(len(texts)))
        for ids, chances in zip(made.ids.T.tolist(), made.logprobs.T.tolist(), strict=True):
            going = []
            for row in rows:
                text = texts[row]
                written[text].append(ids[row])
                finish = stop.finish(written[text], room[text])
                if finish is None:
                    going.append(row)
                yield Chosen(text, ids[row], chances[row], finish)
            rows = going
        n_rows, texts = len(texts), [texts[row] for row in rows]
        if texts:
            newest = made.ids[:, -1]
            if len(rows) < n_rows:
                newest = newest[rows]
                with torch.inference_mode():
                    writer.keep(torch.tensor(rows))
            left = min(room[text] - len(written[text]) for text in texts)
            ahead = max(FEW, len(written[texts[0]])) if stop.may_come_early else left
            made = _next(writer, choose, texts, newest, min(left, ahead))


class Made(NamedTuple):
    """Some steps of writing: ids and their log-probabilities."""

    ids: Int[Tensor, "B T"]
    logprobs: Float[Tensor, "B T"]


def _made(logprobs: Float[Tensor, "B N"], ids: Int[Tensor, "B"]) -> Made:
    return Made(ids[:, None], logprobs.gather(1, ids[:, None]))


def _next(writer: Writer, choose: Chooser, texts: Sequence[int], ids: Int[Tensor, "B"], most: int) -> Made:
    """What follows on these ids: one step, or several where the writer makes them at once; at most so many."""
    count = min(getattr(writer, "burst", 0), most)
    if count == 0 or not (choose is likeliest or (isinstance(choose, Draw) and choose.sampling.keeps_all)):
        logprobs = next_logprobs(writer, ids, list(range(len(texts))), len(texts))
        return _made(logprobs, choose(logprobs, texts))
    ahead = cast(WritesAhead, writer)  # it has said so
    if isinstance(choose, Draw):
        made = ahead.written(ids, choose.chances(texts, count), choose.sampling.temperature)
    else:
        made = ahead.written(ids, torch.full((len(texts), count), LIKELIEST, dtype=torch.float64), 1.0)
    _must_be_numbers(made[1])
    return Made(*made)


def gather(n_texts: int, chosen: Iterator[Chosen]) -> list[Answer]:
    """A stream read to its end: one answer for each text."""
    by_text: list[list[Chosen]] = [[] for _ in range(n_texts)]
    for each in chosen:
        by_text[each.text].append(each)
    answers = []
    for all_of_it in by_text:
        finish = all_of_it[-1].finish
        assert finish is not None  # a stream that was read to its end
        answers.append(Answer(tuple(c.id for c in all_of_it), tuple(c.logprob for c in all_of_it), finish))
    return answers


def greedy(writer: Writer, stop: Stop) -> list[Answer]:
    """Always the most likely id."""
    return gather(len(writer.room), stream(writer, stop))


def sample(writer: Writer, stop: Stop, sampling: Sampling, seeds: Sequence[int]) -> list[Answer]:
    """Sampling: each id drawn at random. Each text has a seed: the same seed writes the same text, in any batch."""
    n_texts = len(writer.room)
    if len(seeds) != n_texts:
        raise InputError(f"There are {n_texts} texts to be written, but {len(seeds)} seeds; give one for each text.")
    return gather(n_texts, stream(writer, stop, Draw(sampling, seeds)))
