"""Every snippet and every command printed in README and docs runs as printed; every link and picture is there."""

import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from glassformer import check_page, cli
from glassformer.handwork.check import check
from glassformer.worked import work
from glassformer.worksheet import GIVENS, SENTENCE_SETTINGS, SETTINGS, from_mapping

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
# What sets up or tests this very checkout is run by the gate itself, and measuring has its own time and place.
RUN_BY_THE_GATE = ("scripts/", "pip install", ".venv/bin/python bench/", ".venv/bin/python docs/", "git ")


def blocks(page: Path, language: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def commands() -> list[str]:
    lines = [line for page in PAGES for block in blocks(page, "console") for line in block.splitlines()]
    return [line.removeprefix("$ ").partition("  #")[0].strip() for line in lines if line.startswith("$ ")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_snippets_of_a_page_run_in_order(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), names)


@pytest.mark.parametrize("command", sorted({c for c in commands() if not c.startswith(RUN_BY_THE_GATE)}))
def test_a_command_runs_as_printed(command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    words = shlex.split(command)
    assert words[0] == "glassformer", command
    provide_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as stop:
        cli.main()
    finds_the_planted_error = words[1] == "check" and "--code" not in words
    assert (stop.value.code or 0) == (1 if finds_the_planted_error else 0)


def provide_files(folder: Path) -> None:
    """The files that the printed commands speak of."""
    worksheet = blocks(ROOT / "docs" / "worksheets.md", "toml")[0]
    (folder / "tea.toml").write_text(worksheet, encoding="utf-8")
    (folder / "my_attention.py").write_text(blocks(ROOT / "docs" / "check.md", "python")[-1], encoding="utf-8")
    for notes in ("notes.md", "notes/tea.md", "docs/notes/tea.md"):
        (folder / notes).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "docs" / "notes" / "tea.md", folder / notes)


def test_the_answer_printed_in_the_readme_is_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    check_page.show_report(check(ROOT / "docs" / "notes" / "tea.md"), strict=False)
    given = capsys.readouterr().out
    for line in blocks(ROOT / "README.md", "text")[0].splitlines():
        assert line.rstrip() in given


def test_the_worksheets_of_the_docs_can_be_worked() -> None:
    page = ROOT / "docs" / "worksheets.md"
    assert work(from_mapping(yaml.safe_load(blocks(page, "yaml")[0])))["weights"].shape == (1, 2, 6, 6)


@pytest.mark.parametrize("name", [*GIVENS, *SETTINGS, *SENTENCE_SETTINGS])
def test_the_docs_name_all_that_a_worksheet_may_say(name: str) -> None:
    assert name in (ROOT / "docs" / "worksheets.md").read_text(encoding="utf-8")


def test_the_two_commands_are_on_the_first_screen() -> None:
    first_screen = PAGES[0].read_text(encoding="utf-8").splitlines()[:12]
    assert any(line.startswith("$ scripts/demo") for line in first_screen)
    assert any(line.startswith("$ scripts/test") for line in first_screen)
    assert all((ROOT / "scripts" / name).stat().st_mode & 0o111 for name in ("demo", "test", "check", "setup"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#]+)\)", text) + re.findall(r'src="([^"]+)"', text)
    for target in targets:
        assert target.startswith("https://") or (page.parent / target).exists(), target
