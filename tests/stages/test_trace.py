"""Traces: every number in one can be explained from the others, and a trace is kept without loss."""

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from helpers import variants
from safetensors.numpy import save_file

from glassformer.errors import InputError
from glassformer.layers.attention import WEIGHERS, Attention, attend
from glassformer.layers.positions import Positions
from glassformer.stages.column_trace import in_columns
from glassformer.stages.recorder import Recorder, record
from glassformer.stages.trace import Entry, Trace

E = math.e
Index = tuple[int, ...]


def places(shape: tuple[int, ...], count: int) -> set[Index]:
    """Some places of an array: the last, and others scattered by the golden ratio so that no pattern of axes hides."""
    size = math.prod(shape)
    picked = {size - 1, *(int(size * (k * 0.6180339887 % 1)) for k in range(count - 1))}
    return {tuple(int(i) for i in np.unravel_index(n, shape)) for n in picked}


# --- with a pencil ----------------------------------------------------------------------------------------------


@pytest.fixture(name="pencil")
def pencil_trace() -> Trace:
    """One query, two keys: the weights are 1/(1+e) and e/(1+e)."""
    recorder, identity = Recorder(), torch.eye(2, dtype=torch.float64)[None, None]
    attend(torch.tensor([[[[0.0, math.sqrt(2)]]]], dtype=torch.float64), identity, identity, see=recorder)
    return recorder.trace


def test_a_weight_is_explained_by_its_row(pencil: Trace) -> None:
    found = pencil.explain("weights", (0, 1))
    assert found.operation == "softmax"
    assert found.index == (0, 0, 0, 1)
    assert [term.value for term in found.terms] == pytest.approx([1, E])
    assert found.result == pytest.approx(E / (1 + E), abs=1e-15)
    assert found.number == pytest.approx(found.result, abs=1e-15)
    assert [(cell.address, cell.index) for cell in found.operands] == [
        ("scaled", (0, 0, 0, 0)),
        ("scaled", (0, 0, 0, 1)),
    ]
    assert found.formula == "A = softmax(Z), row by row"
    assert found.latex == r"A = \operatorname{softmax}(Z)"


def test_it_is_spelled_as_on_paper(pencil: Trace) -> None:
    spelled = pencil.explain("weights", (0, 1)).spell(lambda number: f"{number:.2f}")
    assert spelled == "e^1.00 / (e^0.00 + e^1.00) = 2.72 / (1.00 + 2.72) = 0.73"
    assert pencil.explain("scaled", (0, 1)).spell(lambda number: f"{number:.3g}") == "0.707 × 1.41 = 1"


def test_what_is_given_explains_itself(pencil: Trace) -> None:
    found = pencil.explain("key_width", ())
    assert (found.operation, found.result, found.index) == ("given", 2.0, ())


def test_the_scale_comes_from_the_width(pencil: Trace) -> None:
    found = pencil.explain("scale", ())
    assert (found.operation, found.result) == ("inverse root", 1 / math.sqrt(2))


def test_an_optional_operand_is_named_only_when_it_is_there() -> None:
    x = torch.randn(1, 5, 6)
    with_bias, without = record(Attention(6, 2), x)[1], record(Attention(6, 2, bias=False), x)[1]
    assert with_bias.formula("queries") == ("Q = X W_Q + b_Q", "Q = X W_Q + b_Q")
    assert without.formula("queries") == ("Q = X W_Q", "Q = X W_Q")
    assert without.operands("queries") == ["inputs", "query_weight", None]


def test_what_was_written_is_said_to_be_written() -> None:
    _, trace = record(Attention(6, 2), torch.randn(1, 5, 6), write={"weights": torch.full((1, 2, 5, 5), 0.2)})
    found = trace.explain("weights", (0, 1, 2, 3))
    assert (found.operation, found.spell()) == ("written", repr(found.number))
    assert trace.explain("mixed", (0, 1, 2, 0)).result == pytest.approx(float(trace["mixed"][0, 1, 2, 0]), abs=1e-6)


