"""The sentences, each from figures that are known."""

from dataclasses import replace
from typing import Any

import pytest
from helpers.reasons_given import why, word

from glassformer.inside.why.reasons import PartOff, Reasons, Together, Twin, TwinPart, TwinStage, WordShare
from glassformer.inside.why.telling.sentences import (
    DISAGREE,
    ONLY,
    OPPOSED,
    REPEATED,
    TOGETHER,
    doubted,
    headline,
    plainly,
    signed,
    told,
    verdict,
)
from glassformer.inside.why.telling.when_to_trust import parted_words, shares_mislead
from glassformer.inside.why.trials import OtherOrders, RandomTexts

NONE_ALONE = "No single word carries it: leaving out any one of them changes little."
PARTED = (
    f"{DISAGREE}: *kalt* share +4.8, without it 0.06 less; *trinkt* share +0.06, without it 3.6 less; "
    f"*.* share −1.8, without it 0.47 less. {OPPOSED} {REPEATED} {TOGETHER}"
)
NOT_GOOD = (word("not", 3.9, 2.0), word("good", -1.2, -0.5), word("at", -0.1, 0.0))


def test_the_answer_in_one_sentence() -> None:
    assert headline(why(*NOT_GOOD)) == (
        "Negative by 2.6 over positive. Words for it: *not* +3.9; against it: *good* −1.2. "
        "Left out one at a time (another measure): without *not* it is 2.0 less."
    )
    behind = headline(why(word("not", 0.5, -0.25), margin=-0.5, family="translator", answer="Wo", rival="Wie"))
    assert behind == (
        "“Wo” is behind “Wie” by 0.50. Words for it or against it, the two measures disagree: *not* +0.50 ≠; all "
        "others −1.0. "
        "Left out one at a time (another measure): without *not*, of an empty text, it is 0.25 more."
    )


def test_a_word_that_the_measures_have_on_opposite_sides_is_no_plain_reason() -> None:
    good, that = word("good", 3.0, 3.2), word("that", -1.25, 1.1)
    assert headline(why(good, that, word(".", 0.75, 0.5), margin=2.5)).startswith(
        "Negative by 2.5 over positive. Words for it: *good* +3.0, *.* +0.75; for it or against it, the two measures "
        "disagree: *that* −1.2 ≠. Left out"
    )


def test_a_lead_that_two_decimals_would_call_none_is_not_none() -> None:
    assert verdict(why(*NOT_GOOD), 0.003) == "Negative by less than 0.005 over positive"
    assert verdict(why(*NOT_GOOD), -0.003, begin=False) == "negative is behind positive by less than 0.005"
    assert verdict(why(*NOT_GOOD), 0.005) == f"Negative by {plainly(0.005)} over positive"


def test_a_word_that_stands_several_times_is_named_once_for_each_side() -> None:
    superb = (word("superb", 0.75, 0.1), word("superb", 0.5, 0.2), word("superb", -0.25, 0.0))
    assert "Words for it: *superb* (2 times) +1.2; against it: *superb* −0.25." in headline(why(*superb, margin=1.0))


def test_of_a_word_that_stands_several_times_it_is_said_which_is_left_out() -> None:
    the = word("the", 0.5, 0.25)
    assert headline(why(the, word("old", 0.5, 0.1), word("the", 0.5, 2.0))).endswith(
        "without the second *the* it is 2.0 less."
    )
    both = [replace(turning("AI", 0.5), written=True), word("AI", 0.1, 0.1), replace(turning("AI", 0.75), written=True)]
    assert "any one of the second written *AI*, the first written *AI* it would say" in headline(why(*both))


def test_an_answer_whose_words_nearly_cancel_says_so_first() -> None:
    both = (word("lovely", 2.75, 3.0), word("fine", 0.25, 0.5), word("watch", -2.5, -3.5))
    assert headline(why(*both, margin=0.5)).startswith(
        "Negative by 0.50 over positive, and words pull both ways: all for it come to +3.0, all against it to "
        "−2.5. Words for it: *lovely* +2.8; against it: *watch* −2.5"
    )
    assert "both ways" not in headline(why(*both, margin=0.56))


