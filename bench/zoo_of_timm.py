"""What a watch makes of timm: one small model of each family, as bench/zoo.py does it for transformers.

    pip install timm
    python bench/zoo_of_timm.py [FAMILY …] [--seconds 60] [--out FILE]

Of the models of each family the one with the fewest weights is taken, with random weights and on a random picture of
its own size, and of two layers only where even that is large. Where torchvision, which timm reads pictures with, does
not load, a hollow one stands in for it: no picture is read here. A line for each; zoo.py says what stands in it.
"""

import importlib.abc
import importlib.machinery
import inspect
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any

import torch
from zoo import Found, LeftOutError, Table, alone, in_a_process, looked_at, options, summary

_LARGE = 80_000_000  # weights
_TOO_LARGE = 200_000_000
_TRIED = 6  # of each family, which its registry lists by name


class _Nothing(type):
    """A class that has whatever is asked for."""

    def __getattr__(cls, name: str) -> str:
        return name


class _Hollow(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds any part of torchvision, and nothing in it."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """A part of torchvision."""
        ours = name.partition(".")[0] == "torchvision"
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if ours else None

    def exec_module(self, module: ModuleType) -> None:
        """Whatever is asked for is an empty class."""

        def nothing(name: str) -> type:
            if name.startswith("__"):
                raise AttributeError(name)
            return _Nothing(name, (), {})

        module.__getattr__ = nothing  # type: ignore[method-assign]


def families() -> dict[str, list[str]]:
    """The models of timm by the file that builds them."""
    try:
        import torchvision  # noqa: F401
    except (ImportError, RuntimeError):
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        sys.meta_path.insert(0, _Hollow())
    from timm.models import list_models, list_modules

    return {family: list_models(module=family) for family in list_modules() if list_models(module=family)}


def smallest(names: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """The one of the fewest weights, among those whose names promise it, and how to build it."""
    small = ("atto", "femto", "pico", "nano", "tiny", "xxs", "_t", "_s", "small", "lite", "mobile", "b0", "18", "test")
    likely = sorted(names, key=lambda name: (not any(each in name for each in small), len(name)))[:_TRIED]
    sizes = {name: size for name in likely if (size := weights_of(name)) is not None}
    if not sizes:
        return likely[0], {}  # it may build where there are numbers
    name = min(sizes, key=lambda name: sizes[name])
    if sizes[name] > _LARGE and weights_of(name, depth=2) is not None:
        return name, {"depth": 2}
    if sizes[name] > _TOO_LARGE:
        raise LeftOutError(f"{name}: {sizes[name]} weights")
    return name, {}


def weights_of(name: str, **options: Any) -> int | None:
    """How many there are, if it builds without numbers."""
    import timm

    with suppress(Exception), torch.device("meta"):
        return sum(weight.numel() for weight in timm.create_model(name, **options).parameters())
    return None


def measured(found: Found, names: Sequence[str]) -> Found:
    """The smallest model of one family, watched."""
    import timm

    try:
        found.how, options_of_it = smallest(names)
        torch.manual_seed(0)
        model = timm.create_model(found.how, **options_of_it).eval()
        size = model.default_cfg.get("input_size", (3, 224, 224))
        first = next(iter(inspect.signature(model.forward).parameters))
        given = {first: torch.randn(1, *size, generator=torch.Generator().manual_seed(1))}
        before = alone(model, given)
    except Exception as error:
        found.left_out = f"{type(error).__name__}: {error}"[:110]
        return found
    looked_at(found, model, given, before)
    return found


def main() -> None:
    """Prints the table and its sum."""
    chosen = options(__doc__, "families; all of them").parse_args()
    table, known = Table(chosen.out), families()
    for family in chosen.kinds or known:
        if not table.has(family, "timm"):
            rows = [Found(family, "timm", "")]
            in_a_process(rows, lambda row: measured(row, known[row.kind]), chosen.seconds, table.add)
    print("\n" + summary(table.found))


if __name__ == "__main__":
    sys.exit(main())
