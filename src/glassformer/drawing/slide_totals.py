"""The totals of a model as slides print them, after the package torch-summary. It counts nothing: a summary has.

    numbers     4 bytes each, ids too; a MB is 1,048,576 bytes
    input       of a whole batch, as it was handed in; a mask is none
    forward     what the layers with parameters give out for one text, twice: once for the way back
    mult-adds   every weight once, an embedding's too; a convolution's once for each window

So a layer that is applied to every token is counted as if there were one, and what attention multiplies between its
layers is not there: for those, the mult-adds of the summary itself are the true ones.
"""

from dataclasses import dataclass

NUMBER = 4  # bytes
MEGABYTE = 1024**2


@dataclass(frozen=True)
class SlideTotals:
    """Mult-adds, and numbers that have to be kept."""

    mult_adds: int
    input: int
    forward: int  # and backward
    parameters: int

    @property
    def total(self) -> int:
        """All numbers."""
        return self.input + self.forward + self.parameters

    def lines(self) -> list[tuple[str, str]]:
        """Each with its name, to two decimals."""
        unit, name = (1e9, "G") if self.mult_adds >= 1e9 else (1e6, "M")
        return [
            ("mult-adds", f"{self.mult_adds / unit:,.2f} {name}"),
            ("input size", in_megabytes(self.input)),
            ("forward/backward pass size", in_megabytes(self.forward)),
            ("params size", in_megabytes(self.parameters)),
            ("estimated total size", in_megabytes(self.total)),
        ]

    def to_dict(self) -> dict[str, float]:
        """Plain data; sizes in such megabytes."""
        sizes = {"input": self.input, "forward": self.forward, "parameters": self.parameters, "total": self.total}
        return {"mult_adds": self.mult_adds} | {f"{name}_mb": each * NUMBER / MEGABYTE for name, each in sizes.items()}

    def __str__(self) -> str:
        lines = self.lines()
        name_wide, value_wide = (max(len(line[i]) for line in lines) for i in (0, 1))
        return "\n".join(f"{name:<{name_wide}}  {value:>{value_wide}}" for name, value in lines)


def in_megabytes(numbers: int) -> str:
    """So many numbers."""
    return f"{numbers * NUMBER / MEGABYTE:,.2f} MB"