def test_that_several_say_the_same_was_tried_by_leaving_all_of_them_out() -> None:
    none = "No single word carries it"
    poor = (word("poor", 0.8, 0.03), word("dull", 1.2, 0.02), word("poor", 0.6, 0.1), word("the", 0.0, 0.0))
    all_three = "*poor* (2 times) and *dull*"
    for together, said in (
        (Together((0, 2, 1), 1.25), f"{none}; several say the same: without {all_three} together it is 1.2 less."),
        (
            Together((0, 2, 1), 3.5, says="positive", turns=True),
            f"{none}; several say the same: without {all_three} together it is 3.5 less, and it would say positive.",
        ),
        (
            Together((0, 2, 1), 0.8),
            f"{none}: leaving out any one of them changes little; without {all_three} together it is 0.80 less.",
        ),
        (Together((0, 2, 1), -0.2), f"{none}, nor {all_three} together: without these it is 0.20 more."),
    ):
        assert doubted(why(*poor, together=together)) == said
    assert doubted(why(*poor, together=Together((0, 1), 2.0), blank=1.0)) == (
        f"{none}: leaving out any one of them changes little; without *poor* and *dull* together it is 2.0 less."
    )


def test_left_out_names_the_word_that_moves_the_margin_most() -> None:
    gibt, the = word("gibt", -5.0, 0.83), word("the", 3.1, 4.0)
    assert headline(why(gibt, the)).endswith("(another measure): without *the* it is 4.0 less.")


def turning(text: str, without: float, says: str = "positive") -> WordShare:
    return replace(word(text, 1.0, without), says=says, turns=True)


def test_words_without_which_it_would_say_something_else_are_named() -> None:
    first, second, third = turning("brilliant", 3.0), turning("masterpiece", 2.9), turning("yet", 2.7)
    still = word("a", 0.4, 0.1)
    assert headline(why(first, still)).endswith("without *brilliant* it is 3.0 less, and it would say positive.")
    assert headline(why(first, second, third, still)).endswith(
        "without *brilliant* it is 3.0 less; without any one of *brilliant*, *masterpiece*, *yet* it would say "
        "positive."
    )
    other = replace(second, says="neutral")
    assert headline(why(first, other)).endswith(
        "without *brilliant* it is 3.0 less, and it would say positive; without *masterpiece* it would say neutral "
        "(neutral is then ahead of the two compared here)."
    )
    assert headline(why(word("not", 3.9, 2.0), turning("at", 0.1))).endswith(
        "without *not* it is 2.0 less; without *at* it would say positive."
    )
    many = [turning(each, 3.0) for each in "abcdef"]
    assert "without any one of *a*, *b*, *c*, *d* or 2 more it would say" in headline(why(*many))
    assert not any("No single word" in each for each in told(why(turning("at", 0.1), word("a", 0.2, 0.1))))


def test_of_an_only_word_it_is_said_that_nothing_is_left_and_no_other_word_says_the_same() -> None:
    good = why(word("good", 2.7, 0.1), margin=2.7)
    assert headline(good).endswith("without *good*, of an empty text, it is 0.10 less.")
    assert doubted(good) == f"{DISAGREE}: *good* share +2.7, without it 0.10 less. {ONLY}"
    two = why(word("good", 2.7, 0.1), word("film", 0.1, 0.5), margin=2.7)
    assert "empty" not in headline(two)
    assert doubted(two).endswith(REPEATED)


def test_a_third_token_that_wins_though_the_margin_grows_is_told_apart() -> None:
    """Without *runs* “durch” is further ahead of “im”, and “nach” ahead of both."""
    runs = replace(word("runs", 0.5, -1.3), says="nach", turns=True)
    asked = why(runs, word("A", 0.4, 0.1), family="translator", answer="durch", rival="im")
    assert headline(asked).endswith(
        "without *runs* it is 1.3 more, and it would say “nach”, a third answer, ahead of the two compared here."
    )


