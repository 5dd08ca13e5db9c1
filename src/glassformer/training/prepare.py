"""Preparation: from what was asked for to all that a run needs: samples, tokens, lessons, a model and a plan.

Everything that was decided goes into the settings of the run folder, so that a resumed run is prepared the same way. It
trains nothing.
"""

import copy
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import torch
from torch import nn

from glassformer.errors import InputError
from glassformer.models import config as configs
from glassformer.models.card import Card
from glassformer.models.registry import build, configure
from glassformer.objectives import lessons
from glassformer.objectives.lessons import Lessons, Measures
from glassformer.runs.folder import RunFolder, to_toml
from glassformer.runs.run import Run, load
from glassformer.text.corpora import Corpus, read
from glassformer.text.files.columns import Columns
from glassformer.text.samples import Pair, Sample, text_of
from glassformer.text.tokens import UNKNOWN, Tokens
from glassformer.training import machine
from glassformer.training.loop import Loop, Plan
from glassformer.training.recipes import OBJECTIVES, USUAL_MODELS, Recipe, TokenPlan, recipe_for

ENOUGH = 0.5  # of a parent's weights must fit, or it is no parent
OVERHEAD = 4.0  # seconds to save, certify and report at the end
CHILD_RATE = 0.25  # of the learning rate, for what begins from another run
SECONDS_PER_WRITTEN = 0.006  # to write the answer to one sample, about
FORWARD_SHARE = 0.4  # of a step's time is the way forward, about
_FROM_DATA = ("vocabulary", "classes")  # sizes that the data decide


@dataclass(frozen=True, kw_only=True)
class Request:
    """What the user asked for; what is empty is decided by the recipe."""

    task: str
    data: str
    model: str = ""
    objective: str = ""
    minutes: float = 0.0
    epochs: float = 0.0
    steps: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    parent: str = ""  # a run to begin from, with another task or other data
    seed: int = 0
    data_seed: int | None = None  # of what is made, held out or thinned, where it is not the seed of all
    threads: int = 0  # 0: by measurement
    columns: Mapping[str, str] = field(default_factory=dict)
    valid: str = ""
    test: str = ""
    encoding: str = ""
    limit: int = 0
    keep_all: bool = False  # every checkpoint, for a time-lapse
    command: str = ""

    def __post_init__(self) -> None:
        if self.task not in OBJECTIVES:
            raise InputError(f"A task is {', '.join(OBJECTIVES)}; it is '{self.task}'.")
        named = [name for name in ("minutes", "epochs", "steps") if getattr(self, name)]
        if len(named) > 1:
            raise InputError(f"A budget is minutes, epochs or steps; {' and '.join(named)} were given.")
        for name in ("minutes", "epochs", "steps", "limit", "threads", "seed", "data_seed"):
            if (getattr(self, name) or 0) < 0:
                raise InputError(f"{name} cannot be below 0; it is {getattr(self, name)}.")


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
    model = build(recipe.model, config)
    notes = [*corpus.report.sentences(), *_unknown(corpus, tokens), *found.notes]
    if parent is not None:
        notes.append(inherit(model, parent.model, request.parent))
    card = Card(
        task=request.task, model=recipe.model, config=configs.to_dict(config), objective=recipe.objective,
        labels=corpus.labels, longest=measures.longest, data=request.data, command=request.command, seed=request.seed,
        parents=(*parent.card.parents, request.parent) if parent else (),
    )  # fmt: skip
    return Prepared(request, recipe, corpus, tokens, found, model, card, tuple(notes))


# --- data, recipe, tokens ---------------------------------------------------------------------------------------


def read_corpus(request: Request) -> Corpus:
    """The samples; what is pretrained on needs no labels, so it is read as plain text."""
    task = "generate" if request.objective == "masked" else request.task
    return read(
        request.data, task, columns=Columns(**request.columns), valid=request.valid or None, test=request.test or None,
        encoding=request.encoding or None, seed=_data_seed(request), limit=request.limit or None,
    )  # fmt: skip


