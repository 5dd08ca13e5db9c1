"""Notes in columns: a dot product per key, and under each the same steps."""

from glassformer.by_hand.checking.columns import ColumnGroup, equations, find_columns
from glassformer.by_hand.notes.reading import open_bytes
from glassformer.by_hand.notes.statements import read_statements

FIRST = "$q_1 \\cdot k_1 = 112$\n\nDivide by $\\sqrt{64}$:\n\n14\n\nSoftmax:\n\n0.88\n\n"


def columns(notes: str) -> list[ColumnGroup]:
    return find_columns(read_statements(open_bytes(notes.encode(), "notes")).statements)


def test_the_steps_of_two_columns_are_equations() -> None:
    (group,) = columns(FIRST + "$q_1 \\cdot k_2 = 96$\n\n12\n\n0.12\n")
    assert [(name, expression.key, numbers.key) for name, expression, numbers in equations(group)] == [
        ("scaled", "[112, 96] · 14 · 1/(112)", "[14, 12]"),
        ("softmax", "softmax([14, 12])", "[0.88, 0.12]"),
    ]


def test_one_column_or_columns_of_unlike_length_are_none() -> None:
    assert columns(FIRST) == []
    assert columns(FIRST + "$q_1 \\cdot k_2 = 96$\n\n12\n") == []
