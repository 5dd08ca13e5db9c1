"""The race: several models on equal data, with equal budgets and seeds, and who is really ahead. It draws nothing.

    RACE/race.json     the terms, and how all stand
        race.html      the same for a person
        MODEL-SEED/    a run folder for each contender

A race may be stopped at any time and run again: who has finished is not trained again. The samples are read once and
split once, whatever the seeds are; a seed decides how a model begins, and the order in which it learns.
"""

import hashlib
import json
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from glassformer.drawing.curves import Point
from glassformer.drawing.score_words import SCORES
from glassformer.errors import InputError, nearest
from glassformer.models.registry import MODELS
from glassformer.objectives.bootstrap import SIGNIFICANT, Interval, Measure, PairedComparison, compare, interval
from glassformer.objectives.objective import Objective
from glassformer.objectives.table import OBJECTIVES, usual_objective
from glassformer.runs.folder import RunFolder
from glassformer.runs.learnt import majority
from glassformer.runs.report import training_points
from glassformer.runs.run import Run
from glassformer.storage import figures, write_file
from glassformer.text.corpora import Corpus
from glassformer.text.samples import Labelled
from glassformer.text.tasks import TASKS
from glassformer.training.course import Listener, nobody, resume, teach
from glassformer.training.race.race_file import read_race
from glassformer.training.recipes import settable, takes
from glassformer.training.request import Request, read_corpus

_NOT_TERMS = ("model", "seed", "data_seed", "threads", "keep_all", "command")  # what may differ between two starts


@dataclass(frozen=True)
class Contender:
    """A contender: a model, begun from a seed."""

    model: str
    seed: int

    @property
    def name(self) -> str:
        """Its folder in the race."""
        return f"{self.model}-{self.seed}"


@dataclass(frozen=True)
class Standing:
    """How one model did, over all its seeds."""

    model: str
    runs: tuple[str, ...]  # folders in the race
    parameters: int
    seconds: float  # of training, on average
    score: Interval  # of the answers of all seeds together
    each: tuple[float, ...]  # the score of each seed
    beside: float | None  # another score, on average
    reads_order: bool  # whether it can know in which order the words stand
    behind: PairedComparison | None = None  # by how much the first is better; of the first, none

    @property
    def spread(self) -> float | None:
        """The standard deviation over the seeds, if there are several."""
        return statistics.stdev(self.each) if len(self.each) > 1 else None

    @property
    def level(self) -> bool:
        """Whether it is the first, or cannot be told apart from it."""
        return self.behind is None or self.behind.p_value >= SIGNIFICANT


@dataclass(frozen=True)
class Standings:
    """How all stand, the best first."""

    score: str  # the name of what they are compared by
    beside: str
    samples: int  # they were evaluated on; of a text, blocks
    baseline: float | None  # the majority baseline: the score of the most frequent class
    models: tuple[Standing, ...]


