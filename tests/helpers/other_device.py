"""A device that is not the processor, on a machine that has no other: what stands there is kept on the processor, but
counts as elsewhere. It is stricter than a graphics card: no operation takes a tensor from each side, not even an index.

Torch lends one kind of device to whoever brings their own; here it is called `elsewhere`. Tensors there are wrapped, so
that every operation passes by; numbers are real, so that answers can be compared with the processor's to the last bit.
Every pass, gradient and copy goes through torch as it would for a graphics card; kernels and speed are not tried.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, nn
from torch.utils import _pytree as trees
from torch.utils._python_dispatch import TorchDispatchMode, return_and_correct_aliasing
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

from glassformer.layers import devices

NAME = "elsewhere"
COPYING = {"aten::_to_copy", "aten::to"}
CROSSING = COPYING | {"aten::copy_", "aten::is_pinned", "aten::_pin_memory"}


class _Module:
    """What torch asks of a device: one is there, and draws like the processor."""

    def is_initialized(self) -> bool:
        return True

    def is_available(self) -> bool:
        return True

    def current_device(self) -> int:
        return 0

    def device_count(self) -> int:
        return 1

    def _is_in_bad_fork(self) -> bool:
        return False

    def manual_seed_all(self, seed: int) -> None:
        pass

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        return [torch.bfloat16, torch.float16]

    def get_rng_state(self, device: object = None) -> Tensor:
        return torch.tensor([7, 11], dtype=torch.uint8)

    def set_rng_state(self, state: Tensor, device: object = None) -> None:
        assert state.tolist() == [7, 11]


AUTOCAST = torch.library.Library("_", "IMPL", "AutocastPrivateUse1")


@cache
def _register() -> torch.device:
    _setup_privateuseone_for_python_backend(NAME, _Module())
    AUTOCAST.fallback(torch.library.fallthrough_kernel)  # accepted, and without effect: 16 bits are tried elsewhere
    return torch.device(NAME, 0)


def _lstm(rows: Tensor, begin: tuple[Tensor, Tensor], weights: list[Tensor], **how: Any) -> tuple[Tensor, ...]:
    """What torch leaves to a kernel of the device: one layer, from left to right, step by step."""
    (inward, onward, bias, other), (state, memory), states = weights, (each[0] for each in begin), []
    for row in rows.unbind(1):
        enter, keep, new, out = (row @ inward.T + bias + state @ onward.T + other).chunk(4, -1)
        memory = keep.sigmoid() * memory + enter.sigmoid() * new.tanh()
        state = out.sigmoid() * memory.tanh()
        states.append(state)
    return torch.stack(states, 1), state[None], memory[None]


def _gru(rows: Tensor, begin: Tensor, weights: list[Tensor], **how: Any) -> tuple[Tensor, ...]:
    (inward, onward, bias, other), state, states = weights, begin[0], []
    for row in rows.unbind(1):
        (reset, update, new), (old_reset, old_update, old) = (
            (row @ inward.T + bias).chunk(3, -1), (state @ onward.T + other).chunk(3, -1),
        )  # fmt: skip
        share = (update + old_update).sigmoid()
        state = share * state + (1 - share) * (new + (reset + old_reset).sigmoid() * old).tanh()
        states.append(state)
    return torch.stack(states, 1), state[None]


CELLS = {torch.lstm: _lstm, torch.gru: _gru}


class Elsewhere(Tensor):
    """A tensor that counts as elsewhere; `inner` is where its numbers really are."""

    inner: Tensor

    @staticmethod
    def __new__(cls, inner: Tensor, requires_grad: bool = False) -> "Elsewhere":
        with torch.inference_mode(False):  # a view of what was made before is none of inference
            made: Elsewhere = Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
                cls, inner.size(), strides=inner.stride(), storage_offset=inner.storage_offset(), dtype=inner.dtype,
                device=_register(), requires_grad=requires_grad,
            )  # fmt: skip
        made.inner = inner
        return made

    def __repr__(self, **how: Any) -> str:
        return f"Elsewhere({self.inner!r})"

    def tolist(self) -> Any:
        return self.inner.tolist()  # as from a graphics card; torch does not look for it in a subclass

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        with torch._C.DisableTorchFunctionSubclass():
            return CELLS.get(function, function)(*args, **(kwargs or {}))

    @classmethod
    def __torch_dispatch__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _run(function, args, kwargs or {})


class _Mode(TorchDispatchMode):
    """Catches what is made from nothing, such as `torch.arange(5, device=…)`, and what is copied over."""

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _run(function, args, kwargs or {})


def _run(function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    leaves, name = trees.tree_leaves((args, kwargs)), function._schema.name
    given = [each for each in leaves if isinstance(each, Tensor)]
    there = [each for each in given if isinstance(each, Elsewhere)]
    strangers = [list(each.shape) for each in given if not isinstance(each, Elsewhere) and each.ndim > 0]
    if there and strangers and name not in CROSSING:
        raise RuntimeError(f"{function} is given tensors on {NAME} and on the processor, the latter of {strangers[0]}.")
    wanted = [each for each in leaves if isinstance(each, torch.device)]
    lands = wanted[0].type == NAME if wanted else bool(there)
    if not there and not lands:
        return function(*args, **kwargs)
    answer = function(*_here(args), **_here(kwargs))
    if name in COPYING and lands != bool(there):
        answer = _apart(answer, given)
    if not lands:
        return answer
    wrapped = trees.tree_map_only(Tensor, lambda each: each if isinstance(each, Elsewhere) else Elsewhere(each), answer)
    return return_and_correct_aliasing(function, args, kwargs, wrapped) if there else wrapped


def _here(given: Any) -> Any:
    """The same on the processor."""
    found = trees.tree_map_only(Elsewhere, lambda each: each.inner, given)
    return trees.tree_map_only(torch.device, lambda each: torch.device("cpu"), found)


def _apart(answer: Tensor, given: list[Tensor]) -> Tensor:
    """A copy over is a copy, even if on the processor nothing would have to be copied."""
    owners = [each.inner if isinstance(each, Elsewhere) else each for each in given]
    same = any(each.untyped_storage()._cdata == answer.untyped_storage()._cdata for each in owners)
    return answer.clone() if same else answer


@contextmanager
def elsewhere() -> Iterator[torch.device]:
    """The device, for a while, in this thread and in those that begin meanwhile. It is the best there is."""
    device = _register()
    with (
        _in_this_thread(),
        _swapping(True),
        patch.object(nn.Module, "load_state_dict", _load_in_place),
        patch.object(threading.Thread, "run", _run_there),
        patch.object(devices, "BEST_FIRST", (NAME,)),
    ):
        yield device


@contextmanager
def _in_this_thread() -> Iterator[None]:
    torch._C._set_only_lift_cpu_tensors(True)  # `torch.tensor([…], device=…)` is made here, and copied over
    try:
        with _Mode():
            yield
    finally:
        torch._C._set_only_lift_cpu_tensors(False)


_run_thread = threading.Thread.run


def _run_there(thread: threading.Thread) -> None:
    with _in_this_thread():
        _run_thread(thread)


@contextmanager
def _swapping(wanted: bool) -> Iterator[None]:
    """Whether a module puts other tensors in the place of its own: it must, where their kind changes (`module.to`)."""
    before = torch.__future__.get_swap_module_params_on_conversion()
    torch.__future__.set_swap_module_params_on_conversion(wanted)
    try:
        yield
    finally:
        torch.__future__.set_swap_module_params_on_conversion(before)


_load = nn.Module.load_state_dict


def _load_in_place(module: nn.Module, *state: Any, **how: Any) -> Any:
    with _swapping(False):
        return _load(module, *state, **how)
