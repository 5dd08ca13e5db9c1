"""From a request to all that a run needs: tokens, lessons, a model and a card. It trains nothing and knows no clock."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn

from glassformer.errors import InputError, counted
from glassformer.layers.devices import device_called, memory_of
from glassformer.models import config as configs
from glassformer.models.card import Card
from glassformer.models.registry import MODELS, build, configure
from glassformer.models.weights import outline
from glassformer.objectives.lessons import Batched, Lessons, Measures, tensors
from glassformer.objectives.table import OBJECTIVES, usual_objective
from glassformer.runs.folder import RunFolder, to_toml
from glassformer.runs.pasting import pasteable
from glassformer.runs.run import Run, load
from glassformer.text.corpora import Corpus
from glassformer.text.files.token_files import TokenFolder
from glassformer.text.samples import Labelled, Pair, Sample, text_of
from glassformer.text.tasks import TASKS
from glassformer.text.token_kinds import OWN
from glassformer.text.tokens import Tokens
from glassformer.text.varied_pairs import Variety
from glassformer.training import machine
from glassformer.training.adapters import add_lora, freeze
from glassformer.training.loop import Plan
from glassformer.training.processes.team import Team
from glassformer.training.recipes import FROM_DATA, Recipe, recipe_for
from glassformer.training.request import Decided, Request, as_settings, from_settings, read_corpus, trained_tokens

ENOUGH = 0.5  # of a child's weights must come from its parent, or it is no parent
BYTES_TO_LEARN = 16  # of a parameter: itself, its gradient and what the optimizer remembers of it
CHILD_RATE = 0.25  # of the learning rate, for what begins from another run
PRETRAINED_RATE, LORA_RATE = 5e-5, 5e-4  # for what begins from a model of another tool


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
    device = device_called(request.device)
    parent = load(request.parent, "cpu") if request.parent else None
    corpus = corpus or read_corpus(request)
    recipe = recipe or _recipe(request, corpus, parent)
    tokens = parent.tokens if parent else _tokens(recipe, corpus)
    torch.manual_seed(request.seed)
    config = _config(recipe, corpus, tokens)
    measures = Measures(
        longest=_longest(recipe, config), tokens_per_batch=recipe.tokens_per_batch, seed=request.seed,
        variety=Variety(new_names=recipe.new_names, lost_stops=recipe.lost_stops), crop=recipe.crop,
    )  # fmt: skip
    found = _lessons(recipe.objective, corpus, tokens, measures)
    _check_room(recipe.model, config, device)
    model = _built(recipe, config, found)
    notes = [*corpus.report.sentences(), *_unknown(corpus, tokens), *found.notes]
    if parent is not None:
        notes.append(inherit(model, parent.model, request.parent, headless=parent.objective.predict is None))
    _keep_still(model, recipe.plan, parent)
    model.to(device)  # its weights were drawn on the processor: the same on every device
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
    characters = corpus.kept.bytes if corpus.kept else characters
    recipe = recipe_for(request.task, objective, model, characters, len(corpus.train))
    if parent is not None:
        recipe = _as_parent(recipe, parent, request)
    recipe = recipe.with_settings(request.settings)
    return recipe if parent is None else _as_long(recipe, parent, request)


def _as_parent(recipe: Recipe, parent: Run, request: Request) -> Recipe:
    """A child has its parent's sizes; only how it drops, and what it answers, is its own. It learns more slowly, so as
    not to forget what its parent knew."""
    if recipe.model != parent.card.model:
        raise InputError(
            f"{request.parent} is a '{parent.card.model}', so what begins from it cannot be a '{recipe.model}'."
        )
    if MODELS[recipe.model].counts:
        raise InputError(f"A '{recipe.model}' counts its training texts anew: leave --from out, and train it afresh.")
    settings = {name: value for name, value in parent.card.config.items() if name not in FROM_DATA}
    if parent.tokens.specials != OWN:
        return _as_brought_in(recipe, parent, settings, lora=bool(request.settings.get("lora")))
    own = {name: value for name, value in recipe.settings.items() if "dropout" in name}
    plan = replace(recipe.plan, learning_rate=CHILD_RATE * recipe.plan.learning_rate)
    return replace(recipe, settings={**settings, **own}, longest=parent.card.longest, plan=plan)


def _as_brought_in(recipe: Recipe, parent: Run, settings: Mapping[str, Any], *, lora: bool) -> Recipe:
    """A parent from another tool has read far more than its child will: it is moved little and evenly, by AdamW, and
    drops as it did when it was trained."""
    plan = replace(
        recipe.plan, optimizer="adamw", learning_rate=LORA_RATE if lora else PRETRAINED_RATE, table_rate=1.0,
        weight_decay=0.01, warm_up=0.06, schedule="linear", average=0.0,
    )  # fmt: skip
    longest = min(recipe.longest, parent.card.longest)
    usual = {name: 0.1 if name == "dropout" else 0.0 for name in settings if "dropout" in name}
    return replace(recipe, settings={**settings, **usual}, longest=longest, plan=plan)


def _as_long(recipe: Recipe, parent: Run, request: Request) -> Recipe:
    """A child that reads shorter texts than its parent has all its parent's positions still."""
    length = parent.card.config.get("length")
    if length is None or "length" in request.settings or recipe.longest > length:
        return recipe
    return replace(recipe, settings={**recipe.settings, "length": length})


