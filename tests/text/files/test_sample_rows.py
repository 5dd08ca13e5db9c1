"""Rows to samples: a row that cannot be one is counted with its line and reason, and costs no other."""

from pathlib import Path

from glassformer.text.files.columns import Columns
from glassformer.text.files.folders import Files
from glassformer.text.files.sample_rows import MOST_SKIPS_KEPT, Tally, read_part
from glassformer.text.files.tables import Skip
from glassformer.text.samples import Labelled


def test_every_row_is_a_sample_or_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,label\nfine,1.0\n ,0\nalso fine,nan\nlast,0\n")
    tally = Tally()
    samples = read_part([Files("table", (path,))], "classify", Columns(), None, tally)
    assert samples == [Labelled("fine", "1.0"), Labelled("last", "0")]
    assert (tally.read, tally.kept, tally.reasons.total()) == (4, 2, 2)
    assert [skip.line for skip in tally.skips] == [3, 4]


def test_of_many_skips_the_first_are_kept_and_all_counted() -> None:
    tally = Tally()
    for line in range(MOST_SKIPS_KEPT + 7):
        tally.skip(Skip("a.csv", line, "empty"))
    assert (len(tally.skips), tally.reasons["empty"]) == (MOST_SKIPS_KEPT, MOST_SKIPS_KEPT + 7)
