"""Varied pairs: names are exchanged on both sides, full stops lost on one, by numbers alone; all else stays."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.errors import InputError
from glassformer.text.samples import Pair
from glassformer.text.varied_pairs import VariedPairs, Variety, names_of

PAIRS = [
    Pair("Tom lives in Boston.", "Tom lebt in Boston."),
    Pair("Was Mary there?", "Was hat Maria gesagt?"),  # two words that only look alike
    Pair("Tom's dog was big.", "Toms Hund war gross. Was nun?"),
    Pair("My hand hurts.", "Die Hand von Kim tut weh."),
    Pair("Hand it to Kim.", "Gib es Kim in die Hand."),
    Pair("I live in the USA.", "Ich lebe in den USA."),
]
SEEDS = st.integers(0, 5)


def test_a_name_has_a_capital_on_both_sides_and_stands_nowhere_in_small_letters() -> None:
    assert names_of(PAIRS) == ("Boston", "Kim", "Tom", "USA")  # not Hand, not Was


@given(SEEDS, SEEDS, st.integers(0, 7))
def test_a_new_name_stands_where_the_old_one_stood(seed: int, epoch: int, index: int) -> None:
    new = VariedPairs(names_of(PAIRS), Variety(new_names=1.0), seed)
    found = new.in_place(PAIRS[0], epoch=epoch, index=index)
    source = re.fullmatch(r"(\w+) lives in (\w+)\.", found.source)
    target = re.fullmatch(r"(\w+) lebt in (\w+)\.", found.target)
    assert source is not None
    assert target is not None
    assert source.groups() == target.groups()
    assert all(name[0].isupper() and len(name) >= 2 for name in source.groups())
    assert found == new.in_place(PAIRS[0], epoch=epoch, index=index)
    whose = new.in_place(PAIRS[2], epoch=epoch, index=index)
    assert whose.source.removesuffix("'s dog was big.") + "s Hund war gross. Was nun?" == whose.target


def test_what_has_no_name_on_both_sides_stays() -> None:
    new = VariedPairs(names_of(PAIRS), Variety(new_names=1.0), 0)
    twice = Pair("Tom saw Tom.", "Er sah Tom.")
    for pair in (PAIRS[1], PAIRS[3], twice):
        assert not new.may_change(pair)
        assert new.in_place(pair, epoch=0, index=0) == pair


def test_a_share_of_the_pairs_is_changed_and_otherwise_in_each_epoch() -> None:
    new = VariedPairs(names_of(PAIRS), Variety(new_names=0.3), 5)
    found = [new.in_place(PAIRS[0], epoch=0, index=i) for i in range(2003)]
    changed = [pair for pair in found if pair != PAIRS[0]]
    assert len(changed) / 2003 == pytest.approx(0.3, abs=0.03)
    assert len({pair.source for pair in changed}) > 300
    assert found != [new.in_place(PAIRS[0], epoch=1, index=i) for i in range(2003)]
    short = [pair for pair in changed if re.match(r"[A-Z]{2,4} ", pair.source)]
    assert 0.2 < len(short) / len(changed) < 0.6


def test_a_share_of_the_sources_loses_its_full_stop() -> None:
    varied = VariedPairs((), Variety(lost_stops=0.3), 5)
    found = [varied.in_place(PAIRS[0], epoch=0, index=i) for i in range(2003)]
    assert {pair.target for pair in found} == {PAIRS[0].target}
    assert {pair.source for pair in found} == {"Tom lives in Boston.", "Tom lives in Boston"}
    assert sum(not pair.source.endswith(".") for pair in found) / 2003 == pytest.approx(0.3, abs=0.03)
    assert varied.may_change(PAIRS[0])
    always = VariedPairs((), Variety(lost_stops=1.0), 5)
    for kept in (PAIRS[1], Pair("Go on.", "Los!"), Pair(".", ".")):
        assert not always.may_change(kept)
        assert always.in_place(kept, epoch=0, index=0) == kept


@pytest.mark.parametrize("share", [-0.1, 1.1])
@pytest.mark.parametrize("name", ["new_names", "lost_stops"])
def test_a_share_that_is_none_is_refused(name: str, share: float) -> None:
    with pytest.raises(InputError, match=name):
        Variety(**{name: share})
