"""Scores of the same queries with several lots of keys, joined into one row; and what each lot came to, added up again.

Models that look at blocks and windows do so. It takes nodes and gives nodes, and follows nothing itself.
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from glassformer.inside.watching.following.axes import four_axes
from glassformer.inside.watching.following.nodes import PartMixed, Scores
from glassformer.inside.watching.following.score_steps import LOW, Add, Fill, Stretch, Times


def joined_scores(parts: Sequence[Scores]) -> Scores | None:
    """One row of scores over all keys; None where the queries differ, or what was done to them."""
    first = parts[0]
    shape = (*first.shape[:-1], sum(part.shape[-1] for part in parts))
    alike = all(part.axes == first.axes and part.shape[:-1] == first.shape[:-1] for part in parts)
    if not alike or any(part.scorer != first.scorer for part in parts):
        return None
    lead = first.shape[:-2]
    queries = [part.queries.expand(*lead, *part.queries.shape[-2:]) for part in parts]
    if not all(torch.equal(each, queries[0]) for each in queries):
        return None
    told = [_stretched_and_added(part) for part in parts]
    if any(each is None or each[0] != told[0][0] for each in told):  # type: ignore[index]
        return None
    keys = torch.cat([part.keys.expand(*lead, *part.keys.shape[-2:]) for part in parts], -2)
    numbers = torch.cat([each[1] for each in told if each is not None], -1)
    factor = told[0][0]  # type: ignore[index]
    steps = [Stretch(factor)] if factor != 1.0 else []
    more = [Add(numbers, shape)] if bool(numbers.any()) else []
    products = frozenset().union(*(part.products for part in parts))
    return replace(
        first,
        queries=queries[0],
        keys=keys,
        shape=shape,
        four=four_axes(shape),
        steps=(*steps, *more),
        products=products,
    )


def _stretched_and_added(part: Scores) -> tuple[float, Tensor] | None:
    """One factor for all of them, and the numbers that were added after it."""
    factor, numbers = 1.0, part.queries.new_zeros(part.shape)
    for step in part.steps:
        if getattr(step, "own", False):
            return None
        if isinstance(step, Stretch):
            factor, numbers = factor * step.factor, numbers * step.factor
        elif isinstance(step, Add):
            numbers = numbers + step.numbers.expand(step.at).reshape(part.shape)
        elif isinstance(step, Fill) and step.value <= LOW:
            numbers = numbers.masked_fill(step.where.expand(step.at).reshape(part.shape), step.value)
        elif isinstance(step, Times) and bool((step.numbers == step.numbers.flatten()[0]).all()):
            factor, numbers = factor * float(step.numbers.flatten()[0]), numbers * step.numbers.flatten()[0]
        else:
            return None
    return factor, numbers


def together(one: PartMixed, other: PartMixed) -> PartMixed | None:
    """What two lots of keys of the same attention came to; None if they are not two of one."""
    spans = sorted([*one.values, *other.values])
    apart = all(before[1] <= after[0] for before, after in itertools.pairwise(spans))
    if one.node.number != other.node.number or not apart:
        return None
    return PartMixed(one.node, {**one.values, **other.values})


def all_values(mixed: PartMixed) -> Tensor | None:
    """The values of all keys, … Tk V, once every key has had its turn."""
    scores, spans = mixed.node.scores, sorted(mixed.values)
    meets = all(before[1] == after[0] for before, after in itertools.pairwise(spans))
    if spans[0][0] != 0 or spans[-1][1] != scores.shape[-1] or not meets:
        return None
    whole = torch.cat([mixed.values[span] for span in spans], 1)
    return whole.reshape(*scores.shape[:-2], *whole.shape[-2:])
