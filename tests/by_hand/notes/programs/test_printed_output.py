"""What was printed, laid beside what the program gives."""

import pytest
from helpers.notebook_cells import GIVEN, cell, checked, found


@pytest.mark.parametrize(
    ("line", "right", "wrong", "pair"),
    [
        ("print(Q @ K)", "[[ 0  1]\n [12  2]]\n", "[[ 0  1]\n [12  3]]\n", ("3", "2")),
        ("print('sum:', Q.sum(axis=0))", "sum: [3 3]\n", "sum: [3 4]\n", ("4", "3")),
        ("print(f'mean {Q.mean():.2f}!')", "mean 1.50!\n", "mean 1.60!\n", ("1.60", "1.50")),
        ("print('a {} b {:.1f}'.format(3, 0.5))", "a 3 b 0.5\n", "a 4 b 0.5\n", ("4", "3")),
        ("for i in range(2):\n    print(i, Q[i] * 2)", "0 [2 0]\n1 [4 6]\n", "0 [2 0]\n1 [4 7]\n", ("7", "6")),
        ("print(Q.shape, Q * K)", "(2, 2) [[0 0]\n [8 0]]\n", "(2, 2) [[0 0]\n [9 0]]\n", ("9", "8")),
    ],
)
def test_what_is_printed(line: str, right: str, wrong: str, pair: tuple[str, str]) -> None:
    good = checked(cell(GIVEN + line, printed=right))
    assert good.checked > 0
    assert good.findings == []
    assert found(cell(GIVEN + line, printed=wrong)) == [pair]
