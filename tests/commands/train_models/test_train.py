"""`glassformer train`: one JSON document, a signal that saves and leaves, a budget that is none."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from glassformer.commands.train_models.train import train
from glassformer.errors import InputError
from glassformer.runs.folder import RunFolder


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_saves_and_leaves(number: int, code: int, tmp_path: Path) -> None:
    words = ["train", "classify", "negation:300", "--steps", "100000", "--threads", "1", "--out", str(tmp_path / "run")]
    words += ["--set", "width=16", "--set", "heads=2", "--set", "layers=1"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "glassformer", *words], stderr=subprocess.PIPE, text=True, env=environment
    )
    log = tmp_path / "run" / "metrics.jsonl"
    while not log.exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(number)
    said = process.communicate(timeout=250)[1]
    assert process.returncode == code, said
    assert f"glassformer train --resume {tmp_path / 'run'}" in said
    assert RunFolder.open(tmp_path / "run").newest_checkpoint().skipped == []


def test_json_is_one_document(glassformer: Any, tmp_path: Path) -> None:
    words = ["train", "classify", "negation:300", "--steps", "2", "--threads", "1", "--out", str(tmp_path / "run")]
    done = glassformer(*words, "--json", "--set", "width=16")
    assert done.code == 0, done.err
    answer = json.loads(done.out)
    assert answer["run"] == str(tmp_path / "run")
    assert 0 <= answer["accuracy"] <= 1


def test_what_is_fitted_beside_a_model_can_be_left_out(glassformer: Any, tmp_path: Path) -> None:
    words = ["train", "classify", "negation:60", "--steps", "1", "--threads", "1", "--no-baseline", "--quiet"]
    assert glassformer(*words, "--set", "width=16", "--out", str(tmp_path / "run")).code == 0
    beside = (RunFolder.open(tmp_path / "run").read_scores() or {})["baselines"]
    assert "ngrams" not in [each["baseline"] for each in beside]


def test_scores_that_were_edited_are_told_of_where_a_finished_run_is_resumed(glassformer: Any, tmp_path: Path) -> None:
    words = ["train", "classify", "negation:60", "--steps", "1", "--threads", "1", "--no-baseline", "--quiet"]
    assert glassformer(*words, "--set", "width=16", "--out", str(tmp_path / "run")).code == 0
    path = tmp_path / "run" / "scores.json"
    scores = json.loads(path.read_text(encoding="utf-8"))
    for name, value in {"macro_f1": [1], "accuracy_interval": [0.5]}.items():
        path.write_text(json.dumps({**scores, name: value}), encoding="utf-8")
        done = glassformer("train", "--resume", str(tmp_path / "run"))
        assert done.code == 1
        assert f"{tmp_path / 'run'} is damaged: a figure in it is missing or was changed" in " ".join(done.err.split())


@pytest.mark.parametrize("budget", ["minutes", "epochs", "steps"])
def test_a_budget_of_nothing_is_refused(budget: str) -> None:
    with pytest.raises(InputError, match=f"--{budget} must be above 0; it is 0"):
        train("classify", "negation:300", **{budget: 0}, quiet=True)


def test_the_commands_in_the_report_can_be_pasted(glassformer: Any, tmp_path: Path) -> None:
    run = tmp_path / "my run"
    words = [
        "train",
        "classify",
        "negation:60",
        "--steps",
        "1",
        "--threads",
        "1",
        "--out",
        str(run),
        "--set",
        "width=16",
    ]
    assert glassformer(*words).code == 0
    page = unescape((run / "report.html").read_text(encoding="utf-8"))
    commands = [shlex.split(command) for command in re.findall("glassformer train [^<]*", page)]
    assert ["glassformer", *words] in commands
    assert all(str(run) in command for command in commands)  # to train longer, it names the run, too
    assert shlex.split(re.findall("glassformer predict [^<]*", page)[0])[:3] == ["glassformer", "predict", str(run)]
    assert shlex.split(re.findall("glassformer certify [^<]*", page)[0]) == ["glassformer", "certify", str(run)]
