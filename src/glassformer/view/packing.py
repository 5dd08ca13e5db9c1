"""Many numbers as one short text: bytes of equal weight side by side, deflated, in base64. Every bit is kept.

Neighbouring numbers share sign and exponent, so their first bytes repeat; side by side they pack well. A page undoes
it with what every browser has. It knows nothing of what the numbers mean.
"""

import base64
import zlib
from dataclasses import dataclass, field

import numpy as np

from glassformer.arithmetic import Array

WIDTHS = {"f8": 8, "f4": 4, "u1": 1}


def kind_of(values: Array) -> str:
    """How an array is kept: truth values in a byte, float64 and large whole numbers in eight, all else in four."""
    if values.dtype.kind == "b":
        return "u1"
    wide = values.dtype.itemsize > 4 and (values.dtype.kind == "f" or bool((np.abs(values) >= 2**24).any()))
    return "f8" if wide else "f4"


def as_bytes(values: Array) -> bytes:
    """The numbers one after the other, smallest byte first."""
    return np.ascontiguousarray(values).astype(f"<{kind_of(values)}").tobytes()


def encoded(values: Array) -> dict[str, str]:
    """One array by itself: `{kind, base64}`."""
    return {"kind": kind_of(values), "base64": base64.b64encode(as_bytes(values)).decode()}


@dataclass
class Parcel:
    """Takes arrays one by one, and remembers where each lies."""

    parts: dict[str, list[bytes]] = field(default_factory=lambda: {kind: [] for kind in WIDTHS})
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WIDTHS, 0))

    def add(self, values: Array) -> dict[str, int | str]:
        """Puts an array in; the answer says where: `{kind, at, count}`, counted in numbers of its kind."""
        kind = kind_of(values)
        place = {"kind": kind, "at": self.counts[kind], "count": int(values.size)}
        self.parts[kind].append(as_bytes(values))
        self.counts[kind] += int(values.size)
        return place

    def closed(self) -> dict[str, object]:
        """`{counts, base64}`: all of it, packed."""
        shuffled = b"".join(_shuffled(b"".join(self.parts[kind]), width) for kind, width in WIDTHS.items())
        squeezed = zlib.compress(shuffled, 9)
        return {"counts": dict(self.counts), "base64": base64.b64encode(squeezed).decode()}


def _shuffled(content: bytes, width: int) -> bytes:
    return np.frombuffer(content, dtype=np.uint8).reshape(-1, width).T.tobytes() if content else b""


def rounded(values: Array, bits: int = 20) -> Array:
    """float32 with so many binary digits after the first: within 2^-21 of the number, and a quarter shorter."""
    if values.dtype != np.float32:
        return values
    whole = np.ascontiguousarray(values).view(np.uint32)
    dropped = 23 - bits
    up = (whole.astype(np.uint64) + (1 << (dropped - 1))) >> dropped << dropped
    finite = np.isfinite(values)
    return np.where(finite, up.astype(np.uint32), whole).view(np.float32)
