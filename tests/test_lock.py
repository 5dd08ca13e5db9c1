"""One writer at a time: a folder is held, the second is told by whom, and nothing is left behind."""

import subprocess
import sys
from pathlib import Path

import pytest

from glassformer.errors import InputError
from glassformer.lock import held

HOLDER = """
import sys, pathlib, glassformer.lock as lock
with lock.held(pathlib.Path(sys.argv[1]), "trained"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_who_comes_second_is_told_so(tmp_path: Path) -> None:
    told = f"{tmp_path} is being trained just now, by another thread of this process; wait for it"
    with held(tmp_path, "trained"), pytest.raises(InputError, match=told), held(tmp_path, "trained"):
        pass


def test_the_process_that_holds_it_is_named_and_gone_with_it_is_the_lock(tmp_path: Path) -> None:
    """Killed with kill -9: nobody could have cleared away."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(InputError) as refused, held(tmp_path, "cut into tokens"):
            pass
        assert f"is being cut into tokens just now, by process {other.pid} ({sys.executable}" in str(refused.value)
        other.kill()
    with held(tmp_path, "trained"):
        assert list(tmp_path.iterdir()) == []


def test_a_long_command_is_cut_short(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path), "long" * 100]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(InputError) as refused, held(tmp_path, "trained"):
            pass
        assert "longlong" not in str(refused.value)
        assert "…)" in str(refused.value)
        other.kill()


def test_where_the_system_lists_no_locks_it_is_some_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("glassformer.lock._read", lambda path: "1: FLOCK\n\n" if path == Path("/proc/locks") else "")
    with held(tmp_path, "trained"), pytest.raises(InputError, match="by another process;"), held(tmp_path, "trained"):
        pass


def test_another_folder_is_free_and_nothing_is_left_behind(tmp_path: Path) -> None:
    with held(tmp_path / "one", "trained"), held(tmp_path / "two", "trained"):
        assert (tmp_path / "one").is_dir()
    assert list((tmp_path / "one").iterdir()) == []


def test_it_is_let_go_even_after_a_fault(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), held(tmp_path, "trained"):
        _ = 1 / 0
    with held(tmp_path, "trained"):
        pass
