"""Of a model that writes: which token is asked about, for who sees only a piece of a word. It asks no model."""

import re
from collections.abc import Sequence

SIGNS = {"␣": "a space", "↵": "a line break", "⇥": "a tab"}
ONE_BY_ONE = "This model reads and writes one character at a time."
LEAST_SURE = (
    "This token is asked about because the model was least sure of it, of those that begin a word; choose any other."
)


def part_of(strings: Sequence[str], at: int) -> str:
    """The word that the token at this place, counted from 1, is a piece of; nothing if it is a word by itself."""
    first, behind = at - 1, at
    while first and strings[first][:1].isalpha():
        first -= 1
    while behind < len(strings) and strings[behind][:1].isalpha():
        behind += 1
    word = "".join(strings[first:behind]).strip()
    return "" if word == strings[at - 1].strip() or not strings[at - 1].strip()[:1].isalpha() else word


def unfinished(before: str, spelled: str) -> str:
    """The word that stands unfinished before a token that goes on with it; nothing if it begins anew."""
    found = re.search(r"[^\W\d_]+$", before)
    return found[0] if found and spelled[:1].isalpha() else ""


def signs(names: Sequence[str]) -> str:
    """What signs for what cannot be seen mean, if some stand in these names."""
    found = [f"{sign} is {meaning}" for sign, meaning in SIGNS.items() if any(sign in name for name in names)]
    return f"{', '.join(found)}." if found else ""