def _keep_still(model: nn.Module, plan: Plan, parent: Run | None) -> None:
    """Holds what is not to learn."""
    if parent is None and (plan.freeze or plan.lora):
        raise InputError("freeze and lora hold what a parent has learnt; name one (--from), or leave them out.")
    if plan.lora and plan.average:
        raise InputError("lora and an average of weights do not go together; set average=0.")
    add_lora(model, plan.lora)
    freeze(model, plan.freeze)


def _tokens(recipe: Recipe, corpus: Corpus) -> Tokens:
    if corpus.kept:
        return corpus.kept.tokens
    return trained_tokens(recipe.tokens, [text for sample in corpus.train for text in _texts(sample)])


def _texts(sample: Sample) -> tuple[str, ...]:
    return (sample.source, sample.target) if isinstance(sample, Pair) else (sample.text,)


def _unknown(corpus: Corpus, tokens: Tokens) -> list[str]:
    """A word where a good part of the text is not in the vocabulary."""
    if tokens.unknown is None:
        return []
    ids = tokens.encode_many([text_of(sample) for sample in corpus.train[:1000]])
    total, unknown = sum(len(row) for row in ids), sum(int((row == tokens.unknown).sum()) for row in ids)
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
    if corpus.kept:
        return _kept_lessons(objective, corpus.kept, corpus.valid, tokens, measures)
    valid = corpus.valid or corpus.train[:100]
    return OBJECTIVES[objective].lessons(corpus.train, valid, corpus.labels, tokens, measures)


def _kept_lessons(
    objective: str, kept: TokenFolder, valid: Sequence[Sample], tokens: Tokens, measures: Measures
) -> Lessons:  # fmt: skip
    if tokens.identity != kept.facts["identity"]:
        raise InputError(
            f"{kept.path} was cut with other tokens than those of the parent; cut the text anew with them."
        )
    make = OBJECTIVES[objective].kept_lessons
    if make is None:
        able = [name for name, each in OBJECTIVES.items() if each.kept_lessons]
        raise InputError(f"From token files the objective is {' or '.join(able)}; '{objective}' needs text in memory.")
    return make(kept, valid, tokens, measures)


def _built(recipe: Recipe, config: Any, lessons: Lessons) -> nn.Module:
    """The model with fresh weights; one that counts has counted the training part."""
    model: Any = build(recipe.model, config)
    train: Batched = lessons.train
    if MODELS[recipe.model].counts:
        model.count(lambda: (tensors(model, each.ids, each.real, each.labels) for each in train.in_order()))
    return model  # type: ignore[no-any-return]


