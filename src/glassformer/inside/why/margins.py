"""The margin: the logit of an answer less that of its rival, in float64, of ids or of rows of the embedding.

The model is a copy of its own, so that nobody else's pass is touched, and its logits are the usual ones but for
rounding. It knows no text, and shares nothing out.
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.func import functional_call

from glassformer.choices import Choices
from glassformer.errors import InputError
from glassformer.stages.watchers import Watcher, nothing

TABLE = "embedding.weight"
PLACES_AT_ONCE = 4096
PAIRS_AT_ONCE = 4_000_000  # of places, in one pass


class Prompted(NamedTuple):
    """What a model is given: the ids of a text, and the ids it has written since (a translator's begin with a mark)."""

    ids: tuple[int, ...]
    written: tuple[int, ...] = ()

    @property
    def places(self) -> tuple[int, ...]:
        """All ids, those of the text first."""
        return self.ids + self.written


class Tried(NamedTuple):
    """A pass with something changed: by how much the margin is less, and the answer that is then the likeliest."""

    less: float
    top: int


@dataclass(frozen=True)
class Margin:
    """A model at rest, in float64, and two of its logits."""

    model: nn.Module
    family: str
    answer: int
    rival: int

    def between(self, answer: int, rival: int) -> "Margin":
        """The margin of another answer, or over another rival."""
        return replace(self, answer=answer, rival=rival)

    @property
    def table(self) -> Tensor:
        """The rows of the embedding, one for each id."""
        return self.model.get_parameter(TABLE).detach()

    def of(self, logits: Tensor) -> Tensor:
        """B N → B."""
        return logits[:, self.answer] - logits[:, self.rival]

    def logits(self, rows: Sequence[Prompted], see: Watcher = nothing) -> Tensor:
        """For each row the logits at its end, B N. With a watcher all rows go in one pass."""
        longest = max(len(row.places) for row in rows)
        step = len(rows) if see is not nothing else at_once(longest)
        found = []
        with torch.no_grad():
            for begin in range(0, len(rows), step):
                found.append(_CALLS[self.family](_Pass(self.model, rows[begin : begin + step], see)))
        return torch.cat(found)

    def of_ids(self, rows: Sequence[Prompted], see: Watcher = nothing) -> Tensor:
        """The margin of each row, B."""
        return self.of(self.logits(rows, see))

    def tried(self, rows: Sequence[Prompted], usual: float, see: Watcher = nothing) -> list[Tried]:
        """Each row, beside the margin as it usually is."""
        logits = self.logits(rows, see)
        less, top = (usual - self.of(logits)).tolist(), logits.argmax(-1).tolist()
        return [Tried(*each) for each in zip(less, top, strict=True)]

    def seen(self, rows: Sequence[Prompted], see: Watcher) -> Tensor:
        """The margin of each row, B, with the slopes of what the watcher put in place."""
        return self.of(_CALLS[self.family](_Pass(self.model, rows, see)))

    def of_embedded(self, embedded: Tensor, like: Prompted) -> Tensor:
        """The margin of each of some rows of the embedding (B S D), which stand where the ids of a row stood."""
        count, length = embedded.shape[:2]
        places = torch.arange(count * length).view(count, length).tolist()
        rows = [Prompted(tuple(each[: len(like.ids)]), tuple(each[len(like.ids) :])) for each in places]
        return self.of(_CALLS[self.family](_Pass(self.model, rows, table=embedded.flatten(0, 1))))

    def batches(self, rows: Sequence[Prompted]) -> Iterator[tuple[int, Sequence[Prompted]]]:
        """As many rows at a time as fit in memory, each time with the number of the first."""
        step = at_once(max((len(row.places) for row in rows), default=1))
        for begin in range(0, len(rows), step):
            yield begin, rows[begin : begin + step]


def at_once(length: int) -> int:
    """How many rows of this length go through a model together."""
    return max(1, min(PLACES_AT_ONCE // length, PAIRS_AT_ONCE // length**2))


def can_be_shared_out(model: nn.Module) -> bool:
    """Whether its answers can be shared out over words: they begin as rows of a table."""
    return TABLE in dict(model.named_parameters())


def margin_of(model: nn.Module, family: str) -> Margin:
    """The margin of a model; which answer and which rival is said later."""
    if not can_be_shared_out(model):
        raise InputError(
            "This model has no embedding, so its answer cannot be shared out over words that way; "
            "`glassformer look` lists the n-grams that weigh most in it."
        )
    own = deepcopy(model).to("cpu", torch.float64).eval()
    for weight in own.parameters():
        weight.requires_grad_(False)
    return Margin(own, family, 0, 0)


# --- one way for each family of models ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Pass:
    """Rows for one pass; with a `table`, ids are places in it."""

    model: nn.Module
    rows: Sequence[Prompted]
    see: Watcher = nothing
    table: Tensor | None = None

    def __call__(self, *inputs: Tensor, **options: Any) -> Tensor:
        if self.see is not nothing:
            options["see"] = self.see
        changed = {} if self.table is None else {TABLE: self.table}  # tied matrices stay as they are
        answer: Tensor = functional_call(self.model, changed, inputs, options, tie_weights=False)
        return answer


def _classified(one: _Pass) -> Tensor:
    return one(*_padded([row.ids for row in one.rows]))


def _continued(one: _Pass) -> Tensor:
    ids, real = _padded([row.places for row in one.rows])  # what comes after the last real id, that one cannot see
    return one(ids, counted=_last(real))


def _translated(one: _Pass) -> Tensor:
    source, source_real = _padded([row.ids for row in one.rows])
    target, real = _padded([row.written for row in one.rows])
    return one(source, source_real, target, counted=_last(real))


_CALLS = Choices(
    "family of models", {"classifier": _classified, "language model": _continued, "translator": _translated}
)


def _padded(rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    longest = max(len(row) for row in rows)
    real = torch.tensor([[i < len(row) for i in range(longest)] for row in rows])
    return torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows]), real


def _last(real: Tensor) -> Tensor:
    """Where the last real id of each row stands."""
    places = torch.arange(real.shape[1])
    return places == real.sum(1, keepdim=True) - 1