def test_only_the_number_that_was_put_in_place_is_called_written(tmp_path: Path) -> None:
    def one(stage: torch.Tensor) -> torch.Tensor:
        stage[0, 1, 2, 3] = 0.25
        return stage

    _, trace = record(Attention(6, 2), torch.randn(1, 5, 6), write={"weights": one})
    trace.save(tmp_path / "kept.safetensors")
    for kept in (trace, Trace.from_json(trace.to_json()), Trace.load(tmp_path / "kept.safetensors")):
        assert kept.entry("weights").written
        assert kept.explain("weights", (0, 1, 2, 3)).operation == "written"
        for other in [(0, 1, 2, 2), (0, 0, 2, 3), (0, 1, 3, 2)]:
            found = kept.explain("weights", other)
            assert found.operation == "softmax"
            assert found.result == pytest.approx(found.number, abs=1e-6)
    turned = in_columns(trace)
    assert [turned.explain("weights", (0, 1, *at)).operation for at in [(3, 2), (2, 3)]] == ["written", "softmax"]


@pytest.mark.parametrize("weigher", WEIGHERS)
@pytest.mark.parametrize("top", [-1e4, -800.0, 800.0, 1e4])
def test_a_row_of_extreme_scores_is_explained(weigher: str, top: float) -> None:
    scores = top + torch.tensor([0.0, 1.0, -1.0], dtype=torch.float64).expand(1, 1, 3, 3)
    rows = torch.ones(1, 1, 3, 1, dtype=torch.float64)
    recorder = Recorder()
    attend(rows, rows, rows, score_bias=scores, weigher=WEIGHERS[weigher], see=recorder)
    for column in range(3):
        found = recorder.trace.explain("weights", (0, 0, 0, column))
        assert found.result == pytest.approx(found.number, abs=1e-12)


# --- every number of every block --------------------------------------------------------------------------------


def differences(trace: Trace, count: int) -> dict[str, float]:
    """For every stage, the largest gap between a shown number and its explanation, in units of 1 or the number."""
    gaps: dict[str, float] = {}
    for address in trace:
        for index in places(trace[address].shape, count):
            found = trace.explain(address, index)
            if found.number != found.result:
                gap = abs(found.number - found.result) / max(1.0, abs(found.number))
                gaps[address] = max(gap, gaps.get(address, 0.0))
    return gaps


@pytest.mark.parametrize("name", variants.NAMES)
@pytest.mark.parametrize(("dtype", "most"), [(torch.float64, 1e-12), (torch.float32, 1e-6)])
def test_every_stage_is_explained(name: str, dtype: torch.dtype, most: float) -> None:
    _, trace = record(variants.make(name, dtype))
    gaps = differences(trace, 3)
    assert all(gap <= most for gap in gaps.values()), gaps


def test_a_stage_is_explained_wherever_one_looks() -> None:
    _, trace = record(variants.make("post-norm", torch.float64))
    assert max(differences(trace, 61).values()) <= 1e-12


@pytest.mark.parametrize("name", ["pre-norm", "sigmoid"])
def test_dropout_is_explained(name: str) -> None:
    _, trace = record(variants.make(name, torch.float64, dropout=0.4))
    assert max(differences(trace, 11).values()) <= 1e-12
    assert (trace["self.dropped"] == 0).any()
    assert any(trace.explain("self.dropped", i).result != 0 for i in places(trace["self.dropped"].shape, 11))


def test_a_head_is_explained_by_the_key_value_head_it_shares() -> None:
    _, trace = record(variants.make("shared key/value heads", torch.float64))
    for head in range(6):
        for address, n_terms in (("self.scores", 3), ("self.mixed", variants.LENGTH)):
            found = trace.explain(address, (1, head, 2, 1))
            assert found.operands[1].address in ("self.keys", "self.values")
            assert found.operands[1].index[1] == head // 3
            assert found.result == pytest.approx(found.number, abs=1e-12)
            assert len(found.terms) == n_terms


