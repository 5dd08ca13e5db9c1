"""Columns: found by their names or by what stands in them, and the report says why."""

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.reading import ROWS, classify, everything

from glassformer.errors import InputError
from glassformer.text.corpora import read
from glassformer.text.files.columns import Columns
from glassformer.text.samples import Labelled, Pair, Plain


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("Review,Sentiment", "text from 'Review' (a usual name), label from 'Sentiment' (a usual name)"),
        ("text,stars", "text from 'text' (a usual name), label from 'stars' (the only one left)"),
        ("words,class", "text from 'words' (the only one left), label from 'class' (a usual name)"),
        (
            "input_text,gold-label",
            "text from 'input_text' (the only name that speaks of one), "
            "label from 'gold-label' (the only name that speaks of one)",
        ),
    ],
)
def test_columns_are_found_and_the_report_says_why(header: str, said: str, tmp_path: Path) -> None:
    assert classify(tmp_path, f"{header}\n{ROWS}").report.columns == (f"{tmp_path / 'a.csv'}: {said}",)


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("text,topic,pcl_label", "label from 'topic' (a usual name, but 'pcl_label' may be meant)"),
        ("text,sentiment,label_id", "label from 'sentiment' (a usual name)"),
        ("title,label,review_text", "text from 'title' (a usual name, but 'review_text' may be meant)"),
    ],
)
def test_a_column_that_may_be_meant_as_well_is_told(header: str, said: str, tmp_path: Path) -> None:
    rows = "".join(f"{row},{number}\n" for number, row in enumerate(ROWS.splitlines()))
    assert said in classify(tmp_path, f"{header}\n{rows}").report.columns[0]


def test_columns_without_a_header(tmp_path: Path) -> None:
    swapped = "".join(",".join(reversed(row.split(","))) + "\n" for row in ROWS.splitlines())
    for content in (ROWS, swapped):
        corpus = classify(tmp_path, content)
        assert Labelled("Film 7", "pos") in everything(corpus)
        assert len(everything(corpus)) == 31
        assert "more varied" in corpus.report.columns[0]
    three = "".join(f"{number},{row}\n" for number, row in enumerate(ROWS.splitlines()))
    corpus = classify(tmp_path, three, columns=Columns(text="2", label="3"))
    assert Labelled("Film 0", "neg") in everything(corpus)


def test_columns_can_be_named(tmp_path: Path) -> None:
    content = "id,text,title,label,mood\n" + "".join(f"{n},a {n},b {n},c,{'de'[n % 2]}\n" for n in range(20))
    corpus = classify(tmp_path, content, columns=Columns(text="Title", label="mood"))
    assert Labelled("b 3", "e") in everything(corpus)
    assert "label from 'mood' (named by you)" in corpus.report.columns[0]
    with pytest.raises(InputError, match="has no column 'modo' for the label; did you mean 'mood'"):
        classify(tmp_path, content, columns=Columns(label="modo"))
    with pytest.raises(InputError, match=r"which column is the text and which the label\. Its columns are a, b, c"):
        classify(tmp_path, "a,b,c\n1,2,3\n")
    with pytest.raises(InputError, match="names the column 'text' twice"):
        classify(tmp_path, "text,text,label\na,b,c\n")


@pytest.mark.parametrize(
    ("row", "options", "expected"),
    [
        ({"source": "a", "target": "b"}, {}, ("a", "b")),
        ({"tgt": "a", "src": "b"}, {}, ("b", "a")),
        ({"id": 5, "en": "a", "de": "b"}, {}, ("a", "b")),
        ({"en": "a", "de": "b"}, {"source": "de"}, ("b", "a")),
        ({"translation": {"en": "a", "de": "b"}}, {}, ("a", "b")),
        ({"translation": {"en": "a", "de": "b", "fr": "c"}}, {"source": "fr", "target": "en"}, ("c", "a")),
        ({"here": "a", "there": "b"}, {}, ("a", "b")),
    ],
)
def test_pairs_are_found(
    row: dict[str, Any], options: dict[str, str], expected: tuple[str, str], tmp_path: Path
) -> None:
    def numbered(value: Any, number: int) -> Any:
        if isinstance(value, dict):
            return {key: numbered(each, number) for key, each in value.items()}
        return f"{value} {number}"

    rows = [{key: numbered(value, number) for key, value in row.items()} for number in range(9)]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "pairs.parquet")
    for name in ("pairs.jsonl", "pairs.parquet"):
        corpus = read(tmp_path / name, "translate", columns=Columns(**options))
        assert Pair(f"{expected[0]} 4", f"{expected[1]} 4") in everything(corpus)


