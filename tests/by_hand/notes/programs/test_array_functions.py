"""Functions of arrays: the same as numpy and torch, and what is not on the list is unknown."""

from typing import Any

import numpy as np
import pytest
from helpers.notebook_cells import cell, found

from glassformer.by_hand.notes.programs.array_functions import UnknownValueError
from glassformer.by_hand.notes.programs.python_values import Program


def test_torch_divides_by_one_less() -> None:
    code = "import torch\nx = torch.tensor([1.0, 2.0, 3.0])\n"
    assert found(cell(code + "x.std()", value="tensor(1.)")) == []
    assert found(cell(code + "x.std()", value="tensor(0.8165)")) == [("0.8165", "1.0000")]
    assert found(cell(code + "x.numpy().std()", value="0.816496580927726")) == []


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
