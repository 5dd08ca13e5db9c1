"""Corpora: every format says the same; bad data is named by line or refused; parts share no text."""

import gzip
import io
import json
import lzma
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.errors import InputError
from glassformer.text.corpora import Corpus, read
from glassformer.text.files import named_sets, tables
from glassformer.text.files.columns import Columns
from glassformer.text.files.named_sets import MULTI30K_TESTS, NAMED, find_named
from glassformer.text.files.tables import Skip, quoted_cells
from glassformer.text.files.text_files import decoded, lines
from glassformer.text.samples import Labelled, Pair, Plain, overlap, text_of

REVIEWS = [(f'Film {number}, "so-so"; ok', "pos" if number % 3 else "neg") for number in range(31)]
ROWS = "".join(f"Film {number},{'pos' if number % 3 else 'neg'}\n" for number in range(31))
CSV = "text,label\n" + ROWS


def everything(corpus: Corpus) -> list[Any]:
    return sorted([*corpus.train, *corpus.valid, *corpus.test], key=text_of)


def classify(tmp_path: Path, content: str | bytes, name: str = "a.csv", **options: Any) -> Corpus:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    corpus = read(path, "classify", **options)
    assert corpus.report.read == corpus.report.kept + corpus.report.skipped
    return corpus


def skips(corpus: Corpus) -> list[tuple[int, str]]:
    return [(skip.line, skip.reason) for skip in corpus.report.skips]


# --- formats ---


def written(tmp_path: Path, form: str) -> Path:
    path = tmp_path / f"reviews{form}"
    if form == ".parquet":
        pq.write_table(pa.table({"text": [t for t, _ in REVIEWS], "label": [n for _, n in REVIEWS]}), path)
        return path
    doubled = [(text.replace('"', '""'), label) for text, label in REVIEWS]
    rows = [{"text": text, "label": label} for text, label in REVIEWS]
    content = {
        ".csv": "text,label\n" + "".join(f'"{text}",{label}\n' for text, label in doubled),
        ".tsv": "text\tlabel\n" + "".join(f"{text}\t{label}\n" for text, label in REVIEWS),
        ".txt": "".join(f"{text}\t{label}\n" for text, label in REVIEWS),
        ".jsonl": "".join(json.dumps(row) + "\n" for row in rows),
        ".json": json.dumps(rows, indent=1),
    }[form.removesuffix(".gz").removesuffix(".xz")].encode()
    packers = {".gz": gzip.compress, ".xz": lzma.compress}
    path.write_bytes(packers.get(path.suffix, bytes)(content))
    return path


@pytest.mark.parametrize(
    "form", [".csv", ".tsv", ".txt", ".jsonl", ".json", ".parquet", ".csv.gz", ".tsv.gz", ".jsonl.gz", ".jsonl.xz"]
)
def test_every_format_says_the_same(form: str, tmp_path: Path) -> None:
    corpus = read(written(tmp_path, form), "classify")
    assert everything(corpus) == sorted((Labelled(*row) for row in REVIEWS), key=text_of)
    assert corpus.labels == ("neg", "pos")
    assert corpus.report.labels == {"neg": 11, "pos": 20}
    assert (corpus.report.read, corpus.report.kept, corpus.report.skipped) == (31, 31, 0)
    assert corpus.train
    assert corpus.valid
    assert corpus.test
    for one, other in ((corpus.train, corpus.valid), (corpus.train, corpus.test), (corpus.valid, corpus.test)):
        assert overlap(one, other) == 0


def test_parquet_without_pyarrow_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(InputError, match=r"pip install 'glassformer\[data\]'"):
        read(written(tmp_path, ".parquet"), "classify")


