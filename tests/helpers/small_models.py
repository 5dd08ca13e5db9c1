"""One small model of every name in the table, with inputs: what a promise about all models is tried on."""

from typing import Any

import torch
from torch import Tensor, nn

from glassformer.models.registry import MODELS, build, configure

SMALL: dict[str, dict[str, Any]] = {
    "ngrams": {"ngrams": 211},
    "rnn": {"width": 5, "state": 7},
    "gru": {"width": 5, "state": 7},
    "bilstm": {"width": 5, "state": 7},
    "mlp": {"width": 5, "length": 23, "hidden": [13, 7]},
    "conv": {"width": 5, "length": 67, "filters": [7, 11], "hidden": 13},
    "conv-pool": {"width": 5, "length": 67, "filters": [7, 11], "hidden": 13},
    "bare-attention": {"width": 6, "length": 23},
    "attention": {"width": 6, "length": 23, "heads": 3},
    "transformer": {"width": 6, "length": 23, "layers": 2, "heads": 3, "hidden": 13},
    "bert": {"width": 6, "length": 23, "layers": 2, "heads": 3, "hidden": 13, "epsilon": 1e-3},
    "translator": {"width": 6, "length": 23, "encoder_layers": 2, "decoder_layers": 2, "heads": 3, "hidden": 13},
    "gpt": {"width": 6, "length": 23, "layers": 2, "heads": 3, "hidden": 13},
    "modern": {"width": 12, "length": 23, "layers": 2, "heads": 3, "hidden": 13},
}
VOCABULARY, CLASSES = 29, 3
# The weights that the source notes print for the models they compare.
SIZES_IN_THE_NOTES = {
    "rnn": 2_572_546, "bilstm": 2_758_786, "mlp": 68_228_482, "conv": 4_641_538, "conv-pool": 2_806_402,
}  # fmt: skip


def small(name: str, **settings: Any) -> nn.Module:
    torch.manual_seed(5)
    if MODELS[name].family == "classifier":
        settings = {"classes": CLASSES, **settings}
    model: Any = build(name, configure(name, **{"vocabulary": VOCABULARY, **SMALL[name], **settings}))
    if MODELS[name].counts:
        texts = torch.randint(VOCABULARY, (37, 13)), torch.ones(37, 13, dtype=torch.bool)
        model.count(lambda: [(*texts, torch.arange(37) % model.config.classes)])
    with torch.no_grad():  # weights that are not tiny, so that differences show
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * 0.3)
    return model.eval()  # type: ignore[no-any-return]


def inputs(name: str, lengths: tuple[int, ...] = (11, 7, 4), pads: int = 0) -> tuple[Tensor, ...]:
    generator = torch.Generator().manual_seed(3)
    longest = max(lengths) + pads
    real = torch.arange(longest)[None] < torch.tensor(lengths)[:, None]
    ids = torch.randint(5, VOCABULARY, (len(lengths), max(lengths)), generator=generator)
    ids = torch.nn.functional.pad(ids, (0, pads)).masked_fill(~real, 0)
    if MODELS[name].family == "translator":
        target = torch.randint(5, VOCABULARY, (len(lengths), 5), generator=generator)
        return ids, real, target
    return ids, real
