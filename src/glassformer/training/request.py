"""What was asked for, the samples it speaks of, and the settings that a run folder keeps of it. It builds no model.

Everything that was decided goes into the settings, so that a resumed run is prepared the same way.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from glassformer.errors import InputError, must_be_text
from glassformer.objectives.objective import TokenPlan
from glassformer.objectives.table import OBJECTIVES
from glassformer.runs.run import load
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
    """The same from the settings of a run folder."""
    run, data, tokens = dict(settings["run"]), dict(settings["data"]), dict(settings["tokens"])
    threads, identity = run.pop("threads"), tokens.pop("identity")
    request = Request(**run, data=data.pop("source"), data_seed=data.pop("seed"), **data)
    recipe = Recipe(
        objective=run["objective"], model=run["model"], settings=settings["model"], tokens=TokenPlan(**tokens),
        plan=Plan(**settings["plan"]), **settings["lessons"],
    )  # fmt: skip
    return Decided(request, recipe, threads, identity)
