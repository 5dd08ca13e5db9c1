"""Corpora: every format says the same; bad data is named by line or refused; parts share no text."""

import gzip
import json
import lzma
import os
import re
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.reading import CSV, classify, everything, skips

from glassformer.errors import InputError
from glassformer.text.corpora import read
from glassformer.text.samples import Labelled, Pair, Plain, overlap, split_off, text_of

REVIEWS = [(f'Film {number}, "so-so"; ok', "pos" if number % 3 else "neg") for number in range(31)]


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


# --- files that cannot be used ---


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b"\n", "is empty"),
        ("a.csv", b"text,label\n", r"No row can be used \(0 read\)"),
        ("a.csv", b"text,label\na,b\n", "label 'b'; .* label from 'label' .a usual name.*"),
        ("a.csv", CSV.replace("neg", "pos").encode(), "Every sample has the label 'pos'"),
        ("a.csv", b"text,label\na,pos\nb,nan\nc,nan\n", "2 rows were skipped: the label is 'nan'"),
        ("a.csv", b"text,label\n" + b"".join(b"a %d,b %d\n" % (n, n) for n in range(9)), "own; .* label from 'label'"),
        (
            "a.csv",
            b"text,label\n" + b"".join(b"a %d,b %d\n" % (n, n % 2001) for n in range(4002)),
            "There are 2,001 different labels; at most 2,000 can be told apart.* label from 'label'",
        ),
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
        ("a.txt", b"one text\nwithout tabs\n", "one column only; expected two, a text and a label.*“one text”"),
        ("a.csv", b"3\n5\n7\n", "one column only.*“3”"),
        (
            "a.jsonl",
            b'{"context_string": "a"}\n' * 9,
            "expected two, a text and a label. Its only one is 'context_string'",
        ),
        ("a.csv", b"6,148,72\n1,85,66\n", "Its columns are numbered, 1 to 3, for it has no header; name --text"),
        ("a.csv", b"v1,v2,,,\nham,Go,,,\n", "Its columns are v1, v2, 3, 4, 5; name --text and --label"),
        ("a.csv", (",".join(f"c{n}" for n in range(99)) + "\nx" + "," * 98).encode(), r"c29, … \(99 in all\)"),
        ("a.csv", b"\xd0\xcf\x11\xe0" + bytes(99), "is an old Excel or Word file"),
        ("a.csv", b"id,d\xe9tail,name\n1,2,3\n", "name --text and --label. .*a.csv: not UTF-8"),
        ("a.json", b'{\n  "width": 3,\n  "layers": [1]\n}\n', "is one JSON object, with 'width', 'layers', not rows"),
        ("a.json", b'{"a": [{}], "b": [{}]}', "is one JSON object, with 'a', 'b', not rows"),
        ("a.jsonl", b'{"text": 1, "label": 2}\n' * 5, "Line 1 and 4 more: the text is a number, not text"),
    ],
)
def test_a_file_that_cannot_be_used(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        classify(tmp_path, content, name)


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    (tmp_path / "empty").mkdir()
    for source, message in (
        (tmp_path / "pipe.csv", "is not a file"),
        (Path("/dev/zero"), "is not a file|cannot be read"),
        (tmp_path / "loop.csv", "cannot be read"),
        (tmp_path / "missing.csv", "cannot be read: No such file"),
        (tmp_path / f"{'n' * 5003}.csv", "cannot be read: File name too long"),
        (tmp_path / "missing.parquet", "there is no such file"),
        (tmp_path / "empty", "holds nothing to train on"),
    ):
        with pytest.raises(InputError, match=message):
            read(source, "classify")
    with pytest.raises(InputError, match="No file was given"):
        read([], "classify")


def test_a_missing_file_is_called_one_and_no_set_is_offered_for_it(tmp_path: Path) -> None:
    (tmp_path / "reviews.csv").write_text(CSV)
    where = re.escape(str(tmp_path.resolve()))
    for source, message in (
        (f"{tmp_path}/review.csv", rf"There is no file review\.csv in {where}; did you mean 'reviews\.csv'\?$"),
        (f"{tmp_path}/nothing.txt", rf"There is no file nothing\.txt in {where}; check its name and its folder\.$"),
        (f"{tmp_path}/no/a.csv", r"There is no file .*a\.csv, for there is no folder .*no; check"),
        (f"{tmp_path}/nothing.csv", rf"There is no file nothing\.csv in {where}; check its name and its folder\.$"),
        ("nothing.csv", r"There is no file nothing\.csv in (?!.*sorting)"),
        (f"{tmp_path}/reviews.csv,{tmp_path}/b.de", r"There is no file b\.de in"),
        ("negatio", "There is no file, folder or set called 'negatio'; did you mean 'negation'?"),
    ):
        with pytest.raises(InputError, match=message):
            read(source, "classify")


# --- parts ---


def test_given_parts_are_kept_and_their_overlap_is_reported(tmp_path: Path) -> None:
    (tmp_path / "test.csv").write_text("text,label\nFilm 3,neg\nFilm 3,neg\nFilm 4,pos\nnew,pos\n")
    corpus = classify(tmp_path, CSV + "Film 5,neg\n", test=tmp_path / "test.csv")
    report = corpus.report
    assert len(corpus.test) == 4
    assert (report.duplicates, report.contradictions, report.overlap) == (1, 1, 2)
    assert any("2 texts stand both in training and in test" in said for said in report.sentences())
    assert overlap(corpus.train, corpus.valid) == 0


def test_one_is_counted_as_one(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("text,label\nFilm 3,neg\n")
    said = classify(tmp_path, CSV + "Film 5,neg\n", test=tmp_path / "one.csv").report.sentences()
    assert "1 training row repeats an earlier text." in said
    assert "1 text carries more than one label." in said
    assert any(each.startswith("1 text stands both in training and in test") for each in said)
    with pytest.raises(InputError, match=r"^1 sample with 1 different text cannot be split"):
        split_off([Pair("one", "eins")], seed=0)


def test_repeated_rows_are_counted_where_they_are_learnt_from(tmp_path: Path) -> None:
    """A hundred texts, each twice: of those that are validated and tested on, nothing is said."""
    corpus = classify(tmp_path, "text,label\n" + "".join(f"film {n // 2},{'ab'[n // 2 % 2]}\n" for n in range(200)))
    assert len(corpus.train) < 200
    assert corpus.report.duplicates == len(corpus.train) // 2
    assert f"{len(corpus.train) // 2} training rows repeat an earlier text." in corpus.report.sentences()


def test_a_sentence_with_several_translations_repeats_nothing(tmp_path: Path) -> None:
    rows = [f"Go {n // 3}.\tGeh {n}!" for n in range(60)]
    (tmp_path / "talk.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert read(tmp_path / "talk.tsv", "translate").report.duplicates == 0
    (tmp_path / "talk.tsv").write_text("\n".join(rows * 2) + "\n", encoding="utf-8")
    corpus = read(tmp_path / "talk.tsv", "translate")
    assert f"{len(corpus.train) // 2} training rows repeat an earlier pair." in corpus.report.sentences()


def test_parts_follow_from_the_seed(tmp_path: Path) -> None:
    one, same, other = (classify(tmp_path, CSV, seed=seed) for seed in (1, 1, 2))
    assert (one.train, one.valid, one.test) == (same.train, same.valid, same.test)
    assert one.test != other.test


def test_unequal_labels_are_noted_and_a_limit_is_kept(tmp_path: Path) -> None:
    corpus = classify(tmp_path, "text,label\n" + "".join(f"a {n},b\n" for n in range(500)) + "z,c\n", limit=7)
    assert (len(corpus.train), len(corpus.valid), len(corpus.test)) == (7, 7, 7)
    assert "Labels are unequal: 500 samples of 'b', 1 of 'c'" in corpus.report.notes[0]


# --- made sets ---


def test_made_sets_by_name() -> None:
    corpus = read("negation:400", "classify")
    assert (len(corpus.train), len(corpus.valid), len(corpus.test)) == (324, 36, 40)
    assert corpus.labels == ("negative", "positive")
    assert read("sorting:50", "generate").report.read == 50
    with pytest.raises(InputError, match="'dates' is a set to translate, not to classify"):
        read("dates", "classify")
    with pytest.raises(InputError, match="such as dates:5000; it is 'many'"):
        read("dates:many", "translate")
    with pytest.raises(InputError, match=r"such as dates:5000; it is '9{40}'"):
        read("dates:" + "9" * 5000, "translate")
    with pytest.raises(InputError, match="did you mean 'negation'"):
        read("negatoin", "classify")
    with pytest.raises(InputError, match="did you mean 'translate'"):
        read("dates", "translation")


def test_what_must_not_be_learnt_from_is_left_out_of_training_alone(tmp_path: Path) -> None:
    path = written(tmp_path, ".csv")
    plain = read(path, "classify", test=path)
    corpus = read(path, "classify", test=path, without=['film 7,   "SO-so"', "nowhere"])
    left = {text_of(sample) for sample in (*corpus.train, *corpus.valid)}
    assert {text_of(sample) for sample in (*plain.train, *plain.valid)} - left == {'Film 7, "so-so"; ok'}
    assert corpus.test == plain.test
    assert [note for note in corpus.report.notes if note.startswith("Left out")] == [
        'Left out of training, for “film 7,   "SO-so"”: 1 row.',
        "Left out of training, for “nowhere”: 0 rows.",
    ]
    with pytest.raises(InputError, match="stands in every sample"):
        read(path, "classify", without=[" "])


def test_further_samples_are_only_learnt_from(tmp_path: Path) -> None:
    path = written(tmp_path, ".csv")
    plain = read(path, "classify")
    tested, learnt = text_of(plain.test[0]), text_of(plain.train[0])
    further = tmp_path / "further.jsonl"
    rows = [(tested.upper(), "pos"), (text_of(plain.valid[0]), "pos"), (learnt, "neg"), ("new", "neg"), ("", "pos")]
    further.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in rows))
    corpus = read(path, "classify", more=[str(further)])
    assert (corpus.valid, corpus.test) == (plain.valid, plain.test)
    assert corpus.train == [*plain.train, Labelled(learnt, "neg"), Labelled("new", "neg")]
    assert (corpus.report.read, corpus.report.kept, corpus.report.skipped) == (36, 33, 3)
    assert f"Only to learn from, of {further}: 2 rows." in corpus.report.notes
    assert any(
        said == "Skipped 2 rows: the text stands in the validation or the test part as well, and must not be learnt "
        "from."
        for said in corpus.report.sentences()
    )
    assert len(read(path, "classify", more=[str(further)], without=["new"]).train) == len(plain.train) + 1


def test_further_samples_that_do_not_fit(tmp_path: Path) -> None:
    path, further = written(tmp_path, ".csv"), tmp_path / "further.csv"
    further.write_text("text,label\na film,1\nanother,0\n")
    with pytest.raises(InputError, match="has the label '0', and the data it is added to only neg, pos; call the same"):
        read(path, "classify", more=[str(further)])
    with pytest.raises(InputError, match=r"There is no file missing\.csv"):
        read(path, "classify", more=[str(tmp_path / "missing.csv")])
    assert len(read("negation:90", "classify", more=["negation:31"]).train) > 90 * 0.81 - 5
    (tmp_path / "pairs.tsv").write_text("".join(f"{n} a\t{n} b\n" for n in range(20)))
    (tmp_path / "lines.txt").write_text("one text\n\nanother text\n")
    with pytest.raises(InputError, match=r"lines\.txt holds samples of another kind"):
        read(tmp_path / "pairs.tsv", "generate", more=[str(tmp_path / "lines.txt")])


def test_a_text_of_another_ending_is_plain_text_to_generate_from(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text("12:00 started\n12:01 stopped\n" * 20)
    found = read(path, "generate")
    assert found.report.notes[0] == f"{path}: read as plain text, as it stands."
    assert sum(sample.text.count("started") for sample in everything(found)) == 20
    with pytest.raises(InputError, match="cannot be read as rows"):
        read(path, "classify")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 100)
    with pytest.raises(InputError, match="not text"):
        read(path, "generate")


def test_a_file_of_which_most_is_skipped_is_doubted(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    doubt = "More rows were skipped than kept: is it the kind of file that it was taken for?"
    path.write_text("".join(f"one {n}\tzwei {n}\n" + "\t\t\tdrei\n" * 2 for n in range(9)))
    assert doubt in read(path, "translate").report.notes
    path.write_text("".join(f"one {n}\tzwei {n}\n" for n in range(9)) + "\t\t\tdrei\n" * 2)
    assert doubt not in read(path, "translate").report.notes
