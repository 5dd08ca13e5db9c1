"""Small lessons of each objective, and small models that can take them."""

import numpy as np
from torch import nn

from glassformer.objectives.lessons import Lessons, Measures
from glassformer.objectives.table import OBJECTIVES
from glassformer.text.samples import Labelled, Pair, Plain
from glassformer.text.tokens import Tokens
from helpers.small_models import small

WORDS = ("the", "film", "was", "not", "good", "at", "all", "but", "a", "cat", "sat", "on", "every", "red", "mat")


def texts(count: int, seed: int) -> list[str]:
    draw = np.random.default_rng(seed)
    return [" ".join(draw.choice(WORDS, size=int(draw.integers(2, 11)))) for _ in range(count)]


def lessons_for(name: str, dropout: float = 0.1) -> tuple[Lessons, nn.Module]:
    """Small lessons of each kind, and a small model that can take them."""
    some, others = texts(37, 1), texts(11, 2)
    tokens = Tokens.train("word", some, vocabulary=29, min_frequency=1)
    if name == "classes":
        made = [[Labelled(text, "long" if len(text) > 25 else "short") for text in part] for part in (some, others)]
        measures = Measures(longest=23, tokens_per_batch=53, seed=3)
        lessons = OBJECTIVES["classes"].lessons(*made, ["long", "short"], tokens, measures)
        return lessons, small("transformer", vocabulary=len(tokens), dropout=dropout, word_dropout=dropout)
    pairs = [[Pair(text, " ".join(reversed(text.split()))) for text in part] for part in (some, others)]
    if name == "pairs":
        lessons = OBJECTIVES["pairs"].lessons(*pairs, (), tokens, Measures(longest=17, tokens_per_batch=53, seed=3))
        return lessons, small("translator", vocabulary=len(tokens), dropout=dropout)
    plain = [[Plain(text) for text in part] for part in (some, others)]
    if name == "masked":
        lessons = OBJECTIVES["masked"].lessons(*plain, (), tokens, Measures(longest=13, tokens_per_batch=53, seed=3))
        return lessons, small("transformer", vocabulary=len(tokens), dropout=dropout, word_dropout=dropout)
    if name == "answers":
        lessons = OBJECTIVES["answers"].lessons(*pairs, (), tokens, Measures(longest=29, tokens_per_batch=53, seed=3))
    elif name == "spans":
        lessons = OBJECTIVES["spans"].lessons(*plain, (), tokens, Measures(longest=13, tokens_per_batch=53, seed=3))
    elif name == "stream":
        lessons = OBJECTIVES["stream"].lessons(*plain, (), tokens, Measures(longest=7, tokens_per_batch=37, seed=3))
    else:
        raise KeyError(f"There are no small lessons for the objective '{name}' yet.")
    return lessons, small("modern", vocabulary=len(tokens), dropout=dropout)
