"""Where numbers come from: each that enters a call was there before the watch, or came from a call that was seen.

What another thread, another process, a foreign kernel or numpy worked out shows itself here: as a tensor that nobody
made, or as an empty one that nobody filled. It looks at storages, never at numbers, and knows nothing of attention.
"""

import gc
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.multiprocessing.reductions import StorageWeakRef

EMPTY = frozenset(("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "empty_permuted"))
CONSTANT = frozenset(("lift_fresh", "lift_fresh_copy", "lift"))  # torch.tensor([…]): numbers written in Python
_ROUNDED = (torch.float16, torch.bfloat16)
_LEAVING = frozenset(("numpy", "__array__", "tolist", "__dlpack__", "data_ptr"))


def storage_of(tensor: Tensor) -> int:
    """The storage a tensor lies in, as a number: views of one tensor share it."""
    return int(tensor.untyped_storage()._cdata)


def has_own_storage(tensor: Tensor) -> bool:
    """Whether it has a storage of its own, as a tensor of numbers has and a nested or a wrapped one has not."""
    ordinary = getattr(type(tensor), "__torch_dispatch__", None) is Tensor.__torch_dispatch__
    wrapped = torch._C._functorch.is_functorch_wrapped_tensor(tensor)  # seen again below, as an ordinary one
    return ordinary and not wrapped and tensor.layout == torch.strided and not tensor.is_nested


class Origins:
    """The storages that are known, and how: those of before the watch, and those that a seen call has made."""

    def __init__(self, model: nn.Module) -> None:
        # A weak reference keeps the address of a storage from being used again, and not its numbers.
        self._known: dict[int, StorageWeakRef] = {}
        self._unwritten: set[int] = set()
        self.fixed: set[int] = set()  # what depends on the model's weights and on constants alone
        self.learned: set[int] = set()  # what of it depends on the weights
        self.left = ""  # how numbers have left torch, if they have
        self._shapes = {tuple(weight.shape) for weight in model.parameters()}
        for weight in (*model.parameters(), *model.buffers()):
            if has_own_storage(weight):
                self.made(weight)
                self.fixed.add(storage_of(weight))
                self.learned.add(storage_of(weight))
        for tensor in _living():
            if has_own_storage(tensor):
                self.made(tensor)

    def made(self, tensor: Tensor) -> None:
        """A seen call has made this tensor, or it was there before."""
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key not in self._known:
            self._known[key] = StorageWeakRef(storage)  # type: ignore[no-untyped-call]
            self.fixed.discard(key)
            self.learned.discard(key)
        self._unwritten.discard(key)

    def leaves(self, name: str, args: Iterable[Any]) -> None:
        """Takes note of a call that hands numbers to something that is not torch."""
        if name in _LEAVING and any(isinstance(t, Tensor) and t.is_floating_point() and t.numel() > 1 for t in args):
            self.left = name

    def strange(self, name: str, tensor: Tensor) -> str | None:
        """Why this tensor cannot have come from what was seen; None if it can."""
        if not tensor.is_floating_point() or tensor.numel() <= 1:
            return None
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self._unwritten:
            self._unwritten.discard(key)
            return "something that is not a call of torch filled a tensor"
        if key in self._known:
            return None
        self._known[key] = StorageWeakRef(storage)  # type: ignore[no-untyped-call]  # said once
        if tensor.dtype in _ROUNDED and tuple(tensor.shape) in self._shapes | {s[::-1] for s in self._shapes}:
            self.fixed.add(key)
            self.learned.add(key)  # autocast keeps rounded copies of the weights to itself
            return None
        from_python = name in CONSTANT or not storage.resizable()  # a list, or an array of numpy
        if from_python and not self.left:
            return None
        if from_python:
            return f"numbers left torch through `{self.left}` and others came back"
        return "a tensor came from another thread or from a call that could not be seen"

    def empty(self, tensor: Tensor) -> None:
        """The tensor was made and not yet written."""
        if tensor.numel():
            self._unwritten.add(storage_of(tensor))

    def written(self, tensor: Tensor) -> None:
        """A seen call has written into it."""
        self._unwritten.discard(storage_of(tensor))

    def forget_the_dead(self) -> None:
        """Keeps what is known small in a long run."""
        if len(self._known) > _MANY:
            dead = [key for key, ref in self._known.items() if ref.expired()]  # type: ignore[no-untyped-call]
            for key in dead:
                del self._known[key]
            self.fixed &= self._known.keys()
            self.learned &= self._known.keys()


_MANY = 50_000


def _living() -> Iterator[Tensor]:
    """All tensors that Python holds at this moment."""
    kinds = {Tensor, *_below(Tensor)}
    return (each for each in gc.get_objects() if type(each) in kinds)


def _below(kind: type) -> Iterator[type]:
    each: type
    for each in type.__subclasses__(kind):
        yield each
        yield from _below(each)
