"""What was asked for, the samples it speaks of, and the settings that a run folder keeps of it. It builds no model.

Everything that was decided goes into the settings, so that a resumed run is prepared the same way.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from glassformer.errors import InputError
from glassformer.objectives.objective import TokenPlan
from glassformer.objectives.table import OBJECTIVES
from glassformer.text.corpora import Corpus, read
from glassformer.text.files.columns import Columns
from glassformer.text.tasks import TASKS
from glassformer.training.loop import Plan
from glassformer.training.recipes import FROM_DATA, OF_LESSONS, Recipe

_DATA = ("columns", "valid", "test", "encoding", "limit", "without")  # as `corpora.read` calls them


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
    columns: Mapping[str, str] = field(default_factory=dict)
    valid: str = ""
    test: str = ""
    encoding: str = ""
    limit: int = 0
    without: tuple[str, ...] = ()  # texts that must not be learnt from
    keep_all: bool = False  # every checkpoint, for a time-lapse
    baseline: bool = True  # whether a linear model is fitted beside it, where there is one for its objective
    command: str = ""

    def __post_init__(self) -> None:
        _ = TASKS[self.task]  # or it is refused here
        named = [name for name in ("minutes", "epochs", "steps") if getattr(self, name)]
        if len(named) > 1:
            raise InputError(f"A budget is minutes, epochs or steps; {' and '.join(named)} were given.")
        for name in ("minutes", "epochs", "steps", "limit", "threads", "seed", "data_seed"):
            if (getattr(self, name) or 0) < 0:
                raise InputError(f"{name} cannot be below 0; it is {getattr(self, name)}.")

    @property
    def seed_of_data(self) -> int:
        """Of what is made, split off or thinned."""
        return self.seed if self.data_seed is None else self.data_seed


def read_corpus(request: Request) -> Corpus:
    """The samples, read as the objective needs them: what needs no labels is read as plain text."""
    reads = OBJECTIVES[request.objective].reads if request.objective else ""
    return read(
        request.data, reads or request.task, columns=Columns(**request.columns), valid=request.valid or None,
        test=request.test or None, encoding=request.encoding or None, seed=request.seed_of_data,
        limit=request.limit or None, without=request.without,
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
