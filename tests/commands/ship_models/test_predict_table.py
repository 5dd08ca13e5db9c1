"""`glassformer predict RUN TABLE`: every row comes back with its answer, in the format that was asked for."""

import csv
import json
import math
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.small_runs import small_run

from glassformer.commands.ship_models.predict import predict
from glassformer.commands.ship_models.predict_table import answer_table, is_table
from glassformer.errors import InputError
from glassformer.runs.run import load

ROWS = [["id", "text"], ["7", 'a "good", film'], ["8", ""], ["9", "dull"]]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    with (tmp_path / "films.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(ROWS)
    return tmp_path / "films.csv"


def test_a_table_comes_back_with_its_answers(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = small_run(tmp_path / "run").path
    one, other = load(run).predict([ROWS[1][1], ROWS[3][1]])
    predict(run, str(table))
    rows = list(csv.reader(capsys.readouterr().out.splitlines()))
    assert rows[0] == ["id", "text", "prediction", "probability"]
    assert [row[:3] for row in rows[1:]] == [[*ROWS[1], one.said], [*ROWS[2], ""], [*ROWS[3], other.said]]
    assert float(rows[1][3]) == pytest.approx(max(one.scores.values()), abs=1e-6)  # type: ignore[union-attr]
    predict(run, str(table), column="text", out=tmp_path / "answers.jsonl", threads=1)
    told = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [each["prediction"] for each in told] == [one.said, None, other.said]
    assert told[1]["probability"] is None
    said = capsys.readouterr().out
    assert "answers.jsonl: 3 rows, 2 of them with a prediction (1 row is without a text that can be read" in said
    before = (tmp_path / "answers.jsonl").read_bytes()
    with pytest.raises(InputError, match=r"answers\.jsonl is there already, and would be lost"):
        predict(run, str(table), column="text", out=tmp_path / "answers.jsonl", threads=1)
    assert (tmp_path / "answers.jsonl").read_bytes() == before


def test_broken_texts_cost_no_other_row_and_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = small_run(tmp_path / "run").path
    path = tmp_path / "films.csv"
    path.write_bytes(b"text,note\n" + "naïve film,good\n".encode() * 30 + b"bro\xffken film,b\xffd\n")
    answer_table(run, path, "", tmp_path / "answers.csv", {})
    rows = list(csv.reader((tmp_path / "answers.csv").read_text(encoding="utf-8").splitlines()))
    assert rows[31] == ["bro\N{REPLACEMENT CHARACTER}ken film", "b\N{REPLACEMENT CHARACTER}d", "", ""]
    assert rows[1][2]
    said = capsys.readouterr()
    assert "1 text of 'text' with bytes that are no UTF-8, or with half a character: no prediction" in said.err
    assert "31 rows, 30 of them with a prediction" in said.out


def test_what_json_has_not_is_told_in_words(tmp_path: Path) -> None:
    run = small_run(tmp_path / "run").path
    columns = {
        "text": ["a good film", "dull"], "when": [datetime(2020, 1, 2), None], "price": [Decimal("1.50"), None],
        "seen": [[1.0, math.nan], None], "share": [math.inf, math.nan], "raw": [b"\xff", None],
    }  # fmt: skip
    pq.write_table(pa.table(columns), tmp_path / "films.parquet")
    answer_table(run, tmp_path / "films.parquet", "", tmp_path / "answers.jsonl", {})
    first, second = map(json.loads, (tmp_path / "answers.jsonl").read_text(encoding="utf-8").splitlines())
    assert (first["when"], first["price"], first["seen"]) == ("2020-01-02 00:00:00", "1.50", [1.0, None])
    assert first["share"] is None
    assert (second["text"], second["when"], second["share"]) == ("dull", None, None)


def test_what_cannot_be_answered_says_how_to_go_on(table: Path, tmp_path: Path) -> None:
    run = small_run(tmp_path / "run").path
    with pytest.raises(InputError, match="has no column 'txt'; did you mean 'text'"):
        predict(run, str(table), column="txt")
    with pytest.raises(InputError, match=r"\.csv, \.tsv or \.jsonl"):
        predict(run, str(table), out=tmp_path / "answers.xlsx")
    with pytest.raises(InputError, match="for a table of texts"):
        predict(run, "good", column="text")
    (tmp_path / "odd.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="say which column holds the texts"):
        answer_table(run, tmp_path / "odd.csv", "", None, {})
    with pytest.raises(InputError, match="`--threads` must be"):
        predict(run, "good", threads=0)


def test_a_text_is_no_table(tmp_path: Path) -> None:
    assert not is_table(["a good film"])
    assert not is_table([""])
    assert not is_table(["nowhere.csv"])
    assert not is_table(["x" * 5000 + ".csv"])
