"""Texts to try first, by the set that a model was trained on: those that lectures show. It reads no set.

The four reviews stand here as the lecture prints them, the second one cut in mid-sentence. They are from IMDB: three
from its test part, and the third from its training part: who has learnt from all of that has seen it (`--without`).
The pocket model `sentiment` was given these very words to learn from, and wherever they are offered that is said.
"""

from collections.abc import Mapping
from types import MappingProxyType

from glassformer.text.samples import Labelled

LECTURE_REVIEWS = (
    Labelled(
        "A wonderful little production. The filming technique is very unassuming- very old-time-BBC fashion and gives "
        "a comforting, and sometimes discomforting, sense of realism to the entire piece",
        "positive",
    ),
    Labelled(
        "This show was an amazing, fresh & innovative idea in the 70's when it first aired. The first 7 or 8 years "
        "were brilliant, but things dropped off after that. By 1990, the show was not really funny anymore, and it's "
        "continued its decline further to the complete waste of time it is today",
        "negative",
    ),
    Labelled(
        "I thought this was a wonderful way to spend time on a too hot summer weekend, sitting in the air conditioned "
        "theater and watching a light-hearted comedy. The plot is simplistic, but the dialogue is witty and the "
        "characters are likable (even the well bread suspected serial killer)",
        "positive",
    ),
    Labelled(
        "BTW Carver gets a very annoying sidekick who makes you wanna shoot him the first three minutes he's on "
        "screen.",
        "negative",
    ),
)

# By the pocket model that learnt from them: the texts, and what must be said with them.
READ_BEFORE: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "sentiment": (
            "This model has read these four: they show the way of a text, not its skill",
            tuple(each.text for each in LECTURE_REVIEWS),
        )
    }
)

LECTURE_SENTENCES = ("I love AI", "We are learning AI")  # AI stands in no sentence pair: its letters are copied

SHORT_REVIEW = "not a good film, but I loved every minute of it"  # one word against two: what a reader begins with
LINES = ("God save the kin", "To be, or not to be", "O Romeo, wherefore ar")

TO_TRY: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "imdb": (SHORT_REVIEW, *(each.text for each in LECTURE_REVIEWS)),
        "tatoeba-en-de": LECTURE_SENTENCES,
        "shakespeare": LINES,
    }
)