def test_heads_without_which_it_would_say_something_else_are_named() -> None:
    parts = (
        PartOff("0.mixed", 0, "head 1", 2.7, "positive", True),
        PartOff("0.mixed", 1, "head 2", 3.0, "positive", True),
        PartOff("0.mixed", 2, "head 3", 1.0, "negative", False),
        PartOff("0.contracted", None, "block 1 · feed-forward", 9.0, "positive", True),
    )
    assert "With any one of head 2, head 1 switched off it would say positive." in told(
        why(*NOT_GOOD, switched_off=parts)
    )
    assert "With head 1 switched off it would say positive." in told(why(*NOT_GOOD, switched_off=parts[:1]))
    assert not any("switched off" in each for each in told(why(*NOT_GOOD, switched_off=parts[2:])))


def test_the_blank_is_no_reason_and_what_is_named_adds_up() -> None:
    many = [word(each, 0.4, 0.3) for each in "abcdef"]  # each too small to be named
    said = headline(why(*many, word("milk", -4.7, -5.0), blank=4.9))
    assert "Words against it: *milk* −4.7; all others +2.4. A text of nothing but spaces has +4.9 already; " in said
    assert "already; all words together add −2.3. Left" in said
    assert "nothing but" not in headline(why(*NOT_GOOD))
    assert doubted(why(word("a", 0.1, 0.1), word("b", 0.1, 0.1), blank=2.4)) == NONE_ALONE
    last = replace(word("bre", 5.2, 0.0), asks_other=True)
    assert doubted(why(word("a", 0.1, 0.1), word("b", 0.1, 0.1), last)) == (
        "No single word before *bre* carries it: leaving out any one of them changes little."
    )


def test_the_last_word_before_the_answer_is_told_apart() -> None:
    qu = replace(word("qu", 3.1, -0.08), asks_other=True, turns=True, says="t")
    asked = why(qu, word("the", 0.1, 0.05), margin=2.5, family="language model", answer="e", rival="i")
    assert headline(asked).endswith("without *the* it is 0.05 less.")
    alone = why(qu, margin=2.5, family="language model", answer="e", rival="i")
    assert headline(alone).endswith("without *qu* it is 0.08 more, but then another question is asked.")
    assert doubted(asked) == ""
    assert parted_words(asked) == []
    assert doubted(why(qu, word("save", 0.64, 0.3), word("the", 0.63, 0.7), margin=3.1)) == ""  # level by one measure
    more = why(qu, word("save", 0.9, 0.3), word("the", 0.4, 0.7), margin=3.1)
    assert doubted(more) == f"{DISAGREE}: of the other words, *save* has the largest share, *the* counts most left out."
    read = why(replace(qu, text="AI", written=True), word("AI", 1.0, 1.0))
    assert any(each.startswith("The written *AI* is the last word before the answer") for each in told(read))
    assert (
        "*qu* is the last word before the answer: without it the model is asked another question, what "
        "comes after the text before it (it is then 0.08 more)."
    ) in told(asked)


def test_a_space_has_no_share_where_the_blank_is_spaces() -> None:
    space = replace(word("␣", 0.0, 0.74), is_blank=True)
    assert any(
        each.startswith("*␣* is what the blank is made of, so it has no share; only") for each in told(why(space))
    )
    last = replace(space, asks_other=True)
    found = told(why(last, word("king", 0.3, 0.2)))
    assert any(each.endswith("(it is then 0.74 less): neither measure tells of it.") for each in found)
    assert parted_words(why(last, word("king", 0.3, 0.2), margin=0.45)) == []


def test_a_word_that_was_read_and_written_says_which() -> None:
    ai = WordShare("AI", 12.9, 2.2, True, (("AI", 12.9),))
    said = headline(why(ai, word("AI", -12.5, -4.6), word("I", 2.2, 2.0)))
    assert "for it: the written *AI* +12.9, *I* +2.2; against it: the read *AI* −12.5. Left" in said
    assert said.endswith("without the read *AI* it is 4.6 more.")