def _data_seed(request: Request) -> int:
    return request.seed if request.data_seed is None else request.data_seed


def _recipe(request: Request, corpus: Corpus, parent: Run | None) -> Recipe:
    """The preset for this data, with what the user and the parent have to say about it."""
    answers = request.task == "generate" and isinstance(corpus.train[0], Pair)
    usual = "answers" if answers else OBJECTIVES[request.task][0]
    model = request.model or (parent.card.model if parent else USUAL_MODELS[request.task])
    characters = sum(len(text) for sample in corpus.train for text in _texts(sample))
    recipe = recipe_for(request.task, request.objective or usual, model, characters, len(corpus.train))
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
    own = {name: value for name, value in recipe.settings.items() if "dropout" in name}
    settings = {name: value for name, value in parent.card.config.items() if name not in _FROM_DATA}
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
    return [f"{share:.1%} of the pieces are not in the vocabulary of {len(tokens):,}."] if share > 0.005 else []


# --- model and lessons ------------------------------------------------------------------------------------------


def _config(recipe: Recipe, corpus: Corpus, tokens: Tokens) -> Any:
    settings = {**recipe.settings, "vocabulary": len(tokens)}
    if recipe.objective == "classes":
        settings["classes"] = len(corpus.labels)
    return configure(recipe.model, **settings)


def _longest(recipe: Recipe, config: Any) -> int:
    return min(recipe.longest, getattr(config, "length", recipe.longest))


_KINDS: Mapping[str, Callable[..., Lessons]] = {
    "pairs": lessons.translate,
    "stream": lessons.stream,
    "answers": lessons.answers,
    "spans": lessons.spans,
    "masked": lessons.masked,
}


def _lessons(objective: str, corpus: Corpus, tokens: Tokens, measures: Measures) -> Lessons:
    train: Sequence[Any] = corpus.train
    valid: Sequence[Any] = corpus.valid or corpus.train[:100]
    if objective == "classes":
        return lessons.classify(train, valid, corpus.labels, tokens, measures)
    return _KINDS[objective](train, valid, tokens, measures)


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


# --- the budget -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Forecast:
    """What the budget will buy, from a few steps that were measured."""

    steps: int
    epochs: float
    seconds: float
    items_per_second: float
    threads: int
    parameters: int
    timed: bool  # the budget is the seconds; else it is the steps

    def share(self, step: int, seconds: float) -> float:
        """How much of the budget is spent, from 0 to 1."""
        return min(1.0, seconds / self.seconds if self.timed else step / self.steps)


def budget(prepared: Prepared, began: float) -> tuple[Plan, Forecast]:
    """The plan with its budget, and what it will buy. `began` is when the user's minutes began to run."""
    request, recipe = prepared.request, prepared.recipe
    plan = replace(recipe.plan, precision=_precision(recipe.plan.precision))
    threads, seconds_per_step, items = _measured(prepared, plan, request.threads)
    if request.steps or request.epochs:
        plan = replace(plan, steps=request.steps or max(1, round(request.epochs * _steps_per_epoch(prepared))))
        steps, seconds = plan.steps, plan.steps * seconds_per_step
    else:
        asked = 60 * (request.minutes or recipe.minutes)
        rest = asked - (time.monotonic() - began) - _reserve(prepared, seconds_per_step)
        seconds = max(rest, 0.5 * asked)
        plan = replace(plan, seconds=seconds)
        steps = max(1, round(seconds / seconds_per_step))
    return plan, _forecast(prepared, steps, seconds, items / seconds_per_step, threads, timed=plan.steps == 0)


def forecast_again(prepared: Prepared, plan: Plan, threads: int) -> Forecast:
    """What a plan that was begun will have bought at its end."""
    _, seconds_per_step, items = _measured(prepared, plan, threads)
    timed = plan.steps == 0
    steps = round(plan.seconds / seconds_per_step) if timed else plan.steps
    seconds = plan.seconds if timed else plan.steps * seconds_per_step
    return _forecast(prepared, steps, seconds, items / seconds_per_step, threads, timed=timed)