def test_two_parallel_files(tmp_path: Path) -> None:
    (tmp_path / "train.en").write_text("".join(f"word {n}\n" for n in range(23)))
    (tmp_path / "train.de").write_text("".join(f"Wort {n}\n" if n != 7 else " \n" for n in range(23)))
    corpus = read([tmp_path / "train.en", tmp_path / "train.de"], "translate")
    assert Pair("word 5", "Wort 5") in everything(corpus)
    assert skips(corpus) == [(8, "the target is empty")]
    (tmp_path / "train.de").write_text("Wort 0\n")
    with pytest.raises(InputError, match=r"has 23 lines and .*train\.de 1:"):
        read([tmp_path / "train.en", tmp_path / "train.de"], "translate")


def test_two_tables_are_one_after_the_other(tmp_path: Path) -> None:
    for name, first in (("a", 0), ("b", 50)):
        rows = "".join(f"{n} a\t{n} b\n" for n in range(first, first + 20))
        (tmp_path / f"{name}.tsv").write_text(rows)
    assert len(everything(read([tmp_path / "a.tsv", tmp_path / "b.tsv"], "translate"))) == 40


def test_a_folder_for_each_label(tmp_path: Path) -> None:
    for part, label, count in (("train", "pos", 9), ("train", "neg", 9), ("train", "unsup", 5), ("test", "pos", 3)):
        folder = tmp_path / part / label
        folder.mkdir(parents=True)
        for number in range(count):
            (folder / f"{number}.txt").write_text(f"{part} {label} {number}\r\nsecond line\n")
    corpus = read(tmp_path, "classify")
    assert (len(corpus.train), len(corpus.valid), len(corpus.test)) == (16, 2, 3)
    assert corpus.labels == ("neg", "pos")
    assert corpus.test[0] == Labelled("test pos 0\nsecond line", "pos")
    assert len(everything(read(tmp_path / "train", "classify"))) == 18


def test_a_folder_of_parts(tmp_path: Path) -> None:
    for name, count in (("train-00000", 17), ("train-00001", 13), ("dev", 5), ("test", 7)):
        rows = "".join(f"{name} {n},{'xy'[n % 2]}\n" for n in range(count))
        (tmp_path / f"{name}.csv").write_text("text,label\n" + rows)
    (tmp_path / "README.md").write_text("about")
    corpus = read(tmp_path, "classify")
    assert (len(corpus.train), len(corpus.valid), len(corpus.test)) == (30, 5, 7)


def test_a_folder_of_languages(tmp_path: Path) -> None:
    for part in ("train", "val", "test_2016"):
        for language in ("en", "de", "fr"):
            (tmp_path / f"{part}.{language}.gz").write_bytes(gzip.compress(f"{part} {language}\n".encode() * 3))
    with pytest.raises(InputError, match="has files in de, en, fr; name the language"):
        read(tmp_path, "translate")
    corpus = read(tmp_path, "translate", columns=Columns(source="fr", target="en"))
    assert corpus.test[0] == Pair("test_2016 fr", "test_2016 en")
    (tmp_path / "val.fr.gz").unlink()
    with pytest.raises(InputError, match=r"0 ending in \.fr and 1 ending in \.en"):
        read(tmp_path, "translate", columns=Columns(source="fr", target="en"))


def test_text_to_generate(tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_bytes("0123456789abcde\u2028fghij".encode())
    corpus = read(tmp_path / "book.txt", "generate")
    assert corpus.train == [Plain("0123456789abcde\u2028fg")]
    assert corpus.valid == [Plain("hij")]
    assert corpus.test == []
    for number in range(7):
        (tmp_path / f"{number}.txt").write_text(f"text {number}\n")
    assert Plain("text 3\n") in everything(read(tmp_path, "generate"))
    (tmp_path / "tasks.tsv").write_text("".join(f"what is {n}?\t{n}\n" for n in range(20)))
    assert Pair("what is 7?", "7") in everything(read(tmp_path / "tasks.tsv", "generate"))


JSON_LINES = "".join(json.dumps({"text": f"Film {number}", "label": "xy"[number % 2]}) + "\n" for number in range(31))


@pytest.mark.parametrize("content", [CSV, CSV.replace(",", "\t"), JSON_LINES])
def test_standard_input(content: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
    corpus = read("-", "classify")
    assert [sample.text for sample in everything(corpus)] == sorted(f"Film {number}" for number in range(31))


# --- columns ---


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("Review,Sentiment", "text from 'Review' (a usual name), label from 'Sentiment' (a usual name)"),
        ("text,stars", "text from 'text' (a usual name), label from 'stars' (the only one left)"),
        ("words,class", "text from 'words' (the only one left), label from 'class' (a usual name)"),
    ],
)
def test_columns_are_found_and_the_report_says_why(header: str, said: str, tmp_path: Path) -> None:
    assert classify(tmp_path, f"{header}\n{ROWS}").report.columns == (f"{tmp_path / 'a.csv'}: {said}",)


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


