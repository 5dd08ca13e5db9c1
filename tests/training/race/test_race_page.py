"""The page of a race: who is really ahead, in a sentence and in a drawing."""

from pathlib import Path

from helpers.small_races import placed

from glassformer.training.race.race import Race
from glassformer.training.race.race_page import race_page, verdict


def test_the_page_tells_it(finished: Race) -> None:
    page = race_page(finished)
    standings = finished.standings()
    assert verdict(standings) in page
    assert page.count("<polyline") == 4
    assert page.count('class="whisker') == 2
    assert "a bag of words: it cannot know in which order they stand" in page
    assert "2 steps" in page
    assert "<script" not in page


def test_one_alone_is_ahead_of_nobody(tmp_path: Path) -> None:
    assert verdict(placed(tmp_path, {"conv": 50}).standings()) == "conv ran alone."
