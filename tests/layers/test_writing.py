"""One step of writing: with a pencil, beside torch at prime sizes, and beside the greedy way of the models."""

import pytest
import torch
import torch.nn.functional as F

from glassformer.layers.writing import writing_step
from glassformer.models.sampling import likeliest
from glassformer.stages.recorder import record

T, D, N = 5, 7, 11
WRITTEN = torch.tensor([0.0, 3, 1, 4, 1])


@pytest.fixture
def drawn() -> dict[str, torch.Tensor]:
    torch.manual_seed(3)
    rows, weight, bias = (torch.randn(shape, dtype=torch.float64) for shape in ((T, D), (D, N), (N,)))
    return {"rows": rows, "logit_weight": weight, "logit_bias": bias, "written_ids": WRITTEN}


def test_the_likeliest_word_of_the_last_row_is_written_behind_the_others(drawn: dict[str, torch.Tensor]) -> None:
    following, trace = record(writing_step, drawn)
    logits = F.linear(drawn["rows"], drawn["logit_weight"].T, drawn["logit_bias"])[-1]
    torch.testing.assert_close(torch.tensor(trace["next_probabilities"]), F.softmax(logits, -1), rtol=0, atol=1e-12)
    chosen = likeliest(F.log_softmax(logits, -1)[None], [0])
    assert following.tolist() == [*WRITTEN.tolist(), chosen.item()]
    assert "forced_ids" not in trace


def test_training_reads_the_true_words_one_later(drawn: dict[str, torch.Tensor]) -> None:
    target = torch.tensor([3.0, 1, 4, 1, 5, 9, 2])
    _, trace = record(writing_step, {**drawn, "target_ids": target})
    assert trace["forced_ids"].tolist() == [0, 3, 1, 4, 1, 5, 9]
    wanted = F.cross_entropy(torch.tensor(trace["logits"])[None], torch.tensor([5]))
    assert trace["step_loss"].item() == pytest.approx(wanted.item(), rel=0, abs=1e-12)


def test_there_is_no_loss_where_training_would_have_read_something_else(drawn: dict[str, torch.Tensor]) -> None:
    _, trace = record(writing_step, {**drawn, "target_ids": torch.tensor([3.0, 1, 5, 9, 2])})
    assert trace["forced_ids"].tolist() == [0, 3, 1, 5, 9]
    assert "step_loss" not in trace
