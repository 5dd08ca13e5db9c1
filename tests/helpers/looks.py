"""Looks to try the view on: every small model with one text, and a document read back without the view's own code."""

import random
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from glassformer.by_hand.worksheets.solution import Solution
from glassformer.inside.looks import Look, look_at_classifier, look_at_language_model, look_at_translator
from glassformer.inside.parts import Texts
from glassformer.models.registry import MODELS, build, configure
from helpers.small_models import CLASSES, VOCABULARY, small

LABELS = tuple(f"class {i}" for i in range(CLASSES))


def names(ids: Sequence[int]) -> list[str]:
    return [f"w{i}" for i in ids]


def look(model: nn.Module, family: str, ids: list[int], target: list[int] | None = None) -> Look:
    if family == "classifier":
        return look_at_classifier(model, ids, names(ids), LABELS, title="a test")
    if family == "language model":
        return look_at_language_model(model, ids, names(ids), names, title="a test")  # type: ignore[arg-type]
    return look_at_translator(model, ids, names(ids), names, target=target, title="a test")  # type: ignore[arg-type]


def small_look(name: str, **settings: Any) -> Look:
    """A small model of this name, and a text of seven tokens."""
    return look(small(name, **settings), MODELS[name].family, [7, 5, 11, 28, 5, 19, 6], [9, 23, 8])


def random_look(seed: int) -> Look:
    """Any attending model of any shape, with weights that are not tiny, and any text."""
    draw = random.Random(seed)
    name = draw.choice(["transformer", "attention", "bare-attention", "translator", "gpt", "modern"])
    heads, width = draw.choice([1, 2, 3, 5]), draw.choice([2, 4, 6])
    settings: dict[str, Any] = {"vocabulary": VOCABULARY, "width": heads * width, "length": 31}
    if name == "bare-attention":
        settings |= {"heads": 1}
    elif name == "translator":
        settings |= {"encoder_layers": draw.choice([1, 2]), "decoder_layers": draw.choice([1, 2]), "heads": heads}
        settings |= {"hidden": 7, "norm_first": draw.random() < 0.7}
    else:
        settings |= {"heads": heads, "hidden": draw.choice([5, 11])}
        settings |= {"layers": draw.choice([1, 2, 3])} if name != "attention" else {}
    if MODELS[name].family == "language model":
        settings |= {"weigher": draw.choice(["softmax", "sigmoid", "quiet softmax"])}
    if MODELS[name].family == "classifier":
        settings |= {"classes": CLASSES}
    torch.manual_seed(seed)
    model = build(name, configure(name, **settings)).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * 0.3)
    ids = [draw.randrange(5, VOCABULARY) for _ in range(draw.randrange(1, 13))]
    target = [draw.randrange(5, VOCABULARY) for _ in range(draw.randrange(1, 9))]
    return look(model, MODELS[name].family, ids, target)


# --- a document, read back ----------------------------------------------------------------------------------------

SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%()*+-;=>?@^_`{|}~,."
TYPES = {"f8": "<f8", "f4": "<f4", "q4": "<i4", "u1": "<u1"}


def stages_by_address(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {stage["address"]: stage for stage in document["stages"]}


def numbers_of(document: dict[str, Any]) -> dict[str, NDArray[np.float64]]:
    """Every number of a packed document, by the address of its stage."""
    packed = document["packed"]
    worth = {sign: place for place, sign in enumerate(SIGNS)}
    digits = np.array([worth[sign] for sign in packed["text"]], dtype=np.int64).reshape(-1, 5)
    words = (digits @ 85 ** np.array([4, 3, 2, 1, 0])).astype(">u4").tobytes()
    content = zlib.decompress(words[: packed["length"]])
    sections, start = {}, 0
    for kind, dtype in TYPES.items():
        width, count = int(dtype[-1]), packed["counts"][kind]
        planes = np.frombuffer(content[start : start + width * count], np.uint8).reshape(width, count)
        sections[kind] = np.ascontiguousarray(planes.T).view(dtype).reshape(count).astype(np.float64)
        if kind == "q4":
            sections[kind] = np.where(sections[kind] == -(2**31), -np.inf, sections[kind] * 2.0**-20)
        start += width * count
    found = {}
    for stage in document["stages"]:
        place = stage["numbers"]
        if place is not None:
            values = sections[place["kind"]][place["at"] : place["at"] + place["count"]]
            found[stage["address"]] = values.reshape(stage["stored"])
    for stage in document["stages"]:
        if stage["same_as"] and stage["same_as"] in found:
            found[stage["address"]] = found[stage["same_as"]]
    return found


def look_at_solution(solution: Solution) -> Look:
    """A worked example, as a page would draw it."""
    sheet = solution.sheet
    own = tuple(sheet.tokens)
    context = tuple(sheet.context_tokens) if "context" in sheet or sheet.context_tokens != sheet.tokens else ()
    return Look(solution.trace, Texts(own=own, context=context, context_scopes=()), sheet.title, sheet.about)


def four_layers(name: str) -> Look:
    torch.manual_seed(1)
    model = build(name, configure(name, vocabulary=500, width=128, layers=4, heads=4, hidden=512)).eval()
    ids = [int(each) for each in torch.randint(5, 500, (30,))]
    return look_at_language_model(model, ids, names(ids), names)  # type: ignore[arg-type]
