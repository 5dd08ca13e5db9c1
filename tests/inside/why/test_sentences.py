"""The sentences, each from figures that are known."""

import pytest
from helpers.reasons_given import why, word

from glassformer.inside.why.direct_parts import Directly, DirectPart
from glassformer.inside.why.patching import PatchedPart
from glassformer.inside.why.reasons import HeadOff, Twin, TwinStage, WordShare
from glassformer.inside.why.sentences import (
    DISAGREE,
    SEVERAL,
    doubted,
    headline,
    opposed,
    opposed_heads,
    parted_words,
    plainly,
    signed,
    told,
)
from glassformer.inside.why.trials import OtherOrders, RandomTexts

EITHER = "Another word says the same, or several work together."
PARTED = (
    f"{DISAGREE}: *kalt* +4.8 shared out, +0.06 left out; *trinkt* +0.06 shared out, +3.6 left out; "
    f"*.* −1.8 shared out, +0.47 left out. {EITHER}"
)
NOT_GOOD = (word("not", 3.9, 2.0), word("good", -1.2, -0.5), word("at", -0.1, 0.0))


def test_the_answer_in_one_sentence() -> None:
    assert headline(why(*NOT_GOOD)) == (
        "Negative by 2.6 over positive. Shared out, for: *not* +3.9; against: *good* −1.2. "
        "Left out (another measure): without *not* it is 2.0 less."
    )
    behind = headline(why(word("not", 0.5, -0.25), margin=-0.5, family="translator", answer="Wo", rival="Wie"))
    assert behind == (
        "“Wo” is behind “Wie” by 0.50. Shared out, for: *not* +0.50; all others −1.0. "
        "Left out (another measure): without *not* it is 0.25 more."
    )


def test_the_blank_stands_among_the_reasons_and_what_is_named_adds_up() -> None:
    many = [word(each, 0.5, 0.4) for each in "abcde"]  # each too small to be named
    said = headline(why(*many, word("milk", -5.8, -5.0), blank=5.9))
    assert "Shared out, for: the blank +5.9; against: *milk* −5.8; all others +2.5. Left" in said


def test_a_word_that_was_read_and_written_says_which() -> None:
    ai = WordShare("AI", 12.9, 2.2, True, (("AI", 12.9),))
    said = headline(why(ai, word("AI", -12.5, -4.6), word("I", 2.2, 2.0)))
    assert "for: the written *AI* +12.9, *I* +2.2; against: the read *AI* −12.5. Left" in said
    assert said.endswith("without the written *AI* it is 2.2 less.")


def test_the_blank_is_named_and_the_error_printed() -> None:
    said = told(why(*NOT_GOOD))[-1]
    assert said.startswith("Measured from a blank on which the model is undecided")
    assert said.endswith("the parts add up to 2.6 (error 0.00002).")
    said = told(why(*NOT_GOOD, blank=-1.5, closed=0.012))[-1]
    assert "a blank of spaces, which has a margin of −1.5 by itself; with it the parts add up to 2.6" in said
    assert said.endswith("with it the parts add up to 2.6 (error 0.01200).")  # less than a hundredth of the margin
    said = told(why(*NOT_GOOD, blank=-1.5, closed=0.12))[-1]
    assert said.endswith("Of that, 0.12 could only be shared out in proportion: the way has many sharp bends.")
    assert "the parts add up to −13.6 (error" in told(why(*NOT_GOOD, margin=-13.6))[-1]
    assert "Most of it stands there already" in told(why(*NOT_GOOD, blank=6.5))[-1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (NOT_GOOD, ""),
        ((word("kalt", 4.8, 0.06), word("trinkt", 0.06, 3.6), word("milk", -5.8, -5.0), word(".", -1.8, 0.47)), PARTED),
        ((word("poor", 0.8, 0.03), word("poor", 0.8, 0.02), word("poor", 1.0, -0.01)), SEVERAL),
        (
            (word("not", 3.9, 2.0), word("good", -1.2, -2.5)),
            f"{DISAGREE}: *not* comes first shared out, *good* left out.",
        ),
        (
            (word("not", 3.9, -2.0), word("good", -1.2, -0.5)),
            f"{DISAGREE}: *not* +3.9 shared out, −2.0 left out. {EITHER}",
        ),
        ((word("good", 2.6, 5.0),), ""),
    ],
)
def test_where_it_is_doubted(words: tuple[WordShare, ...], said: str) -> None:
    assert doubted(why(*words)) == said
    assert not said or said in told(why(*words))


