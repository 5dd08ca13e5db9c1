"""Notes in Word: equations, tables, and hostile files."""

import io
import zipfile

import pytest
from helpers.checked_notes import checked, found
from survey.made_notes import equation, matrix, run, word_file, word_xml


def test_equations_of_word() -> None:
    fraction = f"<m:f><m:num>{run('3')}</m:num><m:den>{run('4')}</m:den></m:f>"
    xml = word_xml(
        "Some words.",
        equation(run("Q=") + matrix([["1", "2"], ["3", "4"]])),
        equation(run("Q+Q=") + matrix([["2", "4"], ["6", "9"]])),
        equation(fraction + run("+1=1.85")),
        "and 3 × 4 = 13",
    )
    assert found(word_file(xml), ".docx") == [(3, "9", "8"), (4, "1.85", "1.75"), (5, "13", "12")]


def test_a_table_of_word() -> None:
    def row(*cells: str) -> str:
        return "<w:tr>" + "".join(f"<w:tc><w:p><w:r><w:t>{c}</w:t></w:r></w:p></w:tc>" for c in cells) + "</w:tr>"

    xml = word_xml("<w:tbl>" + row("x", "2*x") + row("3", "7") + "</w:tbl>")
    assert [(printed, right) for _, printed, right in found(word_file(xml), ".docx")] == [("7", "6")]


def _zip(name: str, content: str | bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        b"", b"PK\x03\x04 nothing", _zip("other.xml", "<a/>"), _zip("word/document.xml", "<a>"),
        _zip("word/document.xml", b"\x00" * 40_000_000),
        _zip("word/document.xml", '<!DOCTYPE a [<!ENTITY b "1 + 1 = 3">]><a>&b;</a>'),
        _zip("word/document.xml", "<a>" * 3000 + "</a>" * 3000),
    ],
    ids=["empty", "no zip", "no text", "no XML", "a bomb", "entities", "too deep"],
)  # fmt: skip
def test_a_hostile_word_file_gets_one_sentence(data: bytes) -> None:
    report = checked(data, ".docx")
    assert len(report.unreadable) == 1
    assert "Word file" in report.unreadable[0].why
