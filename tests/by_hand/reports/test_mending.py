"""Corrected copies: what is certain is corrected, and all else is kept."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from glassformer.by_hand.check import check_document, check_text
from glassformer.by_hand.exercises.planting import plant
from glassformer.by_hand.exercises.workings import VARIANTS, make_working
from glassformer.by_hand.exercises.writing import STYLES, write
from glassformer.by_hand.notes.reading import open_bytes
from glassformer.by_hand.reports.mending import mend, mended_text
from glassformer.commands.check_work.check import check


def test_what_is_only_probable_is_not_corrected() -> None:
    document = open_bytes(b"1 + 1 = 3", "notes")
    (correction,) = check_document(document).corrections["notes"]
    assert mended_text(document, [correction]) == "1 + 1 = 2"
    assert mended_text(document, [replace(correction, certain=False)]) == "1 + 1 = 3"


def test_a_corrected_notebook_keeps_everything_else(tmp_path: Path) -> None:
    path = tmp_path / "notes.ipynb"
    cells = [{"cell_type": "code", "source": ["1"]}, {"cell_type": "markdown", "source": ["so\n", "1 + 1 = 3"]}]
    path.write_text(json.dumps({"cells": cells, "metadata": {"a": 1}}), encoding="utf-8")
    check(str(path), fix=True, quiet=True, out=tmp_path / "mended.ipynb")
    mended = json.loads((tmp_path / "mended.ipynb").read_text(encoding="utf-8"))
    assert mended["cells"][1]["source"] == ["so\n", "1 + 1 = 2"]
    assert (mended["cells"][0], mended["metadata"]) == (cells[0], {"a": 1})


@pytest.mark.parametrize("seed", range(15))
def test_what_was_corrected_is_right(seed: int) -> None:
    working = make_working(seed, VARIANTS[seed % len(VARIANTS)], width=2 + seed % 3)
    slipped, planted = plant(working, seed, count=1 + seed % 2)
    assert planted
    report = check_text(write(slipped, STYLES[seed % len(STYLES)]))
    assert report.first_wrong is not None
    mended = mend(report.documents[0], report.corrections["text"])
    assert check_text(mended).first_wrong is None
