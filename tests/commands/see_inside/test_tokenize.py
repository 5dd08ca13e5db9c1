"""`glassformer tokenize`: a run, data or texts alone; what is meant is found, and what is not is named."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers.small_runs import small_run

from glassformer.commands import main as cli
from glassformer.commands.see_inside.tokenize import tokenize
from glassformer.errors import InputError
from glassformer.runs.run import load
from glassformer.text.files.token_files import holds_tokens


def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["glassformer", "tokenize", *words])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    said = capsys.readouterr()
    return int(stop.value.code or 0), said.out, said.err


def document(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> dict[str, object]:
    code, out, err = command(capsys, monkeypatch, *words, "--json")
    assert code == 0
    table = next((each for each in words if each.endswith(".csv")), "")
    assert err == (f"{table}: text from 'text' (a usual name)\n" if table else "")
    found: dict[str, object] = json.loads(out)
    return found


def test_a_run_shows_the_rows_of_its_own_embedding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(small_run(tmp_path / "run").path)
    texts = ["the film was not good", "Never dull"]
    found = document(capsys, monkeypatch, folder, *texts)
    run = load(folder)
    assert found["batch"] == json.loads(json.dumps(run.tokenize(texts).to_dict()["batch"]))
    rows = found["embedding"]["rows"]  # type: ignore[index]
    ids = found["batch"]["ids"]  # type: ignore[index]
    assert rows[0][1] == run.model.embedding.weight[ids[0][1]].tolist()  # type: ignore[union-attr, index]
    code, out, _ = command(capsys, monkeypatch, folder, *texts)
    assert code == 0
    assert "embedding rows  2 × 5 × " in out
    counts = document(capsys, monkeypatch, folder, "--vocabulary", "--most", "3")
    assert len(counts["most"]) == 3  # type: ignore[arg-type]
    assert counts["coverage"] == 1.0


def test_data_give_a_vocabulary_by_the_rules_of_the_lecture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "reviews.csv"
    rows = [f'"so good, number {i % 7}x",pos' for i in range(40)] + ['"rare rare",neg', '"rare, so bad bad bad",neg']
    table.write_text("text,label\n" + "\n".join(rows), encoding="utf-8")
    found = document(capsys, monkeypatch, str(table), "A so GOOD rarely seen film")
    assert found["texts"][0]["unknown"] == ["a", "rarely", "seen", "film"]  # type: ignore[index]
    assert found["embedding"] is None
    assert found["longest"] == 500
    first = document(capsys, monkeypatch, str(table))
    assert len(first["texts"]) == 2  # type: ignore[arg-type]
    counts = document(capsys, monkeypatch, str(table), "--vocabulary")
    assert counts["most"][0]["token"] in (",", "so", "good", "number", "x")  # type: ignore[index]


def test_texts_alone_are_their_own_vocabulary(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = document(capsys, monkeypatch, "We are learning AI", "AI is a CS topic")
    assert found["vocabulary"] == 13
    assert [each["unknown"] for each in found["texts"]] == [[], []]  # type: ignore[attr-defined]
    given = SimpleNamespace(buffer=io.BytesIO(b"so warm\n\nso clever\n"), isatty=lambda: False)
    monkeypatch.setattr(sys, "stdin", given)
    read = document(capsys, monkeypatch, "-", "--tokens", "character")
    assert [each["text"] for each in read["texts"]] == ["so warm", "so clever"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Name a run or data"),
        ([""], "The text is empty"),
        (["sentimet", "so warm"], "did you mean 'sentiment'"),
        (["sentiment"], "There is no text"),
        (["sentiment", " "], "Text 1 of 1 is empty"),
        (["so warm", "--vocabulray"], "no option --vocabulray"),
        (["so warm", "--tokens", "wrod"], "did you mean 'word'"),
        (["so warm", "--longest", "0"], "1 token or more"),
    ],
)
def test_what_cannot_be_is_named(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _, err = command(capsys, monkeypatch, *words)
    assert code > 0
    assert said in err


def test_of_a_text_file_every_line_is_a_text_and_no_word_of_a_short_one_is_rare(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "two.txt"
    path.write_text("We are learning AI\n\nAI is a CS topic\n", encoding="utf-8")
    found = document(capsys, monkeypatch, str(path))
    assert [each["text"] for each in found["texts"]] == ["We are learning AI", "AI is a CS topic"]  # type: ignore[index,attr-defined]
    assert 1 not in [each for row in found["batch"]["ids"] for each in row]  # type: ignore[index]


def test_of_a_table_every_row_is_a_text_in_its_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "reviews.csv"
    rows = [f"word{i} again,{'pos' if i % 2 else 'neg'}" for i in range(13)]
    path.write_text("\n".join(["text,label", *rows]), encoding="utf-8")
    assert document(capsys, monkeypatch, str(path), "--vocabulary")["running"] == 13 * 3  # "word", its number, "again"
    assert [each["text"] for each in document(capsys, monkeypatch, str(path))["texts"]] == [  # type: ignore[attr-defined]
        "word0 again", "word1 again",
    ]  # fmt: skip


def test_the_column_of_a_table_can_be_named_and_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "smiles,formula,mass\n" + "".join(f"C{i},H{i} O,{i}\n" for i in range(9)) + ",H,1\n", encoding="utf-8"
    )
    with pytest.raises(InputError, match="name --text"):
        tokenize(str(path))
    tokenize(str(path), text="formula")
    said = capsys.readouterr()
    assert "H0 O" in said.out
    assert "text from 'formula' (named by you)" in said.err
    tokenize(str(path), text="smiles")
    assert "Rows were left out: the text is empty." in capsys.readouterr().err


def test_lines_that_cannot_be_read_are_left_out_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("ein schöner Film\n".encode() * 9 + b"bro\xffken\n")
    tokenize(str(path), vocabulary=True)
    said = capsys.readouterr()
    assert "1 line with bytes that are not UTF-8 left out." in said.err
    assert "broken" not in said.out


# --- token files ------------------------------------------------------------------------------------------------


def test_a_text_is_cut_into_token_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "book.txt").write_text("Once more, and then again.\n" * 200, encoding="utf-8")
    tokenize(str(tmp_path / "book.txt"), out=tmp_path / "corpus", size=300, processes=1)
    assert holds_tokens(tmp_path / "corpus")
    assert f"glassformer train generate {tmp_path / 'corpus'}" in capsys.readouterr().out.replace("\n", "")
    with pytest.raises(InputError, match=r"With --out name one \.txt file"):
        tokenize("no text", out=tmp_path / "other")


def test_a_file_of_nothing_but_broken_lines_has_no_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_bytes("schön \n".encode().replace(b" ", b"\xff") * 9)
    code, out, err = command(capsys, monkeypatch, str(tmp_path / "a.txt"), "--json")
    assert (code, out) == (2, "")
    assert "There is no text" in err


def test_how_a_file_was_read_is_told_whichever_way_it_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv").write_bytes("text,label\nein schöner Film,gut\n".encode("cp1252") * 9)
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "./a.csv"):
        assert "read as cp1252" in command(capsys, monkeypatch, name)[2]
