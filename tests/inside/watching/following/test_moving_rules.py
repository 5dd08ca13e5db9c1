"""Axes may go and come and change places: what is shown stays B H Tq Tk."""

from helpers.watched_models import Plain
from helpers.watching import inputs, watched
from torch import Tensor


def test_axes_of_size_one_go_and_come() -> None:
    def roundabout(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        scores = q[:, 0, :1] @ k[:, 0].mT  # B 1 Tk
        weights = scores.squeeze(1).softmax(-1)  # B Tk
        return weights.unsqueeze(1).transpose(1, 2).mT @ v[:, 0]

    seen = watched(Plain(roundabout), *inputs())
    assert seen.honest, seen.sentences
    assert seen.trace["weights"].shape == (2, 1, 1, 7)
