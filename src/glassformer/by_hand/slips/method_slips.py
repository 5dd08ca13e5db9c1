"""Slips of method: another expression was worked out than the one meant, such as Q Qᵀ for Q Kᵀ.

A slip is named only if it gives every number of the matrix as printed, the wrong ones and the right ones.
"""

import re
from collections.abc import Iterator
from itertools import chain

import numpy as np

from glassformer.by_hand.grammar.expressions import (
    Call,
    Inverse,
    Matrix,
    Name,
    Node,
    Number,
    Product,
    Span,
    Sum,
    Transpose,
    children,
    product,
    sum_of,
    walk,
    with_children,
)
from glassformer.by_hand.grammar.names import stage_of
from glassformer.by_hand.numbers.intervals import LOCAL
from glassformer.by_hand.slips.causes import (
    K_K,
    KEYS_VALUES,
    MASK_AFTER,
    MASK_TIMES,
    NO_EXP,
    NO_RELU,
    NO_SOFTMAX,
    NO_SUM,
    NOT_SCALED,
    Q_Q,
    SCALED_BY_D,
    SCALED_UP,
    SWAPPED_ORDER,
    TERM_LEFT_OUT,
    TURNED,
    UNMASKED,
    UNSCALED,
    WRONG_AXIS,
    Scene,
)
from glassformer.errors import InputError


def method_slips(scene: Scene) -> Iterator[str]:
    """All that give the wrong numbers, likelier ones first."""
    tried: set[str] = {scene.expected.key + KEYS_VALUES}
    whole = (KEYS_VALUES, _with_keys_for_values(scene.expected))
    for cause, node in chain(_variants(scene.expected, scene, 0), [whole]):
        if node.key + cause in tried:
            continue
        tried.add(node.key + cause)
        try:
            value = scene.evaluate(node)
        except InputError:
            continue
        if scene.reproduced(value):
            yield cause


def _variants(node: Node, scene: Scene, depth: int) -> Iterator[tuple[str, Node]]:
    """Other expressions that somebody may have worked out instead, likelier ones first."""
    inside = depth > 0
    match node:
        case Product() if not node.entrywise:
            yield from _product_variants(node, inside, scene)
        case Call(function="softmax"):
            yield from _softmax_variants(node, scene)
        case Call(function="relu"):
            yield NO_RELU, node.of
        case Sum():
            yield from _sum_variants(node)
    for i, child in enumerate(children(node)):
        if isinstance(node, Matrix) or (isinstance(child, Number) and not inside):
            break
        deeper = depth + 1 if isinstance(node, Call | Product | Sum) else depth
        for cause, new in _variants(child, scene, deeper):
            yield cause, with_children(node, (*children(node)[:i], new, *children(node)[i + 1 :]))
    source = scene.origin(node) if depth < 4 and isinstance(node, Name | Matrix) else None
    if source is not None and source.key != node.key:
        yield from _variants(source, scene, depth + 1)


def _product_variants(node: Product, inside: bool, scene: Scene) -> Iterator[tuple[str, Node]]:
    factors = node.factors
    if all(isinstance(each, Number | Inverse | Product) for each in walk(node)):
        return  # plain numbers are not scaled

    def put(i: int, *new: Node) -> Node:
        return product([*factors[:i], *new, *factors[i + 1 :]], node.span)

    for i, factor in enumerate(factors):
        if isinstance(factor, Inverse) and len(factors) > 1:
            yield (UNSCALED if inside else NOT_SCALED), put(i)
            if isinstance(factor.of, Call) and factor.of.function == "sqrt":
                yield SCALED_BY_D, put(i, Inverse(factor.of.of, factor.span))
            else:
                yield SCALED_BY_D, put(i, factor, factor)
            yield SCALED_UP, put(i, factor.of)
    matrices = [i for i, factor in enumerate(factors) if not isinstance(factor, Inverse | Number)]
    if len(matrices) > 1 and not inside:
        first, second = factors[matrices[0]], factors[matrices[1]]
        keys = second if isinstance(second, Transpose) else scene.origin(second)
        if isinstance(keys, Transpose):
            yield Q_Q, put(matrices[1], Transpose(first, first.span))
            yield K_K, put(matrices[0], keys.of)
    for i in matrices if len(matrices) > 1 else []:
        factor = factors[i]
        yield TURNED, put(i, factor.of if isinstance(factor, Transpose) else Transpose(factor, factor.span))
    if len(matrices) == 2 and not inside:
        a, b = matrices
        swapped = list(factors)
        swapped[a], swapped[b] = swapped[b], swapped[a]
        yield SWAPPED_ORDER, Product(tuple(swapped), node.span)


def _softmax_variants(node: Call, scene: Scene) -> Iterator[tuple[str, Node]]:
    yield WRONG_AXIS, Call("column softmax", node.of, node.span)
    yield NO_EXP, Call("shares", node.of, node.span)
    yield NO_SUM, Call("exp", node.of, node.span)
    yield NO_SOFTMAX, node.of
    argument = node.of
    source = scene.origin(argument) if isinstance(argument, Name | Matrix) else None
    argument = source if isinstance(source, Sum) else argument
    if isinstance(argument, Sum):
        for i, term in enumerate(argument.terms):
            mask = _zero_one_mask(term, scene)
            if mask is not None:
                rest = sum_of([*argument.terms[:i], *argument.terms[i + 1 :]], argument.span)
                yield MASK_AFTER, Product((Call("softmax", rest, node.span), mask), node.span, entrywise=True)
                yield MASK_TIMES, Call("softmax", Product((rest, mask), node.span, entrywise=True), node.span)


def _sum_variants(node: Sum) -> Iterator[tuple[str, Node]]:
    for i, term in enumerate(node.terms):
        rest = sum_of([*node.terms[:i], *node.terms[i + 1 :]], node.span)
        yield (UNMASKED if _is_mask(term) else TERM_LEFT_OUT), rest


def _is_mask(term: Node) -> bool:
    if isinstance(term, Matrix):
        return any(isinstance(entry, Number) and entry.text == "inf" for row in term.rows for entry in row)
    return isinstance(term, Name) and stage_of(term.text) == "mask"


def _zero_one_mask(term: Node, scene: Scene) -> Matrix | None:
    """1 where a mask of 0 and −∞ allows a look, 0 where it does not."""
    if not _is_mask(term):
        return None
    try:
        allowed = np.isfinite(scene.evaluate(term).middle(LOCAL))
    except InputError:
        return None
    here = Span(term.span.start, term.span.end)
    return Matrix(tuple(tuple(Number("1" if ok else "0", here) for ok in row) for row in allowed), here)


_KEYS_OR_VALUES = re.compile(r"(W_)?([KVkv])(_?\w*)")


def _with_keys_for_values(node: Node) -> Node:
    """The same formula with K for V and V for K, wherever they stand."""
    if isinstance(node, Name) and (match := _KEYS_OR_VALUES.fullmatch(node.text)):
        other = match[2].translate(str.maketrans("KVkv", "VKvk"))
        return Name(f"{match[1] or ''}{other}{match[3]}", node.span, node.index)
    return with_children(node, tuple(_with_keys_for_values(child) for child in children(node)))
