"""How much a printed number resembles the right one, digit by digit, as a slip of the pen leaves it. Knows no notes."""

import re

import numpy as np

from glassformer.by_hand.grammar.expressions import Number

_FEW = 3  # digits: of fewer, any two numbers are alike but for one


def telling_digits(number: Number) -> int:
    """How many digits it has without noughts before and after: 0.0250 has two."""
    return len(_digits(number.text.partition("e")[0]).strip("0"))


def likeness(printed: Number, right: float) -> int:
    """How many digits the two have, if one slip of the pen lies between them; 0 if not.

    One digit is another, two neighbours are exchanged, one was left out or is too many, one place is off by one; or the
    sign is another, which counts for one digit less: of a distance nobody prints it. A point elsewhere is no such slip:
    another unit has it there.
    """
    value, decimals = printed.value, printed.decimals or 0
    if not np.isfinite(right) or not np.isfinite(value) or not right or not value:
        return 0
    ours, theirs = _shown(right, decimals), _shown(value, decimals)
    if value * right < 0:
        return telling_digits(printed) - 1 if ours == theirs else 0
    if printed.decimals is None and len(ours) != len(theirs):
        return 0  # a remainder has fewer digits, too
    if _is_one_slip(ours, theirs):
        return _telling(ours, theirs)
    if printed.decimals is None:
        return 0
    finer, coarser = _shown(right, decimals + 1), _shown(right, decimals - 1)
    if _lacks_one(theirs, finer) or _lacks_one(coarser, theirs):
        return min(_telling(theirs, theirs), _telling(finer, finer))
    return 0


def is_shifted(printed: Number, right: float) -> bool:
    """Whether the two have the same digits, two or more, and the point elsewhere."""
    if not np.isfinite(right) or not printed.value or not 1e-3 < right / printed.value < 1e3:
        return False
    digits = _shown(printed.value, printed.decimals or 0).strip("0")
    shown = _digits(f"{abs(right):.{len(digits) - 1}e}".partition("e")[0]).strip("0")
    return len(digits) > 1 and digits == shown and not np.isclose(printed.value, right)


def _telling(*numbers: str) -> int:
    """How many digits the longest has, without noughts in front, or behind all of them."""
    length = min(len(number) - len(number.rstrip("0")) for number in numbers)
    return max(len(number.lstrip("0")) for number in numbers) - length


def _shown(value: float, decimals: int) -> str:
    """The digits of a number that is rounded to so many decimals; to tens, hundreds and so on if they are negative."""
    return _digits(f"{round(abs(value), decimals):.{max(0, decimals)}f}")


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _is_one_slip(ours: str, theirs: str) -> bool:
    """One digit is another, neighbours are exchanged, or one place is off by one."""
    length = max(len(ours), len(theirs))
    ours, theirs = ours.zfill(length), theirs.zfill(length)
    places = [i for i, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b]
    if len(places) == 1:
        return True
    if len(places) == 2 and places[1] == places[0] + 1 and sorted(ours) == sorted(theirs):
        return True
    apart = str(abs(int(ours) - int(theirs)))
    return apart.strip("0") == "1"


def _lacks_one(shorter: str, longer: str) -> bool:
    """Whether one digit was left out of three or more, none of the noughts in front."""
    shorter, longer = shorter.lstrip("0"), longer.lstrip("0")
    if len(shorter) + 1 != len(longer) or len(shorter) < _FEW:
        return False
    return any(longer[:i] + longer[i + 1 :] == shorter for i in range(len(longer)))
