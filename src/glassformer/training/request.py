"""What was asked for, the samples it speaks of, and the settings that a run folder keeps of it. It builds no model.

Everything that was decided goes into the settings, so that a resumed run is prepared the same way.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

from glassformer.errors import MOST_THREADS, InputError, kind_of, must_be_text, must_count
from glassformer.objectives.objective import TokenPlan
from glassformer.objectives.table import OBJECTIVES
from glassformer.runs.run import load
from glassformer.storage import DamagedError
from glassformer.text.corpora import Corpus, read, read_kept
from glassformer.text.files.columns import Columns
from glassformer.text.files.token_files import TokenFolder, Told, holds_tokens, text_files_in, write_tokens
from glassformer.text.tasks import TASKS
from glassformer.text.tokens import Tokens
from glassformer.training import machine
from glassformer.training.loop import Plan
from glassformer.training.recipes import FROM_DATA, OF_LESSONS, Recipe

LARGE = 200_000_000  # bytes of plain text: so many, and more, are not read into memory
_DATA = ("columns", "valid", "test", "encoding", "limit", "without", "more")  # as `corpora.read` calls them


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
    parent: str = ""  # a run to finetune, with another task or other data
    seed: int = 0
    data_seed: int | None = None  # of what is made, split off or thinned, where it is not the seed of all
    threads: int = 0  # 0: by measurement
    device: str = "auto"  # the best there is
    columns: Mapping[str, str] = field(default_factory=dict)
    valid: str = ""
    test: str = ""
    encoding: str = ""
    limit: int = 0
    without: tuple[str, ...] = ()  # texts that must not be learnt from
    more: tuple[str, ...] = ()  # further data, only to learn from
    keep_all: bool = False  # every checkpoint, for a time-lapse
    baseline: bool = True  # whether a linear model is fitted beside it, where there is one for its objective
    command: str = ""

    def __post_init__(self) -> None:
        _ = TASKS[self.task]  # or it is refused here
        for name in (self.data, self.valid, self.test, self.parent, *self.more):
            must_be_text(name)
        named = [name for name in ("minutes", "epochs", "steps") if getattr(self, name)]
        if len(named) > 1:
            raise InputError(f"A budget is minutes, epochs or steps; {' and '.join(named)} were given.")
        for name in ("minutes", "epochs", "steps", "limit", "threads", "seed", "data_seed"):
            if not 0 <= (getattr(self, name) or 0) < math.inf:
                raise InputError(f"{name} must be a number from 0 on; it is {getattr(self, name)}.")
        if self.threads:
            must_count("threads", self.threads, MOST_THREADS)

    @property
    def seed_of_data(self) -> int:
        """Of what is made, split off or thinned."""
        return self.seed if self.data_seed is None else self.data_seed


def read_corpus(request: Request) -> Corpus:
    """The samples, read as the objective needs them: what needs no labels is read as plain text. Plain text that is too
    large for memory stays on the disk, as token files."""
    if folder := kept_tokens(request):
        return read_kept(folder, request.limit)
    reads = OBJECTIVES[request.objective].reads if request.objective else ""
    return read(
        request.data, reads or request.task, columns=Columns(**request.columns), valid=request.valid or None,
        test=request.test or None, encoding=request.encoding or None, seed=request.seed_of_data,
        limit=request.limit or None, without=request.without, more=request.more,
    )  # fmt: skip


def token_place(request: Request) -> Path | None:
    """Where the token files of a request's text are, or will be; None if it is read as usual."""
    place = Path(request.data)
    if holds_tokens(place):
        if request.task != "generate":
            raise InputError(f"{place} holds token files, from which a model can only learn to generate.")
        if request.without:
            raise InputError("From token files nothing can be left out (--without); leave it out of the text first.")
        if request.more:
            raise InputError("To token files nothing can be added (--more); add it to the text first.")
        return place
    if request.task != "generate" or request.objective not in ("", "stream") or _chosen(request):
        return None
    size = sum(file.stat().st_size for file in text_files_in(place))
    return place.with_name(place.name + ".tokens") if size >= LARGE else None


def _chosen(request: Request) -> bool:
    """Whether something is said of the samples that a text on the disk cannot follow."""
    return bool(request.limit or request.without or request.more)


def kept_tokens(request: Request, told: Told = lambda done, whole: None) -> TokenFolder | None:
    """The token files of a request whose text is too large for memory, made if they are not there yet."""
    place = token_place(request)
    if place is None:
        return None
    if not holds_tokens(place):
        plan = TokenPlan(
            kind=request.settings.get("tokens", "byte-bpe"), vocabulary=request.settings.get("vocabulary", 0)
        )
        make = partial(trained_tokens, plan) if not request.parent else lambda texts: load(request.parent).tokens
        write_tokens(
            text_files_in(Path(request.data)), place, make, processes=machine.usable_cores(), told=told
        )  # fmt: skip
    return TokenFolder(place)


