"""A header is told from a row by what stands below it."""

from pathlib import Path

import pytest
from helpers.reading import classify, everything

from glassformer.text.corpora import read
from glassformer.text.files.columns import Columns
from glassformer.text.files.headers import are_numbers, is_number, is_sentence, may_be_names, named, why_header
from glassformer.text.samples import Labelled, Pair


@pytest.mark.parametrize("cell", ["3", " -4.5", "1e9", "1,000", ".5", "12 %".replace(" ", ""), "+7."])
def test_a_number(cell: str) -> None:
    assert is_number(cell)


@pytest.mark.parametrize("cell", ["", "3 1 2", "1749-01", "12th", "e5", "nan", "3+4"])
def test_no_number(cell: str) -> None:
    assert not is_number(cell)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["6", "148", "72"], True),
        (["A11", "4", "A34", "4"], True),
        (["0", "1", "2"], False),
        (["1", "2", "3"], False),
        (["bigram", "0", "1", "2"], False),
        (["a", "b", "b"], False),
    ],
)
def test_numbers_head_no_columns_unless_they_count_them(cells: list[str], expected: bool) -> None:
    assert are_numbers(cells) == expected


def test_a_sentence_is_no_name_of_a_column(tmp_path: Path) -> None:
    assert is_sentence(["The first line is a text as well."])
    assert not is_sentence(["Events"])
    assert not is_sentence(["what is said in the first column", "and in the second"])
    path = tmp_path / "a.tsv"
    path.write_text("The first line is a text as well.\nSo is the second.\nAnd the third.\n")
    assert read(path, "generate").report.kept == 3


RUDE = [[f"you lot {n}", f"all of you {n}"] for n in range(10)]
MOODS = [[f"text {n}", "glad" if n % 2 else "sad"] for n in range(20)]


@pytest.mark.parametrize(
    ("first", "below", "why"),
    [
        (["Month", "Sales"], [["1964-01", "28"], ["1964-02", "26.5"]], "below 'Sales' stand only numbers"),
        (["Phrase", "Mood"], MOODS, "'Mood' is not one of the 2 values that its column repeats"),
        (["a text", "sad"], MOODS, ""),  # one of the values: a row
        (["Phrase", "Mood"], MOODS[:9], ""),  # too few to tell
        (["Phrase", "Mood"], [*MOODS, ["a text", "angry"]], ""),  # a value may be rare
        (["a text that is long enough to be one", "Mood"], MOODS, ""),
        (["", "Mood"], MOODS, ""),
        (["the cat", "die Katze"], [["a dog", "ein Hund"]] * 2, ""),
        (["en_rude", "en_kind"], RUDE, "'en_rude' is joined as nothing below it is"),
        (["en_rude", "en_kind"], RUDE[:9], ""),  # too few to tell
        (["snake_case", "Schlange"], [["camel_case", "Kamel"]] + [["a dog", "ein Hund"]] * 10, ""),  # another like it
        (["Question 1", "Question 2"], [["a", "b"]], "'Question 1' and 'Question 2' differ in their numbers only"),
        (["Room 1", "Room 2"], [["Room 3", "Room 4"]], ""),  # a row like those below
        (["Room 1", "Raum 1"], [["a", "b"]], ""),
        (["two", "2"], [["one", "1"], ["three", "3"]], ""),  # a number itself
    ],
)
def test_a_header_of_no_usual_names(first: list[str], below: list[list[str]], why: str) -> None:
    assert why_header(first, below) == why


def test_what_is_taken_for_a_header_is_told(tmp_path: Path) -> None:
    rows = "".join(f"{text},{mood}\n" for text, mood in MOODS)
    corpus = classify(tmp_path, "Phrase,Mood\n" + rows)
    assert set(corpus.labels) == {"glad", "sad"}
    assert any(
        "its first line, 'Phrase' and 'Mood', is read as names of columns" in note for note in corpus.report.notes
    )
    again = classify(tmp_path, rows)
    assert everything(corpus) == everything(again)
    assert Labelled("text 0", "sad") in everything(again)
    assert not any("names of columns" in note for note in again.report.notes)


@pytest.mark.parametrize(
    ("first", "below", "expected"),
    [
        (["word", "ipa"], [["cat", "kæt"], ["dog", "dɒɡ"]], True),
        (["old word", "new_word"], [["cat", "Katze"]], True),
        (["a text", "sad"], MOODS, False),  # a value that stands below as well: a row
        (["Go.", "Va !"], [["Run.", "Cours !"]], False),
        (["0", "sad"], MOODS, False),
        (["word"], [["cat"]], False),
        (["a word that nobody calls columns", "x"], [["a", "b"]], False),
    ],
)
def test_a_row_that_may_name_the_columns(first: list[str], below: list[list[str]], expected: bool) -> None:
    assert may_be_names(first, below) is expected


def test_a_first_row_that_may_name_the_columns_is_told(tmp_path: Path) -> None:
    rows = "".join(f"cat {n},katt {n}\n" for n in range(20))
    (tmp_path / "a.csv").write_text("word,ipa\n" + rows)
    told = read(tmp_path / "a.csv", "translate")
    assert told.report.kept == 21
    assert any(
        "its first line, 'word' and 'ipa', is read as a row like the others" in note for note in told.report.notes
    )
    named = read(tmp_path / "a.csv", "translate", columns=Columns(source="word"))
    assert named.report.kept == 20
    assert not any("first line" in note for note in named.report.notes)


def test_pairs_have_no_header_unless_it_shows(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("".join(f"the cat {n}\tdie Katze {n}\n" for n in range(20)), encoding="utf-8")
    assert Pair("the cat 0", "die Katze 0") in everything(read(path, "translate"))


def test_a_column_without_a_name_goes_by_its_number() -> None:
    assert named(["v1", " v2", "", ""]) == ("v1", "v2", "3", "4")
    assert named(["", "1", "2"]) == ("", "1", "2")  # it would be another's name


def test_rows_in_an_object_are_found_and_told(tmp_path: Path) -> None:
    items = ", ".join(f'{{"text": "Film {n}", "label": "{n % 2}"}}' for n in range(30))
    corpus = classify(tmp_path, f'{{"version": 2,\n "data": [{items}]}}', "a.json")
    assert corpus.report.kept == 30
    assert any("its rows are those of 'data'" in note for note in corpus.report.notes)
