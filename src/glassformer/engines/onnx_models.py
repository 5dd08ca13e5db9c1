"""Models that ONNX Runtime works, called as ours are: whoever has one of them need not know. Looking is left to ours.

Shapes are those of our models. It needs the packages of the extra `engines`; it knows no folders and no text.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime
import torch
from onnxruntime.capi import onnxruntime_pybind11_state as faults
from torch import Tensor, nn

from glassformer.errors import InputError
from glassformer.models.classifiers import EncoderClassifier
from glassformer.models.language_model import LanguageModel
from glassformer.models.translator import Translator
from glassformer.stages.watchers import Watcher, nothing

BURST = 128  # ids: a fiftieth of a second of a model that is small enough for it
Array = np.ndarray[Any, Any]
Files = Mapping[str, bytes]
FAULTS = (faults.Fail, faults.InvalidArgument, faults.InvalidGraph, faults.InvalidProtobuf, faults.NotImplemented,
          faults.RuntimeException)  # fmt: skip


def session(content: bytes) -> Any:
    """A file, ready to run, with as many threads as torch has."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_mem_pattern = False  # no two steps have the same lengths
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


class Stepper:
    """A session, its inputs and outputs by name."""

    def __init__(self, content: bytes) -> None:
        self._session = session(content)
        self.inputs = [each.name for each in self._session.get_inputs()]
        self.shapes = {each.name: list(each.shape) for each in self._session.get_inputs()}
        self.outputs = [each.name for each in self._session.get_outputs()]
        self.given, self.given_back = map(_told, (self._session.get_inputs(), self._session.get_outputs()))

    def run(self, given: Mapping[str, Array]) -> dict[str, Array]:
        """One step."""
        return dict(zip(self.outputs, self._session.run(self.outputs, given), strict=True))


def _told(values: Sequence[Any]) -> list[tuple[str, str, str]]:
    """Name, type and shape of each, for who reads of them."""
    return [(each.name, each.type, " × ".join(map(str, each.shape))) for each in values]


class OnnxCache:
    """What a decoder remembers of a batch of texts: of those being written, and of what was read once.

    A step takes its memory under the names `past_…`, and gives it back as `present_…`.
    """

    def __init__(self, empty: Mapping[str, Sequence[int]]) -> None:
        self.length = 0
        self._empty = empty
        self._names = [(name, "present" + name.removeprefix("past")) for name in empty]
        self.own: dict[str, Array] = {}
        self.cross: dict[str, Array] = {}

    def begin(self, n_batch: int) -> None:
        """Nothing is remembered of so many texts."""
        for name, shape in self._empty.items():
            kind = np.int64 if name.endswith("positions") else np.float32
            self.own[name] = np.zeros([n_batch, *shape], dtype=kind)

    def take(self, found: Mapping[str, Array], new: int) -> None:
        """Remembers what a step has given back."""
        self.own = {name: found[given_back] for name, given_back in self._names}
        self.length += new

    def keep(self, rows: Tensor) -> None:
        """Goes on with these texts only, in this order."""
        self.reorder(rows)
        self.cross = _taken(self.cross, rows)

    def reorder(self, rows: Tensor) -> None:
        """The same where each row keeps its context."""
        self.own = _taken(self.own, rows)

    def join(self, other: "OnnxCache") -> None:
        """Takes in the texts of another one; all end in the same column."""
        length = max(self.length, other.length)
        self.own = {
            name: np.concatenate([_pushed(array, length), _pushed(other.own[name], length)])
            for name, array in self.own.items()
        }
        self.length = length

    def cut(self, columns: int) -> None:
        """Forgets the first columns."""
        self.own = {
            name: np.ascontiguousarray(array[(slice(None),) * _axis(array) + (slice(columns, None),)])
            for name, array in self.own.items()
        }
        self.length -= columns


def _taken(arrays: Mapping[str, Array], rows: Tensor) -> dict[str, Array]:
    kept = rows.numpy()
    return {name: array.take(kept, axis=0) for name, array in arrays.items()}


def _axis(array: Array) -> int:
    """Which axis counts tokens: B G T K, or B T of positions."""
    return 1 if array.ndim == 2 else 2


