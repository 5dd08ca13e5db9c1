"""Requests for models so small that a test can train them."""

from typing import Any

from glassformer.training.request import Request

TINY = {"width": 12, "heads": 2, "hidden": 17}
TINY_PAIR = {**TINY, "encoder_layers": 1, "decoder_layers": 1}


def request(task: str, data: str, **options: Any) -> Request:
    settings = {**(TINY_PAIR if task == "translate" else {**TINY, "layers": 1}), **options.pop("settings", {})}
    return Request(task=task, data=data, **{"steps": 7, "threads": 1, "settings": settings, **options})


def counting(**options: Any) -> Request:
    """For a model that counts before it learns."""
    settings = {"ngrams": 997, "tokens_per_batch": 499, "longest": 97}
    return Request(**{"task": "classify", "data": "negation:300", "model": "ngrams", "threads": 1,
                      "settings": settings, **options})  # fmt: skip
