"""Sees every kernel that torch runs on this thread, to know what the level above, which catches attention, has missed.

Modules, functions and spellings do not exist down here: a compiled, scripted or directly called attention is the same
handful of kernels. What met in a product and was not told above is named; what cannot be looked into is said. It hands
every call on unchanged.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import (
    TorchDispatchMode,
    _disable_current_modes,
    _get_current_dispatch_mode_stack,
)  # fmt: skip

from glassformer.inside.watching.beneath.bookkeeping import Bookkeeping
from glassformer.inside.watching.beneath.kernels import CAREFUL, CHOOSING, COMPARING, MULTIPLYING, PRODUCTS, RANKING
from glassformer.inside.watching.beneath.marks import BEFORE, HELD, NONE, READ, Carried, Marks, Meeting
from glassformer.inside.watching.beneath.origins import (
    BLANK,
    CONSTANT,
    EMPTY,
    WHOLE,
    Origins,
    has_own_storage,
    is_of_numbers,
    storage_of,
)  # fmt: skip
from glassformer.inside.watching.beneath.pairs import PAIRS
from glassformer.inside.watching.beneath.sources import Sources
from glassformer.inside.watching.interruptions import from_a_signal

# Libraries whose operations are known to hold no attention.
_KNOWN = frozenset(("aten", "prim", "prims", "torchvision", "torchaudio", "quantized", "profiler"))
# What torch works out otherwise where a mode looks on, and lays out otherwise: the next product may round otherwise.
CHOOSY = frozenset(("max_pool1d",))
_HARMLESS = frozenset(("transformers::grouped_mm_fallback",))


class Underneath(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """One watched pass, kernel by kernel."""

    supports_higher_order_operators = True

    def __init__(self, where: Callable[[], str | None], origins: Origins, sources: Sources) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.where = where
        self.origins = origins
        self.sources = sources
        self.looking = True
        self.calls = 0  # of the level above, so far
        self.call = 0  # the one that is running, 0 if none
        self.unsure: dict[tuple[str, str], None] = {}
        self.met: list[tuple[int, str, Meeting]] = []  # during which call, in which module
        self._marks: dict[int, Marks] = {}
        self._masks: set[int] = set()  # made of whole numbers alone
        self._rounded: set[int] = set()  # whole numbers that were others before they were rounded
        self._picked: set[int] = set()  # whole numbers that say which, worked out from others, as an expert's number is
        self.books = Bookkeeping()
        self._thread = threading.get_ident()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Runs the kernel, then takes note."""
        kwargs = kwargs or {}
        outs = _written_anew(func, kwargs)
        before, tensors = self.calls, list(_tensors((args, {k: v for k, v in kwargs.items() if k not in outs})))
        if threading.get_ident() != self._thread:  # torch's own workers take us along
            self.unsure["", "it went on in another thread, where nobody knows which module runs"] = None
        if _is_made_of_others(func) and all(map(has_own_storage, tensors)):
            with self, _as_unwatched(func):
                return func._op_dk(_OF_OTHERS, *args, **kwargs)
        with self._guarded():
            self._look_at_origins(func, tensors, kwargs)
        result = func(*args, **kwargs)
        call = self.calls if self.calls != before else self.call  # it may have been told above from down here
        with self._guarded():
            self._look_at(func, call, tensors, args, kwargs, result)
        return result

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Leaves torch alone for one call; other modes than ours stay where they are."""
        modes = _get_current_dispatch_mode_stack()
        ours = all(isinstance(mode, Underneath) for mode in modes)
        with _disable_current_modes() if ours else contextlib.nullcontext():
            yield

    def ran(self, args: Any, kwargs: Any, result: Any) -> None:
        """Takes note of a pooling that has been left alone."""
        func, tensors = torch.ops.aten.max_pool1d.default, list(_tensors((args, kwargs)))
        with torch._C.DisableTorchFunction(), torch.no_grad(), _disable_current_modes(), self._guarded():
            self._look_at_origins(func, tensors, kwargs)
            self._look_at(func, self.call, tensors, args, kwargs, result)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Whatever goes wrong with looking must not stop the model, and must not be passed over."""
        try:
            yield
        except Exception as error:
            if from_a_signal(error):
                raise
            self._cannot_tell(f"looking on failed with {type(error).__name__}: {error}".rstrip("."))

    # --- where the operands come from -----------------------------------------------------------------------------

    def _look_at_origins(self, func: Any, tensors: list[Tensor], kwargs: Any) -> None:
        self.origins.arrived()
        short = _short(func)
        if short in EMPTY or not hasattr(func, "_schema"):
            return
        if func.is_view and short not in CONSTANT:
            self.origins.recall(tensors)
            return
        written = func._schema.arguments[0].alias_info if func._schema.arguments else None
        skip = 1 if written is not None and written.is_write and _overwrites(short) else 0
        skip = 1 if kwargs.get("beta") == 0 else skip  # the first is there for its shape
        for tensor in tensors[skip:]:
            if not has_own_storage(tensor):
                self._cannot_tell(f"a tensor of another kind, {_kind(tensor)}, does not show what is done to it")
                continue
            why = self.origins.strange(short, tensor)
            if why is not None:
                self._cannot_tell(why)

    def answered(self, answer: Any) -> None:
        """Looks at what the model gave: it too must come from somewhere."""
        for tensor in _tensors(answer):
            why = self.origins.strange("", tensor) if has_own_storage(tensor) else None
            if why is not None:
                self.unsure["", why] = None

    def told_above(self, name: str, args: Any, result: Any) -> None:
        """Takes note of a call of the level above, of which the kernels alone do not show what it means."""
        self.origins.leaves(name, args)
        if name == "cosine_similarity" and has_own_storage(result):
            key = storage_of(result)
            self._marks[key] = self._marks.get(key, NONE) | {self.books.new("product", name)}

    def _cannot_tell(self, why: str) -> None:
        path = self.where() if self.looking else None
        if path is not None:
            self.unsure[path, why] = None

    # --- what was done --------------------------------------------------------------------------------------------

    def _look_at(self, func: Any, call: int, tensors: list[Tensor], args: Any, kwargs: Any, result: Any) -> None:
        if not hasattr(func, "_schema"):  # it takes functions, not only tensors
            self._look_at_functional(func, tensors, result)
            return
        short = _short(func)
        results = [tensor for tensor in _tensors(result) if has_own_storage(tensor)]
        operands = [tensor for tensor in tensors if has_own_storage(tensor) and self._counts(tensor)]
        if self.looking:
            self._look_for_kernels(func, short, call, operands, results)
        inputs = [(tensor, storage_of(tensor)) for tensor in tensors if has_own_storage(tensor)]
        outs = [
            storage_of(each) for each in _tensors(list(_written_anew(func, kwargs).values())) if has_own_storage(each)
        ]
        places = [key for _, key in inputs] + outs
        fixed = [key in self.origins.fixed for _, key in inputs]
        constant = self._constant(short, inputs, fixed)
        counted = not constant and self._counted(short, inputs, fixed)
        held = self._held(func, short, tensors)
        told = [self._operand(tensor, key, still) for (tensor, key), still in zip(inputs, fixed, strict=True)
                if self._counts(tensor)]  # fmt: skip
        self._look_at_python(func, short, told, _given(func, args, kwargs), results)
        if not held:
            self.origins.held.difference_update(map(storage_of, _written(func, args, kwargs)))
        for tensor in results:
            key = storage_of(tensor)
            if key not in places:
                self._made(short, tensor, told, constant, counted)
                picked = any(each in self._picked for each in places) or any(not each.fixed for each in told)
                whole = not tensor.is_floating_point()
                (self._picked.add if whole and picked else self._picked.discard)(key)
                (self.origins.held.add if held else self.origins.held.discard)(key)
            elif func.is_view:
                if tensor.dtype in WHOLE and operands:  # the same bits under another name
                    self._rounded.add(key)
            else:
                self.origins.written(tensor)
                if not constant:
                    self.origins.fixed.discard(key)
                if not counted:
                    self._masks.discard(key)
            if not self.looking or not self._counts(tensor):
                continue
            ranks = short == "sort" and not tensor.is_floating_point()
            marks, met = self.books.after(RANKING if ranks else short, told, tensor, args)
            if marks or key in self._marks:
                stays = func.is_view or key in outs  # of what is written into, this may be a part
                self._marks[key] = marks | (self._marks.get(key, NONE) if stays else NONE)
            if met and (path := self.where()) is not None:
                self.met += [(call, path, each) for each in met]
        self.origins.forget_the_dead()

    def _counts(self, tensor: Tensor) -> bool:
        """Whether its numbers may be rows, scores or weights."""
        real = tensor.is_floating_point() or tensor.is_complex() or tensor.is_quantized
        return real or storage_of(tensor) in self._rounded

    def _look_at_python(
        self, func: Any, short: str, told: list[Carried], given: dict[str, Any], results: list[Tensor]
    ) -> None:
        """Numbers that leave torch one by one, and those that come from Python."""
        if short == "_local_scalar_dense" and any(not each.fixed for each in told):
            self.origins.item()
        kinds = {kind.name: str(kind.type) for kind in func._schema.arguments}
        numbers = [each for name, each in given.items() if type(each) is float and kinds.get(name) in _ANY_NUMBER]
        if self.origins.left and short in CONSTANT:
            numbers += [float(each) for each in results if is_of_numbers(each) and each.numel() == 1]
        why = self.origins.enters(numbers) if numbers else None
        if why is not None:
            self._cannot_tell(why)

    def _operand(self, tensor: Tensor, key: int, fixed: bool) -> Carried:
        marks = self._marks.get(key, NONE) | self._of_before(key)
        still, source, fan = fixed or key in self._masks, self.sources.of(tensor), self.sources.fan(tensor)
        return Carried(tensor, marks, still, source, fan, key in self.origins.learned, self.sources.root(tensor))

    def _of_before(self, key: int) -> Marks:
        """Marks of what no kernel has made."""
        origins = self.origins
        if key not in origins.before or key in origins.fixed:
            return NONE
        return frozenset((READ if key in origins.read else HELD if key in origins.beside else BEFORE,))

    def shares_columns(self, tensor: Tensor) -> bool:
        """Whether these are shares of the columns that a layer made of each row."""
        return any(mark.kind == "weights" and mark.columns for mark in self._marks.get(storage_of(tensor), NONE))

    def _made(self, short: str, tensor: Tensor, told: list[Carried], constant: bool, counted: bool) -> None:
        """Takes note of a new storage."""
        key = storage_of(tensor)
        self.origins.made(tensor)
        self._marks.pop(key, None)
        (self.origins.fixed.add if constant else self.origins.fixed.discard)(key)
        (self._masks.add if counted else self._masks.discard)(key)
        if constant and any(each.learned for each in told):
            self.origins.learned.add(key)
        moving = [each.tensor for each in told if not each.fixed]
        self.sources.made(short, moving, [each.tensor for each in told if each.fixed], tensor)
        whole = tensor.dtype in WHOLE and bool(moving) and short in _ROUNDING | PRODUCTS | COMPARING | _SORTS
        judged = tensor.dtype == torch.bool and bool(moving) and (short in COMPARING or any(map(self._judged, told)))
        (self._rounded.add if whole or judged else self._rounded.discard)(key)
        if short in EMPTY:
            self.origins.empty(tensor)
        elif short in BLANK:
            self.origins.blank(tensor)

    def _judged(self, operand: Carried) -> bool:
        """Whether it says which pairs of rows are alike, or more alike than others."""
        return not operand.tensor.is_floating_point() and any(mark.kind in PAIRS for mark in operand.marks)

    def _counted(self, short: str, inputs: list[tuple[Tensor, int]], fixed: list[bool]) -> bool:
        """Whether what comes out was made of whole numbers and truths alone, as masks are, and of no matrix."""
        floats = [
            (tensor, key, still) for (tensor, key), still in zip(inputs, fixed, strict=True) if self._counts(tensor)
        ]
        plain = all(key in self._masks or (still and tensor.numel() == 1) for tensor, key, still in floats)
        return bool(inputs) and plain and short not in _RANDOM

    def _constant(self, short: str, inputs: list[tuple[Tensor, int]], fixed: list[bool]) -> bool:
        """Whether what comes out depends on the model alone: on its weights and on numbers made within it."""
        if not inputs:
            return short not in _RANDOM and self.where() is not None
        if short in CHOOSING and inputs[0][0].ndim >= _STACKED:  # which of the experts' matrices, not which word
            words = [key for (tensor, key), still in zip(inputs[1:], fixed[1:], strict=True) if not still]
            return fixed[0] and all(key in self._picked for key in words)
        return all(fixed) or (short in MULTIPLYING and any(map(_is_nothing, inputs, fixed)))

    def _held(self, func: Any, short: str, tensors: list[Tensor]) -> bool:
        """Whether what comes out depends on the model alone, and in no way on what is read: not even in its length."""
        if _tells(func, short, tensors):
            self.origins.known_to_python(tensors)
        if not tensors:
            return short not in _RANDOM and self.where() is not None
        return all(has_own_storage(each) and storage_of(each) in self.origins.held for each in tensors)

    def _look_at_functional(self, func: Any, tensors: list[Tensor], result: Any) -> None:
        self.origins.known_to_python(tensors)
        for tensor in _tensors(result):
            if has_own_storage(tensor):
                self.origins.made(tensor)
        path = self.where() if self.looking else None
        if path is not None and "attention" in str(func):
            self.met.append((self.call, path, Meeting(f"`{func}`")))
        elif path is not None and len(tensors) > 1:
            self._cannot_tell(f"`{func}` takes a function, and may hold anything")

    def _look_for_kernels(
        self, func: Any, short: str, call: int, operands: list[Tensor], results: list[Tensor]
    ) -> None:
        if func.namespace not in _KNOWN:
            reads = any(each.numel() > 1 and storage_of(each) not in self.origins.fixed for each in operands)
            gives = func._schema.is_mutable or any(map(self._counts, results))
            if reads and gives and func._schema.name not in _HARMLESS:
                self._cannot_tell(f"`{func._schema.name}` is an operation of another library, and may hold anything")
        elif short.startswith("_foreach") and operands:
            self._cannot_tell(f"`{short}` works on lists of tensors, which are not followed")
        elif ("attention" in short or "transformer" in short) and "backward" not in short:
            path = self.where()
            if path is not None:
                self.met.append((call, path, Meeting(f"torch's kernel `{short.strip('_')}`")))


