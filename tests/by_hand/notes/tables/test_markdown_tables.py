"""Tables in Markdown are cut into cells where they stand; what looks like one and is none stays text."""

from glassformer.by_hand.notes.documents import Document, cut
from glassformer.by_hand.notes.tables.markdown_tables import read_tables


def claims(text: str) -> list[str]:
    """What the claims of a text's tables were read from: the printed side of each."""
    document = Document("notes.md", text)
    cut(document)
    read_tables(document)
    given = [passage.sides[-1].span for passage in document.passages if passage.kind == "given"]
    return [text[span.start : span.end] for span in given]


def test_every_number_keeps_its_place() -> None:
    assert claims("Some words.\n\n| x | x² |\n|---|:-:|\n|  3 | **9**|\n| 0.5|0.25 |\n") == ["9", "0.25"]


def test_bars_without_a_rule_are_no_table() -> None:
    assert claims("| x | x² |\n| 3 | 9 |\n") == []
    assert claims("|x| = 3 and |y| = 4\n") == []
