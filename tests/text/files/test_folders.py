"""Folders: of labels, of parts, of languages."""

import gzip
from pathlib import Path

import pytest
from helpers.reading import everything

from glassformer.errors import InputError
from glassformer.text.corpora import read
from glassformer.text.files.columns import Columns
from glassformer.text.samples import Labelled, Pair


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


def test_a_text_and_a_table_are_no_pair(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_text("one\ntwo\n")
    (tmp_path / "b.csv").write_text("source,target\none,eins\n")
    for names in (("a.en", "b.csv"), ("b.csv", "a.en")):
        with pytest.raises(InputError, match=r"are no pair: \S*b\.csv is a table, which holds both sides"):
            read([tmp_path / name for name in names], "translate")
