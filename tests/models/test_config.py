"""Configs: to plain data and back, and what is wrong in them is named."""

from typing import Any

import pytest

from glassformer.errors import InputError
from glassformer.models import config as configs
from glassformer.models.registry import MODELS, build, config_from, configure


@pytest.mark.parametrize("name", MODELS)
def test_a_config_goes_to_data_and_back(name: str) -> None:
    kind = MODELS[name]
    assert config_from(name, configs.to_dict(kind.default)) == kind.default


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"widht": 5}, "no setting 'widht' here; did you mean 'width'"),
        ({"width": 0}, "width must be a whole number from 1 up; it is 0"),
        ({"width": "wide"}, "width must be a whole number"),
        ({"width": True}, "width must be a whole number"),
        ({"dropout": 1.5}, "dropout must be a share from 0"),
        ({"positions": "spiral"}, "positions cannot be 'spiral'"),
        ({"norm": 3}, "norm must be a word"),
    ],
)
def test_a_wrong_setting_is_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        build("transformer", configure("transformer", **settings))
