"""The table of models: what is built from each name."""

import pytest
import torch
from helpers.small_models import SIZES_IN_THE_NOTES

from glassformer.errors import InputError
from glassformer.models.registry import build


@pytest.mark.parametrize("name", SIZES_IN_THE_NOTES)
def test_the_notes_models_have_the_notes_sizes(name: str) -> None:
    with torch.device("meta"):
        assert sum(weight.numel() for weight in build(name).parameters()) == SIZES_IN_THE_NOTES[name]


def test_an_unknown_model_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match="no model called 'transfomer'; did you mean 'transformer'"):
        build("transfomer")
