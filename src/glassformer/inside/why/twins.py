"""Twin texts: the same text with two words swapped, one replaced, or negated, and which words two texts differ in.

It reads English where it negates; it knows no model.
"""

import re
from difflib import SequenceMatcher
from types import MappingProxyType

from glassformer.errors import InputError, nearest

_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_NEGATIONS = re.compile(r"(?<!\w)(?:not|never)\s+", re.IGNORECASE)
_NEGATED_VERB = re.compile(r"(?<!\w)(\w+?) ?n['’]t(?!\w)", re.IGNORECASE)  # some corpora write “do n't”
_WHOLE_VERBS = MappingProxyType({"ca": "can", "wo": "will", "sha": "shall", "ai": "is"})
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
    if _NEGATIONS.search(text):
        return _NEGATIONS.sub("", text, count=1)
    if _NEGATED_VERB.search(text):
        return _NEGATED_VERB.sub(lambda found: _whole(found[1]), text, count=1)
    verb = _CAN_BE_NEGATED.search(text)
    if verb is None:
        raise InputError(f"No verb of “{text[:60]}” can be negated by rule (is, was, does, can, …); type the twin.")
    return f"{text[: verb.end()]} not{text[verb.end() :]}"


def _whole(verb: str) -> str:
    """The verb that is left without its n't: can of can't."""
    whole = _WHOLE_VERBS.get(verb.lower())
    if whole is None:
        return verb
    return whole.capitalize() if verb[0].isupper() else whole


def changed_words(text: str, twin: str) -> list[tuple[str, str]]:
    """What stands in one text in place of what in the other; a lost line break or space is a change like any other."""
    left, right = _spaced(text), _spaced(twin)
    words = [[word for _, word in each] for each in (left, right)]
    if len(left) == len(right):  # word by word: two that trade places are two changes
        pairs = zip(left, right, strict=True)
        return [change for one, other in pairs for change in zip(one, other, strict=True) if change[0] != change[1]]
    found = []
    usual: set[tuple[str, str]] = set()  # a word that goes or comes does so with a space on either side of it
    for tag, a, b, c, d in SequenceMatcher(a=words[0], b=words[1], autojunk=False).get_opcodes():
        if tag == "equal":
            gaps = [(one, other) for (one, _), (other, _) in zip(left[a:b], right[c:d], strict=True)]
            found += [each for i, each in enumerate(gaps) if each[0] != each[1] and (i or each not in usual)]
            continue
        found.append((" ".join(words[0][a:b]), " ".join(words[1][c:d])))
        if tag == "delete":
            usual = {(left[b][0], gap) for gap, _ in left[a : b + 1]}
        elif tag == "insert":
            usual = {(gap, right[d][0]) for gap, _ in right[c : d + 1]}
        else:
            usual = set()
            found += [(left[a][0], right[c][0])] if left[a][0] != right[c][0] else []
    return found


def _spaced(text: str) -> list[tuple[str, str]]:
    """Every word with what stands before it, by name; last what stands behind them all."""
    found, end = [], 0
    for word in _WORD.finditer(text):
        found.append((_space(text[end : word.start()]), word.group()))
        end = word.end()
    return [*found, (_space(text[end:]), "")]


def _space(gap: str) -> str:
    breaks = len(gap.splitlines()) - 1 if not gap.endswith(("\n", "\r")) else len(gap.splitlines())
    if breaks > 0:
        return "a line break" if breaks == 1 else f"{breaks} line breaks"
    return {"": "", " ": "a space"}.get(gap, "a wide space")


def _place(text: str, word: str) -> tuple[int, int]:
    found = next((each for each in _WORD.finditer(text) if each.group() == word), None)
    found = found or next((each for each in _WORD.finditer(text) if each.group().lower() == word.lower()), None)
    if found is None:
        raise InputError(f"The text has no word '{word:.60}'; {nearest(word, set(_WORD.findall(text)))}")
    return found.span()
