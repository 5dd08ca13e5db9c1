"""One attention that was caught, in words and facts."""

import math
from dataclasses import replace

import numpy as np

from glassformer.inside.watching.calls import AttentionCall, Comparison, facts_of_attention
from glassformer.stages.trace import Entry, Trace


def call(**more: object) -> AttentionCall:
    shapes = {"queries": (1, 2, 3, 5), "keys": (1, 1, 3, 5), "values": (1, 1, 3, 5), "weights": (1, 2, 3, 3)}
    facts = {"scale": 1.0, "causal": True, "masked": True, "biased": False, "dropout": 0.0}
    return AttentionCall("h.0", "h.0", "sdpa", shapes, **{"rebuilt": Comparison(0.0, 1e-6), **facts, **more})  # type: ignore[arg-type]


def test_a_comparison_says_what_rounding_explains() -> None:
    assert str(Comparison(0.0, 1e-6)) == "equal to the last bit"
    assert Comparison(1e-7, 1e-6).agrees
    assert not Comparison(1e-5, 1e-6).agrees
    assert str(Comparison(0.0, 1e-6, 3)) == "the model itself got NaN in 3 places"
    assert "NaN in 1 place, where a query may look at nothing" in str(Comparison(0.0, 1e-6, 1, blind=True))
    assert str(Comparison(math.inf, 1e-6)) == "not finite in the same places"
    assert not Comparison(math.inf, 1e-6).agrees


def test_a_call_in_words() -> None:
    assert str(call()) == (
        "h.0 (sdpa): 2 heads sharing 1 set of keys and values, 3 queries × 3 keys, causal. "
        "Rebuilt and real: equal to the last bit."
    )
    assert "Written: weights. Before that: Rebuilt" in str(call(written=("weights",)))
    assert not call(dropout=0.5).agrees
    assert not call(fused="h", repeated=None).agrees


def test_facts_are_read_off_the_stages() -> None:
    past = np.tri(3, dtype=bool)[None, None]
    stages = {"queries": np.ones((1, 1, 3, 5)), "keys": np.ones((1, 1, 3, 5)), "values": np.ones((1, 1, 3, 5)),
              "weights": np.ones((1, 1, 3, 3)), "scale": np.array(0.5), "mask": past}  # fmt: skip
    trace = Trace({f"h.{name}": Entry(f"h.{name}", values) for name, values in stages.items()})
    facts = facts_of_attention(trace, "h.")
    assert (facts["causal"], facts["masked"], facts["biased"], facts["scale"]) == (True, True, False, 0.5)


def test_a_mask_is_one_whether_it_hides_or_adds_large_numbers() -> None:
    future = ~np.tri(3, dtype=bool)[None, None]
    padded = future | np.array([True, False, False])  # the first query sees nothing
    stages = {"values": np.ones((1, 1, 3, 5)), "weights": np.ones((1, 1, 3, 3)), "scale": np.array(0.5)}
    for more, facts in (
        ({"mask": ~padded}, (True, True, False)),
        ({"bias": np.where(padded, -3.4e38, 0.0)}, (True, True, False)),
        ({"bias": np.where(padded, -3.4e38, 0.25)}, (True, True, True)),
        ({"bias": np.full((1, 1, 3, 3), 0.25)}, (False, False, True)),
    ):
        found = facts_of_attention(Trace({name: Entry(name, each) for name, each in {**stages, **more}.items()}), "")
        assert (found["causal"], found["masked"], found["biased"]) == facts


def test_a_further_call_at_the_root_has_a_name_too() -> None:
    assert str(replace(call(), path="", scope="@2")).startswith("The model@2 (sdpa): ")
    assert str(replace(call(), path="", scope="")).startswith("The model (sdpa): ")