def _pushed(array: Array, length: int) -> Array:
    pads = [(0, 0)] * array.ndim
    pads[_axis(array)] = (length - array.shape[_axis(array)], 0)
    return np.pad(array, pads)


def _memory(stepper: Stepper) -> dict[str, list[int]]:
    """What a step takes of its past, by name, and its shape when there is none, without the batch."""
    past = {name: shape for name, shape in stepper.shapes.items() if name.startswith("past_")}
    return {name: [0 if isinstance(each, str) else each for each in shape[1:]] for name, shape in past.items()}


class OnnxLanguageModel(nn.Module):
    """A language model's step graph."""

    def __init__(self, model: LanguageModel, files: Files) -> None:
        super().__init__()
        self.model, self.config = model, model.config
        self._step = Stepper(files["step.onnx"])
        self._empty = _memory(self._step)
        self._burst, self._plain_burst = (
            Stepper(files[name]) if name in files else None for name in ("burst.onnx", "plain_burst.onnx")
        )

    @property
    def burst(self) -> int:
        """How many ids it writes at once, before anybody is asked again; 0 if none."""
        return BURST if self._burst else 0

    @property
    def longest(self) -> int | None:
        """How many ids it can look back on."""
        return self.model.longest

    def new_cache(self) -> list[OnnxCache]:
        """An empty memory for one batch of texts."""
        return [OnnxCache(self._empty)]

    def forward(
        self,
        ids: Tensor,
        real: Tensor | None = None,
        *,
        positions: Tensor | None = None,
        counted: Tensor | None = None,
        cache: list[OnnxCache] | None = None,
        see: Watcher = nothing,
    ) -> Tensor:
        """Scores for the id after each one, or only where it is counted."""
        if see is not nothing:
            return self.model(ids, real, positions=positions, counted=counted, see=see)  # type: ignore[no-any-return]
        memory = (cache or self.new_cache())[0]
        at = _positions(self.longest, memory.length, ids) if positions is None else positions.expand_as(ids).numpy()
        found = _stepped(self._step, memory, ids, at, real)
        return found if counted is None else found[counted]

    def written(
        self,
        ids: Tensor,
        positions: Tensor,
        real: Tensor,
        *,
        cache: list[OnnxCache],
        chances: Tensor,
        temperature: float,
    ) -> tuple[Tensor, Tensor]:
        """The ids that follow, and their log-probabilities, B T both; drawn by chances, or the likeliest where below 0.

        positions   B 1, of the ids from which it goes on; real, B Tk, which columns before them are somebody's
        """
        assert self._burst is not None
        memory, draws = cache[0], bool((chances >= 0).any())
        given = {"steps": np.array(chances.shape[1]), "first_ids": ids.numpy(), "first_positions": positions.numpy()}
        given |= {f"first_{name}": value for name, value in memory.own.items()}
        if self._plain_burst is not None and not draws and bool(real.all()):
            found = self._plain_burst.run(given)
        else:
            given |= {
                "first_real": real.numpy(),
                "chances": np.ascontiguousarray(chances.numpy().T)[:, :, None],
                "temperature": np.array(temperature),
                "draws": np.array(draws),
            }
            found = self._burst.run(given)
        memory.own = {name: found[f"last_present{name.removeprefix('past')}"] for name in memory.own}
        memory.length += chances.shape[1]
        return tuple(torch.from_numpy(found[f"last_{name}_written"][:, :, 0].T) for name in ("ids", "logprobs"))  # type: ignore[return-value]


def _positions(longest: int | None, start: int, ids: Tensor) -> Array:
    n_batch, new = ids.shape
    end = start + new
    if longest is not None and end > longest:
        raise InputError(f"This model looks back on {longest} tokens at most; there are {end}.")
    return np.arange(start, end)[None].repeat(n_batch, axis=0)


