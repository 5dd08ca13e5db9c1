"""Tells digits cut off from digits rounded, where several numbers were put in at once. Knows no notes.

e^7.09 is 1199.9. If 7.09 was rounded before, 1199 is as possible as 1200, and one such number shows nothing. But where
all numbers of a line are those of the page with their digits cut off, and chance hardly gives that, they were cut off.
"""

import math
from dataclasses import dataclass

_FEWEST = 2  # numbers that rounding would have printed otherwise
_ODDS = 10.0  # of cutting off, against numbers that were rounded on the way
_NOTHING = 1e-6  # of the last digit


@dataclass(frozen=True)
class PutIn:
    """A printed number, the unit of its last digit, and what the numbers before it give: as printed, and if rounded."""

    printed: float
    unit: float
    worked: float
    low: float
    high: float

    @property
    def is_cut(self) -> bool:
        """Whether it is what was worked out, without the digits that follow."""
        left = math.copysign(1.0, self.worked) * (self.worked - self.printed)
        return 0 <= left < (1 - _NOTHING) * self.unit

    @property
    def is_rounded(self) -> bool:
        """Whether it is what was worked out, to the nearest."""
        return abs(self.worked - self.printed) <= self.unit / 2 * (1 + _NOTHING)

    @property
    def chance(self) -> float:
        """That it is printed if what stands before was rounded from anything else."""
        if self.high <= self.low:
            return float(self.is_rounded)
        shared = min(self.high, self.printed + self.unit / 2) - max(self.low, self.printed - self.unit / 2)
        return max(0.0, shared) / (self.high - self.low)


def are_cut_off(numbers: list[PutIn]) -> list[PutIn]:
    """Those that rounding would have printed otherwise, if all of them together show that digits were cut off."""
    cut = [number for number in numbers if not number.is_rounded]
    if len(cut) < _FEWEST or not all(number.is_cut for number in numbers):
        return []
    return cut if math.prod(number.chance for number in numbers) * _ODDS <= 1 else []
