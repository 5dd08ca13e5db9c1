"""Many numbers as one short text: bytes of equal weight side by side, deflated, written in 85 signs.

Neighbouring numbers share sign and exponent, so their first bytes repeat; side by side they pack well. Every bit is
kept, unless rounding was asked for: then large arrays are kept to the nearest 2^-20, about six decimals. A page undoes
it with what every browser has. It knows nothing of what the numbers mean.
"""

import base64
import zlib
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from glassformer.stages.arithmetic import Array

# Bytes per number: float64, float32, whole multiples of 2^-20, truth values.
WIDTHS = MappingProxyType({"f8": 8, "f4": 4, "q4": 4, "u1": 1})
STEP = 2.0**-20
_LARGEST = 1024.0  # up to this size a multiple of the step fits
_MANY = 1024  # numbers from which on rounding is worth it
_NEVER = -(2**31)  # stands for −∞ among the multiples
# 85 signs that neither JSON nor HTML needs to escape.
SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%()*+-;=>?@^_`{|}~,."


def kind_of(values: Array, rounded: bool = False) -> str:
    """How an array is kept."""
    if values.dtype.kind == "b":
        return "u1"
    if values.dtype.kind == "f" and rounded and values.size > _MANY and _fits(values):
        return "q4"
    wide = values.dtype.itemsize > 4 and (values.dtype.kind == "f" or bool((np.abs(values) >= 2**24).any()))
    return "f8" if wide else "f4"


def _fits(values: Array) -> bool:
    numbers = values.astype(np.float64)
    return bool(((np.abs(numbers) < _LARGEST) | (numbers == -np.inf)).all())


def as_bytes(values: Array, kind: str) -> bytes:
    """The numbers one after the other, smallest byte first."""
    if kind == "q4":
        numbers = values.astype(np.float64)
        never = numbers == -np.inf
        whole = np.where(never, _NEVER, np.round(np.where(never, 0.0, numbers) / STEP))
        return whole.astype("<i4").tobytes()
    return np.ascontiguousarray(values).astype(f"<{kind}").tobytes()


def encoded_array(values: Array) -> dict[str, str]:
    """One array by itself, every bit of it: `{kind, base64}`."""
    kind = kind_of(values)
    return {"kind": kind, "base64": base64.b64encode(as_bytes(values, kind)).decode()}


@dataclass
class Parcel:
    """Takes arrays one by one, and remembers where each lies."""

    rounded: bool = False
    parts: dict[str, list[bytes]] = field(default_factory=lambda: {kind: [] for kind in WIDTHS})
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WIDTHS, 0))

    def add(self, values: Array) -> dict[str, int | str]:
        """Puts an array in; the answer says where: `{kind, at, count}`, counted in numbers of its kind."""
        kind = kind_of(values, self.rounded)
        place: dict[str, int | str] = {"kind": kind, "at": self.counts[kind], "count": int(values.size)}
        self.parts[kind].append(as_bytes(values, kind))
        self.counts[kind] += int(values.size)
        return place

    def closed(self) -> dict[str, object]:
        """`{counts, length, text}`: all of it, packed; `length` is that of the deflated bytes."""
        shuffled = b"".join(_shuffled(b"".join(self.parts[kind]), width) for kind, width in WIDTHS.items())
        squeezed = zlib.compress(shuffled, 6)
        return {"counts": dict(self.counts), "length": len(squeezed), "text": in_85_signs(squeezed)}


def _shuffled(content: bytes, width: int) -> bytes:
    return np.frombuffer(content, dtype=np.uint8).reshape(-1, width).T.tobytes() if content else b""


def in_85_signs(content: bytes) -> str:
    """Four bytes as five signs, the largest first; filled up with zeros."""
    words = np.frombuffer(content + b"\0" * (-len(content) % 4), dtype=">u4").astype(np.int64)
    digits = np.stack([words // 85**place % 85 for place in (4, 3, 2, 1, 0)], axis=1)
    return np.frombuffer(SIGNS.encode(), dtype=np.uint8)[digits].tobytes().decode()