def _stepped(step: Stepper, memory: OnnxCache, ids: Tensor, at: Array, real: Tensor | None, **more: Array) -> Tensor:
    """One step, remembered."""
    if not memory.own:
        memory.begin(len(ids))
    n_batch, new = ids.shape
    seen = np.ones((n_batch, memory.length + new), dtype=np.bool_) if real is None else real.numpy()
    found = step.run({"ids": ids.numpy(), "positions": at, "real": seen, **memory.own, **more})
    memory.take(found, new)
    return torch.from_numpy(found["logits"])


class OnnxTranslator(nn.Module):
    """A translator's three graphs: reading, what is remembered of it, and a step of writing."""

    def __init__(self, model: Translator, files: Files) -> None:
        super().__init__()
        self.model, self.config, self.order = model, model.config, model.order
        self._read, self._remember, self._step = (Stepper(files[f"{name}.onnx"]) for name in ("read", "memory", "step"))
        self._empty = _memory(self._step)

    def new_cache(self) -> list[OnnxCache]:
        """An empty memory for one batch of texts."""
        return [OnnxCache(self._empty)]

    def forward(
        self,
        source: Tensor,
        source_real: Tensor,
        target: Tensor,
        *,
        counted: Tensor | None = None,
        see: Watcher = nothing,
    ) -> Tensor:
        """Teacher forcing: the whole target at once."""
        if see is not nothing:
            return self.model(source, source_real, target, counted=counted, see=see)  # type: ignore[no-any-return]
        return self.decode(target, self.encode(source, source_real), source_real, counted=counted)

    def encode(self, source: Tensor, source_real: Tensor, *, see: Watcher = nothing) -> Tensor:
        """One row per source id."""
        if see is not nothing:
            return self.model.encode(source, source_real, see=see)
        _positions(self.order.longest, 0, source)
        found = self._read.run({"source": source.numpy(), "source_real": source_real.numpy()})
        return torch.from_numpy(found["context"])

    def decode(
        self,
        target: Tensor,
        context: Tensor,
        source_real: Tensor,
        *,
        counted: Tensor | None = None,
        cache: list[OnnxCache] | None = None,
        see: Watcher = nothing,
    ) -> Tensor:
        """Scores for the id after each of `target`; with a cache, these are new ids."""
        if see is not nothing:
            return self.model.decode(target, context, source_real, counted=counted, see=see)
        memory = (cache or self.new_cache())[0]
        if not memory.cross:
            memory.cross = self._remember.run({"context": context.numpy()})
        at = _positions(self.order.longest, memory.length, target)
        found = _stepped(self._step, memory, target, at, None, source_real=source_real.numpy(), **memory.cross)
        return found if counted is None else found[counted]


class OnnxClassifier(nn.Module):
    """A classifier's graph; an encoder's also gives the rows of a text."""

    def __init__(self, model: nn.Module, files: Files) -> None:
        super().__init__()
        self.model, self.config = model, model.config
        self._classify = Stepper(files["classify.onnx"])

    def forward(self, ids: Tensor, real: Tensor, *, see: Watcher = nothing) -> Tensor:
        """Logits for each class."""
        if see is not nothing:
            return self.model(ids, real, see=see)  # type: ignore[no-any-return]
        return self._found(ids, real, "logits")

    def read(self, ids: Tensor, real: Tensor, *, see: Watcher = nothing) -> Tensor:
        """A row for every token, of an encoder."""
        if see is not nothing and isinstance(self.model, EncoderClassifier):
            return self.model.read(ids, real, see=see)
        return self._found(ids, real, "rows")

    def _found(self, ids: Tensor, real: Tensor, name: str) -> Tensor:
        length = getattr(self.config, "length", ids.shape[1])  # longer texts are cut
        given = {"ids": ids[:, :length].numpy(), "real": real[:, :length].numpy()}
        return torch.from_numpy(self._classify.run(given)[name])


def run_by_onnx(model: nn.Module, files: Files) -> nn.Module:
    """The same model, worked by ONNX Runtime from its files."""
    kinds: tuple[tuple[type[nn.Module], Callable[[Any, Files], nn.Module]], ...] = (
        (LanguageModel, OnnxLanguageModel),
        (Translator, OnnxTranslator),
    )
    make = next((make for kind, make in kinds if isinstance(model, kind)), OnnxClassifier)
    return make(model, files).eval()