def test_positions_are_explained() -> None:
    _, trace = record(Positions.trained(7, 6).double(), torch.randn(2, 5, 6, dtype=torch.float64))
    assert not differences(trace, 1000)


def test_a_bias_is_explained() -> None:
    bias = torch.randn(1, 2, 5, 5, dtype=torch.float64)
    _, trace = record(Attention(6, 2, causal=True).double(), torch.randn(2, 5, 6, dtype=torch.float64), score_bias=bias)
    assert trace.operands("masked") == ["biased", "mask"]
    assert max(differences(trace, 50).values()) <= 1e-12


NAMES_ON_PAPER: dict[str, Any] = {
    "E": E,
    "inf": math.inf,
    "max": max,
    "tanh": math.tanh,
    "root": math.sqrt,
    "pi": math.pi,
    "relu": lambda x: max(x, 0.0),
    "sigmoid": lambda x: 1 / (1 + E**-x),
    "share": lambda x: 0.5 * (1 + math.erf(x / math.sqrt(2))),
}
SIGNS = {"×": "*", "−": "-", "e^": "E**", "²": "**2", "³": "**3", "½": "0.5", "√": "root", "Φ": "share", "π": "pi"}


def worked_by_hand(text: str) -> float:
    """Reads arithmetic as it is written on paper, and does it."""
    text = re.sub(r", since .*", "", text)
    for sign, word in SIGNS.items():
        text = text.replace(sign, word)
    return float(eval(text, {"__builtins__": {}}, NAMES_ON_PAPER))  # our own text


@pytest.mark.parametrize("name", variants.NAMES)
def test_the_spelled_arithmetic_gives_the_number(name: str) -> None:
    """Whoever types the spelled line into a calculator gets the number: each side of each `=`."""
    variant = variants.make(name, torch.float64, dropout=0.4 if name == "gelu" else 0.0)
    _, trace = record(variant)
    for address in trace:
        for index in places(trace[address].shape, 2):
            found = trace.explain(address, index)
            sides = found.spell().split(" = ")
            if sides[0] == "hidden":
                assert found.number == -math.inf
                continue
            for side in sides:
                assert worked_by_hand(side) == pytest.approx(found.number, abs=1e-9), (address, index, found.spell())


# --- the answer from the shown numbers alone --------------------------------------------------------------------


def shown(trace: Trace, address: str, otherwise: Any = 0.0) -> Any:
    return trace.entries[address].values if address in trace.entries else otherwise


def normed(trace: Trace, scope: str, x: Any) -> Any:
    if f"{scope}.norm.mean" in trace:
        x = x - x.mean(-1, keepdims=True)
    scale = np.sqrt((x**2).mean(-1, keepdims=True) + trace[f"{scope}.norm.epsilon"])
    return x / scale * trace[f"{scope}.norm.norm_weight"] + shown(trace, f"{scope}.norm.norm_bias")


def linear(trace: Trace, scope: str, name: str, x: Any) -> Any:
    return x @ trace[f"{scope}.{name}_weight"] + shown(trace, f"{scope}.{name}_bias")


