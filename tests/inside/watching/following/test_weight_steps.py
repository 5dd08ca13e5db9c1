"""Steps after the softmax, by pencil, and only in the order that the stages have."""

import torch

from glassformer.inside.watching.following.score_steps import Talk
from glassformer.inside.watching.following.weight_steps import Addend, Factor, Renormal, rework, shown_talk, with_step
from glassformer.stages.recorder import Recorder
from glassformer.stages.watchers import nothing

WEIGHTS = torch.tensor([[[[0.25, 0.75]], [[0.5, 0.5]]]])  # B 1, H 2, Tq 1, Tk 2


def test_by_pencil() -> None:
    """Head 0 takes both, head 1 only itself, twice; the second key counts half; then each row adds up to one."""
    see = Recorder()
    talk = Talk(torch.tensor([[1.0, 1.0], [0.0, 2.0]]))
    steps = (talk, Factor(torch.tensor([1.0, 0.5]), (1, 2, 1, 2)), Renormal(0.0))
    reworked = rework(WEIGHTS, steps, see)
    assert see.trace["talked_weights"].tolist() == [[[[0.75, 1.25]], [[1.0, 1.0]]]]
    assert see.trace["reweighted"].tolist() == [[[[0.75, 0.625]], [[1.0, 0.5]]]]
    torch.testing.assert_close(reworked, torch.tensor([[[[6 / 11, 5 / 11]], [[2 / 3, 1 / 3]]]]))


def test_numbers_are_added_before_rows_are_made_to_add_up() -> None:
    see = Recorder()
    half, more = Factor(torch.tensor(0.5), (1, 2, 1, 2)), Addend(torch.tensor([0.25, 0.0]), (1, 2, 1, 2))
    reworked = rework(WEIGHTS, (half, more, Renormal(0.0)), see)
    assert see.trace["joined_weights"].tolist() == [[[[0.375, 0.375]], [[0.5, 0.25]]]]
    torch.testing.assert_close(reworked, torch.tensor([[[[0.5, 0.5]], [[2 / 3, 1 / 3]]]]))
    assert with_step((Renormal(0.0),), more) is None


def test_the_order_is_kept_and_factors_are_joined() -> None:
    factor = Factor(torch.tensor(2.0), (1, 2, 1, 2))
    (joined,) = with_step((factor,), factor) or ()
    assert isinstance(joined, Factor)
    assert float(joined.numbers) == 4.0
    assert with_step((Renormal(0.0),), factor) is None
    assert with_step((Renormal(0.0),), Renormal(0.0)) is None


def test_a_talk_that_is_shown_is_the_same() -> None:
    talk = Talk(torch.eye(2), torch.tensor([1.0, -1.0]))
    shown = shown_talk(talk, "post_talk", WEIGHTS, nothing)
    torch.testing.assert_close(shown(WEIGHTS), WEIGHTS + torch.tensor([1.0, -1.0])[:, None, None])
