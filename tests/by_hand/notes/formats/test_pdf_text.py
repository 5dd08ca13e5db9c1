"""Notes in the text layer of a PDF, as far as it can be trusted."""

import pytest
from helpers.checked_notes import checked
from survey.made_notes import pdf_file


def test_plain_lines_of_a_pdf() -> None:
    data = pdf_file([(700, 12, "Notes"), (650, 12, "3 * 4 = 13"), (600, 12, "y = 2 + 2 = 4")])
    report = checked(data, ".pdf")
    assert [(each.file, each.printed, each.right) for each in report.findings] == [("notes.pdf, page 1", "13", "12")]
    assert report.checked == 2


@pytest.mark.parametrize(
    "pieces",
    [
        [(650, 12, "3"), (656, 7, "2"), (650, 12, " + 1 = 32")],  # 3² + 1
        [(650, 12, "5 + 3 = 9"), (655, 7, "2")],  # an exponent at the end
        [(658, 12, "3"), (650, 12, "5 + 3 = 9"), (642, 12, "4")],  # a fraction around the line
        [(650, 12, "QK = [1 2 3 4] = 5")],
        [(650, 12, "2 3 + 1 = 8")],
    ],
    ids=["exponent", "last exponent", "fraction", "matrix", "columns"],
)
def test_a_line_that_a_text_layer_cannot_be_trusted_with(pieces: list[tuple[int, int, str]]) -> None:
    report = checked(pdf_file(pieces), ".pdf")
    assert report.findings == []
    assert report.checked == 0
    assert any("text layer" in remark.why for remark in report.not_checkable)


@pytest.mark.parametrize("data", [b"", b"%PDF-1.4 nothing", pdf_file([])], ids=["empty", "broken", "pictures"])
def test_a_pdf_that_cannot_be_read_gets_one_sentence(data: bytes) -> None:
    report = checked(data, ".pdf")
    assert len(report.unreadable) == 1
    assert "PDF" in report.unreadable[0].why
