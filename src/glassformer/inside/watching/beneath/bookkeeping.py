"""What torch's kernels do to weights: where shares are made, and where they meet what they weigh. The bookkeeping.

A share is a softmax, or positive numbers over their sum, or products of two rows bent by a sigmoid or a ReLU. Each
begins a mark on the storage that holds it, and the mark goes on with every call until a product with other numbers:
that was an attention, whoever wrote it. Scores that become weights without any of these are followed by `pairs.py`. It
follows kernels by name and storage, knows no modules, and rebuilds nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from torch import Tensor

from glassformer.inside.watching.beneath.kernels import (
    ADDING,
    CAREFUL,
    COMPARING,
    CUTTING,
    DIVIDING,
    ENDING,
    GATHERING,
    LAYERS,
    LOGARITHMS,
    MULTIPLYING,
    POSITIVE,
    POWERS,
    PRODUCTS,
    ROOTS,
    SOFTMAX,
    SUBTRACTING,
    SUMS,
    TURNED_BACK,
    TURNING,
    TURNING_OVER,
    bends,
    plain_name,
)  # fmt: skip
from glassformer.inside.watching.beneath.lying import is_moved, lies_across, own_size
from glassformer.inside.watching.beneath.marks import NONE, Carried, Marks, Meeting, WeightMark
from glassformer.inside.watching.beneath.origins import storage_of
from glassformer.inside.watching.beneath.pairs import PAIRS, Pairs
from glassformer.inside.watching.beneath.shares import add_up_to_one, alike, all_halves
from glassformer.inside.watching.beneath.windows import blended, summed_up

Outcome = tuple[set[WeightMark], list[Meeting]]


class Bookkeeping:
    """The marks of one pass: told of a kernel and its operands, it says what they met and what goes on."""

    def __init__(self) -> None:
        self._count = 0
        self._powers: dict[tuple[object, ...], int] = {}  # the same powers, worked out twice, have one number
        self._pairs = Pairs(self.new)
        self.scores: set[int] = set()  # sums that a softmax was made of: no doubt of these, it is followed as such

    def new(self, kind: str, name: str, lengths: Iterable[int] = ()) -> WeightMark:
        """A mark of its own number."""
        self._count += 1
        return WeightMark(self._count, kind, name.strip("_"), frozenset(lengths))

    def after(
        self, name: str, operands: Sequence[Carried], result: Tensor, args: Sequence[Any]
    ) -> tuple[Marks, list[Meeting]]:
        """The marks of the result, and the meetings."""
        name = plain_name(name, args)
        if not operands or name.endswith("_like") or name.startswith("new_"):  # only the shape is taken
            return NONE, []
        if name in SOFTMAX:
            return frozenset((self._softmax(name, operands, result, args),)), []
        if name in LOGARITHMS:
            log = replace(self._softmax(name, operands, operands[0].tensor, args), kind="log")
            return frozenset((log,)) | summed_up(self.new, name, operands), []
        if name == "addcdiv":  # one row over what its weights came to, added to others
            name, operands = "div", operands[1:]
        marks = frozenset().union(*(each.marks for each in operands))
        if name in POWERS | TURNED_BACK and any(mark.kind == "log" for mark in marks):
            log = next(mark for mark in marks if mark.kind == "log")
            number = self.new("weights", "log-softmax").number
            sums = [Meeting(why, doubt=doubt) for why, doubt in blended(marks)]
            return frozenset((replace(log, number=number, kind="weights", made_by="log-softmax"),)), sums
        factors = _factors(name, operands) if name in PRODUCTS else operands
        onwards, met = (self._product if name in PRODUCTS else self._elsewhere)(name, factors, result)
        more, doubts = self._pairs.after(name, factors, result, args, met)
        number = max((mark.number for mark in more if mark.kind == "summed"), default=0)
        return frozenset(onwards | more), met + [Meeting(why, doubt=doubt, number=number) for why, doubt in doubts]

    def _softmax(self, name: str, operands: Sequence[Carried], result: Tensor, args: Sequence[Any]) -> WeightMark:
        self.scores |= {mark.number for each in operands for mark in each.marks if mark.kind == "summed"}
        mark = self.new("weights", name, (_length(args, result),))
        axis = _axis(args) % max(1, result.ndim) - result.ndim
        columns = axis == -1 and any(each.kind == "columns" for each in operands[0].marks)
        columns = columns and not lies_across(operands[0].tensor)
        return replace(mark, across=axis != -1, columns=columns, axis=axis)

    # --- products -------------------------------------------------------------------------------------------------

    def _product(self, name: str, factors: Sequence[Carried], result: Tensor) -> Outcome:
        onwards: set[WeightMark] = set()
        met: list[Meeting] = []
        for i, factor in enumerate(factors):
            others = [other for j, other in enumerate(factors) if j != i]
            fixed = bool(others) and all(other.fixed for other in others)
            axis = -1 if i == 0 or factor.tensor.ndim < 2 else -2
            for mark in factor.marks:
                kept, meetings = _multiplied(mark, factor.tensor.shape[axis], others, fixed)
                onwards |= kept
                met += meetings
            shares = [mark for mark in factor.marks if mark.kind == "weights" and not factor.fixed]
            if shares and fixed and any(each.learned for each in others) and add_up_to_one(factor.tensor, axis):
                met.append(Meeting(shares[0].made_by, learned=True))  # whatever was done to them, they are shares again
            known = factor.fixed or fixed or not others or any(mark.kind in _SHARES for mark in factor.marks)
            if not known and add_up_to_one(factor.tensor, axis):
                handed_in = any(mark.kind == "read" for mark in factor.marks)
                met.append(Meeting("a matrix whose rows add up to one", doubt=HANDED_IN if handed_in else ""))
        return onwards, met

    # --- everything else ------------------------------------------------------------------------------------------

    def _elsewhere(self, name: str, operands: Sequence[Carried], result: Tensor) -> Outcome:
        met: list[Meeting] = []
        onwards: set[WeightMark] = set()
        length = result.shape[-1] if result.ndim else 1
        if name in POWERS:
            onwards.add(self._power(name, operands, length))
        elif name in POSITIVE and not any(mark.kind in _SHARES for each in operands for mark in each.marks):
            onwards.add(replace(self.new("power", name, (length,)), usual=False))
        bent = (
            bends(name) and name not in COMPARING
        ) or name in ENDING  # rows of scores that are made alike are weights too
        if bent and any(m.kind == "product" and t.shape == result.shape for t, own, *_ in operands for m in own):
            onwards.add(self.new("bent", name))
        if name in MULTIPLYING and len(operands) > 1:
            operands = [self._noticed(each, result) for each in operands]
        if name in DIVIDING | MULTIPLYING and len(operands) > 1:
            shares, met = self._divided(operands, "sum" if name in DIVIDING else "under")
            onwards |= shares
        if name in SUMS or name in ADDING or name in GATHERING:
            met += _added_up(name, operands, result)
        if name == "convolution" and len(operands) > 1 and not any(each.fixed for each in operands[:2]):
            weighing = (mark for each in operands[:2] for mark in each.marks if mark.kind in ("weights", "bent"))
            met += [Meeting(mark.made_by, number=mark.number) for mark in weighing][:1]
        for each in operands:
            for mark in each.marks:
                onwards |= _kept(name, mark, each, operands, result)
        if name in MULTIPLYING and not _shares_of_shares(operands):
            spread = [m for m in onwards if m.kind == "spread" and m.across and not (m.pure or m.columns)]
            met += [Meeting(mark.made_by, apart=True, number=mark.number) for mark in spread]
        return onwards, met

    def _power(self, name: str, operands: Sequence[Carried], length: int) -> WeightMark:
        mark = self.new("power", name, (length,))
        of = operands[0].tensor
        same = alike(of) or (storage_of(of), of.storage_offset(), tuple(of.shape), of.stride())
        return replace(mark, number=self._powers.setdefault((name, *same), mark.number))

    def _noticed(self, operand: Carried, result: Tensor) -> Carried:
        """The same operand, marked if it is laid across rows and turns out to be shares that nobody saw being made."""
        tensor, known = operand.tensor, operand.fixed or any(mark.kind in _SHARES for mark in operand.marks)
        if known or tensor.numel() >= result.numel():
            return operand
        for axis in range(-1, -tensor.ndim - 1, -1):
            if add_up_to_one(tensor, axis) and not all_halves(tensor):
                mark = self.new("weights", "numbers that add up to one", (tensor.shape[axis],))
                return operand._replace(marks=operand.marks | {mark})
        return operand

    def _divided(self, operands: Sequence[Carried], kind: str) -> Outcome:
        """Powers over their sum are weights; powers that were mixed before, over their sum, were attention."""
        (_, above, *_), (_, below, *_) = operands[:2]
        shares: set[WeightMark] = set()
        met: list[Meeting] = []
        for upper, lower in ((above, below),) if kind == "sum" else ((above, below), (below, above)):
            sums = {mark.number for mark in lower if mark.kind == kind}
            only = sums - {mark.number for mark in lower if mark.kind == "mixed"}
            for mark in upper:
                spelled = f"{'exp' if mark.usual else mark.made_by} and sum"
                if mark.number in only and mark.kind == "mixed":
                    met.append(Meeting(spelled))
                elif mark.number in sums and mark.kind == "power":
                    shares.add(replace(self.new("weights", spelled, tuple(mark.lengths)), usual=mark.usual))
        return shares, met[:1]


HANDED_IN = "it was handed in, or is what was over its own sums: a graph, or weights of somebody else"
HELD_BY_NOBODY = "what it multiplies was there before: weights that are registered nowhere, or rows"
CHOSEN = "some of the shares that a layer makes of each row multiply other rows in a product: experts, or attention"
_OF_POWERS = frozenset(("power", "sum", "under", "mixed", "times"))
_SHARES = frozenset(("weights", "spread", "log", "bent", "mixed", "sum", "under"))


def _factors(name: str, operands: Sequence[Carried]) -> Sequence[Carried]:
    several = {"einsum": len(operands), "linear": 2, "_trilinear": 3, "bilinear": 3}
    return operands[: several[name]] if name in several else operands[-2:]


def _multiplied(mark: WeightMark, summed: int, others: Sequence[Carried], fixed: bool) -> Outcome:
    """What becomes of a mark whose tensor is a factor of a product, summed over as many, and what it met."""
    if mark.kind == "weights" and not fixed:
        if mark.columns and any(mark.lengths & other.fan for other in others):  # experts
            return set(), []
        chosen = CHOSEN if mark.columns and not mark.strong else ""
        return set(), [Meeting(mark.made_by, doubt=chosen, number=mark.number)]
    if mark.kind == "weights" and mark.pure and mark.usual:
        if not any(other.learned for other in others):  # the mean of numbers that the model was not taught
            return set(), []
        if any(summed % length == 0 for length in mark.lengths if length > 1):
            return set(), [Meeting(mark.made_by, learned=True, number=mark.number)]
        return {replace(mark, pure=False)}, []  # heads that talk to each other
    if mark.kind == "bent" and not fixed:
        ours = all(other.fixed or {"held", "before"} & {each.kind for each in other.marks} for other in others)
        return set(), [Meeting(mark.made_by, doubt=HELD_BY_NOBODY if ours else "", number=mark.number)]
    if mark.kind in ("power", "sum"):
        alone = fixed or all(other.fixed or _only_powers(other.marks) for other in others)
        return {replace(mark, kind="sum")} | (set() if alone else {replace(mark, kind="mixed")}), []
    return {mark} if mark.kind == "mixed" else set(), []


def _only_powers(marks: Marks) -> bool:
    kinds = {mark.kind for mark in marks}
    return "mixed" not in kinds and not kinds.isdisjoint(("power", "sum"))


def _added_up(name: str, operands: Sequence[Carried], result: Tensor) -> list[Meeting]:
    if name in ADDING:
        numbers = [{mark for mark in each.marks if mark.kind == "spread"} for each in operands]
        both = [(a, b) for a in numbers[0] for b in numbers[-1] if a.number == b.number] if len(numbers) > 1 else []
        both = [(a, b) for a, b in both if not (a.columns and a.spread is not None and a.spread == b.spread)]
        return [Meeting(mark.made_by, mark.pure, number=mark.number) for mark, _ in both[:1]]
    tensor, marks, *_ = operands[-1] if name in GATHERING else operands[0]
    gone = {size for size in tensor.shape if list(tensor.shape).count(size) > list(result.shape).count(size)}
    spread = (mark for mark in marks if mark.kind == "spread" and mark.strong and (mark.across or not mark.columns))
    added = (mark for mark in spread if name in GATHERING or mark.lengths & gone)
    return [Meeting(mark.made_by, mark.pure, number=mark.number) for mark in added][:1]


def _kept(
    name: str, mark: WeightMark, operand: Carried, operands: Sequence[Carried], result: Tensor
) -> set[WeightMark]:
    """What becomes of one mark in a call that is no product."""
    if name in ENDING and mark.kind == "weights":  # as in re-attention
        return {replace(mark, pure=False, axis=None)}
    if mark.kind in PAIRS or (name in ENDING and mark.kind != "bent"):
        return set()
    others = [other for other in operands if other.tensor is not operand.tensor]
    if mark.axis is not None and is_moved(name, mark.axis, operand.tensor, result):
        mark = replace(mark, axis=None)
    if mark.kind == "weights" and operand.fixed and name in MULTIPLYING:  # numbers of the model, whatever it reads
        return set()
    if mark.kind == "weights":
        return _weights_kept(name, mark, operand.tensor, others, result)
    if mark.kind == "spread":
        return {mark} if name in CAREFUL and name not in SUMS and name not in ("mul", "div") else set()
    if mark.kind == "bent":
        powers = any(each.kind in _OF_POWERS and each.usual for each in operand.marks)  # they are followed as such
        moving = [own_size(other.tensor) for other in others if not other.fixed and other.tensor.numel() > 1]
        spread = replace(mark, kind="spread", pure=False, strong=True, across=True)
        if name in MULTIPLYING and moving and not powers:
            if result.numel() > operand.tensor.numel():
                return {spread}
            return {mark, spread} if min(moving) < result.numel() else {mark}  # one column of the rows, or a gate
        summed = replace(mark, strong=False) if name in SUMS else mark
        a_norm = name in ROOTS and not mark.strong  # the root of a mean, which a row is divided by
        return set() if name in LAYERS or a_norm else {summed}  # bent again, and again, they weigh all the same
    if name not in CAREFUL:
        return set()
    if mark.kind in ("power", "sum", "mixed", "times", "under"):
        return _powers_kept(name, mark, operand.tensor, others, result)
    if name in SUMS:
        return set()
    return {replace(mark, strong=False) if name in CUTTING else mark}  # the logarithms of shares, or some of them


def _powers_kept(
    name: str, mark: WeightMark, tensor: Tensor, others: Sequence[Carried], result: Tensor
) -> set[WeightMark]:
    if name in TURNING_OVER:
        return {replace(mark, kind="under")} if mark.kind == "sum" else {mark} if mark.kind == "power" else set()
    if mark.kind == "times":  # each column for itself, added up along edges
        return {replace(mark, kind="mixed")} if name in GATHERING else set() if name in SUMS else {mark}
    if name in SUMS:
        return {mark if mark.kind == "mixed" else replace(mark, kind="sum")}
    strangers = [other for other in others if not other.fixed and not any(m.number == mark.number for m in other.marks)]
    if name in SUBTRACTING and mark.kind == "power":  # one less a power is a share that is taken, and no power
        return {replace(mark, usual=False)}
    if name in ADDING and mark.kind == "power":  # one step of a sum that goes step by step
        summed = any(m.kind in ("power", "sum") for other in strangers for m in other.marks)
        return {replace(mark, kind="sum")} if summed else {mark}
    if name in MULTIPLYING | DIVIDING and mark.kind == "power" and strangers:
        plain = [other for other in strangers if not any(m.kind in ("power", "sum") for m in other.marks)]
        laid = mark.usual or result.numel() > tensor.numel()
        return {mark, replace(mark, kind="mixed" if laid else "times")} if plain else {mark}
    return {mark}


def _weights_kept(
    name: str, mark: WeightMark, tensor: Tensor, others: Sequence[Carried], result: Tensor
) -> set[WeightMark]:
    if result.ndim == tensor.ndim:
        changed = {
            new for old, new in zip(tensor.shape, result.shape, strict=True) if old != new and old in mark.lengths
        }
        mark = replace(mark, lengths=mark.lengths | changed)
    if name in TURNING or result.numel() > tensor.numel():
        mark = replace(mark, across=True)
    if name in CUTTING:
        return {replace(mark, strong=False, pure=False)}
    strangers = [
        other
        for other in others
        if other.tensor.numel() > 1
        and not any(each.number == mark.number or _is_a_loss(mark, tensor, each, other) for each in other.marks)
    ]
    if name in MULTIPLYING and strangers:
        return _weights_spread(mark, tensor, strangers, result)
    if strangers and not all(other.fixed for other in strangers):
        return {replace(mark, pure=False)}
    return {mark}


def _shares_of_shares(operands: Sequence[Carried]) -> bool:
    """Whether shares multiply shares place by place, as where two texts are matched both ways: neither are rows."""
    all_are = all(any(mark.kind == "weights" and mark.usual for mark in each.marks) for each in operands)
    return all_are and len({each.tensor.shape for each in operands}) == 1


def _is_a_loss(mark: WeightMark, tensor: Tensor, log: WeightMark, other: Carried) -> bool:
    """Whether shares multiply the logarithms of others along the same axis, place by place: an entropy."""
    alike = mark.axis in (None, log.axis) and log.axis is not None and other.tensor.shape == tensor.shape
    return log.kind == "log" and alike


def _weights_spread(mark: WeightMark, tensor: Tensor, strangers: Sequence[Carried], result: Tensor) -> set[WeightMark]:
    """Weights that multiply others place by place: rows, to be added up; or a mask, as large as they are."""
    all_fixed = all(other.fixed for other in strangers)
    untaught = all_fixed and not any(other.learned for other in strangers)  # a mask, or what is summed for its mean
    fanned = any(mark.lengths & other.fan for other in strangers)
    experts = fanned and (mark.columns or _chooses_filters(mark, tensor, result))
    kept: set[WeightMark] = set()
    if mark.strong and (mark.pure or not all_fixed) and not (experts or untaught):
        kept.add(replace(mark, kind="spread", pure=all_fixed, spread=strangers[0].source))
    if result.numel() == tensor.numel() and not experts:
        kept.add(replace(mark, pure=mark.pure and all_fixed))
    return kept


def _chooses_filters(mark: WeightMark, tensor: Tensor, result: Tensor) -> bool:
    """Whether each column of a picture has shares of its own of two to four filters, the same at every place."""
    if tensor.ndim != result.ndim or result.ndim <= _PICTURE or max(mark.lengths, default=0) > _FILTERS:
        return False
    everywhere = tuple(tensor.shape[-2:]) == (1, 1) and min(result.shape[-2:]) > 1
    return everywhere and 1 < tensor.shape[-3] == result.shape[-3]


_PICTURE = 4  # text, columns, height, width
_FILTERS = 4


def _axis(args: Sequence[Any]) -> int:
    return args[1] if len(args) > 1 and isinstance(args[1], int) else -1


def _length(args: Sequence[Any], result: Tensor) -> int:
    return int(result.shape[_axis(args)]) if result.ndim else 1
