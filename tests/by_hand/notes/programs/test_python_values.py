"""A program walked through and never run: what its names come to."""

from pathlib import Path

import pytest
from helpers.notebook_cells import cell, checked, found


def test_functions_that_the_notebook_defines() -> None:
    code = (
        "import torch\nimport torch.nn.functional as F\ndef attend(q, k, v):\n    s = q @ k.T / k.shape[-1] ** 0.5\n"
        "    w = F.softmax(s, dim=-1)\n    return w @ v, w\n"
        "x = torch.tensor([[1.0, 0.0], [0.0, 1.0]])\nout, w = attend(x, x, x)"
    )
    shown = "tensor([[0.6698, 0.3302],\n        [0.3302, 0.6698]], grad_fn=<MmBackward0>)"
    assert checked(cell(code), cell("w", value=shown, count=2)).checked == 1
    assert found(cell(code), cell("w", value=shown.replace("0.6698]]", "0.6998]]"), count=2)) == [("0.6998", "0.6698")]


def test_an_array_changed_in_place_is_changed_under_all_its_names() -> None:
    code = "import numpy as np\nimport torch\na = np.array([1.0, 2.0])\nb = torch.from_numpy(a)\na[0] = 9\nb"
    assert checked(cell(code, value="tensor([9., 2.], dtype=torch.float64)")).checked == 1
    assert found(cell(code, value="tensor([1., 2.], dtype=torch.float64)")) == [("1.", "9")]


@pytest.mark.parametrize(
    "code",
    [
        "import os\nos.system('touch never-made')",
        "__import__('os').system('touch never-made')",
        "open('never-made', 'w')",
        "().__class__.__bases__[0].__subclasses__()",
        "[].append.__self__",
        "x = 9 ** 9 ** 9",
        "x = [0] * 10 ** 9",
        "x = 'a' * 10 ** 9",
        "import numpy as np\nx = np.zeros((10 ** 6, 10 ** 6))",
        "import numpy as np\nx = np.ones(100000)\ny = x[:, None] * x",
        "import numpy as np\nx = np.eye(10 ** 9)",
        "x = list(range(10 ** 12))",
        "def f(n):\n    return f(n + 1)\nx = f(0)",
        "for i in range(10 ** 9):\n    x = i",
        "x = " + "(" * 500 + "1" + ")" * 500,
        "x = " + "-" * 20_000 + "1",
        "x = [i for i in range(5000) for j in range(5000)]",
    ],
)
@pytest.mark.processor_seconds(10)
def test_hostile_programs_are_walked_through_and_never_run(code: str) -> None:
    report = checked(cell(code), cell("x", value="3", count=2))
    assert report.findings == []
    assert not Path("never-made").exists()


@pytest.mark.parametrize("given", ["None", "3", "np.array(3)", "f(x)"])
def test_one_value_for_several_names_is_not_known(given: str) -> None:
    code = f"import numpy as np\nx = 2\ndef f(x):\n    pass\na, b = {given}\nc = x + 1\nc"
    assert checked(cell(code, value="3")).findings == []
