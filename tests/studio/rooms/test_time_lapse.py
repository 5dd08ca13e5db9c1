"""A time-lapse: the same texts given to the model of each checkpoint."""

from pathlib import Path

import numpy as np
import pytest
from helpers.small_requests import request

from glassformer.runs.folder import RunFolder
from glassformer.studio.rooms.time_lapse import SAMPLES, Lapse
from glassformer.text.samples import text_of
from glassformer.training.course import teach


def test_every_checkpoint_is_asked_the_same_texts(tmp_path: Path) -> None:
    settings = {"validate_every": 0.1, "learning_rate": 0.5}
    teach(request("classify", "negation:100", steps=3, keep_all=True, settings=settings), tmp_path / "run")
    folder = RunFolder.open(tmp_path / "run")
    lapse = Lapse(folder)
    lengths = [len(text_of(sample)) for sample in lapse.samples]
    assert lengths == sorted(lengths, reverse=True)
    assert len(lengths) == SAMPLES
    first, last = (lapse.frame(step) for step in (folder.checkpoints()[0], folder.checkpoints()[-1]))
    assert first["step"] < last["step"]
    assert [each["text"] for each in first["answers"]] == [each["text"] for each in last["answers"]]
    heads = [np.array(frame["patterns"][0]["heads"]) for frame in (first, last)]
    assert heads[0].sum(-1) == pytest.approx(1, abs=1e-2)
    assert not np.array_equal(*heads)
    assert lapse.frame(last["step"]) is last
