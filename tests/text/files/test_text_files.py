"""Text files: their encoding, their lines, what is packed and what is no text."""

import gzip
import io
import json
from pathlib import Path

import pytest
from helpers.reading import CSV, classify, everything, skips
from hypothesis import given
from hypothesis import strategies as st

from glassformer.errors import InputError
from glassformer.text.corpora import read
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
    assert classify(tmp_path, content).report.notes[0].endswith("If letters look wrong, name it with --encoding.")
    assert Labelled("これは良い", "pos") in everything(classify(tmp_path, content, encoding="shift-jis"))
    with pytest.raises(InputError, match="no encoding called 'shift-jiss'"):
        classify(tmp_path, content, encoding="shift-jiss")
    with pytest.raises(InputError, match="is not ascii"):
        classify(tmp_path, content, encoding="ascii")


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
