"""Small runs on the disk, with random weights: what predicting, scoring and keeping is tried on."""

from pathlib import Path
from typing import Any

from glassformer.models.card import Card
from glassformer.models.config import to_dict
from glassformer.models.registry import MODELS, build, configure
from glassformer.runs.folder import RunFolder
from glassformer.runs.run import Run, load
from glassformer.text.corpora import Corpus, read
from glassformer.text.samples import Pair, text_of
from glassformer.text.tasks import tasks_for
from glassformer.text.tokens import Tokens
from helpers.small_models import SMALL, small

# For each objective: a model, a source, a kind of tokens.
KINDS = {
    "classes": ("transformer", "negation:300", "word"),
    "pairs": ("translator", "dates:300", "character"),
    "answers": ("modern", "sorting:300", "character"),
}
SEED = 3


def small_corpus(objective: str) -> Corpus:
    model, source, _ = KINDS[objective]
    return read(source, tasks_for(MODELS[model].family)[0], seed=SEED)


def small_run(path: Path, objective: str = "classes", model: str | None = None, **settings: Any) -> RunFolder:
    """A run as training would leave it, but for the training."""
    usual, source, kind = KINDS[objective]
    name = model or usual
    corpus = small_corpus(objective)
    texts = [part for each in corpus.train for part in (text_of(each), each.target if isinstance(each, Pair) else "")]
    tokens = Tokens.train(kind, texts, min_frequency=1)
    longest = {"length": 67} if "length" in SMALL[name] else {}
    settings = SMALL[name] | {"vocabulary": len(tokens), **longest, **settings}
    if corpus.labels:
        settings["classes"] = len(corpus.labels)
    module = small(name, **settings)
    card = Card(
        task=corpus.task, model=name, config=to_dict(configure(name, **settings)), objective=objective,
        labels=corpus.labels, longest=67, data=source, command="glassformer train", seed=SEED,
    )  # fmt: skip
    folder = RunFolder.create(path, settings={"run": {"seed": SEED}, "data": {"source": source}})
    folder.save_model(card, module.state_dict(), tokens)
    return folder


TEXT = "the cat sat on the mat. the dog sat on the cat. " * 12


def language_run(objective: str = "stream", kind: str = "character", **settings: Any) -> Run:
    tokens = Tokens.train(kind, [TEXT], min_frequency=1)
    sizes = {"width": 12, "layers": 1, "heads": 3, "hidden": 13, "length": 23, **settings}
    config = configure("modern", vocabulary=len(tokens), **sizes)
    card = Card(task="generate", model="modern", config=to_dict(config), objective=objective, longest=23)
    return Run(build("modern", config), card, tokens)


TEXTS = {"classes": "the film was not good", "pairs": "the third of March 1984", "answers": "3 1 2"}


def run_of_each(root: Path) -> dict[str, Run]:
    """A small run of each objective that has a text above."""
    return {objective: load(small_run(root / objective, objective).path) for objective in TEXTS}
