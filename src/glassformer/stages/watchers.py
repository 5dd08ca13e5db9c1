"""Watchers: what a forward pass hands its stages to. `nothing` looks away, a rewriter writes; who reads stands beside.

A module takes its watcher as an argument, `see=nothing`, and never keeps it: two passes cannot mix. A watcher gets the
stage's name, the tensor, and, where the catalogue knows several, the way it was made; it returns the tensor to go on
with. It is written for tensors without naming torch, so that this floor stays free of it.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

from glassformer.errors import InputError, nearest

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
        new = change(old.clone()) if callable(change) else self._like(name, old, change)
        if not hasattr(new, "shape") or tuple(new.shape) != tuple(old.shape) or new.dtype != old.dtype:
            found = f"{list(new.shape)} of {new.dtype}" if hasattr(new, "shape") else repr(new)
            raise InputError(
                f"The stage '{name}' is {list(old.shape)} of {old.dtype}; what was written there is {found}."
            )
        return cast(Tensor, new)

    @staticmethod
    def _like(name: str, old: Any, values: Any) -> Any:
        """What was handed in, as a tensor of the stage's kind; a tensor keeps its gradient."""
        try:
            if not hasattr(values, "requires_grad"):
                return old.new_tensor(values.tolist() if hasattr(values, "tolist") else values)
            new = values.to(old)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"At '{name}' stands {values!r}: a tensor, an array or a function of the stage is expected."
            ) from error
        if not values.dtype.is_floating_point and bool((new.to(values.dtype) != values.to(new.device)).any()):
            raise InputError(f"At '{name}' stand numbers of {values.dtype}, which {old.dtype} cannot hold.")
        return new

    def require_reached(self, seen: Iterable[str]) -> None:
        """Says so if an address to be written was never passed: a change must not be lost in silence."""
        for address in self.changes.keys() - self.reached:
            raise InputError(f"No stage '{address}' was passed, so nothing was written; {nearest(address, seen)}")
