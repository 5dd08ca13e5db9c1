"""The recorder: a watcher that reads every stage into a trace. It knows tensors only by what they can do, not torch."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from glassformer.errors import InputError
from glassformer.stages.arithmetic import Array
from glassformer.stages.trace import Entry, Trace
from glassformer.stages.watchers import Rewriter, Tensor
from glassformer.stages.written_places import unlike


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
        written = answer is not value
        values = as_array(answer)
        changed = unlike(as_array(value), values) if written else None
        self.trace.add(Entry(name, values, how, same_as, written, changed))
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
    _require_watcher(module)
    rewriter = Rewriter(write) if write else None
    recorder = Recorder(rewriter)
    answer = module(*inputs, **options, see=recorder)
    if rewriter is not None:
        rewriter.require_reached(recorder.trace)
    return answer, recorder.trace


def _require_watcher(module: Callable[..., Any]) -> None:
    """Refuses what has no stages of ours to hand on."""
    taken = inspect.signature(getattr(module, "forward", module)).parameters.values()
    if not any(each.name == "see" or each.kind is each.VAR_KEYWORD for each in taken):
        raise InputError(
            f"{type(module).__name__} hands on no stages: it takes no `see`. "
            "Models that are not Glassformer's are looked into with gf.watch(model).run(…)."
        )
