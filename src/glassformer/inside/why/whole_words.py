"""The whole words of a text, and which places of a row of ids belong to each. It knows no model.

A word takes the blank space before it along, so that a text without a word is what is left when both are gone.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from glassformer.text.tokens import Tokens

_LETTERS = r"[^\W\d_][^\W\d_\u0300-\u036f]*"  # marks that stand on a letter belong to it
_JOINED = "\u200d\\S|[\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]"  # what makes one picture of several signs
_WORD = re.compile(rf"\s*(?:{_LETTERS}(?:['’]{_LETTERS})*|\d+|\S(?:{_JOINED})*)|\s+")
_UNSEEN = ("Cc", "Cf", "Mn")  # categories of characters that show nothing by themselves


@dataclass(frozen=True)
class Word:
    """One word: what a person reads, where it stands in its text, and at which places of the row.

    written     whether the model wrote it: it stands in what was said before the token that is asked about
    """

    text: str
    begin: int
    end: int
    places: tuple[int, ...]
    written: bool = False


def words_of(text: str, offsets: Sequence[tuple[int, int]], first: int = 0, *, written: bool = False) -> list[Word]:
    """The words of a text whose tokens stand at these offsets; `first` is the place of the first token. Words that
    share a token are one, and what has no token of its own is left out."""
    spans = [(found.start(), found.end()) for found in _WORD.finditer(text)]
    homes = [_touched(spans, _bare(text, span)) for span in offsets]
    groups = _joined(homes)
    found = []
    for group in groups:
        places = tuple(first + i for i, home in enumerate(homes) if set(home) & set(group))
        begin, end = spans[group[0]][0], spans[group[-1]][1]
        found.append(Word(readable(text[begin:end]), begin, end, places, written))
    return found


def readable(text: str) -> str:
    """Without the space around it; where it is nothing else, or nothing that can be seen, made visible."""
    seen = text.strip()
    return seen if any(unicodedata.category(each) not in _UNSEEN for each in seen) else visible(seen or text)


def visible(text: str) -> str:
    """With signs for spaces, and the number in Unicode of whatever else cannot be seen."""
    plain = text.replace(" ", "␣").replace("\n", "↵").replace("\t", "⇥")
    return "".join(f"U+{ord(each):04X}" if unicodedata.category(each) in _UNSEEN else each for each in plain)


def without(text: str, word: Word) -> str:
    """The text with this word really left out."""
    rest = text[: word.begin] + text[word.end :]
    return rest.lstrip() if not text[: word.begin].strip() else rest


def written_words(tokens: Tokens, ids: Sequence[int], first: int) -> list[Word]:
    """The words that a model wrote; where its tokens do not come back from its text, each token by itself."""
    text = tokens.decode(ids)
    again = tokens.for_targets.encode(text, bare=True)
    if again.ids == tuple(ids):
        return words_of(text, again.offsets, first, written=True)
    names = tokens.strings(ids)
    return [Word(readable(name), 0, 0, (first + i,), written=True) for i, name in enumerate(names)]


def _bare(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Without the space around it, unless it is nothing else."""
    begin, end = span
    inside = text[begin:end]
    if not inside.strip():
        return span
    return begin + len(inside) - len(inside.lstrip()), end - (len(inside) - len(inside.rstrip()))


def _touched(spans: Sequence[tuple[int, int]], span: tuple[int, int]) -> list[int]:
    return [i for i, (begin, end) in enumerate(spans) if begin < span[1] and span[0] < end]


def _joined(homes: Sequence[Sequence[int]]) -> list[list[int]]:
    """Words in order, those that share a token together."""
    groups: list[list[int]] = []
    for home in homes:
        if groups and set(home) & set(groups[-1]):
            groups[-1] = sorted({*groups[-1], *home})
        elif home:
            groups.append(list(home))
    return groups
