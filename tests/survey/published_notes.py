"""A survey of `check` over a folder of documents that others wrote: what is read, checked and found, and how fast.

    python tests/survey/published_notes.py FOLDER [--judged FILE.json] [--json] [--list]

With judgements beside it also precision (findings that are real errors) and coverage (of what a person could check).
Prints figures; asserts nothing. A judgement file is `{"documents": [{"path": …, "human_checkable": 12, "errors":
[{"line": 3, "printed": "0.94", "right": "0.84"}]}]}`; paths are compared by their last part.
"""

import argparse
import json
import sys
import time
import traceback
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from glassformer.by_hand.check import check_document
from glassformer.by_hand.checking.findings import Finding, Report
from glassformer.by_hand.notes.reading import files_in, open_document
from glassformer.errors import InputError


@dataclass
class Judged:
    """What a person said of one document."""

    checkable: int | None = None
    errors: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Surveyed:
    """What the checker said of one document."""

    path: str
    kind: str
    seconds: float
    claims: int = 0
    checked: int = 0
    unreadable: int = 0
    hard: list[str] = field(default_factory=list)
    mild: list[str] = field(default_factory=list)
    true: int = 0  # hard findings that a person calls real errors
    found: int = 0  # real errors that were found, hard or mild
    judged: Judged | None = None
    crash: str = ""


def judgements(files: Iterable[Path]) -> dict[str, Judged]:
    """By the last part of the path; a later file adds to an earlier one."""
    answer: dict[str, Judged] = {}
    for file in files:
        for entry in json.loads(file.read_text(encoding="utf-8"))["documents"]:
            judged = answer.setdefault(Path(entry["path"]).name, Judged())
            judged.checkable = entry.get("human_checkable", judged.checkable)
            judged.errors += entry.get("errors", [])
    return answer


def surveyed(path: Path, judged: Judged | None) -> Surveyed:
    """One document, checked; a crash is recorded, and the survey goes on."""
    start = time.perf_counter()
    answer = Surveyed(str(path), path.suffix.lower().lstrip("."), 0.0, judged=judged)
    try:
        report = check_document(open_document(path))
    except InputError as error:
        answer.unreadable, answer.seconds = 1, time.perf_counter() - start
        print(f"{path.name}: {error}", file=sys.stderr)
        return answer
    except Exception:  # that is what the survey looks for
        answer.crash, answer.seconds = traceback.format_exc(), time.perf_counter() - start
        return answer
    answer.seconds = time.perf_counter() - start
    _count(answer, report)
    return answer


def _count(answer: Surveyed, report: Report) -> None:
    answer.claims, answer.checked, answer.unreadable = report.claims, report.checked, len(report.unreadable)
    for finding in report.findings:
        said = f"{finding.line}: {finding.name}: {finding.printed} should be {finding.right} ({finding.verdict})"
        (answer.mild if finding.is_mild else answer.hard).append(said)
    if answer.judged is not None:
        hard = [finding for finding in report.findings if not finding.is_mild]
        answer.true = sum(any(_is_error(f, error) for error in answer.judged.errors) for f in hard)
        answer.found = sum(any(_is_error(f, error) for f in report.findings) for error in answer.judged.errors)


def _is_error(finding: Finding, error: dict[str, Any]) -> bool:
    same_line = "line" not in error or finding.line == error["line"]
    return same_line and finding.printed == error["printed"] and finding.right == error["right"]


def by_kind(documents: list[Surveyed]) -> dict[str, dict[str, float]]:
    """The figures of each kind of file, and of all."""
    kinds = sorted({each.kind for each in documents})
    groups = {kind: [each for each in documents if each.kind == kind] for kind in kinds} | {"all": documents}
    return {kind: _figures(group) for kind, group in groups.items()}


def _figures(group: list[Surveyed]) -> dict[str, float]:
    counted = [each for each in group if each.judged is not None and each.judged.checkable]
    checkable = sum(each.judged.checkable or 0 for each in counted if each.judged)
    reached = sum(min(each.checked, each.judged.checkable or 0) for each in counted if each.judged)
    judged = [each for each in group if each.judged is not None]
    hard = sum(len(each.hard) for each in judged)
    return {
        "documents": len(group),
        "read": sum(each.claims > each.unreadable for each in group),
        "something checked": sum(each.checked > 0 for each in group),
        "claims": sum(each.claims for each in group),
        "checked": sum(each.checked for each in group),
        "hard findings": sum(len(each.hard) for each in group),
        "mild findings": sum(len(each.mild) for each in group),
        "crashes": sum(bool(each.crash) for each in group),
        "seconds": round(sum(each.seconds for each in group), 1),
        "slowest": round(max((each.seconds for each in group), default=0.0), 1),
        **({"coverage %": round(100 * reached / checkable)} if checkable else {}),
        **({"precision %": round(100 * sum(each.true for each in judged) / hard)} if hard else {}),
        **({"real errors": sum(len(e.judged.errors) for e in judged if e.judged)} if judged else {}),
        **({"errors found": sum(each.found for each in judged)} if judged else {}),
    }


def table(figures: dict[str, dict[str, float]]) -> str:
    """The figures in Markdown, one column for each kind."""
    rows = dict.fromkeys(row for group in figures.values() for row in group)
    lines = ["| | " + " | ".join(figures) + " |", "|---" * (len(figures) + 1) + "|"]
    for row in rows:
        lines.append(f"| {row} | " + " | ".join(str(group.get(row, "")) for group in figures.values()) + " |")
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    """Surveys the folders named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--judged", action="append", default=[], type=Path, help="judgements, as JSON")
    parser.add_argument("--json", action="store_true", help="everything, for programs")
    parser.add_argument("--list", action="store_true", help="a line for each document, and its findings")
    asked = parser.parse_args(arguments)
    judged = judgements(asked.judged)
    documents = [surveyed(path, judged.get(path.name)) for folder in asked.folders for path in files_in(folder)]
    if asked.json:
        print(json.dumps({"figures": by_kind(documents), "documents": [asdict(each) for each in documents]}, indent=1))
        return
    for each in documents if asked.list else []:
        of = f" of {each.judged.checkable}" if each.judged and each.judged.checkable is not None else ""
        print(f"{each.path}: {each.checked}{of} checked, {each.claims} claims, {each.seconds:.1f} s")
        for finding in (*each.hard, *(f"mild {mild}" for mild in each.mild), *each.crash.splitlines()[-1:]):
            print(f"    {finding}")
    print(table(by_kind(documents)))


if __name__ == "__main__":
    main(sys.argv[1:])
