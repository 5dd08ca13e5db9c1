"""A run over the columns of a table: the answers of `predict`, no row lost, nothing overwritten. Ray itself is tried by
bench/parquet.py."""

import math
from pathlib import Path

import numpy as np
import pytest
from helpers.small_runs import small_run

from glassformer.errors import InputError
from glassformer.runs.batch_predictor import BatchPredictor
from glassformer.runs.run import Run, load


def column(*values: object) -> "np.ndarray[tuple[int], np.dtype[np.object_]]":
    return np.array(values, dtype=object)


def test_a_classifier_adds_its_label_and_how_sure_it_is(classifier: Run) -> None:
    assert classifier.folder is not None
    batch = {"number": np.array([7, 5, 3, 2]), "review": column("not good", None, "so bad", " ")}
    found = BatchPredictor(classifier.folder, "review", engine="torch")(batch)
    first, last = classifier.predict(["not good", "so bad"])
    assert found["prediction"].tolist() == [first.said, None, last.said, None]
    sure = found["probability"]
    assert [math.isnan(each) for each in sure] == [False, True, False, True]
    assert sure[0] == pytest.approx(max(first.scores.values()), abs=1e-6)  # type: ignore[union-attr]
    assert found["number"].tolist() == [7, 5, 3, 2]


def test_columns_are_the_same_where_no_row_has_a_text(classifier: Run) -> None:
    predictor = BatchPredictor(classifier.folder, engine="torch")  # type: ignore[arg-type]
    found = predictor({"text": column(None, math.nan)})
    assert list(found) == ["text", "prediction", "probability"]
    assert found["prediction"].tolist() == [None, None]


@pytest.mark.parametrize(("objective", "beside"), [("pairs", ["score"]), ("answers", [])])
def test_writers(objective: str, beside: list[str], tmp_path: Path) -> None:
    small_run(tmp_path / "run", objective)
    found = BatchPredictor(tmp_path / "run", engine="torch", longest=5)({"text": column("3 1 2")})
    assert list(found) == ["text", "prediction", *beside]
    assert found["prediction"][0] == load(tmp_path / "run").predict(["3 1 2"], longest=5)[0].said


def test_tables_that_do_not_fit_are_refused(classifier: Run) -> None:
    predictor = BatchPredictor(classifier.folder, engine="torch")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no column 'text': did you mean 'texts'"):
        predictor({"texts": column("good")})
    with pytest.raises(InputError, match="holds 3, which is no text"):
        predictor({"text": np.array([3])})
    with pytest.raises(InputError, match="a column 'prediction' already"):
        predictor({"text": column("good"), "prediction": column("bad")})
