"""Small made-up files in the places of the named sets, so that what is printed about them can be run without them."""

import gzip
import json
import lzma
from pathlib import Path

from glassformer.text.made_sets import make

OPENINGS = ("first a word", "then another", "and now a third", "at last the end")


def provide_named_sets(folder: Path) -> None:
    """A folder for GLASSFORMER_DATA: every file of every named set, a few made-up lines each."""
    reviews = [json.dumps({"text": each.text, "label": int(each.label == "positive")}) for each in make("negation", 90)]
    _write(folder / "imdb/train.jsonl.gz", reviews[:60])
    _write(folder / "imdb/test.jsonl.gz", reviews[60:])
    for name, part in (("train", reviews[:60]), ("validation", reviews[60:75]), ("test", reviews[75:])):
        _write(folder / f"rotten-tomatoes/{name}.jsonl.gz", part)
    opinions = [f"{each.text}\t{int(each.label == 'positive')}" for each in make("negation", 60)]
    _write(folder / "sst2/train.tsv.gz", ["sentence\tlabel", *opinions[:40]])
    _write(folder / "sst2/dev.tsv.gz", ["sentence\tlabel", *opinions[40:]])
    unlabelled = "\n".join(json.dumps({"text": json.loads(each)["text"]}) for each in reviews)
    (folder / "imdb/unsup.jsonl.xz").write_bytes(lzma.compress(unlabelled.encode()))
    dates = make("dates", 60)
    for part in ("train", "val", "test_2016_flickr"):
        _write(folder / f"multi30k/{part}.en.gz", [each.source for each in dates])
        _write(folder / f"multi30k/{part}.de.gz", [each.target for each in dates])
    _write(folder / "tatoeba-en-de/deu.txt.gz", [f"{each.source}\t{each.target}" for each in dates])
    _write(folder / "tinyshakespeare/input.txt.gz", [f"{opening} {i}." for i in range(99) for opening in OPENINGS])
    people = [f"Ann{i} Bell{i}" for i in range(60)]
    places = [("Oslo", "Lima", "Rome")[i % 3] for i in range(60)]
    asked = [f"Where was {person} born?\t{place}" for person, place in zip(people, places, strict=True)]
    _write(folder / "cs224n-a5/birth_places_train.tsv.gz", asked[:40])
    _write(folder / "cs224n-a5/birth_dev.tsv.gz", asked[40:])
    told = [f"{person}. {person} was born in {place} ." for person, place in zip(people, places, strict=True)]
    _write(folder / "cs224n-a5/wiki.txt.gz", told)


def _write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
