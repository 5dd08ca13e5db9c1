"""Commands asked as on the command line."""

import sys
from typing import Any

import pytest

from glassformer.commands import main as cli


def said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: object) -> str:
    """What a command prints; it must end well."""
    monkeypatch.setattr(sys, "argv", ["glassformer", *map(str, words)])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    captured = capsys.readouterr()
    assert not stop.value.code, captured.err
    return captured.out


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    return lambda *words: said(capsys, monkeypatch, *words)


class Answer:
    """What a command printed, and how it ended."""

    def __init__(self, out: str, err: str, code: int) -> None:
        self.out, self.err, self.code = out, err, code


@pytest.fixture
def glassformer(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    monkeypatch.setenv("COLUMNS", "100")

    def run(*words: str) -> Answer:
        monkeypatch.setattr(sys, "argv", ["glassformer", *words])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        printed = capsys.readouterr()
        return Answer(printed.out, printed.err, int(stop.value.code or 0))

    return run
