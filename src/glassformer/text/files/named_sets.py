"""Named sets: where well-known corpora are found, in a folder of yours or on the Hugging Face hub. Opens no file.

The folder is named by the environment variable GLASSFORMER_DATA; each set has its own place in it.
"""

import os
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from glassformer.errors import InputError, nearest
from glassformer.text.files.folders import Files, Parts
from glassformer.text.samples import SPLIT_OFF, Labelled, Pair, Plain, Sample
from glassformer.text.tasks import TASKS

VARIABLE = "GLASSFORMER_DATA"
LANGUAGES = ("en", "de", "fr")
MULTI30K_TESTS = ("test_2016_flickr", "test_2017_flickr", "test_2017_mscoco", "test_2018_flickr")
_PARTED = re.compile(r" (n't|'(?:s|re|ve|ll|d|m))\b")
PATIENCE = 3.0  # seconds to wait for the hub before saying that it is out of reach


@dataclass(frozen=True)
class Hub:
    """Where a set lies on the hub: `datasets.load_dataset(path, config, revision=revision, split=…)`."""

    path: str
    columns: Mapping[str, str]  # role → column
    splits: Mapping[str, str]  # part → split
    config: str | None = None
    revision: str | None = None

    def __str__(self) -> str:
        return self.path if self.config is None else f"{self.path} ({self.config})"


@dataclass(frozen=True)
class NamedSet:
    """One set: what it is for, its files below the folder, and its place on the hub."""

    name: str
    tasks: tuple[str, ...]
    parts: Mapping[str, tuple[str, ...]]  # part → files; two are parallel
    kind: str = "table"
    hub: Hub | None = None
    label_names: tuple[str, ...] = ()  # by number
    test_made: bool = True  # False: where no test part is given, there is none
    valid_share: float = SPLIT_OFF  # the share kept for validation where none is given
    parted: bool = False  # words stand as treebanks have them, "is n't" and "it 's"

    def files(self) -> Parts | None:
        """The files, if the folder holds all of them."""
        folder = os.environ.get(VARIABLE)
        if not folder:
            return None
        parts = {
            part: [Files(self.kind, tuple(Path(folder) / name for name in names))] for part, names in self.parts.items()
        }
        found = all(path.is_file() for files in parts.values() for each in files for path in each.paths)
        return parts if found else None

    def to_learn_from(self) -> "NamedSet":
        """The set with its training part alone."""
        hub = self.hub and replace(self.hub, splits={"train": self.hub.splits["train"]})
        return replace(self, parts={"train": self.parts["train"]}, hub=hub)

    def mended(self, sample: Sample) -> Sample:
        """The sample with its label called by its name, not its number, and its words as people write them."""
        if self.parted and not isinstance(sample, Pair):
            sample = replace(sample, text=joined(sample.text))
        if isinstance(sample, Labelled) and self.label_names:
            return replace(sample, label=self.label_names[int(sample.label)])
        return sample


def joined(text: str) -> str:
    """What a treebank has parted, as people write it: "is n't" is "isn't" again, and -lrb- a bracket."""
    return _PARTED.sub(r"\1", text).replace("-lrb-", "(").replace("-rrb-", ")")


def _multi30k(source: str, target: str, test: str) -> NamedSet:
    name = "multi30k" if (source, target) == ("en", "de") else f"multi30k-{source}-{target}"
    stems = {"train": "train", "valid": "val", "test": test}
    hub = Hub(
        "bentrevett/multi30k",
        {"source": source, "target": target},
        {"train": "train", "valid": "validation", "test": "test"},
    )
    return NamedSet(
        name if test == MULTI30K_TESTS[0] else f"{name}:{test}",
        ("translate",),
        {part: (f"multi30k/{stem}.{source}.gz", f"multi30k/{stem}.{target}.gz") for part, stem in stems.items()},
        kind="parallel",
        hub=hub if "fr" not in (source, target) and test == MULTI30K_TESTS[0] else None,
    )


def _film_reviews() -> list[NamedSet]:
    imdb, opinions = "stanfordnlp/imdb", ("negative", "positive")
    return [
        NamedSet(
            "imdb",
            ("classify", "generate"),
            {"train": ("imdb/train.jsonl.gz",), "test": ("imdb/test.jsonl.gz",)},
            hub=Hub(imdb, {"text": "text", "label": "label"}, {"train": "train", "test": "test"}),
            label_names=opinions,
        ),
        NamedSet(
            "imdb-unlabelled",
            ("generate",),
            {"train": ("imdb/unsup.jsonl.xz",)},
            hub=Hub(imdb, {"text": "text"}, {"train": "unsupervised"}),
            test_made=False,
        ),
        NamedSet(
            "rotten-tomatoes",
            ("classify", "generate"),
            {
                "train": ("rotten-tomatoes/train.jsonl.gz",),
                "valid": ("rotten-tomatoes/validation.jsonl.gz",),
                "test": ("rotten-tomatoes/test.jsonl.gz",),
            },
            hub=Hub(
                "cornell-movie-review-data/rotten_tomatoes",
                {"text": "text", "label": "label"},
                {"train": "train", "valid": "validation", "test": "test"},
            ),
            label_names=opinions,
        ),
        # Its test part has no labels; its sentences are those of rotten-tomatoes, otherwise split.
        NamedSet(
            "sst2",
            ("classify", "generate"),
            {"train": ("sst2/train.tsv.gz",), "valid": ("sst2/dev.tsv.gz",)},
            hub=Hub(
                "stanfordnlp/sst2",
                {"text": "sentence", "label": "label"},
                {"train": "train", "valid": "validation"},
            ),
            label_names=opinions,
            test_made=False,
            parted=True,
        ),
    ]


