"""Whether a run has learnt: against the majority and a linear model, in words, with what to do; counts by pencil."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.small_runs import small_run

import glassformer as gf
from glassformer.objectives.bootstrap import Measure, by_text
from glassformer.objectives.metrics import mean_of_rows, share_of_rows
from glassformer.runs.folder import RunFolder
from glassformer.runs.learnt import (
    LOOKUP,
    MAJORITY,
    PAIRS,
    Against,
    Learnt,
    _by,
    against,
    against_majority,
    against_text,
    exactly,
    learnt,
    majority,
    too_early,
)
from glassformer.runs.run import load


def outcomes(*right: int) -> Measure:
    """Answers that are right (1) or wrong (0)."""
    return share_of_rows(np.array([[each, 1.0] for each in right]))


def scored(path: Path, *baselines: Against, losses: tuple[float, ...] = (0.7, 0.6, 0.65), **scores: Any) -> gf.Run:
    """A run that was evaluated so."""
    folder = small_run(path)
    folder.write_scores({"accuracy": 0.5, "samples": 11, **scores, "baselines": [asdict(each) for each in baselines]})
    for step, loss in enumerate(losses):
        folder.log({"event": "judged", "step": step, "loss": loss})
    return load(folder.path)


def one(baseline: str, ahead: float, p_value: float, learns: bool | None = None) -> Against:
    answer = "dull" if baseline == MAJORITY else ""
    return Against(baseline, answer, 0.5, ahead, ahead - 0.1, ahead + 0.1, p_value, learns)


def test_the_majority_is_what_is_right_most_often() -> None:
    assert majority(["b", "a", "b"]) == "b"
    assert majority(["b", "a"]) == "a"  # of equals the first by name


def test_answers_that_are_right_to_the_letter() -> None:
    assert exactly(["a", "b", "c"], ["a", "B", "c"]).value == pytest.approx(2 / 3)


def test_who_ended_too_early_is_told_to_go_on(tmp_path: Path) -> None:
    falling = scored(tmp_path / "falling", losses=(0.7, 0.6, 0.5))
    assert "still falling. Train longer: glassformer train classify" in too_early(
        RunFolder(falling.folder), falling.card
    )
    level = scored(tmp_path / "level", losses=(0.7, 0.5, 0.6))
    assert too_early(RunFolder(level.folder), level.card) == ""


def test_the_lead_over_the_majority() -> None:
    found = against_majority(outcomes(1, 1, 1, 0), ["x", "y", "y", "x"], "x")
    assert (found.baseline, found.answer, found.score, found.ahead) == (MAJORITY, "x", 0.5, 0.25)
    assert found.p_value == 1.0  # ahead on two, behind on one
    assert found.low <= found.ahead <= found.high
    assert not found.better
    assert not found.worse


def test_a_lead_of_seven_samples_is_real_and_one_of_five_is_not() -> None:
    for count, real in ((7, True), (6, True), (5, False)):
        found = against(outcomes(*[1] * 11), outcomes(*[0] * count, *[1] * (11 - count)), "ngrams")
        assert found.p_value == pytest.approx(2 * 0.5**count)
        assert found.better is real
        assert against(outcomes(*[0] * count), outcomes(*[1] * count), "ngrams").worse is real


@pytest.mark.parametrize(("wrong", "undecided"), [(4, True), (5, True), (6, False), (50, False)])
def test_where_a_baseline_errs_five_times_nobody_could_be_told_from_it(wrong: int, undecided: bool) -> None:
    """Five of five: 2 · (1/2)⁵ = 0.0625, which is no lead; six of six: 0.03125."""
    found = Against(MAJORITY, "a", 1 - wrong / 100, 0.0, -0.02, 0.02, p_value=1.0)
    assert found.undecided(100) is undecided


def test_a_model_that_guesses_is_told_so_loudly(tmp_path: Path) -> None:
    found = scored(tmp_path / "run", one(MAJORITY, -0.02, 0.7), one("ngrams", 0.01, 0.9)).learnt
    assert found is not None
    assert not found.better
    assert found.verdict == "no better than the majority class"
    assert found.sentences[0].startswith(
        "NO BETTER THAN THE MAJORITY CLASS: accuracy 50.0 %, against 50.0 % for the majority class (“dull”)"
    )
    assert "−2.0 points (95 % confidence interval −12.0 to +8.0, p = 0.700)" in found.sentences[0]
    assert "as far as 11 samples can tell" in found.sentences[0]
    assert found.sentences[1].startswith("Level with the linear model ngrams")
    check, longer = found.advice
    assert check == (
        "Check the labels: does each stand beside its text, in the columns that were taken? "
        "The linear model is not really ahead of the majority class either."
    )
    assert longer == f"Train longer: glassformer train classify negation:300 --from {tmp_path / 'run'} --minutes 5"


def test_a_lead_that_may_be_luck_is_not_said_to_be_none(tmp_path: Path) -> None:
    lead = Against(MAJORITY, "dull", 0.4, 0.25, -0.048, 0.563, 0.289)
    found = scored(tmp_path / "run", lead, accuracy=0.65, samples=20).learnt
    assert found is not None
    assert found.verdict == "not shown to be better than the majority class"
    assert found.sentences[0].startswith("NOT SHOWN TO BE BETTER THAN THE MAJORITY CLASS: accuracy 65.0 %")


def test_a_majority_that_is_none_among_the_judged_samples_is_told_apart(tmp_path: Path) -> None:
    """Of 20 samples 12 are sharp, which were the fewer in training."""
    table = {"labels": ["dull", "sharp"], "table": [[5, 3], [4, 8]]}
    found = scored(tmp_path / "run", one(MAJORITY, 0.25, 0.3), samples=20, confusion=table).learnt
    assert found is not None
    assert "(“dull”, most frequent in training; here “sharp” is, with 60.0 %)" in found.sentences[0]
    level = {"labels": ["dull", "sharp"], "table": [[7, 3], [4, 6]]}
    same = scored(tmp_path / "same", one(MAJORITY, 0.25, 0.3), samples=20, confusion=level).learnt
    assert same is not None
    assert "(“dull”)" in same.sentences[0]


def test_a_model_that_is_worse_than_the_majority_class_is_not_said_to_be_level_with_it(tmp_path: Path) -> None:
    found = scored(tmp_path / "run", one(MAJORITY, -0.2, 0.001)).learnt
    assert found is not None
    assert (found.better, found.verdict) == (False, "worse than the majority class")
    assert found.sentences[0].startswith("WORSE THAN THE MAJORITY CLASS: accuracy 50.0 %, against 50.0 %")
    assert "as far as" not in found.sentences[0]


@pytest.mark.parametrize(
    ("losses", "falls"),
    [
        ((0.7, 0.6, 0.5, 0.4), True),
        ((0.871, 0.363, 0.183, 0.134, 0.118, 0.113, 0.104, 0.094, 0.092, 0.091), False),  # level, and run down
        ((7.575, 7.494, 7.440, 7.421), False),  # by less than a hundredth
        ((4.262, 3.602, 3.369, 3.081, 2.864, 2.743, 2.664, 2.657), True),
        ((4.834, 4.801), False),  # two steps of labels drawn at random
    ],
)
def test_a_curve_that_is_level_at_its_end_is_not_said_to_fall(
    tmp_path: Path, losses: tuple[float, ...], falls: bool
) -> None:
    run = scored(tmp_path / "run", one(MAJORITY, 0.0, 1.0), losses=losses)
    found = run.learnt
    assert found is not None
    assert ("still falling" in " ".join(found.advice)) == falls
    assert bool(too_early(RunFolder(run.folder), run.card)) == falls


def test_a_run_that_ended_too_early_is_told_how_to_go_on(tmp_path: Path) -> None:
    found = scored(tmp_path / "run", one(MAJORITY, 0.0, 1.0), losses=(0.7, 0.6, 0.5)).learnt
    assert found is not None
    assert found.advice[0].startswith("It ended too early, while its validation loss was still falling. Train longer:")
    assert f"--from {tmp_path / 'run'}" in found.advice[0]


def test_a_model_that_counts_anew_does_not_begin_from_itself(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "run", model="ngrams")
    folder.write_scores({"accuracy": 0.5, "baselines": [asdict(one(MAJORITY, 0.0, 1.0))]})
    found = load(folder.path).learnt
    assert found is not None
    assert "--model ngrams --minutes 5" in found.advice[0]
    assert "--from" not in found.advice[0]


def test_a_model_behind_the_linear_one_is_told_its_command(tmp_path: Path) -> None:
    run = scored(tmp_path / "run", one(MAJORITY, 0.2, 0.001), one("ngrams", -0.2, 0.001))
    found = run.learnt
    assert found is not None
    assert found.better
    assert found.verdict == "better than the majority class, behind a linear model (ngrams)"
    assert found.sentences[1].startswith("BEHIND the linear model ngrams fitted beside it, which has 50.0 %")
    assert found.advice == ("Use the linear model: glassformer train classify negation:300 --model ngrams",)


def test_a_model_behind_that_was_still_learning_is_told_to_train_longer_first(tmp_path: Path) -> None:
    run = scored(tmp_path / "run", one(MAJORITY, 0.2, 0.001), one("ngrams", -0.2, 0.001), losses=(0.7, 0.6))
    found = run.learnt
    assert found is not None
    assert found.advice[0].startswith("It ended too early")
    assert found.advice[1].startswith("Use the linear model")


def test_a_model_level_with_the_linear_one_may_go_on_while_its_loss_still_falls(tmp_path: Path) -> None:
    level = one("ngrams", -0.025, 1.0)
    found = scored(tmp_path / "falls", one(MAJORITY, 0.2, 0.001), level, losses=(0.7, 0.6)).learnt
    assert found is not None
    assert [each.kind for each in found.todo] == ["longer"]
    found = scored(tmp_path / "ahead", one(MAJORITY, 0.2, 0.001), one("ngrams", 0.2, 0.001), losses=(0.7, 0.6)).learnt
    assert found is not None
    assert found.todo == ()


def test_a_small_lead_of_few_samples_is_told_in_answers(tmp_path: Path) -> None:
    level = one("ngrams", -0.025, 1.0)
    found = scored(tmp_path / "run", one(MAJORITY, 0.4, 0.001), level, accuracy=0.975, samples=40).learnt
    assert found is not None
    assert found.sentences[1].endswith("p = 1.000). That is 1 answer of 40, which may be chance.")


def test_where_only_the_linear_model_learns_the_labels_are_sound(tmp_path: Path) -> None:
    found = scored(tmp_path / "run", one(MAJORITY, 0.0, 1.0), one("ngrams", -0.4, 0.001, learns=True)).learnt
    assert found is not None
    assert "The labels can be learnt from these texts: the linear model does." in found.advice


def test_a_linear_model_that_only_says_the_majority_class_has_learnt_nothing(tmp_path: Path) -> None:
    """97 of 100 are ham: the model guesses, the linear one always says ham; nobody shows that labels can be learnt."""
    found = scored(tmp_path / "run", one(MAJORITY, -0.5, 0.0001), one("ngrams", -0.5, 0.0001, learns=False)).learnt
    assert found is not None
    assert found.sentences[1].startswith("BEHIND the linear model ngrams")
    told = " ".join(found.advice)
    assert "not really ahead of the majority class either" in told
    assert "can be learnt" not in told
    assert "Use the linear model" not in told


def test_samples_that_show_the_same_text_are_one_witness(tmp_path: Path) -> None:
    """Six texts, each of them eight times: 48 samples, but a sign test over six."""
    texts, right = ["abcdef"[i % 6] for i in range(48)], outcomes(*([1] * 48))
    labels = ["ab"[i % 2] for i in range(48)]
    assert against_majority(right, labels, "a").better
    once = against_majority(by_text(right, texts), labels, "a", texts)
    assert (once.score, once.p_value) == (0.5, pytest.approx(2 / 2**3))
    found = judged(tmp_path / "run", {"accuracy": 1.0, "samples": 48, "texts": 6, "baselines": [asdict(once)]}, (0.7,))
    assert found.undecided
    assert "On 6 different texts, such a difference can come by chance (p = 0.250)." in found.sentences[0]
    assert found.advice[-1].endswith("of 6 different texts, the majority class alone gets 3 right.")


def test_a_good_model_needs_no_advice(tmp_path: Path) -> None:
    found = scored(tmp_path / "run", one(MAJORITY, 0.2, 0.0001), one("ngrams", 0.1, 0.01)).learnt
    assert found is not None
    assert found.verdict == "better than the majority class"
    assert found.sentences[0].startswith("Better than the majority class: accuracy 50.0 %")
    assert "p < 0.001" in found.sentences[0]
    assert found.sentences[1].startswith("Ahead of the linear model ngrams")
    assert found.advice == ()
    assert found.to_dict()["better_than_majority"] is True
    assert [each["baseline"] for each in found.to_dict()["baselines"]] == [MAJORITY, "ngrams"]


def on(right: tuple[int, ...], labels: str, linear: tuple[int, ...] = ()) -> dict[str, Any]:
    """What is kept of answers that were right or wrong, and of a linear model's."""
    found = [against_majority(outcomes(*right), list(labels), majority(list(labels)))]
    found += [against(outcomes(*right), outcomes(*linear), "ngrams")] if linear else []
    return {"accuracy": sum(right) / len(right), "samples": len(right), "baselines": [asdict(each) for each in found]}


