"""Sheets: named blocks in CSV and in workbooks, corrected in a copy."""

from io import BytesIO
from pathlib import Path

import openpyxl
import pytest

from glassformer.by_hand.check import check, check_document, check_text
from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.notes.reading import open_bytes
from glassformer.by_hand.notes.sheets import with_cells
from glassformer.by_hand.reports.mending import mended_copies, write_copies
from glassformer.errors import InputError


def test_sheets_have_named_blocks() -> None:
    text = "X,1,0\n,0,1\n\nW_Q,1,0\n,1,1\n\nQ = X W_Q\n1,0\n1,2\n"
    report = check_text(text, "notes.csv", ".csv")
    assert [(f.name, f.line, f.column, f.row, f.col, f.right) for f in report.findings] == [("Q", 9, 3, 2, 2, "1")]


def test_excel_workbooks() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["X", 1, 2], ["W", 3], [None, 4], ["Y = X W", 12]):
        sheet.append(row)
    data = BytesIO()
    book.save(data)
    report = check_document(open_bytes(data.getvalue(), "notes.xlsx", ".xlsx"))
    assert [(f.file, f.line, f.printed, f.right) for f in report.findings] == [
        ("notes.xlsx, sheet Sheet", 4, "12", "11")
    ]


def test_a_workbook_is_corrected_in_a_copy(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["nothing here"])  # type: ignore[union-attr]
    sheet = book.create_sheet("Work")
    for row in (["X", 1, 2], ["W", 3], [None, 4], ["Y = X W", 12], ["Z = Y + Y", 24], ["kept", "=1+1"]):
        sheet.append(row)
    path = tmp_path / "notes.xlsx"
    book.save(path)
    before = path.read_bytes()
    (copy,) = write_copies(mended_copies(check(path)), tmp_path / "mended.xlsx")
    mended = openpyxl.load_workbook(copy)["Work"]
    assert [mended["B4"].value, mended["B5"].value, mended["B6"].value] == [11, 22, "=1+1"]
    assert path.read_bytes() == before
    assert check(copy).findings == []


def test_a_formula_in_a_workbook_is_not_written_over(tmp_path: Path) -> None:
    data = BytesIO()
    book = openpyxl.Workbook()
    book.active.append(["=6*2"])  # type: ignore[union-attr]
    book.save(data)
    shown = Document("notes.xlsx", "12\n", parts=[(0, "sheet Sheet")])
    with pytest.raises(InputError, match=r"cell A1 should be 11, but holds the formula =6\*2"):
        with_cells(data.getvalue(), shown, {0: "11"})
