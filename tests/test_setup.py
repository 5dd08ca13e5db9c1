"""The environment: the demo installs what the studio needs and no more, tests add to it, and nothing is done twice."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NOTES = 'echo "$@" >> "$(dirname "$0")/asked"'  # in place of Python: writes down what it was asked for


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A bare checkout whose environment is made by nobody."""
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\n{NOTES}\n", encoding="utf-8")
    python.chmod(0o755)
    return tmp_path


def installed(checkout: Path, *purpose: str) -> list[str]:
    """What `scripts/setup` asks pip for, and only now."""
    asked = checkout / ".venv" / "bin" / "asked"
    asked.unlink(missing_ok=True)
    command = [checkout / "scripts" / "setup", *purpose]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHON": sys.executable})
    return [line.rpartition(" -e ")[2] for line in asked.read_text().splitlines()] if asked.exists() else []


def test_the_demo_installs_no_test_tools_and_the_tests_only_add(checkout: Path) -> None:
    assert installed(checkout) == ["."]
    assert installed(checkout) == []
    assert installed(checkout, "dev") == [".[dev]"]
    assert installed(checkout, "dev") == []
    assert installed(checkout) == []


def test_what_was_set_up_for_the_tests_serves_the_demo(checkout: Path) -> None:
    assert installed(checkout, "dev") == [".[dev]"]
    assert installed(checkout) == []


def test_other_versions_are_set_up_anew(checkout: Path) -> None:
    installed(checkout, "dev")
    with (checkout / "constraints.txt").open("a") as file:
        file.write("# another line\n")
    assert installed(checkout) == ["."]
    assert installed(checkout, "dev") == [".[dev]"]


def test_each_script_asks_for_what_it_needs() -> None:
    lines = {name: (ROOT / "scripts" / name).read_text().splitlines() for name in ("demo", "test", "check")}
    assert "scripts/setup" in lines["demo"]
    assert "scripts/setup dev" in lines["test"]
    assert "scripts/setup dev" in lines["check"]


def test_no_test_tool_is_needed_to_run() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = " ".join(project["dependencies"])
    for tool in ("pytest", "playwright", "mypy", "ruff", "hypothesis", "transformers", "scikit-learn", "nbclient"):
        assert tool not in needed


def test_an_unknown_purpose_and_an_old_python_are_told(checkout: Path) -> None:
    for words, python, said in (
        (["tests"], sys.executable, "was given 'tests'"),
        ([], "false", "Python 3.11 or newer"),
    ):
        command = [checkout / "scripts" / "setup", *words]
        done = subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, "PYTHON": python}, check=False
        )
        assert done.returncode == 2
        assert said in done.stderr
