"""Breaks a copy of the package in one place after the other, and runs on it the tests that must notice: tests of the
tests. It never touches the source, and knows nothing of what is broken: that stands in table.py.

`scripts/mutate` runs it. All chosen tests must pass on a copy that is whole. A text that no longer stands where it is
said to, or tests that cannot run, are told as an error, not as a catch.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

import pytest
from faults.apart import HUNG, Outcome, apart
from mutants.table import MUTANTS, Mutant

TESTS = Path(__file__).parent.parent
ESCAPES = 2  # of all of them; of a part none may
FAILED = 1  # pytest's code: tests ran, and some failed
PATIENCE = 240.0  # seconds, after which tests are ended that would pass in a few
# What takes seconds to import and is not ours: once for all children.
LARGE = ("torch", "tokenizers", "starlette.applications", "hypothesis", "playwright.sync_api")
PACKAGE = TESTS.parent / "src" / "glassformer"
QUIET = ("-x", "--tb=no", "-n", "0", "-p", "no:cacheprovider", "--timeout", "120")
# What was imported before the tests began cannot be rewritten, and pytest says so.
LOADED = ("-W", "ignore::pytest.PytestAssertRewriteWarning")


def main(words: Sequence[str]) -> int:
    """Tries them, tells each, and says how many were caught."""
    chosen = MUTANTS[::3] if "--third" in words else MUTANTS
    chosen = tuple(each for each in chosen if all(word in each.file for word in words if word != "--third"))
    for name in LARGE:
        import_module(name)
    with get_context("fork").Pool(os.cpu_count()) as pool:
        whole = pool.apply_async(tried, (None, sorted({each.test for each in chosen})))
        found = []
        for each, became in zip(chosen, pool.imap(outcome, chosen), strict=True):
            found.append(became)
            print(f"{became:8} {each.file}: {each.before.strip()[:80]}", flush=True)
        sound = whole.get()
    if sound.code:
        print(f"The source as it is does not pass these tests:\n{sound.said[-2000:]}")
        return 1
    print(f"{found.count('caught')} of {len(found)} caught, by the tests named beside them.")
    return 0 if len(found) - found.count("caught") <= (ESCAPES if len(chosen) == len(MUTANTS) else 0) else 1


def outcome(mutant: Mutant) -> str:
    """What becomes of one mutant: caught, ESCAPED, or what is wrong with its line."""
    times = (PACKAGE / mutant.file).read_text(encoding="utf-8").count(mutant.before)
    if times != 1:
        return f"ERROR: {mutant.before!r} stands {times} times in {mutant.file}"
    found = tried(mutant, [mutant.test])
    if found.code == 0:
        return "ESCAPED"
    return "caught" if found.code in (FAILED, HUNG) else f"ERROR: {found.said[-300:]}"


def tried(mutant: Mutant | None, tests: Sequence[str]) -> Outcome:
    """How these tests end on a copy of the package: broken so, or whole."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "glassformer"
        shutil.copytree(PACKAGE, copy)
        if mutant is not None:
            text = (copy / mutant.file).read_text(encoding="utf-8")
            (copy / mutant.file).write_text(text.replace(mutant.before, mutant.after), encoding="utf-8")
        return apart(lambda: _run(name, tests), PATIENCE if mutant else len(tests) * PATIENCE)


def _run(place: str, tests: Sequence[str]) -> int:
    """The tests, on the package at this place; in a child, which has imported nothing of it yet."""
    sys.path.insert(0, place)
    os.environ["PYTHONPATH"] = place  # for processes that a test starts
    sys.dont_write_bytecode = True
    os.chdir(TESTS.parent)
    return int(pytest.main([*QUIET, *LOADED, *(f"tests/{name}" for name in tests)]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
