"""Tells what a model is called with, and what it answers, where its caller runs it in a `with` block.

It knows calls of one module on one thread, and nothing of attention.
"""

import sys
import threading
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as hooks
from torch.utils._python_dispatch import _disable_current_modes

from glassformer.inside.watching.beneath.underneath import Underneath


class Entering:
    """Sees the calls of one model while a watch is open."""

    def __init__(self, model: nn.Module, under: Underneath, broke: Callable[[type[BaseException]], None]) -> None:
        self.model = model
        self.under = under
        self.broke = broke  # is told of what a call ended with
        self._handled: BaseException | None = None  # that the caller was at before
        self._thread = threading.get_ident()
        self._depth = 0  # a model may call itself
        # Hooks on the module itself would keep torch from its fused kernels; global ones do not.
        self._handles = [
            hooks.register_module_forward_pre_hook(self._before),
            hooks.register_module_forward_hook(self._after, always_call=True),
        ]

    def close(self) -> None:
        """Takes the hooks away."""
        for handle in self._handles:
            handle.remove()

    def _is_meant(self, module: nn.Module) -> bool:
        return module is self.model and threading.get_ident() == self._thread

    def _before(self, module: nn.Module, args: Any) -> None:
        if self._is_meant(module):
            self._depth += 1
            if self._depth == 1:
                self._handled = sys.exc_info()[1]
                # torch hands keywords to hooks of a module, and not to global ones
                given = args, sys._getframe(1).f_locals.get("kwargs", object())
                with torch._C.DisableTorchFunction():
                    self.under.origins.reads(given)

    def _after(self, module: nn.Module, args: Any, answer: Any) -> None:
        if self._is_meant(module):
            self._depth -= 1
            if self._depth == 0:
                self.under.origins.reads(None)
                error = sys.exc_info()[1]
                if error is not None and error is not self._handled:
                    self.broke(type(error))
                with torch._C.DisableTorchFunction(), _disable_current_modes():
                    self.under.answered(answer)