def trained_tokens(plan: TokenPlan, texts: Sequence[str]) -> Tokens:
    """The vocabulary of some texts, as planned."""
    return Tokens.train(
        plan.kind, texts, vocabulary=plan.vocabulary or None, min_frequency=plan.min_frequency or None
    )  # fmt: skip


# --- settings, and back -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Decided:
    """All that a run follows: what was asked for, and what was decided on that."""

    request: Request
    recipe: Recipe
    threads: int
    identity: str  # of the tokens


def as_settings(decided: Decided, config: Mapping[str, Any]) -> dict[str, Any]:
    """For `config.toml`; `config` is that of the model."""
    request, recipe = asdict(decided.request), decided.recipe
    run = {name: value for name, value in request.items() if name not in (*_DATA, "data", "data_seed", "settings")}
    return {
        "run": {**run, "objective": recipe.objective, "model": recipe.model, "threads": decided.threads},
        "data": {
            "source": request["data"],
            "seed": decided.request.seed_of_data,
            **{name: request[name] for name in _DATA if request[name]},
        },
        "tokens": {**asdict(recipe.tokens), "identity": decided.identity},
        "model": {name: value for name, value in config.items() if name not in FROM_DATA},
        "lessons": {name: getattr(recipe, name) for name in OF_LESSONS},
        "plan": asdict(recipe.plan),
    }


def from_settings(settings: Mapping[str, Any]) -> Decided:
    """The same from the settings of a run folder, which somebody may have edited."""
    for table, usual in _USUAL.items():
        _check_table(table, settings.get(table), usual)
    run, data, tokens = dict(settings["run"]), dict(settings["data"]), dict(settings["tokens"])
    threads, identity = run.pop("threads"), tokens.pop("identity")
    must_count("threads", threads, MOST_THREADS)
    request = Request(**run, data=data.pop("source"), data_seed=data.pop("seed"), **data)
    recipe = Recipe(
        objective=run["objective"], model=run["model"], settings=settings["model"], tokens=TokenPlan(**tokens),
        plan=Plan(**settings["plan"]), **settings["lessons"],
    )  # fmt: skip
    return Decided(request, recipe, threads, identity)


# --- settings that somebody has edited --------------------------------------------------------------------------

_USUAL: Mapping[str, Mapping[str, Any]] = {  # a value of its kind for each name; what the model has, its config checks
    "run": {
        **dict.fromkeys(("task", "model", "objective", "parent", "device", "command"), ""),
        **dict.fromkeys(("minutes", "epochs"), 0.0), **dict.fromkeys(("steps", "seed", "threads"), 0),
        "keep_all": False, "baseline": True,
    },
    "data": {
        **dict.fromkeys(("source", "valid", "test", "encoding"), ""), **dict.fromkeys(("seed", "limit"), 0),
        "without": [""], "more": [""], "columns": {},
    },
    "tokens": {**asdict(TokenPlan()), "identity": ""},
    "model": {},
    "lessons": {each.name: each.default for each in fields(Recipe) if each.name in OF_LESSONS},
    "plan": asdict(Plan()),
}  # fmt: skip
_NEEDED = {"run": ("task", "model", "objective", "threads"), "data": ("source", "seed"), "tokens": ("identity",)}


def _check_table(table: str, found: Any, usual: Mapping[str, Any]) -> None:
    """Refuses what no run has written: a name that is unknown or missing, a value of another kind."""
    if not isinstance(found, Mapping):
        raise _edited(f"[{table}] must be a table; it is {'missing' if found is None else repr(found)[:60]}")
    for name in _NEEDED.get(table, ()):
        if name not in found:
            raise _edited(f"{name} is missing in [{table}]")
    for name, value in found.items() if usual else ():
        if name not in usual:
            raise _edited(f"[{table}] knows no {repr(name)[:60]}")
        if not _is_like(value, usual[name], 2**31 if table in ("tokens", "lessons") else 2**63):
            raise _edited(f"{name} in [{table}] must be {kind_of(usual[name])}; it is {repr(value)[:60]}")


def _is_like(value: Any, usual: Any, limit: int) -> bool:
    if isinstance(usual, list):
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    if isinstance(usual, dict):
        return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())
    if type(usual) is int:
        return type(value) is int and 0 <= value < limit
    if type(usual) is float:
        return type(value) in (int, float) and value >= 0
    return type(value) is type(usual)


def _edited(what: str) -> DamagedError:
    return DamagedError(f"config.toml of this run was edited, and cannot be followed: {what}. Take it from a copy.")
