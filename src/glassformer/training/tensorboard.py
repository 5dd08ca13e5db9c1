"""What happens in a run, written as TensorBoard's event files. It listens; the package is needed only here."""

from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from glassformer.errors import InputError
from glassformer.training.course import Event
from glassformer.training.loop import EpochEnded, Stepped, Validated


class TensorBoard:
    """A listener to a run: training loss, learning rate, validation loss. Use it as a context, so that it ends."""

    def __init__(self, folder: str | Path) -> None:
        try:
            self._make: Any = import_module("torch.utils.tensorboard").SummaryWriter
        except ImportError as error:
            raise InputError(
                "Event files need the package tensorboard, which is not installed: pip install 'glassformer[track]'."
            ) from error
        self.folder = Path(folder)
        self._writer: Any = None  # a run that never begins leaves no folder

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._writer is not None:
            self._writer.close()

    def __call__(self, event: Event) -> None:
        """Writes down a step or a validation."""
        if isinstance(event, Stepped):
            self._write("loss/training", event.loss, event)
            self._write("learning rate", event.rate, event)
        elif isinstance(event, Validated):
            self._write("loss/validation", event.loss, event)
        elif isinstance(event, EpochEnded):
            self._write("accuracy/training", event.training, event)
            self._write("accuracy/validation", event.validation, event)

    def _write(self, name: str, value: float, event: Stepped | Validated | EpochEnded) -> None:
        if self._writer is None:
            self._writer = self._make(log_dir=str(self.folder))
        self._writer.add_scalar(name, value, global_step=event.step)
