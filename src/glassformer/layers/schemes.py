"""The names of all position schemes, with what each does and the weights it has, as plain facts that need no torch.

Help, checks and tables of sizes read them here. What a name stands for is worked in positions.py; a test holds the two
to the same names.
"""

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class SchemeFacts:
    """What a scheme does.

    on_scores   whether it adds a bias to the scores; each stack of blocks then has its own
    weights     how many weights it has (a bias: in each stack), as a product in the letters of sizes.py
    """

    sentence: str
    on_scores: bool = False
    weights: str = ""


POSITIONS: MappingProxyType[str, SchemeFacts] = MappingProxyType(
    {
        "sinusoidal": SchemeFacts("adds waves to the row at position t: sin and cos of t / 10000^(2r/D)"),
        "learned": SchemeFacts("adds a learned row to the one at position t", weights="T·D"),
        "rotary": SchemeFacts("turns pair r of the queries and keys at position t by the angle t / 10000^(2r/K)"),
        "alibi": SchemeFacts(
            "adds −m·|i−j| to the score of query i and key j, with the slope m = 2^(−8h/H) in head h", on_scores=True
        ),
        "t5": SchemeFacts(
            "adds a learned number to the score of query i and key j, by head and bucket of i−j",
            on_scores=True,
            weights="32·H",
        ),
        "none": SchemeFacts("says nothing of who stands where"),
    }
)
