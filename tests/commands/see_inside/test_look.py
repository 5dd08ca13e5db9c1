"""`glassformer look`: writes a page, says what it shows, and what is wrong."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers.hugging_folders import hugging_folder
from helpers.small_runs import TEXTS, run_of_each, small_run

from glassformer.commands import main as cli
from glassformer.commands.see_inside import look as looking
from glassformer.errors import InputError
from glassformer.runs import run as runs
from glassformer.runs.run import Run, load


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    return run_of_each(tmp_path_factory.mktemp("runs"))


def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["glassformer", "look", *words])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    said = capsys.readouterr()
    return int(stop.value.code or 0), said.out, said.err


def test_the_command_writes_a_page_and_says_what_it_shows(
    trained: dict[str, Run], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "deep" / "page.html"
    words = (str(trained["classes"].folder), TEXTS["classes"], "--out", str(page))
    code, out, _ = command(capsys, monkeypatch, *words)
    assert code == 0
    assert f"Wrote {page}" in out
    assert trained["classes"].look(TEXTS["classes"]).words in out
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    page.write_text("old", encoding="utf-8")
    code, out, _ = command(capsys, monkeypatch, *words, "--json")
    facts = json.loads(out)
    assert (facts["page"], facts["bytes"], facts["left_out"]) == (str(page), page.stat().st_size, [])
    assert facts["tokens"] == TEXTS["classes"].split()
    assert facts["answer"]["items"][0]["share"] >= 1 / 2
    assert list(page.parent.iterdir()) == [page]


def test_one_number_is_asked_for_in_the_terminal(
    trained: dict[str, Run], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = (str(trained["classes"].folder), TEXTS["classes"], "--number")
    code, out, _ = command(capsys, monkeypatch, *words, "encoder.0.self.weights[0,1,2]")
    assert code == 0
    assert "A = softmax(" in out
    assert "encoder.0.self.weights[0,1,2] = e^" in out
    assert not list(tmp_path.iterdir())  # no page is written
    _, out, _ = command(capsys, monkeypatch, *words, "embedding_weight[3,0]")
    assert out.strip().endswith(", given")
    _, out, _ = command(capsys, monkeypatch, *words, "logits[0]", "--json", "--out", "page.html")
    facts = json.loads(out)
    assert (facts["page"], facts["number"]["operation"]) == ("page.html", "project")
    assert command(capsys, monkeypatch, *words, "encoder.0.self.wieghts[0,1,2]")[0] == 2
    assert "name one with --out" in command(capsys, monkeypatch, *words, "logits[0]", "--open")[2]


def test_a_long_sum_is_cut_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    small_run(tmp_path / "conv", "classes", "conv-pool")
    words = (str(tmp_path / "conv"), TEXTS["classes"], "--number", "convolutions.0.filtered[0,0]")
    monkeypatch.setattr(looking, "LONGEST", 100)
    _, out, _ = command(capsys, monkeypatch, *words)
    assert "terms) …" in out
    assert len(out.splitlines()[-1]) < 200


def test_the_command_leads_a_translation_and_reads_standard_input(
    trained: dict[str, Run], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = SimpleNamespace(buffer=io.BytesIO(f"{TEXTS['pairs']}\n".encode()), isatty=lambda: False)
    monkeypatch.setattr(sys, "stdin", given)
    words = (str(trained["pairs"].folder), "-", "--target", "1984-03-03", "--out", str(tmp_path / "page.html"))
    code, out, _ = command(capsys, monkeypatch, *words, "--json")
    assert code == 0
    facts = json.loads(out)
    assert "".join(facts["source_tokens"]) == TEXTS["pairs"]
    assert "".join(facts["answer"]["target"]) == "1984-03-03"
    assert "parts from" in facts["words"]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["nowhere", "text"], "nowhere is no folder"),
        (["{run}", ""], "There is no text yet"),
        (["{run}", "two", "words"], 'put it in quotes: "two words"'),
        (["{run}", "text", "--outt", "x"], "There is no option --outt"),
        (["{run}", "text", "--out", "{run}"], "is a folder; name a file"),
        (["{run}", "text", "--megabytes", "0"], "allow more than 0"),
        (["{run}", "text", "--megabytes", "0.01"], "cannot be made as small"),
    ],
)
def test_the_command_says_what_is_wrong(
    words: list[str],
    error: str,
    trained: dict[str, Run],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = command(capsys, monkeypatch, *(word.format(run=trained["classes"].folder) for word in words))
    assert (code, out) == (2, "")
    assert error in err
    assert not list(tmp_path.iterdir())


def test_the_page_is_opened_only_when_asked(
    trained: dict[str, Run], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: bool(opened.append(address)))
    page = tmp_path / "page.html"
    words = (str(trained["classes"].folder), "good", "--out", str(page))
    command(capsys, monkeypatch, *words)
    assert not opened
    _, _, err = command(capsys, monkeypatch, *words, "--open")
    assert opened == [page.as_uri()]
    assert "No browser could be opened" in err


def test_a_model_that_came_along_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = small_run(tmp_path / "package" / "feelings").path
    monkeypatch.setattr(runs, "pocket_folders", lambda: [folder])
    assert load("feelings").look("good").look.title == "feelings"
    assert load(folder).folder == folder
    with pytest.raises(InputError, match=r"feelinks is no folder, and no bundled model is called so; .*feelings"):
        load("feelinks")


def test_a_folder_of_hugging_face_is_looked_at(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, page = hugging_folder(tmp_path / "tiny"), tmp_path / "page.html"
    code, out, _ = command(capsys, monkeypatch, f"hf:{folder}", "The cat sat", "--longest", "0", "--out", str(page))
    assert code == 0
    assert "2 attentions, all seen; GPT2LMHeadModel" in out
    assert page.stat().st_size > 100_000
    code, out, _ = command(capsys, monkeypatch, f"hf:{folder}", "The cat sat", "--json", "--out", str(page))
    facts = json.loads(out)
    assert facts["tokens"][:3] == ["The", " cat", " sat"]
    assert facts["task"] is None
    code, _, said = command(capsys, monkeypatch, f"hf:{tmp_path / 'nowhere'}", "The cat sat")
    assert code == 2
    assert "There is no folder" in said
