"""The surveys themselves, on made files: counts, precision, coverage; and a small draw of mutated notes."""

import json
import random
from pathlib import Path

import pytest
from survey.made_notes import made_notes, word_file
from survey.mutated_notes import answered, mutated, sources
from survey.published_notes import by_kind, judgements, main, surveyed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "right.md").write_text("1 + 1 = 2\n\n2 · 3 = 6\n", encoding="utf-8")
    (tmp_path / "wrong.md").write_text("1 + 1 = 3\n\n2 · 3 = 7\n", encoding="utf-8")
    (tmp_path / "words.txt").write_text("No numbers here.\n", encoding="utf-8")
    errors = [{"line": 1, "printed": "3", "right": "2"}, {"line": 9, "printed": "5", "right": "4"}]
    judged = [
        {"path": "notes/right.md", "human_checkable": 4},
        {"path": "notes/wrong.md", "human_checkable": 2, "errors": errors},
    ]
    (tmp_path / "judged.json").write_text(json.dumps({"documents": judged}), encoding="utf-8")
    return tmp_path


def test_precision_and_coverage(folder: Path) -> None:
    judged = judgements([folder / "judged.json"])
    documents = [surveyed(path, judged.get(path.name)) for path in sorted(folder.glob("*.*")) if path.suffix != ".json"]
    figures = by_kind(documents)
    assert set(figures) == {"md", "txt", "all"}
    assert (figures["md"]["documents"], figures["md"]["checked"], figures["md"]["hard findings"]) == (2, 4, 2)
    assert figures["md"]["coverage %"] == 67  # 2 of 4, and 2 of 2
    assert figures["md"]["precision %"] == 50  # one of two findings is a real error
    assert (figures["md"]["real errors"], figures["md"]["errors found"]) == (2, 1)
    assert figures["txt"]["something checked"] == 0


def test_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(folder / "wrong.md"), "--judged", str(folder / "judged.json"), "--list"])
    said = capsys.readouterr().out
    assert "2 of 2 checked" in said
    assert "| hard findings | 2 | 2 |" in said
    main([str(folder / "wrong.md"), "--json"])
    assert json.loads(capsys.readouterr().out)["figures"]["md"]["checked"] == 2


def test_right_notes_in_every_format_are_right(tmp_path: Path) -> None:
    for number, (suffix, text) in enumerate(made_notes()):
        path = tmp_path / f"{number}{suffix}"
        path.write_bytes(word_file(text) if suffix == ".docx" else text.encode())
        answer = surveyed(path, None)
        assert (answer.crash, answer.hard, answer.mild) == ("", [], []), path
        assert answer.checked > 0, path


@pytest.mark.processor_seconds(120)
def test_a_small_draw_of_mutated_notes() -> None:
    """The full draw is a command: `python tests/survey/mutated_notes.py 5000`."""
    draw, notes = random.Random(3), sources()
    for _ in range(50):
        suffix, text = draw.choice(notes)
        assert answered(suffix, mutated(text, draw)) >= 0
