"""Looks at random tokens that come twice: nothing but what followed a token the first time can tell what follows it the
second time. Made for models of running text; it judges no head.
"""

from collections.abc import Iterator
from typing import Any

import torch

from glassformer.errors import InputError
from glassformer.inside.looks import Look, look_at_language_model
from glassformer.text.token_kinds import SPECIAL
from glassformer.text.tokens import Tokens

LONGEST = 24  # tokens that come twice


def repeated_looks(model: Any, tokens: Tokens, room: int, count: int, seed: int = 0) -> Iterator[Look]:
    """So many looks at random tokens, each twice in the same order, as long as the model's room allows."""
    ordinary = len(tokens) - len(SPECIAL)
    length = min(LONGEST, room // 2, ordinary)
    if length < 2:
        raise InputError(f"Tokens that come twice need room for 4 and 2 to draw from; there are {room} and {ordinary}.")
    draw = torch.Generator().manual_seed(seed)
    for _ in range(count):
        once = torch.randperm(ordinary, generator=draw)[:length] + len(SPECIAL)  # each token once, so that all is clear
        ids = [*once.tolist(), *once.tolist()]
        with torch.inference_mode():
            yield look_at_language_model(model, ids, tokens.strings(ids), tokens.strings)
