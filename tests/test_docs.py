"""Every snippet and every command printed in README and docs runs as printed; every link and picture is there."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers.foreign_models import foreign_folder
from helpers.stand_ins import provide_named_sets

import glassformer as gf
from glassformer.by_hand.check import check
from glassformer.by_hand.worksheets.worked import work
from glassformer.by_hand.worksheets.worksheet import (
    GIVENS,
    SENTENCE_SETTINGS,
    SETTINGS,
    example_names,
    from_mapping,
)
from glassformer.commands import main as cli
from glassformer.commands.check_work.exercise import exercise
from glassformer.commands.pages import check_page
from glassformer.text.made_sets import MADE

ROOT = Path(__file__).parent.parent
PAGES = [
    *(ROOT / "README.md", ROOT / "CONTRIBUTING.md"),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/measured").glob("*.md")),
]
# What sets up or tests this very checkout is run by the gate itself, and measuring has its own time and place.
RUN_BY_THE_GATE = (
    *("scripts/", "pip install", "git "),
    *(".venv/bin/python bench/", ".venv/bin/python docs/", ".venv/bin/python tests/survey/"),
)


def called(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, language: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def commands(page: Path) -> list[str]:
    lines = [line for block in blocks(page, "console") for line in block.splitlines()]
    found = [line.removeprefix("$ ").partition("  #")[0].strip() for line in lines if line.startswith("$ ")]
    return [command for command in found if not command.startswith(RUN_BY_THE_GATE)]


@pytest.mark.parametrize("page", PAGES, ids=called)
def test_the_snippets_of_a_page_run_in_order(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), names)


# Pages that train for long; .ci/run runs their commands, too.
LONG = {"classify.md", "generate.md", "hugging_face.md", "notes.md", "scale.md", "train.md", "translate.md"}
SLOW_SH = ("hugging_face.md",)


@pytest.mark.parametrize(
    "page",
    [pytest.param(each, marks=[pytest.mark.slow] * (each.name in LONG)) for each in PAGES if commands(each)],
    ids=called,
)
def test_the_commands_of_a_page_run_in_order(page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    provide_files(tmp_path)
    provide_named_sets(tmp_path / "data")
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    for command in commands(page):
        words = shlex.split(command)
        assert words[0] == "glassformer", command
        monkeypatch.setattr(sys, "argv", words if words[1] not in TRAINING else affordable(words))
        with pytest.raises(SystemExit) as stop:
            cli.main()
        finds_the_planted_error = words[1] == "check" and "--code" not in words
        assert (stop.value.code or 0) == (1 if finds_the_planted_error else 0), command


@pytest.mark.parametrize(
    "page",
    [pytest.param(each, marks=[pytest.mark.slow] * (each.name in SLOW_SH)) for each in PAGES if blocks(each, "sh")],
    ids=called,
)
def test_the_scripts_of_a_page_end_as_they_say(page: Path, tmp_path: Path) -> None:
    provide_files(tmp_path)
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "glassformer"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m glassformer "$@"\n')
    program.chmod(0o755)
    place = {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    for block in blocks(page, "sh"):
        said = re.search(r"# ends with (\d+)", block)
        done = subprocess.run(["sh", "-e", "-c", block], cwd=tmp_path, env=place, check=False)
        assert done.returncode == (int(said[1]) if said else 0), block


def test_the_class_that_the_docs_show_is_marked_so(capsys: pytest.CaptureFixture[str]) -> None:
    handed_in = ROOT / "docs" / "notes" / "handed-in"
    exercise(variant="masked", seed=3, blank=("weights", "mixed"), mark=handed_in)
    given = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    shown = next(block for block in blocks(ROOT / "docs" / "check.md", "text") if "hand-ins" in block)
    assert shown.splitlines() == given[given.index(shown.splitlines()[0]) : -1]


TRAINING = ("train", "compare")
BUDGETS = ("--minutes", "--epochs", "--steps", "--seeds")


def affordable(words: list[str]) -> list[str]:
    """The same command with a budget of two small steps, on a few samples, for a narrow model."""
    kept = [word for i, word in enumerate(words) if word not in BUDGETS and words[i - 1] not in BUDGETS]
    kept = [f"{word}:300" if word in MADE else word for word in kept]
    small = ["--set", "tokens_per_batch=512"] if words[1] == "train" else []
    if words[1] == "train" and not {"--from", "ngrams"} & {*words}:  # as wide as another run; without a width
        small += ["--set", "width=16", "--set", "hidden=16"]
    return [*kept, "--steps", "2", "--limit", "20", "--threads", "1", "--quiet", *small]


def provide_files(folder: Path) -> None:
    """The files that the printed commands speak of."""
    (folder / "book.txt").write_text("It was the best of times, it was the worst of times.\n" * 200, encoding="utf-8")
    worksheet = blocks(ROOT / "docs" / "worksheets.md", "toml")[0]
    (folder / "tea.toml").write_text(worksheet, encoding="utf-8")
    (folder / "my_attention.py").write_text(blocks(ROOT / "docs" / "check.md", "python")[-1], encoding="utf-8")
    for name, kind in (("minilm", "bert"), ("gpt2", "gpt2")):
        foreign_folder(folder, kind).rename(folder / name)
    for notes in ("notes.md", "notes/tea.md", "docs/notes/tea.md"):
        (folder / notes).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "docs" / "notes" / "tea.md", folder / notes)
    shutil.copytree(ROOT / "docs" / "notes" / "handed-in", folder / "handed-in")


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


@pytest.mark.parametrize("name", sorted(set(re.findall(r"gf\.(\w+)\(", gf.__doc__ or ""))))
def test_what_the_package_is_for_stands_in_the_docs(name: str) -> None:
    told = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    assert f"gf.{name}(" in told


@pytest.mark.parametrize("page", PAGES, ids=called)
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#]+)\)", text) + re.findall(r'src="([^"]+)"', text)
    for target in targets:
        assert target.startswith("https://") or (page.parent / target).exists(), target


def anchors(page: Path) -> set[str]:
    """What a link into a page may end in: its headings, as the web pages of a repository spell them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=called)
def test_links_into_a_page_lead_to_a_heading(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text(encoding="utf-8")):
        assert anchor in anchors(page.parent / target if target else page), f"{target}#{anchor}"


def test_every_example_of_the_glossary_can_be_explained() -> None:
    glossary = (ROOT / "docs" / "notes.md").read_text(encoding="utf-8").partition("## Glossary")[2]
    cells = re.findall(r"`explain ([a-z-]+`(?:, `[a-z-]+`)*)", glossary)
    named = {name for cell in cells for name in re.findall("[a-z-]+", cell)}
    assert len(named) > 15
    assert named <= {*example_names(), "masks"}


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(test_\w+)`", (ROOT / "docs" / "serve.md").read_text()))))
def test_a_test_that_the_docs_name_is_there(name: str) -> None:
    assert any(f"def {name}(" in path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