def attended(trace: Trace, scope: str, x: Any) -> Any:
    """From the shown weights on: values of the rows, mixed, joined, output."""
    values = linear(trace, scope, "value", shown(trace, f"{scope}.context", x))
    weights = trace[f"{scope}.weights"]
    n_heads, n_kv_heads = weights.shape[1], trace[f"{scope}.values"].shape[1]
    width = values.shape[-1] // n_kv_heads
    joined = [
        weights[:, h] @ values[..., (g := h * n_kv_heads // n_heads) * width : (g + 1) * width] for h in range(n_heads)
    ]
    return linear(trace, scope, "output", np.concatenate(joined, -1))


def fed_forward(trace: Trace, scope: str, x: Any) -> Any:
    hidden = linear(trace, scope, "expand", x)
    how = trace.entry(f"{scope}.activated").how
    bent = {
        "relu": lambda h: np.maximum(h, 0),
        "squared relu": lambda h: np.maximum(h, 0) ** 2,
        "silu": lambda h: h / (1 + np.exp(-h)),
        "gelu": lambda h: h * (1 + np.vectorize(math.erf)(h / 2**0.5)) / 2,
    }
    opened = {"swiglu": lambda g: g / (1 + np.exp(-g)), "geglu": bent["gelu"], "reglu": bent["relu"]}
    if how in opened:
        gate = linear(trace, scope, "gate", x)
        return linear(trace, scope, "contract", opened[how](gate) * hidden)
    return linear(trace, scope, "contract", bent[how](hidden))


WITH_ALL_MATRICES = [name for name in variants.NAMES if not name.startswith("without") and name != "tanh gelu"]


@pytest.mark.parametrize("name", WITH_ALL_MATRICES)
def test_a_blocks_answer_follows_from_the_shown_numbers_alone(name: str) -> None:
    variant = variants.make(name)
    answer, exact = record(variant)
    trace = Trace(
        {address: Entry(address, exact[address].astype(np.float64), exact.entry(address).how) for address in exact}
    )
    x = trace["self.skipped"]
    for scope, layer in (("self", attended), ("cross", attended), ("feed_forward", fed_forward)):
        if f"{scope}.skipped" not in trace:
            continue
        if variant.block.attention.norm_first:
            x = x + layer(trace, scope, normed(trace, scope, x))
        else:
            x = normed(trace, scope, x + layer(trace, scope, x))
    gap = np.abs(answer.detach().numpy() - x)
    assert (gap / np.maximum(1, np.abs(x))).max() <= 1e-6


# --- finding a number -------------------------------------------------------------------------------------------


def test_a_number_is_found_by_its_address() -> None:
    _, trace = record(variants.make("one head"))
    assert trace.find("self.weights[1,0,2,3]") == ("self.weights", (1, 0, 2, 3))
    assert trace.find(" self.norm.mean [ 1, 4 ] ") == ("self.norm.mean", (1, 4))
    assert trace.find("self.scale[]") == ("self.scale", ())


def test_leading_axes_of_one_may_be_left_out(pencil: Trace) -> None:
    assert pencil.find("weights[0,1]") == ("weights", (0, 0, 0, 1))
    assert pencil.find("weights[1]") == ("weights", (0, 0, 0, 1))


def test_a_symbol_is_as_good_as_a_name(pencil: Trace) -> None:
    assert pencil.find("A[0,1]") == pencil.find("weights[0,1]")
    assert pencil.find("β") == pencil.find("scale") == ("scale", ())
    _, trace = record(variants.make("one head"))
    assert trace.find("self.W_Q[0,1]") == ("self.query_weight", (0, 1))


def test_a_trace_and_an_explanation_say_what_they_are_in_a_line(pencil: Trace) -> None:
    assert repr(pencil) == f"Trace({len(pencil)} stages: scores, …, mixed)"
    assert repr(Trace()) == "Trace(0 stages)"
    found = pencil.explain("weights", (0, 1))
    assert repr(found) == str(found) == "weights[0,0,0,1] = e^1 / (e^0 + e^1) = 2.7183 / (1 + 2.7183) = 0.7311"


def test_a_hidden_weight_was_not_dropped() -> None:
    trace = Trace()
    trace.add(Entry("weights", np.array([[[[0.0, 1.0]]]]), "softmax"))
    trace.add(Entry("dropout_rate", np.array(0.5)))
    trace.add(Entry("dropped", np.array([[[[0.0, 0.0]]]])))
    assert trace.explain("dropped", (0, 0)).spell(lambda number: f"{number:g}") == "0 / (1 − 0.5) = 0"
    assert trace.explain("dropped", (0, 1)).spell(lambda number: f"{number:g}") == "0, since 1 was dropped = 0"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("weights", r"weights has 2 places here: query 0, key 0–1 \(the last is weights\[0,1\]\)"),
        ("weights[a]", r"'weights\[a\]' is not a number's address; write it as stage\[row,column\]"),
        ("weights[-1]", r"'weights\[-1\]' is not"),
        ("wieghts[0,1]", "no stage at 'wieghts'; did you mean 'weights'"),
        ("weights[0,2]", r"query 0, key 0–1 .* weights\[0,2\] is not one of its numbers"),
        ("weights[0,0,0,0,0]", "is not one of its numbers"),
        ("scale[0]", "scale is a single number; write scale alone"),
    ],
)
def test_a_number_that_is_not_there_is_refused(pencil: Trace, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        pencil.find(text)


def test_a_stage_of_the_wrong_shape_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"'self.weights' has axes B H Tq Tk, but was handed an array of shape \(2, 2\)"
    ):
        Trace().add(Entry("self.weights", np.zeros((2, 2))))


