"""A writer of a few lines, for tests: its scores are any function of the ids written so far."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

Rule = Callable[[tuple[int, ...]], Sequence[float]]


class ByRule:
    """Writes texts whose next scores are `rule(ids so far)`; each text begins with its own ids."""

    def __init__(self, rule: Rule, begins: Sequence[tuple[int, ...]] = ((),), room: int = 1000) -> None:
        self.rule, self.begins = rule, begins
        self.room = [room] * len(begins)
        self.texts: list[tuple[int, ...]] = []
        self.asked: list[int] = []  # how many rows each step had

    def first(self) -> Tensor:
        self.texts = list(self.begins)
        self.asked = []
        return self._scores()

    def next(self, ids: Tensor) -> Tensor:
        self.texts = [(*text, id_) for text, id_ in zip(self.texts, ids.tolist(), strict=True)]
        return self._scores()

    def keep(self, rows: Tensor) -> None:
        self.texts = [self.texts[row] for row in rows.tolist()]

    def _scores(self) -> Tensor:
        self.asked.append(len(self.texts))
        return torch.tensor([list(self.rule(text)) for text in self.texts], dtype=torch.float64)


def chance_rule(seed: int, vocabulary: int, spread: float = 2.0) -> Rule:
    """Scores by chance, but always the same ones after the same ids."""

    def rule(ids: tuple[int, ...]) -> list[float]:
        scores: list[float] = np.random.default_rng([seed, len(ids), *ids]).normal(0.0, spread, vocabulary).tolist()
        return scores

    return rule


def counting(ids: tuple[int, ...]) -> list[float]:
    """1, 2, 3, 4, 1, 2, …: of five ids, the one after the last is likely; 0 never is."""
    after = (ids[-1] if ids else 0) % 4 + 1
    return [5.0 if id_ == after else 0.0 if id_ else -9.0 for id_ in range(5)]
