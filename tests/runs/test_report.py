"""The report of a run: what it says, that it can be written again, and that no text becomes a script."""

import re
from pathlib import Path

import pytest

import glassformer as gf
from glassformer.drawing.score_words import between, in_figures
from glassformer.runs.folder import RunFolder
from glassformer.runs.report import report
from glassformer.training.course import teach
from glassformer.training.request import Request
from glassformer.training.showcase import FIRST, WRONG

TINY = {"width": 12, "heads": 2, "hidden": 17, "layers": 1}
EVIL = "<script>alert(1)</script>"


def page_of(path: Path) -> str:
    return (path / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> gf.Run:
    """A run by the Python function, on texts and labels that would like to be markup."""
    folder = tmp_path_factory.mktemp("report")
    rows = [(f"{EVIL} number {i}", EVIL if i % 2 else "plain & good") for i in range(60)]
    (folder / "texts.csv").write_text(
        "text,label\n" + "".join(f"{text},{label}\n" for text, label in rows), encoding="utf-8"
    )
    return gf.train("classify", folder / "texts.csv", out=folder / "run", steps=5, threads=1, settings=TINY)


def test_the_report_says_what_was_trained_and_how_good_it_is(trained: gf.Run) -> None:
    assert trained.folder is not None
    page, scores = page_of(trained.folder), trained.scores
    for words in (
        in_figures("accuracy", scores["accuracy"]), between("accuracy", scores["accuracy_interval"]),
        "texts.csv", "transformer", "60 rows read, 60 kept, 0 skipped.", "✓ keeps its promises", "width 12",
        f"{sum(weight.numel() for weight in trained.model.parameters()):,} parameters", "torch 2",
    ):  # fmt: skip
        assert words in page, words
    for check in trained.certificate["checks"]:
        assert check["name"] in page
    assert page.count("<polyline") >= 1


def test_no_text_becomes_a_script_and_nothing_is_fetched(trained: gf.Run) -> None:
    assert trained.folder is not None
    page = page_of(trained.folder)
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "default-src 'none'" in page
    assert not re.search(r"(?:src|href)=|url\(|@import|https?://", page)


def test_it_can_be_written_again_from_the_folder_alone(trained: gf.Run) -> None:
    assert trained.folder is not None
    assert report(RunFolder.open(trained.folder), trained.card) == page_of(trained.folder)


def test_a_failed_certificate_is_loud(trained: gf.Run, tmp_path: Path) -> None:
    assert trained.folder is not None
    folder = RunFolder.create(tmp_path / "other", settings=RunFolder.open(trained.folder).settings)
    folder.write_scores(trained.scores)
    check = {"name": "no leak", "passed": False, "value": 0.25, "bar": 0.0, "sentence": "The future is hidden."}
    folder.write_certificate({"passed": False, "checks": [check], "not_applicable": []})
    page = report(folder, trained.card)
    assert "✗ breaks its promises" in page
    assert "<span class='tight wrong'>✗ no leak</span>" in page


def test_of_many_labels_the_frequent_confusions_are_told(trained: gf.Run, tmp_path: Path) -> None:
    labels = [f"label{i}" for i in range(13)]
    table = [[0] * 13 for _ in labels]
    table[2][5], table[7][1], table[3][3] = 4, 9, 100
    one = {"precision": 0.5, "recall": 0.5, "f1": 0.5, "samples": 7}
    folder = RunFolder.create(tmp_path / "run", settings={})
    folder.write_scores(
        {"accuracy": 0.9, "classes": dict.fromkeys(labels, one), "confusion": {"labels": labels, "table": table}}
    )
    page = report(folder, trained.card)
    first, second = page.index(">label1</td>"), page.index(">label5</td>")
    assert first < second
    assert ">9</td>" in page
    assert ">100</td>" not in page


@pytest.mark.parametrize(("task", "data"), [("translate", "dates:300"), ("generate", "sorting:300")])
def test_what_was_written_is_shown(task: str, data: str, tmp_path: Path) -> None:
    settings = {name: value for name, value in TINY.items() if name != "layers" or task == "generate"}
    run = teach(Request(task=task, data=data, steps=2, threads=1, settings=settings, limit=20), tmp_path / "run")
    found = (RunFolder.open(tmp_path / "run").read_about() or {})["examples"]
    assert FIRST <= len(found) <= FIRST + WRONG
    assert in_figures(run.objective.main, run.scores[run.objective.main]) in page_of(tmp_path / "run")
    for each in found:
        assert each["given"] in page_of(tmp_path / "run")


def test_a_model_of_language_shows_a_text(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("the cat sat on the mat, and the dog sat on the cat. " * 40, encoding="utf-8")
    sizes = {**TINY, "longest": 31, "tokens_per_batch": 93}
    teach(Request(task="generate", data=str(book), steps=2, threads=1, settings=sizes), tmp_path / "run")
    assert "What it writes" in page_of(tmp_path / "run")
    assert len((RunFolder.open(tmp_path / "run").read_about() or {})["examples"][0]["said"]) > 0