def _forecast(
    prepared: Prepared, steps: int, seconds: float, items_per_second: float, threads: int, *, timed: bool
) -> Forecast:
    epochs = steps / _steps_per_epoch(prepared)
    parameters = sum(weight.numel() for weight in prepared.model.parameters())
    return Forecast(steps, epochs, seconds, items_per_second, threads, parameters, timed)


def _steps_per_epoch(prepared: Prepared) -> int:
    return max(1, prepared.lessons.train.n_batches(0) // prepared.recipe.plan.accumulate)


def _precision(asked: str) -> str:
    if asked != "auto":
        return asked
    return "bfloat16" if machine.facts().bfloat16 or torch.cuda.is_available() else "float32"


def _measured(prepared: Prepared, plan: Plan, threads: int) -> tuple[int, float, float]:
    """Threads, seconds per step and items per step, from steps of a copy: the run itself is not touched. 0 threads are
    as many as are quickest."""
    state = torch.get_rng_state()
    rehearsal = Loop(copy.deepcopy(prepared.model), prepared.lessons, replace(plan, steps=10**9, compile=False))
    counts = [threads] if threads else None
    items: list[int] = []
    took = machine.time_threads(lambda: items.append(rehearsal.step().items), counts=counts)
    torch.set_rng_state(state)
    threads = machine.quickest(took)
    return threads, took[threads], sum(items) / len(items)


def _reserve(prepared: Prepared, seconds_per_step: float) -> float:
    """Seconds to keep for the end: a last validation, the judging, saving and certifying."""
    judged = prepared.corpus.test or prepared.corpus.valid
    if prepared.recipe.objective in ("pairs", "answers"):
        return OVERHEAD + SECONDS_PER_WRITTEN * len(judged)
    sizes = [sum(len(text_of(each)) for each in part) for part in (judged, prepared.corpus.train)]
    one_epoch = prepared.lessons.train.n_batches(0) * seconds_per_step
    return OVERHEAD + FORWARD_SHARE * one_epoch * sizes[0] / max(1, sizes[1])


# --- settings, and back -----------------------------------------------------------------------------------------

_DATA = ("columns", "valid", "test", "encoding", "limit")  # as `corpora.read` calls them


def as_settings(prepared: Prepared, plan: Plan, threads: int) -> dict[str, Any]:
    """All that was asked for and decided, for `config.toml`."""
    request, recipe = asdict(prepared.request), prepared.recipe
    run = {name: value for name, value in request.items() if name not in (*_DATA, "data", "data_seed", "settings")}
    return {
        "run": {**run, "objective": recipe.objective, "model": recipe.model, "threads": threads},
        "data": {
            "source": request["data"],
            "seed": _data_seed(prepared.request),
            **{name: request[name] for name in _DATA if request[name]},
        },
        "tokens": {**asdict(recipe.tokens), "identity": prepared.tokens.identity},
        "model": {name: value for name, value in prepared.card.config.items() if name not in _FROM_DATA},
        "lessons": {"longest": recipe.longest, "tokens_per_batch": recipe.tokens_per_batch},
        "plan": asdict(plan),
    }


def prepare_again(settings: Mapping[str, Any], corpus: Corpus | None = None) -> tuple[Prepared, Plan, int]:
    """The same from the settings of a run folder; data that are no longer what they were are an error."""
    run, data, tokens = dict(settings["run"]), dict(settings["data"]), dict(settings["tokens"])
    threads, identity = run.pop("threads"), tokens.pop("identity")
    request = Request(**run, data=data.pop("source"), data_seed=data.pop("seed"), **data)
    recipe = Recipe(
        objective=run["objective"], model=run["model"], settings=settings["model"], tokens=TokenPlan(**tokens),
        plan=Plan(**settings["plan"]), **settings["lessons"],
    )  # fmt: skip
    prepared = prepare(request, recipe, corpus)
    if prepared.tokens.identity != identity:
        raise InputError(
            f"The data of this run, {request.data}, are no longer what they were: they give other tokens. "
            "Train anew, in another folder."
        )
    return prepared, recipe.plan, threads


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