def _check_room(name: str, config: Any, device: torch.device) -> None:
    """Refuses sizes that the machine, or a device with a memory of its own, has no room for, before it is asked for."""
    parameters = sum(weight.numel() for weight in outline(name, config).parameters())
    own = memory_of(device)
    room = machine.facts().memory if own is None else own
    needed = BYTES_TO_LEARN * parameters
    if needed > room:
        raise InputError(
            f"{name} of this size has {parameters:,} parameters, and takes {needed / 1e9:,.0f} GB to train; "
            f"{'this machine' if own is None else device} has {room / 1e9:,.0f} GB. "
            "Set smaller sizes, such as width or layers."
        )


def inherit(child: nn.Module, parent: nn.Module, name: str, *, headless: bool = False) -> str:
    """Takes over every weight of the parent that has its like in the child; says how many. A head that has learnt
    nothing is not taken over."""
    mine, theirs = child.state_dict(), parent.state_dict()
    if headless:
        theirs = {key: value for key, value in theirs.items() if not key.startswith("head.")}
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


def prepare_again(
    settings: Mapping[str, Any], corpus: Corpus | None = None, device: str = ""
) -> tuple[Prepared, Plan, int]:
    """The same from the settings of a run folder, on another device if one is named; data that are no longer what they
    were are an error."""
    decided = from_settings(settings)
    request = replace(decided.request, device=device or decided.request.device)
    prepared = prepare(request, decided.recipe, corpus)
    if prepared.tokens.identity != decided.identity:
        raise InputError(
            f"The data of this run, {decided.request.data}, are no longer what they were: they give other tokens. "
            "Train anew, in another folder."
        )
    return prepared, decided.recipe.plan, decided.threads


_MEASURED = {
    "run": ("command", "threads", "device"),
    "tokens": ("identity",),
    "plan": ("seconds",),
}  # what no request says


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
                    f"({pasteable(('--resume', folder.path))}), or choose another --out."
                )


# --- in a team --------------------------------------------------------------------------------------------------


def alike(team: Team, work: Callable[[], Prepared]) -> Prepared:
    """What all processes of a team prepare, the same in each, or none of them begins. What each drops at random from
    then on is its own."""
    prepared = team.together(work)
    found = team.everyone([prepared.tokens.identity, prepared.lessons.train.n_batches(0), prepared.card.config])
    if strange := [rank for rank, each in enumerate(found) if each != found[0]]:
        other = InputError(
            f"Process {strange[0]} of {team.size} reads other data than process 0; give all of them the same files."
        )
        team.together(lambda: _refuse(other))
    if not team.leads:
        torch.manual_seed(prepared.request.seed * team.size + team.rank)
    return prepared


def alike_again(
    team: Team, settings: Mapping[str, Any], corpus: Corpus | None, device: str = ""
) -> tuple[Prepared, Plan, int]:
    """The same from the settings of a run folder."""
    found: list[tuple[Prepared, Plan, int]] = []

    def work() -> Prepared:
        found.append(prepare_again(settings, corpus, device))
        return found[0][0]

    alike(team, work)
    prepared, plan, threads = found[0]
    return prepared, plan, threads if team.size == 1 else min(threads, machine.cores_for(team.local_size))


def _refuse(error: InputError) -> None:
    raise error


def idle(prepared: Prepared, team: Team) -> list[str]:
    """A word where a batch has fewer rows than there are processes."""
    if team.size == 1:
        return []
    rows = len(next(iter(vars(prepared.lessons.train.batch(0, 0)).values())))
    if team.size <= rows:
        return []
    return [
        f"A batch has {counted(rows, 'row')} for {team.size} processes: some have nothing to do. "
        f"Set tokens_per_batch higher than {prepared.recipe.tokens_per_batch:,}."
    ]
