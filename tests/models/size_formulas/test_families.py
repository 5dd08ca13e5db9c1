"""What a family has beside its blocks, against the arithmetic of its cells."""

from glassformer.models.registry import MODELS, configure
from glassformer.models.size_formulas.families import PLANS
from glassformer.models.sizes import sizes


def test_every_kind_of_config_has_a_plan() -> None:
    assert {type(each.default) for each in MODELS.values()} == set(PLANS)


def test_an_lstm_works_four_times_as_much_as_a_plain_network() -> None:
    plain, lstm = (sizes("rnn", configure("rnn", state=7, layers=2, lstm=lstm), tokens=11) for lstm in (False, True))
    assert lstm.forward - lstm.rows[-1].flops == 4 * (plain.forward - plain.rows[-1].flops)
