"""One run's files: settings, log, checkpoints to resume from, the finished model, scores. It knows what stands where.

    RUN/config.toml      the settings, resolved
        metrics.jsonl    one line for each step that was logged
        checkpoints/     step-00001234/ and so on: the best one and the last two
        model/           config.json, model.safetensors, tokenizer.json, manifest.json
        scores.json      how good it is; outcomes.json: the same, sample by sample
        certificate.json what was promised of it, tried
        about.json       how it came about: parameters, time, machine, notes on the data; a text to begin with, answers
        report.html      all of it, for a person
        engines/onnx/    the model as ONNX Runtime runs it, if it ever did; about.json says from which weights

It knows what stands where; how to train and what scores mean it does not know. There is no pickle anywhere.
"""

import json
import math
import re
import shutil
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from torch import Tensor

from glassformer.errors import GlassformerError, InputError, must_be_text
from glassformer.models import weights
from glassformer.models.card import Card
from glassformer.objectives.table import objective_of
from glassformer.runs.pasting import pasteable
from glassformer.storage import (
    DamagedError,
    append_file,
    parse_json,
    read_folder,
    standing,
    sync_file,
    tidy,
    write_file,
    write_folder,
)
from glassformer.text.samples import Labelled
from glassformer.text.tokens import Tokens

SPARE = 1  # checkpoints kept beside the best and the last, in case the last is damaged
_STEP = re.compile(r"step-(\d{8,})|\.step-(\d{8,})\.new")


class Checkpoint(NamedTuple):
    """A state to resume from, and the checkpoints that were passed over because they are damaged."""

    tensors: dict[str, Tensor]
    progress: dict[str, Any]
    skipped: list[str]


