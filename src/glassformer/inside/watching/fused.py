"""torch's fused encoder layers: let them run as they would have run, then run them again for the eye.

In evaluation mode torch may compute a whole encoder layer, or all of a multi-head attention, in one kernel that shows
nothing. It does so only where no mode is watching, so watching would change which kernel runs, and the last bits of
the answer. Therefore the watcher steps aside while such a module runs. The answer is kept; then the module is run once
more with the watcher in place, which makes torch take the open path, and the two outputs are compared.

It knows torch's three modules with such a kernel, and nothing of how attention is caught.
"""

import inspect
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, cast

import torch
from torch import Tensor, nn
from torch.nn.modules import module as hooks
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack
from torch.utils._pytree import tree_leaves

from glassformer.inside.watching.beneath.origins import has_own_storage
from glassformer.inside.watching.beneath.underneath import Underneath
from glassformer.inside.watching.interruptions import from_a_signal

FUSED = (nn.MultiheadAttention, nn.TransformerEncoderLayer, nn.TransformerEncoder)

Pair = tuple[Tensor, Tensor]  # the real output and the repeated one, where they can be compared
Again = Callable[[], Pair | None]  # runs the module once more; None if that is not possible


class Repeating(Protocol):
    """A mode that can look at a second pass."""

    paths: dict[int, str]
    under: Underneath

    def repeat(self, module: nn.Module, again: Again) -> Pair | None:
        """Runs the module once more, takes note of the difference, and hands on what it was given."""
        ...


class StepAside:
    """Steps aside for the modules of one model, on one thread, while a watch is open."""

    def __init__(self, mode: Repeating) -> None:
        self.mode = mode
        self._thread = threading.get_ident()
        self._module: nn.Module | None = None  # the one that is running unwatched
        self._modes: list[TorchFunctionMode] = []
        self._below: list[Underneath] = []  # of these, those that have stepped aside among the kernels too
        self._repeating = False
        # Hooks on the modules themselves would keep torch from its kernel; global ones do not.
        self._handles = [
            hooks.register_module_forward_pre_hook(self._before),
            hooks.register_module_forward_hook(self._after, with_kwargs=True, always_call=True),
        ]

    def close(self) -> None:
        """Takes the hooks away, and comes back if a module was left by an interruption."""
        self._come_back()
        for handle in self._handles:
            handle.remove()
            hooks._global_forward_hooks_with_kwargs.pop(handle.id, None)  # torch forgets this one

    def _before(self, module: nn.Module, _args: Any) -> None:
        if threading.get_ident() != self._thread or id(module) not in self.mode.paths:
            return
        if self._repeating or self._module is not None or not may_be_fused(module):
            return
        modes = cast(list[TorchFunctionMode], _get_current_function_mode_stack())  # type: ignore[no-untyped-call]
        if not modes or not all(isinstance(mode, type(self.mode)) for mode in modes):
            return  # somebody else keeps torch from its kernel, or another watch has stepped aside already
        self._module, self._modes = module, modes
        below = _get_current_dispatch_mode_stack()
        for mode in reversed(modes):
            under = cast(Repeating, mode).under
            under.looking = False
            mode.__exit__(None, None, None)  # type: ignore[no-untyped-call]
            if below and below[-1] is under:  # else somebody else's stands above it
                below.pop()
                self._below.append(under)
                under.__exit__(None, None, None)  # type: ignore[no-untyped-call]

    def _after(self, module: nn.Module, args: Any, kwargs: Any, *outputs: Any) -> None:
        """Without an output the module has failed, and torch hands over no keywords."""
        if module is not self._module or threading.get_ident() != self._thread:
            return
        modes = self._modes
        self._come_back()
        for tensor in filter(_has_numbers, tree_leaves(outputs)):
            for mode in modes:
                cast(Repeating, mode).under.origins.made(tensor)
        if outputs:
            again: Again = partial(_second_pass, module, args, kwargs, outputs[0])
            for mode in modes:  # watches may be nested: each hears of it
                again = partial(cast(Repeating, mode).repeat, module, again)
            self._repeating = True
            try:
                again()
            finally:
                self._repeating = False

    def _come_back(self) -> None:
        for under in reversed(self._below):
            under.__enter__()  # type: ignore[no-untyped-call]
        self._below = []
        for mode in self._modes:
            cast(Repeating, mode).under.looking = True
            mode.__enter__()  # type: ignore[no-untyped-call]
        self._module, self._modes = None, []


def _has_numbers(value: Any) -> bool:
    return isinstance(value, Tensor) and has_own_storage(value)


def _in_a_row(output: Any) -> Tensor:
    """All numbers of an answer of several tensors."""
    told = [each.flatten() for each in tree_leaves(output) if isinstance(each, Tensor) and each.is_floating_point()]
    return torch.cat(told) if told else torch.zeros(0)


def may_be_fused(module: nn.Module) -> bool:
    """Whether torch might run this module in one kernel. It never does while training, or for gradients."""
    if not isinstance(module, FUSED) or module.training or not torch.backends.mha.get_fastpath_enabled():
        return False
    return not (torch.is_grad_enabled() and all(weight.requires_grad for weight in module.parameters()))


def _second_pass(module: nn.Module, args: Any, kwargs: Any, output: Any) -> Pair | None:
    """The real output and the repeated one, where rows are real: padding that was never computed is not compared."""
    try:
        with torch.random.fork_rng(devices=[]):
            again = module.forward(*args, **kwargs)
    except (
        Exception
    ) as error:  # such as torch's refusal of nested tensors outside its kernel: the answer stands, we saw nothing
        if from_a_signal(error):
            raise
        return None
    if isinstance(module, nn.MultiheadAttention):
        output, again = output[0], again[0]
    if not (isinstance(output, Tensor) and isinstance(again, Tensor)):  # a layer of somebody's own, made of torch's
        return _in_a_row(output), _in_a_row(again)
    given = inspect.signature(module.forward).bind(*args, **kwargs).arguments
    padding = given.get("src_key_padding_mask")
    if padding is None or output.ndim != 3:
        return output, again
    hidden = padding if padding.dtype == torch.bool else padding < 0
    real = ~(hidden if hidden.shape == output.shape[:2] else hidden.T)
    return output[real], again[real]
