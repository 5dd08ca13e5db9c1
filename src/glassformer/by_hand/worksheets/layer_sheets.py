"""The layers other than attention that a worksheet may hold: what each must be given, and whether its shapes fit.

The catalogue says which axes a given has, and an axis has one size throughout a worksheet. Computes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glassformer.errors import InputError, nearest
from glassformer.stages.catalogue import LEGEND, stage

Givens = Mapping[str, NDArray[np.float64]]

# What a setting that is a word may be; the first is the usual.
CHOICES: MappingProxyType[str, tuple[str, ...]] = MappingProxyType({"activation": ("tanh", "relu")})


@dataclass(frozen=True)
class Form:
    """One way to write a layer down: what must be given, and what may be."""

    needs: tuple[str, ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class LayerSheet:
    """What a worksheet of a layer holds: all of one of the forms; and the settings that are words."""

    forms: tuple[Form, ...]
    settings: tuple[str, ...] = ()

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


LAYERS: MappingProxyType[str, LayerSheet] = MappingProxyType(
    {
        "rnn step": LayerSheet(
            (
                Form((*_STEP, "step_weight"), ("step_bias",)),
                Form((*_STEP, "recurrent_weight", "state_weight"), ("step_bias",)),
            ),
            ("activation",),
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
    }
)
LAYER_GIVENS = tuple(dict.fromkeys(name for kind in LAYERS.values() for name in kind.givens))


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
        for axis, size in zip(axes_of(name), values.shape, strict=True):
            known, where = sizes.setdefault(axis, (size, name))
            if known != size:
                raise InputError(f"{LEGEND[axis].capitalize()}: {where} has {known}, but {name} has {size}.")
    for joined, parts in (("DS", ("D", "S")),):
        if joined in sizes and all(part in sizes for part in parts):
            size, where = sizes[joined]
            wanted = sum(sizes[part][0] for part in parts)
            if size != wanted:
                found = " and ".join(f"{sizes[part][1]} has {sizes[part][0]}" for part in parts)
                raise InputError(f"{where} has {size} rows, but {found}: side by side they are {wanted}.")


def implied(layer: str, content: Mapping[str, Any]) -> dict[str, list[float]]:
    """What a layer takes to be given without being told, from names and values that may yet be wrong."""
    if layer != "positional encoding":
        return {}
    rows, width = content.get("unplaced"), content.get("wave_width")
    height = len(rows) if isinstance(rows, list) else 0
    width = len(rows[0]) if isinstance(rows, list) and rows and isinstance(rows[0], list) else width
    width = width if isinstance(width, int) else 0
    found = {
        "row_positions": [float(place) for place in range(height)],
        "wave_base": [10000.0],
        "wave_width": [float(width)],
        "wave_numbers": [float(wave) for wave in range(width // 2)],
    }
    return {name: numbers for name, numbers in found.items() if numbers and name not in content}


def ways_of(layer: str, content: Mapping[str, Any]) -> dict[str, str]:
    """How the stages are made that have a choice."""
    return {"new_state": str(content.get("activation", "tanh"))} if layer == "rnn step" else {}


def _check_form(layer: str, givens: Givens) -> None:
    forms = kind_of(layer).forms
    if not givens:
        raise InputError(f"Nothing to work from: a {layer} is given {_listed(forms[0].needs)}.")
    form = max(forms, key=lambda each: sum(1 if name in givens else -1 for name in each.needs))
    missing = tuple(name for name in form.needs if name not in givens)
    if missing:
        raise InputError(f"{_listed(missing)} must be given for a {layer}; the worksheet has {', '.join(givens)}.")
    for name in givens:
        if name not in (*form.needs, *form.also):
            raise InputError(f"{name} is not used in a {layer} with {_listed(form.needs)}: take it out.")


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
