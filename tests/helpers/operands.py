"""Operands for every operation of the catalogue, drawn at random: prime sizes, extreme rows, absent ones left out."""

import random
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from glassformer.stages.arithmetic import Array, Index

# The shape of the stage that is made, then of each operand; a trailing `?` may be absent. b batch, h heads, g key/value
# heads, q queries, k keys, d width, v value width, p pairs, x and y the widths of all heads, n words, 1 broadcast.
SHAPES: Mapping[str, str] = MappingProxyType(
    {
        "project": "bqv bqd dv v?",
        "project to heads": "bhqv bqd dx x?",
        "split heads": "bhqv bqx",
        "three side by side": "dz dp dk dv",
        "cut first": "bhqv bqx",
        "cut second": "bgqv bqz dv",
        "cut third": "bhqp bqy dv dp",
        "rotate": "bhqr bhqr 1qp 1qp",
        "dot": "bhqk bhqd bgkd",
        "distance": "bhqk bhqd bgkd",
        "squared distance": "bhqk bhqd bgkd",
        "talk": "bhqk bhqk hh h?",
        "renormalise": "bhqk bhqk -",
        "synthesize": "bhqk bhqd hdk hk",
        "cut": "bhqk hqk",
        "inverse root": "- -",
        "scale": "bhqk bhqk -",
        "cap": "bhqk bhqk -",
        "add": "bqd bqd qd",
        "subtract": "bqk 1q bk",
        "penalise": "bhqk h 1qk",
        "bucket": "bqk bqk nh -",
        "bucket backwards": "bqk bqk nh -",
        "pick": "bhqk 1qk nh",
        "mask": "bhqk bhqk 11qk",
        "softmax": "bhqk bhqk",
        "softmax over queries": "bhqk bhqk",
        "quiet softmax": "bhqk bhqk",
        "sigmoid": "bhqk bhqk",
        "drop": "bhqk bhqk -",
        "mix": "bhqv bhqk bgkv",
        "join heads": "bqx bhqv",
        "same": "bqd bqd",
        "mean": "bq bqd",
        "variance": "bq bqd bq",
        "mean square": "bq bqd",
        "layer norm": "bqd bqd bq bq - d? d?",
        "rms norm": "bqd bqd bq - d?",
        "relu": "bqd bqd",
        "gelu": "bqd bqd",
        "tanh gelu": "bqd bqd",
        "squared relu": "bqd bqd",
        "silu": "bqd bqd",
        "first row": "bd bqd",
        "swiglu": "bqd bqd bqd",
        "geglu": "bqd bqd bqd",
        "reglu": "bqd bqd bqd",
        "look up": "bqd bq nd -?",
        "recur": "bqd bqv vd d dd d bq",
        "last state": "bd bqd bq",
        "largest": "bd bdk",
        "project before": "bqv bqd dv v",
        "lstm gates": "bqz bqz bqz",
        "gru gates": "bqz bqz bqz",
        "keep and write words": "bqv bqz",
        "bend both": "bqd bqd bqd",
        "show cells": "bqv bqz bqv",
        "blend words": "bqv bqz",
        "up to the end": "bqd bqd bq",
        "both ways": "bqh bqv bq bqv",
        "end of way back": "bd bqd bq",
        "fill": "bkd bqd bq",
        "flatten": "bx bqd",
        "unroll texts": "bpx bqd -",
        "turn": "bqd bdq",
        "add places": "bd bqd bqd bqd d",
        "mean of real": "bd bqd bq",
        "unroll": "px qd - -",
        "slide": "vq dx pk - -?",
        "largest of column": "d qd",
        "largest of block": "pp qk -",
        "largest of all": "1 qd",
        "last row": "d bqd",
        "place of largest": "1 n",
        "delay": "k q k",
        "surprise": "1 n k q",
        "stack": "x k d",
        "project both": "v d dv k kv v?",
        "project and let in": "v d dv v? v v",
        "times": "bqd bqd bqd",
        "tanh": "bqd bqd",
        "keep and write": "d d d d d",
        "show cell": "d d d",
        "blend": "d d d d",
        "wave divisor": "p - p -",
        "divide": "qp q p",
        "wave": "qx qd",
    }
)
SIZES = MappingProxyType(
    {"b": 2, "h": 6, "g": 3, "q": 5, "k": 7, "d": 11, "v": 3, "p": 2, "r": 5, "x": 18, "y": 17, "z": 12, "n": 13}
)
Given = tuple[str, Array]


def random_case(operation: str, seed: int) -> tuple[Index, Given, list[Given | None]]:
    """A place, the stage that is made, and its operands: each an address and its values."""
    draw = random.Random(f"{operation} {seed}")
    made, *operands = SHAPES[operation].split()
    noise = np.random.default_rng(seed)
    values = [_drawn(operation, k, shape, draw, noise) for k, shape in enumerate([made, *operands])]
    found: list[Given | None] = [
        None if shape.endswith("?") and draw.random() < 0.4 else (f"operand{k}", values[k + 1])
        for k, shape in enumerate(operands)
    ]
    return tuple(draw.randrange(size) for size in values[0].shape), ("made", values[0]), found


def _drawn(operation: str, k: int, shape: str, draw: random.Random, noise: np.random.Generator) -> Array:
    """Numbers as they may come: single precision too, whole rows far up or down, zeros, hidden scores."""
    size = tuple(1 if sign == "1" else SIZES[sign] for sign in shape if sign in SIZES or sign == "1")
    numbers: NDArray[np.float64] = noise.normal(size=size) * draw.choice([1.0, 1.0, 3.0])
    if (operation, k) in {
        ("mask", 2),
        ("last state", 2),
        ("mean of real", 2),
        ("fill", 2),
        ("up to the end", 2),
        ("both ways", 2),
        ("end of way back", 2),
        ("recur", 6),
    }:
        return np.asarray(noise.random(size) < draw.choice([0.0, 0.5, 0.9]))
    if operation.startswith("bucket") and k in (1, 3):  # distances, and the farthest that counts
        return np.asarray(128) if k == 3 else noise.integers(-(reach := draw.choice([4, 300])), reach, size)
    if (operation, k) in {
        ("unroll", 2),
        ("unroll", 3),
        ("unroll texts", 2),
        ("slide", 3),
        ("largest of block", 2),
    }:  # counted in steps
        return np.asarray(draw.choice([1.0, 2.0]))
    if (operation, k) in {("look up", 1), ("pick", 1), ("surprise", 2)}:
        return noise.integers(0, SIZES["n"], size)
    if (operation, k) == ("surprise", 1):  # a share
        return noise.random(size)
    if shape.startswith("-") or (operation, k) in {("layer norm", 3), ("rms norm", 2)}:
        return np.asarray(np.abs(noise.normal(size=size)) * 0.4 + 0.1)
    if "softmax" in operation:
        numbers += draw.choice([0.0, 0.0, 299.0, 350.0, -350.0, 1e4, -1e4, 2345678.9])
        numbers[noise.random(size) < draw.choice([0.0, 0.3, 0.9])] = -np.inf
    if operation in ("drop", "relu", "squared relu", "reglu", "sigmoid", "synthesize"):
        numbers[noise.random(size) < 0.4] = 0.0
    if operation == "sigmoid":
        numbers *= draw.choice([1.0, 100.0, 400.0])
    return numbers.astype(np.float32) if draw.random() < 0.5 else numbers