def judged(path: Path, scores: dict[str, Any], losses: tuple[float, ...]) -> Learnt:
    folder = small_run(path)
    folder.write_scores(scores)
    for step, loss in enumerate(losses):
        folder.log({"event": "judged", "step": step, "loss": loss})
    found = load(folder.path).learnt
    assert found is not None
    return found


def test_six_right_of_six_are_too_few_to_tell_and_nothing_is_left_to_learn(tmp_path: Path) -> None:
    found = judged(tmp_path / "run", on((1,) * 6, "aaabbb", (1,) * 6), (0.7, 0.1, 0.0012))
    assert (found.better, found.undecided, found.verdict) == (False, True, "too few samples to tell")
    assert found.sentences == (
        "TOO FEW SAMPLES TO TELL: accuracy 100.0 %, against 50.0 % for the majority class (“a”). "
        "On 6 samples, such a difference can come by chance (p = 0.250).",
        "Not to be told from the linear model ngrams fitted beside it, which has 100.0 %: on these samples the two are "
        "right and wrong together.",
    )
    assert found.advice == (
        "Give it more data, so that more is left to be tried: of 6 samples, the majority class alone gets 3 right.",
    )
    assert found.to_dict()["undecided"] is True
    assert found.to_dict()["todo"][0]["kind"] == "data"


