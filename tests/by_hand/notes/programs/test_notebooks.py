"""Notebooks: places count within the cells."""

import json

from glassformer.by_hand.check import check_text


def test_notebooks_have_cells() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# One\n", "X = [[1, 2]]\n"]},
        {"cell_type": "code", "source": "1 + 1 == 3"},
        {"cell_type": "markdown", "source": "Then\n\n$$X + X = [[2, 5]]$$"},
    ]
    report = check_text(json.dumps({"cells": cells}), "notes.ipynb", ".ipynb")
    assert [(f.file, f.line, f.right) for f in report.findings] == [("notes.ipynb, cell 3", 3, "4")]
