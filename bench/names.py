"""How many names that training never saw a translator copies: 50 held-out sentences, each with another name in it.

The sentences are from the test part of `tatoeba-en-de` and have one name that stands on both sides; in its place comes
a word of the set `birthplaces` that stands nowhere in the training part, in any case. Copied is what stands in the
translation letter by letter. Beside it the sentences of the lecture. GLASSFORMER_DATA names the folder of the two sets.

    python bench/names.py [RUN …]
"""

import random
import re
import sys

import glassformer as gf
from glassformer.text.corpora import read
from glassformer.text.samples import Pair, Sample
from glassformer.text.varied_pairs import names_of

COUNT, SEED = 50, 5
LECTURE = ("I love AI", "We are learning AI", "AI is a CS topic")


def words_of(samples: list[Sample]) -> set[str]:
    """All words in small letters."""
    texts = " ".join(f"{each.source} {each.target}" for each in samples if isinstance(each, Pair))
    return {word.lower() for word in re.findall(r"[^\W\d_]+", texts)}


def trials() -> list[tuple[str, str]]:
    """A name, and the sentence it stands in."""
    corpus, births = read("tatoeba-en-de", "translate"), read("birthplaces", "generate")
    known, names = (
        words_of(list(corpus.train)),
        set(names_of([each for each in corpus.train if isinstance(each, Pair)])),
    )
    pairs = [each for each in births.train if isinstance(each, Pair)]
    capital = {word for each in pairs for word in re.findall(r"\b[A-Z][a-z]{2,}\b", f"{each.source} {each.target}")}
    draw = random.Random(SEED)
    unseen = draw.sample(sorted(word for word in capital if word.lower() not in known), COUNT)
    fitting = []
    for sample in corpus.test:
        assert isinstance(sample, Pair)
        shared = names.intersection(re.findall(r"\w+", sample.source)) & set(re.findall(r"\w+", sample.target))
        if len(shared) == 1:
            fitting.append((shared.pop(), sample.source))
    chosen = draw.sample(fitting, COUNT)
    return [(new, re.sub(rf"\b{old}\b", new, text)) for new, (old, text) in zip(unseen, chosen, strict=True)]


def main(runs: list[str]) -> None:
    """Counts and prints."""
    asked = trials()
    for name in runs:
        run = gf.load(name)
        said = [each.said for each in run.predict([text for _, text in asked])]
        copied = sum(new in each for (new, _), each in zip(asked, said, strict=True))
        print(f"{name}: {copied} of {len(asked)} names copied")
        for text, each in zip(LECTURE, run.predict(LECTURE), strict=True):
            print(f"  {text} → {each.said}")


if __name__ == "__main__":
    main(sys.argv[1:] or ["english-german"])
