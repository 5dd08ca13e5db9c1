"""The encoder–decoder Transformer: reads one sequence of ids, writes another. It knows no text and no training.

`encode` reads the source once; `decode` answers, for each place of the target so far, with logits for the next id. The
target comes shifted by one already; who shifts it is batches.py, or the model's own last answer. A `Translation` is a
translator with the batch of texts it is writing, as sampling.py needs it: it chooses no id.
"""

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from glassformer.layers.attention import padding_mask
from glassformer.layers.blocks import block, norm_of
from glassformer.layers.cache import BlockCache
from glassformer.layers.embedding import Embedding, Head
from glassformer.layers.kernels import dropout
from glassformer.layers.positions import Dimensions, Order
from glassformer.models.config import TranslatorConfig
from glassformer.models.sampling import ENDLESS, must_rest
from glassformer.stages.watchers import Watcher, nothing, within


class Translator(nn.Module):
    """One embedding for both languages and for the output."""

    def __init__(self, config: TranslatorConfig) -> None:
        super().__init__()
        self.config = config
        norm = norm_of(config.norm, config.epsilon)

        def blocks(count: int, *, decoder: bool) -> nn.ModuleList:
            return nn.ModuleList(
                block(
                    config.width, config.heads, config.hidden, causal=decoder, cross=decoder, norm=norm,
                    norm_first=config.norm_first, activation=config.activation, dropout=config.dropout,
                    attention_dropout=config.attention_dropout, d_key=config.key_width or None,
                    d_value=config.value_width or None, bias=config.bias,
                )
                for _ in range(count)
            )  # fmt: skip

        self.embedding = Embedding(config.vocabulary, config.width, scaled=config.scaled_embedding)
        dimensions = Dimensions(config.length, config.width, config.heads, config.key_width)
        self.order = Order(config.positions, dimensions, ("encoder", "decoder"))
        self.encoder = blocks(config.encoder_layers, decoder=False)
        self.decoder = blocks(config.decoder_layers, decoder=True)
        self.encoder_norm = norm(config.width) if config.norm_first else None
        self.final_norm = norm(config.width) if config.norm_first else None
        self.head = Head(config.width, config.vocabulary, tied=self.embedding)

    def forward(
        self,
        source: Int[Tensor, "B S"],
        source_real: Bool[Tensor, "B S"],
        target: Int[Tensor, "B T"],
        *,
        counted: Bool[Tensor, "B T"] | None = None,
        see: Watcher = nothing,
    ) -> Float[Tensor, "B T N"] | Float[Tensor, "M N"]:
        """Teacher forcing: the whole target at once."""
        context = self.encode(source, source_real, see=see)
        return self.decode(target, context, source_real, counted=counted, see=see)

    def encode(
        self, source: Int[Tensor, "B S"], source_real: Bool[Tensor, "B S"], *, see: Watcher = nothing
    ) -> Float[Tensor, "B S D"]:
        """One row per source id, each built from all of them."""
        x = self.embedding(source, see=within(see, "source"))
        x, angles, bias = self.order(x, stack="encoder", see=within(see, "source"))
        x = dropout(x, self.config.dropout) if self.training else x
        mask = padding_mask(source_real)
        for i, each in enumerate(self.encoder):
            x = each(x, mask=mask, score_bias=bias, angles=angles, see=within(see, f"encoder.{i}"))
        return x if self.encoder_norm is None else self.encoder_norm(x, see=within(see, "encoder.norm"))  # type: ignore[no-any-return]

    def decode(
        self,
        target: Int[Tensor, "B T"],
        context: Float[Tensor, "B S D"],
        source_real: Bool[Tensor, "B S"],
        *,
        counted: Bool[Tensor, "B T"] | None = None,
        cache: list[BlockCache] | None = None,
        see: Watcher = nothing,
    ) -> Float[Tensor, "B T N"] | Float[Tensor, "M N"]:
        """Scores for the id after each of `target`, or only where it is counted; with a cache, these are new ids."""
        x = self.embedding(target, see=within(see, "target"))
        memory = cache[0].own if cache else None
        x, angles, bias = self.order(x, stack="decoder", cache=memory, see=within(see, "target"))
        x = dropout(x, self.config.dropout) if self.training else x
        context_mask = padding_mask(source_real)
        for i, each in enumerate(self.decoder):
            x = each(
                x, context, context_mask=context_mask, score_bias=bias, angles=angles,
                cache=cache[i] if cache else None, see=within(see, f"decoder.{i}"),
            )  # fmt: skip
        if self.final_norm is not None:
            x = self.final_norm(x, see=within(see, "final_norm"))
        return self.head(x, counted, see=see)  # type: ignore[no-any-return]

    def new_cache(self) -> list[BlockCache]:
        """An empty KV cache for one batch of texts to be written."""
        return [BlockCache() for _ in self.decoder]


class Translation:
    """A translator, or an engine called as one, that has read its sources, and writes a target for each from the id
    `begin` on, without the ids in `never`; each of at most as many ids as `most` says of it."""

    def __init__(
        self,
        model: Any,
        source: Int[Tensor, "B S"],
        source_real: Bool[Tensor, "B S"],
        begin: int,
        never: Sequence[int] = (),
        *,
        most: Sequence[int] = (),
    ) -> None:
        must_rest(model)
        self.model, self.begin, self.never = model, begin, list(never)
        longest = model.order.longest or ENDLESS
        self.room = [min(longest, each) for each in most] or [longest] * len(source)
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
        logits: Tensor = self.model.decode(ids, self._context, self._real, cache=self._cache)
        last = logits[:, -1]
        if self.never:
            last = last.index_fill(1, torch.tensor(self.never, device=last.device), -torch.inf)
        return last

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
