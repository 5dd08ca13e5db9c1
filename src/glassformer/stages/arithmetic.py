"""How one number of a stage comes from the numbers of its operands, spelled out term by term as on paper.

One small function per operation of the catalogue, in plain float64: it is handed the index, the stage that was made
(for its shape) and the operands. It knows arrays and indices, not which model they come from, and it takes no result
from the model, so that the model can be checked against it.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]
Index = tuple[int, ...]
Formatter = Callable[[float], str]


@dataclass(frozen=True)
class Cell:
    """One number of one operand: where it stands and what it is."""

    address: str
    index: Index
    value: float


@dataclass(frozen=True)
class Operand:
    """An operand's numbers under its address."""

    address: str
    values: Array

    def cell(self, *index: int) -> Cell:
        """The cell at `index`; an axis of size 1 serves every place, and missing leading axes are left out."""
        wanted = index[len(index) - self.values.ndim :]
        place = tuple(0 if size == 1 else i for i, size in zip(wanted, self.values.shape, strict=True))
        return Cell(self.address, place, float(self.values[place]))


@dataclass(frozen=True)
class Term:
    """One term of the working: its value, the cells it is made of, and how it is written."""

    value: float
    cells: tuple[Cell, ...]
    pattern: str  # "{} × {}", filled with the cells' values

    def spell(self, number: Formatter) -> str:
        """The term as on paper."""
        return self.pattern.format(*(_bracketed(number(cell.value)) for cell in self.cells))


@dataclass(frozen=True)
class Working:
    """The terms, and the result they give. `pattern` says how they combine; without one they are added up."""

    terms: tuple[Term, ...]
    result: float
    pattern: str = ""

    @property
    def total(self) -> float:
        """The sum of the terms."""
        return math.fsum(term.value for term in self.terms)

    def sides(self, number: Formatter) -> list[str]:
        """The right-hand side as on paper, then with every term worked out: `1 × 2 + 3 × 4`, `2 + 12`."""
        spelled = self._combine([term.spell(number) for term in self.terms])
        worked_out = self._combine([_bracketed(number(term.value)) for term in self.terms])
        return [spelled] if len(self.terms) < 2 or worked_out == spelled else [spelled, worked_out]

    def _combine(self, terms: Sequence[str]) -> str:
        return self.pattern.format(*terms, sum=" + ".join(terms)) if self.pattern else " + ".join(terms)


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith(("-", "−")) else text


def _product(*cells: Cell) -> Term:
    return Term(math.prod(cell.value for cell in cells), cells, " × ".join(["{}"] * len(cells)))


def _plain(cell: Cell) -> Term:
    return Term(cell.value, (cell,), "{}")


def _summed(terms: Sequence[Term]) -> Working:
    return Working(tuple(terms), math.fsum(term.value for term in terms))