def test_a_model_that_makes_no_mistake_on_enough_samples_is_better_and_done(tmp_path: Path) -> None:
    found = judged(tmp_path / "run", on((1,) * 12, "ab" * 6, (1,) * 12), (0.7, 0.1))
    assert (found.better, found.undecided, found.advice) == (True, False, ())


@pytest.mark.parametrize("count", range(1, 13))
@pytest.mark.parametrize("slips", [0, 1, 3])
@pytest.mark.parametrize("linear", [0, 1, 12])
def test_no_sentence_contradicts_another(tmp_path: Path, count: int, slips: int, linear: int) -> None:
    """Of so many samples, each way of being right and wrong; the majority is half of them."""
    right = tuple(int(i >= slips) for i in range(count))
    beside = tuple(int(i >= linear) for i in range(count))
    found = judged(tmp_path / "run", on(right, "ab" * (count // 2) + "a" * (count % 2), beside), (0.7, 0.1, 0.0012))
    first, other = found.against
    told = " ".join((*found.sentences, *found.advice))
    if "NO BETTER" in told:
        assert first.low <= 0
        assert not found.undecided
    if found.better:
        assert first.low > 0
    if "Level with" in found.sentences[1]:
        assert other.low <= 0 <= other.high
    if "is not really ahead of the majority class either" in told:
        assert other.score <= first.score
    assert "still falling" not in told  # a hundredth of the first loss is left
    if found.undecided:
        assert "columns" not in told


def test_of_one_validation_nobody_says_that_it_fell(tmp_path: Path) -> None:
    found = judged(tmp_path / "run", on((1, 0) * 10, "ab" * 10), (0.7,))
    assert found.advice[0].startswith("It ended before it was validated twice. Train longer: glassformer train")


def test_a_run_scored_before_there_were_baselines_has_its_confusion_matrix(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "run")
    folder.write_scores({"accuracy": 13 / 20, "confusion": {"labels": ["a", "b"], "table": [[5, 4], [3, 8]]}})
    found = load(folder.path).learnt
    assert found is not None
    assert len(found.against) == 1
    assert (found.against[0].answer, found.against[0].score) == ("b", 11 / 20)
    assert found.against[0].ahead == pytest.approx(2 / 20)  # ahead on five, behind on three
    assert found.against[0].p_value == pytest.approx(2 * (56 + 28 + 8 + 1) / 2**8)


def test_what_is_not_known_is_not_said(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "run")
    assert load(folder.path).learnt is None
    folder.write_scores({"accuracy": 0.5})
    assert learnt(RunFolder(folder.path), load(folder.path).card) is None
    translator = small_run(tmp_path / "pairs", "pairs")
    translator.write_scores({"bleu": 31.0, "baselines": []})
    assert load(translator.path).learnt is None


def test_what_text_alone_can_do_is_the_bar_for_a_translator(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "pairs", "pairs")
    lead = Against(LOOKUP, "", 11.0, 20.0, 17.0, 23.0, 0.001)
    folder.write_scores({"bleu": 31.0, "samples": 11, "baselines": [asdict(lead)]})
    found = load(folder.path).learnt
    assert found is not None
    assert found.verdict == "better than the translation of the nearest training sentence"
    assert found.advice == ()
    assert found.sentences == (
        "Better than the translation of the nearest training sentence: BLEU 31.0, against 11.0; ahead by +20.0 "
        "(95 % confidence interval +17.0 to +23.0, p = 0.001).",
    )


def test_of_a_loss_less_is_ahead() -> None:
    model, other = mean_of_rows(np.array([[2.0, 1.0], [2.5, 1.0]])), mean_of_rows(np.array([[3.0, 1.0], [3.5, 1.0]]))
    found = against_text(model, other, PAIRS, "loss")
    assert (found.score, found.ahead, found.low, found.high, found.better) == (3.25, 1.0, 1.0, 1.0, True)
    assert against_text(other, model, PAIRS, "loss").worse


def test_the_model_that_comes_along_is_better_than_the_majority() -> None:
    found = gf.load("sentiment").learnt
    assert found is not None
    assert found.better
    assert found.against[0].score == 0.5


def test_no_interval_is_told_where_resampling_shows_no_spread() -> None:
    alike = Against(MAJORITY, "a", 0.0, 1.0, 1.0, 1.0, 0.0001)
    assert "resampling tells no interval" in _by(alike, "accuracy")
    assert "95 % confidence interval" not in _by(alike, "accuracy")
    assert "95 % confidence interval +90.0 to +100.0" in _by(replace(alike, low=0.9), "accuracy")
