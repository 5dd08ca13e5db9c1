"""Written whole or not at all: killed at any moment, on a full disk, read while being replaced; every changed byte is
noticed."""

import errno
import json
import os
import random
import resource
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers.killing import run_script

from glassformer import storage
from glassformer.errors import GlassformerError
from glassformer.storage import DamagedError, DiskFullError, figures

FILES = {"a.json": b'{"one": 1}\n', "b.bin": bytes(range(256)) * 7, "empty": b""}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# --- writing and reading ----------------------------------------------------------------------------------------


def test_a_folder_is_read_as_it_was_written_and_written_again_to_the_same_bytes(tmp_path: Path) -> None:
    storage.write_folder(tmp_path / "x", FILES)
    first = {path.name: path.read_bytes() for path in (tmp_path / "x").iterdir()}
    assert storage.read_folder(tmp_path / "x") == FILES
    storage.write_folder(tmp_path / "x", FILES)
    assert {path.name: path.read_bytes() for path in (tmp_path / "x").iterdir()} == first
    storage.write_folder(tmp_path / "x", {"a.json": b"2"})
    assert storage.read_folder(tmp_path / "x") == {"a.json": b"2"}
    assert names(tmp_path) == ["x"]


@pytest.mark.parametrize(
    "write", [lambda path: storage.write_file(path, b"1"), lambda path: storage.write_folder(path, FILES)]
)
def test_folders_that_had_to_be_made_are_brought_to_the_disk_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], None]
) -> None:
    synced: list[Path] = []
    sync = storage._sync_folder
    monkeypatch.setattr(storage, "_sync_folder", lambda folder: (synced.append(folder), sync(folder))[1])
    write(tmp_path / "a" / "b" / "c")
    assert synced[:2] == [tmp_path, tmp_path / "a"]
    assert synced[-1] == tmp_path / "a" / "b"


def test_the_manifest_gives_size_and_sha256_of_each_file(tmp_path: Path) -> None:
    storage.write_folder(tmp_path / "x", {"empty": b""})
    nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert json.loads((tmp_path / "x" / "manifest.json").read_text()) == {
        "files": {"empty": {"bytes": 0, "sha256": nothing}}
    }


