"""Formulas as trees that lead to their operands."""

import json
import re

import pytest
from helpers.looks import (
    small_look,
)
from helpers.small_models import SMALL

from glassformer.inside.document.data import view_data


@pytest.mark.parametrize("name", SMALL)
def test_formulas_are_drawn_and_lead_to_their_operands(name: str) -> None:
    document = view_data(small_look(name))
    for stage in document["stages"]:
        tree = json.dumps(document["formulas"][stage["formula"]], ensure_ascii=False)
        assert "\\\\" not in tree, tree
        for operand in re.findall(r'"data-operand": "(\d)"', tree):
            assert stage["operands"][int(operand)] in {each["address"] for each in document["stages"]}
