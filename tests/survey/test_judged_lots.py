"""Counting judgements: by lot, by ground, and what is none."""

import json
from pathlib import Path
from typing import Any

import pytest
from survey.judged_lots import LOTS, by_ground, by_lot, main, read_lots


def _finding(level: str, ground: str, judged: str) -> dict[str, Any]:
    return {"path": "a.md", "line": 3, "printed": "2", "right": "3", "level": level, "ground": ground, "judged": judged}


def _file(folder: Path, *findings: dict[str, Any]) -> Path:
    lot = {"lot": "1", "documents": 7, "authors": 5, "checked": 11, "results": 44, "findings": list(findings)}
    other = {"lot": "2", "documents": 3, "authors": 2, "checked": 11, "results": 11, "findings": []}
    path = folder / "lots.json"
    path.write_text(json.dumps({"lots": [lot, other]}), encoding="utf-8")
    return path


def test_each_level_is_counted_apart(tmp_path: Path) -> None:
    lots = read_lots(
        _file(
            tmp_path,
            _finding("wrong", "near", "right"),
            _finding("wrong", "near", "false"),
            _finding("look again", "far", "partly"),
            _finding("rounding", "", "right"),
        )
    )
    assert by_lot(lots).splitlines()[2:] == [
        "| 1 | 7; 5 | 1, 0, 1 | 0, 1, 0 | 1, 0, 0 | 25 % |",
        "| 2 | 3; 2 | – | – | – | 100 % |",
        "| all | 10; 7 | 1, 0, 1 | 0, 1, 0 | 1, 0, 0 | 40 % |",
    ]
    assert by_ground(lots).splitlines()[2:] == ["| far | 0, 1, 0 |", "| near | 1, 0, 1 |"]


def test_an_unknown_judgement_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a\.md:3"):
        read_lots(_file(tmp_path, _finding("wrong", "near", "perhaps")))


def test_the_project_s_own_lots_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    main([])
    said = capsys.readouterr().out
    lots = read_lots(LOTS)
    assert f"| all | {sum(each['documents'] for each in lots)}; " in said
