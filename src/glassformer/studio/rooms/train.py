"""The room *Train*: starts `glassformer train` as a process of its own, follows its run folder, stops and resumes it.

What is learnt, and how, the command decides; this room only says what was asked for and reads what was written.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from glassformer.drawing.score_words import caution, score_lines
from glassformer.errors import GlassformerError, InputError
from glassformer.lock import held
from glassformer.models.registry import MODELS
from glassformer.runs.folder import RunFolder
from glassformer.storage import figures, writing
from glassformer.studio import asking
from glassformer.studio.asking import Content
from glassformer.studio.rooms.data_preview import DataPreview, chosen_columns
from glassformer.studio.rooms.run_course import doing, left_undone, went
from glassformer.studio.rooms.time_lapse import Lapse
from glassformer.studio.shelf import Shelf
from glassformer.text.made_sets import MADE
from glassformer.text.tasks import TASKS

MOST_MINUTES = 600
POINTS = 400  # of a curve
PATIENCE = 10.0  # seconds a stopped run has to save
# It saves and ends when the studio does, even if that is killed: nobody is left behind who holds the run.
ATTENDED = (sys.executable, "-P", "-m", "glassformer.training.processes.attended")
SUFFIXES = (".csv", ".tsv", ".jsonl", ".txt", ".csv.gz", ".tsv.gz", ".jsonl.gz", ".txt.gz")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
JSON = dict[str, Any]


@dataclass
class Training:
    """A process that trains, and where it says what goes wrong."""

    process: "subprocess.Popen[bytes]"
    complaints: IO[bytes]
    began: float = field(default_factory=time.monotonic)
    since: float = field(default_factory=time.time)  # by the clock that files are dated by

    @property
    def running(self) -> bool:
        """Whether it still goes on."""
        return self.process.poll() is None

    def said(self) -> str:
        """The last that it said."""
        self.complaints.seek(0, os.SEEK_END)
        self.complaints.seek(max(0, self.complaints.tell() - 2000))
        return self.complaints.read().decode(errors="replace").strip()

    def stop(self) -> None:
        """Asks it to save and leave."""
        if self.running:
            self.process.send_signal(signal.SIGTERM)

    def close(self) -> None:
        """Once it has ended."""
        self.complaints.close()
        if self.process.stdin:
            self.process.stdin.close()


class Train:
    """The room, with the folder that runs are kept in. One run is trained at a time."""

    def __init__(self, shelf: Shelf, root: Path) -> None:
        self.shelf, self.root = shelf, root
        self._trainings: dict[str, Training] = {}
        self._lapses: dict[str, Lapse] = {}
        self._lock = threading.Lock()

    @property
    def actions(self) -> dict[str, Callable[[Content], JSON]]:
        """What can be asked for here."""
        return {
            "train/start": self.start, "train/begin": self.begin, "train/state": self.state, "train/stop": self.stop,
            "train/resume": self.resume, "train/again": self.again, "train/frame": self.frame,
            "train/delete": self.delete, "train/shelve": self.shelve, **DataPreview(self._data).actions,
        }  # fmt: skip

    def start(self, content: Content) -> JSON:
        """What can be learnt, and the runs that are there."""
        sets = [{"name": name, "task": each.task, "about": each.about} for name, each in MADE.items()]
        files = {name: task.data for name, task in TASKS.items()}
        runs = [self._brief(name) for name in self._runs()]
        return {"tasks": list(TASKS), "files": files, "sets": sets, "runs": runs}

    def begin(self, content: Content) -> JSON:
        """A new run."""
        name, task = self._new_name(content), asking.choice(content, "task", list(TASKS))
        minutes = asking.number(content, "minutes", least=0.1, most=MOST_MINUTES)
        told = [word for role, column in chosen_columns(content).items() for word in (f"--{role}", column)]
        words = [task, self._data(content), "--minutes", f"{minutes:g}", "--keep-all", *told]
        self._spawn(name, [*words, "--out", str(self.root / name)])
        return {"name": name}

    def delete(self, content: Content) -> JSON:
        """Deletes a run for good; who asks says its name a second time."""
        name = self._name(content)
        if content.get("again") != name:
            raise InputError(f"Say the name '{name}' again to delete this run for good.")
        if name in self._trainings and self._trainings[name].running:
            raise InputError(f"'{name}' is being trained; stop it first.")
        folder = self.root / name
        if folder.is_symlink():
            raise InputError(f"{folder} is a link to another place; delete it by hand.")
        with held(folder, "trained"):  # else somebody trains it in a terminal
            self.shelf.remove(folder)
            shutil.rmtree(folder)
        if name in self._trainings:
            self._trainings.pop(name).close()
        return {"deleted": name}

    def shelve(self, content: Content) -> JSON:
        """Puts a run on the shelf to be looked at; says its name there, since another may stand under its own."""
        return {"model": self.shelf.add(self.root / self._name(content))}

    def _data(self, content: Content) -> str:
        """A file that was sent, or a set that is made."""
        if content.get("file"):
            return str(self._upload(asking.text(content, "file")))
        task = asking.choice(content, "task", list(TASKS))
        return asking.choice(content, "data", [each for each in MADE if MADE[each].task == task])

    def resume(self, content: Content) -> JSON:
        """Resumes a run that was stopped."""
        name = self._name(content)
        self.shelf.forget(self.shelf.name_of(self.root / name))
        self._spawn(name, ["--resume", str(self.root / name)])
        return {"name": name}

    def again(self, content: Content) -> JSON:
        """A new run on the same data: from where another one ended, or of the linear model that was beside it."""
        name, kind = self._name(content), asking.choice(content, "kind", ("longer", "linear"))
        minutes = asking.number(content, "minutes", least=0.1, most=MOST_MINUTES)
        folder = RunFolder.open(self.root / name)
        run, data = (folder.settings.get(each, {}) for each in ("run", "data"))
        known = {"task", "model"} <= set(run) and isinstance(data.get("source"), str)
        if not known or set(data) - {"source", "seed", "columns"}:
            raise InputError(f"'{name}' was begun with more than this page can say; go on with it in a terminal.")
        model = _beside(folder) if kind == "linear" else run["model"] if MODELS[run["model"]].counts else ""
        how = ["--model", model] if model else ["--from", str(folder.path)]
        told = [word for role, column in data.get("columns", {}).items() for word in (f"--{role}", column)]
        words = [run["task"], data["source"], "--minutes", f"{minutes:g}", "--keep-all", *told, *how]
        new = next(each for i in range(2, 1000) if not (self.root / (each := f"{name[:56]}-{i}")).exists())
        self._spawn(new, [*words, "--out", str(self.root / new)])
        return {"name": new}

    def stop(self, content: Content) -> JSON:
        """Asks a run to save and leave."""
        name = self._name(content)
        if name in self._trainings:
            self._trainings[name].stop()
        return {"name": name}

    def state(self, content: Content) -> JSON:
        """How a run goes: its curve, its checkpoints, and in the end its scores."""
        name = self._name(content)
        with figures(self.root / name):
            return self._state(name)

    def _state(self, name: str) -> JSON:
        folder, training = RunFolder(self.root / name), self._trainings.get(name)
        begun = (folder.path / "config.toml").exists()
        running = training is not None and training.running
        finished = (folder.path / "model").exists() and not running
        metrics = folder.metrics() if begun else []
        scores = (folder.read_scores() or {}) if finished else {}
        left = left_undone(folder)
        failed = training is not None and not running and training.process.returncode not in (0, 143, -signal.SIGTERM)
        return {
            "name": name,
            "running": running,
            "finished": finished,
            "said": training.said() if training and failed else "",
            "doing": doing(folder, training.since) if training and running else "",
            "left": left if finished else "",
            "share": self._share(folder, metrics) if begun else 0.0,
            "waited": time.monotonic() - training.began if training and running else 0.0,
            "went": went(folder.settings, metrics, left) if finished else [],
            "settings": _brief_settings(folder) if begun else {},
            "steps": _thinned([each for each in metrics if each.get("event") == "step"]),
            "validations": _thinned([each for each in metrics if each.get("event") == "judged"]),
            "epochs": _thinned([each for each in metrics if each.get("event") == "epoch"]),
            "checkpoints": folder.checkpoints() if begun else [],
            "scores": score_lines(scores),
            "tried": {name: scores[name] for name in ("part", "samples") if name in scores},
            "caution": caution(scores),
            "certificate": (folder.read_certificate() or {}) if finished else {},
            "model": self.shelf.add(folder.path) if finished and begun else "",
        }

    def frame(self, content: Content) -> JSON:
        """What the model of one checkpoint answers, and where it looks."""
        name = self._name(content)
        step = asking.whole(content, "step", least=0, most=10**9)
        with self._lock:
            if name not in self._lapses:
                self._lapses = {name: Lapse(RunFolder.open(self.root / name))}
            return self._lapses[name].frame(step)

    def upload_place(self, name: str) -> Path:
        """Where a file to learn from is kept, beside the runs; the same name again is the same place."""
        place = self._upload(name, new=True)
        with writing(place, 0):
            place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def close(self) -> None:
        """Runs that still go on are asked to save, and waited for."""
        for training in self._trainings.values():
            training.stop()
        for training in self._trainings.values():
            try:
                training.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                training.process.kill()
                training.process.wait()
            training.close()

    # --- names and places ---

    def _runs(self) -> list[str]:
        folders = self.root.glob("*/config.toml") if self.root.is_dir() else ()
        found = sorted(folders, key=lambda path: path.stat().st_mtime, reverse=True)
        return [path.parent.name for path in found if _NAME.fullmatch(path.parent.name)][:100]

    def _brief(self, name: str) -> JSON:
        folder, training = RunFolder(self.root / name), self._trainings.get(name)
        try:
            with figures(folder.path / "config.toml"):
                settings = _brief_settings(folder)
        except GlassformerError as error:
            settings = {"error": str(error)}
        running = training is not None and training.running
        finished = (folder.path / "model").exists()
        return {"name": name, "running": running, "finished": finished, **settings, **_standing(folder, finished)}

    def _new_name(self, content: Content) -> str:
        name = asking.text(content, "name", longest=60)
        if not _NAME.fullmatch(name):
            raise InputError(f"A run's name has letters, digits, - and _, at most 60; '{name}' will not do.")
        if (self.root / name).exists():
            raise InputError(f"There is a run called '{name}' already; choose another name.")
        return name

    def _name(self, content: Content) -> str:
        name = asking.text(content, "name", longest=60)
        if not _NAME.fullmatch(name) or (name not in self._trainings and name not in self._runs()):
            raise InputError(f"There is no run called '{name}' here.")
        return name

    def _upload(self, name: str, *, new: bool = False) -> Path:
        plain = re.fullmatch(r"[^/\\\x00-\x1f]{1,100}", name)
        if not plain or name.startswith(".") or not name.lower().endswith(SUFFIXES):
            raise InputError(f"'{name[:60]}' cannot be learnt from; a file ends in {', '.join(SUFFIXES[:4])} or .gz.")
        path = self.root / "uploads" / name
        if not new and not path.is_file():
            raise InputError(f"The file '{name[:60]}' did not arrive; choose it again.")
        return path

    # --- the process ---

    def _spawn(self, name: str, words: list[str]) -> None:
        with self._lock:
            busy = [each for each, training in self._trainings.items() if training.running]
            if busy:
                raise InputError(f"'{busy[0]}' is being trained just now; stop it first, or wait for it.")
            with writing(self.root / name, 0):
                self.root.mkdir(parents=True, exist_ok=True)
            with writing(Path(tempfile.gettempdir()), 0):
                complaints = tempfile.TemporaryFile()  # noqa: SIM115 - it is read as long as the studio is open
            command = [*ATTENDED, "train", *words, "--device", self.shelf.device, "--quiet"]
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=complaints,
                start_new_session=True,  # Ctrl-C is for the studio, which then asks it to save, once
            )  # fmt: skip
            if name in self._trainings:
                self._trainings[name].close()
            self._trainings[name] = Training(process, complaints)

    def _share(self, folder: RunFolder, metrics: list[JSON]) -> float:
        """How much of the plan is done."""
        plan = folder.settings.get("plan", {})
        last = metrics[-1] if metrics else {}
        done, whole = last.get("seconds", 0.0), plan.get("seconds", 0.0)
        if plan.get("steps"):
            done, whole = last.get("step", 0), plan["steps"]
        return min(1.0, float(done) / float(whole)) if whole else 0.0


def _beside(folder: RunFolder) -> str:
    """The linear model that was fitted beside a run."""
    learnt = (folder.read_certificate() or {}).get("learnt") or {}
    found = [each["baseline"] for each in learnt.get("baselines", []) if each["baseline"] in MODELS]
    if not found:
        raise InputError("No linear model was fitted beside this run.")
    return str(found[0])


def _standing(folder: RunFolder, finished: bool) -> JSON:
    """When it was begun, how many bytes it takes, and how well it does."""
    try:
        with figures(folder.path):
            scores = (folder.read_scores() or {}) if finished else {}
            lines = score_lines(scores)
    except GlassformerError:
        scores, lines = {}, []
    return {
        "left": left_undone(folder) if finished else "",
        "begun": (folder.path / "config.toml").stat().st_mtime,
        "bytes": sum(_bytes_in(path) for path in folder.path.rglob("*")),
        "score": " ".join(lines[0]) if lines else "",
        "confusion": scores.get("confusion"),
    }


def _bytes_in(path: Path) -> int:
    """Of a file; who trains may have removed it meanwhile."""
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0


def _brief_settings(folder: RunFolder) -> JSON:
    settings = folder.settings
    run, plan = settings.get("run", {}), settings.get("plan", {})
    source = settings.get("data", {}).get("source", "")
    return {
        "task": run.get("task", ""),
        "model": run.get("model", ""),
        "data": Path(source[0] if isinstance(source, list) else str(source)).name,
        "parent": Path(str(run.get("parent", ""))).name,
        "source": str(source),
        "file": source if isinstance(source, str) and Path(source).is_file() else "",
        "minutes": run.get("minutes", 0.0),
        "seconds": plan.get("seconds", 0.0),
    }


def _thinned(points: list[JSON]) -> list[JSON]:
    """At most so many, evenly; the last is always there."""
    stride = max(1, -(-len(points) // POINTS))
    return points[::-1][::stride][::-1]
