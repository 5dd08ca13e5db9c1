"""Watchers: what a forward pass hands its stages to. `nothing` looks away, a recorder reads, a rewriter writes.

A module takes its watcher as an argument, `see=nothing`, and never keeps it: two passes cannot mix. A watcher gets the
stage's name, the tensor, and, where the catalogue knows several, the way it was made; it returns the tensor to go on
with. It is written for tensors without naming torch, so that this floor stays free of it.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

import numpy as np

from glassformer.errors import InputError, nearest
from glassformer.stages.arithmetic import Array
from glassformer.stages.trace import Entry, Trace

Tensor = TypeVar("Tensor")


@runtime_checkable
class Watcher(Protocol):
    """Is shown every stage, and says which tensor to go on with."""

    def __call__(self, name: str, value: Tensor, how: str = "") -> Tensor: ...


def nothing(name: str, value: Tensor, how: str = "") -> Tensor:
    """The default watcher: nobody looks, and it costs nothing."""
    return value


def within(see: Watcher, scope: str) -> Watcher:
    """The same watcher for a part of the model: what the part calls `weights` is seen as `scope.weights`."""
    return nothing if see is nothing else Scoped(see, scope)


class Scoped:
    """Hands every stage on to another watcher, with the scope put before its name."""

    def __init__(self, see: Watcher, scope: str) -> None:
        self.see, self.scope = see, scope

    def __call__(self, name: str, value: Tensor, how: str = "") -> Tensor:
        """Hands the stage on."""
        return self.see(f"{self.scope}.{name}", value, how)


class Witness:
    """Passes every stage on to another watcher, and remembers whether any of them was rewritten."""

    def __init__(self, see: Watcher) -> None:
        self.see = see
        self.rewritten = False

    def __call__(self, name: str, value: Tensor, how: str = "") -> Tensor:
        """Hands the stage on."""
        answer = self.see(name, value, how)
        self.rewritten |= answer is not value
        return answer


class Rewriter:
    """Writes stages: at each address of `changes`, puts a new tensor (or a function of the old one) in place."""

    def __init__(self, changes: Mapping[str, Any]) -> None:
        self.changes = dict(changes)
        self.reached: set[str] = set()

    def __call__(self, name: str, value: Tensor, how: str = "") -> Tensor:
        """The stage as it should be from here on."""
        if name not in self.changes:
            return value
        self.reached.add(name)
        change = self.changes[name]
        old = cast(Any, value)
        # A function gets a copy: if it edits in place, the old stage is still there to compare with.
        new = change(old.clone()) if callable(change) else _like(old, change)
        if not hasattr(new, "shape") or tuple(new.shape) != tuple(old.shape) or new.dtype != old.dtype:
            found = f"{list(new.shape)} of {new.dtype}" if hasattr(new, "shape") else repr(new)
            raise InputError(
                f"The stage '{name}' is {list(old.shape)} of {old.dtype}; what was written there is {found}."
            )
        return cast(Tensor, new)

    def require_reached(self, seen: Iterable[str]) -> None:
        """Says so if an address to be written was never passed: a change must not be lost in silence."""
        for address in self.changes.keys() - self.reached:
            raise InputError(f"No stage '{address}' was passed, so nothing was written; {nearest(address, seen)}")


def _like(old: Any, values: Any) -> Any:
    """What was handed in, as a tensor of the stage's kind; a tensor keeps its gradient."""
    if hasattr(values, "requires_grad"):
        return values.to(old)
    return old.new_tensor(values.tolist() if hasattr(values, "tolist") else values)


class Recorder:
    """Reads stages into a trace; with a rewriter, records what was put in place and marks it as written."""

    def __init__(self, rewriter: Rewriter | None = None) -> None:
        self.rewriter = rewriter
        self.trace = Trace()
        # The tensors themselves, held so that no id is used twice: the same tensor at two addresses is one thing.
        self._held: dict[int, tuple[object, str]] = {}

    def __call__(self, name: str, value: Tensor, how: str = "") -> Tensor:
        """Keeps a copy of the stage."""
        answer = self.rewriter(name, value, how) if self.rewriter else value
        _, same_as = self._held.get(id(answer), (None, ""))
        self._held.setdefault(id(answer), (answer, name))
        self.trace.add(Entry(name, as_array(answer), how, same_as, written=answer is not value))
        return answer


def as_array(value: Any) -> Array:
    """A copy of a tensor's numbers. Kinds of float that numpy lacks are widened, which loses nothing."""
    tensor = value.detach().cpu()
    if str(tensor.dtype) in ("torch.bfloat16", "torch.float8_e4m3fn", "torch.float8_e5m2"):
        tensor = tensor.float()
    return np.array(tensor.numpy(), copy=True)


def record(
    module: Callable[..., Any], *inputs: Any, write: Mapping[str, Any] | None = None, **options: Any
) -> tuple[Any, Trace]:
    """Runs `module(*inputs, **options)` and gives its answer and the trace; `write` puts other values at addresses.

    `answer, trace = record(attention, x, write={"weights": uniform})`
    """
    rewriter = Rewriter(write) if write else None
    recorder = Recorder(rewriter)
    answer = module(*inputs, **options, see=recorder)
    if rewriter is not None:
        rewriter.require_reached(recorder.trace)
    return answer, recorder.trace
