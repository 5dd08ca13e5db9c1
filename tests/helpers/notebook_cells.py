"""Cells of a notebook, and what a check of them finds."""

import json
from typing import Any

from glassformer.by_hand.check import check_document
from glassformer.by_hand.checking.findings import Report
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