_ROUNDING = CAREFUL - CHOOSING
_SORTS = frozenset(("sort", RANKING))
_RANDOM = frozenset(("rand", "randn", "randint", "randperm", "bernoulli", "normal"))
_WRITTEN_IN_PLACE = frozenset((
    "copy", "fill", "zero", "set", "resize", "index_put", "_index_put_impl", "index_copy", "scatter",
))  # fmt: skip
_DRAWN_IN_PLACE = frozenset((
    "normal", "uniform", "random", "bernoulli", "exponential", "cauchy", "log_normal", "geometric",
))  # fmt: skip
_NORMS = frozenset(("native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm"))
_STACKED = 3
_ANY_NUMBER = ("number", "Optional[number]", "Tensor")  # and no switch, nor a small number against zeros


_OF_OTHERS = torch._C.DispatchKey.CompositeImplicitAutograd


def _is_made_of_others(func: Any) -> bool:
    """Whether it is no kernel, but calls others; in inference mode torch hands it over whole."""
    if not hasattr(func, "_op_dk") or _short(func) in CHOOSY:
        return False
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    return bool(has(func.name(), _OF_OTHERS)) and not has(func.name(), "CPU")


@contextmanager
def _as_unwatched(func: Any) -> Iterator[None]:
    """In inference mode a turned weight says that it wants a gradient, and products are then worked in another order.

    While a call is handed to us it would not say so, and the last bits of the answer would be others.
    """
    views = any(each.alias_info is not None for each in func._schema.returns)
    with (
        contextlib.nullcontext()
        if views
        else torch._C._SetExcludeDispatchKeyGuard(torch._C.DispatchKey.ADInplaceOrView, False)
    ):
        yield


