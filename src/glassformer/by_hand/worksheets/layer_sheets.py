"""The layers other than attention that a worksheet may hold: what each must be given, and whether its shapes fit.

The catalogue says which axes a given has, and an axis has one size throughout a worksheet. Computes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glassformer.errors import InputError, nearest
from glassformer.stages.catalogue import stage
from glassformer.stages.stage import LEGEND

Givens = Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Form:
    """One way to write a layer down: what must be given, and what may be."""

    needs: tuple[str, ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class LayerSheet:
    """What a worksheet of a layer holds: all of one of the forms; and settings, of which the first is the usual."""

    forms: tuple[Form, ...]
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def givens(self) -> tuple[str, ...]:
        """All that may be given."""
        return tuple(dict.fromkeys(name for form in self.forms for name in (*form.needs, *form.also)))


_STEP = ("step_input", "previous_state")
_LSTM = ("input_gate", "forget_gate", "output_gate", "cell")
_GRU = ("reset_gate", "update_gate")


def _weights(*names: str) -> tuple[str, ...]:
    return tuple(f"{name}_weight" for name in names)


def _biases(*names: str) -> tuple[str, ...]:
    return tuple(f"{name}_bias" for name in names)


_FORWARD = _weights("expand", "contract")
_FORWARD_BIASES = _biases("expand", "contract")
_BENDS = {"activation": ("relu", "gelu")}
_BLOCK = {**_BENDS, "norm": ("last", "first"), "heads": tuple("12345678")}


def _block(*attentions: str) -> Form:
    """A block with so many attentions: each, like the feed-forward network, with a norm of its own."""
    parts: list[tuple[str, tuple[str, ...]]] = [(each, ("query", "key", "value", "output")) for each in attentions]
    parts.append(("feed_forward", ("expand", "contract")))
    rows = ("inputs", "context") if "cross" in attentions else ("inputs",)
    weights = (f"{part}.{name}" for part, names in parts for name in _weights(*names))
    biases = (f"{part}.{name}" for part, names in parts for name in _biases(*names))
    norms = (f"{part}.norm.norm_{kind}" for part, _ in parts for kind in ("weight", "bias"))
    return Form((*rows, *weights), (*biases, *norms))


LAYERS: MappingProxyType[str, LayerSheet] = MappingProxyType(
    {
        "rnn step": LayerSheet(
            (
                Form((*_STEP, "step_weight"), ("step_bias",)),
                Form((*_STEP, "recurrent_weight", "state_weight"), ("step_bias",)),
            ),
            {"activation": ("tanh", "relu")},
        ),
        "lstm step": LayerSheet((Form((*_STEP, "previous_cell", *_weights(*_LSTM)), _biases(*_LSTM)),)),
        "gru step": LayerSheet(
            (
                Form((*_STEP, *_weights(*_GRU, "candidate")), _biases(*_GRU, "candidate")),
                Form(
                    (*_STEP, *_weights(*_GRU, "candidate_word", "candidate_state")),
                    _biases(*_GRU, "candidate", "candidate_state"),
                ),
            )
        ),
        "positional encoding": LayerSheet(
            (Form(("unplaced",), ("row_positions", "wave_base")), Form(("row_positions", "wave_width"), ("wave_base",)))
        ),
        "convolution": LayerSheet(
            (Form(("sequence_rows", "filter_weight"), ("filter_bias", "window_stride")),),
            {"pooling": ("none", "global")},
        ),
        "image convolution": LayerSheet((Form(("image", "kernel_weight"), ("kernel_bias", "window_stride")),)),
        "max pooling": LayerSheet((Form(("feature_map", "block_size")), Form(("feature_map",)), Form(("convolved",)))),
        "feed-forward": LayerSheet((Form(("forward_inputs", *_FORWARD), _FORWARD_BIASES),), _BENDS),
        "add and norm": LayerSheet((Form(("skipped", "output"), ("norm_weight", "norm_bias")),)),
        "encoder block": LayerSheet((_block("self"),), _BLOCK),
        "decoder block": LayerSheet((_block("self", "cross"),), _BLOCK),
        "decoding step": LayerSheet(
            (Form(("rows", "logit_weight", "written_ids"), ("logit_bias", "target_ids")),),
        ),
    }
)
LAYER_GIVENS = tuple(dict.fromkeys(name for kind in LAYERS.values() for name in kind.givens))


# In a block all of these are as wide as the model.
_OF_MODEL_WIDTH = ("C", "HK", "HV", "GK", "GV")


def kind_of(layer: str) -> LayerSheet:
    """What a worksheet of this layer holds."""
    if layer not in LAYERS:
        raise InputError(f"layer cannot be '{layer}'; {nearest(layer, ['attention', *LAYERS])}")
    return LAYERS[layer]


def axes_of(name: str) -> tuple[str, ...]:
    """The axes of a given on paper, where there is one batch."""
    return tuple(axis for axis in stage(name).axes if axis not in ("B", "…"))


def check_layer(layer: str, givens: Givens) -> None:
    """Is this all that the layer is worked from, is each of them used, and do rows and columns meet?"""
    _check_form(layer, givens)
    sizes: dict[str, tuple[int, str]] = {}
    for name, values in givens.items():
        wide = ("D" if "block" in layer and axis in _OF_MODEL_WIDTH else axis for axis in axes_of(name))
        for axis, size in zip(wide, values.shape, strict=True):
            known, where = sizes.setdefault(axis, (size, name))
            if known != size:
                raise InputError(f"{LEGEND[axis].capitalize()}: {where} has {known}, but {name} has {size}.")
    _check_windows(givens)
    _check_ids(givens)
    for joined, parts in (("DS", ("D", "S")),):
        if joined in sizes and all(part in sizes for part in parts):
            size, where = sizes[joined]
            wanted = sum(sizes[part][0] for part in parts)
            if size != wanted:
                found = " and ".join(f"{sizes[part][1]} has {sizes[part][0]}" for part in parts)
                raise InputError(f"{where} has {size} rows, but {found}: side by side they are {wanted}.")


def _check_windows(givens: Givens) -> None:
    """A window must be a whole number of rows, and fit into what it slides over."""
    for name in ("window_stride", "block_size"):
        if name in givens and (givens[name] < 1 or givens[name] % 1):
            raise InputError(f"{name} must be a whole number from 1 on; it is {float(givens[name]):g}.")
    if "filter_weight" in givens:
        rows, (height, width) = len(givens["filter_weight"]), givens["sequence_rows"].shape
        if rows % width or rows // width > height:
            raise InputError(
                f"filter_weight has {rows} rows; a window of sequence_rows has {width} numbers for each of its rows, "
                f"{height} rows at most."
            )
    for inner, outer in (("kernel_weight", "image"), ("block_size", "feature_map")):
        if inner in givens and outer in givens:
            small = givens[inner].shape or (int(givens[inner]),) * 2
            if any(size > room for size, room in zip(small, givens[outer].shape, strict=True)):
                raise InputError(
                    f"{inner} is {small[0]} × {small[1]}, larger than {outer}, "
                    f"{givens[outer].shape[0]} × {givens[outer].shape[1]}."
                )


def _check_ids(givens: Givens) -> None:
    """An id is the number of a word in the vocabulary; what should be written is as long as what was, at least."""
    for name in ("written_ids", "target_ids"):
        for id_ in givens.get(name, ()):
            words = givens["logit_weight"].shape[-1]
            if id_ % 1 or not 0 <= id_ < words:
                raise InputError(
                    f"{name} has {id_:g}; with {words} words, ids are whole numbers from 0 to {words - 1}."
                )
    if "target_ids" in givens and len(givens["target_ids"]) < len(givens["written_ids"]):
        raise InputError(
            f"target_ids has {len(givens['target_ids'])} ids; written_ids has {len(givens['written_ids'])}, with the "
            "start sign, so the true sentence must have as many or more."
        )


def implied(layer: str, content: Mapping[str, Any]) -> dict[str, list[float]]:
    """What a layer takes to be given without being told, from names and values that may yet be wrong."""
    found: dict[str, list[float]] = {}
    if layer == "positional encoding":
        height, width = _sizes(content.get("unplaced"))
        given = content.get("wave_width")
        width = given if isinstance(given, int) else width
        found["row_positions"] = [float(place) for place in range(height)]
        found |= {"wave_base": [10000.0], "wave_width": [float(width)]}
        found["wave_numbers"] = [float(wave) for wave in range(width // 2)]
    if "convolution" in layer:
        found["window_stride"] = [1.0]
    if layer == "add and norm":
        found["epsilon"] = [1e-5]
    if layer == "convolution":
        rows, (_, width) = _sizes(content.get("filter_weight"))[0], _sizes(content.get("sequence_rows"))
        found["window_size"] = [float(rows // max(width, 1))]
    return {name: numbers for name, numbers in found.items() if numbers and name not in content}


def _sizes(rows: Any) -> tuple[int, int]:
    """Rows and columns of what should be a matrix."""
    height = len(rows) if isinstance(rows, list) else 0
    return height, len(rows[0]) if height and isinstance(rows[0], list) else 0


def ways_of(layer: str, content: Mapping[str, Any]) -> dict[str, str]:
    """How the stages are made that have a choice."""
    made_by = {"rnn step": "new_state", "feed-forward": "activated"}.get(layer)
    usual = LAYERS[layer].settings["activation"][0] if made_by else ""
    return {made_by: str(content.get("activation", usual))} if made_by else {}


def _check_form(layer: str, givens: Givens) -> None:
    forms = kind_of(layer).forms
    if not givens:
        raise InputError(f"Nothing to work from: the layer '{layer}' is given {_listed(forms[0].needs)}.")
    form = max(forms, key=lambda each: sum(1 if name in givens else -1 for name in each.needs))
    missing = tuple(name for name in form.needs if name not in givens)
    if missing:
        found = ", ".join(givens)
        raise InputError(f"{_listed(missing)} must be given for the layer '{layer}'; the worksheet has {found}.")
    for name in givens:
        if name not in (*form.needs, *form.also):
            raise InputError(f"{name} is not used in the layer '{layer}' with {_listed(form.needs)}: take it out.")


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
