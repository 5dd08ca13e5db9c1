"""The recorder keeps copies of what it was shown, each under one address, and refuses what it does not know."""

import numpy as np
import pytest
import torch
from helpers import variants

from glassformer.errors import InputError
from glassformer.stages.recorder import Recorder, as_array, record


def test_a_recorder_keeps_copies() -> None:
    recorder, value = Recorder(), torch.tensor(1.0)
    recorder("scale", value)
    value += 1
    assert recorder.trace["scale"] == 1.0


def test_a_recorder_names_the_first_address_of_a_tensor() -> None:
    _, trace = record(variants.make("post-norm"))
    assert trace.entry("self.inputs").same_as == "self.skipped"
    assert trace.entry("self.queries").same_as == ""
    assert trace.entry("feed_forward.skipped").same_as == "self.norm.normed"


def test_a_stage_seen_twice_is_an_error() -> None:
    recorder = Recorder()
    recorder("scale", torch.tensor(1.0))
    with pytest.raises(InputError, match="'scale' was seen twice"):
        recorder("scale", torch.tensor(1.0))


def test_a_recorder_refuses_a_stage_that_is_not_in_the_catalogue() -> None:
    with pytest.raises(InputError, match="no stage called 'wieghts'; did you mean 'weights'"):
        Recorder()("self.wieghts", torch.ones(1, 1, 1, 1))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2])
def test_a_kind_of_float_that_numpy_lacks_is_widened_without_loss(dtype: torch.dtype) -> None:
    narrow = torch.linspace(-3, 3, 17).to(dtype)
    wide = as_array(narrow)
    assert wide.dtype == np.float32
    assert torch.equal(torch.from_numpy(wide).to(dtype).float(), narrow.float())


def test_a_module_without_stages_is_refused_with_the_way_to_look_into_it() -> None:
    with pytest.raises(InputError, match=r"Linear hands on no stages.*gf\.watch"):
        record(torch.nn.Linear(5, 3), torch.ones(2, 5))