def test_of_several_columns_that_go_with_one_the_other_is_told(tmp_path: Path) -> None:
    rows = [{"instruction": f"do {n}", "input": f"this {n}" * (n % 2), "output": f"done {n}"} for n in range(20)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = read(tmp_path / "a.jsonl", "translate").report
    assert "source from 'input' (a usual name, but 'instruction' may be meant, and is not read)" in report.columns[0]
    assert "target from 'output' (a usual name)" in report.columns[0]
    assert report.reasons == {"the source is empty": 10}


def test_lists_that_hold_most_of_the_rows_are_told(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    rows = [{"title": f"Title {n}", "paragraphs": [{"context": f"What is said of {n}. " * 9}]} for n in range(20)]
    path.write_text(json.dumps({"data": rows}))
    said = (
        f"{path}: in 'paragraphs' stand lists or objects, more than 5 times as long as what is read; they are left out."
    )
    assert said in read(path, "generate").report.notes
    path.write_text(json.dumps([{**row, "paragraphs": ["one"]} for row in rows]))
    assert read(path, "generate").report.notes == ()


def test_a_label_in_the_place_of_a_target_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("tweet,Label\n" + "".join(f"text {number},pos\n" for number in range(9)))
    said = read(tmp_path / "a.csv", "translate").report.columns[0]
    assert "source from 'tweet' (the first of two)" in said
    assert "target from 'Label' (the second of two, whose name speaks of a label)" in said


@pytest.mark.parametrize(("task", "role"), [("classify", "text"), ("translate", "source")])
def test_a_number_of_the_row_in_the_place_of_a_text_is_told(task: str, role: str, tmp_path: Path) -> None:
    rows = "".join(f"{number}FFF,{'good' if number % 3 else 'bad'}\n" for number in range(60))
    (tmp_path / "a.csv").write_text(f"post_id,mood\n{rows}")
    said = read(tmp_path / "a.csv", task).report.columns[0]
    assert re.search(rf"{role} from 'post_id' \([^)]*, but its name speaks of a number of the row\)", said)
    named = Columns(**{role: "post_id"})
    assert "speaks of" not in read(tmp_path / "a.csv", task, columns=named).report.columns[0]


def test_of_several_names_that_speak_of_a_text_none_is_taken(tmp_path: Path) -> None:
    rows = "".join(f"{row},{number}\n" for number, row in enumerate(ROWS.splitlines()))
    (tmp_path / "a.csv").write_text(f"raw_comment,label,cleaned_comment\n{rows}")
    with pytest.raises(InputError, match="cannot tell which column is the text"):
        read(tmp_path / "a.csv", "classify")
    (tmp_path / "a.csv").write_text(f"raw_comment,label,comment_length\n{rows}")
    assert "'raw_comment' (the only name that speaks of one)" in read(tmp_path / "a.csv", "generate").report.columns[0]


def test_generate_takes_a_text_or_a_prompt_and_its_answer(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"prompt": f"p{n}", "answer": f"a{n}"}) + "\n" for n in range(9)))
    assert Pair("p3", "a3") in everything(read(path, "generate"))
    path.write_text("".join(json.dumps({"text": f" t{n}", "label": 1}) + "\n" for n in range(9)))
    assert Plain(" t3") in everything(read(path, "generate"))
