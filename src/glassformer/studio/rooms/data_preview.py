"""Data seen before they are learnt from: the first rows, the columns taken, classes, lengths, what would be skipped and
why; and what a minute of training would buy. It reads as training reads, and trains nobody.
"""

import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from glassformer.errors import GlassformerError, InputError
from glassformer.studio import asking
from glassformer.studio.asking import Content
from glassformer.text.corpora import Corpus, read
from glassformer.text.files.columns import Columns, choose
from glassformer.text.files.tables import Row, format_of, read_table
from glassformer.text.files.text_files import lines, read_text
from glassformer.text.samples import Labelled, Pair, Sample
from glassformer.text.tasks import TASKS
from glassformer.training import machine
from glassformer.training.forecasting.budget import budget
from glassformer.training.prepare import prepare
from glassformer.training.request import Request

SHOWN = 5  # rows, reasons
SKIPS = 20  # rows that are skipped, each by its line
RARE = 3  # rows of a class: of fewer nothing can be learnt and judged
WIDEST = 160  # signs of a cell
MOST_LABELS = 40
ROLES = ("text", "label", "source", "target")
JSON = dict[str, Any]


class DataPreview:
    """Looks into data; `place` says where the data of a request stand."""

    def __init__(self, place: Callable[[Content], str]) -> None:
        self.place = place

    @property
    def actions(self) -> dict[str, Callable[[Content], JSON]]:
        """What can be asked for here."""
        return {"train/preview": self.preview, "train/estimate": self.estimate}

    def preview(self, content: Content) -> JSON:
        """What would be learnt from. Columns that do not fit are told, with the rows still to be seen."""
        task = asking.choice(content, "task", list(TASKS))
        source, columns = self.place(content), chosen_columns(content)
        table = _raw(source, task, columns)
        try:
            corpus = read(source, task, columns=Columns(**columns))
        except GlassformerError as error:
            return {**table, "wrong": _told(str(error), source)}
        said = [_told(each, source) for each in corpus.report.sentences()]
        return {**table, "wrong": "", **_summary(corpus), "said": said}

    def estimate(self, content: Content) -> JSON:
        """How far the minutes would go on this machine, measured by a few steps of a copy."""
        task = asking.choice(content, "task", list(TASKS))
        minutes = asking.number(content, "minutes", least=0.1, most=600)
        request = Request(task=task, data=self.place(content), minutes=minutes, columns=chosen_columns(content))
        prepared = prepare(request)
        _, forecast = budget(prepared, time.monotonic())
        return {
            "epochs": forecast.epochs,
            "steps": forecast.steps,
            "parameters": forecast.parameters,
            "model": prepared.recipe.model,
            "advised": prepared.recipe.minutes,
            "busy": machine.busy(),
        }


def chosen_columns(content: Content) -> dict[str, str]:
    """The columns a person chose, by their roles."""
    found = content.get("columns") or {}
    if not isinstance(found, Mapping) or not all(isinstance(each, str) for each in found.values()):
        raise InputError("'columns' must hold roles and the names of columns.")
    unknown = [role for role in found if role not in ROLES]
    if unknown:
        raise InputError(f"There is no role '{unknown[0]}' for a column; known: {', '.join(ROLES)}.")
    return {role: name[:200] for role, name in found.items() if name}


def _told(sentence: str, source: str) -> str:
    """A sentence for the page, in which a file is called what its owner calls it."""
    return on_the_page(sentence.replace(source, Path(source).name))


def on_the_page(told: str) -> str:
    """A sentence without the options of a terminal; the page has fields instead."""
    without = re.sub(r"; name --\w+(?: and --\w+)*", "", told)
    return re.sub(r"(?:^| )[^.]*(?<=[ (])--[a-z]+[^.]*\.", "", without).strip()


def _raw(source: str, task: str, columns: Mapping[str, str]) -> JSON:
    """The file as it stands: its columns, its first rows, and which column serves for what."""
    path = Path(source)
    if not path.is_file():
        return {"names": [], "rows": [], "roles": {}}
    if format_of(path) == ".txt" and task == "generate":
        first = [[line[:WIDEST]] for line in lines(read_text(path).text) if line.strip()][:SHOWN]
        return {"names": ["text"], "rows": first, "roles": {}}
    told = Columns(**columns)
    table = read_table(path, told.in_header)
    rows = [row for row in table.rows if isinstance(row, Row)][:SHOWN]
    cells = [[str(row.values.get(name, ""))[:WIDEST] for name in table.names] for row in rows]
    try:
        roles = dict(choose(table, task, told).roles)
    except GlassformerError:
        roles = {}
    return {"names": list(table.names), "rows": cells, "roles": roles}


def _summary(corpus: Corpus) -> JSON:
    report = corpus.report
    everything = [*corpus.train, *corpus.valid, *corpus.test]
    counts = np.array([len(_text(sample).split()) for sample in everything] or [0])
    samples = [_cells(sample) for sample in corpus.train[:SHOWN]]
    return {
        "samples": samples,
        "read": report.read,
        "kept": report.kept,
        "skipped": report.skipped,
        "skips": [{"line": each.line, "reason": each.reason} for each in report.skips[:SKIPS]],
        "reasons": list(report.reasons.items())[:SHOWN],
        "rare": _rare(report.labels),
        "labels": sorted(report.labels.items(), key=lambda each: -each[1])[:MOST_LABELS],
        "parts": {"training": len(corpus.train), "validation": len(corpus.valid), "test": len(corpus.test)},
        "lengths": {"median": float(np.median(counts)), "longest": int(counts.max())},
    }


def _rare(labels: Mapping[str, int]) -> str:
    """Classes of so few rows that they may be a slip of the pen."""
    few = [f"“{label}” ({count})" for label, count in labels.items() if count < RARE]
    if not few:
        return ""
    more = f" and {len(few) - SHOWN} more" if len(few) > SHOWN else ""
    return f"Classes of fewer than {RARE} rows, too few to learn or to judge; misspelt? {', '.join(few[:SHOWN])}{more}."


def _text(sample: Sample) -> str:
    return sample.source if isinstance(sample, Pair) else sample.text


def _cells(sample: Sample) -> list[str]:
    if isinstance(sample, Pair):
        return [sample.source[:WIDEST], sample.target[:WIDEST]]
    if isinstance(sample, Labelled):
        return [sample.text[:WIDEST], sample.label]
    return [sample.text[:WIDEST]]
