"""Models of SentencePiece, read and written: one message of protocol buffers each, by hand. Which tokenizer is made of
them, it does not know.
"""

import math
import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from glassformer.errors import InputError
from glassformer.text.tokens import MOST_TOKENS


class KindedPiece(NamedTuple):
    """A piece, how likely it is, and what it is for."""

    text: str
    score: float
    kind: int


class Sentences(NamedTuple):
    """What a model of SentencePiece holds: its pieces, whether they are merged, its table of characters, and whether
    several spaces are one."""

    pieces: list[KindedPiece]
    merged: bool
    table: bytes
    tidy: bool

    @property
    def in_bytes(self) -> bool:
        """Whether what is unknown is cut into bytes."""
        return any(piece.kind == BYTE for piece in self.pieces)


NORMAL, UNKNOWN, CONTROL, OWN, BYTE = 1, 2, 3, 4, 6
_SCORED, _MERGED = 1, 2


def sentences(data: bytes, *, own: bool = False) -> Sentences:
    """A file of SentencePiece, which is one message of protocol buffers; `own`, whether it may have pieces of its
    user's own. They are always cut out, as is any piece whose score, 0, is above all others."""
    pieces, merged, table, tidy = [], False, b"", True
    for field, value in _fields(data):
        if field == 1:
            pieces.append(_piece(_bytes(value)))
        elif field == 2:
            said = {name: each for name, each in _fields(_bytes(value)) if name in (3, 24)}
            if said.get(3, _SCORED) not in (_SCORED, _MERGED) or said.get(24, 0):
                raise InputError("This model of SentencePiece is none of pieces with scores, nor of merged ones.")
            merged = said.get(3, _SCORED) == _MERGED
        elif field == 3:
            said = dict(_fields(_bytes(value)))
            table, tidy = _bytes(said.get(2, b"")), said.get(4, 1) == 1
            if said.get(3, 1) != 1 or said.get(5, 1) != 1:
                raise InputError("This model of SentencePiece treats spaces in a way that is not known here.")
    if not 0 < len(pieces) <= MOST_TOKENS:
        raise InputError(
            f"A model of SentencePiece has from 1 to {MOST_TOKENS:,} pieces; this one has {len(pieces):,}."
        )
    kinds = (NORMAL, UNKNOWN, CONTROL, BYTE, *([OWN] if own else []))
    strange = [piece.text for piece in pieces if piece.kind not in kinds or (piece.kind == OWN and piece.score != 0)]
    if strange:
        raise InputError(f"This model of SentencePiece has pieces of its user's own, such as {strange[0]!r:.50}.")
    return Sentences(pieces, merged, table, tidy)


def _piece(data: bytes) -> KindedPiece:
    said = dict(_fields(data))
    (score,) = struct.unpack("<f", _bytes(said.get(2, b"\0\0\0\0")).rjust(4, b"\0")[:4])
    kind = said.get(3, NORMAL)
    if not isinstance(kind, int):
        raise InputError("This is no model of SentencePiece: a text stands where a number should.")
    if not math.isfinite(score):
        raise InputError(f"A piece of SentencePiece has the score {score}.")
    return KindedPiece(_text(_bytes(said.get(1, b""))), score, kind)


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise InputError("This is no model of SentencePiece: a number stands where a text should.")
    return value


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message: numbers as they are, all else as bytes."""
    place = 0
    while place < len(data):
        key, place = _number(data, place)
        field, wire = key >> 3, key & 7
        if wire == 0:
            value, place = _number(data, place)
            yield field, value
            continue
        length = {1: 8, 5: 4}.get(wire)
        if wire == 2:
            length, place = _number(data, place)
        if length is None or place + length > len(data):
            raise InputError("This is no model of SentencePiece: it is cut off, or has a field of an unknown kind.")
        yield field, data[place : place + length]
        place += length


def _number(data: bytes, place: int) -> tuple[int, int]:
    found = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            break
        byte = data[place]
        place += 1
        found |= (byte & 127) << shift
        if byte < 128:
            return found, place
    raise InputError("This is no model of SentencePiece: a number in it has no end.")


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"A piece of SentencePiece is no text in UTF-8: {error}") from error


# --- written ----------------------------------------------------------------------------------------------------


def sentence_model(scored: Sequence[tuple[str, float]], table: bytes) -> bytes:
    """A file of SentencePiece that cuts texts into these pieces by their scores, after its table of characters, and
    takes several spaces for one: a Marian's kind. What is unknown, and the two ends, are added."""
    names = {piece for piece, _ in scored}
    if "<unk>" in names:
        raise InputError("A piece called <unk> cannot be told from what is unknown, in a file of SentencePiece.")
    ends = [KindedPiece(name, 0.0, CONTROL) for name in ("<s>", "</s>") if name not in names]
    whole = [KindedPiece("<unk>", 0.0, UNKNOWN), *ends, *(KindedPiece(piece, score, NORMAL) for piece, score in scored)]
    trained = _field(3, _SCORED) + _field(4, len(whole))
    written = _field(1, b"nmt_nfkc") + _field(2, table) if table else b""
    said = b"".join(
        _field(1, _field(1, piece.encode()) + _score(score) + _field(3, kind)) for piece, score, kind in whole
    )
    return said + _field(2, trained) + _field(3, written + _field(3, 1) + _field(4, 1) + _field(5, 1))


def _score(score: float) -> bytes:
    return bytes([2 << 3 | 5]) + struct.pack("<f", score)


def _field(name: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _varying(name << 3) + _varying(value)
    return _varying(name << 3 | 2) + _varying(len(value)) + value


def _varying(value: int) -> bytes:
    """A number, seven bits to a byte."""
    found = b""
    while value > 127:
        found, value = found + bytes([value & 127 | 128]), value >> 7
    return found + bytes([value])
