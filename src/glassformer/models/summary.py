"""The summary of any PyTorch module, by one forward pass: layers, output shapes, parameters, mult-adds and memory. It
knows no config and no formula; those are sizes.py's.

A mult-add is one multiplication with its addition, in a matrix product or a convolution: half of what FLOPs count. They
are counted as torch works them, so that those between layers, as in attention, are there too. To look a row up costs
none. Parameters that several layers share are counted once, where they stand first. What a layer gives out is memory
of the forward pass if the layer has parameters of its own, as torchinfo has it.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from math import prod
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from glassformer.drawing.large_numbers import in_bytes, large
from glassformer.drawing.layer_table import layer_table
from glassformer.drawing.slide_totals import SlideTotals
from glassformer.errors import InputError
from glassformer.models.registry import MODELS
from glassformer.models.weights import outline

DEPTH = 3  # levels of the tree that are shown, if nobody says otherwise


@dataclass(frozen=True)
class Layer:
    """One module of the tree. Parameters, mult-adds and bytes are its own: those of its parts stand with them."""

    path: str  # "blocks.0.attention"; of the whole, ""
    kind: str  # its class
    shape: tuple[int, ...] | None  # of what it gave out first; None if it was not called
    calls: int
    parameters: int
    weights: int  # of the parameters: those that are no bias
    mult_adds: int
    output_bytes: int
    shared: bool  # some of its parameters, or the whole module, were met before

    @property
    def depth(self) -> int:
        """How far below the whole it stands."""
        return self.path.count(".") + 1 if self.path else 0

    @property
    def windows(self) -> int:
        """How often the weights of a convolution meet one text; all other weights are said to do so once."""
        return prod(self.shape[2:]) if self.shape and "Conv" in self.kind else 1


@dataclass(frozen=True)
class Summary:
    """All layers of a module, in the order of its parts, and what they come to. Printed, it is a table."""

    layers: tuple[Layer, ...]
    trainable: int  # of the parameters
    input_bytes: int
    input_numbers: int  # without masks
    parameter_bytes: int

    @property
    def parameters(self) -> int:
        """All parameters, each once."""
        return sum(each.parameters for each in self.layers)

    @property
    def mult_adds(self) -> int:
        """Of one forward pass."""
        return sum(each.mult_adds for each in self.layers)

    @property
    def forward_bytes(self) -> int:
        """What the layers with parameters give out; to train takes as much again, for the gradients."""
        return sum(each.output_bytes for each in self.layers)

    @property
    def bytes(self) -> int:
        """Input, forward pass and parameters together."""
        return self.input_bytes + self.forward_bytes + self.parameter_bytes

    def folded(self, depth: int | None = DEPTH) -> list[Layer]:
        """The layers down to a depth; what stands deeper is added to the one it stands under. None shows all."""
        rows: list[dict[str, Any]] = []
        for each in self.layers:
            if depth is None or each.depth <= depth:
                rows.append(asdict(each))
                continue
            for name in ("parameters", "weights", "mult_adds", "output_bytes"):
                rows[-1][name] += getattr(each, name)
            rows[-1]["shared"] |= each.shared
        return [Layer(**row) for row in rows]

    def slide_totals(self, batch: int = 1) -> SlideTotals:
        """What slides print below such a table, in numbers of four bytes: all of the input, and everything else for
        one text of it. The first axis tells texts apart; `batch` is how many examples like this one go in."""
        if batch < 1:
            raise InputError(f"A batch is of 1 or more; {batch} were asked for.")
        given = [prod(each.shape[1:]) for each in self.layers if each.shape and each.output_bytes]
        return SlideTotals(
            mult_adds=sum(each.weights * each.windows for each in self.layers),
            input=batch * self.input_numbers,
            forward=2 * sum(given),
            parameters=self.parameters,
        )

    def table(self, depth: int | None = DEPTH) -> str:
        """As lecture notes print it: a line for each layer, then the totals."""
        return layer_table([_cells(each) for each in self.folded(depth)], self._totals())

    def _totals(self) -> list[tuple[str, str]]:
        fixed = self.parameters - self.trainable
        return [
            ("parameters", f"{self.parameters:,}" + (f", {fixed:,} of them not trained" if fixed else "")),
            ("mult-adds", f"{self.mult_adds:,}" + (f" ({large(self.mult_adds)})" if self.mult_adds >= 10_000 else "")),
            (
                "size",
                f"{in_bytes(self.bytes)}: input {in_bytes(self.input_bytes)} + forward {in_bytes(self.forward_bytes)} "
                f"+ parameters {in_bytes(self.parameter_bytes)}",
            ),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, with every layer."""
        return {
            "layers": [{**asdict(each), "shape": each.shape and list(each.shape)} for each in self.layers],
            "parameters": self.parameters,
            "trainable": self.trainable,
            "mult_adds": self.mult_adds,
            "bytes": {"input": self.input_bytes, "forward": self.forward_bytes, "parameters": self.parameter_bytes},
        }

    def __str__(self) -> str:
        return self.table()


