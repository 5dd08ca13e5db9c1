"""Text files: their encoding, their lines, what is packed and what is no text."""

import gzip
import io
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.reading import CSV, classify, everything, skips
from hypothesis import given
from hypothesis import strategies as st

from glassformer.errors import InputError
from glassformer.text.corpora import read
from glassformer.text.files import text_files
from glassformer.text.files.text_files import decoded, lines
from glassformer.text.samples import Labelled

JSON_LINES = "".join(json.dumps({"text": f"Film {number}", "label": "xy"[number % 2]}) + "\n" for number in range(31))


@pytest.mark.parametrize("content", [CSV, CSV.replace(",", "\t"), JSON_LINES])
def test_standard_input(content: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
    corpus = read("-", "classify")
    assert [sample.text for sample in everything(corpus)] == sorted(f"Film {number}" for number in range(31))


@pytest.mark.parametrize(
    ("encoding", "found", "noted"),
    [
        ("utf-8", "utf-8", False),
        ("utf-8-sig", "utf-8-sig", False),
        ("utf-16", "utf-16", False),
        ("utf-32", "utf-32", False),
        ("utf-16-le", "utf-16-le", True),
        ("utf-16-be", "utf-16-be", True),
        ("cp1252", "cp1252", True),
        ("latin-1", "cp1252", True),
    ],
)
def test_encodings(encoding: str, found: str, noted: bool, tmp_path: Path) -> None:
    corpus = classify(tmp_path, (CSV + "Käse à la crème,pos\n").encode(encoding))
    assert Labelled("Käse à la crème", "pos") in everything(corpus)
    assert list(corpus.report.encodings.values()) == [found]
    assert any("read as" in note for note in corpus.report.notes) == noted
    assert (
        corpus.report.notes[-1]
        == f"Samples to evaluate on: only {len(corpus.test)}. The confidence interval will be wide."
    )


def test_an_encoding_can_be_named(tmp_path: Path) -> None:
    content = (CSV + "これは良い,pos\n").encode("shift-jis")
    assert classify(tmp_path, content).report.notes[0].endswith("or train with --encoding.")
    assert Labelled("これは良い", "pos") in everything(classify(tmp_path, content, encoding="shift-jis"))
    with pytest.raises(InputError, match="no encoding called 'shift-jiss'"):
        classify(tmp_path, content, encoding="shift-jiss")
    with pytest.raises(InputError, match="is not ascii"):
        classify(tmp_path, content, encoding="ascii")


@pytest.mark.parametrize(
    ("encoding", "text"),
    [("gb18030", "这部电影真的很好看"), ("shift-jis", "この映画は良い"), ("euc-kr", "이 영화는 좋다"),
     ("cp1251", "Хороший фильм"), ("cp1256", "فيلم رائع جدا")],
)  # fmt: skip
def test_letters_of_another_script_are_not_guessed(encoding: str, text: str, tmp_path: Path) -> None:
    """Taken for cp1252 every sample would be other letters."""
    content = ("text,label\n" + "".join(f"{text * n},pos\n{text * n}.,neg\n" for n in range(1, 9))).encode(encoding)
    with pytest.raises(InputError, match=r"is not UTF-8 \(line 2\), and too few of its letters are plain Latin"):
        classify(tmp_path, content)
    assert Labelled(text, "pos") in everything(classify(tmp_path, content, encoding=encoding))


def test_many_marks_are_still_western(tmp_path: Path) -> None:
    content = CSV + "".join(f"Où êtes-vous allé ô élève {n},pos\n" for n in range(9))
    assert list(classify(tmp_path, content.encode("cp1252")).report.encodings.values()) == ["cp1252"]


def test_damaged_utf_8_costs_its_rows_only(tmp_path: Path) -> None:
    corpus = classify(tmp_path, (CSV + "Käse à la crème,pos\n").encode() + b"K\xe4se,pos\nlast,pos\nh\xc3")
    assert skips(corpus) == [(34, "the text holds bytes that are not UTF-8"), (36, "1 column instead of 2")]
    assert Labelled("Käse à la crème", "pos") in everything(corpus)
    assert "2 bytes are not UTF-8, the first in line 34" in corpus.report.notes[0]


def test_a_file_cut_within_a_character_is_still_utf_8() -> None:
    assert decoded(b"abc \xe2\x82", "cut").encoding == "utf-8"


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=20))
def test_only_line_ends_end_a_line(text: str) -> None:
    assert lines(f"{text}|\n{text}|\r\n{text}|\r{text}|") == [f"{text}|"] * 4


def test_gzip_under_another_name_is_unpacked(tmp_path: Path) -> None:
    assert len(everything(classify(tmp_path, gzip.compress(CSV.encode())))) == 31


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_what_grows_as_no_text_does_is_refused_before_it_fills_the_memory(
    pack: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "HARMLESS", 10_007)
    path = tmp_path / "a.csv.gz"
    path.write_bytes(pack(b"good,pos\n" * 100_003))
    with pytest.raises(InputError, match="unpacks to more than 100 times its"):
        text_files.read_bytes(path)
    monkeypatch.setattr(text_files, "HARMLESS", 10_000_019)  # what is small does no harm, however it was packed
    assert len(text_files.read_bytes(path)) == 900_027


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_a_file_larger_than_the_memory_allows_is_refused(
    pack: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "LARGEST", 997)
    path = tmp_path / "a.txt"
    path.write_bytes(pack(b"x" * 997))
    assert len(text_files.read_bytes(path)) == 997
    path.write_bytes(pack(b"x" * 998))
    with pytest.raises(InputError, match="larger than 997 bytes unpacked"):
        text_files.read_bytes(path)


def test_what_is_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"notes\.txt is a PDF, not text"):
        decoded(b"%PDF-1.7 and so on", "notes.txt")
    with pytest.raises(InputError, match="3 of its 23 bytes are zero"):
        decoded(b"a\0b\0\0" + b"c" * 18, "notes.txt")
    with pytest.raises(InputError, match="is not a file"):
        text_files.read_bytes(Path("/dev/null"))


def test_the_mark_of_an_encoding_that_was_named_is_no_text() -> None:
    assert decoded("\ufeffabc".encode(), "notes.txt", "utf-8").text == "abc"