class RunFolder:
    """A run on the disk. One process writes it; any number may read."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @staticmethod
    def create(path: str | Path, *, settings: Mapping[str, Any]) -> "RunFolder":
        """A new run. A folder that holds one already is not touched."""
        run = RunFolder(path)
        run.check_new()
        run._write_settings(settings)
        return run

    def begin_again(self, settings: Mapping[str, Any]) -> None:
        """A run of which nothing was saved, from its beginning; that it is the same run, the caller has made sure."""
        if not self.unsaved:
            raise InputError(
                f"{self.path} has a checkpoint to resume from ({pasteable(('--resume', self.path))}); it does not "
                "begin again."
            )
        self._write_settings(settings)
        self.rewind(0)

    def check_new(self, otherwise: str = "") -> None:
        """Refuses a place where no run can begin; `otherwise`, what may be done with a run that is there."""
        must_be_text(str(self.path))
        if (self.path / "config.toml").exists():
            otherwise = otherwise or f"resume it ({pasteable(('--resume', self.path))})"
            raise InputError(f"{self.path} holds a run already; {otherwise}, or choose another --out.")
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{self.path} is a file; a run needs a folder of its own: choose another --out.")

    @staticmethod
    def open(path: str | Path) -> "RunFolder":
        """A run that is there."""
        run = RunFolder(path)
        if not run.begun:
            raise InputError(_no_run(run.path))
        return run

    @property
    def settings(self) -> dict[str, Any]:
        """What `config.toml` says."""
        path = self.path / "config.toml"
        try:
            found = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise DamagedError(f"{path} cannot be read: {error}. Take it from a copy.") from error
        if loose := [name for name, table in found.items() if not isinstance(table, dict)]:
            raise DamagedError(f"{path} is damaged: {repr(loose[0])[:60]} stands in no table. Take it from a copy.")
        return found

    def _write_settings(self, settings: Mapping[str, Any]) -> None:
        write_file(self.path / "config.toml", to_toml(settings).encode())

    # --- how it went ---

    def log(self, record: Mapping[str, Any]) -> None:
        """Adds a line to `metrics.jsonl`. What is no number is written as null."""
        path = self.path / "metrics.jsonl"
        if path.exists() and (half := len(_last_line(path))):  # left by a writer that was killed
            with path.open("r+b") as file:
                file.truncate(path.stat().st_size - half)
        append_file(path, _line(record))

    def metrics(self) -> list[dict[str, Any]]:
        """All lines so far; one that is not yet, or never will be, whole is left out."""
        path = self.path / "metrics.jsonl"
        content = path.read_bytes() if path.exists() else b""
        found = [parse_json(line, path) for line in content.split(b"\n")[:-1]]
        for number, record in enumerate(found, 1):
            if wrong := _wrongly_logged(record):
                raise DamagedError(
                    f"{path} is damaged: in line {number:,}, `{wrong}` is {repr(record.get(wrong))[:60]}. "
                    "Take it from a copy, or remove the line."
                )
        return found

    def rewind(self, step: int, again: Collection[str] = ()) -> None:
        """Forgets what was logged after a step, for a run that resumes there; and of the step itself, the events that
        will come `again`, since they came after it was saved."""
        kept = [
            record
            for record in self.metrics()
            if (at := record.get("step", 0)) < step or (at == step and record.get("event") not in again)
        ]
        write_file(self.path / "metrics.jsonl", b"".join(_line(record) for record in kept))

    # --- checkpoints ---

    def save_checkpoint(
        self, step: int, tensors: Mapping[str, Tensor], progress: Mapping[str, Any],
        *, value: float | None = None, best: bool = False, keep_every: int = 0,
    ) -> None:  # fmt: skip
        """Keeps a state to resume from. Once it is whole, all others go but the best, the one before, and those whose
        step is a multiple of `keep_every` (1: all of them)."""
        self._tidy()
        sync_file(self.path / "metrics.jsonl")  # first: the log of a step that is saved must not be lost with the power
        place = self._checkpoint(step)
        facts = {"step": step, "value": value, "best": best, "progress": dict(progress)}
        write_folder(place, {"progress.json": _json(facts), "state.safetensors": weights.to_bytes(tensors)})
        others = [each for each in self.checkpoints() if each != step]
        kept = set([each for each in others if each < step][-SPARE:])
        if not best:
            kept |= set([each for each in others if self._is_best(each)][-1:])
        for each in others:
            if each not in kept and not (keep_every and each % keep_every == 0):
                shutil.rmtree(self._checkpoint(each))

    def checkpoints(self) -> list[int]:
        """The steps that were kept, in order; whether they are whole is seen when they are read."""
        folder = self.path / "checkpoints"
        names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
        return sorted({int(match[1] or match[2]) for name in names if (match := _STEP.fullmatch(name))})

    def newest_checkpoint(self) -> Checkpoint:
        """The newest whole checkpoint."""
        return self._first_whole(self.checkpoints()[::-1])

    def best_checkpoint(self) -> Checkpoint:
        """The newest whole checkpoint of those that were the best when saved; if there is none, the newest."""
        steps = self.checkpoints()[::-1]
        return self._first_whole(sorted(steps, key=lambda step: not self._is_best(step)))

    def checkpoint(self, step: int) -> Checkpoint:
        """The one of a step."""
        return self._first_whole([step])

    def _first_whole(self, steps: list[int]) -> Checkpoint:
        if not steps:
            raise InputError(
                f"{self.path} has no checkpoint to resume from. Train anew, with another --out; "
                f"to finetune its model, {pasteable(('--from', self.path))}."
            )
        skipped: list[str] = []
        for step in steps:
            place = self._checkpoint(step)
            try:
                files = read_folder(place)
                facts = parse_json(files["progress.json"], place / "progress.json")
                tensors = weights.from_bytes(files["state.safetensors"], place / "state.safetensors")
                return Checkpoint(tensors, facts["progress"], skipped)
            except (GlassformerError, KeyError) as error:
                skipped.append(
                    str(error) if isinstance(error, GlassformerError) else f"{place} is damaged: no {error}."
                )
        raise DamagedError(f"{self.path} has no whole checkpoint to resume from. {' '.join(skipped)}")

    def _checkpoint(self, step: int) -> Path:
        return self.path / "checkpoints" / f"step-{step:08d}"

    def _is_best(self, step: int) -> bool:
        path = self._checkpoint(step) / "progress.json"
        try:
            return parse_json(path.read_bytes(), path).get("best") is True
        except (OSError, DamagedError):
            return False

    # --- the model ---

    def save_model(self, card: Card, state: Mapping[str, Tensor], tokens: Tokens, *, half: bool = False) -> None:
        """Keeps the model that came of the run. The same model gives the same bytes. In `half` the room, with weights
        of 16 bits, it is a slightly different model: one of 11 bits a number."""
        self._tidy()
        fitted = weights.fitting(state, _outline(card, tokens))
        if half:
            fitted = weights.halved(fitted)
        write_folder(
            self.path / "model",
            {
                "config.json": _json(card.to_dict()),
                "model.safetensors": weights.to_bytes(fitted),
                "tokenizer.json": tokens.to_bytes(),
                **({"special_tokens.json": special} if (special := tokens.special_bytes()) else {}),
            },
        )

    def load_model(self) -> tuple[Card, dict[str, Tensor], Tokens]:
        """The model, if not a byte of it has changed and the weights are what its card asks for."""
        place = self.path / "model"
        if not standing(place).exists():
            command = pasteable(("glassformer", "train", "--resume", self.path))
            raise InputError(f"{self.path} has no model yet; resume the run: {command}")
        files = read_folder(place)
        for name in ("config.json", "model.safetensors", "tokenizer.json"):
            if name not in files:
                raise DamagedError(f"{place} is damaged: its manifest does not list {name}. Take it from a copy.")
        try:
            card = Card.from_dict(parse_json(files["config.json"], place / "config.json"))
            tokens = Tokens.from_bytes(files["tokenizer.json"], "tokenizer.json", files.get("special_tokens.json"))
            outline = _outline(card, tokens)
            state = weights.from_bytes(files["model.safetensors"], place / "model.safetensors")
            return card, weights.fitting(weights.widened(state), outline), tokens
        except InputError as error:
            raise InputError(f"{place} cannot be used. {error}") from error

    # --- what was found out about it ---

    def write_scores(self, scores: Mapping[str, Any]) -> None:
        """Keeps `scores.json`."""
        write_file(self.path / "scores.json", _json(scores))

    def read_scores(self) -> dict[str, Any] | None:
        """What `scores.json` says, if there is one yet."""
        return self._read_json("scores.json")

    def write_certificate(self, certificate: Mapping[str, Any]) -> None:
        """Keeps `certificate.json`."""
        write_file(self.path / "certificate.json", _json(certificate))

    def read_certificate(self) -> dict[str, Any] | None:
        """What `certificate.json` says, if there is one yet."""
        return self._read_json("certificate.json")

    def write_outcomes(self, outcomes: Mapping[str, Any]) -> None:
        """Keeps `outcomes.json`, in one line: there may be many samples."""
        write_file(self.path / "outcomes.json", _line(outcomes))

    def read_outcomes(self) -> dict[str, Any] | None:
        """What `outcomes.json` says, if there is one."""
        return self._read_json("outcomes.json")

    def write_about(self, about: Mapping[str, Any]) -> None:
        """Keeps `about.json`."""
        write_file(self.path / "about.json", _json(about))

    def read_about(self) -> dict[str, Any] | None:
        """What `about.json` says, if there is one yet."""
        return self._read_json("about.json")

    def write_report(self, page: str) -> None:
        """Keeps `report.html`, the last file of a run that is finished."""
        write_file(self.path / "report.html", page.encode())

    @property
    def begun(self) -> bool:
        """Whether there is a run here."""
        return (self.path / "config.toml").is_file()

    @property
    def unsaved(self) -> bool:
        """Whether there is a run here that left nothing to resume from: it was stopped before its first checkpoint."""
        return self.begun and not self.checkpoints() and not standing(self.path / "model").exists()

    @property
    def finished(self) -> bool:
        """Whether the run went on to its end."""
        return (self.path / "report.html").is_file()

    def _read_json(self, name: str) -> dict[str, Any] | None:
        path = self.path / name
        return parse_json(path.read_bytes(), path) if path.exists() else None

    def _tidy(self) -> None:
        tidy(self.path)
        tidy(self.path / "checkpoints")


def _outline(card: Card, tokens: Tokens) -> Any:
    """The model that a card describes, without its numbers, if tokens and labels fit it."""
    config = card.settings
    if config.vocabulary != len(tokens):
        raise InputError(f"The model knows {config.vocabulary} tokens, but its tokenizer has {len(tokens)}.")
    if objective_of(card).samples is Labelled and getattr(config, "classes", 0) != len(card.labels):
        raise InputError(f"The card names {len(card.labels)} labels, which is not how many classes the model has.")
    return weights.outline(card.model, config)


# --- plain data as text -----------------------------------------------------------------------------------------


def _json(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()


def _line(record: Mapping[str, Any]) -> bytes:
    plain = {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in record.items()
    }
    return (json.dumps(plain, ensure_ascii=False) + "\n").encode()


def _wrongly_logged(record: Mapping[str, Any]) -> str:
    """Which figure of a line was never written so; nothing if all are sound. A loss that was no number is null."""
    figures = {name: record[name] for name in ("seconds", "loss") if name in record}
    if type(record.get("step", 0)) is not int:
        return "step"
    wrong = [name for name, each in figures.items() if not _is_figure(each)]
    return next((name for name in wrong if name != "loss" or record.get("loss", "") is not None), "")


def _is_figure(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _last_line(path: Path) -> bytes:
    """What stands after the last line break."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 100_000))
        return file.read().rpartition(b"\n")[2]


