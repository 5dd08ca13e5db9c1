"""Tables of choices: a name that is not there is an error with the nearest, and a program may add its own."""

import sys
from pathlib import Path

import pytest

from glassformer.choices import Choices, Later
from glassformer.errors import InputError


def numbers() -> Choices[int]:
    return Choices("number", {"three": 3, "one": 1})


def test_rows_stand_in_the_order_they_were_written() -> None:
    assert list(numbers()) == ["three", "one"]
    assert numbers()["one"] == 1
    assert "two" not in numbers()
    assert numbers().get("two") is None


@pytest.mark.parametrize(("name", "said"), [("tree", "did you mean 'three'"), ("xyz", "known: one, three")])
def test_a_name_that_is_not_there_gets_the_nearest(name: str, said: str) -> None:
    with pytest.raises(InputError, match=f"There is no number called '{name}'; {said}"):
        _ = numbers()[name]


def test_a_name_from_a_strangers_file_is_cut() -> None:
    with pytest.raises(InputError) as error:
        _ = numbers()["x" * 10_000]
    assert len(str(error.value)) < 200


def test_ones_own_may_be_added_twice_and_what_came_along_may_not() -> None:
    table = numbers()
    table.add("two", 2)
    table.add("two", 22)
    assert table["two"] == 22
    with pytest.raises(InputError, match="There is a number called 'one' already; choose another name for yours"):
        table.add("one", 11)
    assert table["one"] == 1


def test_a_row_that_comes_later_is_imported_when_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a_file_of_its_own.py").write_text("SEVEN = 7\ndef doubled(n): return 2 * n\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "a_file_of_its_own", raising=False)
    table: Choices[int] = Choices("number", {"one": 1, "seven": Later("a_file_of_its_own:SEVEN")})
    assert list(table) == ["one", "seven"]
    assert table["one"] == 1
    assert "seven" in table
    assert "a_file_of_its_own" not in sys.modules
    assert table["seven"] == table.get("seven") == 7
    assert list(table.items()) == [("one", 1), ("seven", 7)]
    assert Later("a_file_of_its_own:doubled")(11) == 22
    monkeypatch.delitem(sys.modules, "a_file_of_its_own")
    assert table["seven"] == 7  # it is asked for once
    assert "a_file_of_its_own" not in sys.modules
