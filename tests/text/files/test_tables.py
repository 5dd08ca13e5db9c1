"""Tables: a bad row is named by its line and costs no other; no line gets lost."""

import json
from pathlib import Path

import pyarrow
import pytest
from helpers.reading import CSV, classify, everything, skips
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from glassformer.errors import InputError
from glassformer.text.files import tables
from glassformer.text.files.columns import Columns
from glassformer.text.files.tables import Row, Skip, json_rows, quoted_cells, read_table
from glassformer.text.files.text_files import lines
from glassformer.text.samples import Labelled

BAD_ROWS = [
    ("few\n", "1 column instead of 2"),
    ("a,b,c\n", "3 columns instead of 2"),
    ("no label,\n", "the label is empty"),
    ("blank label,  \n", "the label is empty"),
    (",pos\n", "the text is empty"),
    ('" ",pos\n', "the text is empty"),
    (",\n", "every column is empty"),
    ("\n", "the line is blank"),
    ("zero\0byte,pos\n", "the text holds a NUL character"),
    ("none,None\n", "the label is 'None', which is how programs write that there is none"),
    ("nan,NaN\n", "the label is 'NaN', which is how programs write that there is none"),
    ("endless,-1.5e400\n", "the label is a number too large to be one"),
    ('"open,pos\n', tables.UNCLOSED),
    ('"quote "inside" it",pos\n', tables.UNCLOSED),
]


@pytest.mark.parametrize(("row", "reason"), BAD_ROWS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_bad_row_is_named_and_costs_no_other(row: str, reason: str, end: str, tmp_path: Path) -> None:
    content = (CSV + row + '"good, it is",pos\nthe last,neg\n').replace("\n", end)
    corpus = classify(tmp_path, content)
    assert skips(corpus) == [(33, reason)]
    assert corpus.report.reasons == {reason: 1}
    assert len(everything(corpus)) == 33
    assert Labelled("good, it is", "pos") in everything(corpus)


@pytest.mark.processor_seconds(60)  # what was read again from each line took hours
@pytest.mark.parametrize("line", ['",x","', '"abc,pos', 'a,"', '"', '"a",b,c', '""",'])
def test_a_file_of_open_quotes_is_read_once(line: str) -> None:
    """Row after row leads from its quote through all of the file, and is refused."""
    rows = list(quoted_cells("text,label\n" + f"{line}\n" * 50_000, ",", "file"))
    assert rows[0] == (1, ["text", "label"])
    assert len(rows) > 25_000


def test_a_quote_closed_far_below_swallows_nothing(tmp_path: Path) -> None:
    corpus = classify(tmp_path, CSV + 'inch,"24\nfine,pos\n30",neg\n')
    assert skips(corpus) == [(33, tables.UNCLOSED)]
    assert Labelled("fine", "pos") in everything(corpus)
    assert Labelled('30"', "neg") in everything(corpus)


GOOD_ROWS = [
    ("extra comma,pos,\n", "extra comma"),
    ('"say ""hi"", now",pos\n', 'say "hi", now'),
    ('a "quoted" word,pos\n', 'a "quoted" word'),
    ('"two\nlines",pos\n', "two\nlines"),
    ("line\u2028sep\u0085arator,pos\n", "line\u2028sep\u0085arator"),
    ("<script>alert(1)</script>,pos\n", "<script>alert(1)</script>"),
    ("=cmd|' /C calc'!A0,pos\n", "=cmd|' /C calc'!A0"),
    ("<pad></s>,pos\n", "<pad></s>"),
    ("👩‍👩‍👧‍👦👍🏽,pos\n", "👩‍👩‍👧‍👦👍🏽"),
    ("e" + "\u0301" * 10_000 + ",pos\n", "e" + "\u0301" * 10_000),
    ("\u202eright to left\u202c,pos\n", "\u202eright to left\u202c"),
    ("x" * 3_000_000 + ",pos\n", "x" * 3_000_000),
]


@pytest.mark.parametrize(("row", "text"), GOOD_ROWS, ids=range(len(GOOD_ROWS)))
def test_a_strange_row_is_kept_as_it_is(row: str, text: str, tmp_path: Path) -> None:
    corpus = classify(tmp_path, CSV + row)
    assert skips(corpus) == []
    assert Labelled(text, "pos") in everything(corpus)


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=9), min_size=2, max_size=2)))
def test_what_is_written_as_csv_is_read_back(rows: list[list[str]]) -> None:
    text = "".join(",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\r\n" for row in rows)
    found = list(quoted_cells(text, ",", "a.csv"))
    assert [cells[1] for cells in found if not isinstance(cells, Skip)] == rows
    line = 1
    for row, cells in zip(rows, found, strict=True):
        assert not isinstance(cells, Skip)
        assert cells[0] == line
        line += 1 + sum(len(lines(f"{cell}|")) - 1 for cell in row)


@given(st.text(st.sampled_from('ab",\n\r'), max_size=60))
def test_no_line_of_any_csv_gets_lost(text: str) -> None:
    rows = list(quoted_cells(text, ",", "a.csv"))
    numbers = [row.line if isinstance(row, Skip) else row[0] for row in rows]
    heights = [1 if isinstance(row, Skip) else len(lines("|".join(row[1]) + "|")) for row in rows]
    begin = 1
    for number, height in zip(numbers, heights, strict=True):
        assert number == begin
        begin += height
    assert begin - 1 == len(lines(text))


