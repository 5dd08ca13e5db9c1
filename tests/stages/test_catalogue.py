"""The catalogue of stages: complete, consistent, and true of what the models really show."""

import re
from functools import cache
from typing import Any

import pytest
import torch
from helpers import variants, watching
from helpers.reworked_attention import SPELLINGS, Otherwise
from helpers.small_models import inputs, small

from glassformer.by_hand.worksheets.solution import explain
from glassformer.by_hand.worksheets.worksheet import example_names, read_example
from glassformer.errors import InputError
from glassformer.inside.watching.following.rebuilding import FOREIGN_WEIGHERS, ForeignScores
from glassformer.inside.watching.following.score_steps import InOurTerms
from glassformer.inside.watching.watch import watch
from glassformer.layers.attention import WEIGHERS, Attention
from glassformer.layers.blocks import ACTIVATIONS
from glassformer.layers.positions import Positions
from glassformer.models.registry import MODELS
from glassformer.stages.arithmetic import OPERATIONS
from glassformer.stages.catalogue import CATALOGUE, stage
from glassformer.stages.recorder import record
from glassformer.stages.stage import LEGEND, Stage, fill
from glassformer.stages.trace import Trace

LAYER_EXAMPLES = [name for name in example_names() if read_example(name).layer != "attention"]
_OTHERWISE = (
    "tempered",
    "talkative",
    "by place too",
    "relu over n",
    "slots",
    "relu squared",
    "silu",
    "gelu",
    "distances",
    "squared distances",
)
WAYS = [(each, way) for each in CATALOGUE.values() for way in each.ways]


def example(name: str) -> dict[str, Any]:
    """What an example gives."""
    sheet = read_example(name)
    return {"layer": sheet.layer, **{given: values.tolist() for given, values in sheet.givens.items()}}


@cache
def traces() -> dict[str, Trace]:
    """One trace of every variant, of training with dropout, a bias, positions, a soft cap, and of every model."""
    found = {name: record(variants.make(name))[1] for name in variants.NAMES}
    found |= {name: record(small(name), *inputs(name))[1] for name in MODELS}
    for kind in ("alibi", "t5"):
        found[f"translator {kind}"] = record(small("translator", positions=kind), *inputs("translator"))[1]
    found["dropout"] = record(variants.make("cross", dropout=0.3))[1]
    module, x = Attention(6, 2, d_key=5, d_value=7, d_context=11), torch.randn(3, 13, 6)
    found["bias"] = record(module, x, torch.randn(3, 17, 11), score_bias=torch.randn(13, 17))[1]
    found["positions"] = record(Positions.sinusoidal(13, 6), torch.randn(3, 5, 6))[1]
    found |= {name: explain(name).trace for name in LAYER_EXAMPLES}
    found["two layers"] = record(small("rnn", layers=2), *inputs("rnn"))[1]
    found["stacked"] = explain("stacked-heads").trace
    found["relu step"] = explain({**example("rnn-step"), "activation": "relu"}).trace
    found["soft cap"] = record(
        Attention(6, 2, scorer=ForeignScores(InOurTerms(cap=0.3), usual=True)), torch.randn(3, 5, 6)
    )[1]
    for name in _OTHERWISE:
        found[f"watched: {name}"] = watch(Otherwise(SPELLINGS[name][2])).run(*watching.inputs()).trace
    found["watched"] = watch(torch.nn.Linear(3, 2), keep="*").run(torch.randn(5, 3)).trace
    return found


# --- the table by itself ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("each", CATALOGUE.values(), ids=CATALOGUE)
def test_a_stage_is_fully_described(each: Stage) -> None:
    assert CATALOGUE[each.name] is each
    assert each.symbol
    assert each.latex
    assert each.meaning.endswith(".")
    assert each.role in {"query", "key", "value", "score", "plain"}
    assert set(each.axes) <= set(LEGEND)
    assert "…" not in each.axes[1:]
    assert len({way.how for way in each.ways}) == len(each.ways)


@pytest.mark.parametrize(("each", "way"), WAYS, ids=lambda part: getattr(part, "name", getattr(part, "how", "")))
def test_a_way_names_only_stages_and_operations_that_exist(each: Stage, way: Any) -> None:
    assert way.operation in OPERATIONS
    for operand in way.operands:
        for choice in operand.removesuffix("?").split("|"):
            assert choice.rpartition(".")[2] in CATALOGUE, f"{each.name}: {operand}"
    for pattern in (way.latex, way.plain):
        assert {int(place) for place in re.findall(r"@(\d)", pattern)} <= set(range(len(way.operands)))
        assert not re.search(r"[@<>]", fill(pattern, ["X"] * len(way.operands)))


