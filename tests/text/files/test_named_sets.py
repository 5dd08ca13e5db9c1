"""Named sets: their parts, what they refuse, and where they come from."""

import gzip
import json
import lzma
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.reading import everything

from glassformer.errors import InputError
from glassformer.text.corpora import read
from glassformer.text.files import named_sets
from glassformer.text.files.named_sets import MULTI30K_TESTS, NAMED, find_named, joined
from glassformer.text.samples import Labelled, Pair, overlap


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder laid out as the sets are, with made-up texts."""
    reviews = [{"id": n, "label": n % 2, "rating": 3, "text": f"review {n}<br />"} for n in range(40)]
    contents = {
        "imdb/train.jsonl.gz": "".join(json.dumps(row) + "\n" for row in reviews[:30]),
        "imdb/test.jsonl.gz": "".join(json.dumps(row) + "\n" for row in reviews[29:]),
        "imdb/unsup.jsonl.xz": "".join(json.dumps({"id": n, "text": f"unseen {n}"}) + "\n" for n in range(30)),
        "sst2/train.tsv.gz": "sentence\tlabel\n" + "".join(f"it 's n't film {n}\t{n % 2}\n" for n in range(11)),
        "sst2/dev.tsv.gz": "sentence\tlabel\na film -lrb- of 1970 -rrb- \t1\n",
        "tatoeba-en-de/deu.txt.gz": "".join(f'"Hi," {n // 2}\tHallo {n}\n' for n in range(60)),
        "tinyshakespeare/input.txt.gz": "To be,\nor not to be.\n" * 10,
        "cs224n-a5/birth_places_train.tsv.gz": "".join(f"Where was {n} born?\tTown {n}\n" for n in range(20)),
        "cs224n-a5/birth_dev.tsv.gz": "Where was X born?\tLondon",
        "cs224n-a5/wiki.txt.gz": "".join(f"Person {n} was born.\n" for n in range(100)),
    }
    for part, first in (("train", 0), ("validation", 13), ("test", 17)):
        rows = [{"text": f"sentence {n} .", "label": n % 2} for n in range(first, first + 3)]
        contents[f"rotten-tomatoes/{part}.jsonl.gz"] = "".join(json.dumps(row) + "\n" for row in rows)
    for part in ("train", "val", *MULTI30K_TESTS):
        for language in ("en", "de", "fr"):
            contents[f"multi30k/{part}.{language}.gz"] = "".join(f"{part} {language} {n}\n" for n in range(5))
    for name, content in contents.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pack = lzma.compress if name.endswith(".xz") else gzip.compress
        path.write_bytes(pack(content.encode()))
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.mark.usefixtures("data")
def test_named_sets_and_their_parts() -> None:
    imdb = read("imdb", "classify")
    assert (len(imdb.train), len(imdb.valid), len(imdb.test)) == (26, 4, 11)
    assert imdb.labels == ("negative", "positive")
    assert imdb.report.overlap == 1
    assert Labelled("review 7<br />", "positive") in everything(imdb)
    pairs = read("multi30k", "translate")
    assert pairs.train[0] == Pair("train en 0", "train de 0")
    assert pairs.valid[0] == Pair("val en 0", "val de 0")
    assert pairs.test[0] == Pair("test_2016_flickr en 0", "test_2016_flickr de 0")
    assert read("multi30k-fr-en:test_2018_flickr", "translate").test[4] == Pair(
        "test_2018_flickr fr 4", "test_2018_flickr en 4"
    )
    tatoeba = read("tatoeba-en-de", "translate")
    assert Pair('"Hi," 3', "Hallo 7") in everything(tatoeba)
    assert overlap(tatoeba.train, [*tatoeba.valid, *tatoeba.test]) == 0
    shakespeare = read("shakespeare", "generate")
    assert [len(part[0].text) for part in (shakespeare.train, shakespeare.valid)] == [189, 21]
    born = read("birthplaces", "generate")
    assert (len(born.train), born.valid, born.test) == (20, [Pair("Where was X born?", "London")], [])
    wiki = read("wiki", "generate")
    assert (len(wiki.train), len(wiki.valid), len(wiki.test)) == (98, 2, 0)
    assert len(read("imdb-unlabelled", "generate").train) == 27
    assert len(read("imdb", "generate").test) == 11
    tomatoes = read("rotten-tomatoes", "classify")
    assert (len(tomatoes.train), len(tomatoes.valid), tomatoes.test[0]) == (3, 3, Labelled("sentence 17 .", "positive"))


@pytest.mark.usefixtures("data")
def test_words_that_a_treebank_has_parted_are_joined_again() -> None:
    corpus = read("sst2", "classify")
    assert corpus.train[3] == Labelled("it's n't film 3".replace("'s n't", "'sn't"), "positive")
    assert (corpus.valid, corpus.test) == ([Labelled("a film ( of 1970 )", "positive")], [])
    assert joined("they do n't , wo n't ; 'tis 'mid") == "they don't , won't ; 'tis 'mid"


@pytest.mark.usefixtures("data")
def test_of_a_further_set_only_the_training_part_is_read() -> None:
    alone, both = read("imdb", "classify"), read("imdb", "classify", more=["rotten-tomatoes", "sst2"])
    assert len(both.train) == len(alone.train) + 3 + 11
    assert (both.valid, both.test) == (alone.valid, alone.test)
    assert both.report.read == both.report.kept == alone.report.read + 3 + 11


@pytest.mark.usefixtures("data")
def test_named_sets_refuse_what_they_cannot() -> None:
    with pytest.raises(InputError, match="'imdb' is a set to classify or to generate, not to translate"):
        read("imdb", "translate")
    with pytest.raises(InputError, match="no test part called 'test_2017_flicker'; did you mean 'test_2017_flickr'"):
        read("multi30k:test_2017_flicker", "translate")
    assert find_named("imdb:5") is None


@pytest.mark.parametrize("name", NAMED)
def test_a_set_that_is_nowhere_names_both_ways(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    monkeypatch.setattr(named_sets, "_hub_in_reach", lambda: False)
    task = NAMED[name].tasks[0]
    for module in (None, SimpleNamespace()):  # without the library, and with it but without a network
        monkeypatch.setitem(sys.modules, "datasets", module)
        with pytest.raises(InputError, match="set GLASSFORMER_DATA to it") as error:
            read(name, task)
        assert ("Hugging Face hub" in str(error.value)) == (NAMED[name].hub is not None)


def test_a_set_is_loaded_from_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def load_dataset(path: str, config: str | None, *, revision: str | None, split: str) -> list[dict[str, Any]]:
        calls.append((path, config, revision, split))
        if path == "broken":
            raise ConnectionError("no answer")
        values = {"text": f" {split} ", "en": "a", "de": "b", "english": "c", "non_english": "d", "label": 1}
        values["sentence"] = f"{split} 7, again"
        return [{**values, "text": f" {split} {n}", "label": n % 2, "english": f"c {n}"} for n in range(20)]

    monkeypatch.delenv("GLASSFORMER_DATA", raising=False)
    monkeypatch.setattr(named_sets, "_hub_in_reach", lambda: True)
    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    imdb = read("imdb", "classify")
    assert Labelled("test 3", "positive") in imdb.test
    both = read("imdb", "classify", more=["sst2"])
    assert both.report.read == both.report.kept == 60
    assert Labelled("train 7, again", "positive") in both.train
    assert read("multi30k-de-en", "translate").test[0] == Pair("b", "a")
    assert Pair("c 7", "d") in everything(read("tatoeba-en-de", "translate"))
    shakespeare = read("shakespeare", "generate")
    assert len(shakespeare.train) == 1
    assert shakespeare.report.notes == ("shakespeare: loaded through the Hugging Face hub, karpathy/tiny_shakespeare.",)
    assert calls == [
        ("stanfordnlp/imdb", None, None, "train"),
        ("stanfordnlp/imdb", None, None, "test"),
        ("stanfordnlp/imdb", None, None, "train"),
        ("stanfordnlp/imdb", None, None, "test"),
        ("stanfordnlp/sst2", None, None, "train"),
        ("bentrevett/multi30k", None, None, "train"),
        ("bentrevett/multi30k", None, None, "validation"),
        ("bentrevett/multi30k", None, None, "test"),
        ("sentence-transformers/parallel-sentences-tatoeba", "en-de", None, "train+dev"),
        ("karpathy/tiny_shakespeare", None, "refs/convert/parquet", "train+validation+test"),
    ]


def test_the_hub_is_asked_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(address: tuple[str, int], timeout: float) -> None:
        assert timeout <= 5
        raise OSError("no network")

    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HTTPS_PROXY", "https_proxy", "HF_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("socket.create_connection", refuse)
    assert not named_sets._hub_in_reach()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # then the library answers from what it kept
    assert named_sets._hub_in_reach()