def _all() -> dict[str, NamedSet]:
    shakespeare = Hub(
        "karpathy/tiny_shakespeare",
        {"text": "text"},
        {"train": "train+validation+test"},  # one text again; ours is cut at nine tenths
        revision="refs/convert/parquet",
    )
    tatoeba = Hub(
        "sentence-transformers/parallel-sentences-tatoeba",
        {"source": "english", "target": "non_english"},
        {"train": "train+dev"},
        config="en-de",
    )
    sets = [
        *_film_reviews(),
        NamedSet("tatoeba-en-de", ("translate",), {"train": ("tatoeba-en-de/deu.txt.gz",)}, hub=tatoeba),
        NamedSet(
            "shakespeare",
            ("generate",),
            {"train": ("tinyshakespeare/input.txt.gz",)},
            kind="document",
            hub=shakespeare,
        ),
        NamedSet(
            "birthplaces",
            ("generate", "translate"),
            {"train": ("cs224n-a5/birth_places_train.tsv.gz",), "valid": ("cs224n-a5/birth_dev.tsv.gz",)},
            test_made=False,
        ),
        # Facts stand in it once: what is split off cannot be asked about later.
        NamedSet(
            "wiki",
            ("generate",),
            {"train": ("cs224n-a5/wiki.txt.gz",)},
            kind="lines",
            test_made=False,
            valid_share=0.02,
        ),
    ]
    pairs = [(source, target) for source in LANGUAGES for target in LANGUAGES if source != target]
    sets += [_multi30k(source, target, MULTI30K_TESTS[0]) for source, target in pairs]
    return {each.name: each for each in sets}


NAMED: Mapping[str, NamedSet] = MappingProxyType(_all())


def find_named(name: str) -> NamedSet | None:
    """The set of this name, or None; `multi30k:test_2017_flickr` chooses another of its test parts."""
    base, colon, test = name.partition(":")
    if not colon or not base.startswith("multi30k") or base not in NAMED:
        return NAMED.get(name)
    if test not in MULTI30K_TESTS:
        raise InputError(f"{base} has no test part called '{test}'; {nearest(test, MULTI30K_TESTS)}")
    source, target = base.removeprefix("multi30k").strip("-").split("-") if base != "multi30k" else ("en", "de")
    return _multi30k(source, target, test)


# --- the hub ----------------------------------------------------------------------------------------------------


def from_hub(named: NamedSet, task: str) -> dict[str, list[Sample]]:
    """The samples of each part, downloaded once and kept by the `datasets` library."""
    files = ", ".join(name for names in named.parts.values() for name in names)
    folder = f"put {files} into a folder and set {VARIABLE} to it"
    hub = named.hub
    if hub is None:
        raise InputError(f"'{named.name}' is not on the hub: {folder}.")
    ways = f"Either {folder}, or load it from the Hugging Face hub ({hub}) with pip install 'glassformer[data]'"
    try:
        datasets = import_module("datasets")
    except ImportError as error:
        raise InputError(f"'{named.name}' is not here. {ways}.") from error
    if not _hub_in_reach():
        raise InputError(
            f"'{named.name}' is not here, and the hub is out of reach. {ways} and a network; "
            "if it was loaded before, set HF_HUB_OFFLINE=1."
        )
    parts: dict[str, list[Sample]] = {}
    for part, split in hub.splits.items():
        try:
            rows = datasets.load_dataset(hub.path, hub.config, revision=hub.revision, split=split)
        except Exception as error:  # the library has a dozen kinds, from its own to those of the network
            raise InputError(f"'{named.name}' could not be loaded from the hub: {error}. {ways}.") from error
        parts[part] = [_hub_sample(row, hub.columns, task) for row in rows]
    if named.kind == "document":
        parts = {part: [Plain("".join(_plain(sample) for sample in samples))] for part, samples in parts.items()}
    return parts


def _plain(sample: Sample) -> str:
    return sample.target if isinstance(sample, Pair) else sample.text


def _hub_sample(row: Mapping[str, Any], columns: Mapping[str, str], task: str) -> Sample:
    if "source" in columns:
        return Pair(str(row[columns["source"]]).strip(), str(row[columns["target"]]).strip())
    text = str(row[columns["text"]])
    if TASKS[task].has_labels:
        return Labelled(text.strip(), str(row[columns["label"]]))
    return Plain(text)


def _hub_in_reach() -> bool:
    """A quick look, for the library itself would try for half a minute. It knows best offline or behind a proxy."""
    told = ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HTTPS_PROXY", "https_proxy", "HF_ENDPOINT")
    if any(os.environ.get(name) for name in told):
        return True
    try:
        socket.create_connection(("huggingface.co", 443), timeout=PATIENCE).close()
    except OSError:
        return False
    return True
