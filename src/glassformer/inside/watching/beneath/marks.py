"""What a tensor below torch's functions may be known as: a mark on it, what a kernel is handed, and a meeting.

It holds facts only; `bookkeeping.py` and `pairs.py` say how one becomes the other.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor


@dataclass(frozen=True)
class WeightMark:
    """Something that may come to weigh other numbers.

    kind      "weights"; before that "log", "power" (raw) or "bent"; "sum" of powers, "mixed" by powers ("times" where
              each column was by its own), and "spread" over values that are not yet added up; "under", one over a sum.
              `pairs.py` has kinds of its own
    pure      nothing was done to them since that could make of them an ordinary row of features
    strong    they are whole rows still, not some that were chosen
    across    they have been laid across others: turned, spread out, or made along another axis than the last. Else
              they may be no more than a gate, which weighs each column of a row by itself
    columns   they lie along the columns that a layer made of one row: shares of experts, or of classes
    usual     a power or a softmax; else any positive number, which is common in layers that weigh nothing
    spread    whose rows they were spread over
    axis      along which they add up, counted from the end, as long as nothing has moved them
    """

    number: int
    kind: str
    made_by: str
    lengths: frozenset[int] = frozenset()
    pure: bool = True
    strong: bool = True
    across: bool = False
    columns: bool = False
    usual: bool = True
    spread: Hashable = None
    axis: int | None = None


Marks = frozenset[WeightMark]
NONE: Marks = frozenset()
READ = WeightMark(-1, "read", "what is read")
HELD = WeightMark(-2, "held", "numbers that the model has kept, and that are none of its weights,")
BEFORE = WeightMark(-3, "before", "numbers that were there before")


class Carried(NamedTuple):
    """A tensor that enters a kernel.

    fixed    it depends on the model alone, or only says who is hidden; `learned` if on the model's weights
    source   what its rows were worked out from, where that is one tensor
    root     what all its rows were worked out from, wherever they stand now
    fan      in how many ways they were worked out from it and laid side by side: as many experts, each one's answer
    """

    tensor: Tensor
    marks: Marks = NONE
    fixed: bool = False
    source: Hashable = None
    fan: frozenset[int] = frozenset()
    learned: bool = False
    root: int | None = None


@dataclass(frozen=True)
class Meeting:
    """Weights met what they weigh.

    learned   that is a matrix of the model, as in any layer
    doubt     why it may be none, if so: no softmax was seen
    apart     they multiply other numbers place by place, and nothing is added up yet
    number    whose weights they are, or which sum is in doubt
    """

    made_by: str
    learned: bool = False
    doubt: str = ""
    apart: bool = False
    number: int = 0

    @property
    def certain(self) -> bool:
        """Whether it was an attention, beyond doubt."""
        return not (self.learned or self.doubt or self.apart)
