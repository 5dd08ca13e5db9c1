"""Notes in reStructuredText."""

from helpers.checked_notes import found


def test_restructured_text() -> None:
    text = (
        "Notes\n=====\n\n.. math::\n   :label: a\n\n   Q = [[1, 2]]\n\n   Q + Q = [[2, 5]]\n\nThen "
        ":math:`2 \\cdot 3 = 7`."
        "\n\nWorking::\n\n    m = 2 * 4\n      = 9\n\n.. note::\n\n   4 + 4 = 9\n\n.. toctree::\n\n   1 + 1 = 3\n\n"
        ".. 1 + 1 = 3\n"
    )
    assert found(text, ".rst") == [(9, "5", "4"), (11, "7", "6"), (16, "9", "8"), (20, "9", "8")]


def test_doctests_in_restructured_text() -> None:
    assert found("Try::\n\n    >>> x = 3\n    >>> x * 4\n    13\n", ".rst") == [(5, "13", "12")]


SIMPLE = "A table:\n\n===  =======\n x   x * 3\n===  =======\n 2   6\n 5   {}\n===  =======\n\nEnd.\n"
LABELS = "===  ==  ==\nV    d1  d2\n===  ==  ==\na    1   2\nb    3   5\n===  ==  ==\n\n[1, 1] V = [4, {}]\n"


def test_a_simple_table_in_restructured_text() -> None:
    assert found(SIMPLE.format(15), ".rst") == []
    assert found(SIMPLE.format(16), ".rst") == [(7, "16", "15")]
    assert found(LABELS.format(7), ".rst") == []
    assert found(LABELS.format(8), ".rst") == [(8, "8", "7")]


def test_a_simple_table_with_an_empty_first_cell_is_not_read_as_rows() -> None:
    assert found(SIMPLE.replace(" 5 ", "   ").format(16), ".rst") == []
