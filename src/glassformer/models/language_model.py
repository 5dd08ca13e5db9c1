"""The decoder-only model: ids in, logits for the next id out. GPT-2's layout and the modern one differ in numbers only.

It knows no text and no training; it can look back on earlier ids through a cache that the caller owns.
"""

import math
from collections.abc import Callable
from typing import Any

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from glassformer.choices import Choices
from glassformer.layers.attention import WEIGHERS, DotProduct, Scorer, padding_mask
from glassformer.layers.blocks import NORMS, Block, RMSNorm, block
from glassformer.layers.cache import BlockCache
from glassformer.layers.embedding import Embedding, Head
from glassformer.layers.kernels import dropout
from glassformer.layers.positions import Dimensions, Order
from glassformer.layers.synthesizers import DenseSynthesizer, RandomSynthesizer
from glassformer.models.config import LanguageModelConfig
from glassformer.stages.watchers import Watcher, nothing, within


class LanguageModel(nn.Module):
    """Causal blocks between an embedding and a head."""

    def __init__(self, config: LanguageModelConfig) -> None:
        super().__init__()
        self.config = config
        d_key = config.width // config.heads
        self.embedding = Embedding(config.vocabulary, config.width)
        self.order = Order(config.positions, Dimensions(config.length, config.width, config.heads), ("decoder",))
        self.blocks = nn.ModuleList(self._block(config, d_key) for _ in range(config.layers))
        self.final_norm = NORMS[config.norm](config.width)
        self.head = Head(config.width, config.vocabulary, bias=False, tied=self.embedding if config.tied else None)
        self._start()

    @staticmethod
    def _block(config: LanguageModelConfig, d_key: int) -> Block:
        norms: dict[str, Any] = (
            {"query_norm": RMSNorm(d_key), "key_norm": RMSNorm(d_key)} if config.query_key_norm else {}
        )
        return block(
            config.width, config.heads, config.hidden, causal=True, norm=NORMS[config.norm],
            activation=config.activation, dropout=config.dropout,
            attention_dropout=config.attention_dropout, bias=config.bias, scorer=SCORERS[config.scorer](config, d_key),
            weigher=WEIGHERS[config.weigher], n_kv_heads=config.kv_heads or None, **norms,
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

    def new_cache(self) -> list[BlockCache]:
        """An empty KV cache for one batch of texts to be written."""
        return [BlockCache() for _ in self.blocks]


SCORERS: Choices[Callable[[LanguageModelConfig, int], Scorer]] = Choices(
    "scorer",
    {
        "dot product": lambda config, d_key: DotProduct(),
        "dense synthesizer": lambda config, d_key: DenseSynthesizer(config.heads, d_key, config.length),
        "random synthesizer": lambda config, d_key: RandomSynthesizer(config.heads, config.length),
    },
)
