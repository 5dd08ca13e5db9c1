"""How a number is written for a person: digits, minus signs, infinity. It knows nothing of what the numbers mean."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from glassformer.stages.arithmetic import Array, Formatter

LARGE = 1e7  # from here on a number is written with its power of ten: 1.235e7
NOISE = 1e-12  # what float64 leaves of a sum that is 0 on paper


def plain(precision: int) -> Formatter:
    """Writes a number for the eye: at most `precision` decimals, no trailing zeros, a real minus sign."""

    def written(number: float) -> str:
        if not math.isfinite(number):
            return _signed(str(number))
        if number and not 10.0**-precision <= abs(number) < LARGE:
            return scientific(number, precision)
        text = f"{number:.{precision}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text == "-0" else _signed(text)

    return written


def scientific(number: float, precision: int) -> str:
    """`1.235e7`: `precision` significant digits at most, and a power of ten."""
    mantissa, _, power = f"{number:.{precision - 1}e}".partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return _signed(f"{mantissa}e{int(power)}")


def aligned(number: float, decimals: int, precision: int) -> str:
    """A number as it stands in a matrix of so many decimals; with a power of ten where those would not show it."""
    if not math.isfinite(number):
        return _signed(str(number))
    if abs(number) >= LARGE or is_tiny(number, decimals):
        return scientific(number, precision)
    return _signed(f"{number:.{decimals}f}")


def is_tiny(number: float, decimals: int) -> bool:
    """Not zero, but so many decimals would show nothing but zeros."""
    return 0.0 < abs(number) < 0.5 * 10.0**-decimals


def below(decimals: int, negative: bool = False) -> str:
    """`<0.0001`: stands for a tiny number where there is no room for its power of ten."""
    step = f"{10.0**-decimals:.{decimals}f}"
    return f">−{step}" if negative else f"<{step}"


def decimals_needed(values: Array, precision: int) -> int:
    """As few decimals as show every number of a matrix, `precision` at most; all of it then has the same."""
    numbers = values.astype(np.float64)
    numbers = numbers[np.isfinite(numbers) & (np.abs(numbers) < LARGE)]
    return next((each for each in range(precision) if _enough(numbers, each)), precision)


def _enough(numbers: NDArray[np.float64], decimals: int) -> bool:
    rounded = np.round(numbers, decimals)
    noise = NOISE * max(1.0, float(np.abs(numbers).max(initial=0.0)))
    return bool(np.allclose(numbers, rounded, rtol=0, atol=noise) and not ((rounded == 0) & (numbers != 0)).any())


def without_noise(values: Array) -> NDArray[np.float64]:
    """The numbers, with 0 for what float64 leaves of a sum that is 0 on paper."""
    numbers = values.astype(np.float64)
    return np.where(np.abs(numbers) <= NOISE, 0.0, numbers)


def is_rounded(number: float, precision: int) -> bool:
    """`plain` does not show this number to its last digit."""
    return math.isfinite(number) and abs(number - round(number, precision)) > NOISE * max(1.0, abs(number))


def _signed(text: str) -> str:
    return text.replace("-", "−").replace("inf", "∞")


def shape(sizes: Sequence[int]) -> str:
    """`3 × 2`; a single number has no shape to speak of."""
    return " × ".join(str(size) for size in sizes)
