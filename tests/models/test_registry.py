"""The table of models: what is built from each name."""

import pytest
import torch

from glassformer.errors import InputError
from glassformer.models.registry import build


@pytest.mark.parametrize(
    ("name", "count"),
    [("rnn", 2_572_546), ("bilstm", 2_758_786), ("mlp", 68_228_482), ("conv", 4_641_538), ("conv-pool", 2_806_402)],
)
def test_the_notes_models_have_the_notes_sizes(name: str, count: int) -> None:
    with torch.device("meta"):
        assert sum(weight.numel() for weight in build(name).parameters()) == count


def test_an_unknown_model_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match="no model called 'transfomer'; did you mean 'transformer'"):
        build("transfomer")
