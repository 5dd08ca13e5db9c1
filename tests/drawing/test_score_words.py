"""Scores in words: each in its unit, with its interval."""

from glassformer.drawing.score_words import clock, in_figures, score_lines


def test_scores_in_words() -> None:
    scores = {"loss": 0.25, "accuracy": 0.9731, "accuracy_interval": [0.961, 0.98249], "samples": 1000}
    assert score_lines(scores) == [("accuracy", "97.3 %  (96.1 to 98.2 %)"), ("loss", "0.2500")]
    assert in_figures("bleu", 31.44) == "31.4"
    assert (clock(47.4), clock(200)) == ("47 s", "3:20 min")
