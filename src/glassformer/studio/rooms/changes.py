"""Changes to a pass that a person asks for: a head or a network switched off, a number put in place, a stage from
another text.

Each becomes a function of one stage; the rest of the pass follows by itself. It knows stages by their addresses and no
model.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from glassformer.errors import InputError
from glassformer.stages.trace import Trace
from glassformer.studio import asking
from glassformer.studio.asking import Content

KINDS = ("head off", "network off", "number", "take")
MOST = 64
NETWORK = "contracted"  # the stage that a feed-forward network hands on
Change = Callable[[Tensor], Tensor]
TraceOf = Callable[[str], Trace]  # the trace of the same model on another text


@dataclass(frozen=True)
class Asked:
    """One change as the page says it. `text` is where a stage is taken from."""

    kind: str
    address: str
    head: int | None = None
    index: tuple[int, ...] = ()
    value: float = 0.0
    text: str = ""

    def on(self, trace_of: TraceOf) -> Change:
        """The change as a function of the stage."""
        if self.kind == "head off":
            return self._without_head
        if self.kind == "network off":
            return self._without_network
        if self.kind == "number":
            return self._with_number
        return self._taken(trace_of(self.text))

    def _without_head(self, stage: Tensor) -> Tensor:
        """Adds nothing: its mixed values are zeros."""
        self._check_head(stage)
        stage[:, self.head] = 0.0
        return stage

    def _without_network(self, stage: Tensor) -> Tensor:
        """Adds nothing: what it hands on is zeros."""
        if self.address.rpartition(".")[2] != NETWORK:
            raise InputError(f"{self.address} is not what a feed-forward network hands on (…{NETWORK}).")
        return torch.zeros_like(stage)

    def _with_number(self, stage: Tensor) -> Tensor:
        shape = tuple(stage.shape)
        if len(self.index) != len(shape) or any(i >= size for i, size in zip(self.index, shape, strict=True)):
            raise InputError(f"{self.address} has no number at {list(self.index)}; its shape is {list(shape)}.")
        if stage.dtype == torch.bool:
            raise InputError(f"{self.address} holds no numbers that can be changed.")
        stage[self.index] = self.value
        return stage

    def _taken(self, other: Trace) -> Change:
        values = torch.from_numpy(other[self.address])

        def change(stage: Tensor) -> Tensor:
            if stage.shape != values.shape:
                raise InputError(
                    f"Only a text of as many tokens can lend its numbers: {self.address} is {_size(stage)} here, but "
                    f"{_size(values)} for “{self.text[:60]}”."
                )
            new = values.to(stage)
            if self.head is None:
                return new.clone()
            self._check_head(stage)
            stage[:, self.head] = new[:, self.head]
            return stage

        return change

    def _check_head(self, stage: Tensor) -> None:
        if stage.ndim != 4 or self.head is None or self.head >= stage.shape[1]:
            raise InputError(f"{self.address} has no head {self.head}.")


def _size(stage: Tensor) -> str:
    return " × ".join(str(size) for size in stage.shape[1:])


def read_changes(content: Content, longest: int) -> tuple[Asked, ...]:
    """The changes of a request."""
    return tuple(_asked(each, longest) for each in asking.several(content, "changes", most=MOST))


def _asked(content: Content, longest: int) -> Asked:
    kind = asking.choice(content, "kind", KINDS)
    address = asking.text(content, "address")
    head = None if content.get("head") is None else asking.whole(content, "head", least=0, most=4096)
    if kind == "number":
        return Asked(kind, address, index=asking.places(content, "index"), value=asking.number(content, "value"))
    text = asking.text(content, "text", longest=longest) if kind == "take" else ""
    return Asked(kind, address, head=head, text=text)


def writes(changes: Sequence[Asked], trace_of: TraceOf) -> Mapping[str, Any]:
    """All changes as one mapping for a rewriter; several at one address follow each other."""
    found: dict[str, Change] = {}
    for asked in changes:
        found[asked.address] = _after(found.get(asked.address), asked.on(trace_of))
    return found


def _after(first: Change | None, second: Change) -> Change:
    return second if first is None else lambda stage: second(first(stage))
