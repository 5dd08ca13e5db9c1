"""Scores in words: each in its unit, with its interval."""

from glassformer.drawing.score_words import caution, clock, in_figures, score_lines, scored


def test_scores_in_words() -> None:
    scores = {"loss": 0.25, "accuracy": 0.9731, "accuracy_interval": [0.961, 0.98249], "samples": 1000}
    assert score_lines(scores) == [("accuracy", "97.3 %  (96.1 to 98.2 %)"), ("loss", "0.2500")]
    assert in_figures("bleu", 31.44) == "31.4"
    assert (clock(47.4), clock(200)) == ("47 s", "3:20 min")


def test_a_score_is_said_with_how_sure_it_is() -> None:
    few = {"accuracy": 1.0, "accuracy_interval": [0.9097, 1.0], "samples": 39}
    assert scored(few, "accuracy") == "accuracy 100.0 % (91.0 to 100.0 %, 39 samples)"
    assert scored({"loss": 1.5, "loss_interval": [1.4, 1.6]}, "loss") == "loss 1.5000 (1.4000 to 1.6000)"
    assert scored({"loss": 1.5}, "loss") == "loss 1.5000"
    assert scored({}, "accuracy") == ""


def test_what_was_learnt_from_takes_away_from_a_score() -> None:
    assert caution({"samples": 39}) == ""
    assert caution({"samples": 1000, "texts": 990}) == ""  # hardly any
    once = "Only 39 different texts stand in these 78 samples; the interval counts each text once."
    assert caution({"samples": 78, "texts": 39}) == once
    assert caution({"samples": 78, "texts": 39, "in_training": 78}).startswith(f"{once} All 78 stand")
    told = "in the training part too: on these the score shows memory, not skill."
    assert caution({"samples": 39, "in_training": 7}) == f"7 of the 39 samples stand {told}"
    assert caution({"samples": 39, "in_training": 1}) == f"1 of the 39 samples stands {told}"
    memory = "in the training part: the score shows memory, not skill."
    assert caution({"samples": 39, "in_training": 39}) == f"All 39 stand {memory}"
    assert caution({"samples": 1, "in_training": 1}) == f"This sample stands {memory}"
    assert caution({"tokens": 39, "in_training": 1}) == f"1 text of these stands {memory}"
    assert caution({"samples": 39, "in_training": None}).startswith("Whether it has learnt from some of these is not")
