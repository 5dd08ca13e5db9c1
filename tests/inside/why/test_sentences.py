"""The sentences, each from figures that are known."""

from typing import Any

import pytest
import torch

from glassformer.inside.why.patching import PatchedPart
from glassformer.inside.why.reasons import Reasons, Twin, TwinStage, WordShare
from glassformer.inside.why.sentences import DISAGREE, SEVERAL, doubted, headline, plainly, signed, told
from glassformer.inside.why.shared_out import Blank, Shared
from glassformer.inside.why.trials import OtherOrders, RandomTexts

SPREAD = RandomTexts(32, 0.0, 3.0, 0.6)


def word(text: str, share: float, without: float) -> WordShare:
    return WordShare(text, share, without, False, ((text, share),))


def why(*words: WordShare, blank: float = 0.0, closed: float = 0.0, **more: Any) -> Reasons:
    shared = Shared(tuple(each.share for each in words), Blank(torch.zeros(1), "spaces", blank), 2e-5, closed, 32)
    plain: dict[str, Any] = {
        "text": "not good", "family": "classifier", "answer": "negative", "rival": "positive", "margin": 2.6,
        "direct": None, "heads": (), "candidates": (), "written": (), "at": 1, "random": SPREAD, "orders": None,
    }  # fmt: skip
    return Reasons(words=words, shared=shared, **plain | more)


NOT_GOOD = (word("not", 3.9, 2.0), word("good", -1.2, -0.5), word("at", -0.1, 0.0))


def test_the_answer_in_one_sentence() -> None:
    assert headline(why(*NOT_GOOD)) == (
        "Negative by 2.6 over positive: *not* gives +3.9, *good* −1.2; without *not* it is 2.0 less."
    )
    behind = headline(why(word("not", 0.5, -0.25), margin=-0.5, family="translator", answer="Wo", rival="Wie"))
    assert behind == "“Wo” is behind “Wie” by 0.50: *not* gives +0.50; without *not* it is 0.25 more."


def test_the_blank_is_named_and_the_error_printed() -> None:
    said = told(why(*NOT_GOOD))[-1]
    assert said.startswith("Measured from a blank on which the model is undecided")
    assert said.endswith("the parts add up to 2.6 (error 0.00002).")
    said = told(why(*NOT_GOOD, blank=-1.5, closed=0.012))[-1]
    assert "a blank of spaces, which has a margin of −1.5 by itself; with it the parts add up to 2.6" in said
    assert said.endswith("Of that, 0.012 could only be shared out in proportion: the way has many sharp bends.")
    assert "Most of it stands there already" in told(why(*NOT_GOOD, blank=6.5))[-1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (NOT_GOOD, ""),
        ((word("poor", 0.8, 0.03), word("poor", 0.8, 0.02), word("poor", 1.0, -0.01)), SEVERAL),
        ((word("not", 3.9, 2.0), word("good", -1.2, -2.5)), DISAGREE),  # another first word
        ((word("not", 3.9, -2.0), word("good", -1.2, -0.5)), DISAGREE),  # another sign
        ((word("good", 2.6, 5.0),), ""),
    ],
)
def test_where_it_is_doubted(words: tuple[WordShare, ...], said: str) -> None:
    assert doubted(why(*words)) == said
    assert not said or said in told(why(*words))


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
    assert second.startswith("By shares alone, *not* gives +3.9, *good* −1.2; without")
    assert not any("order" in each for each in told(why(*NOT_GOOD, orders=OtherOrders(16, 3))))


def test_the_twin_and_where_it_turns() -> None:
    stages = (
        TwinStage("embedding", (("not", -3.0), ("good", 2.6))),
        TwinStage("after block 1", (("not", 2.0), ("good", -1.0))),
    )
    parts = (PatchedPart("block 1 · head 2", -0.5), PatchedPart("block 1 · head 1", 2.0))
    twin = Twin("so good", "positive", -3.1, (("not", "so"),), stages, parts)
    *_, first, second = told(why(*NOT_GOOD, twin=twin))
    assert first == "Instead, with *so* for *not*: Positive by 3.1 over negative; the answer turns."
    assert second == (
        "The twin's row alone turns it: embedding, at *not*; after block 1, at *good*. "
        "So does the whole of block 1 · head 2."
    )
    still = Twin("not at all good", "negative", 3.0, (("", "at all"),), (), ())
    *_, first, second = told(why(*NOT_GOOD, twin=still))
    assert first.endswith("with *at all* added: Negative by 3.0 over positive; it is 0.40 more, and it does not turn.")
    assert "another number of tokens" in second
    nowhere = Twin("so good", "positive", -3.1, (("not", "so"),), (TwinStage("embedding", (("not", 0.2),)),), ())
    assert told(why(*NOT_GOOD, twin=nowhere))[-1] == "No single place of the twin turns it."


def test_figures() -> None:
    assert [plainly(each) for each in (2.64, 0.999, 0.5, 0.004)] == ["2.6", "1.0", "0.50", "0.00"]
    assert [signed(each) for each in (2.64, -0.5, 0.0)] == ["+2.6", "−0.50", "+0.00"]
