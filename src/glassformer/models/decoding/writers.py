"""Writers: a model with the batch of texts it is writing, as sampling.py needs it. They choose no id and know no text.

A writer owns the model's cache and begins anew with `first`: the same one can write greedily, and then be searched.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from glassformer.errors import InputError
from glassformer.models.language_model import LanguageModel
from glassformer.models.translator import Translator

ENDLESS = 2**31  # the room of a model that can look back on any length


class Continuation:
    """A language model that goes on from prompts, which may be of unequal length.

    Shorter prompts are filled up on the left with ids that nobody sees, and every id is told its own position: a text
    is the same whoever else is in the batch. A Synthesizer counts columns, not positions, so it needs equal lengths.
    """

    def __init__(self, model: LanguageModel, prompts: Sequence[Sequence[int]]) -> None:
        _require_at_rest(model)
        _check_prompts(model, prompts)
        self.model = model
        device = next(model.parameters()).device
        lengths = [len(prompt) for prompt in prompts]
        width = max(lengths)
        longest = _longest(model) or ENDLESS
        self.room = [longest - length + 1 for length in lengths]  # the last id is not looked back on
        self._ids = torch.tensor([[0] * (width - len(prompt)) + list(prompt) for prompt in prompts], device=device)
        columns = torch.arange(width, device=device)
        self._places = columns - (width - torch.tensor(lengths, device=device))[:, None]  # B T; left of 0 is nobody
        self._padded = min(lengths) < width

    def first(self) -> Float[Tensor, "B N"]:
        """Reads the prompts; scores for the first id after each."""
        self._cache = self.model.new_cache()
        self._real = self._places >= 0 if self._padded else None
        self._position = self._places[:, -1:]  # B 1, of the newest id
        return self._scores(self._ids, self._places.clamp(min=0))

    def next(self, ids: Int[Tensor, "B"]) -> Float[Tensor, "B N"]:
        """Adds an id to each text; scores for the one after it."""
        if self._real is not None:
            self._real = torch.cat([self._real, torch.ones_like(self._real[:, :1])], dim=1)
        self._position = self._position + 1
        return self._scores(ids.to(self._ids.device)[:, None], self._position)

    def keep(self, rows: Int[Tensor, "R"]) -> None:
        """Goes on with these rows only, in this order."""
        rows = rows.to(self._ids.device)
        for block in self._cache:
            block.keep(rows)
        self._position = self._position[rows]
        self._real = None if self._real is None else self._real[rows]

    def _scores(self, ids: Int[Tensor, "B T"], positions: Int[Tensor, "B T"]) -> Float[Tensor, "B N"]:
        logits: Tensor = self.model(ids, self._real, positions=positions, cache=self._cache)
        return logits[:, -1]


class Translation:
    """A translator that has read its sources, and writes a target for each from the id `begin` on."""

    def __init__(
        self, model: Translator, source: Int[Tensor, "B S"], source_real: Bool[Tensor, "B S"], begin: int
    ) -> None:
        _require_at_rest(model)
        self.model, self.begin = model, begin
        self.room = [_longest(model) or ENDLESS] * len(source)
        with torch.inference_mode():
            self._read = model.encode(source, source_real)  # B S D
        self._read_real = source_real

    def first(self) -> Float[Tensor, "B N"]:
        """Begins the targets; scores for the first id of each."""
        self._cache = self.model.new_cache()
        self._context, self._real = self._read, self._read_real
        self._texts = torch.arange(len(self._context), device=self._context.device)  # whose source each row looks at
        return self.next(torch.full_like(self._texts, self.begin))

    def next(self, ids: Int[Tensor, "B"]) -> Float[Tensor, "B N"]:
        """Adds an id to each target; scores for the one after it."""
        ids = ids.to(self._context.device)[:, None]
        return self.model.decode(ids, self._context, self._real, cache=self._cache)[:, -1]

    def keep(self, rows: Int[Tensor, "R"]) -> None:
        """Goes on with these rows only. Where beams trade places within a text, what they look at stays in place."""
        rows = rows.to(self._context.device)
        if torch.equal(self._texts[rows], self._texts):
            for block in self._cache:
                block.reorder(rows)
            return
        for block in self._cache:
            block.keep(rows)
        self._texts, self._context, self._real = self._texts[rows], self._context[rows], self._real[rows]


def _require_at_rest(model: nn.Module) -> None:
    if model.training:
        raise InputError("This model is being trained, so it drops at random; call model.eval() before it writes.")


def _longest(model: LanguageModel | Translator) -> int | None:
    """How many ids it can look back on; None if their positions have no end, nor any table of scores."""
    by_table = isinstance(model, LanguageModel) and "synthesizer" in model.config.scorer
    return model.config.length if by_table else model.order.longest


def _check_prompts(model: LanguageModel, prompts: Sequence[Sequence[int]]) -> None:
    lengths = [len(prompt) for prompt in prompts]
    if not lengths or min(lengths) == 0:
        raise InputError(f"There are {len(lengths)} prompts, of {lengths} ids; a model needs at least one id to go on.")
    longest = _longest(model)
    if longest is not None and max(lengths) > longest:
        raise InputError(
            f"Prompt {lengths.index(max(lengths))} has {max(lengths)} ids, but this model looks back on {longest} "
            "at most; leave out its beginning."
        )
    if "synthesizer" in model.config.scorer and min(lengths) < max(lengths):
        raise InputError(
            f"Prompts of {min(lengths)} to {max(lengths)} ids cannot be written together by a Synthesizer, "
            "which counts columns; group them by length."
        )
