"""The decoder-only model: ids in, logits for the next id out. GPT-2's layout and the modern one differ in numbers only.

It knows no text and no training; it can look back on earlier ids through a cache that the caller owns. A `Continuation`
is such a model with the batch of texts it is writing, as sampling.py needs it: it chooses no id.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from glassformer.choices import Choices, Later
from glassformer.errors import InputError
from glassformer.layers.attention import WEIGHERS, DotProduct, Scorer, padding_mask
from glassformer.layers.blocks import Block, block, norm_of
from glassformer.layers.cache import BlockCache
from glassformer.layers.embedding import Embedding, Head
from glassformer.layers.kernels import dropout
from glassformer.layers.positions import Dimensions, Order
from glassformer.models.config import LanguageModelConfig
from glassformer.models.sampling import ENDLESS, must_rest
from glassformer.stages.watchers import Watcher, nothing, within


class LanguageModel(nn.Module):
    """Causal blocks between an embedding and a head."""

    def __init__(self, config: LanguageModelConfig) -> None:
        super().__init__()
        self.config = config
        d_key = config.key_width or config.width // config.heads
        self.embedding = Embedding(config.vocabulary, config.width)
        dimensions = Dimensions(
            config.length, config.width, config.heads, config.key_width, config.rotary_base, config.rotary_stretch
        )
        self.order = Order(config.positions, dimensions, ("decoder",))
        self.blocks = nn.ModuleList(self._block(config, d_key) for _ in range(config.layers))
        self.final_norm = norm_of(config.norm, config.epsilon)(config.width)
        self.head = Head(config.width, config.vocabulary, bias=False, tied=self.embedding if config.tied else None)
        self._start()

    @staticmethod
    def _block(config: LanguageModelConfig, d_key: int) -> Block:
        each = norm_of("rms", config.epsilon)
        norms: dict[str, Any] = {"query_norm": each(d_key), "key_norm": each(d_key)} if config.query_key_norm else {}
        return block(
            config.width, config.heads, config.hidden, causal=True, norm=norm_of(config.norm, config.epsilon),
            activation=config.activation, dropout=config.dropout,
            attention_dropout=config.attention_dropout, bias=config.bias, qkv_bias=config.qkv_bias,
            scorer=SCORERS[config.scorer](config, d_key),
            weigher=WEIGHERS[config.weigher], n_kv_heads=config.kv_heads or None,
            d_key=config.key_width or None, d_value=config.value_width or None, **norms,
        )  # fmt: skip

    def _start(self) -> None:
        """Small weights to begin with, smaller still where a block adds to the stream: as GPT-2 does."""
        for name, weight in self.named_parameters():
            if weight.ndim == 2 and "norm" not in name:
                last = name.endswith(("output.weight", "contract.weight"))
                nn.init.normal_(weight, std=0.02 / math.sqrt(2 * self.config.layers) if last else 0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(weight)

    def forward(
        self,
        ids: Int[Tensor, "B T"],
        real: Bool[Tensor, "B Tk"] | None = None,
        *,
        positions: Int[Tensor, "#B T"] | None = None,
        counted: Bool[Tensor, "B T"] | None = None,
        cache: list[BlockCache] | None = None,
        see: Watcher = nothing,
    ) -> Float[Tensor, "B T N"] | Float[Tensor, "M N"]:
        """Scores for the id after each one, or only where it is counted.

        `real` marks padding, and with a cache covers what was read before too.
        """
        memory = cache[0].own if cache else None
        x, angles, bias = self.order(self.embedding(ids, see=see), positions, stack="decoder", cache=memory, see=see)
        x = dropout(x, self.config.dropout) if self.training else x
        mask = None if real is None else padding_mask(real)
        for i, each in enumerate(self.blocks):
            own = cache[i] if cache else None
            x = each(x, mask=mask, score_bias=bias, angles=angles, cache=own, see=within(see, f"blocks.{i}"))
        return self.head(self.final_norm(x, see=within(see, "final_norm")), counted, see=see)  # type: ignore[no-any-return]

    @property
    def longest(self) -> int | None:
        """How many ids it can look back on; None if their positions have no end, nor any table of scores."""
        return self.config.length if "synthesizer" in self.config.scorer else self.order.longest

    def new_cache(self) -> list[BlockCache]:
        """An empty KV cache for one batch of texts to be written."""
        return [BlockCache() for _ in self.blocks]


DENSE = Later("glassformer.layers.synthesizers:DenseSynthesizer")
RANDOM = Later("glassformer.layers.synthesizers:RandomSynthesizer")
SCORERS: Choices[Callable[[LanguageModelConfig, int], Scorer]] = Choices(
    "scorer",
    {
        "dot product": lambda config, d_key: DotProduct(),
        "dense synthesizer": lambda config, d_key: DENSE(config.heads, d_key, config.length),
        "random synthesizer": lambda config, d_key: RANDOM(config.heads, config.length),
    },
)


class Continuation:
    """A language model that goes on from prompts, which may be of unequal length.

    Shorter prompts are filled up on the left with ids that nobody sees, and every id is told its own position: a text
    is the same whoever else is in the batch. A Synthesizer counts columns, not positions, so it needs equal lengths.
    The model is a `LanguageModel`, or an engine that is called as one.
    """

    def __init__(self, model: Any, prompts: Sequence[Sequence[int]]) -> None:
        must_rest(model)
        _check_prompts(model, prompts)
        self.model = model
        device = next(model.parameters()).device
        lengths = [len(prompt) for prompt in prompts]
        width = max(lengths)
        longest = model.longest or ENDLESS
        self.room = [longest - length + 1 for length in lengths]  # the last id is not looked back on
        self._ids = torch.tensor([[0] * (width - len(prompt)) + list(prompt) for prompt in prompts], device=device)
        self._missing = width - torch.tensor(lengths, device=device)[:, None]  # B 1, columns before each prompt

    def first(self) -> Float[Tensor, "B N"]:
        """Reads the prompts; scores for the first id after each."""
        self._cache = self.model.new_cache()
        self._columns = self._ids.shape[1]  # that are looked back on
        self._skipped = self._missing  # B 1, of these the first that are nobody's
        real = torch.arange(self._columns, device=self._ids.device) >= self._skipped
        self._real = None if bool(real.all()) else real
        return self._scores(self._ids)

    def next(self, ids: Int[Tensor, "B"]) -> Float[Tensor, "B N"]:
        """Adds an id to each text; scores for the one after it."""
        if self._real is not None:
            self._real = torch.cat([self._real, torch.ones_like(self._real[:, :1])], dim=1)
        self._columns += 1
        return self._scores(ids.to(self._ids.device)[:, None])

    @property
    def burst(self) -> int:
        """How many ids its model writes at once; 0 if it must be asked for each."""
        return getattr(self.model, "burst", 0)

    def written(
        self, ids: Int[Tensor, "B"], chances: Float[Tensor, "B T"], temperature: float
    ) -> tuple[Int[Tensor, "B T"], Float[Tensor, "B T"]]:
        """Adds an id to each text; the ids after it, one for each chance, and their log-probabilities. The last of them
        is not yet added."""
        position = self._columns - self._skipped
        found: tuple[Tensor, Tensor] = self.model.written(
            ids[:, None], position, self._looked_back_on(), cache=self._cache, chances=chances, temperature=temperature
        )
        count = chances.shape[1]
        self._columns += count
        self._real = None if self._real is None else F.pad(self._real, (0, count), value=True)
        return found

    def keep(self, rows: Int[Tensor, "R"]) -> None:
        """Goes on with these rows only, in this order."""
        rows = rows.to(self._ids.device)
        for each in self._cache:
            each.keep(rows)
        self._skipped = self._skipped[rows]
        self._real = None if self._real is None else self._real[rows]

    def join(self, other: "Continuation") -> None:
        """Takes in other texts, which have been begun, as the last rows of the batch."""
        own, new = self._looked_back_on(), other._looked_back_on()
        width = max(own.shape[1], new.shape[1])
        real = torch.cat([F.pad(each, (width - each.shape[1], 0)) for each in (own, new)])
        if "synthesizer" in self.model.config.scorer and not bool(real.all()):
            raise InputError(
                "Texts of unequal length cannot be written together by a Synthesizer, which counts columns."
            )
        for mine, theirs in zip(self._cache, other._cache, strict=True):
            mine.join(theirs)
        self._skipped = torch.cat([each._skipped + (width - each._columns) for each in (self, other)])
        self._columns = width
        self._real = None if bool(real.all()) else real

    def close_up(self) -> None:
        """Forgets the columns that only texts no longer in the batch had stood in."""
        if self._real is not None and (unseen := int((~self._real.any(0)).int().cumprod(0).sum())):
            for each in self._cache:
                each.cut(unseen)
            rest, self._columns, self._skipped = (
                self._real[:, unseen:], self._columns - unseen, self._skipped - unseen,
            )  # fmt: skip
            self._real = None if bool(rest.all()) else rest

    def _looked_back_on(self) -> Bool[Tensor, "B T"]:
        if self._real is not None:
            return self._real
        return torch.ones(len(self._skipped), self._columns, dtype=torch.bool, device=self._ids.device)

    def _scores(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B N"]:
        """Where nobody's columns stand before a text, its ids are told their positions; else these are the columns."""
        positions = None
        if self._real is not None:
            columns = torch.arange(self._columns - ids.shape[1], self._columns, device=ids.device)
            positions = (columns - self._skipped).clamp(min=0)
        logits: Tensor = self.model(ids, self._real, positions=positions, cache=self._cache)
        return logits[:, -1]


def _check_prompts(model: Any, prompts: Sequence[Sequence[int]]) -> None:
    lengths = [len(prompt) for prompt in prompts]
    if not lengths or min(lengths) == 0:
        raise InputError(f"There are {len(lengths)} prompts, of {lengths} ids; a model needs at least one id to go on.")
    longest = model.longest
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
