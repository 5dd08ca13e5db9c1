"""Which samples a run is scored on: its own test part, or those of a file; and whether it has learnt from them."""

from pathlib import Path

import pytest
from helpers.small_runs import SEED, TEXT, language_run, small_run

from glassformer.errors import InputError
from glassformer.runs.folder import RunFolder
from glassformer.runs.run import Run, load
from glassformer.text.corpora import read
from glassformer.text.files.columns import Columns
from glassformer.text.samples import Labelled


def test_a_file_without_parts_is_used_in_whole(classifier: Run, tmp_path: Path) -> None:
    lines = [f"film {i},{label}" for i in range(20) for label in ("positive", "negative")]
    (tmp_path / "new.csv").write_text("text,label\n" + "\n".join(lines))
    scores = classifier.evaluate(tmp_path / "new.csv")
    assert (scores["samples"], scores["part"]) == (40, "all")


def test_one_row_is_enough_to_be_scored_on_and_no_row_is_lost_in_silence(classifier: Run, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("text,label\na good film,positive\n,negative\n")
    scores = classifier.evaluate(tmp_path / "one.csv")
    assert scores["samples"] == 1
    assert scores["notes"] == [  # also which columns were taken: somebody may have named a table of another task
        f"Skipped line 3 of {tmp_path}/one.csv: the text is empty.",
        f"{tmp_path}/one.csv: text from 'text' (a usual name), label from 'label' (a usual name)",
    ]
    (tmp_path / "old.csv").write_bytes("text,label\nein sch\xf6ner Film,positive\n".encode("latin-1"))
    assert any(
        "not UTF-8 (line 2), read as cp1252" in note for note in classifier.evaluate(tmp_path / "old.csv")["notes"]
    )
    (tmp_path / "none.csv").write_text("text,label\n")
    with pytest.raises(InputError, match="No row can be used"):
        classifier.evaluate(tmp_path / "none.csv")


def test_what_was_learnt_from_is_counted_among_what_is_scored_on(tmp_path: Path) -> None:
    rows = [f"film {i},{'positive' if i % 2 else 'negative'}\n" for i in range(41)]
    own, new = tmp_path / "own.csv", tmp_path / "new.csv"
    own.write_text("text,label\n" + "".join(rows))
    card, state, tokens = small_run(tmp_path / "run").load_model()
    folder = RunFolder.create(tmp_path / "mine", settings={"data": {"source": str(own)}})
    folder.save_model(card, state, tokens)
    corpus = read(own, "classify", seed=SEED)
    folder.write_about({"samples": {"train": len(corpus.train)}})
    run = load(folder.path)
    assert run.evaluate()["in_training"] == 0
    assert run.evaluate(own)["in_training"] == len(corpus.train)
    learnt, tested = corpus.train[0], corpus.test[0]
    assert isinstance(learnt, Labelled)
    assert isinstance(tested, Labelled)
    new.write_text(f"text,label\n{learnt.text.upper()},{learnt.label}\n{tested.text},{tested.label}\nnew,positive\n")
    assert run.evaluate(new)["in_training"] == 1
    own.write_text("text,label\n" + "".join(rows[1:]))
    assert run.evaluate(new)["in_training"] is None  # no longer what it learnt from
    own.unlink()
    assert run.evaluate(new)["in_training"] is None


def test_the_own_file_is_read_and_split_as_it_was_in_training(tmp_path: Path) -> None:
    lines = [f"{i} film {i},{'positive' if i % 3 else 'negative'},{i}" for i in range(60)]
    (tmp_path / "own.csv").write_text("words,verdict,number\n" + "\n".join(lines))
    run = small_run(tmp_path / "run")
    card, state, tokens = run.load_model()
    columns = {"text": "words", "label": "verdict"}
    other = RunFolder.create(
        tmp_path / "other",
        settings={"data": {"source": str(tmp_path / "own.csv"), "columns": columns, "more": ["learnt-from.csv"]}},
    )  # what was only learnt from need not be there any more
    other.save_model(card, state, tokens)
    corpus = read(tmp_path / "own.csv", "classify", columns=Columns(**columns), seed=SEED)
    assert load(other.path).evaluate()["samples"] == len(corpus.test)


def test_one_document_has_no_test_part_so_its_end_is_used(tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text(TEXT)
    run = language_run()
    folder = RunFolder.create(tmp_path / "run", settings={"data": {"source": str(tmp_path / "book.txt")}})
    folder.save_model(run.card, run.model.state_dict(), run.tokens)
    loaded = load(folder.path)
    scores = loaded.evaluate()
    assert scores["part"] == "valid"
    assert scores["bytes"] == len(read(str(tmp_path / "book.txt"), "generate").valid[0].text)  # type: ignore[union-attr]
    assert scores["in_training"] == 1  # it says the same over and over
    (tmp_path / "new.txt").write_text("a bird flew over the house, and nobody sat on it. " * 2)
    assert loaded.evaluate(tmp_path / "new.txt")["in_training"] == 0
    whole = loaded.evaluate(tmp_path / "book.txt")
    assert (whole["bytes"], whole["in_training"]) == (len(TEXT), 1)