def test_the_blank_is_named_and_the_error_printed() -> None:
    said = told(why(*NOT_GOOD))[-1]
    assert said.startswith("Measured from a blank on which the model is undecided")
    assert said.endswith("the parts add up to 2.6 (error 0.00002).")
    said = told(why(*NOT_GOOD, blank=-1.5, closed=0.012))[-1]
    assert "a blank, a text of spaces, which has a margin of −1.5 by itself; with it the parts add up to 2.6" in said
    assert said.endswith("with it the parts add up to 2.6 (error 0.01200).")  # less than a hundredth of the margin
    said = told(why(*NOT_GOOD, blank=-1.5, closed=0.12))[-1]
    assert "Of all shares, 2.3 % (0.12) could only be shared out in proportion: the margin turns too sharply" in said
    assert "the parts add up to −13.6 (error" in told(why(*NOT_GOOD, margin=-13.6))[-1]
    assert "Most of it stands there already" in told(why(*NOT_GOOD, blank=6.5))[-1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (NOT_GOOD, ""),
        ((word("kalt", 4.8, 0.06), word("trinkt", 0.06, 3.6), word("milk", -5.8, -5.0), word(".", -1.8, 0.47)), PARTED),
        ((word("poor", 0.8, 0.03), word("poor", 0.8, 0.02), word("poor", 1.0, -0.01)), NONE_ALONE),
        (
            (word("not", 3.9, 2.0), word("good", -1.2, -2.5)),
            f"{DISAGREE}: *not* has the largest share, *good* counts most left out.",
        ),
        (
            (word("not", 3.9, -2.0), word("good", -1.2, -0.5)),
            f"{DISAGREE}: *not* share +3.9, without it 2.0 more. {OPPOSED}",
        ),
        ((word("good", 2.6, 5.0),), ""),
        ((word("save", 2.64, 2.4), word("the", 2.6, 2.5)), ""),  # as good as level
    ],
)
def test_where_it_is_doubted(words: tuple[WordShare, ...], said: str) -> None:
    assert doubted(why(*words)) == said
    assert not said or said in told(why(*words))


def test_nothing_carries_it() -> None:
    silent = why(*NOT_GOOD, random=RandomTexts(32, 2.4, 0.3, 0.11), orders=OtherOrders(16, 9, 2.0))
    said = told(silent)
    assert said[0].startswith("Negative by 2.6 over positive, and nothing carries it: 32 texts of random words")
    assert "*not*" not in said[0]
    assert len(said) == 2
    assert shares_mislead(silent)
    assert told(why(*NOT_GOOD, known="It guesses."))[1] == "It guesses."


def test_texts_that_are_answered_otherwise_are_never_said_to_get_the_same_answer() -> None:
    """An answer may be faint and yet hang on its words: then both are said."""
    few, many = (why(*NOT_GOOD, random=RandomTexts(32, 2.4, 0.72, 0.3, turned=turned)) for turned in (4, 5))
    assert "nearly the same answer" in headline(few)
    assert headline(many) == (
        "Negative by 2.6 over positive, and faintly, as a model that has learnt nothing: 32 texts of random words move "
        "its margin by 0.72 only, though 5 of them are answered otherwise; the shares of the words tell what so faint "
        "an answer hangs on, and no more."
    )
    assert shares_mislead(many)


def test_order_counts_from_a_quarter_on() -> None:
    first, second, *_ = told(why(*NOT_GOOD, orders=OtherOrders(16, 4, 2.0)))
    assert first == (
        "Negative by 2.6 over positive, and order counts: with the same words in another order it turns in 4 of 16 "
        "tries, so no share per word is right; ask with a twin."
    )
    assert second.startswith("Words for it: *not* +3.9; against it: *good* −1.2. Left out")
    assert not any("order" in each for each in told(why(*NOT_GOOD, orders=OtherOrders(16, 3, 2.0))))
    assert [shares_mislead(why(*NOT_GOOD, orders=OtherOrders(16, turned, 2.0))) for turned in (3, 4)] == [False, True]


