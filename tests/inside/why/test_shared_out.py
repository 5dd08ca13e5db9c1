"""Shares: they add up to the margin, are those of integrated gradients, and the blank is the one that is named."""

import pytest
import torch
from helpers.small_models import small
from torch import nn

from glassformer.inside.why.margins import Margin, Prompted, margin_of
from glassformer.inside.why.shared_out import EXACT, Neutral, shared_out
from glassformer.models.registry import MODELS

SPECIAL = (0, 1, 2, 3, 4)
NEUTRAL = Neutral(None, 1, SPECIAL)
ROW = Prompted((5, 7, 11, 6, 17))


class Product(nn.Module):
    """A classifier with a pencil: the logit of class 0 is the product of the first two words' rows, of width 1."""

    def __init__(self, values: list[float]) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(values), 1)
        self.embedding.weight = nn.Parameter(torch.tensor(values)[:, None])

    def forward(self, ids: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        rows = self.embedding(ids)[..., 0]
        return torch.stack([rows[:, 0] * rows[:, 1], torch.zeros(len(ids), dtype=rows.dtype)], 1)


def test_with_a_pencil() -> None:
    """From (0, 0) to (2, 3): ∫ 3t·2 dt = 3 for each of the two factors, and 6 is what there is to share."""
    margin = margin_of(Product([0.0, 2.0, 3.0, 9.0]), "classifier").between(0, 1)
    shared = shared_out(margin, Prompted((1, 2, 3)), (), Neutral(None, 0, (0,)))
    assert shared.parts == pytest.approx((3.0, 3.0, 0.0), abs=1e-12)
    assert shared.blank.name == "a word between unknown and the mean of all words"
    assert shared.blank.margin == 0.0


def asked(name: str) -> tuple[Margin, Prompted]:
    family = MODELS[name].family
    row = Prompted(ROW.ids, (2, 9, 8)) if family == "translator" else ROW
    margin = margin_of(small(name), family)
    return margin.between(*margin.logits([row])[0].topk(2).indices.tolist()), row


@pytest.mark.parametrize("name", [name for name in MODELS if name != "ngrams"])
def test_the_parts_add_up_whatever_the_model(name: str) -> None:
    margin, row = asked(name)
    fixed = (5,) if row.written else (4,)
    shared = shared_out(margin, row, fixed, NEUTRAL)
    whole = float(margin.of_ids([row])[0])
    assert shared.blank.margin + sum(shared.parts) == pytest.approx(whole, abs=1e-9)
    assert abs(shared.error) < 1e-9
    assert shared.parts[fixed[0]] == 0.0
    assert shared.closed < 0.05 * sum(abs(part) for part in shared.parts) + EXACT


def test_they_are_those_of_a_very_fine_sum() -> None:
    """Against the plain rule of ten thousand steps, from the blank that was named."""
    margin, row = asked("transformer")
    shared = shared_out(margin, row, (), NEUTRAL, points=4000)
    full = margin.table[torch.tensor(row.places)]
    start = shared.blank.row.expand_as(full)
    at = (torch.arange(10_000, dtype=torch.float64) + 0.5) / 10_000
    total = torch.zeros(len(full), dtype=torch.float64)
    for some in at.split(500):
        rows = (start + some[:, None, None] * (full - start)).requires_grad_()
        (slope,) = torch.autograd.grad(margin.of_embedded(rows, row).sum(), rows)
        total += (slope * (full - start)).sum((0, 2)) / len(at)
    assert shared.parts == pytest.approx(total.tolist(), abs=1e-4)


def test_more_points_leave_less_to_share_in_proportion() -> None:
    margin, row = asked("translator")
    few, many = (shared_out(margin, row, (5,), NEUTRAL, points=points) for points in (32, 800))
    assert (few.points, many.points) == (32, pytest.approx(800, abs=16)) or many.closed <= EXACT
    assert many.closed < few.closed or few.closed <= EXACT


def test_each_blank_has_its_name() -> None:
    margin, row = asked("modern")
    found = [shared_out(margin, row, (), Neutral(*ids, SPECIAL)).blank for ids in ((7, 1), (None, None))]
    assert [blank.name for blank in found] == ["spaces", "the mean of all tokens"]
    torch.testing.assert_close(found[0].row, margin.table[7])
    torch.testing.assert_close(found[1].row, margin.table[5:].mean(0))
    blanked = Prompted((7,) * len(row.ids))
    assert found[0].margin == pytest.approx(float(margin.of_ids([blanked])[0]), abs=1e-12)


def test_where_no_point_is_undecided_it_is_unknown() -> None:
    """One class is ahead at both ends and between: squares are never below 0."""

    class Square(Product):
        def forward(self, ids: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.pad(self.embedding(ids).square().sum(1) + 1, (0, 1))

    margin = margin_of(Square([2.0, 3.0, 5.0]), "classifier").between(0, 1)
    shared = shared_out(margin, Prompted((1, 2)), (), Neutral(None, 0, (0,)))
    assert (shared.blank.name, shared.blank.undecided) == ("unknown words", False)
    assert shared.blank.margin == 9.0
    assert shared.parts == pytest.approx((5.0, 21.0), abs=1e-9)