# --- keeping it -------------------------------------------------------------------------------------------------


def awkward() -> Trace:
    """A trace with every kind of number that may get lost."""
    trace = Trace(about={"text": "Grüße – “quoted”\n", "ids": [1, 2], "none": None})
    third = np.float32(1) / np.float32(3)
    scores = np.array([[[[-np.inf, np.inf], [np.nan, -0.0]]]], dtype=np.float32)
    tiny = np.array([[[[5e-324, 1.7976931348623157e308], [0.1, 1 / 3]]]])
    trace.add(Entry("a.scale", np.array(third)))
    trace.add(Entry("a.scores", scores, "dense"))
    trace.add(Entry("a.scaled", scores * third, same_as="a.scores"))
    trace.add(Entry("a.mask", np.array([[True, False], [False, True]]), written=True))
    trace.add(Entry("a.weights", tiny, "softmax", written=True))
    trace.add(Entry("b.weights", (scores * third).astype(np.float16), "sigmoid"))
    trace.add(Entry("b.inputs", np.zeros((2, 0, 3), dtype=np.float32)))
    trace.add(Entry("b.key_weight", np.arange(6.0).reshape(2, 3).T))  # not contiguous, as a transposed weight is
    trace.add(Entry("b.joined", np.full((1, 1, 2), np.nan)))
    trace.add(Entry("b.output", np.array([[[2**53 + 1, -1]]], dtype=np.int64)))
    return trace


def assert_same(one: Trace, other: Trace) -> None:
    assert list(one) == list(other)
    assert one.about == other.about
    for address in one:
        a, b = one.entry(address), other.entry(address)
        assert (a.how, a.same_as, a.written, a.axes) == (b.how, b.same_as, b.written, b.axes)
        assert a.values.dtype == b.values.dtype
        assert a.values.shape == b.values.shape
        assert np.array_equal(a.values, b.values, equal_nan=a.values.dtype.kind == "f"), address
        assert a.values.dtype.kind != "f" or np.array_equal(np.signbit(a.values), np.signbit(b.values)), address


def kept_as_json(trace: Trace, _: Path) -> Trace:
    return Trace.from_json(trace.to_json())


def kept_as_safetensors(trace: Trace, folder: Path) -> Trace:
    trace.save(folder / "trace.safetensors")
    return Trace.load(folder / "trace.safetensors")


KEEPERS = [kept_as_json, kept_as_safetensors]


@pytest.mark.parametrize("keep", KEEPERS)
def test_awkward_numbers_are_kept_without_loss(keep: Any, tmp_path: Path) -> None:
    assert_same(awkward(), keep(awkward(), tmp_path))


