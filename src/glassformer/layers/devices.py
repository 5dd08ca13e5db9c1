"""Devices: the one that is meant, what it is in words, and how arrays get there. It knows no model.

A device that was asked for by name is there, or it is an error: nothing is computed elsewhere in silence. `auto` is the
best there is.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from glassformer.errors import InputError

BEST_FIRST = ("cuda", "mps")  # before the processor
NAMES = "auto, cpu, cuda, cuda:1 or mps"
PROCESSOR = torch.device("cpu")


def device_called(name: str | torch.device = "auto") -> torch.device:
    """The device of this name; `auto` is the best there is."""
    if name == "auto":
        best = next((kind for kind in BEST_FIRST if _count(kind)), "cpu")
        return device_called(best)
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise InputError(f"There is no device called '{name}'; say {NAMES}.") from error
    if device.type == "cpu":
        return PROCESSOR
    count = _count(device.type)
    if not count:
        raise InputError(f"There is no {device.type} here that torch {torch.__version__} can use; say cpu, or auto.")
    own = int(os.environ.get("LOCAL_RANK", "0")) % count  # where torchrun started several processes, one for each
    index = own if device.index is None else device.index
    if index >= count:
        raise InputError(f"There is no {device}: the last of {count} is {device.type}:{count - 1}.")
    return torch.device(device.type, index)


def _count(kind: str) -> int:
    """How many devices of a kind can be computed on."""
    module: Any = getattr(torch, kind, None)
    return int(module.device_count()) if hasattr(module, "is_available") and module.is_available() else 0


def in_words(device: torch.device) -> str:
    """What to call it: `cuda:0 (NVIDIA A100)`."""
    if device.type == "cuda":
        return f"{device} ({torch.cuda.get_device_name(device)})"
    return {"cpu": "the processor", "mps": f"{device} (Apple Metal)"}.get(device.type, str(device))


def memory_of(device: torch.device) -> int | None:
    """Bytes of its own; None where it shares those of the machine, or does not tell."""
    return int(torch.cuda.mem_get_info(device)[1]) if device.type == "cuda" else None


def half_precision(device: torch.device) -> str:
    """The 16-bit numbers a graphics card multiplies quicker than 32-bit ones; none on other devices."""
    if device.type != "cuda":
        return ""
    return "bfloat16" if torch.cuda.is_bf16_supported(including_emulation=False) else "float16"


def sent(array: np.ndarray[Any, Any], device: torch.device) -> Tensor:
    """An array as a tensor on a device. To a graphics card it goes from pinned memory, and nobody waits for it."""
    tensor = torch.from_numpy(array)
    if device.type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


# --- random numbers -----------------------------------------------------------------------------------------------


def device_draws(device: torch.device) -> Tensor | None:
    """Where the random numbers of a device stand that has its own; None of the processor."""
    module: Any = getattr(torch, device.type)
    return module.get_rng_state(device) if device.type != "cpu" and hasattr(module, "get_rng_state") else None


def set_device_draws(state: Tensor, device: torch.device) -> None:
    """Back to such a state."""
    getattr(torch, device.type).set_rng_state(state, device)


@contextmanager
def undrawn(device: torch.device) -> Iterator[None]:
    """Whatever is drawn meanwhile, random numbers then go on as if nothing had been."""
    state, drawn = torch.get_rng_state(), device_draws(device)
    yield
    torch.set_rng_state(state)
    if drawn is not None:
        set_device_draws(drawn, device)