def _cells(layer: Layer) -> tuple[int, str, str, str, str, str]:
    name = layer.path.rpartition(".")[2]
    called = f" ×{layer.calls}" if layer.calls > 1 else ""
    again = " (shared)" if layer.shared else ""
    return (
        layer.depth,
        f"{name}: {layer.kind}{called}{again}" if name else f"{layer.kind}{called}",
        "–" if layer.shape is None else str(list(layer.shape)),
        f"{layer.parameters:,}" if layer.parameters else "–",
        f"{layer.mult_adds:,}" if layer.mult_adds else "–",
        f"{layer.output_bytes / 1e6:.3f}" if layer.output_bytes else "–",
    )


# --- one forward pass -------------------------------------------------------------------------------------------


def describe(module: nn.Module, example: Any, **named: Any) -> Summary:
    """The summary of a module, from one forward pass over an example.

        print(gf.describe(nn.Linear(3, 5), torch.ones(2, 3)))

    example   what the module is called with: a tensor, or several in a tuple; `named` go in by name

    The pass is one of evaluation, without gradients: neither weights nor running means nor modes are changed. A module
    on the device "meta" is described without any memory.
    """
    if not isinstance(module, nn.Module):
        raise InputError(f"`module` is a torch.nn.Module; this is {type(module).__name__}.")
    inputs = tuple(example) if isinstance(example, tuple | list) else (example,)
    seen = _Pass()
    with torch.no_grad(), seen.watching(module):
        module(*inputs, **named)
    layers = tuple(_layers(module, seen))
    unique, given = list(module.parameters()), list(_tensors([*inputs, *named.values()]))
    return Summary(
        layers=layers,
        trainable=sum(each.numel() for each in unique if each.requires_grad),
        input_bytes=sum(_bytes(each) for each in given),
        input_numbers=sum(each.numel() for each in given if each.dtype != torch.bool),
        parameter_bytes=sum(_bytes(each) for each in unique),
    )


def describe_named(name: str, config: Any, tokens: int) -> Summary:
    """The summary of a model of the table for one text of so many tokens, from its outline: it takes no memory."""
    ids = torch.zeros(1, tokens, dtype=torch.long, device="meta")
    real = torch.ones(1, tokens, dtype=torch.bool, device="meta")
    inputs = {"classifier": (ids, real), "translator": (ids, real, ids), "language model": (ids,)}
    return describe(outline(name, config), inputs[MODELS[name].family])


def _layers(module: nn.Module, seen: "_Pass") -> Iterator[Layer]:
    """Every place of the tree. A module that stands at two places is told at the first, for its calls have no names."""
    met: set[int] = set()
    for path, each in module.named_modules(remove_duplicate=False):
        if isinstance(each, nn.ModuleList | nn.ModuleDict) and not len(each):
            continue  # a place for parts that this model has not got
        called = dict(each.named_parameters(recurse=False))
        own = list(called.values())
        fresh = {name: weight for name, weight in called.items() if id(weight) not in met}
        again = id(each) in met
        met |= {id(each), *map(id, own)}
        calls = [] if again else seen.shapes.get(each, [])
        yield Layer(
            path=path,
            kind=type(each).__name__,
            shape=calls[0] if calls else None,
            calls=len(calls),
            parameters=sum(weight.numel() for weight in fresh.values()),
            weights=sum(weight.numel() for name, weight in fresh.items() if "bias" not in name),
            mult_adds=0 if again else seen.mult_adds.get(each, 0),
            output_bytes=0 if again or not own else seen.output_bytes.get(each, 0),
            shared=again or len(fresh) < len(own),
        )