def test_a_file_is_replaced_and_added_to(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.txt"
    storage.write_file(path, b"one")
    storage.write_file(path, b"two")
    storage.append_file(path, b" three")
    assert path.read_bytes() == b"two three"
    assert names(path.parent) == ["a.txt"]


# --- damage -----------------------------------------------------------------------------------------------------


def test_every_flip_cut_and_extension_is_noticed_and_the_file_named(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    storage.write_folder(folder, FILES)
    draw = random.Random(3)
    paths = [path for path in folder.iterdir() if path.stat().st_size]
    for turn in range(600):
        path = draw.choice(paths)
        whole = path.read_bytes()
        place = draw.randrange(len(whole))
        flipped = whole[:place] + bytes([whole[place] ^ (1 << draw.randrange(8))]) + whole[place + 1 :]
        path.write_bytes((flipped, whole[:place], whole + bytes([draw.randrange(256)]))[turn % 3])
        with pytest.raises(DamagedError) as error:
            storage.read_folder(folder)
        assert path.name in str(error.value) or path.name == "manifest.json"
        assert "Take it from a copy" in str(error.value)
        path.write_bytes(whole)
    assert storage.read_folder(folder) == FILES


@pytest.mark.parametrize("path", [*FILES, "manifest.json"])
def test_a_missing_file_is_noticed(tmp_path: Path, path: str) -> None:
    storage.write_folder(tmp_path / "x", FILES)
    (tmp_path / "x" / path).unlink()
    with pytest.raises(DamagedError, match="No such file"):
        storage.read_folder(tmp_path / "x")


@pytest.mark.parametrize(
    "content",
    [
        b"", b"[]", b"{}", b"\xff", b"[" * 100_000, b'{"files": []}', b'{"files": {"a": 1}}', b"1" * 2_000_000,
        b'{"files": {"a": {"bytes": -1}}}', b'{"files": {"a": {"bytes": true}}}', b'{"files": {"a": {"bytes": 1e400}}}',
    ],
)  # fmt: skip
def test_a_strange_manifest_is_refused(tmp_path: Path, content: bytes) -> None:
    storage.write_folder(tmp_path / "x", FILES)
    (tmp_path / "x" / "manifest.json").write_bytes(content)
    with pytest.raises(DamagedError, match=r"manifest\.json"):
        storage.read_folder(tmp_path / "x")


@pytest.mark.parametrize("name", ["../secret", "/etc/hostname", "a/b", "..", ".", "", ".hidden", "a\0b", "x" * 101])
def test_a_manifest_cannot_lead_out_of_its_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").write_bytes(b"")
    (tmp_path / "x").mkdir()
    listed = {name: {"bytes": 0, "sha256": storage._sha256(b"")}}
    (tmp_path / "x" / "manifest.json").write_bytes(storage._manifest_bytes(listed))
    with pytest.raises(DamagedError, match="no file of this folder"):
        storage.read_folder(tmp_path / "x")


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    storage.write_folder(tmp_path / "x", {"a": b"1"})
    (tmp_path / "x" / "a").unlink()
    os.mkfifo(tmp_path / "x" / "a")
    with pytest.raises(DamagedError, match="no file"):
        storage.read_folder(tmp_path / "x")


# --- killed -----------------------------------------------------------------------------------------------------

WRITER = """
import sys
from pathlib import Path
from helpers.killing import killed_in_a_loop
from glassformer import storage

folder = Path(sys.argv[1]) / "x"

def work(say):
    generation = int(storage.read_folder(folder)["c"]) if storage.standing(folder).exists() else 0
    while True:
        generation += 1
        content = generation.to_bytes(8, "little") * (30_000 if generation % 2 else 10)
        storage.write_folder(folder, {"a": content, "b": content[:17], "c": str(generation).encode()})
        say(generation)

def look(said):
    if not storage.standing(folder).exists():
        assert said == 0
        return 0
    files = storage.read_folder(folder)
    generation = int(files["c"])
    assert generation in (said, said + 1), (generation, said)
    assert files["a"][:8] == generation.to_bytes(8, "little")
    return generation

killed_in_a_loop(200, work, look)
"""


def test_a_writer_killed_200_times_loses_nothing_that_was_written(tmp_path: Path) -> None:
    run_script(WRITER, tmp_path)
    storage.tidy(tmp_path)
    assert names(tmp_path) == ["x"]


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("old", [None, {"a.json": b"old"}])
def test_stopped_between_any_two_steps_one_of_both_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: dict[str, bytes] | None
) -> None:
    """Every call that touches the disk is the last one once, and nothing cleans up after it."""
    seen: set[str] = set()
    for last in range(100):
        folder = tmp_path / str(last) / "x"
        folder.parent.mkdir()
        if old is not None:
            storage.write_folder(folder, old)
        with monkeypatch.context() as patch:
            calls = dying(patch, last)
            try:
                storage.write_folder(folder, FILES)
            except Killed:
                pass
            else:
                break
        seen |= set(calls)
        if old is not None or storage.standing(folder).exists():
            assert storage.read_folder(folder) in (old, FILES)
        storage.tidy(folder.parent)
        assert names(folder.parent) == ["x"] or (old is None and names(folder.parent) == [])
        if old is not None:
            assert storage.read_folder(folder) in (old, FILES)
        storage.write_folder(folder, FILES)
        assert storage.read_folder(folder) == FILES
    assert 8 <= last < 100
    assert "rename" in seen


def dying(patch: pytest.MonkeyPatch, last: int) -> list[str]:
    """Lets `last` calls through; from then on every one fails, also those that would clean up."""
    calls: list[str] = []

    def wrapped(name: str, call: Callable[..., object]) -> Callable[..., object]:
        def counted(*args: object, **kwargs: object) -> object:
            if len(calls) >= last:
                raise Killed
            calls.append(name)
            return call(*args, **kwargs)

        return counted

    for owner, name in ((os, "fsync"), (os, "replace"), (Path, "rename"), (Path, "mkdir"), (shutil, "rmtree")):
        patch.setattr(owner, name, wrapped(name, getattr(owner, name)))
    return calls


def test_a_reader_never_sees_a_folder_that_is_being_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    storage.write_folder(folder, FILES)
    done = threading.Event()

    def write() -> None:
        for turn in range(60):
            storage.write_folder(folder, FILES if turn % 2 else {"a.json": b"other"})
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    while not done.is_set():
        assert storage.read_folder(folder) in (FILES, {"a.json": b"other"})
    writer.join()


# --- the disk is full -------------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Eight megabytes: a real disk where it may be mounted, else one that fails as a real one does."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], check=False, capture_output=True)
    if mounted.returncode == 0:
        yield disk
        subprocess.run(["umount", disk], check=True)
        return
    whole = os.fsync

    def fsync(handle: int) -> None:
        if sum(path.stat().st_size for path in disk.rglob("*")) > 8_000_000:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        whole(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    yield disk


def test_a_full_disk_keeps_what_was_there_and_leaves_nothing_behind(small_disk: Path) -> None:
    kept = {"a": b"old" * 1_000_000, "b": b"small"}
    storage.write_folder(small_disk / "x", kept)
    storage.write_file(small_disk / "y", b"old")
    for size in range(20):
        content = bytes(6_000_000 + 100_000 * size)
        with pytest.raises(DiskFullError, match=r"needs [\d,]+ bytes, and [\d,]+ are free") as error:
            storage.write_folder(small_disk / "x", {"b": b"new", "a": content})
        assert error.value.exit_code == 3
        with pytest.raises(DiskFullError, match=f"needs {len(content):,} bytes"):
            storage.write_file(small_disk / "y", content)
        assert storage.read_folder(small_disk / "x") == kept
        assert (small_disk / "y").read_bytes() == b"old"
        assert names(small_disk) == ["x", "y"]


def test_a_file_system_that_names_no_more_files_is_told_from_one_without_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    for left, said in ((0, "one file more than its file system can name"), (1, "needs 3 bytes")):
        monkeypatch.setattr(os, "statvfs", lambda _, left=left: SimpleNamespace(f_files=9, f_favail=left))
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
        with pytest.raises(DiskFullError, match=said):
            storage.write_file(tmp_path / "x", b"new")


def test_a_line_that_finds_no_room_is_not_added_in_part(tmp_path: Path) -> None:
    """No file may be longer than ten bytes here: of four more, the system takes two."""
    storage.write_file(tmp_path / "log", b"8 bytes\n")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, usual[1]))
    try:
        with pytest.raises(DiskFullError, match="needs 4 bytes"):
            storage.append_file(tmp_path / "log", b"line")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert (tmp_path / "log").read_bytes() == b"8 bytes\n"


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(GlassformerError, match="cannot be written: Not a directory"):
        storage.write_folder(tmp_path / "file" / "x", FILES)
    (tmp_path / "folder").mkdir()
    with pytest.raises(GlassformerError, match="cannot be written: Is a directory"):
        storage.append_file(tmp_path / "folder", b"")


