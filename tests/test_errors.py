"""The errors a person may meet: their exit codes, counts in words, the nearest word, and what counts nothing."""

import pytest

from glassformer.errors import (
    GlassformerError,
    InputError,
    asked_back,
    counted,
    kind_of,
    lacks_memory,
    must_be_text,
    must_count,
    nearest,
    visible,
)


def test_what_a_person_can_mend_has_an_exit_code_of_its_own() -> None:
    assert (GlassformerError.exit_code, InputError.exit_code) == (1, 2)
    assert issubclass(InputError, ValueError)


@pytest.mark.parametrize("value", [0, -1, True, 1.5, "3"])
def test_what_counts_nothing_is_refused_by_name(value: int) -> None:
    with pytest.raises(InputError, match=f"`layers` must be a whole number from 1 up; it is {value}"):
        must_count("layers", value)


def test_so_is_what_counts_too_many() -> None:
    must_count("threads", 1024, most=1024)
    with pytest.raises(InputError, match="`threads` must be a whole number from 1 to 1,024; it is 1025"):
        must_count("threads", 1025, most=1024)


def test_a_name_that_no_settings_could_hold_is_refused() -> None:
    must_be_text("größe.csv")
    with pytest.raises(InputError, match=r"'d\\udcff.csv' is none in UTF-8, which settings are written in: rename it"):
        must_be_text("d\udcff.csv")


def test_one_is_enough() -> None:
    must_count("layers", 1)


def test_the_nearest_word_or_all_of_them() -> None:
    assert nearest("wieghts", ["scores", "weights"]) == "did you mean 'weights'?"
    assert nearest("xyz", ["weights", "scores"]) == "known: scores, weights."


def test_of_very_many_words_some_are_named_and_the_rest_counted() -> None:
    said = nearest("?", (f"notes-{i:03}.md" for i in range(57)))
    assert said.startswith("known: notes-000.md, ")
    assert said.endswith("notes-039.md and 17 more.")


def test_no_word_is_asked_back_where_none_is_near() -> None:
    assert asked_back("wieghts", ["scores", "weights"]) == "did you mean 'weights'?"
    assert asked_back("xyz", ["weights", "scores"]) == ""


def test_one_is_one_and_all_else_are_many() -> None:
    assert [counted(n, "row") for n in (0, 1, 2, 5003)] == ["0 rows", "1 row", "2 rows", "5,003 rows"]
    assert [counted(n, "byte is", "bytes are") for n in (1, 7)] == ["1 byte is", "7 bytes are"]


def test_an_escape_sequence_is_seen_and_not_obeyed() -> None:
    assert visible("a\x1b[31mb\tc\nd\x7f") == "a␛[31mb\tc\nd␡"
    assert visible("\u202eab\u2066") == "�ab�"


def test_want_of_memory_is_known_also_from_torch() -> None:
    torch_says = (
        "[enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9"
    )
    assert lacks_memory(MemoryError())
    assert lacks_memory(RuntimeError(torch_says))
    assert not lacks_memory(RuntimeError("mat1 and mat2 shapes cannot be multiplied"))
    assert not lacks_memory(ValueError("allocate memory"))


def test_kinds_of_values_are_told_in_words() -> None:
    assert [kind_of(value) for value in (True, 3, 3.5, "a", [])] == [
        "true or false", "a whole number", "a number", "a word", "a list of words",
    ]  # fmt: skip
