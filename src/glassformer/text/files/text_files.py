"""Text files: bytes, packed or not, to text in a known encoding. Knows no rows, no columns, no samples."""

import gzip
import io
import lzma
import re
import stat
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

from glassformer.errors import InputError, counted

STDIN = Path("-")
LARGEST = 2 * 1024**3  # bytes, unpacked: all of a file is held in memory
MOST_GROWTH = 100  # times the packed bytes; text grows to 3 to 10 times of them, repeated rows to 50
HARMLESS = 50_000_000  # bytes, unpacked, which no growth makes suspicious
MOST_ZEROS = 0.01  # the share of zero bytes that text may have; rows that hold one are skipped later
# How files that are no text begin.
NO_TEXT = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive (or an Excel or Word file: save it as CSV)"),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word file (save it as CSV)"),
    (b"SQLite format 3", "a database"),
    (b"PAR1", "a Parquet file (its name must end in .parquet)"),
)
BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
# In the languages of western Europe at most one letter in six has a mark; elsewhere nearly every letter is above ASCII.
MOST_MARKED = 0.3
FEWEST_MARKED = 20  # such bytes, below which a share says nothing
BROKEN = re.compile("[\udc80-\udcff]")  # what stands for a byte that could not be read


@dataclass(frozen=True)
class TextFile:
    """A file's text, the encoding it was in, and what a person should know about that."""

    name: str
    text: str
    encoding: str
    notes: tuple[str, ...] = ()


def read_bytes(path: Path) -> bytes:
    """All bytes of a file, unpacked if they are gzip or xz, whatever the file is called; `-` is standard input."""
    try:
        if path == STDIN:
            data = sys.stdin.buffer.read(LARGEST + 1)
        else:
            if not stat.S_ISREG(path.stat().st_mode):
                raise InputError(f"{path} is not a file. Use '-' to read standard input.")
            with path.open("rb") as file:
                data = file.read(LARGEST + 1)
        if data.startswith(b"\x1f\x8b"):
            with gzip.open(io.BytesIO(data)) as unpacked:
                data = _unpacked(path, data, unpacked)
        elif data.startswith(b"\xfd7zXZ\x00"):
            with lzma.open(io.BytesIO(data)) as unpacked:
                data = _unpacked(path, data, unpacked)
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise InputError(f"{path} cannot be unpacked: it is damaged or was cut short ({error}).") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    if len(data) > LARGEST:
        raise InputError(f"{path} is larger than {LARGEST:,} bytes unpacked; split it into several files.")
    return data


def _unpacked(path: Path, packed: bytes, file: io.BufferedIOBase) -> bytes:
    """What was packed, unless it grows as no text does: a few kilobytes that fill the memory."""
    most = min(LARGEST, max(MOST_GROWTH * len(packed), HARMLESS))
    data = file.read(most + 1)
    if most < len(data) <= LARGEST:
        raise InputError(
            f"{path} unpacks to more than {MOST_GROWTH} times its {len(packed):,} bytes, which no text does; unpack it "
            "yourself if it is sound."
        )
    return data


def read_text(path: Path, encoding: str | None = None) -> TextFile:
    """A file's text: in the named encoding, or in the one its bytes speak for."""
    return decoded(read_bytes(path), str(path), encoding)


def decoded(data: bytes, name: str, encoding: str | None = None) -> TextFile:
    """Bytes as text. UTF-8 and whatever carries a byte order mark is certain; anything else is noted as a guess."""
    for beginning, what in NO_TEXT:
        if data.startswith(beginning):
            raise InputError(f"{name} is {what}, not text.")
    if encoding is not None:
        return _as_told(data, name, encoding)
    for mark, marked in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _marked(data, name, marked)
    if wide := _wide_without_mark(data):
        note = f"{name}: read as {wide}, judged by its zero bytes; it has no byte order mark."
        return TextFile(name, data.decode(wide, "replace"), wide, (note,))
    if data.count(0) > MOST_ZEROS * len(data):
        raise InputError(f"{name} is not text: {data.count(0):,} of its {len(data):,} bytes are zero.")
    try:
        return TextFile(name, data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as error:
        return _guessed(data, name, error)


def lines(text: str) -> list[str]:
    """The lines of a text without their ends. Only CR, LF and CRLF end a line: U+2028 and the like stay in the text."""
    return [line.rstrip("\r\n") for line in io.StringIO(text, newline="")]


def _as_told(data: bytes, name: str, encoding: str) -> TextFile:
    try:
        return TextFile(name, data.decode(encoding).removeprefix("\ufeff"), encoding)
    except LookupError as error:
        raise InputError(f"There is no encoding called '{encoding}'; usual ones are utf-8, cp1252, utf-16.") from error
    except UnicodeError as error:
        raise InputError(f"{name} is not {encoding}: {error}.") from error


def _marked(data: bytes, name: str, encoding: str) -> TextFile:
    try:
        return TextFile(name, data.decode(encoding), encoding)
    except UnicodeDecodeError as error:
        if encoding == "utf-8-sig":
            return _guessed(data[3:], name, error)
        note = f"{name}: byte {error.start:,} is not {encoding}; what could not be read shows as �."
        return TextFile(name, data.decode(encoding, "replace"), encoding, (note,))


def _guessed(data: bytes, name: str, error: UnicodeDecodeError) -> TextFile:
    text = data.decode("utf-8", "surrogateescape")
    broken = len(BROKEN.findall(text))
    sound = sum(len(run) for run in re.findall("[^\x00-\x7f\udc80-\udcff]+", text))
    line = data.count(b"\n", 0, error.start) + 1
    if sound >= broken or len(data) - error.start < 4:  # UTF-8 with some damage, or cut within its last character
        note = f"{name}: {counted(broken, 'byte is', 'bytes are')} not UTF-8, the first in line {line}."
        return TextFile(name, text, "utf-8", (note,))
    if _is_not_western(data):
        raise InputError(
            f"{name} is not UTF-8 (line {line}), and too few of its letters are plain Latin ones for a guess. Save it "
            "as UTF-8, or train with --encoding and its name: gb18030 or big5 (Chinese), shift_jis (Japanese), euc_kr "
            "(Korean), cp1251 (Cyrillic), cp1256 (Arabic); cp1252 if it is western after all."
        )
    try:
        text, encoding = data.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        text, encoding = data.decode("latin-1"), "latin-1"
    doubt = "Letters look wrong? Save it as UTF-8, or train with --encoding."
    note = f"{name}: not UTF-8 (line {line}), read as {encoding}. {doubt}"
    return TextFile(name, text, encoding, (note,))


def _is_not_western(data: bytes) -> bool:
    """Whether bytes that are no UTF-8 are no cp1252 either: most of Chinese or Russian ones are above ASCII."""
    above = len(data.translate(None, bytes(range(128))))
    latin = len(re.findall(rb"[A-Za-z]", data))
    return above >= FEWEST_MARKED and above > MOST_MARKED * (above + latin)


def _wide_without_mark(data: bytes) -> str:
    """UTF-16 gives itself away: in mostly Latin text every second byte is zero."""
    head = data[:4096]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    most, least = max(even, odd), min(even, odd)
    if not head or most < 0.4 * len(head) / 2 or least > 0.05 * len(head) / 2:
        return ""
    return "utf-16-le" if odd > even else "utf-16-be"
