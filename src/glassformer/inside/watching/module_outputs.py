"""What the modules of a foreign model hand on, kept and written under their paths. It knows nothing of attention.

Of several outputs the first tensor counts: that is where models have the rows that go on to the next layer.
"""

import copy
import threading
from collections import Counter
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn.modules import module as hooks
from torch.utils._python_dispatch import _disable_current_modes

from glassformer.inside.watching.asking import Asking
from glassformer.inside.watching.beneath.underneath import Underneath
from glassformer.inside.watching.lens import OUTPUT
from glassformer.inside.watching.seen import Seen
from glassformer.stages.recorder import as_array
from glassformer.stages.trace import Entry


class WatchedPass(Protocol):
    """The pass that is watched."""

    asked: Asking
    paths: dict[int, str]
    seen: Seen
    under: Underneath


class ModuleOutputs:
    """Stands behind every module of one model, on one thread, while a watch is open."""

    def __init__(self, watched: WatchedPass) -> None:
        self.watched = watched
        self._thread = threading.get_ident()
        self._counts: Counter[str] = Counter()
        # Hooks on the modules themselves would keep torch from its fused kernels; global ones do not.
        self._handle = hooks.register_module_forward_hook(self._after)

    def close(self) -> None:
        """Takes the hook away."""
        self._handle.remove()

    def _after(self, module: nn.Module, _args: Any, output: Any) -> Any:
        path = self.watched.paths.get(id(module))
        if path is None or threading.get_ident() != self._thread or not self.watched.under.looking:
            return None
        found = first_tensor(output)
        if found is None:
            return None
        place, tensor = found
        self._counts[path] += 1
        nth = self._counts[path]
        scope = path if nth == 1 else f"{path}@{nth}"
        address = f"{scope}.{OUTPUT}" if scope else OUTPUT
        asked = self.watched.asked
        asked.passed[address] = None
        if not asked.keeps(address):
            return None
        with torch._C.DisableTorchFunction(), torch.no_grad(), _disable_current_modes():
            writer = asked.writer_for(f"{scope}." if scope else "") if address in asked.changes else None
            new = tensor if writer is None else writer(address, tensor.detach())
            entry = Entry(address, as_array(new), written=writer is not None)
            self.watched.seen.trace.entries[address] = asked.kept(entry)
            if writer is None:
                return None
            self.watched.under.origins.made(new)
            return _replaced(output, place, new)


def first_tensor(output: Any) -> tuple[Any, Tensor] | None:
    """The first tensor of numbers in what a module gave, and its place there; None is the place of a tensor alone."""
    if isinstance(output, Tensor):
        places: list[tuple[Any, Any]] = [(None, output)]
    elif isinstance(output, dict):
        places = list(output.items())
    else:
        places = list(enumerate(output)) if isinstance(output, list | tuple) else []
    numbers = ((at, each) for at, each in places if isinstance(each, Tensor) and each.is_floating_point())
    return next(((at, each) for at, each in numbers if each.ndim and not each.is_nested), None)


def _replaced(output: Any, place: Any, new: Tensor) -> Any:
    if place is None:
        return new
    if isinstance(output, tuple):
        several = [new if at == place else each for at, each in enumerate(output)]
        return type(output)(*several) if hasattr(output, "_fields") else tuple(several)
    output = copy.copy(output)
    output[place] = new
    return output
