"""Files and folders that are written whole or not at all, and read only if no byte has changed. It knows no runs.

Whatever is written stands beside its place first, under a hidden name, is brought to the disk, and then renamed:

    .NAME.part   being written; a killed writer leaves it behind, the next one removes it
    .NAME.new    whole, and about to take the place of NAME
    .NAME.old    what NAME was until now

So NAME is missing only while .NAME.new is whole, and a reader then takes that one. A folder has a `manifest.json` with
the size and the SHA-256 of each of its files.
"""

import errno
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from glassformer.errors import GlassformerError

MANIFEST = "manifest.json"
LARGEST_MANIFEST = 1_000_000  # bytes
HALF = re.compile("[\ud800-\udfff]")  # half a character: of a pair that stands for one, or a byte that cannot be read
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")  # a manifest cannot lead out of its folder
_LEFT_BEHIND = re.compile(r"\.(.+)\.(part|new|old)")


class DamagedError(GlassformerError):
    """A file is not what was written: the message names it, says what is wrong and what to do."""


class DiskFullError(GlassformerError):
    """There is no room; what was there before is untouched."""

    exit_code = 3


# --- writing ----------------------------------------------------------------------------------------------------


def write_file(path: str | Path, content: bytes) -> None:
    """Puts a file in place, or leaves what was there as it was."""
    path = Path(path)
    part = _beside(path, "part")
    with writing(path, len(content)):
        _check_replaceable(path)
        _make_folder(path.parent)
        try:
            _put(part, content)
            os.replace(part, path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)