BAD_JSON = [
    ("", "the line is blank"),
    ("{", "not JSON"),
    ('{"text": NaN, "label": "a"}', "NaN is not JSON"),
    ('{"text": "a", "label": Infinity}', "Infinity is not JSON"),
    ('{"text": "a", "text": "b", "label": "c"}', "'text' is given twice"),
    ('{"text": 5, "label": "a"}', "the text is a number, not text"),
    ('{"text": true, "label": "a"}', "the text is true or false, not text"),
    ('{"text": ["a"], "label": "a"}', "the text is a list, not text"),
    ('{"text": null, "label": "a"}', "the text is empty"),
    ('{"label": "a"}', "the text is empty"),
    ('{"text": "a"}', "the label is empty"),
    ('{"text": "half \\ud83d", "label": "a"}', "the text holds half a character"),
    ('["a", "b"]', "expected an object"),
    ('"a"', "expected an object"),
    ("5", "expected an object"),
    ('{"text": ' + "[" * 100_000, "nested too deeply"),
    ('{"text": "a", "label": ' + "9" * 5003 + "}", "digits"),
]


@pytest.mark.parametrize(("row", "reason"), BAD_JSON, ids=[reason for _, reason in BAD_JSON])
def test_a_bad_json_line_is_named_and_costs_no_other(row: str, reason: str, tmp_path: Path) -> None:
    good = "".join(json.dumps({"text": f"text {n}", "label": n % 2}) + "\n" for n in range(19))
    corpus = classify(tmp_path, f'{good}{row}\n{{"text": "last\u2028one", "label": 1.0}}\n', "a.jsonl")
    [(line, found)] = skips(corpus)
    assert line == 20
    assert reason in found
    assert Labelled("last\u2028one", "1") in everything(corpus)
    assert corpus.labels == ("0", "1")


@pytest.mark.processor_seconds(60)
def test_a_name_given_twice_among_many_is_found_at_once() -> None:
    names = ",".join(f'"{number}": 1' for number in range(100_000))
    _, rows, _ = json_rows(f'{{{names}, "99999": 2}}', "file")
    assert [row.reason for row in rows if isinstance(row, Skip)] == ["'99999' is given twice"]


def test_skips_are_counted_beyond_those_that_are_kept(tmp_path: Path) -> None:
    corpus = classify(tmp_path, CSV + "\n" * 5003)
    assert corpus.report.skipped == 5003
    assert len(corpus.report.skips) == 1000
    said = corpus.report.sentences()
    assert said[0] == "5,034 rows read, 31 kept, 5,003 skipped."
    assert f"Skipped 5,003 rows: the line is blank (lines 33, 34, 35, … of {tmp_path / 'a.csv'})." in said


def test_a_reason_is_told_once_with_its_lines(tmp_path: Path) -> None:
    good = "".join(json.dumps({"text": f"text {n}", "label": n % 2}) + "\n" for n in range(19))
    bad = ['{"text": "a", "label": }', "nonsense", '{"text": "", "label": 1}', '{"text": NaN}', '{"label": 1}', "{,"]
    corpus = classify(tmp_path, good + "\n".join(bad) + "\n", "a.jsonl")
    where = tmp_path / "a.jsonl"
    assert [each for each in corpus.report.sentences() if each.startswith("Skipped")] == [
        f"Skipped 2 rows: the text is empty (lines 22, 24 of {where}).",
        f"Skipped line 20 of {where}: not JSON: expecting value at character 24.",
        f"Skipped line 21 of {where}: not JSON: expecting value at character 1.",
        f"Skipped line 23 of {where}: NaN is not JSON.",
        f"Skipped line 25 of {where}: not JSON: expecting property name enclosed in double quotes at character 2.",
    ]
    assert sum("not JSON" in each for each in corpus.report.sentences()) == 4


def test_a_parquet_file_that_would_not_fit_is_refused_by_what_it_says_of_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"text": ["the same"] * 1009, "label": ["pos", *["neg"] * 1008]}), path)
    assert len(tables.read_table(path, lambda names: True).rows) == 1009
    monkeypatch.setattr(tables, "MOST_ROWS", 1008)
    with pytest.raises(InputError, match=r"has 1,009 rows of [\d,]+ bytes in all; at most 1,008 rows"):
        tables.read_table(path, lambda names: True)


def test_cells_with_tabs_between_that_were_written_in_quotes_lose_them(tmp_path: Path) -> None:
    """As spreadsheets and pandas write them: only a cell that holds a quote stands in quotes."""
    path, said = tmp_path / "a.tsv", [f'he said "{number}"' for number in range(20)]
    cells = ['"' + text.replace('"', '""') + '"' for text in said]
    path.write_text("text\tlabel\n" + "".join(f"{cell}\tpos\nplain\tneg\n" for cell in cells))
    table = read_table(path, Columns().in_header)
    assert [row.values["text"] for row in table.rows if isinstance(row, Row)][::2] == said
    assert table.notes == (f"{path}: cells that hold quotes stand in quotes themselves, which are taken off.",)
    quoted = [f'"{text}"' for text in ("yes", "no")] + ['"so" he said', '"a ""strange"" one"']
    path.write_text("text\tlabel\n" + "".join(f"{cell}\tpos\n" for cell in quoted * 3))
    table = read_table(path, Columns().in_header)
    assert [row.values["text"] for row in table.rows if isinstance(row, Row)][:4] == quoted
    assert table.notes == ()
