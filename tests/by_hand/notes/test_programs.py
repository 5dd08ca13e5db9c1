"""Programs in notes: what they print is laid beside what their text gives; nothing is run, and doubt is silence."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from glassformer.by_hand.check import check_document, check_text
from glassformer.by_hand.checking.findings import Report
from glassformer.by_hand.notes.programs.array_functions import UnknownValueError
from glassformer.by_hand.notes.programs.fences import blocks_of
from glassformer.by_hand.notes.programs.python_values import Program
from glassformer.by_hand.notes.reading import open_bytes

GIVEN = "import numpy as np\nQ = np.array([[1, 0], [2, 3]])\nK = np.array([[0, 1], [4, 0]])\n"


def cell(code: str, printed: str = "", value: str = "", count: int | None = 1) -> dict[str, Any]:
    outputs: list[dict[str, Any]] = []
    if printed:
        outputs.append({"output_type": "stream", "name": "stdout", "text": printed})
    if value:
        outputs.append({"output_type": "execute_result", "data": {"text/plain": value}})
    return {"cell_type": "code", "execution_count": count, "source": code, "outputs": outputs}


def checked(*cells: dict[str, Any]) -> Report:
    data = json.dumps({"cells": cells, "nbformat": 4, "metadata": {}}).encode()
    return check_document(open_bytes(data, "notes.ipynb", ".ipynb"))


def found(*cells: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each.printed, each.right) for each in checked(*cells).findings]


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


def test_functions_that_the_notebook_defines() -> None:
    code = (
        "import torch\nimport torch.nn.functional as F\ndef attend(q, k, v):\n    s = q @ k.T / k.shape[-1] ** 0.5\n"
        "    w = F.softmax(s, dim=-1)\n    return w @ v, w\n"
        "x = torch.tensor([[1.0, 0.0], [0.0, 1.0]])\nout, w = attend(x, x, x)"
    )
    shown = "tensor([[0.6698, 0.3302],\n        [0.3302, 0.6698]], grad_fn=<MmBackward0>)"
    assert checked(cell(code), cell("w", value=shown, count=2)).checked == 1
    assert found(cell(code), cell("w", value=shown.replace("0.6698]]", "0.6998]]"), count=2)) == [("0.6998", "0.6698")]


def test_torch_divides_by_one_less() -> None:
    code = "import torch\nx = torch.tensor([1.0, 2.0, 3.0])\n"
    assert found(cell(code + "x.std()", value="tensor(1.)")) == []
    assert found(cell(code + "x.std()", value="tensor(0.8165)")) == [("0.8165", "1.0000")]
    assert found(cell(code + "x.numpy().std()", value="0.816496580927726")) == []


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


def test_an_array_changed_in_place_is_changed_under_all_its_names() -> None:
    code = "import numpy as np\nimport torch\na = np.array([1.0, 2.0])\nb = torch.from_numpy(a)\na[0] = 9\nb"
    assert checked(cell(code, value="tensor([9., 2.], dtype=torch.float64)")).checked == 1
    assert found(cell(code, value="tensor([1., 2.], dtype=torch.float64)")) == [("1.", "9")]


def test_the_noise_of_single_precision_is_no_error() -> None:
    code = "import torch\nx = torch.tensor([0.1, 0.2])\nx.sum() * 1e4"
    assert found(cell(code, value="tensor(3000.0002)")) == []


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
@pytest.mark.timeout(10)
def test_hostile_programs_are_walked_through_and_never_run(code: str) -> None:
    report = checked(cell(code), cell("x", value="3", count=2))
    assert report.findings == []
    assert not Path("never-made").exists()


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("x = np.array([[1, 2], [3, 4]])\nx.T.reshape(-1)", [1, 3, 2, 4]),
        ("np.maximum(np.array([-1.0, 2.0]), 0)", [0, 2]),
        ("torch.softmax(torch.tensor([0.0, 0.0]), dim=0)", [0.5, 0.5]),
        ("np.tril(np.ones((2, 2)))", [[1, 0], [1, 1]]),
        ("x = {'a': [1, 2]}\nx['a'][1] if len(x['a']) == 2 else 0", 2),
        ("x = np.zeros(3)\nfor i, v in enumerate([5, 6, 7]):\n    x[i] = v\nx", [5, 6, 7]),
        ("scores = torch.tensor([[1.0, 2.0]]).masked_fill(torch.tensor([[False, True]]), -1.0)\nscores", [[1, -1]]),
        ("x = 2\nx += 3\nx ** 2", 25),
    ],
)
def test_the_same_as_numpy(code: str, value: Any) -> None:
    program = Program()
    last = program.run(code)
    assert last is not None
    assert np.asarray(program.value(last.value)).tolist() == value


def test_what_is_not_on_the_list_is_unknown() -> None:
    program = Program()
    last = program.run("np.linalg.inv(np.eye(2))")
    assert last is not None
    with pytest.raises(UnknownValueError):
        program.value(last.value)


# --- in code blocks ---------------------------------------------------------------------------------------------------

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
