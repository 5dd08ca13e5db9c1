"""The table of a race in the terminal."""

from pathlib import Path

from helpers.small_races import placed

from glassformer.commands.pages.race_table import bar, bars


def test_bars_are_as_long_as_the_shares(tmp_path: Path) -> None:
    standings = placed(tmp_path, {"conv": 200, "rnn": 100}).standings()
    assert [line.count("█") for line in bars(standings)] == [44, 22]
    assert bar(0.0) == "▏"
    assert bar(1 / 44) == "█"
