"""Attention once more, in plain loops over Python floats: slow, obvious, and sharing not a line with the package."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Row = Sequence[float]
Rows = Sequence[Row]


@dataclass(frozen=True)
class Weights:
    """The learned numbers of one attention. A matrix is a list of rows, written as on paper: X W + b."""

    query: tuple[Rows, Row]
    key: tuple[Rows, Row]
    value: tuple[Rows, Row]
    output: tuple[Rows, Row]


def linear(rows: Rows, weight: Rows, bias: Row) -> list[list[float]]:
    """Rows times a matrix, plus a row."""
    answer = []
    for row in rows:
        new = []
        for column in range(len(bias)):
            total = bias[column]
            for i, number in enumerate(row):
                total += number * weight[i][column]
            new.append(total)
        answer.append(new)
    return answer


def softmax(scores: Row) -> list[float]:
    """Shares of one whole; a row of −∞ gets zeros."""
    top = max(scores)
    if top == -math.inf:
        return [0.0] * len(scores)
    powers = [math.exp(score - top) for score in scores]
    return [power / math.fsum(powers) for power in powers]


def sigmoid(scores: Row) -> list[float]:
    """Each score by itself."""
    return [0.0 if score == -math.inf else 1.0 / (1.0 + math.exp(-score)) for score in scores]


def attention(
    x: Rows,
    context: Rows,
    weights: Weights,
    n_heads: int,
    n_kv_heads: int,
    allowed: Sequence[Sequence[Sequence[bool]]],
    weigh: Callable[[Row], list[float]] = softmax,
    scale: float | None = None,
) -> tuple[list[list[float]], list[list[list[float]]]]:
    """One text at a time: the answer, and the weights of every head. `allowed[head][query][key]` is the mask."""
    queries, keys, values = (
        linear(x, *weights.query),
        linear(context, *weights.key),
        linear(context, *weights.value),
    )
    d_key = len(queries[0]) // n_heads
    d_value = len(values[0]) // n_kv_heads
    factor = 1.0 / math.sqrt(d_key) if scale is None else scale
    joined: list[list[float]] = [[] for _ in x]
    shown = []
    for head in range(n_heads):
        group = head // (n_heads // n_kv_heads)
        head_weights = []
        for i, query in enumerate(queries):
            scores = []
            for j, key in enumerate(keys):
                total = 0.0
                for c in range(d_key):
                    total += query[head * d_key + c] * key[group * d_key + c]
                scores.append(factor * total if allowed[head][i][j] else -math.inf)
            shares = weigh(scores)
            head_weights.append(shares)
            for c in range(d_value):
                total = 0.0
                for j, share in enumerate(shares):
                    total += share * values[j][group * d_value + c]
                joined[i].append(total)
        shown.append(head_weights)
    return linear(joined, *weights.output), shown
