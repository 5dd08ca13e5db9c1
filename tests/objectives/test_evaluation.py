"""What objectives share in evaluating: answers right to the letter, and losses over all tokens of all batches."""

import weakref
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from helpers.small_lessons import lessons_for

from glassformer.objectives.evaluation import judge_answers, losses


def test_an_answer_is_right_to_the_letter_or_wrong() -> None:
    verdict = judge_answers(["a", "B", "c ", "d"], ["a", "b", "c", "d"], seed=3, loss=1.5)
    assert verdict.scores["exact"] == 0.5
    assert (verdict.scores["samples"], verdict.scores["loss"]) == (4, 1.5)
    low, high = verdict.scores["exact_interval"]
    assert 0.0 <= low < 0.5 < high <= 1.0
    assert (verdict.answers, verdict.right) == (("a", "B", "c ", "d"), ("a", "b", "c", "d"))


def test_answers_without_their_truth_are_no_answers() -> None:
    with pytest.raises(ValueError, match="shorter"):
        judge_answers(["a", "b"], ["a"], seed=0)


def test_losses_are_summed_batch_by_batch_in_order() -> None:
    lessons, model = lessons_for("answers", dropout=0.0)
    nats, counts = losses(model.eval(), lessons)
    batches = list(lessons.valid.in_order())
    assert counts.tolist() == [int(batch.counted.sum()) for batch in batches]
    assert np.all(nats > 0)
    assert nats[0] == float(lessons.loss(model, batches[0], 0.0)[0].detach())


def test_no_tensor_of_the_batches_before_is_kept() -> None:
    made: list[weakref.ref[torch.Tensor]] = []

    def loss(model: object, batch: object, smoothing: float) -> tuple[torch.Tensor, int]:
        assert not any(each() is not None for each in made[:-1])
        one = torch.tensor(3.0)
        made.append(weakref.ref(one))
        return one, 2

    valid = SimpleNamespace(in_order=lambda: [None] * 7)
    nats, counts = losses(torch.nn.Identity(), SimpleNamespace(loss=loss, valid=valid))  # type: ignore[arg-type]
    assert (nats.tolist(), counts.tolist()) == ([3.0] * 7, [2] * 7)
