"""Looks inside any PyTorch model without a line of glue: `with gf.watch(model) as seen: model(…)`.

While the watch is open, every call of torch on this thread passes by. Attention is recognised in three shapes: torch's
kernel, torch's multi-head attention, and a softmax of a product that somebody wrote by hand. Each is rebuilt on our
core beside the model, compared with what the model got, and kept under the path of the module that ran it. The model's
own tensors go on untouched, unless a stage is to be written. It knows no architecture by name.
"""

import copy
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from glassformer.errors import InputError
from glassformer.inside.watching.asking import ATTENTION, Asking
from glassformer.inside.watching.beneath.entering import Entering
from glassformer.inside.watching.eagerly import Eagerly
from glassformer.inside.watching.fused import FUSED, StepAside
from glassformer.inside.watching.lens import CalledWith, Lens, PassAgain, look_through
from glassformer.inside.watching.mode import WatchMode
from glassformer.inside.watching.module_outputs import ModuleOutputs
from glassformer.inside.watching.on_disk import StageFolder
from glassformer.inside.watching.seen import Seen


def watch(model: nn.Module, *, keep: str | Iterable[str] = ATTENTION, to: str | Path | None = None) -> "Watch":
    """Looks inside `model` while it runs: `with gf.watch(model) as seen: …`, or `seen = gf.watch(model).run(…)`.

    keep    addresses to keep, with `*` for anything: `"*"` is all, with what each module hands on (`module_output`);
            `["*.weights", "*h.?.module_output"]` is little. `"attention"`, the default, is every stage of attention
    to      an empty folder for what is kept: `seen.trace` reads from there, and memory holds one attention at a time
    """
    if not isinstance(model, nn.Module):
        raise InputError(f"Only a torch.nn.Module can be watched; this is a {type(model).__name__}.")
    return Watch(model, (keep,) if isinstance(keep, str) else tuple(keep), None if to is None else Path(to))


class Watch:
    """A model that may be watched, as often as you like; each watch has its own `Seen`."""

    def __init__(self, model: nn.Module, keep: tuple[str, ...] = (ATTENTION,), to: Path | None = None) -> None:
        self.model = model
        self.keep = keep
        self.to = to
        self._open: list[tuple[WatchMode, ExitStack]] = []

    def __enter__(self) -> Seen:
        """Opens the watch, on this thread."""
        return self._opened(Asking(self.keep, folder=self._folder())).seen

    def __exit__(self, kind: type[BaseException] | None = None, *error: object) -> None:
        mode, opened = self._open.pop()
        opened.close()
        mode.finish()
        if kind is not None:
            mode.broke(kind)
        elif not mode.ran:
            mode.seen.broken = "Nothing of the model ran while the watch was open."

    def run(self, *args: Any, write: Mapping[str, Any] | None = None, **kwargs: Any) -> Seen:
        """Runs the model once, watched; `seen.answer` is what it gave.

        write    stages to put in place, as in `gf.record`: a tensor, an array or a function of the stage by its
                 address. The model is then run twice, and `seen.before` is the pass without the change
        """
        if not write:
            seen = self._run(Asking(self.keep, folder=self._folder()), args, kwargs)
            seen.through = partial(self._lens, seen, CalledWith.of(self.model.forward, args, kwargs))
            seen.ids = CalledWith.of(self.model.forward, args, kwargs).ids()
            return seen
        if self.model.training:
            raise InputError("This model is being trained, so it drops at random; call model.eval() before you write.")
        folder = self._folder()
        first = Asking(self.keep, noted=frozenset(write), folder=self._folder("before"))
        with torch.random.fork_rng():  # both passes draw the same, where anything is drawn
            before = self._run(first, *_copied((args, kwargs)))
        known = {call.scope: call.rebuilt for call in before.calls}
        second = Asking(self.keep, dict(write), frozenset(write), known, folder=folder)
        second.check(before, list(first.passed))
        seen = self._run(second, args, kwargs)
        seen.before, seen.ids = before, CalledWith.of(self.model.forward, args, kwargs).ids()
        return seen

    def _folder(self, within: str = "") -> StageFolder | None:
        return None if self.to is None else StageFolder(self.to / within)

    def _run(self, asked: Asking, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Seen:
        mode = self._opened(asked, (args, dict(kwargs)))
        try:
            mode.seen.answer = self.model(*args, **kwargs)
            mode.under.answered(mode.seen.answer)
            mode.ran = True
        finally:
            self.__exit__()
        return mode.seen

    def _lens(self, seen: Seen, given: CalledWith, top: int) -> Lens:
        if self.model.training:
            raise InputError("This model is being trained, so it drops at random; call model.eval() before you look.")

        def again(given: CalledWith, keep: Sequence[str], write: Mapping[str, Any]) -> PassAgain:
            asked = Asking(tuple(keep), write, frozenset(write))
            found = self._run(asked, *_copied((given.args, given.kwargs)))
            return PassAgain(found.answer, found.trace)

        rows = (each for each in self.model.named_modules() if isinstance(each[1], nn.ModuleList | nn.Sequential))
        lists = [[f"{path}.{name}" if path else name for name, _ in row.named_children()] for path, row in rows]
        with torch.no_grad():
            return look_through(again, given, seen.answer, [paths for paths in lists if paths], top)

    def _opened(self, asked: Asking, read: tuple[Any, ...] | None = None) -> WatchMode:
        if any(weight.is_meta for weight in (*self.model.parameters(), *self.model.buffers())):
            raise InputError(
                "This model is on the device `meta`: it has sizes and no numbers, so there is none to look at."
            )
        mode, opened = WatchMode(self.model, asked), ExitStack()
        mode.under.origins.hold(self.model)  # before anything is open: whatever is raised leaves nothing behind
        if read is not None:
            mode.under.origins.reads(read)
        opened.callback(mode.under.origins.release)
        opened.enter_context(Eagerly())
        opened.enter_context(mode.under)
        opened.enter_context(mode)
        if not asked.changes and any(isinstance(module, FUSED) for module in self.model.modules()):
            opened.callback(StepAside(mode).close)
        if read is None:
            opened.callback(Entering(self.model, mode.under, mode.broke).close)
        if asked.looks_at_modules:
            opened.callback(ModuleOutputs(mode).close)
        self._open.append((mode, opened))
        return mode


def _copied(value: Any) -> Any:
    """What a first pass may be handed, so that a second finds nothing changed, such as a cache that has grown."""
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return type(value)(_copied(each) for each in value)
    if type(value) is dict:
        return {name: _copied(each) for name, each in value.items()}
    return value if isinstance(value, Tensor | nn.Module) or callable(value) else copy.deepcopy(value)
