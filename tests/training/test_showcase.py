"""What is shown of a model: the first wrong answers, and of a writer the first of all."""

from collections.abc import Sequence

from glassformer.objectives.evaluation import judge_answers
from glassformer.objectives.objective import Verdict
from glassformer.text.samples import Labelled, Pair, Plain, Sample, truth_of
from glassformer.training.showcase import SHORT, WRONG, Example, examples, opening


def judged(samples: Sequence[Sample], answers: Sequence[str]) -> Verdict:
    return judge_answers(answers, [truth_of(sample) for sample in samples], seed=0)


def test_of_a_classifier_the_wrong_answers_are_shown() -> None:
    samples = [Labelled(f"text {i}", "yes" if i % 2 else "no") for i in range(40)]
    assert examples(samples, judged(samples, [sample.label for sample in samples]), writes=False) == []
    found = examples(samples, judged(samples, ["no"] * 40), writes=False)
    assert found == [Example(f"text {i}", "yes", "no") for i in range(1, 2 * WRONG, 2)]


def test_of_a_writer_the_first_are_shown_too() -> None:
    samples = [Pair(str(i), str(i)) for i in range(20)]
    answers = [str(i) if i < 10 else "" for i in range(20)]
    found = examples(samples, judged(samples, answers), writes=True)
    assert [each.given for each in found] == [*"0123", *map(str, range(10, 10 + WRONG))]


def test_a_text_to_begin_with_is_one_of_them_and_short() -> None:
    long = "seven letters each " * 11
    assert opening([Plain(long), Labelled("so  warm\n", "yes"), Labelled("dull", "no")]) == "so warm"
    assert opening([Pair("", "nothing"), Pair("one two", "eins zwei")]) == "one two"
    assert long.startswith(opening([Plain(long)]))
    assert SHORT - 19 < len(opening([Plain(long)])) <= SHORT
    assert opening([Plain("x" * 500)]) == "x" * SHORT
    assert opening([]) == ""
