"""The command itself, started several times: equal runs, a worker that is killed, a run that is stopped."""

import json
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from torch.distributed.elastic.rendezvous import RendezvousConnectionError
from torch.distributed.launcher.api import LaunchConfig

from glassformer.errors import GlassformerError, InputError
from glassformer.training.processes.launching import attending, check_launch, in_a_team, launched
from glassformer.training.processes.team import Team

pytestmark = [
    pytest.mark.timeout(900),  # several processes at once, on a machine that may be busy
    pytest.mark.xdist_group("launching"),
]

ASKED = ("train", "classify", "negation:300", "--steps", "60", "--threads", "1", "--quiet", "--json", "--nproc", "2")


@pytest.mark.parametrize(
    ("words", "nproc", "restarts", "said"),
    [
        ((), 0, 0, "--nproc is how many processes train together, from 1 to 1024; it is 0"),
        ((), 2, -1, "--max-restarts is how often they may begin again, 0 or more; it is -1"),
        (("train", "classify", "-"), 2, 0, "Standard input can be read only once"),
    ],
)
def test_what_cannot_be_launched_is_refused(words: tuple[str, ...], nproc: int, restarts: int, said: str) -> None:
    with pytest.raises(InputError, match=said):
        launched(words, nproc, restarts)


def test_a_launch_that_does_not_fit_is_refused() -> None:
    check_launch(Team(), 0, named=False)
    check_launch(Team(1, 4, 1, 2, restarts=1), 2, named=True)
    with pytest.raises(InputError, match="--nproc 4 was asked for, but whoever launched this process began 2"):
        check_launch(Team(0, 2, 0, 2), 4, named=True)
    with pytest.raises(InputError, match="name its folder with --out"):
        check_launch(Team(0, 2, 0, 2, restarts=1), 0, named=False)


def test_a_process_knows_whether_it_was_launched() -> None:
    assert in_a_team({"RANK": "0"})
    assert not in_a_team({})


def test_nothing_is_left_in_the_temporary_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where torch's agent keeps logs and errors of its processes."""
    seen: list[Path] = []

    def kept(config: LaunchConfig, *given: object) -> None:
        seen.extend(tmp_path.rglob("*"))
        assert config.logs_specs
        assert Path(config.logs_specs.root_log_dir) in seen

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("torch.distributed.launcher.api.launch_agent", kept)
    assert launched(["train"], 2) == 0
    assert len(seen) == 1
    assert list(tmp_path.iterdir()) == []


def test_torchs_own_log_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of its loggers have a level of their own, and ask nobody above them."""
    own = logging.getLogger("torch.distributed.elastic.agent.server.api")
    own.setLevel(logging.WARNING)
    monkeypatch.setattr("torch.distributed.launcher.api.launch_agent", lambda *given: None)
    assert launched(["train"], 2) == 0
    assert not own.isEnabledFor(logging.WARNING)


def test_processes_that_do_not_find_each_other_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def alone(*given: object) -> None:
        raise RendezvousConnectionError("no store")

    monkeypatch.setattr("torch.distributed.launcher.api.launch_agent", alone)
    with pytest.raises(GlassformerError, match=r"do not find each other on this machine \(no store\)"):
        launched(["train"], 2)


def test_who_is_started_meanwhile_learns_when_nobody_attends_any_more() -> None:
    before = os.fstat(0)
    with attending():
        reader = subprocess.Popen(["cat"], stdout=subprocess.PIPE)
        assert reader.poll() is None
    assert reader.communicate(timeout=60) == (b"", None)
    assert os.path.samestat(os.fstat(0), before)


# --- real processes ---------------------------------------------------------------------------------------------


def begun(*words: str) -> subprocess.Popen[str]:
    """The command, running."""
    environment = {name: value for name, value in os.environ.items() if name != "RANK"} | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "glassformer", *words]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str], code: int = 0) -> str:
    answer, errors = process.communicate(timeout=250)
    assert process.returncode == code, errors
    return answer + errors


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    """Until it is there, while the process runs."""
    while not path.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def workers(process: subprocess.Popen[str]) -> list[int]:
    """The processes that a launcher has begun."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8").split()
    return [int(child) for child in children if "glassformer" in Path(f"/proc/{child}/cmdline").read_text()]


def model_of(folder: Path) -> bytes:
    return (folder / "model" / "model.safetensors").read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two processes that nobody disturbed."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    said = ended(begun(*ASKED, "--out", str(folder)))
    assert json.loads(said)["run"] == str(folder)  # one document: only process 0 speaks
    return folder


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_nothing(whole: Path, tmp_path: Path) -> None:
    running = begun(*ASKED, "--out", str(tmp_path / "run"), "--max-restarts", "1")
    wait_for(tmp_path / "run" / "checkpoints", running)
    os.kill(workers(running)[1], signal.SIGKILL)
    assert "has lost the others" in ended(running)
    assert model_of(tmp_path / "run") == model_of(whole)


@pytest.mark.slow
def test_a_run_that_is_stopped_and_resumed_is_the_same(whole: Path, tmp_path: Path) -> None:
    running = begun(*ASKED, "--out", str(tmp_path / "run"))
    wait_for(tmp_path / "run" / "checkpoints", running)
    running.send_signal(signal.SIGTERM)
    said = ended(running, 128 + signal.SIGTERM)
    assert said.count("Stopped and saved") == 1
    assert "death signal" not in said  # torch's own log
    ended(begun("train", "--resume", str(tmp_path / "run"), "--nproc", "2", "--quiet"))
    assert model_of(tmp_path / "run") == model_of(whole)


@pytest.mark.slow
def test_workers_whose_launcher_is_killed_save_and_leave(tmp_path: Path) -> None:
    asked = ["100000" if word == "60" else word for word in ASKED]  # more steps than it will live for
    running = begun(*asked, "--out", str(tmp_path / "run"))
    log = tmp_path / "run" / "metrics.jsonl"
    wait_for(log, running)
    while '"step": 2' not in log.read_text(encoding="utf-8"):  # before the first step there is nothing to save
        assert running.poll() is None, running.communicate()
        time.sleep(0.01)
    left = workers(running)
    running.kill()
    said = running.communicate(timeout=250)  # whoever has its output open has ended
    assert len(left) == 2
    while any(Path(f"/proc/{each}").exists() for each in left):  # they are nobody's children now
        time.sleep(0.01)
    assert list((tmp_path / "run" / "checkpoints").iterdir()), said


@pytest.mark.slow
def test_without_restarts_a_killed_worker_ends_the_run(tmp_path: Path) -> None:
    running = begun(*ASKED, "--out", str(tmp_path / "run"))
    wait_for(tmp_path / "run" / "config.toml", running)
    os.kill(workers(running)[1], signal.SIGKILL)
    said = ended(running, 128 + signal.SIGKILL)
    assert "Process 1 of 2 was killed (signal 9), and not by us" in said
    assert "Traceback" not in said


def test_a_mistake_is_told_once() -> None:
    said = ended(begun("train", "classify", "nowhere.csv", "--nproc", "2"), InputError.exit_code)
    assert said.count("glassformer: ") == 1
    assert "There is no file nowhere.csv" in said
