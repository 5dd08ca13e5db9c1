"""Leave-one-out: the margin of the text that is really without a word, for each word. It shares nothing out."""

from collections.abc import Callable, Sequence

from glassformer.inside.why.margins import Margin, Prompted, Tried
from glassformer.inside.why.whole_words import Word, without


def left_out(
    margin: Margin, text: str, given: Prompted, words: Sequence[Word], read: Callable[[str], tuple[int, ...]]
) -> list[Tried]:
    """For each word, by how much the margin is less without it, and what is then answered; `read` turns a text into the
    ids a model is given."""

    def rest(word: Word) -> Prompted:
        if not word.written:
            return Prompted(read(without(text, word)), given.written)
        at = {place - len(given.ids) for place in word.places}
        return Prompted(given.ids, tuple(each for i, each in enumerate(given.written) if i not in at))

    usual = float(margin.of_ids([given])[0])
    return margin.tried([rest(word) for word in words], usual) if words else []