def _shared(head: int, made: Operand, operand: Operand) -> int:
    """The key/value head that serves query head `head`."""
    return int(head * operand.values.shape[1] // made.values.shape[1])


# --- attention --------------------------------------------------------------------------------------------------


def _project(index: Index, _made: Operand, x: Operand, weight: Operand, bias: Operand | None) -> Working:
    *row, column = index
    return _linear(x, tuple(row), weight, column, bias)


def _project_to_heads(index: Index, made: Operand, x: Operand, weight: Operand, bias: Operand | None) -> Working:
    batch, head, row, column = index
    return _linear(x, (batch, row), weight, head * made.values.shape[-1] + column, bias)


def _linear(x: Operand, row: Index, weight: Operand, column: int, bias: Operand | None) -> Working:
    terms = [_product(x.cell(*row, i), weight.cell(i, column)) for i in range(weight.values.shape[0])]
    return _summed([*terms, _plain(bias.cell(column))] if bias else terms)


def _split_heads(index: Index, made: Operand, x: Operand) -> Working:
    batch, head, row, column = index
    return _summed([_plain(x.cell(batch, row, head * made.values.shape[-1] + column))])


def _rotate(index: Index, _made: Operand, x: Operand, cosines: Operand, sines: Operand) -> Working:
    batch, head, row, column = index
    pairs = cosines.values.shape[-1]
    if column >= 2 * pairs:
        return _summed([_plain(x.cell(*index))])
    pair = column % pairs
    first = column < pairs
    partner = x.cell(batch, head, row, column + pairs if first else column - pairs)
    cosine, sine = cosines.cell(batch, row, pair), sines.cell(batch, row, pair)
    own, turned = _product(x.cell(*index), cosine), _product(partner, sine)
    if first:
        return Working((own, turned), own.value - turned.value, "{0} − {1}")
    return _summed([own, turned])


def _dot(index: Index, made: Operand, queries: Operand, keys: Operand) -> Working:
    batch, head, row, column = index
    group = _shared(head, made, keys)
    width = queries.values.shape[-1]
    return _summed(
        [_product(queries.cell(batch, head, row, i), keys.cell(batch, group, column, i)) for i in range(width)]
    )


def _synthesize(index: Index, _made: Operand, queries: Operand, weight: Operand, bias: Operand) -> Working:
    batch, head, row, column = index
    terms = []
    for i in range(queries.values.shape[-1]):
        query, factor = queries.cell(batch, head, row, i), weight.cell(head, i, column)
        terms.append(Term(max(query.value, 0.0) * factor.value, (query, factor), "relu({}) × {}"))
    return _summed([*terms, _plain(bias.cell(head, column))])


def _cut(index: Index, _made: Operand, weight: Operand) -> Working:
    return _summed([_plain(weight.cell(*index[1:]))])


def _inverse_root(_index: Index, _made: Operand, width: Operand) -> Working:
    cell = width.cell()
    return Working((_plain(cell),), 1.0 / math.sqrt(cell.value), "1 / √({0})")


def _scale(index: Index, _made: Operand, scores: Operand, scale: Operand) -> Working:
    return _summed([_product(scale.cell(), scores.cell(*index))])


def _add(index: Index, _made: Operand, left: Operand, right: Operand) -> Working:
    return _summed([_plain(left.cell(*index)), _plain(right.cell(*index))])


def _subtract(index: Index, _made: Operand, queries: Operand, keys: Operand) -> Working:
    batch, row, column = index
    one, other = queries.cell(batch, row), keys.cell(batch, column)
    return Working((_plain(one), _plain(other)), one.value - other.value, "{0} − {1}")


def _penalise(index: Index, _made: Operand, slopes: Operand, distances: Operand) -> Working:
    batch, head, row, column = index
    slope, distance = slopes.cell(head), distances.cell(batch, row, column)
    return Working((_plain(slope), _plain(distance)), -slope.value * abs(distance.value), "−{0} × |{1}|")


def _bucket(index: Index, _made: Operand, distances: Operand, weight: Operand, farthest: Operand) -> Working:
    cell, count = distances.cell(*index), weight.values.shape[0] // 2
    later = count if cell.value < 0 else 0
    return Working((_plain(cell),), later + _bucket_of(abs(cell.value), count, farthest), "the bucket of {0}")


def _bucket_backwards(index: Index, _made: Operand, distances: Operand, weight: Operand, farthest: Operand) -> Working:
    cell, count = distances.cell(*index), weight.values.shape[0]
    return Working((_plain(cell),), _bucket_of(max(cell.value, 0.0), count, farthest), "the bucket of {0}")


def _bucket_of(distance: float, count: int, farthest: Operand) -> float:
    """Half of the buckets have one distance each; the others are as wide, on a scale of logarithms, as each other."""
    near = count // 2
    if distance < near:
        return distance
    share = math.log(distance / near) / math.log(farthest.cell().value / near)
    return min(near + math.floor(share * (count - near)), count - 1)


def _pick(index: Index, _made: Operand, buckets: Operand, weight: Operand) -> Working:
    batch, head, row, column = index
    bucket = buckets.cell(batch, row, column)
    value = weight.cell(int(bucket.value), head)
    return Working((_plain(bucket), _plain(value)), value.value, "bucket {0}: {1}")


def _mask(index: Index, _made: Operand, scores: Operand, mask: Operand) -> Working:
    allowed = bool(mask.cell(*index).value)
    term = _plain(scores.cell(*index))
    return Working((term,), term.value, "{0}, since it may look") if allowed else Working((term,), -math.inf, "hidden")


def _row(index: Index, operand: Operand) -> Iterator[Cell]:
    for column in range(operand.values.shape[-1]):
        yield operand.cell(*index[:-1], column)


def _softmax(index: Index, _made: Operand, masked: Operand) -> Working:
    cells = list(_row(index, masked))
    top = max(cells, key=_value)
    if top.value == -math.inf:
        return Working((), 0.0, "0, since this row may look at nothing")
    terms = _exponentials(cells, top if abs(top.value) > _LARGEST else None)
    return _share(terms, index[-1], math.fsum(term.value for term in terms))


def _quiet_softmax(index: Index, _made: Operand, masked: Operand) -> Working:
    cells = list(_row(index, masked))
    top = max(cells, key=_value)
    shift = top if top.value > _LARGEST else None
    terms = _exponentials(cells, shift)
    one = math.exp(-shift.value) if shift else 1.0
    share = _share(terms, index[-1], math.fsum([one, *(term.value for term in terms)]))
    written = f"e^(−{shift.value:g})" if shift else "1"
    return Working(share.terms, share.result, share.pattern.replace("({sum})", f"({written} + {{sum}})"))


_LARGEST = 300.0  # e^±300 can be written down; beyond it the row's top is taken off every exponent first


def _value(cell: Cell) -> float:
    return cell.value


def _exponentials(cells: Sequence[Cell], shift: Cell | None) -> list[Term]:
    if shift is None:
        return [Term(math.exp(cell.value), (cell,), "e^{}") for cell in cells]
    return [Term(math.exp(cell.value - shift.value), (cell, shift), "e^({} − {})") for cell in cells]


def _share(terms: Sequence[Term], column: int, total: float) -> Working:
    return Working(tuple(terms), terms[column].value / total, f"{{{column}}} / ({{sum}})")


def _sigmoid(index: Index, _made: Operand, masked: Operand) -> Working:
    cell = masked.cell(*index)
    return Working((_plain(cell),), _logistic(cell.value), "1 / (1 + e^(−{0}))")


def _logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))


