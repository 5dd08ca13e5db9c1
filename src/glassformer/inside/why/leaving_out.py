"""Leave-one-out: the margin of the text that is really without a word, for each word; and without several at once. It
shares nothing out."""

from collections.abc import Callable, Sequence

from glassformer.inside.why.margins import Margin, Prompted, Tried
from glassformer.inside.why.whole_words import Word, without


def left_out(
    margin: Margin, text: str, given: Prompted, words: Sequence[Word], read: Callable[[str], tuple[int, ...]]
) -> list[Tried]:
    """For each word, by how much the margin is less without it, and what is then answered; `read` turns a text into the
    ids a model is given."""
    usual = float(margin.of_ids([given])[0])
    return margin.tried([_rest(text, given, [word], read) for word in words], usual) if words else []


def all_left_out(
    margin: Margin, text: str, given: Prompted, words: Sequence[Word], read: Callable[[str], tuple[int, ...]]
) -> Tried:
    """The same without all of these words at once."""
    return margin.tried([_rest(text, given, words, read)], float(margin.of_ids([given])[0]))[0]


def _rest(text: str, given: Prompted, words: Sequence[Word], read: Callable[[str], tuple[int, ...]]) -> Prompted:
    """What is left of what was read and of what was written."""
    gone = [word for word in words if not word.written]
    for word in sorted(gone, key=lambda word: -word.begin):  # from behind, so that the others stay where they are
        text = without(text, word)
    at = {place - len(given.ids) for word in words if word.written for place in word.places}
    left = tuple(each for i, each in enumerate(given.written) if i not in at)
    return Prompted(read(text) if gone else given.ids, left)
