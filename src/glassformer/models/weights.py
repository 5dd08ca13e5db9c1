"""Tensors as bytes and back (safetensors and nothing else), and whether they fit a module. It knows no files, no runs.

Nothing here runs code from a file, and nothing is allocated that the file itself does not hold.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from glassformer.errors import GlassformerError, InputError
from glassformer.models.registry import build
from glassformer.storage import DamagedError, parse_json

LARGEST_HEADER = 1_000_000  # bytes
MOST_NUMBERS = 1_000_000_000  # of one model: 4 GB
_SAME = "same"  # metadata: which names share the tensor of which other name


def to_bytes(tensors: Mapping[str, Tensor]) -> bytes:
    """The tensors as a safetensors file. The same tensors give the same bytes."""
    same = shared(tensors)
    kept = {name: value.detach().cpu().contiguous() for name, value in tensors.items() if name not in same}
    return safetensors.torch.save(kept, {_SAME: json.dumps(same, sort_keys=True)} if same else None)


def header(content: bytes, path: Path) -> dict[str, Any]:
    """What such a file says of its tensors, by name, and of itself; `content` may end behind it."""
    size = int.from_bytes(content[:8], "little")
    if not 2 <= size <= min(LARGEST_HEADER, len(content) - 8):
        raise DamagedError(f"{path} is no file of weights: its header is said to have {size:,} bytes.")
    return parse_json(content[8 : 8 + size], path)


def from_bytes(content: bytes, path: Path) -> dict[str, Tensor]:
    """The tensors of such a file; what was shared is shared again. `path` is what errors call it."""
    same = _names(header(content, path).get("__metadata__"), path)
    try:
        tensors = safetensors.torch.load(content)
    except (SafetensorError, ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise DamagedError(f"{path} is no file of weights: {error}") from error
    for name, first in same.items():
        if name in tensors or first not in tensors:
            raise DamagedError(f"{path} is no file of weights: '{name}' cannot be the same as '{first}'.")
    return tensors | {name: tensors[first] for name, first in same.items()}


def _names(metadata: Any, path: Path) -> dict[str, str]:
    found = metadata.get(_SAME, "{}") if isinstance(metadata, dict) else "{}"
    same = parse_json(found.encode() if isinstance(found, str) else b"", path)
    if not all(isinstance(first, str) for first in same.values()):
        raise DamagedError(f"{path} is no file of weights: what its names share is not told by names.")
    return same


def shared(tensors: Mapping[str, Tensor]) -> dict[str, str]:
    """The names whose tensor is, in memory, that of an earlier name."""
    first: dict[Any, str] = {}
    same: dict[str, str] = {}
    for name, value in tensors.items():
        key = (value.untyped_storage()._cdata, value.storage_offset(), value.shape, value.stride())
        if first.setdefault(key, name) != name:
            same[name] = first[key]
    return same


def halved(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors in numbers of 16 bits; what was shared is shared again."""
    return _as(tensors, torch.float32, torch.float16)


def widened(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The same in the 32 bits that are worked with."""
    return _as(tensors, torch.float16, torch.float32)


def _as(tensors: Mapping[str, Tensor], one: torch.dtype, other: torch.dtype) -> dict[str, Tensor]:
    same = shared(tensors)
    first = {name: value.to(other) if value.dtype == one else value for name, value in tensors.items()}
    return {name: first[same.get(name, name)] for name in tensors}


# --- what a config asks for -------------------------------------------------------------------------------------


class _Unfilled(TorchFunctionMode):
    """Fresh weights are not drawn: there is nothing to fill, and drawing into nothing loads torch's compiler first."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """What stands in torch.nn.init gives its tensor back as it is."""
        if getattr(function, "__module__", "") == "torch.nn.init":
            return kwargs["tensor"]
        return function(*args, **(kwargs or {}))


def outline(model: str, config: Any) -> nn.Module:
    """The module without its numbers, which costs no memory; an error if it is too large, or cannot be."""
    try:
        with torch.device("meta"), _Unfilled():
            module = build(model, config)
    except GlassformerError:
        raise
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise InputError(f"No {model} can be built from {config}: {error}") from error
    count = sum(value.numel() for value in (*module.parameters(), *module.buffers()))
    if count > MOST_NUMBERS:
        raise InputError(f"This {model} would have {count:,} numbers; at most {MOST_NUMBERS:,} are built.")
    return module


def _idle(name: str, module: nn.Module) -> bool:
    """Whether it is a norm of queries or keys that a Synthesizer has not got; older ones kept it without any use."""
    path, _, part = name.removesuffix(".weight").rpartition(".")
    layer = dict(module.named_modules()).get(path)
    return part in ("query_norm", "key_norm") and getattr(layer, part.removesuffix("_norm"), part) is None


def fitting(state: Mapping[str, Tensor], module: nn.Module) -> dict[str, Tensor]:
    """The state, if it has exactly the names, shapes and kinds of number of the module's. What the module shares is
    shared in it too."""
    wanted = module.state_dict()
    same = shared(wanted)
    strange = sorted(name for name in state.keys() ^ wanted.keys() if name in wanted or not _idle(name, module))
    if strange:
        which = "is missing" if strange[0] in wanted else "belongs to no part of this model"
        raise InputError(f"The weights do not fit: '{strange[0]}' {which} ({len(strange)} such names).")
    for name, value in wanted.items():
        found = state[name]
        if found.shape != value.shape or found.dtype != value.dtype:
            raise InputError(
                f"The weights do not fit: '{name}' has shape {list(found.shape)} of {found.dtype}; this model needs "
                f"{list(value.shape)} of {value.dtype}."
            )
        if found.is_floating_point() and not bool(found.isfinite().all()):
            raise InputError(
                f"The weights cannot be used: '{name}' holds NaN or ∞. Training diverged, or the file was changed; "
                "take it from a copy, or train again with a smaller learning rate."
            )
        if name in same and not torch.equal(found, state[same[name]]):
            raise InputError(f"The weights do not fit: '{name}' and '{same[name]}' are one matrix, and these differ.")
    return {name: state[same.get(name, name)] for name in wanted}
