"""The table of objectives: every row says all that is asked of it, and only what fits together is put together."""

import numpy as np
import pytest

from glassformer.drawing.score_words import SCORES
from glassformer.errors import InputError
from glassformer.models.card import Card
from glassformer.models.config import to_dict
from glassformer.models.registry import MODELS
from glassformer.objectives.table import OBJECTIVES, evaluate, objective_of, objectives_of, usual_objective
from glassformer.runs.run import Run
from glassformer.text.made_sets import MADE
from glassformer.text.samples import Labelled, Pair, Plain
from glassformer.text.tasks import TASKS, tasks_for
from glassformer.text.token_kinds import END, MASK, START
from glassformer.text.tokens import Tokens

TOKENS = Tokens.train("character", ["abcde"])


def card(**changed: str) -> Card:
    named = {"task": "classify", "model": "transformer", "objective": "classes", **changed}
    config = to_dict(MODELS[named["model"]].default)
    return Card(**named, config=config, labels=("bad", "good"), longest=23)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", OBJECTIVES)
def test_a_row_names_only_what_there_is(name: str) -> None:
    row = OBJECTIVES[name]
    assert row.family in {kind.family for kind in MODELS.values()}
    assert tasks_for(row.family)
    assert {row.main, row.beside} <= set(SCORES)
    assert row.reads in {"", *TASKS}
    assert row.samples in TASKS[row.reads or tasks_for(row.family)[0]].samples


@pytest.mark.parametrize("name", TASKS)
def test_a_task_names_only_what_there_is(name: str) -> None:
    task = TASKS[name]
    assert MODELS[task.model].family == task.family
    assert {OBJECTIVES[usual_objective(name, sample)].samples for sample in ONE_OF_EACH if type(sample) in task.samples}
    assert all(TASKS[each.task] for each in MADE.values())


ONE_OF_EACH = (Labelled("a", "b"), Pair("a", "b"), Plain("a"))


def test_what_a_task_can_learn_follows_from_its_family_and_its_samples() -> None:
    assert {task: objectives_of(task) for task in TASKS} == {
        "classify": ["classes", "masked"], "translate": ["pairs"], "generate": ["stream", "answers", "spans"],
    }  # fmt: skip
    assert usual_objective("generate", Plain("a")) == "stream"
    assert usual_objective("generate", Pair("a", "b")) == "answers"
    with pytest.raises(InputError, match="a translator could learn from Plain samples"):
        usual_objective("translate", Plain("a"))


@pytest.mark.parametrize(
    ("name", "text", "ids"),
    [
        ("classes", "ab", "ab"),
        ("pairs", "ab", "ab"),
        ("stream", "ab", "ab"),
        ("stream", "", (END,)),
        ("answers", "ab", ("ab", START)),
        ("spans", "a<mask>b", ("a", MASK, "b", START)),
        ("spans", "ab", ("ab", MASK, START)),
    ],
)
def test_a_text_is_given_to_a_model_as_in_training(name: str, text: str, ids: tuple[str | int, ...]) -> None:
    wanted = [each for part in ids for each in ([part] if isinstance(part, int) else TOKENS.encode(part).ids)]
    found = OBJECTIVES[name].prompt(TOKENS, text)
    assert found.dtype == np.int64
    assert found.tolist() == wanted


def test_a_card_whose_names_do_not_fit_together_is_refused() -> None:
    assert objective_of(card()) is OBJECTIVES["classes"]
    for changed, said in (
        ({"objective": "clases"}, "no objective called 'clases'; did you mean 'classes'"),
        ({"task": "clasify"}, "no task called 'clasify'; did you mean 'classify'"),
        ({"objective": "stream"}, "A classifier .* cannot have learnt 'stream' to classify"),
        ({"task": "generate"}, "cannot have learnt 'classes' to generate"),
        ({"model": "gpt"}, "A language model .'gpt'. cannot have learnt 'classes'"),
    ):
        with pytest.raises(InputError, match=said):
            objective_of(card(**changed))


def test_what_only_prepares_a_model_says_so() -> None:
    assert [name for name, row in OBJECTIVES.items() if row.pretrains] == ["masked", "spans"]
    assert [name for name, row in OBJECTIVES.items() if row.predict is None] == ["masked"]


def test_rows_that_were_kept_give_the_score_again() -> None:
    rows = np.array([[1.0, 1.0], [0.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
    assert OBJECTIVES["classes"].measure(rows).value == OBJECTIVES["answers"].measure(rows).value == 0.75
    assert OBJECTIVES["stream"].measure(np.array([[6.0, 2.0], [3.0, 4.0]])).value == 1.5
    perfect = np.array([[5, 5, 5, 4, 3, 2, 5, 4, 3, 2]], dtype=np.float64)  # lengths, n-grams found, n-grams written
    assert OBJECTIVES["pairs"].measure(perfect).value == pytest.approx(100)


def test_samples_of_another_kind_are_refused(classifier: Run) -> None:
    for samples, said in (([Plain("a")], "these are Plain"), ([], "these are none")):
        with pytest.raises(InputError, match=said):
            evaluate(classifier.model, classifier.card, classifier.tokens, samples)
    with pytest.raises(InputError, match="these samples have 'neutral'"):
        evaluate(classifier.model, classifier.card, classifier.tokens, [Labelled("a", "neutral")])
