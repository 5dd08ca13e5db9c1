"""The text pipeline, step by step: text → standardised → tokens → ids → padded batch; and a vocabulary, counted.

It knows no model: whoever has one adds the rows of its embedding.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int64

from glassformer.errors import InputError
from glassformer.text.batches import padded
from glassformer.text.tokens import SPECIAL, UNKNOWN, Ids, Tokens

LANDMARKS = (10, 100, 1_000, 10_000, 100_000)  # most frequent tokens, of which the share is told
COUNTED_AT_ONCE = 1000  # texts


@dataclass(frozen=True)
class TextSteps:
    """One text on its way to ids. A token that is not in the vocabulary stands here as it was cut.

    lost   tokens behind these that are not read, since the text is too long
    """

    text: str
    standardised: str
    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    lost: int = 0

    @property
    def unknown(self) -> tuple[str, ...]:
        """The tokens that are not in the vocabulary, in their order."""
        return tuple(token for token, each in zip(self.tokens, self.ids, strict=True) if each == UNKNOWN)


@dataclass(frozen=True, eq=False)
class Pipeline:
    """Some texts on their way into a model: `ids` is the padded batch, `real` where it is no padding, `rows` what the
    embedding has for each of the ids, where there is one."""

    texts: tuple[TextSteps, ...]
    ids: Int64[np.ndarray, "B T"]
    real: Bool[np.ndarray, "B T"]
    kind: str
    vocabulary: int
    longest: int
    rows: Float[np.ndarray, "B T D"] | None = None

    def with_rows(self, rows: Float[np.ndarray, "B T D"]) -> "Pipeline":
        """The same with the rows of an embedding."""
        return replace(self, rows=rows)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "kind": self.kind,
            "vocabulary": self.vocabulary,
            "longest": self.longest,
            "texts": [{**asdict(each), "unknown": each.unknown} for each in self.texts],
            "batch": {"shape": self.ids.shape, "ids": self.ids.tolist(), "real": self.real.tolist()},
            "embedding": None if self.rows is None else {"shape": self.rows.shape, "rows": self.rows.tolist()},
        }


def pipeline(
    tokens: Tokens, texts: Sequence[str], *, longest: int, prompt: Callable[[Tokens, str], Ids] | None = None
) -> Pipeline:
    """The way of some texts into a batch; `prompt` gives the ids of a text where a model is shown more than these."""
    if isinstance(texts, str):
        raise InputError(f"`texts` is a list of texts; for one text write [{texts[:40]!r}].")
    for i, text in enumerate(texts):
        if not text.strip():
            raise InputError(f"Text {i + 1} of {len(texts)} is empty: there is nothing to cut into tokens.")
    if longest < 1:
        raise InputError(f"Of a text 1 token or more is read; {longest} were asked for.")
    found = tuple(_steps(tokens, text, longest, prompt) for text in texts)
    ids, real = padded([np.array(each.ids, dtype=np.int64) for each in found])
    return Pipeline(found, ids, real, tokens.kind, len(tokens), longest)


def _steps(
    tokens: Tokens, text: str, longest: int, prompt: Callable[[Tokens, str], Ids] | None
) -> TextSteps:  # fmt: skip
    own, standardised = tokens.encode(text), tokens.standardised(text)
    cuts = standardised.split(" ") if tokens.kind == "word" else [text[begin:end] for begin, end in own.offsets]
    ids = own.ids if prompt is None else tuple(prompt(tokens, text).tolist())
    names = tokens.strings(ids)
    if ids[: len(own.ids)] == own.ids:  # a prompt may have marks behind the text
        for place, each in enumerate(own.ids):
            names[place] = cuts[place] if each == UNKNOWN else names[place]
    return TextSteps(text, standardised, tuple(names[:longest]), ids[:longest], max(0, len(ids) - longest))


# --- a vocabulary, counted ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Counted:
    """A token of a vocabulary, and how often it stands in some texts."""

    token: str
    id: int
    count: int


@dataclass(frozen=True)
class VocabularyCounts:
    """How often each token of a vocabulary stands in some texts.

    size       tokens of the vocabulary, special ones included
    running    tokens that stand in the texts, one after another
    seen       different ones of the vocabulary among them
    unknown    those of the running tokens that are not in the vocabulary
    most       the most frequent ones
    covered    which share of the running tokens the 10, 100, … most frequent ones make, and all that are known
    """

    size: int
    running: int
    seen: int
    unknown: int
    most: tuple[Counted, ...]
    covered: dict[int, float]

    @property
    def coverage(self) -> float:
        """The share of the running tokens that are in the vocabulary."""
        return 1 - self.unknown / self.running if self.running else 0.0


def count_vocabulary(tokens: Tokens, texts: Iterable[str], most: int = 20) -> VocabularyCounts:
    """Counts the tokens of some texts."""
    if most < 1:
        raise InputError(f"At least 1 token is shown; {most} were asked for.")
    counts = np.zeros(len(tokens), dtype=np.int64)
    waiting = iter(texts)
    while some := list(islice(waiting, COUNTED_AT_ONCE)):
        counts += np.bincount(np.concatenate(tokens.encode_many(some)), minlength=len(tokens))
    running, unknown = int(counts.sum()), int(counts[UNKNOWN])
    counts[: len(SPECIAL)] = 0
    order = np.argsort(-counts, kind="stable")
    seen = int((counts > 0).sum())
    shares = counts[order].cumsum() / max(running, 1)
    landmarks = [*(each for each in LANDMARKS if each < seen), seen] if seen else []
    shown = [int(each) for each in order[: min(most, seen)]]
    return VocabularyCounts(
        len(tokens), running, seen, unknown,
        tuple(Counted(name, each, int(counts[each])) for name, each in zip(tokens.strings(shown), shown, strict=True)),
        {each: float(shares[each - 1]) for each in landmarks},
    )  # fmt: skip
