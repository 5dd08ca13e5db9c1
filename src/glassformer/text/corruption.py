"""Corruption: ids with something hidden, for a model to find again or to do without. Knows ids, no text, no padding.

What is hidden follows from (seed, epoch, index) alone, so that a run that was stopped sees the same again.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glassformer.errors import InputError
from glassformer.text.token_kinds import END, MASK, OWN, SPECIAL, START
from glassformer.text.tokens import Ids, Tokens

FEWEST_TO_CUT = 4  # tokens that are left of a document at least
HIDDEN_SHARE = 0.15
SHORTEST = 16  # tokens of a piece; shorter texts are read whole
MASKED, REPLACED = 0.8, 0.1  # of the hidden: shown as <mask>, shown as another token; the rest is shown as it is


def span_hidden(ids: Ids, context: int, *, seed: int, epoch: int, index: int) -> Ids:
    """A document, cut at a random length, with one span taken out and put behind:

        before <mask> after <s> span </s>

    As a prompt is followed by its answer: `<s>` begins what must be written, `</s>` ends it. The document is cut to at
    most ⅞ of the context, and the span is a quarter of it on average, as in Stanford's CS224N assignment 5. There it is
    cut anywhere; here at least half is left, since what stands late in a document would hardly ever be read.
    """
    longest = min(len(ids), context * 7 // 8, context - 2)  # one mark more is shifted out
    if longest < FEWEST_TO_CUT:
        raise InputError(
            f"Hiding a span needs {FEWEST_TO_CUT} tokens and a context of 6 or more; sample {index} has {len(ids)} "
            f"tokens, and the context is {context}."
        )
    draw = np.random.default_rng([1, seed, epoch, index])
    length = int(draw.integers(max(FEWEST_TO_CUT, longest // 2), longest + 1))
    span = int(draw.integers(1, max(1, length // 2 - 1) + 1))  # from 1 to half: a quarter on average
    begin = int(draw.integers(0, length - span + 1))
    parts = (ids[:begin], [MASK], ids[begin + span : length], [START], ids[begin : begin + span], [END])
    return np.concatenate([np.asarray(part, dtype=np.int64) for part in parts])


def tokens_hidden(ids: Ids, vocabulary: int, *, seed: int, epoch: int, index: int) -> tuple[Ids, NDArray[np.bool_]]:
    """The ids with about 15 % hidden, at least one, and which: of these 80 % are shown as <mask>, 10 % as some other
    token, 10 % as they are."""
    if vocabulary <= len(SPECIAL):
        raise InputError(f"A vocabulary of {vocabulary} has nothing but special tokens to put in a token's place.")
    draw = np.random.default_rng([2, seed, epoch, index])
    hidden = draw.random(len(ids)) < HIDDEN_SHARE
    if len(ids) and not hidden.any():
        hidden[draw.integers(len(ids))] = True
    lot = draw.random(len(ids))
    others = draw.integers(len(SPECIAL), vocabulary, size=len(ids))
    shown = np.where(hidden & (lot < MASKED), MASK, ids)
    return np.where(hidden & (lot >= MASKED) & (lot < MASKED + REPLACED), others, shown), hidden


@dataclass(frozen=True, kw_only=True)
class Crop:
    """A piece of a text in place of the whole, so that short texts are read in training too.

        one two three four five six → three four five

    share   of the texts in an epoch; in another one there are other pieces
    before  how many special tokens begin a text, and begin a piece too; `after` end it
    """

    share: float = 0.0
    before: int = 0
    after: int = 0

    def __post_init__(self) -> None:
        if not 0.0 <= self.share <= 1.0:
            raise InputError(f"`crop` is a share from 0 to 1; it is {self.share}.")

    def of(self, ids: Ids, *, seed: int, epoch: int, index: int) -> Ids:
        """A text as it is read in an epoch. The length of a piece is drawn evenly by its logarithm: a half of the text
        to all of it is as likely as a quarter to a half. Then its place is drawn."""
        first, last = self.before, len(ids) - self.after
        if not self.share or last - first <= SHORTEST:
            return ids
        lot, how_long, where = np.random.default_rng([7, seed, epoch, index]).random(3)
        if lot >= self.share:
            return ids
        length = round(SHORTEST * ((last - first) / SHORTEST) ** how_long)
        begin = first + int(where * (last - first - length + 1))
        return np.concatenate([ids[:first], ids[begin : begin + length], ids[last:]])


def must_be_ours(tokens: Tokens) -> None:
    """Refuses tokens of another tool: what hides and what ends a span is not known of them."""
    if tokens.specials != OWN:
        raise InputError(
            f"To pretrain, tokens are hidden with our own marks; these are tokens of another tool ({tokens.kind}). "
            "A model that came from there can be finetuned to classify, translate or generate."
        )
