"""The breakages of the source can be made as they are written down, and the tests that must notice them are there."""

import ast

import pytest
from mutants.mutate import PACKAGE, TESTS
from mutants.table import MUTANTS, Mutant


def test_there_are_seventy_six_breakages_or_more_and_no_two_are_the_same() -> None:
    assert len(MUTANTS) == len({(each.file, each.before, each.after) for each in MUTANTS}) >= 76


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.file}: {mutant.before.strip()[:40]}")
def test_a_breakage_fits_the_source_and_its_test_exists(mutant: Mutant) -> None:
    source = (PACKAGE / mutant.file).read_text(encoding="utf-8")
    assert source.count(mutant.before) == 1
    assert mutant.before != mutant.after
    ast.parse(source.replace(mutant.before, mutant.after))  # a test that cannot be loaded notices nothing
    file, name = mutant.test.split("::")
    assert f"def {name}(" in (TESTS / file).read_text(encoding="utf-8")