def test_where_words_move_it_far_more_than_their_order_the_margin_is_thin() -> None:
    thin = why(*NOT_GOOD, orders=OtherOrders(16, 5, 1.29))  # a third of 3.9 is 1.3
    first, second, *_ = told(thin)
    assert first == headline(why(*NOT_GOOD))
    assert second == (
        "The margin is thin: with the same words in another order, which moves it by 1.3 or so, it turns in 5 of 16 "
        "tries."
    )
    assert not shares_mislead(thin)
    assert shares_mislead(why(*NOT_GOOD, orders=OtherOrders(16, 5, 1.31)))


def unknown(text: str, share: float, without: float) -> WordShare:
    return replace(word(text, share, without), is_unknown=True, unknown=(text,))


def test_words_that_the_model_does_not_know_are_named() -> None:
    some = why(unknown("unwatchabel", 2.0, 1.0), word("film", 0.6, 0.3))
    first, second, *_ = told(some)
    assert "Words for it: *unwatchabel* (unknown) +2.0, *film* +0.60." in first
    assert second == "Not known to this model, which reads one and the same sign for each: *unwatchabel*."
    assert not shares_mislead(some)


def test_what_a_model_does_not_know_of_a_word_is_named_too() -> None:
    partly = replace(word("gööd", 2.0, 1.0), unknown=("ö",))
    first, second, *_ = told(why(unknown("24", 1.0, 1.0), partly))
    assert "*gööd* (ö unknown) +2.0" in first
    assert second.endswith(": *24*, *ö*.")


def test_where_no_word_is_known_the_answer_is_a_guess() -> None:
    guess = why(unknown("wunderschön", 2.0, 1.0), unknown("film", 0.6, 0.3), word("!", 0.5, 0.1))
    assert (
        headline(guess)
        == "Negative by 2.6 over positive, and it is a guess: no word of this text is known to this model."
    )
    assert shares_mislead(guess)
    assert shares_mislead(why(unknown("😀", 2.0, 1.0)))  # no word at all, and not known either


def test_a_blank_that_outweighs_the_text_is_told_first() -> None:
    def from_blank(blank: float, share: float) -> Reasons:
        weep = word("weep", share, -1.0)
        return why(weep, margin=0.6, answer="s", rival=",", family="language model", blank=blank)

    found = from_blank(7.6, -7.0)
    assert headline(found) == (
        "“s” by 0.60 over “,”. A text of nothing but spaces has +7.6 already, much farther from 0: the shares tell "
        "how this text differs from spaces, not why it is answered so; ask with a twin."
    )
    assert told(found)[1].startswith("Words against it: *weep* −7.0")
    assert shares_mislead(found)
    assert not shares_mislead(from_blank(1.1, -0.5))  # not twice the margin
    assert not shares_mislead(from_blank(-1.3, 2.7))  # the words say more than twice as much


def test_the_verdict_is_how_the_first_sentence_begins() -> None:
    assert verdict(why(*NOT_GOOD), 2.6) == "Negative by 2.6 over positive"
    assert verdict(why(*NOT_GOOD), -0.25) == "Negative is behind positive by 0.25"
    assert verdict(why(*NOT_GOOD), 2.6, begin=False) == "negative is ahead of positive by 2.6"


def twin_of(*changed: tuple[str, str], **more: Any) -> Twin:
    plain: dict[str, Any] = {
        "text": "so good", "answer": "positive", "turns": True, "over": "negative", "lead": 3.1, "margin": -3.1,
        "stages": (), "parts": (),
    }  # fmt: skip
    return Twin(changed=changed, **plain | more)


STILL: dict[str, Any] = {"answer": "negative", "turns": False, "over": "positive", "lead": 3.0, "margin": 3.0}


