"""From a request to all that a run needs: tokens, lessons, a model and a card. It trains nothing and knows no clock."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn

from glassformer.errors import InputError
from glassformer.models import config as configs
from glassformer.models.card import Card
from glassformer.models.registry import MODELS, build, configure
from glassformer.models.weights import outline
from glassformer.objectives.lessons import Batched, Lessons, Measures, tensors
from glassformer.objectives.table import OBJECTIVES, usual_objective
from glassformer.runs.folder import RunFolder, to_toml
from glassformer.runs.run import Run, load
from glassformer.text.corpora import Corpus
from glassformer.text.samples import Labelled, Pair, Sample, text_of
from glassformer.text.tasks import TASKS
from glassformer.text.tokens import UNKNOWN, Tokens
from glassformer.training import machine
from glassformer.training.loop import Plan
from glassformer.training.recipes import FROM_DATA, Recipe, recipe_for
from glassformer.training.request import Decided, Request, as_settings, from_settings, read_corpus

ENOUGH = 0.5  # of a child's weights must come from its parent, or it is no parent
BYTES_TO_LEARN = 16  # of a parameter: itself, its gradient and what the optimizer remembers of it
CHILD_RATE = 0.25  # of the learning rate, for what begins from another run


@dataclass(frozen=True)
class Prepared:
    """All that a run needs."""

    request: Request
    recipe: Recipe
    corpus: Corpus
    tokens: Tokens
    lessons: Lessons
    model: nn.Module
    card: Card
    notes: tuple[str, ...]


def prepare(request: Request, recipe: Recipe | None = None, corpus: Corpus | None = None) -> Prepared:
    """Reads the data, cuts them into tokens, and builds the model, with a parent's weights if there is one.

    A recipe that is given is followed; else the preset for this data is, with what the user and the parent want. A
    corpus that is given is what `read_corpus` gave for the same data: several runs may share it.
    """
    parent = load(request.parent) if request.parent else None
    corpus = corpus or read_corpus(request)
    recipe = recipe or _recipe(request, corpus, parent)
    tokens = parent.tokens if parent else _tokens(recipe, corpus)
    torch.manual_seed(request.seed)
    config = _config(recipe, corpus, tokens)
    measures = Measures(
        longest=_longest(recipe, config), tokens_per_batch=recipe.tokens_per_batch, seed=request.seed
    )  # fmt: skip
    found = _lessons(recipe.objective, corpus, tokens, measures)
    model = _built(recipe, config, found)
    notes = [*corpus.report.sentences(), *_unknown(corpus, tokens), *found.notes]
    if parent is not None:
        notes.append(inherit(model, parent.model, request.parent))
    card = Card(
        task=request.task, model=recipe.model, config=configs.to_dict(config), objective=recipe.objective,
        labels=corpus.labels, longest=measures.longest, data=request.data, command=request.command, seed=request.seed,
        parents=(*parent.card.parents, request.parent) if parent else (),
    )  # fmt: skip
    return Prepared(request, recipe, corpus, tokens, found, model, card, tuple(notes))


# --- recipe, tokens ---------------------------------------------------------------------------------------------


def _recipe(request: Request, corpus: Corpus, parent: Run | None) -> Recipe:
    """The preset for this data, with what the user and the parent have to say about it."""
    objective = request.objective or usual_objective(request.task, corpus.train[0])
    model = request.model or (parent.card.model if parent else TASKS[request.task].model)
    characters = sum(len(text) for sample in corpus.train for text in _texts(sample))
    recipe = recipe_for(request.task, objective, model, characters, len(corpus.train))
    if parent is not None:
        recipe = _as_parent(recipe, parent, request)
    return recipe.with_settings(request.settings)


def _as_parent(recipe: Recipe, parent: Run, request: Request) -> Recipe:
    """A child has its parent's sizes; only how it drops, and what it answers, is its own. It learns more slowly, so as
    not to forget what its parent knew."""
    if recipe.model != parent.card.model:
        raise InputError(
            f"{request.parent} is a '{parent.card.model}', so what begins from it cannot be a '{recipe.model}'."
        )
    if MODELS[recipe.model].counts:
        raise InputError(f"A '{recipe.model}' counts its training texts anew: leave --from out, and train it afresh.")
    own = {name: value for name, value in recipe.settings.items() if "dropout" in name}
    settings = {name: value for name, value in parent.card.config.items() if name not in FROM_DATA}
    plan = replace(recipe.plan, learning_rate=CHILD_RATE * recipe.plan.learning_rate)
    return replace(recipe, settings={**settings, **own}, longest=parent.card.longest, plan=plan)


def _tokens(recipe: Recipe, corpus: Corpus) -> Tokens:
    plan = recipe.tokens
    texts = [text for sample in corpus.train for text in _texts(sample)]
    return Tokens.train(
        plan.kind, texts, vocabulary=plan.vocabulary or None, min_frequency=plan.min_frequency or None
    )  # fmt: skip


def _texts(sample: Sample) -> tuple[str, ...]:
    return (sample.source, sample.target) if isinstance(sample, Pair) else (sample.text,)


def _unknown(corpus: Corpus, tokens: Tokens) -> list[str]:
    """A word where a good part of the text is not in the vocabulary."""
    ids = tokens.encode_many([text_of(sample) for sample in corpus.train[:1000]])
    total, unknown = sum(len(row) for row in ids), sum(int((row == UNKNOWN).sum()) for row in ids)
    share = unknown / max(total, 1)
    return [f"{share:.1%} of the tokens are not in the vocabulary of {len(tokens):,}."] if share > 0.005 else []


# --- model and lessons ------------------------------------------------------------------------------------------


def _config(recipe: Recipe, corpus: Corpus, tokens: Tokens) -> Any:
    settings = {**recipe.settings, "vocabulary": len(tokens)}
    if OBJECTIVES[recipe.objective].samples is Labelled:
        settings["classes"] = len(corpus.labels)
    return configure(recipe.model, **settings)


def _longest(recipe: Recipe, config: Any) -> int:
    return min(recipe.longest, getattr(config, "length", recipe.longest))


def _lessons(objective: str, corpus: Corpus, tokens: Tokens, measures: Measures) -> Lessons:
    valid = corpus.valid or corpus.train[:100]
    return OBJECTIVES[objective].lessons(corpus.train, valid, corpus.labels, tokens, measures)


def _built(recipe: Recipe, config: Any, lessons: Lessons) -> nn.Module:
    """The model with fresh weights; one that counts has counted the training part."""
    _check_room(recipe.model, config)
    model: Any = build(recipe.model, config)
    train: Batched = lessons.train
    if MODELS[recipe.model].counts:
        model.count(lambda: (tensors(model, each.ids, each.real, each.labels) for each in train.in_order()))
    return model  # type: ignore[no-any-return]


def _check_room(name: str, config: Any) -> None:
    """Refuses sizes that this machine has no memory for, before it is asked for."""
    parameters = sum(weight.numel() for weight in outline(name, config).parameters())
    room = machine.facts().memory
    needed = BYTES_TO_LEARN * parameters
    if needed > room:
        raise InputError(
            f"{name} of this size has {parameters:,} parameters, and takes {needed / 1e9:,.0f} GB to train; "
            f"this machine has {room / 1e9:,.0f} GB. Set smaller sizes, such as width or layers."
        )


def inherit(child: nn.Module, parent: nn.Module, name: str) -> str:
    """Takes over every weight of the parent that has its like in the child; says how many."""
    mine, theirs = child.state_dict(), parent.state_dict()
    fitting = {key: value for key, value in theirs.items() if key in mine and mine[key].shape == value.shape}
    child.load_state_dict({**mine, **fitting})
    taken, own = len(fitting), [key for key in mine if key not in fitting]
    if taken < ENOUGH * len(mine):
        raise InputError(f"Only {taken} of {len(mine)} weights fit those of {name}; is it the same kind of model?")
    left = f"; new: {', '.join(own)}" if own else ""
    return f"{taken} of {len(mine)} weights begin as those of {name}{left}."


# --- settings, and back -----------------------------------------------------------------------------------------


def settings_of(prepared: Prepared, plan: Plan, threads: int) -> dict[str, Any]:
    """All that was asked for and decided, for `config.toml`."""
    recipe = replace(prepared.recipe, plan=plan)
    return as_settings(Decided(prepared.request, recipe, threads, prepared.tokens.identity), prepared.card.config)


def prepare_again(settings: Mapping[str, Any], corpus: Corpus | None = None) -> tuple[Prepared, Plan, int]:
    """The same from the settings of a run folder; data that are no longer what they were are an error."""
    decided = from_settings(settings)
    prepared = prepare(decided.request, decided.recipe, corpus)
    if prepared.tokens.identity != decided.identity:
        raise InputError(
            f"The data of this run, {decided.request.data}, are no longer what they were: they give other tokens. "
            "Train anew, in another folder."
        )
    return prepared, decided.recipe.plan, decided.threads


_MEASURED = {"run": ("command", "threads"), "tokens": ("identity",), "plan": ("seconds",)}  # what no request says


def check_same(folder: RunFolder, settings: Mapping[str, Any]) -> None:
    """Refuses to begin a run again in the folder of another one; says what is not the same."""
    before, now = folder.settings, tomllib.loads(to_toml(settings))
    for table in now:
        was, wanted = before.get(table, {}), now[table]
        for name in sorted({*was, *wanted} - {*_MEASURED.get(table, ())}):
            if was.get(name) != wanted.get(name):
                raise InputError(
                    f"{folder.path} holds another run, which was stopped before its first checkpoint: its {name} is "
                    f"{was.get(name, 'as usual')}, not {wanted.get(name, 'as usual')}. Begin that one again "
                    f"(--resume {folder.path}), or choose another --out."
                )