def test_generate_takes_a_text_or_a_prompt_and_its_answer(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"prompt": f"p{n}", "answer": f"a{n}"}) + "\n" for n in range(9)))
    assert Pair("p3", "a3") in everything(read(path, "generate"))
    path.write_text("".join(json.dumps({"text": f" t{n}", "label": 1}) + "\n" for n in range(9)))
    assert Plain(" t3") in everything(read(path, "generate"))


# --- encodings ---


@pytest.mark.parametrize(
    ("encoding", "found", "noted"),
    [
        ("utf-8", "utf-8", False),
        ("utf-8-sig", "utf-8-sig", False),
        ("utf-16", "utf-16", False),
        ("utf-32", "utf-32", False),
        ("utf-16-le", "utf-16-le", True),
        ("utf-16-be", "utf-16-be", True),
        ("cp1252", "cp1252", True),
        ("latin-1", "cp1252", True),
    ],
)
def test_encodings(encoding: str, found: str, noted: bool, tmp_path: Path) -> None:
    corpus = classify(tmp_path, (CSV + "Käse à la crème,pos\n").encode(encoding))
    assert Labelled("Käse à la crème", "pos") in everything(corpus)
    assert list(corpus.report.encodings.values()) == [found]
    assert any("read as" in note for note in corpus.report.notes) == noted
    assert (
        corpus.report.notes[-1]
        == f"Samples to evaluate on: only {len(corpus.test)}. The confidence interval will be wide."
    )


def test_an_encoding_can_be_named(tmp_path: Path) -> None:
    content = (CSV + "これは良い,pos\n").encode("shift-jis")
    assert classify(tmp_path, content).report.notes[0].endswith("If letters look wrong, name it with --encoding.")
    assert Labelled("これは良い", "pos") in everything(classify(tmp_path, content, encoding="shift-jis"))
    with pytest.raises(InputError, match="no encoding called 'shift-jiss'"):
        classify(tmp_path, content, encoding="shift-jiss")
    with pytest.raises(InputError, match="is not ascii"):
        classify(tmp_path, content, encoding="ascii")


def test_damaged_utf_8_costs_its_rows_only(tmp_path: Path) -> None:
    corpus = classify(tmp_path, (CSV + "Käse à la crème,pos\n").encode() + b"K\xe4se,pos\nlast,pos\nh\xc3")
    assert skips(corpus) == [(34, "the text holds bytes that are not UTF-8"), (36, "1 columns instead of 2")]
    assert Labelled("Käse à la crème", "pos") in everything(corpus)
    assert "2 bytes are not UTF-8, the first in line 34" in corpus.report.notes[0]


def test_a_file_cut_within_a_character_is_still_utf_8() -> None:
    assert decoded(b"abc \xe2\x82", "cut").encoding == "utf-8"


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=20))
def test_only_line_ends_end_a_line(text: str) -> None:
    assert lines(f"{text}|\n{text}|\r\n{text}|\r{text}|") == [f"{text}|"] * 4


# --- rows that cannot be used ---