@pytest.mark.parametrize(
    ("share", "without", "parts"),
    [
        (4.8, 0.06, True),
        (0.06, 3.6, True),
        (4.0, 2.0, False),
        (-1.8, 0.47, True),  # of opposite signs
        (-1.8, 0.2, False),  # too small to tell
        (-1.0, 0.9, False),
    ],
)
def test_a_word_parts_by_the_largest_value(share: float, without: float, parts: bool) -> None:
    asked = word("kalt", share, without)
    assert (asked in parted_words(why(asked, word("milk", -5.8, -5.0)))) is parts
    silent = why(asked, word("milk", -5.8, -5.0), random=RandomTexts(32, 2.4, 0.3, 0.11))
    assert parted_words(silent) == []


def test_the_margin_is_a_scale_too() -> None:
    assert parted_words(why(word("a", 1.0, 0.0), margin=1.0)) == [word("a", 1.0, 0.0)]
    assert parted_words(why(word("a", 1.0, 0.0), margin=3.0)) == []


def test_heads_that_add_one_way_and_work_the_other() -> None:
    parts = (DirectPart("0.mixed", 0, "head 1", 2.0), DirectPart("0.mixed", 1, "head 2", 0.7))
    heads = (HeadOff("0.mixed", 0, "head 1", 1.0), HeadOff("0.mixed", 1, "head 2", -0.9))
    assert opposed_heads(why(direct=Directly(parts, 0.0), heads=heads)) == [heads[1]]
    assert opposed_heads(why(heads=heads)) == []
    assert not opposed(0.7, 0.9, 2.6)


def test_nothing_carries_it() -> None:
    silent = why(*NOT_GOOD, random=RandomTexts(32, 2.4, 0.3, 0.11), orders=OtherOrders(16, 9))
    said = told(silent)
    assert said[0].startswith("Negative by 2.6 over positive, and nothing carries it: 32 texts of random words")
    assert "*not*" not in said[0]
    assert len(said) == 2
    assert told(why(*NOT_GOOD, known="It guesses."))[1] == "It guesses."


def test_order_counts_from_a_quarter_on() -> None:
    first, second, *_ = told(why(*NOT_GOOD, orders=OtherOrders(16, 4)))
    assert first == (
        "Negative by 2.6 over positive, and order counts: with the same words in another order it turns in 4 of 16 "
        "tries, so no share per word is right; ask with a twin."
    )
    assert second.startswith("Shared out, for: *not* +3.9; against: *good* −1.2. Left out")
    assert not any("order" in each for each in told(why(*NOT_GOOD, orders=OtherOrders(16, 3))))


def test_the_twin_and_where_it_turns() -> None:
    stages = (
        TwinStage("embedding", (("not", -3.0), ("good", 2.6))),
        TwinStage("after block 1", (("not", 2.0), ("good", -1.0))),
    )
    parts = (PatchedPart("block 1 · head 2", -0.5), PatchedPart("block 1 · head 1", 2.0))
    twin = Twin("so good", "positive", -3.1, (("not", "so"),), stages, parts)
    *_, first, second, _ = told(why(*NOT_GOOD, twin=twin))
    assert first == "The twin, your other text, with *so* for *not*: Positive by 3.1 over negative; the answer turns."
    assert second == (
        "The twin's row alone turns it: embedding, at *not*; after block 1, at *good*. "
        "So does the whole of block 1 · head 2."
    )
    still = Twin("not at all good", "negative", 3.0, (("", "at all"),), (), (), longer=2)
    *_, first, second, _ = told(why(*NOT_GOOD, twin=still))
    assert first.endswith("with *at all* added: Negative by 3.0 over positive; it is 0.40 more, and it does not turn.")
    assert second == "The twin has 2 more tokens than this text, so the stages cannot be compared."
    warm = Twin("warm", "negative", 3.0, (("cold", "warm"),), (), (), longer=1)
    so_far = WordShare("Der", 0.1, 0.1, True, (("Der", 0.1),))
    *_, first, second, _ = told(why(*NOT_GOOD, so_far, twin=warm))
    assert first.endswith("it does not turn. What was written so far is held fixed.")
    assert second == "*warm* is cut into more tokens than *cold*, so the stages cannot be compared."
    nowhere = Twin("so good", "positive", -3.1, (("not", "so"),), (TwinStage("embedding", (("not", 0.2),)),), ())
    assert told(why(*NOT_GOOD, twin=nowhere))[-2] == "No single place of the twin turns it."


def test_figures() -> None:
    assert [plainly(each) for each in (2.64, 0.999, 0.5, 0.004)] == ["2.6", "1.0", "0.50", "0.00"]
    assert [plainly(each) for each in (-13.6, -0.001)] == ["−13.6", "0.00"]
    assert [signed(each) for each in (2.64, -0.5, 0.0, -0.004)] == ["+2.6", "−0.50", "0.00", "0.00"]
