"""What torch's kernels do to weights: where shares are made, and where they meet what they weigh. The bookkeeping.

A share is a softmax, or powers over their sum, or products of two rows bent by a sigmoid or a ReLU. Each begins a mark
on the storage that holds it, and the mark goes on with every call until a product with other numbers: that was an
attention, whoever wrote it. It follows kernels by name and storage, knows no numbers, no modules, and rebuilds nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

PRODUCTS = frozenset((
    "mm", "bmm", "addmm", "baddbmm", "addbmm", "mv", "addmv", "dot", "vdot", "matmul", "linear", "einsum", "inner",
    "tensordot", "bilinear", "_trilinear", "embedding_bag", "_embedding_bag", "_embedding_bag_forward_only",
    "_grouped_mm", "_scaled_mm", "_int_mm", "chain_matmul", "mkldnn_linear", "_linear",
))  # fmt: skip
_SOFTMAX = frozenset(("_softmax", "softmax", "_safe_softmax", "special_softmax", "_masked_softmax"))
_LOGARITHMS = frozenset(("_log_softmax", "log_softmax", "logsumexp", "special_log_softmax"))
_POWERS = frozenset(("exp", "exp_", "exp2", "special_exp2", "expm1"))
_SUMS = frozenset(("sum", "mean", "cumsum", "scatter_add", "scatter_add_", "index_add", "index_add_", "nansum"))
_GATHERING = frozenset(("scatter_add", "scatter_add_", "index_add", "index_add_", "scatter_reduce", "index_put_"))
_MULTIPLYING = frozenset(("mul", "mul_", "addcmul", "addcmul_"))
_DIVIDING = frozenset(("div", "div_", "true_divide", "mul", "mul_"))
_ADDING = frozenset(("add", "add_", "addcmul", "addcmul_"))
_TURNING = frozenset(("transpose", "permute", "t", "transpose_", "t_"))
_CUTTING = frozenset(("topk", "gather", "index", "index_select", "max", "amax", "sort", "mean", "sum", "var"))
_ENDING = frozenset(("native_layer_norm", "native_group_norm", "native_batch_norm", "_fused_rms_norm"))
# What leaves raw powers and products what they are: their shape may change, some may be hidden, all be scaled.
_CAREFUL = frozenset((
    "view", "_unsafe_view", "reshape", "_reshape_alias", "expand", "transpose", "permute", "t", "slice", "select",
    "unsqueeze", "squeeze", "clone", "_to_copy", "copy_", "detach", "alias", "contiguous", "masked_fill",
    "masked_fill_", "where", "mul", "mul_", "div", "div_", "cat", "sum", "native_dropout", "constant_pad_nd",
    "as_strided", "split", "unbind", "sub", "sub_", "rsub", "add", "add_", "tril", "triu", "reciprocal", "neg",
    "scatter_add", "index_add", "scatter_add_", "index_add_", "index", "gather", "index_select", "clamp", "clamp_min",
))  # fmt: skip


@dataclass(frozen=True)
class WeightMark:
    """Something that may come to weigh other numbers.

    kind     "weights"; before that "log", "power" (raw) or "product"; "sum" of powers, "mixed" by powers, and "spread"
             over values that are not yet added up
    pure     nothing was done to them since that could make of them an ordinary row of features
    strong   they are whole rows still, not some that were chosen
    across   they have been laid across others: turned, spread out, or made along another axis than the last. Else they
             may be no more than a gate, which weighs each column of a row by itself
    """

    number: int
    kind: str
    made_by: str
    lengths: frozenset[int] = frozenset()
    pure: bool = True
    strong: bool = True
    across: bool = False


Marks = frozenset[WeightMark]
NONE: Marks = frozenset()


@dataclass(frozen=True)
class Meeting:
    """Weights met what they weigh.

    learned   that is a matrix of the model, as in any layer
    bare      they are no weights but products of rows with rows, as in linear attention
    apart     they multiply other numbers place by place, and nothing is added up yet; `number` says whose weights
    """

    made_by: str
    learned: bool = False
    bare: bool = False
    apart: bool = False
    number: int = 0


class Bookkeeping:
    """The marks of one pass: told of a kernel and its operands, it says what they met and what goes on."""

    def __init__(self) -> None:
        self._count = 0

    def new(self, kind: str, name: str, lengths: Iterable[int] = ()) -> WeightMark:
        """A mark of its own number."""
        self._count += 1
        return WeightMark(self._count, kind, name.strip("_"), frozenset(lengths))

    def after(
        self, name: str, operands: Sequence[tuple[Tensor, Marks, bool]], result: Tensor, args: Sequence[Any]
    ) -> tuple[Marks, list[Meeting]]:
        """The marks of the result, and the meetings. An operand: the tensor, its marks, whether it is fixed."""
        marks = frozenset().union(*(marks for _, marks, _ in operands)) if operands else NONE
        if name.endswith("_like") or name.startswith("new_"):  # only the shape is taken
            return NONE, []
        if name in _SOFTMAX:
            mark = self.new("weights", name, (_length(args, result),))
            return frozenset((replace(mark, across=_axis(args) % max(1, result.ndim) != result.ndim - 1),)), []
        if name in _LOGARITHMS:
            length = operands[0][0].shape[_axis(args)]
            return frozenset((self.new("log", name, (length,)),)), []
        if name in PRODUCTS:
            return self._product(name, operands, result)
        if name in _POWERS and any(mark.kind == "log" for mark in marks):
            lengths = next(mark.lengths for mark in marks if mark.kind == "log")
            return frozenset((self.new("weights", "log-softmax", lengths),)), []
        if not marks and name not in _POWERS:
            return NONE, []
        return self._onwards(name, operands, marks, result)

    # --- products -------------------------------------------------------------------------------------------------

    def _product(
        self, name: str, operands: Sequence[tuple[Tensor, Marks, bool]], result: Tensor
    ) -> tuple[Marks, list[Meeting]]:
        factors = operands if name == "einsum" else operands[:2] if name == "linear" else operands[-2:]
        onwards: set[WeightMark] = set()
        met: list[Meeting] = []
        for i, (tensor, marks, _) in enumerate(factors):
            others_fixed = all(fixed for j, (_, _, fixed) in enumerate(factors) if j != i) and len(factors) > 1
            for mark in marks:
                if mark.kind == "weights" and not others_fixed:
                    met.append(Meeting(mark.made_by, number=mark.number))
                elif mark.kind == "weights" and mark.pure:
                    summed = tensor.shape[-1 if i == 0 or tensor.ndim < 2 else -2]
                    if any(summed % length == 0 for length in mark.lengths if length > 1):
                        met.append(Meeting(mark.made_by, learned=True, number=mark.number))
                    else:  # heads that talk to each other
                        onwards.add(replace(mark, pure=False))
                elif mark.kind == "bent" and not others_fixed:
                    met.append(Meeting(mark.made_by))
                elif mark.kind == "product" and not others_fixed and len(factors) > 1:
                    met.append(Meeting(mark.made_by, bare=True))
                elif mark.kind == "power":
                    onwards.add(replace(mark, kind="sum"))
                    if not others_fixed:
                        onwards.add(replace(mark, kind="mixed"))
        if not any(fixed for _, _, fixed in factors) and len(factors) > 1:
            onwards.add(self.new("product", name))
        return frozenset(onwards), met

    # --- everything else ------------------------------------------------------------------------------------------

    def _onwards(
        self, name: str, operands: Sequence[tuple[Tensor, Marks, bool]], marks: Marks, result: Tensor
    ) -> tuple[Marks, list[Meeting]]:
        met: list[Meeting] = []
        onwards: set[WeightMark] = set()
        if name in _POWERS:
            onwards.add(self.new("power", name, (result.shape[-1] if result.ndim else 1,)))
        if _bends(name) and any(m.kind == "product" and t.shape == result.shape for t, own, _ in operands for m in own):
            onwards.add(self.new("bent", name))
        if name in _DIVIDING and len(operands) > 1:
            shares, met = self._divided(operands)
            onwards |= shares
        if name in _SUMS or name in _ADDING or name in _GATHERING:
            met += self._added_up(name, operands, result)
        for tensor, own, _ in operands:
            for mark in own:
                onwards |= self._kept(name, mark, tensor, operands, result)
        if name in _MULTIPLYING:
            spread = [mark for mark in onwards if mark.kind == "spread" and mark.across and not mark.pure]
            met += [Meeting(mark.made_by, apart=True, number=mark.number) for mark in spread]
        return frozenset(onwards), met

    def _divided(self, operands: Sequence[tuple[Tensor, Marks, bool]]) -> tuple[set[WeightMark], list[Meeting]]:
        """Powers over their sum are weights; powers that were mixed before, over their sum, were attention."""
        (_, above, _), (_, below, _) = operands[:2]
        shares: set[WeightMark] = set()
        met: list[Meeting] = []
        for upper, lower in ((above, below), (below, above)):
            sums = {mark.number for mark in lower if mark.kind == "sum"}
            for mark in upper:
                if mark.number in sums and mark.kind == "mixed":
                    met.append(Meeting("exp and sum"))
                elif mark.number in sums and mark.kind == "power":
                    shares.add(self.new("weights", "exp and sum", tuple(mark.lengths)))
        return shares, met[:1]

    def _added_up(self, name: str, operands: Sequence[tuple[Tensor, Marks, bool]], result: Tensor) -> list[Meeting]:
        if name in _ADDING:
            numbers = [{mark for mark in marks if mark.kind == "spread"} for _, marks, _ in operands]
            both = [a for a in numbers[0] for b in numbers[-1] if a.number == b.number] if len(numbers) > 1 else []
            return [Meeting(mark.made_by, mark.pure, number=mark.number) for mark in both[:1]]
        tensor, marks, _ = operands[-1] if name in _GATHERING else operands[0]
        gone = {size for size in tensor.shape if list(tensor.shape).count(size) > list(result.shape).count(size)}
        spread = (mark for mark in marks if mark.kind == "spread" and mark.strong)
        added = (mark for mark in spread if name in _GATHERING or mark.lengths & gone)
        return [Meeting(mark.made_by, mark.pure, number=mark.number) for mark in added][:1]

    def _kept(
        self,
        name: str,
        mark: WeightMark,
        tensor: Tensor,
        operands: Sequence[tuple[Tensor, Marks, bool]],
        result: Tensor,
    ) -> set[WeightMark]:
        """What becomes of one mark in a call that is no product."""
        if name in _ENDING:
            return set()
        others = [(other, marks, fixed) for other, marks, fixed in operands if other is not tensor]
        if mark.kind == "weights":
            return self._weights_kept(name, mark, tensor, others, result)
        if mark.kind == "spread":
            return {mark} if name in _CAREFUL and name not in _SUMS and name not in ("mul", "div") else set()
        if mark.kind == "bent":
            return {mark} if name in _CAREFUL or name in ("pow", "square") else set()
        if name not in _CAREFUL:
            return set()
        if name in _SUMS:
            return {replace(mark, kind="sum")} if mark.kind in ("power", "sum") else set()
        return {mark}

    def _weights_kept(
        self, name: str, mark: WeightMark, tensor: Tensor, others: Sequence[tuple[Tensor, Marks, bool]], result: Tensor
    ) -> set[WeightMark]:
        if result.ndim == tensor.ndim:
            changed = {
                new for old, new in zip(tensor.shape, result.shape, strict=True) if old != new and old in mark.lengths
            }
            mark = replace(mark, lengths=mark.lengths | changed)
        if name in _TURNING or result.numel() > tensor.numel():
            mark = replace(mark, across=True)
        if name in _CUTTING:
            return {replace(mark, strong=False, pure=False)}
        strangers = [
            (other, fixed)
            for other, marks, fixed in others
            if other.numel() > 1 and not any(m.number == mark.number for m in marks)
        ]
        if name in _MULTIPLYING and strangers:
            all_fixed = all(fixed for _, fixed in strangers)
            kept: set[WeightMark] = set()
            if mark.strong and (mark.pure or not all_fixed):
                kept.add(replace(mark, kind="spread", pure=all_fixed))
            if result.numel() == tensor.numel():  # a mask, as large as the weights
                kept.add(replace(mark, pure=mark.pure and all_fixed))
            return kept
        if strangers and not all(fixed for _, fixed in strangers):
            return {replace(mark, pure=False)}
        return {mark}


def _bends(name: str) -> bool:
    """Whether a kernel may make weights of scores: any that does more than move, scale, hide or normalise them."""
    return name not in (_CAREFUL | _ENDING) or name in ("clamp", "clamp_min")


def _axis(args: Sequence[Any]) -> int:
    return args[1] if len(args) > 1 and isinstance(args[1], int) else -1


def _length(args: Sequence[Any], result: Tensor) -> int:
    return int(result.shape[_axis(args)]) if result.ndim else 1
