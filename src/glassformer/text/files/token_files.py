"""Token files: text of any size, cut into ids by several processes and kept on the disk. Knows no model, no batches.

A folder holds the ids (tokens-00000.bin, …: one after another, two or four bytes each, lowest byte first), the
tokenizer, a short text to validate on, and a manifest, which is written last. What was done when somebody stopped it is
not done again. Ids are read where they stand, so that memory does not grow with the text.
"""

import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any

import numpy as np

from glassformer.errors import GlassformerError, InputError, counted
from glassformer.lock import held
from glassformer.storage import DamagedError, parse_json, write_file
from glassformer.text.token_kinds import END
from glassformer.text.tokens import Ids, Tokens

FORMAT = 1
PIECE = 16_000_000  # bytes of text that one process cuts at a time
CHUNK = 50_000  # bytes that are cut in one go: the library keeps far more about a text than its ids
SAMPLES, SAMPLE = 40, 400_000  # the vocabulary comes from so many places of the text, so many bytes at each
VALID_SHARE, VALID_MOST = 0.1, 500_000  # of the bytes, at the end, are for validation
LINE = 1_000_000  # bytes in which a line should end


@dataclass(frozen=True)
class ByteRange:
    """Some bytes of a file, and whether a document ends with them."""

    file: str
    begin: int
    end: int
    ends: bool