@pytest.mark.parametrize("keep", KEEPERS)
@pytest.mark.parametrize("name", ["padded", "cross", "empty row"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_the_trace_of_a_block_is_kept_without_loss(keep: Any, name: str, dtype: torch.dtype, tmp_path: Path) -> None:
    variant = variants.make(name)
    variant.block.to(dtype)
    inputs = [each.to(dtype) for each in variant.inputs]
    _, trace = record(variant.block, *inputs, **variant.options, write={"self.scale": 0.5})
    assert trace["self.scale"].dtype == {torch.float64: np.float64}.get(dtype, np.float32)
    assert_same(trace, keep(trace, tmp_path))


def no_constant(word: str) -> float:
    raise AssertionError(f"{word} is not JSON")


def test_json_is_strict() -> None:
    document = json.loads(awkward().to_json(), parse_constant=no_constant)
    scores = next(item for item in document["stages"] if item["address"] == "a.scores")
    assert scores["values"] == [[[["-Infinity", "Infinity"], ["NaN", -0.0]]]]
    assert scores["axes"] == ["B", "H", "Tq", "Tk"]


def test_an_explanation_is_strict_json_too() -> None:
    _, trace = record(variants.make("padded"))
    for address in ("self.masked", "self.weights", "self.mask", "feed_forward.norm.normed"):
        for index in places(trace[address].shape, 7):
            found = trace.explain(address, index)
            document = json.loads(json.dumps(found.to_dict(), allow_nan=False), parse_constant=no_constant)
            assert float(document["result"]) == found.result
            assert document["address"] == address
            assert len(document["terms"]) == len(found.terms)


GOOD = {
    "address": "a.scale",
    "how": "",
    "same_as": "",
    "written": False,
    "dtype": "float32",
    "shape": [],
    "values": 1.0,
}


def document(**changes: Any) -> str:
    return json.dumps({"format": "glassformer-trace/1", "about": {}, "stages": [{**GOOD, **changes}]})


def test_the_smallest_trace_is_read() -> None:
    assert Trace.from_json(document())["a.scale"] == 1.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a trace"),
        ("hello", "not a trace"),
        ("[1, 2]", "its format is 'list', expected 'glassformer-trace/1'"),
        ('{"format": "other/9"}', "its format is 'other/9'"),
        ('{"format": "glassformer-trace/1"}', "damaged .*'about'"),
        ('{"format": "glassformer-trace/1", "about": {}, "stages": 3}', "damaged"),
        ('{"format": "glassformer-trace/1", "about": {}, "stages": [3]}', "damaged"),
        ('{"format": "glassformer-trace/1", "about": {}, "stages": [{}]}', "damaged .*'values'"),
        (document(address="a.sclae"), "'sclae'; did you mean 'scale'"),
        (document(shape=[2]), "damaged .*shape"),
        (document(values="many"), "damaged .*many"),
        (document(values=[[1.0], [2.0, 3.0]]), "damaged"),
        (document(dtype="float99"), "damaged .*float99"),
        (document(dtype="object"), "numbers, not 'object'"),
        (document(dtype="U5"), "numbers, not 'U5'"),
    ],
)
def test_a_document_that_is_no_trace_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Trace.from_json(text)


def test_a_file_that_is_no_trace_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "trace.safetensors"
    path.write_text("not a safetensors file at all")
    with pytest.raises(InputError, match=r"trace.safetensors is not a whole trace"):
        Trace.load(path)
    save_file({"weights": np.zeros(3, dtype=np.float32)}, str(path))
    with pytest.raises(InputError, match="expected 'glassformer-trace/1'"):
        Trace.load(path)
    marks = {"format": "glassformer-trace/1", "about": {}, "stages": [["a.scale", "", "", False]]}
    save_file({"weights": np.zeros(3, dtype=np.float32)}, str(path), metadata={"glassformer": json.dumps(marks)})
    with pytest.raises(InputError, match=r"a\.scale"):
        Trace.load(path)
    awkward().save(path)
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(InputError, match="is not a whole trace"):
        Trace.load(path)
