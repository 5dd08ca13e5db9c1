"""Twin texts: the same text with two words swapped, one replaced, or negated, and which words two texts differ in.

It reads English where it negates; it knows no model.
"""

import re
from difflib import SequenceMatcher

from glassformer.errors import InputError, nearest

_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_NEGATIONS = re.compile(r"(?<!\w)(?:not|never)\s+", re.IGNORECASE)
_NEGATED_VERB = re.compile(r"(?<=\w)n['’]t(?!\w)", re.IGNORECASE)
_CAN_BE_NEGATED = re.compile(
    r"(?<!\w)(?:am|is|are|was|were|be|do|does|did|has|have|had|can|could|will|would|should|must|may|might)(?!\w)",
    re.IGNORECASE,
)


def swapped(text: str, one: str, other: str) -> str:
    """The text with two words in each other's place: the first of each."""
    (a, b), (c, d) = sorted((_place(text, one), _place(text, other)))
    if (a, b) == (c, d):
        raise InputError(f"'{one}' and '{other}' are the same word; name two that can trade places.")
    return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def replaced(text: str, old: str, new: str) -> str:
    """The text with another word in the place of the first of these."""
    begin, end = _place(text, old)
    return text[:begin] + new + text[end:]


def negated(text: str) -> str:
    """The text that says the opposite: without its first "not", "never" or "n't", or with one after its first verb."""
    for pattern in (_NEGATIONS, _NEGATED_VERB):
        if pattern.search(text):
            return pattern.sub("", text, count=1)
    verb = _CAN_BE_NEGATED.search(text)
    if verb is None:
        raise InputError(f"No verb of “{text[:60]}” can be negated by rule (is, was, does, can, …); type the twin.")
    return f"{text[: verb.end()]} not{text[verb.end() :]}"


def changed_words(text: str, twin: str) -> list[tuple[str, str]]:
    """What stands in one text in place of what in the other."""
    left, right = _WORD.findall(text), _WORD.findall(twin)
    if len(left) == len(right):  # word by word: two that trade places are two changes
        return [(one, other) for one, other in zip(left, right, strict=True) if one != other]
    matcher = SequenceMatcher(a=left, b=right, autojunk=False)
    return [(" ".join(left[a:b]), " ".join(right[c:d])) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]


def _place(text: str, word: str) -> tuple[int, int]:
    found = next((each for each in _WORD.finditer(text) if each.group() == word), None)
    found = found or next((each for each in _WORD.finditer(text) if each.group().lower() == word.lower()), None)
    if found is None:
        raise InputError(f"The text has no word '{word:.60}'; {nearest(word, set(_WORD.findall(text)))}")
    return found.span()
