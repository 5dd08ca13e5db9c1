"""Whole numbers that remember how they were worked, in letters and in numbers. They know nothing of what they count."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Quantity:
    """A whole number that remembers how it was worked: in letters, and in numbers."""

    letters: str
    numbers: str
    value: int
    is_sum: bool = False

    @classmethod
    def of(cls, other: "int | Quantity") -> "Quantity":
        """A plain number as a quantity."""
        return other if isinstance(other, Quantity) else cls(str(other), f"{other:,}", other)

    def __add__(self, other: "int | Quantity") -> "Quantity":
        more = Quantity.of(other)
        if 0 in (self.value, more.value):  # what is not there is not written
            return more if self.value == 0 else self
        letters, numbers = f"{self.letters} + {more.letters}", f"{self.numbers} + {more.numbers}"
        return Quantity(letters, numbers, self.value + more.value, is_sum=True)

    def __mul__(self, other: "int | Quantity") -> "Quantity":
        more = Quantity.of(other)
        (a, x), (b, y) = self._factor(), more._factor()
        return Quantity(f"{a}·{b}", f"{x}·{y}", self.value * more.value)

    def __rmul__(self, other: int) -> "Quantity":
        return Quantity.of(other) * self

    def _factor(self) -> tuple[str, str]:
        """In brackets, and closed up, if it is a sum."""
        written = (self.letters, self.numbers)
        letters, numbers = (f"({each.replace(' + ', '+')})" if self.is_sum else each for each in written)
        return letters, numbers


NOTHING = Quantity("0", "0", 0)


def letter(name: str, value: int) -> Quantity:
    """A quantity that is written as a letter."""
    return Quantity(name, f"{value:,}", value)