def to_toml(content: Mapping[str, Any], table: str = "") -> str:
    """Plain data as TOML, tables after plain values; what is None is left out."""
    plain = {name: value for name, value in content.items() if not isinstance(value, Mapping) and value is not None}
    text = "".join(f"{_toml_key(name)} = {_toml_value(value)}\n" for name, value in plain.items())
    for name, value in content.items():
        if isinstance(value, Mapping):
            path = f"{table}.{_toml_key(name)}" if table else _toml_key(name)
            text += f"\n[{path}]\n{to_toml(value, path)}"
    return text


def _toml_key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml_value(name)


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str | Path):
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml_value(each) for each in value)}]"
    raise InputError(f"A setting is a number, a text, true or false, or a list of these; this one is {value!r}.")


def _no_run(path: Path) -> str:
    """What stands where a run was expected, and what to do."""
    if not path.is_dir():
        return f"{path} is no folder. Name the folder that `glassformer train` wrote."
    if (path / "config.json").is_file():
        command = pasteable(("glassformer", "import", path, "--out", f"runs/{path.resolve().name}"))
        return f"{path} holds no run; it looks like a folder of Hugging Face, which is imported first: {command}"
    return f"{path} holds no run: it has no config.toml. Name the folder that `glassformer train` wrote."
