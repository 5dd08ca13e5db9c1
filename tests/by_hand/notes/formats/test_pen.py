"""Another format written out as notes: each line remembers where it came from."""

from glassformer.by_hand.check import check_document
from glassformer.by_hand.notes.formats.pen import Pen, table_lines


def test_lines_remember_where_they_came_from() -> None:
    pen = Pen()
    pen.write("one\ntwo", 7)
    pen.write(" and more", 9)
    pen.paragraph()
    pen.write("three", 20)
    pen.paragraph()
    assert pen.lines == ["one", "two and more", "", "three", ""]
    assert pen.origins[:2] == [7, 8]
    assert pen.origins[3] == 20


def test_a_finding_is_told_in_the_line_of_the_file() -> None:
    pen = Pen()
    pen.write("Words.", 3)
    pen.paragraph()
    pen.write("1 + 1 = 3", 41)
    (finding,) = check_document(pen.document("page.html", "a page")).findings
    assert (finding.line, finding.printed) == (41, "3")


def test_a_table_in_markdown() -> None:
    assert table_lines([["a", "b"], ["1", "x | y"], ["2"]]) == ["| a | b |", "|---|---|", "| 1 | x / y |", "| 2 |  |"]
    assert table_lines([["only one row", "here"]]) == ["only one row here"]
