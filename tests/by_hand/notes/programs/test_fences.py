"""Programs in blocks of code, and their outputs."""

from glassformer.by_hand.check import check_text
from glassformer.by_hand.notes.programs.fences import blocks_of

BLOCK = (
    "```python\nimport numpy as np\nx = np.array([1., 2.])\nprint('twice:', x * 2)\n```\n\n"
    "Output:\n\n```\ntwice: [2. {}]\n```\n"
)


def test_a_block_and_its_output() -> None:
    assert check_text(BLOCK.format("4.")).checked >= 1
    assert [(each.printed, each.right) for each in check_text(BLOCK.format("5.")).findings] == [("5.", "4")]


def test_a_block_that_needs_an_earlier_one_proves_nothing_wrong() -> None:
    notes = (
        "```python\nx = 3\n```\n\nLater\n\n```python\nprint('four times:', x * 4)\n```\n\n```\nfour times: {}\n```\n"
    )
    assert check_text(notes.format("20")).findings == []
    assert check_text(notes.format("12")).checked == 1


def test_a_session() -> None:
    notes = "```\n>>> x = [1, 2]\n>>> sum(x) * 4\n{}\n>>> print(x[0])\n1\n```\n"
    assert [(each.printed, each.right) for each in check_text(notes.format("13")).findings] == [("13", "12")]
    assert check_text(notes.format("12")).checked == 2


def test_a_sign_that_opens_a_block_which_is_never_closed_opens_none() -> None:
    text = "~~~ alone\n```python\nprint(2 + 3)\n```\n```\n7\n```\n"
    assert [(block.language, block.text) for block in blocks_of(text)] == [("python", "print(2 + 3)\n"), ("", "7\n")]
