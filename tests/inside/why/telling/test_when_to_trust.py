"""The rules by which two measures agree, from figures that are known."""

from dataclasses import replace

import pytest
from helpers.reasons_given import why, word

from glassformer.inside.why.direct_parts import Directly, DirectPart
from glassformer.inside.why.reasons import PartOff
from glassformer.inside.why.telling.sentences import doubted
from glassformer.inside.why.telling.when_to_trust import opposed, parted_parts, parted_words, turned_words
from glassformer.inside.why.trials import RandomTexts


@pytest.mark.parametrize(
    ("share", "without", "parts"),
    [
        (4.8, 0.06, True),
        (0.06, 3.6, True),
        (4.0, 2.0, False),
        (-1.8, 0.47, True),  # of opposite signs
        (-1.8, 0.2, True),  # too small for opposite signs, but all of it is lost
        (-1.8, -0.5, False),
        (-1.3, 0.2, False),  # too small to tell
        (-1.0, 0.9, True),  # as large as many a word that is named
    ],
)
def test_a_word_parts_by_the_largest_value(share: float, without: float, parts: bool) -> None:
    asked = word("kalt", share, without)
    assert (asked in parted_words(why(asked, word("milk", -5.8, -5.0)))) is parts
    silent = why(asked, word("milk", -5.8, -5.0), random=RandomTexts(32, 2.4, 0.3, 0.11))
    assert parted_words(silent) == []


def test_a_word_against_the_answer_that_the_answer_needs_contradicts_itself() -> None:
    """By its share *drinking* speaks against it, too little to part by size; without it another answer is given."""
    drinking = replace(word("drinking", -0.4, 0.2), says="in", turns=True)
    assert parted_words(why(drinking, word("milk", 2.5, 5.6))) == [word("milk", 2.5, 5.6), drinking]
    assert "*drinking* share −0.40, without it 0.20 less" in doubted(why(drinking, word("milk", 5.5, 5.6)))
    assert parted_words(why(replace(drinking, turns=False), word("milk", 5.5, 5.6))) == []
    assert parted_words(why(replace(drinking, share=0.4), word("milk", 5.5, 5.6))) == []


def test_a_full_stop_that_speaks_for_it_by_one_measure_alone_is_marked() -> None:
    """“The plot was thin, but the actors were wonderful.”: by leaving out, its full stop speaks against it."""
    wonderful, were, stop = word("wonderful", 3.0, 3.2), word("were", -0.49, 0.15), word(".", 0.31, -0.28)
    assert turned_words(why(wonderful, were, stop, margin=0.24)) == [stop]


def test_the_margin_is_a_scale_too() -> None:
    assert parted_words(why(word("a", 1.0, 0.4), margin=1.0)) == [word("a", 1.0, 0.4)]
    assert parted_words(why(word("a", 1.0, 0.4), margin=3.0)) == []


def test_however_large_the_margin_a_word_that_loses_its_whole_share_is_told() -> None:
    rainy, was, said = word("rainy", 4.9, 4.0), word("was", 3.7, 0.74), word("said", 2.9, -0.06)
    assert parted_words(why(rainy, was, said, word("in", 1.0, 0.0), margin=12.5)) == [was, said]
    assert "*was* share +3.7, without it 0.74 less" in doubted(why(rainy, was, said, margin=12.5))
    head = PartOff("0.mixed", 0, "head 1", 2.0)
    direct = Directly((DirectPart("0.mixed", 0, "head 1", 0.02),), 0.0)
    assert parted_parts(why(direct=direct, switched_off=(head,), margin=12.5)) == [head]
    assert parted_words(why(word("a", 1.0, 0.0), margin=11.0)) == []  # a tenth of the margin is nothing to speak of


def test_heads_part_by_the_rule_of_words() -> None:
    values = ((2.0, 1.0), (0.7, -0.9), (0.1, 2.2), (0.1, -0.1))  # directly, and off
    parts = tuple(DirectPart("0.mixed", i, f"head {i}", direct) for i, (direct, _) in enumerate(values))
    heads = tuple(PartOff("0.mixed", i, f"head {i}", less) for i, (_, less) in enumerate(values))
    assert parted_parts(why(direct=Directly(parts, 0.0), switched_off=heads)) == [heads[1], heads[2]]
    far = PartOff("encoder.0.mixed", 0, "head", 9.0)  # nothing of it is direct: there is nothing to compare
    assert parted_parts(why(direct=Directly(parts[:1], 0.0), switched_off=(far, heads[0]))) == []
    assert parted_parts(why(switched_off=heads)) == []
    assert not opposed(0.7, 0.9, 2.6)
