"""A model as a certificate asks it: about a text alone, padded, in company, in parts. It judges nothing.

Each answer is one row of logits for each place that is asked about (R N), so that answers got in different ways can be
laid side by side. What stands where there is padding is not the pad id but any id: it must not matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from glassformer.choices import Choices
from glassformer.layers.attention import Attention
from glassformer.layers.synthesizers import DenseSynthesizer, RandomSynthesizer
from glassformer.models.language_model import Continuation
from glassformer.models.sampling import Stop, greedy
from glassformer.models.translator import Translation
from glassformer.stages.watchers import Watcher, nothing
from glassformer.text.token_kinds import START


@dataclass(frozen=True)
class Text:
    """The ids that are asked about; a translator has read a source before."""

    ids: tuple[int, ...]
    source: tuple[int, ...] = ()


class Subject:
    """A model of any family, at rest."""

    causal: ClassVar[bool] = False  # whether it writes, from left to right
    fills_left: ClassVar[bool] = False  # whether a text may have padding before it
    begin: ClassVar[tuple[int, ...]] = ()  # what every text begins with

    def __init__(self, model: nn.Module) -> None:
        self.model: Any = model
        self.device = next(model.parameters()).device
        self.attentions = [module for module in model.modules() if isinstance(module, Attention)]

    @property
    def vocabulary(self) -> int:
        """How many ids there are."""
        return int(self.model.config.vocabulary)

    @property
    def longest(self) -> int | None:
        """Ids it can take; None if it cuts a longer text by itself."""
        return None

    @property
    def counts_columns(self) -> bool:
        """Whether a score depends on the column an id stands in, and not on its position."""
        told = "synthesizer" in getattr(self.model.config, "scorer", "")  # of a model of another tool, that is all
        return told or any(isinstance(each.scorer, DenseSynthesizer | RandomSynthesizer) for each in self.attentions)

    def ask(self, texts: Sequence[Text], *, left: int = 0, right: int = 0, see: Watcher = nothing) -> list[Tensor]:
        """The answers to some texts in one batch, with so much padding around the longest."""
        raise NotImplementedError

    def alone(self, text: Text, see: Watcher = nothing) -> Tensor:
        """The answer to one text by itself."""
        return self.ask([text], see=see)[0]

    def nobody(self) -> Tensor:
        """The answer to a text of which nothing is real."""
        raise NotImplementedError

    def in_parts(self, text: Text, cuts: Sequence[int]) -> Tensor:
        """The answer of a model that reads up to each cut, remembers, and goes on."""
        raise NotImplementedError

    def write(self, texts: Sequence[Text], count: int) -> list[tuple[int, ...]]:
        """So many ids after each text, greedily, all texts in one batch and with a KV cache."""
        raise NotImplementedError

    def padded(self, rows: Sequence[Sequence[int]], left: int, right: int) -> tuple[Tensor, Tensor]:
        """Rows filled up with any ids, and where they are real (B T)."""
        width = left + max(len(row) for row in rows) + right
        draw = torch.Generator().manual_seed(width)
        ids = torch.randint(self.vocabulary, (len(rows), width), generator=draw)
        real = torch.zeros(len(rows), width, dtype=torch.bool)
        for i, row in enumerate(rows):
            ids[i, left : left + len(row)] = torch.tensor(row)
            real[i, left : left + len(row)] = True
        return ids.to(self.device), real.to(self.device)


class Classifying(Subject):
    """Reads texts; one row of logits for each, or one for each word where every word is asked about."""

    @property
    def longest(self) -> int | None:
        """Ours cut a longer text by themselves; others say how many ids they can take."""
        return getattr(self.model, "longest", None)

    def ask(self, texts: Sequence[Text], *, left: int = 0, right: int = 0, see: Watcher = nothing) -> list[Tensor]:
        """The answers to some texts in one batch."""
        ids, real = self.padded([text.ids for text in texts], left, right)
        logits = self.model(ids, real, see=see)
        if logits.ndim == 2:
            return list(logits.split(1))
        return [logits[i, : len(text.ids)] for i, text in enumerate(texts)]

    def nobody(self) -> Tensor:
        """The answer to a text of which nothing is real."""
        ids, real = self.padded([(0, 0, 0)], 0, 0)
        return self.model(ids, torch.zeros_like(real))[0]  # type: ignore[no-any-return]


class Generating(Subject):
    """Goes on from texts; a row of logits after each id."""

    causal = True
    fills_left = True

    @property
    def longest(self) -> int:
        """Ids it can look back on."""
        return int(self.model.config.length)

    def ask(self, texts: Sequence[Text], *, left: int = 0, right: int = 0, see: Watcher = nothing) -> list[Tensor]:
        """The answers to some texts in one batch."""
        ids, real = self.padded([text.ids for text in texts], left, right)
        options = {"positions": (torch.arange(ids.shape[1], device=self.device) - left).clamp(min=0)[None]}
        logits = self.model(ids, None if real.all() else real, **(options if left else {}), see=see)
        return [logits[i, left : left + len(text.ids)] for i, text in enumerate(texts)]

    def nobody(self) -> Tensor:
        """The answer to a text of which nothing is real."""
        ids, real = self.padded([(0,)], 0, 0)
        return self.model(ids, torch.zeros_like(real))[0]  # type: ignore[no-any-return]

    def in_parts(self, text: Text, cuts: Sequence[int]) -> Tensor:
        """The answer of a model that reads up to each cut, remembers, and goes on."""
        ids, cache = torch.tensor([text.ids], device=self.device), self.model.new_cache()
        return torch.cat([self.model(part, cache=cache)[0] for part in ids.tensor_split(list(cuts), dim=1)])

    def write(self, texts: Sequence[Text], count: int) -> list[tuple[int, ...]]:
        """So many ids after each text, greedily."""
        writer = Continuation(self.model, [text.ids for text in texts])
        return [answer.ids for answer in greedy(writer, Stop(longest=count))]


class Translating(Subject):
    """Reads sources and writes targets; a row of logits after each id of the target."""

    causal = True
    begin = (START,)

    @property
    def longest(self) -> int:
        """Ids of a source, and of a target."""
        return int(self.model.config.length)

    def ask(self, texts: Sequence[Text], *, left: int = 0, right: int = 0, see: Watcher = nothing) -> list[Tensor]:
        """The answers to some texts in one batch."""
        source, real = self.padded([text.source for text in texts], left, right)
        target, _ = self.padded([text.ids for text in texts], 0, right)
        logits = self.model(source, real, target, see=see)
        return [logits[i, : len(text.ids)] for i, text in enumerate(texts)]

    def nobody(self) -> Tensor:
        """The answer after a source of which nothing is real."""
        source, real = self.padded([(0,)], 0, 0)
        return self.model(source, torch.zeros_like(real), source)[0]  # type: ignore[no-any-return]

    def in_parts(self, text: Text, cuts: Sequence[int]) -> Tensor:
        """The answer of a model that writes up to each cut, remembers, and goes on."""
        source, real = self.padded([text.source], 0, 0)
        context, cache = self.model.encode(source, real), self.model.new_cache()
        parts = torch.tensor([text.ids], device=self.device).tensor_split(list(cuts), dim=1)
        return torch.cat([self.model.decode(part, context, real, cache=cache)[0] for part in parts])

    def write(self, texts: Sequence[Text], count: int) -> list[tuple[int, ...]]:
        """So many ids of each translation, greedily, from its beginning."""
        source, real = self.padded([text.source for text in texts], 0, 0)
        writer = Translation(self.model, source, real, START)
        return [answer.ids for answer in greedy(writer, Stop(longest=count))]


SUBJECTS: Choices[type[Subject]] = Choices(
    "family of models", {"classifier": Classifying, "translator": Translating, "language model": Generating}
)


def subject_for(model: nn.Module, family: str) -> Subject:
    """The model, to be asked as its family is."""
    return SUBJECTS[family](model)
