"""The mask laboratory finds the leak of each wrong style, and none in the right one."""

import numpy as np
import pytest

from glassformer.by_hand.worksheets.mask_laboratory import STYLES, Trial, experiments, try_masks

CAUSAL = np.array([[True, False], [True, True]])


def trials(scores: list[list[float]], mask: np.ndarray = CAUSAL, times: float = 1.0) -> dict[str, Trial]:
    return {trial.style: trial for trial in try_masks(np.array(scores), mask, times)}


def test_with_equal_scores_every_number_can_be_done_in_the_head() -> None:
    after, before, finite, infinite = trials([[0.0, 0.0], [0.0, 0.0]]).values()
    assert after.weights.tolist() == [[0.5, 0], [0.5, 0.5]]
    assert after.row_sums.tolist() == [0.5, 1]
    assert after.felt == 0.25  # the slope of a share of one half: ½ · ½
    assert before.weights.tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert before.leaked == 0.5
    assert finite.weights.tolist() == infinite.weights.tolist() == [[1, 0], [0.5, 0.5]]
    assert [trial.right for trial in (after, before, finite, infinite)] == [False, False, True, True]


def test_a_finite_mask_is_outbid_by_large_scores() -> None:
    large = trials([[0.0, 3.0], [0.0, 0.0]], times=1e4)
    assert large["add −10,000"].leaked == 1.0
    assert large["zero after softmax"].whole.tolist() == [False, True]
    assert large["add −∞"].right
    assert [trial.right for trial in large.values()] == [False, False, False, True]


def test_only_infinity_hides_whatever_the_scores() -> None:
    generator = np.random.default_rng(5)
    for _ in range(20):
        scores = generator.normal(size=(5, 5))
        assert try_masks(scores, np.tri(5, dtype=bool), 10 ** generator.uniform(0, 6))[-1].right
        found = {trial.style: trial for trial in try_masks(scores, np.tri(5, dtype=bool))}
        assert found["add −∞"].right
        assert not found["zero after softmax"].right
        assert not found["multiply before softmax"].right


def test_a_row_that_may_look_at_nothing_is_zero_and_no_number_is_nan() -> None:
    empty = trials([[1.0, 2.0], [3.0, 4.0]], np.array([[False, False], [True, True]]))
    assert empty["add −∞"].weights[0].tolist() == [0, 0]
    assert empty["add −∞"].right
    for trial in empty.values():
        assert np.isfinite(trial.weights).all()


def test_a_finite_mask_gives_an_empty_row_to_hidden_tokens() -> None:
    nothing = experiments(np.zeros((2, 2)), CAUSAL)[2]
    assert nothing.mask.tolist() == [[False, False], [True, True]]
    found = {trial.style: trial for trial in nothing.trials}
    assert found["add −10,000"].weights.tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert found["add −10,000"].leaks.tolist() == [1, 0]
    assert not found["add −10,000"].right
    assert found["add −∞"].weights.tolist() == [[0, 0], [0.5, 0.5]]
    assert found["add −∞"].right


def test_the_slopes_are_those_of_a_finite_difference() -> None:
    scores, mask, step = np.random.default_rng(7).normal(size=(3, 5)), np.tri(3, 5, 1, dtype=bool), 1e-6
    for k, trial in enumerate(try_masks(scores, mask)):
        largest = np.zeros(3)
        for i, j in np.argwhere(~mask):
            moved = scores.copy()
            moved[i, j] += step
            change = np.abs(try_masks(moved, mask)[k].weights - trial.weights)[mask].max() / step
            largest[i] = max(largest[i], change)
        np.testing.assert_allclose(trial.slopes, largest, rtol=0, atol=1e-5)


@pytest.mark.parametrize("style", STYLES)
def test_without_a_mask_all_styles_agree(style: str) -> None:
    found = trials([[0.3, -1.0], [2.0, 0.1]], np.ones((2, 2), dtype=bool))
    np.testing.assert_allclose(found[style].weights, found["add −∞"].weights, rtol=0, atol=1e-15)