class _Pass:
    """What happens in one forward pass, by module: shapes and bytes of what is given out, mult-adds of its own."""

    def __init__(self) -> None:
        self.shapes: dict[nn.Module, list[tuple[int, ...]]] = {}
        self.output_bytes: dict[nn.Module, int] = {}
        self.mult_adds: dict[nn.Module, int] = {}
        self.inside: list[nn.Module] = []  # which modules are at work, the innermost last

    @contextmanager
    def watching(self, module: nn.Module) -> Iterator[None]:
        """As long as it lasts, every part tells when it begins and ends; then all is as before."""
        modes = {each: each.training for each in module.modules()}
        fused = torch.backends.mha.get_fastpath_enabled()
        with ExitStack() as undo:
            undo.callback(torch.backends.mha.set_fastpath_enabled, fused)
            torch.backends.mha.set_fastpath_enabled(False)  # it would pass over the layers inside
            undo.callback(_set_modes, modes)
            module.eval()
            for each in modes:
                undo.enter_context(each.register_forward_pre_hook(self._begin))
                undo.enter_context(each.register_forward_hook(self._end, always_call=True))
            undo.enter_context(_Products(self._count))
            yield

    def _begin(self, module: nn.Module, inputs: Any) -> None:
        self.inside.append(module)

    def _end(self, module: nn.Module, inputs: Any, output: Any) -> None:
        self.inside.pop()
        given = list(_tensors(output))
        if given:
            self.shapes.setdefault(module, []).append(tuple(given[0].shape))
            self.output_bytes[module] = self.output_bytes.get(module, 0) + _bytes(given[0])

    def _count(self, mult_adds: int) -> None:
        if self.inside:
            self.mult_adds[self.inside[-1]] = self.mult_adds.get(self.inside[-1], 0) + mult_adds


def _set_modes(modes: Mapping[nn.Module, bool]) -> None:
    for each, training in modes.items():
        each.training = training


def _tensors(value: Any) -> Iterator[Tensor]:
    """All tensors in what a module was given, or gave out."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _tensors(each)
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _tensors(each)


def _bytes(tensor: Tensor) -> int:
    return tensor.numel() * tensor.element_size()


# --- mult-adds, as torch works them -----------------------------------------------------------------------------


class _Products(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Tells the mult-adds of every operation that is a product of matrices."""

    def __init__(self, tell: Callable[[int], None]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.tell = tell

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Works the operation as it would be; one that torch composes of others is seen as those."""
        kwargs, name = kwargs or {}, func._overloadpacket
        if name not in flop_registry and name not in _KERNELS:
            with self:
                composed = func.decompose(*args, **kwargs)
            if composed is not NotImplemented:
                return composed
        answer = func(*args, **kwargs)
        if name in _KERNELS:
            self.tell(_KERNELS[name](*args))
        elif name in flop_registry:
            self.tell(flop_registry[name](*args, **kwargs, out_val=answer) // 2)
        return answer


def _attended(queries: Tensor, keys: Tensor, values: Tensor, *others: Any) -> int:
    """Queries times keys, and weights times values."""
    n_rows = queries.shape[:-1].numel()
    return n_rows * keys.shape[-2] * (queries.shape[-1] + values.shape[-1])


def _one_layer(rows: Tensor, of_input: Tensor, of_state: Tensor, *others: Any) -> int:
    """Every token times both matrices of a recurrent layer."""
    return rows.shape[:-1].numel() * (of_input.numel() + of_state.numel())


def _all_layers(rows: Tensor, weights: list[Tensor], *others: Any) -> int:
    return rows.shape[:-1].numel() * sum(each.numel() for each in weights if each.ndim == 2)


_aten = torch.ops.aten
_KERNELS: dict[Any, Callable[..., int]] = {  # those that torch's own table passes over
    _aten._scaled_dot_product_flash_attention_for_cpu: _attended,
    _aten.mkldnn_rnn_layer: _one_layer,
    _aten._cudnn_rnn: _all_layers,
}
