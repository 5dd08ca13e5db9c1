"""What a layout of another tool is: which tensor of ours is which of theirs, and how the sizes are told. One row of the
table in table.py. It opens no file and builds no model.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from glassformer.errors import InputError
from glassformer.exchange.foreign_config import ForeignConfig

State = dict[str, Tensor]


@dataclass(frozen=True)
class Counterpart:
    """A tensor of theirs. It is one of ours, or several of ours one below the other; `turned`, where they keep rows and
    columns the other way round."""

    theirs: str
    ours: tuple[str, ...]
    turned: bool = False


@dataclass(frozen=True)
class Settled:
    """What their config says in our words: a model of our table, and its settings."""

    model: str
    settings: Mapping[str, Any]


def unchanged(state: State, config: Any) -> State:
    """The tensors as they are."""
    return state


def no_shapes(config: Any) -> dict[str, tuple[int | None, ...]]:
    """All are as ours."""
    return {}


@dataclass(frozen=True, kw_only=True)
class Layout:
    """One row of the table.

    architecture    what their config.json calls the model
    family          of our models that it can hold
    needs           for each setting of ours, what it may say: a value, or several
    told            our config → their config.json, without the ids of special tokens
    read            their config → our model and its settings; what it does not know, it refuses
    slots           our config → their tensors and ours
    before          what stands before the names of most of their tensors, and may be missing
    unused          beginnings of names of tensors that are not taken in: of heads for other tasks, or the same again
    optional        names of ours whose tensors may be missing
    headless        whether it has no head: it gives rows, not answers
    outward         what is done with our tensors before they are renamed; inward, with theirs after
    also            our config → what else it cannot hold, in words
    shapes          our config → the shapes of tensors that only they have, or have otherwise; None is any number
    """

    architecture: str
    family: str
    needs: Mapping[str, Any]
    told: Callable[[Any], dict[str, Any]]
    read: Callable[[ForeignConfig], Settled]
    slots: Callable[[Any], Sequence[Counterpart]]
    before: str = ""
    unused: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    headless: bool = False
    outward: Callable[[State, Any], State] = unchanged
    inward: Callable[[State, Any], State] = unchanged
    also: Callable[[Any], list[str]]
    shapes: Callable[[Any], dict[str, tuple[int | None, ...]]] = no_shapes

    def misfits(self, config: Any) -> list[str]:
        """What it cannot hold of a model, in words; nothing if it holds all of it."""
        found = []
        for name, wanted in self.needs.items():
            value, choices = getattr(config, name), wanted if isinstance(wanted, tuple) else (wanted,)
            if value not in choices:
                found.append(f"{name} is {_spelled(value)} ({' or '.join(map(_spelled, choices))} there)")
        return [*found, *self.also(config)]


def _spelled(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def one_width(config: Any) -> list[str]:
    """Why heads of several widths cannot be told; nothing where keys and values of a head are as wide."""
    key = config.key_width or config.width // config.heads
    value = config.value_width or key
    return [] if key == value else [f"keys are {key} wide and values {value} (both alike there)"]


def shared_width(config: Any) -> list[str]:
    """The same where a head's width is not told at all: the model's, shared out among the heads."""
    key, even = config.key_width or config.width // config.heads, config.width // config.heads
    found = [] if key == even else [f"key_width is {key} (width / heads = {even} there)"]
    return [*found, *one_width(config)]


# --- renaming ---------------------------------------------------------------------------------------------------


def to_theirs(state: Mapping[str, Tensor], slots: Sequence[Counterpart]) -> State:
    """Our tensors under their names."""
    found = {}
    for slot in slots:
        whole = torch.cat([state[name] for name in slot.ours]) if len(slot.ours) > 1 else state[slot.ours[0]]
        found[slot.theirs] = (whole.T if slot.turned else whole).contiguous()
    return found


def to_ours(
    tensors: Mapping[str, Tensor], slots: Sequence[Counterpart], shapes: Mapping[str, tuple[int | None, ...]]
) -> State:
    """Their tensors under our names, if names and shapes are those that the model has."""
    found: State = {}
    for slot in slots:
        if slot.theirs not in tensors:
            raise InputError(f"The weights do not fit: there is no '{slot.theirs}'.")
        tensor = tensors[slot.theirs].T if slot.turned else tensors[slot.theirs]
        wanted = [shapes[name] for name in slot.ours]
        rows = [each[0] for each in wanted if each[0] is not None] if len(wanted) > 1 else [len(tensor)]
        whole = (sum(rows), *wanted[0][1:]) if len(wanted) > 1 else wanted[0]
        if len(whole) != tensor.ndim or any(a not in (None, b) for a, b in zip(whole, tensor.shape, strict=True)):
            raise InputError(
                f"The weights do not fit: '{slot.theirs}' has shape {list(tensors[slot.theirs].shape)}; its config "
                f"asks for {list(whole[::-1] if slot.turned else whole)}."
            )
        parts = torch.split(tensor, rows)
        found |= {name: part.contiguous() for name, part in zip(slot.ours, parts, strict=True)}
    return found


# --- the same parts in every layout -----------------------------------------------------------------------------


def alike(theirs: str, ours: str, *, bias: bool = False, turned: bool = False) -> list[Counterpart]:
    """A matrix (or a norm), and its bias if it has one."""
    slots = [Counterpart(f"{theirs}.weight", (f"{ours}.weight",), turned)]
    return [*slots, Counterpart(f"{theirs}.bias", (f"{ours}.bias",))] if bias else slots