def test_half_a_character_was_never_written() -> None:
    """JSON can spell one; no answer could hold it."""
    with pytest.raises(DamagedError, match="half a character"):
        storage.parse_json(rb'{"a": {"\ud800": 1}}', Path("a.json"))
    assert storage.parse_json(rb'{"a": "\ud83d\ude00"}', Path("a.json")) == {"a": "\N{GRINNING FACE}"}


@pytest.mark.parametrize("wrong", [{}, {"a": None}, {"a": "x"}, {"a": []}])
def test_what_is_worked_out_of_wrong_figures_is_said_of_their_file(wrong: dict[str, object]) -> None:
    said = r"a\.json is damaged: a figure in it is missing or was changed"
    with pytest.raises(DamagedError, match=said), storage.figures(Path("a.json")):
        float(wrong["a"])  # type: ignore[arg-type]


@pytest.mark.parametrize("where", ["pipe", "link"])
def test_a_pipe_is_not_replaced_by_a_file(tmp_path: Path, where: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    with pytest.raises(GlassformerError, match="cannot be written: it is no file"):
        storage.write_file(tmp_path / where, b"a page")
    assert (tmp_path / "pipe").is_fifo()
    assert names(tmp_path) == ["link", "pipe"]


def test_an_error_of_ours_is_told_as_it_is_even_one_of_pythons_kind() -> None:
    class BothError(GlassformerError, ValueError):
        """As torch's drop-in raises it."""

    with pytest.raises(BothError, match="as it is"), figures(Path("scores.json")):
        raise BothError("as it is")
    with pytest.raises(DamagedError, match=r"scores\.json"), figures(Path("scores.json")):
        raise ValueError
