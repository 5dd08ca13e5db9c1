"""How a number is written for a person: digits, minus signs, infinity. It knows nothing of what the numbers mean."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from glassformer.arithmetic import Array, Formatter


def plain(precision: int) -> Formatter:
    """Writes a number for the eye: at most `precision` decimals, no trailing zeros, a real minus sign."""

    def written(number: float) -> str:
        return _trimmed(number, precision).replace("-", "−").replace("inf", "∞")

    return written


def _trimmed(number: float, precision: int) -> str:
    if not math.isfinite(number):
        return str(number)
    if number and not 10.0**-precision <= abs(number) < 1e7:
        return f"{number:.{precision}g}"  # too small or too large for decimals
    text = f"{number:.{precision}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def matrix_cells(values: Array, precision: int) -> list[list[str]]:
    """The entries of a matrix, all with the same decimals so that they align: as few as serve, `precision` at most."""
    if values.dtype.kind == "b":
        return [["✓" if entry else "·" for entry in row] for row in values]
    numbers = values.astype(np.float64)
    decimals = _decimals_needed(numbers[np.isfinite(numbers)], precision)
    return [[_aligned(entry, decimals) for entry in row] for row in numbers.tolist()]


def _decimals_needed(numbers: NDArray[np.float64], most: int) -> int:
    for decimals in range(most):
        if np.allclose(numbers, np.round(numbers, decimals), rtol=0, atol=1e-12):
            return decimals
    return most


def _aligned(number: float, decimals: int) -> str:
    if not math.isfinite(number):
        return str(number).replace("-", "−").replace("inf", "∞")
    text = f"{number:.{decimals}f}" if abs(number) < 1e7 else f"{number:.{decimals}g}"
    return text.replace("-", "" if float(text) == 0 else "−")


def shape(sizes: Sequence[int]) -> str:
    """`3 × 2`; a single number has no shape to speak of."""
    return " × ".join(str(size) for size in sizes)
