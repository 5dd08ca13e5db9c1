"""A run as a function from a table's columns to the same columns and its answers: what Ray Data, Spark or a plain loop
calls for one batch of rows after another. It knows none of them, and no files but those of the run.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from glassformer.errors import InputError, nearest
from glassformer.objectives.predictions import Classified, Prediction, Translated
from glassformer.runs.run import load

Columns = Mapping[str, np.ndarray[Any, Any]]
BESIDE = {"classifier": "probability", "translator": "score"}  # the number beside an answer, by the family of the model


class BatchPredictor:
    """Loads a run once, then adds `prediction` to batch after batch; a classifier's `probability` or a translation's
    `score` beside it. No row is lost: one without a text gets no prediction (None, and NaN).

    column   where the texts stand
    engine   as for `glassformer predict`
    how      see `Writing`. What is drawn by chance depends on a row's place in its batch; temperature=0 does not.
    """

    def __init__(
        self, run: str | Path, column: str = "text", *, engine: str = "auto", device: str = "auto", **how: Any
    ) -> None:
        self._run, self._column, self._how = load(run, device), column, how
        self.said = self._run.use(engine).said

    def __call__(self, batch: Columns) -> dict[str, np.ndarray[Any, Any]]:
        """The columns of a batch, and the answers to its texts."""
        if self._column not in batch:
            raise InputError(f"There is no column {self._column!r}: {nearest(self._column, batch)}")
        texts = list(batch[self._column])
        places = [i for i, text in enumerate(texts) if not _missing(text)]
        for i in places:
            if not isinstance(texts[i], str):
                raise InputError(
                    f"Column {self._column!r} holds {texts[i]!s:.50}, which is no text; name another `column`."
                )
        found: list[Prediction | None] = [None] * len(texts)
        answers = self._run.predict([texts[i] for i in places], **self._how) if places else []
        for i, answer in zip(places, answers, strict=True):
            found[i] = answer
        new = {"prediction": np.array([None if each is None else each.said for each in found], dtype=object)}
        if beside := BESIDE.get(self._run.task.family):
            new[beside] = np.array([_sureness(each) for each in found])
        if taken := sorted({*new} & {*batch}):
            raise InputError(f"The table has a column {taken[0]!r} already, where the answer would stand; rename it.")
        return {**batch, **new}


def _missing(text: object) -> bool:
    """Whether a cell holds nothing: null, which may be a NaN, or blanks."""
    return text is None or text != text or (isinstance(text, str) and not text.strip())


def _sureness(found: Prediction | None) -> float:
    """The probability of a label, or the score of a translation."""
    if isinstance(found, Classified):
        return found.scores[found.label]
    return found.score if isinstance(found, Translated) else float("nan")