def test_every_operation_is_used_by_some_stage() -> None:
    assert {way.operation for _, way in WAYS} == set(OPERATIONS)


def test_every_weigher_and_activation_is_a_way() -> None:
    assert {way.how for way in CATALOGUE["weights"].ways} == {*WEIGHERS, *FOREIGN_WEIGHERS}
    assert {way.how for way in CATALOGUE["activated"].ways} == set(ACTIVATIONS)


def test_every_axis_of_the_legend_is_used() -> None:
    assert {axis for each in CATALOGUE.values() for axis in each.axes} == set(LEGEND)


def test_a_stage_is_found_by_name_or_address() -> None:
    assert stage("encoder.0.self.weights") is stage("weights") is CATALOGUE["weights"]
    with pytest.raises(InputError, match="no stage called 'wieghts'; did you mean 'weights'"):
        stage("self.wieghts")
    assert stage("weights").way("magic") is None


# --- the table and the models -----------------------------------------------------------------------------------


def test_every_stage_is_reached_by_some_model() -> None:
    reached = {address.rpartition(".")[2] for trace in traces().values() for address in trace}
    assert reached == set(CATALOGUE)


NAMES = [
    *variants.NAMES,
    *LAYER_EXAMPLES,
    "stacked",
    "dropout",
    "bias",
    "positions",
    "translator alibi",
    "translator t5",
]
CHOSEN = {
    ("scale", "chosen"),
    ("queries", "watched"),
    ("keys", "watched"),
    ("values", "watched"),
    ("bias", ""),
    ("position_rows", ""),
    ("feature_map", "given"),
    ("output", "given"),
}  # given by hand, where it is otherwise made


def test_every_way_is_taken_by_some_model() -> None:
    taken = {
        (entry.stage.name, entry.how)
        for trace in traces().values()
        for entry in trace.entries.values()
        if entry.stage.ways
    }
    # The same numbers as those of the layer before.
    given = {("pooled", "hidden layer"), ("pooled", "dense layers")}
    assert taken - CHOSEN - given == {(each.name, way.how) for each, way in WAYS}


@pytest.mark.parametrize("name", NAMES)
def test_every_operand_was_seen_before_what_it_makes(name: str) -> None:
    trace = traces()[name]
    order = list(trace)
    for address in trace:
        entry = trace.entry(address)
        way = entry.stage.way(entry.how)
        chosen = (entry.stage.name, entry.how) in CHOSEN
        assert (way is None) == (chosen or not entry.stage.ways), f"{address} was made in a way nobody knows"
        for wanted, found in zip(way.operands if way else (), trace.operands(address), strict=True):
            assert found is not None or wanted.endswith("?"), f"{address} lacks {wanted}"
            assert found is None or order.index(found) < order.index(address)


@pytest.mark.parametrize("name", NAMES)
def test_an_axis_has_one_size_within_a_part(name: str) -> None:
    """The sizes are primes or products of them, so an axis under a wrong name would show."""
    trace = traces()[name]
    sizes: dict[tuple[str, str], set[int]] = {}
    for address in trace:
        entry = trace.entry(address)
        for axis, size in zip(entry.axes, entry.values.shape, strict=True):
            broadcast = entry.stage.axes[0:1] == ("…",) and size == 1  # a mask that is the same for all
            if not broadcast and not axis.startswith("…"):
                sizes.setdefault((entry.scope, axis), set()).add(size)
    assert {part: found for part, found in sizes.items() if len(found) > 1} == {}


def test_the_axes_of_an_attention_are_what_the_legend_says() -> None:
    trace = traces()["bias"]
    sizes = {
        axis: size
        for entry in trace.entries.values()
        for axis, size in zip(entry.axes, entry.values.shape, strict=True)
    }
    wanted = {"B": 3, "Tq": 13, "Tk": 17, "H": 2, "G": 2, "D": 6, "C": 11, "K": 5, "V": 7}
    joined = {"HK": 10, "GK": 10, "HV": 14, "GV": 14}
    assert {axis: sizes[axis] for axis in (*wanted, *joined)} == {**wanted, **joined}


@pytest.mark.parametrize("name", NAMES)
def test_every_formula_can_be_written(name: str) -> None:
    trace = traces()[name]
    for address in trace:
        plain, latex = trace.formula(address)
        assert not re.search(r"[@<>]", plain + latex)
        assert plain.startswith(trace.entry(address).stage.symbol)
        assert latex.count("{") == latex.count("}")
