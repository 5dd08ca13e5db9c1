"""Programs in notebooks: what they print is laid beside what their text gives; nothing is run, and doubt is silence."""

from typing import Any

import pytest
from helpers.notebook_cells import GIVEN, cell, checked, found


def test_the_value_of_the_last_line() -> None:
    wrong = checked(cell(GIVEN + "Q @ K.T", value="array([[0, 4],\n       [3, 9]])"))
    first = wrong.first_wrong
    assert first is not None
    assert (first.name, first.row, first.col, first.printed, first.right) == ("Q @ K.T", 2, 2, "9", "8")
    assert first.arithmetic == "2×4 + 3×0 = 8"
    assert first.file == "notes.ipynb, output of cell 1"
    assert first.line == 2
    assert checked(cell(GIVEN + "Q @ K.T", value="array([[0, 4],\n       [3, 8]])")).checked == 1


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ([cell("x = 3"), cell("x * 4", value="13", count=5)], "a cell run again, or gone"),
        ([cell("x = 3", count=2), cell("x * 4", value="13", count=1)], "out of order"),
        ([cell("x = 3", count=None), cell("x * 4", value="13", count=1)], "never run"),
        ([cell("x = f()\nx * 4", value="13")], "an unknown function"),
        ([cell("import numpy as np\nx = np.random.rand(3)\nx * 4", value="array([1., 2., 3.])")], "random"),
        ([cell("x = [3]\nf(x)\nx[0] * 4", value="13")], "changed by a function"),
        ([cell("import numpy as np\nx = np.array([3.0])\ny = x\nf(x)\ny * 4", value="array([13.])")], "an alias"),
        ([cell("x = 3\nfrom other import *\nx * 4", value="13")], "a name that may be another's"),
        ([cell("%%bash\nx = 3"), cell("x * 4", value="13", count=2)], "another language"),
        ([cell("x = 3\nwhile True:\n    x = 4\nx * 4", value="13")], "a loop that is not followed"),
        ([cell("import numpy as np\nnp.arange(9) * 4", value="array([0, 4, ..., 28, 99])")], "numbers left out"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_no_finding_where_anything_is_unknown(cells: list[dict[str, Any]], why: str) -> None:
    assert found(*cells) == [], why


def test_the_noise_of_single_precision_is_no_error() -> None:
    code = "import torch\nx = torch.tensor([0.1, 0.2])\nx.sum() * 1e4"
    assert found(cell(code, value="tensor(3000.0002)")) == []