@dataclass(frozen=True)
class CutPlan:
    """What is to be cut, and how: whoever resumes must find the same."""

    identity: str  # of the tokens
    dtype: str
    pieces: tuple[ByteRange, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return json.loads(json.dumps(asdict(self)))  # type: ignore[no-any-return]


Told = Callable[[int, int], None]  # bytes that are done, and of how many


# --- reading ----------------------------------------------------------------------------------------------------


def holds_tokens(path: Path) -> bool:
    """Whether there is a finished folder of token files."""
    return (path / "manifest.json").is_file() and (path / "tokens-00000.bin").is_file()


class TokenFolder:
    """Ids on the disk, as one long stream."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not holds_tokens(self.path):
            raise InputError(
                f"{self.path} holds no finished token files; make them with glassformer tokenize TEXT --out {self.path}"
            )
        place = self.path / "manifest.json"
        self.facts = parse_json(place.read_bytes(), place)
        if self.facts.get("format") != FORMAT:
            raise InputError(f"{place} has the format {self.facts.get('format')!r}; this version reads {FORMAT}.")
        try:
            self._dtype = np.dtype({"uint16": "<u2", "uint32": "<u4"}[self.facts["dtype"]])
            self._ends = np.cumsum([int(count) for count in self.facts["tokens"]])
            self.bytes = int(self.facts["bytes"])
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedError(f"{place} is damaged: {error}. Make the token files anew.") from error
        self._check_sizes()

    def _check_sizes(self) -> None:
        for number, count in enumerate(self.facts["tokens"]):
            file = _file(self.path, number)
            size = file.stat().st_size if file.is_file() else -1
            if size != count * self._dtype.itemsize:
                raise DamagedError(
                    f"{file} is damaged: it should have {count:,} tokens. Remove {self.path} and make it anew."
                )

    def __len__(self) -> int:
        return int(self._ends[-1])

    @cached_property
    def tokens(self) -> Tokens:
        """What the text was cut with."""
        return Tokens.load(self.path / "tokenizer.json")

    @property
    def valid(self) -> str:
        """The text to validate on."""
        return (self.path / "valid.txt").read_text(encoding="utf-8")

    def at(self, begins: Ids, length: int) -> Ids:
        """So many ids from each of these places on, one row for each."""
        rows = np.stack([self._read(int(begin), length) for begin in begins]).astype(np.int64)
        if rows.max(initial=0) >= self.facts["vocabulary"]:
            raise DamagedError(f"{self.path} is damaged: it has tokens that are in no vocabulary. Make it anew.")
        return rows

    def _read(self, begin: int, length: int) -> np.ndarray[Any, Any]:
        number = int(np.searchsorted(self._ends, begin, side="right"))
        parts: list[np.ndarray[Any, Any]] = []
        while length > 0:
            before = int(self._ends[number - 1]) if number else 0
            here = min(length, int(self._ends[number]) - begin)
            offset = (begin - before) * self._dtype.itemsize
            parts.append(np.fromfile(_file(self.path, number), dtype=self._dtype, count=here, offset=offset))
            begin, length, number = begin + here, length - here, number + 1
        return np.concatenate(parts)


def _file(folder: Path, number: int) -> Path:
    return folder / f"tokens-{number:05d}.bin"


# --- writing ----------------------------------------------------------------------------------------------------


def text_files_in(source: Path) -> list[Path]:
    """The plain text files of a place, in the order of their names; none where it holds something else."""
    if source.is_file():
        return [source] if source.suffix == ".txt" else []
    if not source.is_dir() or holds_tokens(source):
        return []
    files = sorted(path for path in source.rglob("*") if path.is_file() and not path.name.startswith("."))
    return files if files and all(path.suffix == ".txt" for path in files) else []


def write_tokens(
    files: Sequence[Path], out: Path, make: Callable[[Sequence[str]], Tokens], *, processes: int = 1,
    told: Told = lambda done, whole: None,
) -> TokenFolder:  # fmt: skip
    """Cuts text files into ids with so many processes. `make` gives the tokens from some of the text; those that an
    earlier attempt made are used again."""
    if holds_tokens(out):
        raise InputError(f"{out} holds token files already; use them, or choose another --out.")
    if not files:
        raise InputError("There is no .txt file there to cut into tokens.")
    with held(out, "cut into tokens"):
        _write(files, out, make, processes, told)
    return TokenFolder(out)


def _write(
    files: Sequence[Path], out: Path, make: Callable[[Sequence[str]], Tokens], processes: int, told: Told
) -> None:
    """What is not there yet; the manifest last."""
    pieces, valid = _pieces(files)
    tokenizer = out / "tokenizer.json"
    if tokenizer.exists():
        tokens = Tokens.load(tokenizer)
    else:
        tokens = make(list(_samples(pieces)))
        write_file(tokenizer, tokens.to_bytes())
    layout = CutPlan(tokens.identity, "uint16" if len(tokens) <= 2**16 else "uint32", tuple(pieces))
    _check_resumed(out / "layout.json", layout)
    broken = _cut_all(out, layout, processes, told)
    write_file(out / "valid.txt", _decoded(valid)[0].encode())
    sizes = [_file(out, number).stat().st_size for number in range(len(pieces))]
    facts = {
        "format": FORMAT, "dtype": layout.dtype, "vocabulary": len(tokens), "identity": tokens.identity,
        "bytes": sum(piece.end - piece.begin for piece in pieces), "files": len(files), "broken": broken,
        "tokens": [size // np.dtype(layout.dtype).itemsize for size in sizes],
    }  # fmt: skip
    write_file(out / "manifest.json", (json.dumps(facts) + "\n").encode())
    for left in (*out.glob("piece-*.json"), out / "layout.json"):
        left.unlink()


def _check_resumed(path: Path, layout: CutPlan) -> None:
    if not path.exists():
        write_file(path, json.dumps(layout.to_dict()).encode())
    elif parse_json(path.read_bytes(), path) != layout.to_dict():
        raise InputError(
            f"{path.parent} was begun with other text, or with other tokens; remove it, or choose another --out."
        )


def _cut_all(out: Path, layout: CutPlan, processes: int, told: Told) -> int:
    """Cuts what is not cut yet; gives how many places of the text were no UTF-8."""
    pieces, whole = layout.pieces, sum(piece.end - piece.begin for piece in layout.pieces)
    waiting = [number for number in range(len(pieces)) if not _facts(out, number).exists()]
    done = whole - sum(pieces[number].end - pieces[number].begin for number in waiting)
    several = pieces[0].file != pieces[-1].file
    jobs = [_Job(out, number, pieces[number], layout.dtype, several and pieces[number].ends) for number in waiting]
    for number in _numbers_cut(jobs, processes):
        done += pieces[number].end - pieces[number].begin
        told(done, whole)
    return sum(parse_json(_facts(out, number).read_bytes(), out)["broken"] for number in range(len(pieces)))


def _numbers_cut(jobs: Sequence["_Job"], processes: int) -> Iterator[int]:
    """Cuts, and tells which is cut, one by one."""
    if processes < 2 or len(jobs) < 2:
        yield from map(_cut, jobs)
        return
    try:
        with ProcessPoolExecutor(min(processes, len(jobs)), get_context("spawn"), _as_a_helper) as pool:
            yield from pool.map(_cut, jobs)
    except BrokenProcessPool as error:
        raise GlassformerError(
            "A process that cuts the text into tokens ended, and not by us: somebody killed it, or the system when "
            "memory ran out, or it could not begin. What is cut is kept: the same command goes on from there; "
            "--processes 1 cuts in this process."
        ) from error


def _facts(folder: Path, number: int) -> Path:
    return folder / f"piece-{number:05d}.json"


@dataclass(frozen=True)
class _Job:
    """One piece, for a process that cuts."""

    out: Path
    number: int
    piece: ByteRange
    dtype: str
    marked: bool  # with the mark that ends a document


def _as_a_helper() -> None:
    """One thread, for there are as many processes as were asked for; and an end as soon as who asked has died."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    threading.Thread(target=_end_with, args=(parent_process(),), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


@lru_cache(maxsize=1)  # once in each process
def _loaded(path: Path, changed: int) -> Tokens:
    return Tokens.load(path)


def _cut(job: _Job) -> int:
    """Cuts a piece; its facts are written when it is whole."""
    tokenizer = job.out / "tokenizer.json"
    tokens = _loaded(tokenizer, tokenizer.stat().st_mtime_ns)
    text, broken = _decoded(job.piece)
    rows = [row.astype(job.dtype) for chunk in _chunks(text) for row in tokens.encode_many([chunk])]
    if job.marked:
        rows.append(np.array([END], dtype=job.dtype))
    write_file(_file(job.out, job.number), np.concatenate(rows).tobytes())
    write_file(_facts(job.out, job.number), json.dumps({"broken": broken}).encode())
    return job.number


def _chunks(text: str) -> Iterator[str]:
    begin = 0
    while begin < len(text):
        end = text.find("\n", begin + CHUNK) + 1 or len(text)
        yield text[begin:end]
        begin = end


# --- where pieces begin -----------------------------------------------------------------------------------------


def _pieces(files: Sequence[Path]) -> tuple[list[ByteRange], ByteRange]:
    """The files in pieces, and the end of the last one, which is kept for validation."""
    sizes = [(file, file.stat().st_size) for file in files]
    sizes = [(file, size) for file, size in sizes if size]
    total = sum(size for _, size in sizes)
    if total < 100:
        raise InputError(f"{counted(total, 'byte')} of text are too few to cut into token files.")
    last, last_size = sizes[-1]
    held = _line_after(last, last_size - int(min(VALID_SHARE * total, VALID_MOST, 0.5 * last_size)), last_size)
    pieces: list[ByteRange] = []
    for file, size in sizes:
        stop = held if file == last else size
        begin = 0
        while begin < stop:
            end = _line_after(file, begin + PIECE, stop)
            pieces.append(ByteRange(str(file), begin, end, end == stop))
            begin = end
    return pieces, ByteRange(str(last), held, last_size, True)


def _line_after(file: Path, place: int, stop: int) -> int:
    """Where the next line begins; where no line ends for long, the next character."""
    if place >= stop:
        return stop
    with file.open("rb") as opened:
        opened.seek(place)
        some = opened.read(LINE)
    if (found := some.find(b"\n")) >= 0:
        return min(stop, place + found + 1)
    inside = next(i for i, byte in enumerate(some) if byte & 0xC0 != 0x80 or i > 3)
    return min(stop, place + inside)


def _decoded(piece: ByteRange) -> tuple[str, int]:
    with Path(piece.file).open("rb") as file:
        file.seek(piece.begin)
        found = file.read(piece.end - piece.begin)
    text = found.decode("utf-8", errors="replace")
    broken = text.count("\N{REPLACEMENT CHARACTER}") - found.count("\N{REPLACEMENT CHARACTER}".encode())
    return text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}").replace("\r\n", "\n").replace("\r", "\n"), broken


def _samples(pieces: Sequence[ByteRange]) -> Iterator[str]:
    """Text from places that are spread over the whole."""
    chosen = np.unique(np.linspace(0, len(pieces) - 1, SAMPLES).astype(int))
    share = SAMPLES * SAMPLE // len(chosen)
    for number in chosen:
        piece = pieces[number]
        end = _line_after(Path(piece.file), min(piece.begin + share, piece.end), piece.end)
        yield _decoded(ByteRange(piece.file, piece.begin, end, False))[0]