def _drop(index: Index, made: Operand, kept: Operand, rate: Operand) -> Working:
    cell, share = kept.cell(*index), rate.cell()
    if made.cell(*index).value == 0.0 and cell.value != 0.0:  # the draw itself is the one thing no formula knows
        return Working((_plain(cell),), 0.0, "0, since {0} was dropped")
    return Working((_plain(cell), _plain(share)), cell.value / (1.0 - share.value), "{0} / (1 − {1})")


def _mix(index: Index, made: Operand, weights: Operand, values: Operand) -> Working:
    batch, head, row, column = index
    group = _shared(head, made, values)
    length = values.values.shape[2]
    return _summed(
        [_product(weights.cell(batch, head, row, j), values.cell(batch, group, j, column)) for j in range(length)]
    )


def _join_heads(index: Index, _made: Operand, mixed: Operand) -> Working:
    batch, row, column = index
    head, inner = divmod(column, mixed.values.shape[-1])
    return _summed([_plain(mixed.cell(batch, head, row, inner))])


def _same(index: Index, _made: Operand, source: Operand) -> Working:
    return _summed([_plain(source.cell(*index))])


# --- layers -----------------------------------------------------------------------------------------------------


def _mean(index: Index, _made: Operand, x: Operand) -> Working:
    terms = tuple(_plain(cell) for cell in _row((*index, 0), x))
    return Working(terms, math.fsum(term.value for term in terms) / len(terms), f"({{sum}}) / {len(terms)}")


def _variance(index: Index, _made: Operand, x: Operand, mean: Operand) -> Working:
    centre = mean.cell(*index)
    terms = tuple(Term((cell.value - centre.value) ** 2, (cell, centre), "({} − {})²") for cell in _row((*index, 0), x))
    return Working(terms, math.fsum(term.value for term in terms) / len(terms), f"({{sum}}) / {len(terms)}")


def _mean_square(index: Index, _made: Operand, x: Operand) -> Working:
    terms = tuple(Term(cell.value**2, (cell,), "{}²") for cell in _row((*index, 0), x))
    return Working(terms, math.fsum(term.value for term in terms) / len(terms), f"({{sum}}) / {len(terms)}")


def _layer_norm(
    index: Index, _made: Operand, x: Operand, mean: Operand, variance: Operand, epsilon: Operand,
    weight: Operand | None, bias: Operand | None,
) -> Working:  # fmt: skip
    cells = [x.cell(*index), mean.cell(*index[:-1]), variance.cell(*index[:-1]), epsilon.cell()]
    value = (cells[0].value - cells[1].value) / math.sqrt(cells[2].value + cells[3].value)
    return _affine(cells, value, "({0} − {1}) / √({2} + {3})", index[-1], weight, bias)


def _rms_norm(
    index: Index, _made: Operand, x: Operand, mean_square: Operand, epsilon: Operand, weight: Operand | None
) -> Working:
    cells = [x.cell(*index), mean_square.cell(*index[:-1]), epsilon.cell()]
    value = cells[0].value / math.sqrt(cells[1].value + cells[2].value)
    return _affine(cells, value, "{0} / √({1} + {2})", index[-1], weight, None)


def _affine(
    cells: list[Cell], value: float, pattern: str, column: int, weight: Operand | None, bias: Operand | None
) -> Working:
    if weight is not None:
        pattern += f" × {{{len(cells)}}}"
        cells.append(weight.cell(column))
        value *= cells[-1].value
    if bias is not None:
        pattern += f" + {{{len(cells)}}}"
        cells.append(bias.cell(column))
        value += cells[-1].value
    return Working(tuple(_plain(cell) for cell in cells), value, pattern)