class Race:
    """A race that is about to begin, or to be resumed."""

    def __init__(self, request: Request, models: Sequence[str], seeds: Sequence[int], out: str | Path) -> None:
        """`request` says the task, the data and the budget; its model and its seed are those of each contender."""
        _check(request, models, seeds)
        self.out = Path(out)
        data_seed = request.seed if request.data_seed is None else request.data_seed
        self.request = replace(request, data_seed=data_seed, baseline=False)  # a baseline enters as a contender
        self.entries = tuple(Contender(model, seed) for seed in seeds for model in models)
        self.corpus: Corpus = read_corpus(self.request)
        self.terms = _terms(self.request, self.corpus)
        self._check_terms()

    @property
    def notes(self) -> list[str]:
        """A sentence on each setting that some of the contenders do not have."""
        models = list(dict.fromkeys(entry.model for entry in self.entries))
        lacking = {name: [each for each in models if not takes(each, name)] for name in self.request.settings}
        return [
            f"Raced without {name}, for want of such a setting: {', '.join(who)}."
            for name, who in lacking.items()
            if who
        ]

    @property
    def missing(self) -> list[Contender]:
        """Who has not finished yet."""
        return [entry for entry in self.entries if not self._folder(entry).finished]

    def run(self, entry: Contender, tell: Listener = nobody) -> Run:
        """Trains one contender, or resumes it, and writes down how all stand."""
        if not (self.out / "race.json").exists():
            self._write({"terms": self.terms})
        folder = self._folder(entry)
        if folder.begun:
            run = resume(folder.path, tell, self.corpus)
        else:
            settings = {name: value for name, value in self.request.settings.items() if takes(entry.model, name)}
            asked = replace(self.request, model=entry.model, seed=entry.seed, settings=settings)
            run = teach(asked, folder.path, tell, corpus=self.corpus)
        self.keep()
        return run

    def standings(self) -> Standings:
        """How those stand that have finished."""
        runs: dict[str, list[RunFolder]] = {}
        for entry in self.entries:
            if (folder := self._folder(entry)).finished:
                runs.setdefault(entry.model, []).append(folder)
        if not runs:
            raise InputError(f"Nobody has finished in {self.out} yet.")
        with figures(self.out):
            found = [_standing(model, folders, self._objective) for model, folders in runs.items()]
        return _ranked(found, self._objective, self._baseline())

    def curves(self, standing: Standing) -> list[list[Point]]:
        """Seconds and validation loss of each of a model's runs."""
        return [training_points(RunFolder(self.out / name).metrics(), "judged") for name in standing.runs]

    def keep(self) -> None:
        """Writes `race.json`."""
        self._write({"terms": self.terms, **as_plain(self.standings())})

    def _write(self, content: Mapping[str, Any]) -> None:
        write_file(self.out / "race.json", (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode())

    @property
    def _objective(self) -> Objective:
        return OBJECTIVES[self.request.objective or usual_objective(self.request.task, self.corpus.train[0])]

    def _folder(self, entry: Contender) -> RunFolder:
        return RunFolder(self.out / entry.name)

    def _baseline(self) -> float | None:
        labels = [each.label for each in self.corpus.test or self.corpus.valid if isinstance(each, Labelled)]
        learnt_from = [each.label for each in self.corpus.train if isinstance(each, Labelled)]
        return labels.count(majority(learnt_from)) / len(labels) if labels and learnt_from else None

    def _check_terms(self) -> None:
        if not (self.out / "race.json").exists():
            return
        before = read_race(self.out).get("terms") or {}
        for name in [*sorted({*before, *self.terms} - {"identity"}), "identity"]:
            was, now = before.get(name, "as usual"), self.terms.get(name, "as usual")
            if was != now:
                what = "other samples" if name in ("samples", "identity") else f"{name} {was}, not {now}"
                raise InputError(f"The race in {self.out} was run with {what}; choose another --out for this one.")


def _check(request: Request, models: Sequence[str], seeds: Sequence[int]) -> None:
    for what, names in (("model", models), ("seed", seeds)):
        twice = [str(name) for name, count in Counter(names).items() if count > 1]
        if not names or twice:
            raise InputError(f"A race needs a {what}, each named once; {', '.join(twice) or 'none'} was given.")
    for model in models:
        if MODELS[model].family != TASKS[request.task].family:
            raise InputError(f"'{model}' is a {MODELS[model].family}, which cannot {request.task}.")
    for name in request.settings:
        if not any(takes(model, name) for model in models):
            known = sorted({each for model in models for each in settable(model)[0]})
            raise InputError(f"None of these models has a setting called '{name}'; {nearest(name, known)}")
    if not (request.minutes or request.epochs or request.steps):
        raise InputError("A race needs an equal budget for all: minutes, epochs or steps.")


def _terms(request: Request, corpus: Corpus) -> dict[str, Any]:
    """What must be equal for all, as JSON gives it back."""
    asked = {name: value for name, value in asdict(request).items() if name not in _NOT_TERMS and value}
    parts = {part: len(getattr(corpus, part)) for part in ("train", "valid", "test")}
    digest = hashlib.sha256(repr((corpus.train, corpus.valid, corpus.test)).encode("utf-8", "surrogatepass"))
    found: dict[str, Any] = json.loads(json.dumps({**asked, "samples": parts, "identity": digest.hexdigest()}))
    return found


# --- how they stand ---------------------------------------------------------------------------------------------


def _standing(model: str, folders: Sequence[RunFolder], objective: Objective) -> tuple[Standing, Measure]:
    outcomes = [folder.read_outcomes() or {} for folder in folders]
    scores = [folder.read_scores() or {} for folder in folders]
    abouts = [folder.read_about() or {} for folder in folders]
    if not all("rows" in each for each in outcomes):
        raise InputError(f"{folders[0].path} has not been evaluated sample by sample; train it anew.")
    measure = objective.measure(np.sum([each["rows"] for each in outcomes], axis=0))
    beside = [each[objective.beside] for each in scores if each.get(objective.beside) is not None]
    found = Standing(
        model=model,
        runs=tuple(folder.path.name for folder in folders),
        parameters=abouts[0]["parameters"],
        seconds=statistics.mean(each["seconds"] for each in abouts),
        score=interval(measure),
        each=tuple(each[objective.main] for each in scores),
        beside=statistics.mean(beside) if beside else None,
        reads_order=folders[0].settings["model"].get("positions") != "none",
    )
    return found, measure


def _ranked(found: Sequence[tuple[Standing, Measure]], objective: Objective, baseline: float | None) -> Standings:
    best_is_high = SCORES[objective.main].best_is_high
    sign = -1 if best_is_high else 1
    (first, best), *others = sorted(found, key=lambda each: sign * each[0].score.value)
    leads = [compare(best, measure) if best_is_high else compare(measure, best) for _, measure in others]
    models = (first, *(replace(each, behind=lead) for (each, _), lead in zip(others, leads, strict=True)))
    return Standings(objective.main, objective.beside, len(best.rows), baseline, models)


def as_plain(standings: Standings) -> dict[str, Any]:
    """For JSON: each model with its scores under their names, and the first one's lead over it."""
    score, beside = standings.score, standings.beside
    return {
        "score": score,
        "samples": standings.samples,
        "guess": standings.baseline,  # the format's own name
        "models": [
            {
                "model": each.model,
                "parameters": each.parameters,
                "seconds": each.seconds,
                score: each.score.value,
                f"{score}_interval": [each.score.low, each.score.high],
                f"{score}_of_each_seed": list(each.each),
                "spread": each.spread,
                beside: each.beside,
                "reads_order": each.reads_order,
                "level_with_first": each.level,
                "behind_first": asdict(each.behind) if each.behind else None,
                "runs": list(each.runs),
            }
            for each in standings.models
        ],
    }
