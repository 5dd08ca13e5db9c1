"""Token files: the text comes back, a stopped work is finished, damage is noticed, windows lie where they should."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from glassformer.errors import GlassformerError, InputError
from glassformer.lock import held
from glassformer.storage import DamagedError
from glassformer.text.files import token_files
from glassformer.text.files.token_files import TokenFolder, holds_tokens, text_files_in, write_tokens
from glassformer.text.token_kinds import END
from glassformer.text.tokens import Tokens

LINE = "The Zähler of {} apples, \N{GRINNING FACE}, and a cat.\n"
TEXT = "".join(LINE.format(number) for number in range(400))


def byte_tokens(texts: list[str]) -> Tokens:
    return Tokens.train("byte-bpe", texts, vocabulary=300)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_files, "PIECE", 4001)
    monkeypatch.setattr(token_files, "CHUNK", 211)


def written(tmp_path: Path, *texts: str) -> TokenFolder:
    (tmp_path / "texts").mkdir(exist_ok=True)
    for number, text in enumerate(texts):
        (tmp_path / "texts" / f"{number}.txt").write_text(text, encoding="utf-8")
    return write_tokens(text_files_in(tmp_path / "texts"), tmp_path / "tokens", byte_tokens)


def all_of(folder: TokenFolder) -> np.ndarray:
    return folder.at(np.array([0]), len(folder))[0]


def test_the_text_comes_back_but_for_its_end_which_is_for_validation(tmp_path: Path) -> None:
    folder = written(tmp_path, TEXT)
    assert len(folder.facts["tokens"]) > 3
    assert folder.tokens.decode(all_of(folder)) + folder.valid == TEXT
    assert 0.05 < len(folder.valid) / len(TEXT) <= 0.1
    assert folder.valid.startswith("The ")  # whole lines
    assert folder.bytes == len(TEXT.encode()) - len(folder.valid.encode())


def test_of_several_files_each_ends_with_a_mark(tmp_path: Path) -> None:
    folder = written(tmp_path, TEXT, "A second one.\n" * 30, TEXT)
    ids = all_of(folder)
    assert (ids == END).sum() == 3
    documents = np.split(ids, np.flatnonzero(ids == END))
    assert folder.tokens.decode(documents[1]) == "A second one.\n" * 30


def test_a_window_may_lie_over_several_files(tmp_path: Path) -> None:
    folder = written(tmp_path, TEXT)
    ids = all_of(folder)
    begins = np.random.default_rng(3).integers(0, len(folder) - 2003, size=29)
    for length in (1, 7, 2003):
        assert (folder.at(begins, length) == np.stack([ids[begin : begin + length] for begin in begins])).all()


def test_what_was_cut_before_it_was_stopped_is_not_cut_again(tmp_path: Path) -> None:
    whole = all_of(written(tmp_path, TEXT))
    path = tmp_path / "tokens"
    kept = [path / "tokens-00001.bin", path / "piece-00001.json"]
    before = write_again(tmp_path, kept)
    assert before == (tmp_path / "again" / "tokens-00001.bin").stat().st_ino
    assert (all_of(TokenFolder(tmp_path / "again")) == whole).all()


def write_again(tmp_path: Path, kept: list[Path]) -> int:
    """A folder that was left in the middle: its layout, its tokenizer and one piece; it is finished, and what is given
    is the number of the piece's file on the disk."""
    again = tmp_path / "again"
    again.mkdir()
    (again / "tokenizer.json").write_bytes((tmp_path / "tokens" / "tokenizer.json").read_bytes())
    (again / "tokens-00001.bin").write_bytes(kept[0].read_bytes())
    (again / "piece-00001.json").write_text(json.dumps({"broken": 0}))
    number = (again / "tokens-00001.bin").stat().st_ino
    assert not holds_tokens(again)
    write_tokens(text_files_in(tmp_path / "texts"), again, byte_tokens)
    assert not list(again.glob("piece-*"))
    return number


def test_another_text_does_not_go_on_where_one_was_left(tmp_path: Path) -> None:
    written(tmp_path, TEXT)
    again = tmp_path / "again"
    again.mkdir()
    (again / "layout.json").write_text('{"identity": "another"}')
    with pytest.raises(InputError, match="was begun with other text, or with other tokens"):
        write_tokens(text_files_in(tmp_path / "texts"), again, byte_tokens)


def test_two_processes_cut_what_one_cuts(tmp_path: Path) -> None:
    one = all_of(written(tmp_path, TEXT))
    done: list[tuple[int, int]] = []
    two = write_tokens(
        text_files_in(tmp_path / "texts"), tmp_path / "two", byte_tokens, processes=2,
        told=lambda now, whole: done.append((now, whole)),
    )  # fmt: skip
    assert (all_of(two) == one).all()
    assert done[-1][0] == done[-1][1] == two.bytes


CUTS = """
import sys
from pathlib import Path
from glassformer.text.files import token_files
from glassformer.text.tokens import Tokens
if __name__ == "__main__":
    token_files.PIECE = 40_009
    text, out = map(Path, sys.argv[1:])
    token_files.write_tokens([text], out, lambda texts: Tokens.train("byte-bpe", texts, vocabulary=300), processes=2)
"""


