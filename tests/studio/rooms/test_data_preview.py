"""Data before they are learnt from: read as training reads them, each skip with its line, columns to be chosen."""

from pathlib import Path

import pytest

from glassformer.errors import InputError
from glassformer.studio.rooms.data_preview import DataPreview, chosen_columns, on_the_page
from glassformer.text.files.tables import NAME_ONE

ROWS = ["1,a warm and clever film,good,", "2,,bad,", "3,dull,bad,x", "4,fine,good,", "5,poor and long,bad,"]


@pytest.fixture
def preview(tmp_path: Path) -> DataPreview:
    more = [f"{i},film number {i} is {'good' if i % 2 else 'bad'},{'good' if i % 2 else 'bad'}," for i in range(6, 47)]
    (tmp_path / "data.csv").write_text("\n".join(["id,review,verdict,note", *ROWS, *more]) + "\n")
    return DataPreview(lambda content: str(tmp_path / "data.csv"))


def test_a_file_is_seen_with_its_columns_classes_lengths_and_skips(preview: DataPreview) -> None:
    found = preview.preview({"task": "classify", "columns": {"label": "verdict"}})
    assert found["names"] == ["id", "review", "verdict", "note"]
    assert found["rows"][0] == ["1", "a warm and clever film", "good", ""]
    assert found["roles"] == {"text": "review", "label": "verdict"}
    assert (found["read"], found["kept"], found["skipped"], found["wrong"]) == (46, 45, 1, "")
    assert found["skips"] == [{"line": 3, "reason": "the text is empty"}]
    assert (
        found["said"]
        == [  # each skip has its line above, and a file the name that its owner gave it
            "46 rows read, 45 kept, 1 skipped.",
            "data.csv: text from 'review' (a usual name), label from 'verdict' (named by you)",
            *found["said"][2:],
        ]
    )
    assert not any("Skipped" in each for each in found["said"])
    assert dict(found["labels"]) == {"good": 22, "bad": 23}
    assert found["lengths"] == {"median": 5.0, "longest": 5}
    assert sum(found["parts"].values()) == 45


def test_classes_of_a_row_or_two_are_doubted_and_each_skip_has_its_line(tmp_path: Path) -> None:
    rows = [f"the day was bright in number {i},{'fair' if i % 2 else 'foul'}" for i in range(60)]
    bad = [",fair"] * 6 + ["fine weather all day,fiar"]
    (tmp_path / "days.csv").write_text("\n".join(["text,label", *rows, *bad]) + "\n")
    found = DataPreview(lambda content: str(tmp_path / "days.csv")).preview({"task": "classify"})
    assert (found["skipped"], [each["line"] for each in found["skips"]]) == (6, [62, 63, 64, 65, 66, 67])
    assert found["rare"] == ("Classes of fewer than 3 rows, too few to learn or to judge; misspelt? “fiar” (1).")


def test_columns_that_do_not_fit_are_told_and_the_rows_stay(preview: DataPreview) -> None:
    found = preview.preview({"task": "classify", "columns": {"text": "id", "label": "review"}})
    assert "label of its own" in found["wrong"]
    assert len(found["rows"]) == 5
    empty = Path(preview.place({})).with_name("empty.csv")
    empty.touch()
    with pytest.raises(InputError, match=r"^empty\.csv is empty"):
        DataPreview(lambda content: str(empty)).preview({"task": "classify"})
    unknown = preview.preview({"task": "classify", "columns": {"text": "reviw"}})["wrong"]
    assert "no column" in unknown
    assert unknown.startswith("data.csv")  # not the folder that it was put into
    with pytest.raises(InputError, match="no role 'txt'"):
        chosen_columns({"columns": {"txt": "review"}})
    with pytest.raises(InputError, match="must hold roles"):
        chosen_columns({"columns": ["review"]})


def test_a_file_in_which_no_row_has_columns_is_told(tmp_path: Path) -> None:
    (tmp_path / "launch.json").write_text('{\n  // a comment\n  "version": 2\n}\n')
    for task in ("classify", "translate", "generate"):
        found = DataPreview(lambda content: str(tmp_path / "launch.json")).preview({"task": task})
        assert (found["names"], found["rows"]) == ([], [])
        assert found["wrong"].startswith("No row can be used (4 read). Line 1: not JSON")


def test_a_text_to_go_on_from_and_a_set_that_is_made(tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text("To be, or not to be.\n\n" * 60)
    found = DataPreview(lambda content: str(tmp_path / "book.txt")).preview({"task": "generate"})
    assert found["rows"][0] == ["To be, or not to be."]
    assert found["labels"] == []
    made = DataPreview(lambda content: "negation").preview({"task": "classify"})
    assert made["names"] == []
    assert len(made["samples"]) == 5


@pytest.mark.slow
def test_what_a_minute_buys_is_measured(preview: DataPreview) -> None:
    found = preview.estimate({"task": "classify", "minutes": 0.1, "columns": {"label": "verdict"}})
    assert found["steps"] >= 1
    assert found["epochs"] > 0
    assert found["parameters"] > 1000


def test_the_page_speaks_of_no_options() -> None:
    told = "a.csv: cannot tell which column is the text. Its columns are 'a', 'b'; name --text and --label. One more."
    assert on_the_page(told) == "a.csv: cannot tell which column is the text. Its columns are 'a', 'b'. One more."
    told = "a.csv: not UTF-8 (line 3), read as cp1252. Letters look wrong? Save it as UTF-8, or train with --encoding."
    assert on_the_page(told) == "a.csv: not UTF-8 (line 3), read as cp1252."
    told = f"a.csv: its first line, 'word' and 'ipa', is read as a row like the others. {NAME_ONE}"
    assert on_the_page(told) == "a.csv: its first line, 'word' and 'ipa', is read as a row like the others."
    assert on_the_page("It says 3 -- 4 and a--b.") == "It says 3 -- 4 and a--b."
