"""How large a model is, by formula: its parameters part by part, its FLOPs, its memory. It builds nothing.

Every count is a formula in letters, the same in numbers, and their value; the sum is the number of parameters of the
real module. FLOPs count a multiplication with its addition as two, as is usual, and only matrix products. Memory is for
float32; the activations that training keeps for the backward pass are counted as torch keeps them.

The letters of heads and widths are those of attention.py.
"""

import re
from dataclasses import asdict, dataclass
from typing import Any

from glassformer.models import config as configs
from glassformer.models.registry import MODELS
from glassformer.models.size_formulas.families import PLANS, SMALL
from glassformer.models.size_formulas.parts import PartSize

USUAL_TOKENS = 500  # of a text for a model that has no longest one, as in the notes
TRAINING = 3  # forward and backward together have this many times the FLOPs of forward
BYTES = 4  # of a float32


@dataclass(frozen=True)
class Sizes:
    """A model's parameters, FLOPs and memory, for one text of so many tokens (a translator's has two sides)."""

    model: str
    rows: tuple[PartSize, ...]
    letters: dict[str, int]
    tokens: int
    kept: int  # activations that training keeps of one text for the backward pass
    remembered: int  # numbers of each token in the KV cache
    sides: int = 1  # texts that it takes at once: a translator's source and target

    @property
    def tokens_of_a_side(self) -> int:
        """Of the text; of a translator's, each of the two."""
        return self.tokens // self.sides

    @property
    def parameters(self) -> int:
        """All parameters."""
        return sum(each.count for each in self.rows)

    @property
    def forward(self) -> int:
        """FLOPs for one text."""
        return sum(each.flops for each in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; memory in bytes."""
        weights = BYTES * self.parameters
        return {
            "model": self.model,
            "parameters": self.parameters,
            "table": [asdict(each) for each in self.rows],
            "letters": self.letters,
            "flops": {
                "tokens": self.tokens,
                "forward": self.forward,
                "forward_per_token": self.forward / self.tokens,
                "training_per_token": TRAINING * self.forward / self.tokens,
            },
            "memory": {
                "weights": weights,
                "gradients": weights,
                "optimizer": 2 * weights,  # AdamW's two moments
                "activations_per_token": BYTES * self.kept / self.tokens,
                "cache_per_token": BYTES * self.remembered,
            },
        }


def sizes(name: str, config: Any | None = None, *, tokens: int | None = None) -> Sizes:
    """The sizes of a model of the table, for texts of so many tokens (default: the longest it can take)."""
    config = MODELS[name].default if config is None else config
    fixed = isinstance(config, configs.DenseConfig | configs.ConvolutionConfig)  # it always sees its whole length
    tokens = getattr(config, "length", USUAL_TOKENS) if tokens is None or fixed else tokens
    plan = PLANS[type(config)](config, tokens)
    used = {sign for each in plan.rows for sign in re.findall(f"[A-Z][{SMALL}]?", each.formula)}
    letters = {sign: value for sign, value in plan.letters.items() if sign in used}
    sides = 2 if isinstance(config, configs.TranslatorConfig) else 1
    return Sizes(name, tuple(plan.rows), letters, sides * tokens, plan.kept, plan.remembered, sides)


def count_parameters(name: str, config: Any | None = None) -> int:
    """All parameters of a model, before any of them takes up memory."""
    return sizes(name, config, tokens=1).parameters