def test_killed_it_leaves_no_helper_behind_and_is_finished_by_the_next(tmp_path: Path) -> None:
    """kill -9 of the process that was started; its helpers must end by themselves, or they would write on beside
    whoever resumes."""
    (tmp_path / "cuts.py").write_text(CUTS)
    (tmp_path / "some.txt").write_text(TEXT * 150, encoding="utf-8")
    command = [sys.executable, str(tmp_path / "cuts.py"), str(tmp_path / "some.txt")]
    with subprocess.Popen([*command, str(tmp_path / "killed")]) as cutting:
        while not list((tmp_path / "killed").glob("piece-*.json")):
            assert cutting.poll() is None
            time.sleep(0.01)
        helpers = Path(f"/proc/{cutting.pid}/task/{cutting.pid}/children").read_text().split()
        cutting.kill()
    assert len(helpers) >= 2
    while [helper for helper in helpers if is_at_work(helper)]:
        time.sleep(0.01)
    assert not holds_tokens(tmp_path / "killed")
    for name in ("killed", "whole"):
        subprocess.run([*command, str(tmp_path / name)], check=True)
    assert (all_of(TokenFolder(tmp_path / "killed")) == all_of(TokenFolder(tmp_path / "whole"))).all()
    assert not [path.name for path in (tmp_path / "killed").iterdir() if path.name.startswith(".")]


def test_a_helper_that_is_killed_is_told_and_what_is_cut_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(ThreadPoolExecutor):
        """Cuts, and then has lost a helper."""

        def __init__(self, *given: object) -> None:
            super().__init__(1)

        def map(self, work: Any, *jobs: Any, **how: Any) -> Iterator[Any]:
            yield work(jobs[0][0])
            raise BrokenProcessPool

    monkeypatch.setattr(token_files, "ProcessPoolExecutor", Killed)
    (tmp_path / "some.txt").write_text(TEXT * 15, encoding="utf-8")
    with pytest.raises(GlassformerError, match=r"A process that cuts .* ended.* the same command goes on from there"):
        write_tokens([tmp_path / "some.txt"], tmp_path / "tokens", byte_tokens, processes=2)
    assert [path.name for path in (tmp_path / "tokens").glob("piece-*.json")] == ["piece-00000.json"]
    write_tokens([tmp_path / "some.txt"], tmp_path / "tokens", byte_tokens)


def is_at_work(process: str) -> bool:
    """Not gone, and not dead and unburied."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_two_do_not_cut_into_one_folder(tmp_path: Path) -> None:
    with held(tmp_path / "tokens", "cut into tokens"), pytest.raises(InputError, match="is being cut into tokens just"):
        written(tmp_path, TEXT)


def test_bytes_that_are_no_text_are_replaced_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "some.txt"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.encode() + b"a \xff b\r\n" + TEXT.encode())
    folder = write_tokens([path], tmp_path / "tokens", byte_tokens)
    assert folder.facts["broken"] == 1
    text = folder.tokens.decode(all_of(folder))
    assert "a \N{REPLACEMENT CHARACTER} b\n" in text
    assert text.startswith("The Zähler of 0")


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda path: (path / "tokens-00002.bin").write_bytes(b"12"), "tokens-00002.bin is damaged: it should have"),
        (lambda path: (path / "tokens-00003.bin").unlink(), "tokens-00003.bin is damaged"),
        (lambda path: (path / "manifest.json").write_text('{"format": 1}'), "manifest.json is damaged"),
        (lambda path: (path / "manifest.json").write_text('{"format": 9}'), "has the format 9; this version reads 1"),
        (lambda path: (path / "manifest.json").unlink(), "holds no finished token files"),
    ],
)
def test_damage_is_noticed(tmp_path: Path, harm: object, said: str) -> None:
    written(tmp_path, TEXT)
    harm(tmp_path / "tokens")  # type: ignore[operator]
    with pytest.raises((DamagedError, InputError), match=said):
        TokenFolder(tmp_path / "tokens")


def test_ids_that_are_in_no_vocabulary_are_noticed(tmp_path: Path) -> None:
    folder = written(tmp_path, TEXT)
    file = folder.path / "tokens-00000.bin"
    file.write_bytes(b"\xff\xff" * (file.stat().st_size // 2))
    with pytest.raises(DamagedError, match="tokens that are in no vocabulary"):
        folder.at(np.array([0]), 5)


def test_what_cannot_be_cut_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no \.txt file"):
        write_tokens([], tmp_path / "tokens", byte_tokens)
    (tmp_path / "some.txt").write_text("short")
    with pytest.raises(InputError, match="5 bytes of text are too few"):
        write_tokens([tmp_path / "some.txt"], tmp_path / "tokens", byte_tokens)
    written(tmp_path, TEXT)
    with pytest.raises(InputError, match="holds token files already"):
        write_tokens(text_files_in(tmp_path / "texts"), tmp_path / "tokens", byte_tokens)


def test_only_plain_text_is_cut(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "b.csv").write_text("b")
    assert text_files_in(tmp_path) == []
    assert text_files_in(tmp_path / "a.txt") == [tmp_path / "a.txt"]
    assert text_files_in(tmp_path / "b.csv") == []
