"""Token files: the text comes back, a stopped work is finished, damage is noticed, windows lie where they should."""

import json
from pathlib import Path

import numpy as np
import pytest

from glassformer.errors import InputError
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
