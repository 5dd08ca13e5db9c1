"""`glassformer predict`: texts from words, files and standard input; one JSON document."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.small_runs import small_run

from glassformer.commands.ship_models.certify import certify
from glassformer.commands.ship_models.predict import MANY, predict, texts_of
from glassformer.errors import InputError
from glassformer.runs.run import load
from glassformer.runs.texts_to_try import LECTURE_REVIEWS


def test_a_text_that_is_too_long_is_cut_and_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = small_run(tmp_path / "run")
    longest = run.load_model()[0].longest
    predict(run.path, "good", " ".join(["good"] * 5003))
    assert capsys.readouterr().err == f"Text 2 has 5,003 tokens; only the first {longest:,} are read.\n"
    predict(run.path, " ".join(["good"] * longest))
    assert capsys.readouterr().err == ""


def test_what_is_not_known_or_not_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = small_run(tmp_path / "run").path
    predict(run, "zxqw, blorp", "good , zxqw", ",")
    assert capsys.readouterr().err == "No word of text 1 is known to this model: its answer is a guess.\n"
    with pytest.raises(InputError, match=r"There is no file nothere\.txt"):
        predict(run, "nothere.txt")
    (tmp_path / "lines.txt").write_text("a good film\n\ndull\n\n", encoding="utf-8")
    predict(run, str(tmp_path / "lines.txt"))
    said = capsys.readouterr()
    assert said.err == "Line 2 is empty and gets no answer.\n"
    assert [line[:4].strip() for line in said.out.splitlines()] == ["a go", "", "dull"]
    predict(run, "", "good", "", json=True)
    assert capsys.readouterr().err == "Texts 1 and 3 are empty and get no answer.\n"
    predict(run, *[""] * 1009, "good", json=True)
    assert capsys.readouterr().err == "1,009 texts are empty and get no answer: texts 1, 2, 3, 4, 5, …\n"


def test_a_model_that_has_learnt_nothing_says_so_beside_its_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = small_run(tmp_path / "run")
    for table, told in (
        ([[20, 21], [20, 21]], "By its own test this model is no better than the majority class.\n"),
        ([[1, 0], [0, 1]], "Its own test has too few samples to tell whether it has learnt.\n"),
        ([[40, 1], [1, 40]], ""),
    ):
        scores = {"accuracy": 0.5, "confusion": {"labels": ["negative", "positive"], "table": table}}
        run.write_scores({**scores, "samples": sum(map(sum, table))})
        certify(run.path, json=True)
        capsys.readouterr()
        predict(run.path, "good")
        assert capsys.readouterr().err == told


def test_an_empty_text_is_not_answered(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Text 1 of 1 is empty: there is nothing to classify in it"):
        predict(small_run(tmp_path / "run").path, " ")


def test_an_empty_text_among_others_is_named_and_the_others_are_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = small_run(tmp_path / "run").path
    predict(run, "good", " ", "dull", "zxqw", json=True)
    said = capsys.readouterr()
    wanted = [each.label for each in load(run).predict(["good", "dull", "zxqw"])]  # type: ignore[union-attr]
    found = json.loads(said.out)  # one for each text, in their order
    assert [each["given"] for each in found] == ["good", " ", "dull", "zxqw"]
    assert [found[i]["label"] for i in (0, 2, 3)] == wanted
    assert found[1]["error"] == "The text is empty: there is nothing to classify in it."
    assert "Text 2 is empty and gets no answer.\n" in said.err
    assert "No word of text 4 is known" in said.err  # counted as they were given
    predict(run, "good", "", json=True)
    assert len(json.loads(capsys.readouterr().out)) == 2


def test_a_classifier_answers_with_label_and_scores(ask: Any, tmp_path: Path) -> None:
    run = small_run(tmp_path / "run").path
    wanted = load(run).predict(["a warm film", "dull"])
    one = json.loads(ask("predict", run, "a warm film", "--json"))
    assert one.keys() == {"label", "scores"}
    assert one["label"] == wanted[0].label  # type: ignore[union-attr]
    both = json.loads(ask("predict", run, "a warm film", "dull", "--json"))
    assert [each["label"] for each in both] == [each.label for each in wanted]  # type: ignore[union-attr]
    assert f"{one['label']} {100 * max(one['scores'].values()):.1f} %" in ask("predict", run, "a warm film")


def test_several_answers_stand_beside_their_texts(ask: Any, tmp_path: Path) -> None:
    run = small_run(tmp_path / "run").path
    alone = [ask("predict", run, text).rstrip("\n") for text in ("good", "dull  film")]
    assert ask("predict", run, "good", "dull  film") == f"good       {alone[0]}\ndull film  {alone[1]}\n"
    long, lines = "good " * 50, ask("predict", run, "good " * 50, "dull").splitlines()
    assert lines[0].startswith(long[:39] + "…  ")
    assert lines[1].startswith("dull" + " " * 38)


def test_lines_come_from_standard_input(ask: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = small_run(tmp_path / "run").path
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a warm film\ndull\n")))
    assert len(json.loads(ask("predict", run, "-", "--json"))) == 2
    rows = "".join(f"film {i},{label}\n" for i in range(20) for label in ("positive", "negative"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"text,label\n{rows}".encode())))
    assert json.loads(ask("evaluate", run, "-", "--json"))["samples"] == 40
    assert "%" in ask("predict", run, "-5 degrees and fine")
    with pytest.raises(InputError, match="no option --jsn"):
        texts_of(["text", "--jsn"])


def test_a_translator_answers_with_a_translation(ask: Any, tmp_path: Path) -> None:
    run = small_run(tmp_path / "run", "pairs").path
    one = json.loads(ask("predict", run, "the first of May 1999", "--longest", 7, "--json"))
    assert one.keys() == {"translation", "score"}
    assert ask("predict", run, "the first of May 1999", "--longest", 7).rstrip("\n") == one["translation"].rstrip()


def test_a_language_model_answers_with_a_text(ask: Any, tmp_path: Path) -> None:
    run = small_run(tmp_path / "run", "answers").path
    one = json.loads(ask("predict", run, "3 1 2 =", "--longest", 7, "--json"))
    assert one.keys() == {"text"}
    assert ask("predict", run, "3 1 2 =", "--longest", 7) == one["text"] + "\n"


def test_texts_are_words_or_the_lines_of_a_file_or_of_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "texts.txt"
    file.write_text("one\n\ntwo\u2028still two\r\n", encoding="utf-8")
    assert texts_of([str(file)]) == (["one", "", "two\u2028still two"], True)
    assert texts_of([str(file), "word"]) == ([str(file), "word"], False)
    (tmp_path / "broken.txt").write_bytes("schön\n".encode() * 9 + b"bro\xffken\n")
    with pytest.raises(InputError, match=r"Line 10 of .*broken\.txt holds bytes that are not UTF-8; mend or remove it"):
        texts_of([str(tmp_path / "broken.txt")])
    assert texts_of(["x" * 5000]).texts == ["x" * 5000]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("ä\nb".encode())))
    assert texts_of(["-"]) == (["ä", "b"], True)
    (tmp_path / "table.csv").write_text("text,label\n")
    (tmp_path / "empty.txt").write_text("\n")
    for name, what in (
        ("table.csv", "is a table"),
        ("empty.txt", "holds no text"),
        (".", "is a folder; name one file"),
    ):
        with pytest.raises(InputError, match=what):
            texts_of([str(tmp_path / name)])


def test_for_many_texts_a_quicker_engine_is_looked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = small_run(tmp_path / "run", "answers")
    predict(run.path, *["ab"] * (MANY - 1))
    few = capsys.readouterr().out.splitlines()
    assert not load(run.path).converted
    predict(run.path, *["ab"] * MANY)
    assert load(run.path).converted
    assert capsys.readouterr().out.splitlines() == [*few, few[0]]


def test_a_small_model_writes_one_text_with_one_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []
    monkeypatch.setattr("torch.set_num_threads", threads.append)
    writes, judges = small_run(tmp_path / "writes", "answers").path, small_run(tmp_path / "judges").path
    predict(writes, "3 1 2 =", "2 1 =", longest=3)
    predict(judges, "good")
    assert threads == []
    predict(writes, "3 1 2 =", longest=3)
    assert threads == [1]
    monkeypatch.setattr("glassformer.commands.ship_models.predict.SMALL", 100)
    predict(writes, "3 1 2 =", longest=3)
    assert threads == [1]


def test_a_review_that_the_pocket_judge_has_learnt_from_is_told_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    reviews = [f"  {each.text} " for each in LECTURE_REVIEWS]  # spaces and case make it no other text
    predict("sentiment", reviews[1], "A dull film.", reviews[3].upper())
    assert (
        "Texts 1 and 3 are among those it learnt from: the answer shows memory, not skill." in capsys.readouterr().err
    )
    predict("sentiment", "A dull film.")
    assert "memory" not in capsys.readouterr().err


def test_what_makes_no_difference_to_a_classifier_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    predict("sentiment", "A dull film.", beam=3, top_p=0.5)
    assert "A classifier writes nothing: --top-p and --beam made no difference." in capsys.readouterr().err


def test_an_empty_text_is_called_empty(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^The text is empty"):
        predict(small_run(tmp_path / "run").path, "")