def _relu(index: Index, _made: Operand, x: Operand) -> Working:
    cell = x.cell(*index)
    return Working((_plain(cell),), max(cell.value, 0.0), "max(0, {0})")


def _gelu(index: Index, _made: Operand, x: Operand) -> Working:
    cell = x.cell(*index)
    share = 0.5 * (1.0 + math.erf(cell.value / math.sqrt(2.0)))
    return Working((_plain(cell),), cell.value * share, "{0} × Φ({0})")


def _tanh_gelu(index: Index, _made: Operand, x: Operand) -> Working:
    cell = x.cell(*index)
    inner = math.sqrt(2.0 / math.pi) * (cell.value + 0.044715 * cell.value**3)
    result = 0.5 * cell.value * (1.0 + math.tanh(inner))
    return Working((_plain(cell),), result, "½ × {0} × (1 + tanh(√(2/π) × ({0} + 0.044715 × {0}³)))")


def _swiglu(index: Index, _made: Operand, expanded: Operand, gate: Operand) -> Working:
    opened, value = gate.cell(*index), expanded.cell(*index)
    result = opened.value * _logistic(opened.value) * value.value
    return Working((_plain(opened), _plain(value)), result, "{0} × sigmoid({0}) × {1}")


def _squared_relu(index: Index, _made: Operand, x: Operand) -> Working:
    cell = x.cell(*index)
    return Working((_plain(cell),), max(cell.value, 0.0) ** 2, "max(0, {0})²")


# --- models -----------------------------------------------------------------------------------------------------


def _look_up(index: Index, _made: Operand, ids: Operand, weight: Operand, scale: Operand | None) -> Working:
    batch, row, column = index
    cell = weight.cell(int(ids.cell(batch, row).value), column)
    return _summed([_product(scale.cell(), cell) if scale else _plain(cell)])


def _mean_of_real(index: Index, _made: Operand, rows: Operand, real: Operand) -> Working:
    batch, column = index
    kept = [i for i in range(rows.values.shape[1]) if real.cell(batch, i).value]
    terms = tuple(_plain(rows.cell(batch, i, column)) for i in kept)
    count = max(len(terms), 1)
    return Working(terms, math.fsum(term.value for term in terms) / count, f"({{sum}}) / {count}")


def _recur(
    index: Index, made: Operand, x: Operand, weight: Operand, bias: Operand, state_weight: Operand, state_bias: Operand
) -> Working:
    batch, row, column = index
    terms = list(_linear(x, (batch, row), weight, column, bias).terms)
    if row > 0:
        terms += _linear(made, (batch, row - 1), state_weight, column, None).terms
    terms.append(_plain(state_bias.cell(column)))
    return Working(tuple(terms), math.tanh(math.fsum(term.value for term in terms)), "tanh({sum})")


def _last_state(index: Index, _made: Operand, states: Operand, real: Operand) -> Working:
    batch, column = index
    length = max(int(real.values[batch].sum()), 1)
    return _summed([_plain(states.cell(batch, length - 1, column))])


def _largest(index: Index, _made: Operand, windows: Operand) -> Working:
    batch, column = index
    cells = [windows.cell(batch, column, i) for i in range(windows.values.shape[-1])]
    best = max(cells, key=_value)
    return Working((_plain(best),), best.value, "max(…) = {0}")


OPERATIONS: MappingProxyType[str, Callable[..., Working]] = MappingProxyType(
    {
        "project": _project,
        "project to heads": _project_to_heads,
        "split heads": _split_heads,
        "rotate": _rotate,
        "dot": _dot,
        "synthesize": _synthesize,
        "cut": _cut,
        "inverse root": _inverse_root,
        "scale": _scale,
        "add": _add,
        "subtract": _subtract,
        "penalise": _penalise,
        "bucket": _bucket,
        "bucket backwards": _bucket_backwards,
        "pick": _pick,
        "mask": _mask,
        "softmax": _softmax,
        "quiet softmax": _quiet_softmax,
        "sigmoid": _sigmoid,
        "drop": _drop,
        "mix": _mix,
        "join heads": _join_heads,
        "same": _same,
        "mean": _mean,
        "variance": _variance,
        "mean square": _mean_square,
        "layer norm": _layer_norm,
        "rms norm": _rms_norm,
        "relu": _relu,
        "gelu": _gelu,
        "tanh gelu": _tanh_gelu,
        "squared relu": _squared_relu,
        "swiglu": _swiglu,
        "look up": _look_up,
        "recur": _recur,
        "last state": _last_state,
        "largest": _largest,
        "mean of real": _mean_of_real,
    }
)
