"""Reasons with figures that are given, not worked out: for what is said of them."""

from typing import Any

import torch

from glassformer.inside.why.reasons import Reasons, WordShare
from glassformer.inside.why.shared_out import Blank, Shared
from glassformer.inside.why.trials import RandomTexts

SPREAD = RandomTexts(32, 0.0, 3.0, 0.6)


def word(text: str, share: float, without: float) -> WordShare:
    return WordShare(text, share, without, False, ((text, share),))


def why(*words: WordShare, blank: float = 0.0, closed: float = 0.0, **more: Any) -> Reasons:
    shared = Shared(tuple(each.share for each in words), Blank(torch.zeros(1), "spaces", blank), 2e-5, closed, 32)
    plain: dict[str, Any] = {
        "text": "not good", "family": "classifier", "answer": "negative",
        "rival": "positive", "answer_id": 0, "rival_id": 1,
        "says": "negative", "margin": 2.6,
        "direct": None, "switched_off": (), "candidates": (), "written": (), "at": 1, "random": SPREAD, "orders": None,
    }  # fmt: skip
    return Reasons(words=words, shared=shared, **plain | more)
