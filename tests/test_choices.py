"""Tables of choices: a name that is not there is an error with the nearest, and a program may add its own."""

import pytest

from glassformer.choices import Choices
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