BAD_ROWS = [
    ("few\n", "1 columns instead of 2"),
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


def test_skips_are_counted_beyond_those_that_are_kept(tmp_path: Path) -> None:
    corpus = classify(tmp_path, CSV + "\n" * 5003)
    assert corpus.report.skipped == 5003
    assert len(corpus.report.skips) == 1000
    said = corpus.report.sentences()
    assert said[0] == "5,034 rows read, 31 kept, 5,003 skipped."
    assert "Skipped 5,003: the line is blank." in said
    assert f"Line 33 of {tmp_path / 'a.csv'}: the line is blank." in said


# --- files that cannot be used ---


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b"\n", "is empty"),
        ("a.csv", b"text,label\n", r"No row can be used \(0 read\)"),
        ("a.csv", b"text,label\na,b\n", "Every sample has the label 'b'"),
        ("a.csv", CSV.replace("neg", "pos").encode(), "Every sample has the label 'pos'"),
        ("a.csv", b"text,label\n" + b"".join(b"a %d,b %d\n" % (n, n) for n in range(9)), "a label of its own"),
        ("a.csv", b"text,label\na,\n,b\n", r"No row can be used \(2 read\). Line 2: the label is empty; line 3"),
        ("a.csv", b'"open\n"again\n', "no row that can be read; the first line: the quote"),
        ("a.csv", b"\x89PNG\r\n\x1a\n" + bytes(99), "is a PNG picture"),
        ("a.csv", b"PK\x03\x04" + bytes(99), "save it as CSV"),
        ("a.csv", bytes(99), "99 of its 99 bytes are zero"),
        ("a.csv", gzip.compress(CSV.encode())[:-20], "damaged or was cut short"),
        ("a.csv.gz", b"\x1f\x8bno gzip", "damaged or was cut short"),
        ("a.jsonl.xz", lzma.compress(b"{}")[:-9], "damaged or was cut short"),
        ("a.jsonl", b"[" * 100_000, "begins as a JSON array but is none: nested too deeply"),
        ("a.jsonl", b"[1, 2]", r"No row can be used \(2 read\)"),
        ("a.parquet", b"PAR1 no", "is not a Parquet file"),
        ("a.xlsx", b"a,b", r"cannot be read as rows: expected a name ending in \.csv"),
        ("a", CSV.encode(), "cannot be read as rows"),
        ("a.txt", b"one text\nwithout tabs\n", "cannot tell which column is the text"),
    ],
)
def test_a_file_that_cannot_be_used(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        classify(tmp_path, content, name)


def test_gzip_under_another_name_is_unpacked(tmp_path: Path) -> None:
    assert len(everything(classify(tmp_path, gzip.compress(CSV.encode())))) == 31


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    (tmp_path / "empty").mkdir()
    for source, message in (
        (tmp_path / "pipe.csv", "is not a file"),
        (Path("/dev/zero"), "is not a file|cannot be read"),
        (tmp_path / "loop.csv", "cannot be read"),
        (tmp_path / "missing.csv", "cannot be read: No such file"),
        (tmp_path / "missing.parquet", "there is no such file"),
        (tmp_path / "empty", "holds nothing to train on"),
    ):
        with pytest.raises(InputError, match=message):
            read(source, "classify")
    with pytest.raises(InputError, match="No file was given"):
        read([], "classify")


# --- parts ---


def test_given_parts_are_kept_and_their_overlap_is_reported(tmp_path: Path) -> None:
    (tmp_path / "test.csv").write_text("text,label\nFilm 3,neg\nFilm 3,neg\nFilm 4,pos\nnew,pos\n")
    corpus = classify(tmp_path, CSV + "Film 5,neg\n", test=tmp_path / "test.csv")
    report = corpus.report
    assert len(corpus.test) == 4
    assert (report.duplicates, report.contradictions, report.overlap) == (1, 1, 2)
    assert any("2 texts stand both in training and in test" in said for said in report.sentences())
    assert overlap(corpus.train, corpus.valid) == 0


def test_parts_follow_from_the_seed(tmp_path: Path) -> None:
    one, same, other = (classify(tmp_path, CSV, seed=seed) for seed in (1, 1, 2))
    assert (one.train, one.valid, one.test) == (same.train, same.valid, same.test)
    assert one.test != other.test


def test_unequal_labels_are_noted_and_a_limit_is_kept(tmp_path: Path) -> None:
    corpus = classify(tmp_path, "text,label\n" + "".join(f"a {n},b\n" for n in range(500)) + "z,c\n", limit=7)
    assert (len(corpus.train), len(corpus.valid), len(corpus.test)) == (7, 7, 7)
    assert "Labels are unequal: 500 samples of 'b', 1 of 'c'" in corpus.report.notes[0]


# --- named and made sets ---


def test_made_sets_by_name() -> None:
    corpus = read("negation:400", "classify")
    assert (len(corpus.train), len(corpus.valid), len(corpus.test)) == (324, 36, 40)
    assert corpus.labels == ("negative", "positive")
    assert read("sorting:50", "generate").report.read == 50
    with pytest.raises(InputError, match="'dates' is a set to translate, not to classify"):
        read("dates", "classify")
    with pytest.raises(InputError, match="such as dates:5000; it is 'many'"):
        read("dates:many", "translate")
    with pytest.raises(InputError, match="did you mean 'negation'"):
        read("negatoin", "classify")
    with pytest.raises(InputError, match="did you mean 'translate'"):
        read("dates", "translation")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder laid out as the sets are, with made-up texts."""
    reviews = [{"id": n, "label": n % 2, "rating": 3, "text": f"review {n}<br />"} for n in range(40)]
    contents = {
        "imdb/train.jsonl.gz": "".join(json.dumps(row) + "\n" for row in reviews[:30]),
        "imdb/test.jsonl.gz": "".join(json.dumps(row) + "\n" for row in reviews[29:]),
        "imdb/unsup.jsonl.xz": "".join(json.dumps({"id": n, "text": f"unseen {n}"}) + "\n" for n in range(30)),
        "tatoeba-en-de/deu.txt.gz": "".join(f'"Hi," {n // 2}\tHallo {n}\n' for n in range(60)),
        "tinyshakespeare/input.txt.gz": "To be,\nor not to be.\n" * 10,
        "cs224n-a5/birth_places_train.tsv.gz": "".join(f"Where was {n} born?\tTown {n}\n" for n in range(20)),
        "cs224n-a5/birth_dev.tsv.gz": "Where was X born?\tLondon",
        "cs224n-a5/wiki.txt.gz": "".join(f"Person {n} was born.\n" for n in range(100)),
    }
    for part in ("train", "val", *MULTI30K_TESTS):
        for language in ("en", "de", "fr"):
            contents[f"multi30k/{part}.{language}.gz"] = "".join(f"{part} {language} {n}\n" for n in range(5))
    for name, content in contents.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pack = lzma.compress if name.endswith(".xz") else gzip.compress
        path.write_bytes(pack(content.encode()))
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.mark.usefixtures("data")
def test_named_sets_and_their_parts() -> None:
    imdb = read("imdb", "classify")
    assert (len(imdb.train), len(imdb.valid), len(imdb.test)) == (26, 4, 11)
    assert imdb.labels == ("negative", "positive")
    assert imdb.report.overlap == 1
    assert Labelled("review 7<br />", "positive") in everything(imdb)
    pairs = read("multi30k", "translate")
    assert pairs.train[0] == Pair("train en 0", "train de 0")
    assert pairs.valid[0] == Pair("val en 0", "val de 0")
    assert pairs.test[0] == Pair("test_2016_flickr en 0", "test_2016_flickr de 0")
    assert read("multi30k-fr-en:test_2018_flickr", "translate").test[4] == Pair(
        "test_2018_flickr fr 4", "test_2018_flickr en 4"
    )
    tatoeba = read("tatoeba-en-de", "translate")
    assert Pair('"Hi," 3', "Hallo 7") in everything(tatoeba)
    assert overlap(tatoeba.train, [*tatoeba.valid, *tatoeba.test]) == 0
    shakespeare = read("shakespeare", "generate")
    assert [len(part[0].text) for part in (shakespeare.train, shakespeare.valid)] == [189, 21]
    born = read("birthplaces", "generate")
    assert (len(born.train), born.valid, born.test) == (20, [Pair("Where was X born?", "London")], [])
    wiki = read("wiki", "generate")
    assert (len(wiki.train), len(wiki.valid), len(wiki.test)) == (98, 2, 0)
    assert len(read("imdb-unlabelled", "generate").train) == 27
    assert len(read("imdb", "generate").test) == 11


@pytest.mark.usefixtures("data")
def test_named_sets_refuse_what_they_cannot() -> None:
    with pytest.raises(InputError, match="'imdb' is a set to classify or to generate, not to translate"):
        read("imdb", "translate")
    with pytest.raises(InputError, match="no test part called 'test_2017_flicker'; did you mean 'test_2017_flickr'"):
        read("multi30k:test_2017_flicker", "translate")
    assert find_named("imdb:5") is None


@pytest.mark.parametrize("name", NAMED)
def test_a_set_that_is_nowhere_names_both_ways(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    monkeypatch.setattr(named_sets, "_hub_in_reach", lambda: False)
    task = NAMED[name].tasks[0]
    for module in (None, SimpleNamespace()):  # without the library, and with it but without a network
        monkeypatch.setitem(sys.modules, "datasets", module)
        with pytest.raises(InputError, match="set GLASSFORMER_DATA to it") as error:
            read(name, task)
        assert ("Hugging Face hub" in str(error.value)) == (NAMED[name].hub is not None)


def test_a_set_is_loaded_from_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def load_dataset(path: str, config: str | None, *, revision: str | None, split: str) -> list[dict[str, Any]]:
        calls.append((path, config, revision, split))
        if path == "broken":
            raise ConnectionError("no answer")
        values = {"text": f" {split} ", "en": "a", "de": "b", "english": "c", "non_english": "d", "label": 1}
        return [{**values, "text": f" {split} {n}", "label": n % 2, "english": f"c {n}"} for n in range(20)]

    monkeypatch.delenv("GLASSFORMER_DATA", raising=False)
    monkeypatch.setattr(named_sets, "_hub_in_reach", lambda: True)
    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    imdb = read("imdb", "classify")
    assert Labelled("test 3", "positive") in imdb.test
    assert read("multi30k-de-en", "translate").test[0] == Pair("b", "a")
    assert Pair("c 7", "d") in everything(read("tatoeba-en-de", "translate"))
    shakespeare = read("shakespeare", "generate")
    assert len(shakespeare.train) == 1
    assert shakespeare.report.notes == ("shakespeare: loaded through the Hugging Face hub, karpathy/tiny_shakespeare.",)
    assert calls == [
        ("stanfordnlp/imdb", None, None, "train"),
        ("stanfordnlp/imdb", None, None, "test"),
        ("bentrevett/multi30k", None, None, "train"),
        ("bentrevett/multi30k", None, None, "validation"),
        ("bentrevett/multi30k", None, None, "test"),
        ("sentence-transformers/parallel-sentences-tatoeba", "en-de", None, "train+dev"),
        ("karpathy/tiny_shakespeare", None, "refs/convert/parquet", "train+validation+test"),
    ]


def test_the_hub_is_asked_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(address: tuple[str, int], timeout: float) -> None:
        assert timeout <= 5
        raise OSError("no network")

    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HTTPS_PROXY", "https_proxy", "HF_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("socket.create_connection", refuse)
    assert not named_sets._hub_in_reach()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # then the library answers from what it kept
    assert named_sets._hub_in_reach()