def _check_replaceable(path: Path) -> None:
    """A device or a pipe would be gone once a file had taken its place: that is no place to write to."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise GlassformerError(f"{path} cannot be written: it is no file, and would be replaced by one; name another.")


def append_file(path: str | Path, content: bytes) -> None:
    """Adds to the end of a file: all of it or nothing, unless the writer is killed in between."""
    with writing(Path(path), len(content)), open(path, "ab", buffering=0) as file:
        end = file.tell()
        try:
            if file.write(content) < len(content):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except BaseException:
            os.truncate(path, end)
            raise


def sync_file(path: str | Path) -> None:
    """Brings to the disk what was added to a file, if it is there: a power cut loses it no more."""
    path = Path(path)
    if path.exists():
        with writing(path, 0), open(path, "r+b") as file:
            os.fsync(file.fileno())
            _sync_folder(path.parent)


def write_folder(folder: str | Path, files: Mapping[str, bytes]) -> None:
    """Puts a folder of files in place of the one that was there, or leaves that one as it was."""
    folder = Path(folder)
    part = _beside(folder, "part")
    listed = {name: {"sha256": _sha256(content), "bytes": len(content)} for name, content in files.items()}
    whole = {**files, MANIFEST: _manifest_bytes(listed)}
    with writing(folder, sum(len(content) for content in whole.values())):
        _finish(folder)
        try:
            _make_folder(part.parent)
            part.mkdir()
            for name, content in whole.items():
                _put(part / name, content)
            _sync_folder(part)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
        if not folder.exists():
            part.rename(folder)
        else:
            part.rename(_beside(folder, "new"))
            _sync_folder(folder.parent)
            _finish(folder)
        _sync_folder(folder.parent)


def tidy(folder: str | Path) -> None:
    """Finishes what a killed writer had begun within a folder, or removes it if it was not whole yet."""
    folder = Path(folder)
    if folder.is_dir():
        for left in [match for path in folder.iterdir() if (match := _LEFT_BEHIND.fullmatch(path.name))]:
            _finish(folder / left[1])


def _finish(path: Path) -> None:
    """Brings what is whole to its place, and clears away the rest."""
    part, new, old = (_beside(path, state) for state in ("part", "new", "old"))
    if new.exists():
        if path.exists():
            _remove(old)
            path.rename(old)
        new.rename(path)
        _sync_folder(path.parent)
    _remove(old)
    _remove(part)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _beside(path: Path, state: str) -> Path:
    return path.with_name(f".{path.name}.{state}")


def _put(path: Path, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _make_folder(folder: Path) -> None:
    """A folder and those above it, whose names are brought to the disk where they are new."""
    new = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for each in reversed(new):
        _sync_folder(each.parent)


def _sync_folder(folder: Path) -> None:
    """Brings the names in a folder to the disk, where the system can do that."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def writing(path: Path, needed: int) -> Iterator[None]:
    """Whatever is written meanwhile: where there is no room for it, or no way, that is told in a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise GlassformerError(f"{path} cannot be written: {error.strerror}.") from error
        there = next(each for each in path.absolute().parents if each.exists())
        room = (
            f"{path} would be one file more than its file system can name"
            if _is_out_of_names(there)
            else f"{path} needs {needed:,} bytes, and {shutil.disk_usage(there).free:,} are free"
        )
        raise DiskFullError(
            f"The disk is full: {room}. What was there before is untouched; make room and try again."
        ) from error


def _is_out_of_names(place: Path) -> bool:
    """Whether there may be bytes free, and yet no file can be added: some file systems count them."""
    if not hasattr(os, "statvfs"):
        return False
    found = os.statvfs(place)
    return found.f_files > 0 and found.f_favail == 0


# --- reading ----------------------------------------------------------------------------------------------------


def read_folder(folder: str | Path) -> dict[str, bytes]:
    """The files of a folder, each compared with the manifest."""
    folder = Path(folder)
    before = _identity(folder)
    try:
        place = standing(folder)
        return {name: _checked(place / name, facts) for name, facts in _manifest(place).items()}
    except DamagedError:
        if _identity(folder) == before:
            raise
        return read_folder(folder)  # it was replaced by another process while being read


def standing(path: Path) -> Path:
    """Where a file or folder stands, which is beside its place if it was about to be brought there."""
    new = _beside(path, "new")
    return new if new.exists() and not path.exists() else path


def parse_json(content: bytes, path: Path) -> dict[str, Any]:
    """The object that a JSON file of ours holds."""
    try:
        found = json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise _damaged(path, f"it is not JSON ({' '.join(str(error).split())})") from error
    if not isinstance(found, dict):
        raise _damaged(path, "it does not hold an object")
    if b"\\u" in content and HALF.search(json.dumps(found, ensure_ascii=False)):
        raise _damaged(path, "it holds half a character, which was never written")
    return found


@contextmanager
def figures(path: Path) -> Iterator[None]:
    """While something is worked out of a file's figures: where one is missing, or of another kind than was written,
    that is said of the file."""
    try:
        yield
    except GlassformerError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(path, f"a figure in it is missing or was changed ({type(error).__name__}: {error})") from error


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        facts = folder.stat()
    except OSError:
        return None
    return facts.st_ino, facts.st_ctime_ns


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    content = _read(path, LARGEST_MANIFEST)
    listed = parse_json(content, path).get("files")
    if not isinstance(listed, dict) or content != _manifest_bytes(listed):
        raise _damaged(path, "it is not the list of files that was written")
    for name in listed:
        if not _PLAIN_NAME.fullmatch(name):
            raise _damaged(path, f"it names {name[:100]!r}, which is no file of this folder")
    return listed


def _manifest_bytes(listed: Mapping[str, Any]) -> bytes:
    return (json.dumps({"files": listed}, indent=2, sort_keys=True) + "\n").encode()


def _checked(path: Path, facts: Any) -> bytes:
    size = facts.get("bytes") if isinstance(facts, dict) else None
    if type(size) is not int:
        raise _damaged(path.with_name(MANIFEST), f"it does not say how many bytes {path.name} has")
    content = _read(path, size)
    if len(content) != size:
        raise _damaged(path, f"it has {len(content):,} bytes in place of {size:,}")
    if _sha256(content) != facts.get("sha256"):
        raise _damaged(path, "its bytes are not the ones that were written (SHA-256 differs)")
    return content


def _read(path: Path, most: int) -> bytes:
    """A file's bytes; of one that is longer than it should be, a single byte more."""
    try:
        if path.exists() and not path.is_file():
            raise _damaged(path, "it is no file")
        with open(path, "rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise _damaged(path, f"it cannot be read: {error.strerror}") from error
    if len(content) > most:
        raise _damaged(path, f"it has {path.stat().st_size:,} bytes, and at most {most:,} were written")
    return content


def _damaged(path: Path, what: str) -> DamagedError:
    return DamagedError(f"{path} is damaged: {what}. Take it from a copy, or make it again.")


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
