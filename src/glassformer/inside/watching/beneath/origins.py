"""Where numbers come from: each that enters a call was there before the watch, or came from a call that was seen.

What another thread, another process, a foreign kernel or numpy worked out shows itself here: as a tensor that nobody
made, or as an empty one that nobody filled. It looks at storages, never at numbers, and knows nothing of attention.
"""

import ctypes
import gc
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy
from torch.utils._python_dispatch import _disable_current_modes

BLANK = frozenset(("zeros", "zeros_like", "new_zeros"))
EMPTY = frozenset(("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "empty_permuted"))
CONSTANT = frozenset(("lift_fresh", "lift_fresh_copy", "lift"))  # torch.tensor([…]): numbers written in Python
WHOLE = frozenset((torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64))
_ROUNDED = (torch.float16, torch.bfloat16)
_LEAVING = frozenset(("numpy", "__array__", "tolist", "__dlpack__", "data_ptr"))
_READING = frozenset(("storage", "untyped_storage", "__repr__", "__format__", "__reduce_ex__", "__deepcopy__"))
_SEVERAL = 4  # numbers one by one: two rows that look at two have as many, a scale or a threshold has fewer
_FILLED = "something that is not a call of torch filled a tensor"
_CHANGED = "the numbers of a tensor were changed by something that could not be seen"
_STORAGES = torch.UntypedStorage


def storage_of(tensor: Tensor) -> int:
    """The storage a tensor lies in, as a number: views of one tensor share it."""
    return int(tensor.untyped_storage()._cdata)


def is_of_numbers(tensor: Tensor) -> bool:
    """Whether it holds numbers that are not whole."""
    return tensor.is_floating_point() or tensor.is_complex()


def has_own_storage(tensor: Tensor) -> bool:
    """Whether it has a storage of its own, unlike one that is nested, wrapped, or still without a size."""
    if is_lazy(tensor):
        return False
    ordinary = getattr(type(tensor), "__torch_dispatch__", None) is Tensor.__torch_dispatch__
    wrapped = torch._C._functorch.is_functorch_wrapped_tensor(tensor)  # seen again below, as an ordinary one
    return ordinary and not wrapped and tensor.layout == torch.strided and not tensor.is_nested


class Origins:
    """The storages that are known, and how: those of before the watch, and those that a seen call has made."""

    def __init__(self, model: nn.Module) -> None:
        # A weak reference keeps the address of a storage from being used again, and not its numbers. It is torch's
        # bare one: the class around it frees itself in Python, where an exception out of a signal would be lost.
        self._known: set[int] = set()
        self._written: dict[int, int] = {}  # what some of the bytes were after the last call that was seen
        self._unwritten: set[int] = set()
        self._blank: set[int] = set()  # all zeros, and not yet written
        self._items = 0  # numbers that left torch one by one
        self._entered: set[float] = set()  # numbers of Python that calls were handed
        self._returned: set[float] = set()  # of these, what was not there before others had left
        self.fixed: set[int] = set()  # what depends on the model's weights and on constants alone
        self.learned: set[int] = set()  # what of it depends on the weights
        self.held: set[int] = set()  # what no kernel has made of anything but weights, buffers, constants, attributes
        self._knows_what_is_read = False
        self._in_python = False  # whether Python may know something of what was read, and choose by it
        self.left = ""  # how numbers have left torch, if they have
        self._weights: dict[tuple[int, ...], list[Tensor]] = {}  # by their shapes
        self.beside: set[int] = set()  # what modules hold that is none of their weights and buffers
        self.read: set[int] = set()  # what the model is called with
        self.texts: frozenset[int] = frozenset()  # how long the first axes of that are
        self.addresses: set[int] = set()  # of their numbers in memory
        self._awaited: list[Tensor] = [*model.parameters(), *model.buffers()]
        self._frozen = gc.get_freeze_count()  # objects that no list of the living names
        self.arrived()
        for tensor in _living():
            if has_own_storage(tensor):
                self.made(tensor)
                if self._is_a_rounded_weight(tensor):
                    self._own(tensor)
        self.before = set(self._known)

    def arrived(self) -> None:
        """Takes note of the model's weights: all of them at first, but for those that get their size as it runs."""
        here = [weight for weight in self._awaited if not is_lazy(weight)]
        for weight in here:
            if isinstance(weight, nn.Parameter):
                self._weights.setdefault(tuple(weight.shape), []).append(weight)
                self.addresses.add(weight.untyped_storage().data_ptr())
            self._own(weight)
        if here:
            self._awaited = [weight for weight in self._awaited if is_lazy(weight)]

    def _own(self, weight: Tensor) -> None:
        if has_own_storage(weight):
            self.made(weight)
            for own in (self.fixed, self.learned, self.held):
                own.add(storage_of(weight))

    def made(self, tensor: Tensor) -> None:
        """A seen call has made this tensor, or it was there before."""
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key not in self._known:
            self._know(storage)
            self.fixed.discard(key)
            self.learned.discard(key)
            self.held.discard(key)
        self._unwritten.discard(key)
        self._blank.discard(key)
        self._written[key] = _some_bytes(storage)

    def _know(self, storage: torch.UntypedStorage) -> None:
        storage._weak_ref()
        self._known.add(storage._cdata)

    def release(self) -> None:
        """Lets go of the addresses."""
        while self._known:
            _STORAGES._free_weak_ref(self._known.pop())  # type: ignore[no-untyped-call]

    def given(self, tensor: Tensor) -> bool:
        """Whether it depends on the model alone, and on nothing that is read, by whatever way."""
        known = self._knows_what_is_read and not self._in_python
        return known and has_own_storage(tensor) and storage_of(tensor) in self.held

    def hold(self, model: nn.Module) -> None:
        """Takes note of what modules hold beside their weights: tensors, modules in lists, constants of a script."""
        for module in model.modules():
            for value in _within(list(vars(module).values())):
                for weight in (*value.parameters(), *value.buffers()) if isinstance(value, nn.Module) else ():
                    self._own(weight)
                if isinstance(value, nn.Parameter):
                    self._own(value)
                elif isinstance(value, Tensor) and has_own_storage(value) and storage_of(value) not in self.fixed:
                    self.held.add(storage_of(value))
                    self.beside.add(storage_of(value))
            if isinstance(module, torch.jit.ScriptModule):
                for constant in _constants(module):
                    self._own(constant)

    def reads(self, read: Any) -> None:
        """Takes note of what the model is called with; None where nobody knows it, or any more."""
        self._knows_what_is_read = read is not None
        told = list(_within(read))
        tensors = [each for each in told if isinstance(each, Tensor) and not each.is_nested]
        self.texts = frozenset(each.shape[0] for each in tensors if each.ndim > 1)
        self.read = {storage_of(each) for each in told if isinstance(each, Tensor) and has_own_storage(each)}
        self.held -= self.read
        if not all(isinstance(each, Tensor | bool | None) for each in told):  # text, a number, or who knows what
            self._in_python = True

    def known_to_python(self, tensors: Iterable[Any]) -> None:
        """Something of these tensors has been handed to Python: their numbers, or a length that hangs on them."""
        self._in_python |= any(
            isinstance(each, Tensor) and not (has_own_storage(each) and storage_of(each) in self.held)
            for each in tensors
        )

    def item(self) -> None:
        """One number, worked out from what was read, has been handed to Python."""
        self._items += 1
        if self._items >= _SEVERAL:
            self.left = self.left or "item"

    def enters(self, numbers: Iterable[float]) -> str | None:
        """Takes note of numbers of Python that enter a call; says why they may have been worked out there."""
        new = {each for each in numbers if not each.is_integer()} - self._entered
        self._entered |= new
        if not self.left:
            return None
        self._returned |= new
        return _came_back(self.left) if new and len(self._returned) >= _SEVERAL else None

    def leaves(self, name: str, args: Iterable[Any]) -> None:
        """Takes note of a call that hands numbers to something that is not torch."""
        if name in _LEAVING | _READING:
            self.known_to_python(args)
        if name in _LEAVING and any(self._may_be_rows(each) for each in args):
            self.left = name

    def _may_be_rows(self, tensor: Any) -> bool:
        """Whether these are numbers, more than one, that hang on what was read."""
        if not isinstance(tensor, Tensor) or not is_of_numbers(tensor) or tensor.numel() <= 1:
            return False
        return not (has_own_storage(tensor) and storage_of(tensor) in self.fixed)

    def strange(self, name: str, tensor: Tensor) -> str | None:
        """Why this tensor cannot have come from what was seen; None if it can."""
        if not is_of_numbers(tensor) or not tensor.numel():
            return None
        storage = tensor.untyped_storage()
        key = storage._cdata
        if tensor.numel() == 1:
            if name in CONSTANT and key not in self._known:  # it may be spread out later
                self.made(tensor)
            return None
        if key in self._unwritten:
            self._unwritten.discard(key)
            return _FILLED
        if key in self._blank:
            with torch._C.DisableTorchFunction():
                filled = bool(tensor.any())
            if filled:
                self._blank.discard(key)
                return _FILLED
        if key in self._known:
            return self._changed(key, storage)
        self._know(storage)  # said once
        self._written[key] = _some_bytes(storage)
        if self._is_frozen(tensor):
            return None
        if self._is_a_rounded_weight(tensor):
            self._own(tensor)
            return None
        from_python = name in CONSTANT or not storage.resizable()  # a list, or an array of numpy
        if from_python and not self.left:
            return None
        if from_python:
            return _came_back(self.left)
        return "a tensor came from another thread or from a call that could not be seen"

    def recall(self, tensors: Iterable[Tensor]) -> None:
        """Before views of them hide who they are: takes note of tensors that were there, and are not listed."""
        for tensor in tensors:
            if not has_own_storage(tensor) or storage_of(tensor) in self._known:
                continue
            if self._is_a_rounded_weight(tensor):
                self._own(tensor)
            elif self._is_frozen(tensor):
                self.made(tensor)

    def _is_a_rounded_weight(self, tensor: Tensor) -> bool:
        """Whether it is a copy of a weight, rounded: autocast keeps them to itself, and for the next pass."""
        if tensor.dtype not in _ROUNDED or tensor.device.type == "meta":
            return False
        shape = tuple(tensor.shape)
        with torch._C.DisableTorchFunction(), torch.no_grad(), _disable_current_modes():
            alike = [weight.detach().to(tensor.dtype) for weight in self._weights.get(shape, ())]
            alike += [weight.detach().to(tensor.dtype).t() for weight in self._weights.get(shape[::-1], ())] * (
                len(shape) == _MATRIX
            )
            return any(weight.device == tensor.device and torch.equal(weight, tensor) for weight in alike)

    def _is_frozen(self, tensor: Tensor) -> bool:
        """Whether it is among what `gc.freeze` had set aside before the watch: that is held, and not listed."""
        is_aside = 0 < gc.get_freeze_count() <= self._frozen  # fewer where some have died, more after another freeze
        return is_aside and gc.is_tracked(tensor) and all(each is not tensor for each in _living())

    def _changed(self, key: int, storage: torch.UntypedStorage) -> str | None:
        """Why its numbers cannot be those that the last call has left there."""
        now = _some_bytes(storage)
        if self._written.get(key) == now:
            return None
        self._written[key] = now
        return _CHANGED

    def empty(self, tensor: Tensor) -> None:
        """The tensor was made and not yet written."""
        if tensor.numel():
            self._unwritten.add(storage_of(tensor))

    def blank(self, tensor: Tensor) -> None:
        """The tensor was made of zeros, and not yet written."""
        self._blank.add(storage_of(tensor))

    def written(self, tensor: Tensor) -> None:
        """A seen call has written into it."""
        storage = tensor.untyped_storage()
        self._unwritten.discard(storage._cdata)
        self._blank.discard(storage._cdata)
        self._written[storage._cdata] = _some_bytes(storage)

    def forget_the_dead(self) -> None:
        """Keeps what is known small in a long run."""
        if len(self._known) > _MANY:
            dead = {key for key in self._known if _STORAGES._expired(key)}
            self._known -= dead
            for key in dead:
                _STORAGES._free_weak_ref(key)  # type: ignore[no-untyped-call]
                self._written.pop(key, None)
            self.fixed &= self._known
            self.learned &= self._known
            self.held &= self._known


_MANY = 50_000
_MATRIX = 2
_FEW, _SOME = 16_384, 4096  # bytes that are all looked at, and how many of more
_MEMORY = ctypes.c_char * (1 << 62)  # as an array of bytes, of which no more than what is asked for is read


def _some_bytes(storage: torch.UntypedStorage) -> int:
    """A number for the bytes, or for some of many, so that whoever writes other numbers there changes it."""
    n_bytes = storage.nbytes()
    if storage.device.type != "cpu" or not n_bytes:
        return 0
    try:
        place = storage.data_ptr()
    except RuntimeError:  # it only stands for one
        return 0
    step = 1 if n_bytes <= _FEW else 1 + n_bytes // _SOME
    return hash(_MEMORY.from_address(place)[:n_bytes:step]) if place else 0


def _constants(module: torch.jit.ScriptModule) -> Iterator[Tensor]:
    """Tensors that a frozen script has in the place of weights."""
    graph: Any = module.inlined_graph  # its nodes live as long as it does
    for node in graph.findAllNodes("prim::Constant"):
        if node.hasAttribute("value") and node.kindOf("value") == "t":
            yield node.t("value")


def _within(value: Any) -> Iterator[Any]:
    """What lists, tuples and dictionaries hold, however deep."""
    if isinstance(value, list | tuple | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _within(each)
    else:
        yield value


def _came_back(how: str) -> str:
    return f"numbers left torch through `{how}` and others came back"


def _living() -> Iterator[Tensor]:
    """All tensors that Python holds at this moment."""
    kinds = {Tensor, *_below(Tensor)}
    return (each for each in gc.get_objects() if type(each) in kinds)


def _below(kind: type) -> Iterator[type]:
    each: type
    for each in type.__subclasses__(kind):
        yield each
        yield from _below(each)