def _written_anew(func: Any, kwargs: Any) -> dict[str, Any]:
    """What a kernel was handed to write into, whatever stands there: `out`."""
    if not kwargs or not hasattr(func, "_schema"):
        return {}
    outs = {each.name for each in func._schema.arguments if each.kwarg_only and each.alias_info is not None}
    return {name: value for name, value in kwargs.items() if name in outs}


def _given(func: Any, args: Any, kwargs: Any) -> dict[str, Any]:
    """What a kernel was handed, by name."""
    names = (argument.name for argument in func._schema.arguments)
    return {**dict(zip(names, args, strict=False)), **kwargs}


def _is_nothing(operand: tuple[Tensor, int], fixed: bool) -> bool:
    """Whether it is all zeros, as a state is before anything has entered it."""
    with torch._C.DisableTorchFunction():
        return fixed and operand[0].ndim > 0 and not bool(operand[0].any())


def _tells(func: Any, short: str, tensors: list[Tensor]) -> bool:
    """Whether Python learns something of numbers by this kernel: one of them, or how many are of a kind."""
    if short in ("index", "index_put") and all(each.dtype not in (torch.bool, torch.uint8) for each in tensors[1:]):
        return False
    return torch.Tag.data_dependent_output in func.tags or torch.Tag.dynamic_output_shape in func.tags


def _written(func: Any, args: Any, kwargs: Any) -> Iterator[Tensor]:
    """What a kernel writes into, also where it gives nothing back."""
    if _short(func) in _NORMS:  # they do not say so
        yield from filter(has_own_storage, _tensors(args[3:5]))
    if func._schema.is_mutable:
        given = _given(func, args, kwargs)
        for argument in func._schema.arguments:
            if argument.alias_info is not None and argument.alias_info.is_write:
                yield from filter(has_own_storage, _tensors(given.get(argument.name)))


def _overwrites(short: str) -> bool:
    return short in _WRITTEN_IN_PLACE or short in _DRAWN_IN_PLACE


def _short(func: Any) -> str:
    """The name of a kernel, whether it writes in place or not."""
    return func._schema.name.rpartition("::")[2].rstrip("_") if hasattr(func, "_schema") else str(func)


def _kind(tensor: Tensor) -> str:
    return "nested" if tensor.is_nested else str(tensor.layout) if type(tensor) is Tensor else type(tensor).__name__


def _tensors(value: Any) -> Iterator[Tensor]:
    """The tensors in lists, tuples and dictionaries, however deep."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _tensors(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from _tensors(each)
