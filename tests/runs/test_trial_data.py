"""Which samples a run is scored on: its own test part, or those of a file."""

from pathlib import Path

from helpers.small_runs import SEED, TEXT, language_run, small_run

from glassformer.runs.folder import RunFolder
from glassformer.runs.run import Run, load
from glassformer.text.corpora import read
from glassformer.text.files.columns import Columns


def test_a_file_without_parts_is_used_in_whole(classifier: Run, tmp_path: Path) -> None:
    lines = [f"film {i},{label}" for i in range(20) for label in ("positive", "negative")]
    (tmp_path / "new.csv").write_text("text,label\n" + "\n".join(lines))
    scores = classifier.evaluate(tmp_path / "new.csv")
    assert (scores["samples"], scores["part"]) == (40, "all")


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
    assert loaded.evaluate(tmp_path / "book.txt")["bytes"] == len(TEXT)
