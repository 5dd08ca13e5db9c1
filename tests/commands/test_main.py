"""The command line: what it lists, and how errors become words and exit codes."""

import errno
import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from glassformer.by_hand.check import check_document
from glassformer.by_hand.checking.findings import Report
from glassformer.by_hand.notes.documents import Document
from glassformer.commands import main as cli
from glassformer.commands.check_work.check import check


def test_without_a_word_the_commands_are_listed(ask: Any) -> None:
    assert "Usage: glassformer COMMAND" in ask()


def test_a_folder_that_is_no_run_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("predict", "evaluate"):
        monkeypatch.setattr(sys, "argv", ["glassformer", command, str(tmp_path), "text"])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        assert stop.value.code == 2
        assert "holds no run" in capsys.readouterr().err


@pytest.mark.parametrize("place", [0, 1, 3])
def test_debug_shows_the_traceback(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["explain", "--example", "none"]
    monkeypatch.setattr(sys, "argv", ["glassformer", *words[:place], "--debug", *words[place:]])
    with pytest.raises(ValueError, match="no example called 'none'"):
        cli.main()


def test_debug_may_also_be_a_value(glassformer) -> None:  # type: ignore[no-untyped-def]
    assert "--debug" in glassformer("explain", "--sentence=--debug").out
    assert "'--debug' is neither an example" in glassformer("explain", "--", "--debug").err
    assert "requires an argument" in glassformer("explain", "--sentence", "--debug", "--json").err
    assert "--debug" in glassformer("--help").out


COMMANDS = [
    "certify",
    "check",
    "compare",
    "describe",
    "doctor",
    "evaluate",
    "exercise",
    "explain",
    "export",
    "import",
    "lesson",
    "look",
    "plan",
    "predict",
    "serve",
    "studio",
    "tokenize",
    "train",
    "why",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_help_makes_a_list_of_a_sentence(glassformer, command: str) -> None:  # type: ignore[no-untyped-def]
    """A line of a docstring that begins with "- for standard input" is drawn as a bullet, and the hyphen is gone."""
    page = glassformer(command, "--help").out
    assert f"Usage: glassformer {command}" in page
    assert "•" not in page


def test_a_reader_who_leaves_early_is_no_failure() -> None:
    command = f"{sys.executable} -m glassformer explain | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=250, check=True)
    assert done.stdout.split() == ["0"]
    assert done.stderr == ""


def test_in_a_folder_that_was_removed_it_is_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)  # and back, afterwards
    (tmp_path / "gone").mkdir()
    os.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    monkeypatch.setattr(sys, "argv", ["glassformer", "explain"])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 2
    assert "The folder you are in was removed" in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_output_that_takes_only_some_signs_is_written_all_the_same(encoding: str) -> None:
    """As a file on Windows does. JSON stays the same JSON."""
    command = [sys.executable, "-m", "glassformer", "explain", "--example", "masked", "--json"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run(command, capture_output=True, env=environment, timeout=250, check=True)
    assert done.stderr == b""
    with redirect_stdout(io.StringIO()) as plain:
        cli.app(command[3:], result_action="return_value")
    assert not plain.getvalue().isascii()
    assert json.loads(done.stdout.decode(encoding)) == json.loads(plain.getvalue())


def test_a_fault_is_never_the_code_for_a_wrong_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(document: Document, **how: object) -> Report:
        if "bad" in document.file:
            raise KeyError("gone")
        return check_document(document)

    (tmp_path / "bad.md").write_text("1 + 1 = 2")
    monkeypatch.setattr("glassformer.by_hand.check.check_document", broken)
    monkeypatch.setattr(sys, "argv", ["glassformer", "check", str(tmp_path / "bad.md")])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 3
    assert "a fault of Glassformer, not of yours (KeyError: 'gone')" in capsys.readouterr().err
    (tmp_path / "other.md").write_text("1 + 1 = 3")
    assert check(str(tmp_path)) == 3  # the others are told all the same
    shown = capsys.readouterr().out
    assert "First wrong number" in shown
    assert "bad.md: the checker broke down (KeyError)" in " ".join(shown.split())


def test_a_place_that_cannot_be_is_no_fault_of_ours(glassformer) -> None:  # type: ignore[no-untyped-def]
    answer = glassformer("train", "classify", "negation:300", "--steps", "1", "--out", "n" * 5000)
    assert answer.code == 1
    assert "cannot be used: File name too long." in answer.err
    assert len(answer.err) < 1000


class PanicException(BaseException):
    """Called as a library in Rust calls what it breaks off with."""


def test_output_that_finds_no_room_and_want_of_memory_are_no_faults_of_ours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for error, code, said in (
        (OSError(errno.ENOSPC, "No space left on device"), 3, "the disk is full: the output cannot be written."),
        (MemoryError(), 1, "there is not enough memory for this."),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), 1, "there is not enough memory for this."),
        (PanicException("ThreadPoolBuildError { kind: IOError }"), 1, "lets this user start no more threads"),
    ):

        def fails(words: list[str], error: BaseException = error) -> None:
            raise error

        monkeypatch.setattr(cli, "app", fails)
        with pytest.raises(SystemExit) as stop:
            cli.main()
        told = capsys.readouterr().err
        assert stop.value.code == code
        assert said in told
        assert "fault of Glassformer" not in told


def test_who_stops_a_command_is_told_that_it_stopped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stops(words: list[str]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "app", stops)
    monkeypatch.setattr(sys, "argv", ["glassformer", "why"])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 130
    assert capsys.readouterr().err == "glassformer: stopped with Ctrl-C.\n"
