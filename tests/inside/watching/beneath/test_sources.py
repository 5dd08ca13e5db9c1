"""What rows were worked out from."""

import torch
from torch import nn

from glassformer.inside.watching.beneath.sources import Sources


def test_answers_to_one_row_have_one_source_and_rows_of_two_places_have_two() -> None:
    sources = Sources(nn.Linear(3, 3))
    x, matrix = torch.zeros(5, 3), torch.zeros(3, 3)
    first, second, other = torch.zeros(5, 3), torch.zeros(5, 3), torch.zeros(1, 3)
    sources.made("mm", [x], [matrix], first)
    sources.made("mm", [x], [matrix], second)
    sources.made("mm", [x[1:2]], [matrix], other)
    assert sources.of(first) == sources.of(second) == sources.of(x)
    assert sources.of(other) != sources.of(x)
    joined, mixed = torch.zeros(5, 2, 3), torch.zeros(5, 3)
    sources.made("cat", [first, second], [], joined)
    assert sources.fan(joined) == {2}
    sources.made("add", [first, other], [], mixed)
    assert sources.of(mixed) != sources.of(x)
    assert sources.fan(mixed) == frozenset()


def test_a_stack_of_matrices_gives_as_many_answers() -> None:
    model = nn.Module()
    model.experts = nn.Parameter(torch.zeros(7, 3, 2))
    sources = Sources(model)
    laid, answers, x = torch.zeros(3, 14), torch.zeros(5, 14), torch.zeros(5, 3)
    sources.made("clone", [], [model.experts], laid)
    sources.made("mm", [x], [laid], answers)
    assert sources.fan(answers) == {7}


def test_rows_that_were_moved_stand_elsewhere_and_have_the_same_root() -> None:
    sources = Sources(nn.Module())
    x, moved, other = torch.zeros(2, 5, 3), torch.zeros(2, 5, 3), torch.zeros(2, 5, 3)
    sources.made("roll", [x], [], moved)
    sources.made("mm", [moved, x], [], other)
    assert sources.of(moved) != sources.of(x)
    assert sources.root(moved) == sources.root(x) == sources.root(other) == sources.root(x[:, 1:2])
    sources.made("add", [torch.zeros(3), x], [], other)
    assert sources.root(other) != sources.root(x)