def test_the_twin_and_where_it_turns() -> None:
    stages = (
        TwinStage("embedding", (("not", -3.0), ("good", 2.6)), ("positive", "negative"), (True, False)),
        TwinStage("after block 1", (("not", 2.0), ("good", -1.0)), ("negative", "positive"), (False, True)),
    )
    parts = (
        TwinPart("block 1 · head 2", -0.5, "positive", True),
        TwinPart("block 1 · head 1", 2.0, "negative", False),
    )
    twin = twin_of(("not", "so"), stages=stages, parts=parts)
    *_, first, second, _ = told(why(*NOT_GOOD, twin=twin))
    assert first == (
        "The twin, your other text, with *so* for *not*: it would say positive (by 3.1 over negative); the answer "
        "turns."
    )
    assert second == (
        "A single word's row, taken from the twin, is enough to turn the answer: embedding, at *not*; after block 1, "
        "at *good*. So is the whole output of block 1 · head 2."
    )
    nowhere = (TwinStage("embedding", (("not", 0.2),), ("negative",), (False,)),)
    found = told(why(*NOT_GOOD, twin=twin_of(("not", "so"), stages=nowhere)))
    assert found[-2] == "No single word's row, taken from the twin, turns the answer."
    found = told(why(*NOT_GOOD, twin=twin_of(("not", "so"), stages=nowhere, parts=parts)))
    assert found[-2].endswith("turns the answer; the whole output of block 1 · head 2 does.")


def test_a_twin_that_does_not_turn_it() -> None:
    *_, first, second, _ = told(why(*NOT_GOOD, twin=twin_of(("", "at all"), longer=2, **STILL)))
    assert first.endswith(
        "with *at all* added: it would still say negative (by 3.0 over positive); the answer does not turn. "
        "Of the two compared, negative is ahead of positive by 3.0: 0.40 more than in this text."
    )
    assert second == "The twin has 2 more tokens than this text, so the stages cannot be compared."
    so_far = WordShare("Der", 0.1, 0.1, True, (("Der", 0.1),))
    *_, first, second, _ = told(why(*NOT_GOOD, so_far, twin=twin_of(("cold", "warm"), longer=1, **STILL)))
    assert first.endswith("than in this text. What was written so far is held fixed.")
    assert second == "*warm* is cut into more tokens than *cold*, so the stages cannot be compared."
    moved = replace(twin_of(("table", "robot"), turns=False, stages=(), parts=()), longer=0)
    assert told(why(*NOT_GOOD, twin=moved))[2] == (
        "Its words are cut into other numbers of tokens, so they have moved and the stages cannot be compared."
    )


def written(**more: Any) -> Reasons:
    return why(word("qu", 3.1, 0.1), margin=2.5, family="language model", answer="e", rival="i", says="e", **more)


def test_a_twin_is_judged_by_what_the_model_would_say() -> None:
    """Also where that is neither of the two that are compared."""
    ahead = twin_of(("qu", "sq"), answer="u", over="e", lead=7.7, margin=0.3)
    assert (
        "with *sq* for *qu*: it would say “u” (by 7.7 over “e”); the answer turns. "
        "Of the two compared, “e” is ahead of “i” by 0.30: 2.2 less than in this text."
    ) in " ".join(told(written(twin=ahead)))
    behind = twin_of(("qu", "qe"), answer="e", turns=False, over="n", lead=1.0, margin=-0.2)
    asked = replace(written(twin=behind), answer="a")  # asked about another answer than its own
    assert (
        "it would still say “e” (by 1.0 over “n”); the answer does not turn. "
        "Of the two compared, “a” is behind “i” by 0.20: 2.7 less than in this text."
    ) in " ".join(told(asked))


def test_of_tokens_that_read_alike_it_is_said_which_was_taken() -> None:
    assert told(why(*NOT_GOOD, taken=("2 tokens read “den”.",)))[1] == "2 tokens read “den”."


def test_figures() -> None:
    assert [plainly(each) for each in (2.64, 0.999, 0.5, 0.004)] == ["2.6", "1.0", "0.50", "0.00"]
    assert [plainly(each) for each in (-13.6, -0.001)] == ["−13.6", "0.00"]
    assert [signed(each) for each in (2.64, -0.5, 0.0, -0.004)] == ["+2.6", "−0.50", "0.00", "0.00"]
