"""Which engine runs a model: ours, or ONNX Runtime where that is at hand and proved equal. It knows no folders.

torch   our own model; where it writes, the same numbers with fewer steps between them
onnx    ONNX Runtime, in float32: used only if it is proved to give the same
int8    ONNX Runtime with weights of 8 bits: quicker, and another model; how far apart they are is measured
auto    onnx for models that write, where its packages are there and it was converted before, or enough is to be done
        that converting is worth it; else torch, which is what a run predicts with if nobody says anything
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata, util
from typing import Any

import torch
from torch import nn

from glassformer.choices import Choices
from glassformer.engines.parity import EngineParity, compared
from glassformer.engines.torch_steps import quick
from glassformer.errors import GlassformerError, InputError
from glassformer.models.language_model import Continuation

PACKAGES = ("onnx", "onnxruntime")
Files = dict[str, bytes]


@dataclass(frozen=True)
class Engine:
    """A model that can be called as ours, what works it, and what is to be said of that.

    files    what it was made from, to be kept; none for our own
    parity   how far it is from ours, if it is not ours
    """

    name: str
    model: nn.Module
    said: str = ""
    files: Files | None = None
    parity: EngineParity | None = None


def at_hand() -> dict[str, str]:
    """The version of each package that engines need; empty where it is missing."""
    return {name: _version(name) for name in PACKAGES}


def _version(name: str) -> str:
    spec = util.find_spec(name)
    if spec is None or spec.origin is None:  # a folder of that name, as of an export, is no package
        return ""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:  # onnxruntime is there under other names too, as onnxruntime-gpu
        return "of a version that is not told"


def chosen(model: nn.Module, name: str = "auto", kept: Files | None = None, *, lasting: bool = True) -> Engine:
    """The engine of this name for a model; from files that were kept, if they are still equal to it.

    lasting   whether so much is to be done that converting is worth its second
    """
    if name == "auto" and not kept and not lasting:
        return _torch(model, kept)
    from glassformer.extras import needing  # our own way needs no package

    with needing("engines", "This engine"):  # found, and yet not to be imported
        return ENGINES[name](model, kept)


def _torch(model: nn.Module, kept: Files | None) -> Engine:
    return Engine("torch", quick(model))


def _auto(model: nn.Module, kept: Files | None) -> Engine:
    missing = _missing()
    if not hasattr(model, "new_cache") or not _on_processor(model) or (missing and not kept):
        return _torch(model, kept)
    if missing:
        return Engine(
            "torch", quick(model), f"PyTorch runs this model: it was converted, but {' and '.join(missing)} is missing."
        )
    return _onnx(model, kept)


def _onnx(model: nn.Module, kept: Files | None) -> Engine:
    """ONNX Runtime, if it gives the same; else ours, and why."""
    _need_packages()
    if not _on_processor(model):
        raise InputError("ONNX Runtime computes on the processor here; say --device cpu, or --engine torch.")
    from glassformer.engines.onnx_models import run_by_onnx

    if kept:
        found = _tried(model, lambda: run_by_onnx(model, kept), texts=3)
        if found is not None and found[1].exact:
            return Engine("onnx", found[0], files=kept, parity=found[1])
    from glassformer.engines.burst_graphs import bursts_of  # what was kept needs no writer of graphs
    from glassformer.engines.layer_graphs import UnsupportedError
    from glassformer.engines.model_graphs import graphs_of

    try:
        files = graphs_of(model) | bursts_of(model)
    except UnsupportedError as error:
        return Engine("torch", quick(model), f"PyTorch runs this model: {error}")
    found = _tried(model, lambda: run_by_onnx(model, files))
    if found is None:
        return Engine("torch", quick(model), "PyTorch runs this model: ONNX Runtime could not load it.")
    if not found[1].exact:
        return Engine("torch", quick(model), f"PyTorch runs this model: in ONNX Runtime, {found[1].said()}.")
    return Engine("onnx", found[0], files=files, parity=found[1])


def _on_processor(model: nn.Module) -> bool:
    return next(model.parameters()).device.type == "cpu"


def _tried(model: nn.Module, make: Callable[[], nn.Module], texts: int = 12) -> tuple[nn.Module, EngineParity] | None:
    """The model that is made, and how far it is from ours; None if it cannot be run."""
    from glassformer.engines.onnx_models import FAULTS

    try:
        made = make()
        return made, compared(model, made, texts=texts)
    except (*FAULTS, KeyError, GlassformerError):
        return None


def _int8(model: nn.Module, kept: Files | None) -> Engine:
    """Weights of 8 bits: what is gained and what is lost is measured and said."""
    plain = _onnx(model, None)
    if plain.files is None:
        return plain
    from glassformer.engines.int8 import in_eight_bits
    from glassformer.engines.onnx_models import run_by_onnx

    small = in_eight_bits({name: content for name, content in plain.files.items() if "burst" not in name})
    made = run_by_onnx(model, small)
    parity = compared(model, made, texts=24)
    gain = _gain(plain.model, made)
    sizes = [sum(map(len, files.values())) for files in (plain.files, small)]
    said = (
        f"With weights of 8 bits: {gain:.1f} times as fast as float32 here, {sizes[1] / sizes[0]:.0%} of its size; "
        f"{parity.said()}. `glassformer evaluate --engine int8` measures what it costs on your data."
    )
    return Engine("int8", made, said, small, parity)


def _gain(slow: Any, fast: Any) -> float:
    """How many times as fast, by the shortest of a few times, taken in turn."""
    best = [float("inf"), float("inf")]
    with torch.inference_mode():
        for _ in range(7):
            for i, model in enumerate((slow, fast)):
                work = _steps(model)
                begun = time.perf_counter()
                work()
                best[i] = min(best[i], time.perf_counter() - begun)
    return best[0] / best[1]


def _steps(model: Any) -> Callable[[], None]:
    """A few steps of writing, or one of reading."""
    ids = torch.full((1, 8), model.config.vocabulary - 1)
    real = torch.ones_like(ids, dtype=torch.bool)
    if hasattr(model, "decode"):
        return lambda: model(ids, real, ids)
    if not hasattr(model, "new_cache"):
        return lambda: model(ids, real)
    writer = Continuation(model, [[model.config.vocabulary - 1]])
    writer.first()

    def work() -> None:
        for _ in range(min(8, model.config.length - 2)):
            writer.next(ids[0, :1])

    return work


def _missing() -> list[str]:
    return [name for name, version in at_hand().items() if not version]


def _need_packages() -> None:
    missing = _missing()
    if missing:
        raise InputError(
            f"This engine needs {' and '.join(missing)}: pip install 'glassformer[engines]', or --engine torch."
        )


ENGINES: Choices[Callable[[nn.Module, Files | None], Engine]] = Choices(
    "engine", {"auto": _auto, "torch": _torch, "onnx": _onnx, "int8": _int8}
)
