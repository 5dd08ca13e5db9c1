"""What a page is given to draw: every number true, every formula whole, nothing that could run or be fetched."""

import json
import math
import re

import numpy as np
import pytest
import torch
from helpers.looks import LABELS, look_at_solution, names, numbers_of, random_look, small_look, stages_by_address
from helpers.small_models import SMALL, small
from numpy.typing import NDArray

from glassformer.by_hand.worksheets.solution import explain
from glassformer.drawing.mathml import to_mathml
from glassformer.errors import InputError
from glassformer.inside.answers import first_difference
from glassformer.inside.document import packing
from glassformer.inside.document.data import stage_numbers, view_data
from glassformer.inside.first_view import told_by
from glassformer.inside.looks import (
    Look,
    look_at_classifier,
    look_at_language_model,
    look_at_translator,
)
from glassformer.inside.page.one_file import LARGEST, look_file, look_page, view_script, view_style
from glassformer.inside.parts import Texts, title
from glassformer.models.registry import build, configure
from glassformer.stages.arithmetic import OPERATIONS
from glassformer.stages.catalogue import CATALOGUE, Stage, fill
from glassformer.stages.trace import Trace

Numbers = dict[str, NDArray[np.float64]]

# --- the numbers are the core's -----------------------------------------------------------------------------------


def close(left: NDArray[np.float64], right: NDArray[np.float64]) -> bool:
    return bool(np.allclose(left, right, rtol=1e-6, atol=1e-6, equal_nan=True))


@pytest.mark.parametrize("seed", range(50))
def test_every_number_is_the_cores_and_the_blocks_output_follows_from_what_is_shown(seed: int) -> None:
    look = random_look(seed)
    shown = numbers_of(json.loads(json.dumps(view_data(look), allow_nan=False)))
    assert shown.keys() == set(look.trace)
    for address, values in shown.items():
        assert close(values, look.trace[address].astype(np.float64)), address
    outputs = [entry.scope for entry in look.trace.entries.values() if entry.stage.name == "output"]
    assert outputs
    for scope in outputs:
        weights, values = shown[scope + "weights"], shown[scope + "values"]
        mixed = weights @ np.repeat(values, weights.shape[1] // values.shape[1], axis=1)  # B H Tq V
        joined = np.concatenate([mixed[:, head] for head in range(mixed.shape[1])], axis=-1)
        output = joined @ shown[scope + "output_weight"] if scope + "output_weight" in shown else joined
        output = output + shown.get(scope + "output_bias", np.zeros(()))
        assert np.abs(output - shown[scope + "output"]).max() <= 1e-6 * max(1.0, np.abs(output).max())


def test_a_document_without_packing_says_the_same() -> None:
    look = small_look("transformer")
    for stage in view_data(look, packed=False)["stages"]:
        if stage["numbers"] is not None:
            one = stage_numbers(look, stage["address"])
            assert stage["numbers"] == one
            assert set(one) == {"kind", "base64"}


def test_a_head_can_be_asked_for_by_itself() -> None:
    look = small_look("gpt")
    address = "blocks.1.self.weights"
    later = stages_by_address(view_data(look, later=True))
    assert later[address]["numbers"] is None
    assert later[address]["why"] == "later"
    assert later["blocks.1.self.queries"]["numbers"] is not None
    one = packing.encoded_array(look.trace[address][:, 2])
    assert stage_numbers(look, address, 2) == one


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 101])
def test_packing_keeps_every_bit(count: int) -> None:
    rng = np.random.default_rng(count)
    arrays = {
        "f4": rng.normal(size=count).astype(np.float32),
        "f8": rng.normal(size=count),
        "u1": rng.random(count) < 0.5,
    }
    parcel = packing.Parcel()
    places = {kind: parcel.add(values) for kind, values in arrays.items()}
    stages = [{"address": kind, "numbers": places[kind], "stored": [count], "same_as": ""} for kind in arrays]
    found = numbers_of({"packed": parcel.closed(), "stages": stages})
    for kind, values in arrays.items():
        assert places[kind]["kind"] == kind
        assert (found[kind] == values.astype(np.float64)).all()


def test_rounding_keeps_six_decimals_and_what_is_hidden() -> None:
    values = np.random.default_rng(3).normal(size=2000).astype(np.float32)
    values[7] = -np.inf
    parcel = packing.Parcel(rounded=True)
    place = parcel.add(values)
    assert place["kind"] == "q4"
    stages = [{"address": "a", "numbers": place, "stored": [2000], "same_as": ""}]
    found = numbers_of({"packed": parcel.closed(), "stages": stages})["a"]
    finite = np.isfinite(values)
    assert np.abs(found[finite] - values[finite]).max() <= 2.0**-21
    assert found[7] == -np.inf
    assert packing.kind_of(values * 1000, rounded=True) == "f4"
    assert packing.kind_of(values[:100], rounded=True) == "f4"


# --- small enough, and honest about it ----------------------------------------------------------------------------


def four_layers(name: str) -> Look:
    torch.manual_seed(1)
    model = build(name, configure(name, vocabulary=500, width=128, layers=4, heads=4, hidden=512)).eval()
    ids = [int(each) for each in torch.randint(5, 500, (30,))]
    return look_at_language_model(model, ids, names(ids), names)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["gpt", "modern"])
def test_four_layers_and_thirty_tokens_fit_into_five_megabytes_whole(name: str) -> None:
    page = look_file(four_layers(name))
    assert len(page.encode()) <= LARGEST == 5_000_000
    assert "Left out" not in page


def test_what_does_not_fit_is_left_out_and_says_so() -> None:
    document = view_data(small_look("transformer"), limit=10_000_000)
    assert not document["rounded"]
    look = four_layers("gpt")
    document = view_data(look, limit=2_000_000)
    gone = [stage for stage in document["stages"] if stage["why"]]
    assert len(json.dumps(document, separators=(",", ":"))) <= 2_000_000
    assert document["rounded"]
    assert gone
    assert all(stage["operation"] == "given" and "Left out" in stage["why"] for stage in gone)
    with pytest.raises(InputError, match="as small as 1,000 bytes"):
        view_data(small_look("transformer"), limit=1000)


def test_of_a_large_vocabulary_only_the_words_at_hand_are_kept() -> None:
    document = view_data(four_layers("gpt"))
    stages = stages_by_address(document)
    kept = stages["embedding_weight"]["kept"]["0"]
    assert stages["logits"]["kept"]["2"] == kept == sorted(int(each) for each in document["texts"]["names"])
    assert stages["embedding_weight"]["shape"] == [500, 128]
    assert stages["embedding_weight"]["stored"] == [len(kept), 128]
    assert len(kept) < 300
    assert document["texts"]["names"][str(kept[0])] == f"w{kept[0]}"


# --- what is said of it -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SMALL)
def test_the_operations_come_along_that_the_stages_were_made_by(name: str) -> None:
    document = view_data(small_look(name))
    made = {stage["operation"] for stage in document["stages"]} - {"given", "written"}
    assert document["operations"].keys() == made
    assert made <= OPERATIONS.keys()


def test_a_document_of_before_gets_its_operations() -> None:
    """The format has not changed: a document without the table is opened, and its numbers are spelled."""
    document = view_data(small_look("transformer"))
    before = {name: value for name, value in document.items() if name != "operations"} | {"recipes": {}}
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', look_page(before))
    assert found is not None
    assert json.loads(found[1])["operations"] == json.loads(json.dumps(document["operations"]))


@pytest.mark.parametrize("name", SMALL)
def test_formulas_are_drawn_and_lead_to_their_operands(name: str) -> None:
    document = view_data(small_look(name))
    for stage in document["stages"]:
        tree = json.dumps(document["formulas"][stage["formula"]], ensure_ascii=False)
        assert "\\\\" not in tree, tree
        for operand in re.findall(r'"data-operand": "(\d)"', tree):
            assert stage["operands"][int(operand)] in {each["address"] for each in document["stages"]}


@pytest.mark.parametrize("each", CATALOGUE.values(), ids=CATALOGUE)
def test_nothing_of_a_symbol_or_a_formula_stays_as_it_was_typed(each: Stage) -> None:
    formulas = [each.latex, *(fill(way.latex, ["X"] * len(way.operands)) for way in each.ways)]
    drawn = [to_mathml(latex, 0, lambda _place, _number: None, block=False) for latex in formulas]
    assert "\\" not in "".join(drawn)


def test_the_parts_of_a_translator_stand_in_two_columns() -> None:
    document = view_data(small_look("translator"))
    columns = {part["id"]: part["column"] for part in document["parts"]}
    assert columns["encoder.0.self"] == columns["source"] == "context"
    assert columns["decoder.0.cross"] == columns["target"] == columns["final_norm"] == "own"
    stages = stages_by_address(document)
    assert stages["decoder.0.cross.weights"]["labels"] == [None, None, "own", "context"]
    assert stages["decoder.0.self.weights"]["labels"] == [None, None, "own", "own"]
    assert stages["encoder.1.self.weights"]["labels"] == [None, None, "context", "context"]
    assert title("encoder.0.self") == "encoder · block 1 · self-attention"


def test_a_translator_opens_at_the_head_that_tells_most() -> None:
    look = small_look("translator")
    crossing = [f"decoder.{block}.cross.weights" for block in range(2)]
    told = {(address, head): told_by(look.trace[address][0, head]) for address in crossing for head in range(3)}
    opened = view_data(look)["opening"]
    assert told[opened["at"], opened["head"]] == max(told.values())
    assert view_data(small_look("gpt"))["opening"] is None


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        (np.eye(4), math.log(4)),  # each row has a key of its own
        (np.eye(4)[[2, 2, 2]], 0),  # sharp, but always the same
        (np.full((3, 5), 0.2), 0),
        (np.array([[1, 0], [0.5, 0.5]]), -0.75 * math.log(0.75) - 0.25 * math.log(0.25) - 0.5 * math.log(2)),
        (np.array([[3.0, 0], [0, 0]]), 0),
        (np.zeros((2, 2)), 0),
    ],
)
def test_what_a_pattern_tells(pattern: np.ndarray, told: float) -> None:
    assert told_by(pattern) == pytest.approx(told, abs=1e-12)


@pytest.mark.parametrize("kind", ["alibi", "t5"])
def test_a_bias_has_heads_but_is_no_attention(kind: str) -> None:
    """It is made once beside the embedding, and every block shows it as the same."""
    document = view_data(small_look("transformer", positions=kind))
    first, second = document["parts"][:2]
    assert (first["title"], first["heads"], first["lanes"], first["pattern"]) == ("embedding", 3, None, None)
    assert "encoder.0.self.biased" in second["lanes"]["main"]
    assert stages_by_address(document)["encoder.1.self.bias"]["operands"] == ["bias"]


def test_the_lanes_lead_from_queries_keys_and_values_to_the_output() -> None:
    parts = {part["id"]: part for part in view_data(small_look("modern"))["parts"]}
    lanes = {
        name: [a.removeprefix("blocks.0.self.") for a in lane] for name, lane in parts["blocks.0.self"]["lanes"].items()
    }
    assert lanes == {
        "query": ["queries", "query_norm.normed", "rotated_queries"],
        "key": ["keys", "key_norm.normed", "rotated_keys"],
        "value": ["values"],
        "main": ["scores", "scaled", "masked", "weights", "mixed", "joined", "output", "added"],
        "from": ["inputs"],
    }
    assert parts["blocks.0.self"]["pattern"] == "blocks.0.self.weights"
    assert parts["blocks.0.feed_forward"]["lanes"] is None


def test_long_texts_bring_small_pictures_of_their_heads() -> None:
    model = small("transformer", length=300)
    ids = [5 + i % 23 for i in range(101)]
    look = look_at_classifier(model, ids, names(ids), LABELS)
    part = next(part for part in view_data(look)["parts"] if part["heads"])
    assert part["small"]["shape"] == [3, 48, 48]
    assert view_data(small_look("transformer"))["parts"][1]["small"] is None


def test_a_trace_alone_can_be_looked_at() -> None:
    trace = small_look("gpt").trace
    document = view_data(Look(trace))
    assert all(label is None for stage in document["stages"] for label in stage["labels"])
    assert document["answer"] is None
    with pytest.raises(InputError, match="as small as"):
        view_data(Look(Trace()), limit=1)


@pytest.mark.parametrize("name", ["i-love-ai", "cross", "masked", "two-heads", "synthesizer"])
def test_worked_examples_can_be_looked_at(name: str) -> None:
    solution = explain(name)
    document = view_data(look_at_solution(solution))
    assert document["texts"]["own"] == list(solution.sheet.tokens)
    numbers = numbers_of(document)
    assert all((numbers[a] == solution.trace[a].astype(np.float64)).all() for a in solution.trace)
    assert document["parts"][0]["pattern"] == "weights"


# --- the answer ---------------------------------------------------------------------------------------------------


def test_the_classes_come_with_their_shares() -> None:
    look = small_look("transformer")
    assert look.answer is not None
    items = look.answer["items"]
    expected = torch.tensor(look.trace["logits"][0]).double().softmax(-1)
    assert {item["name"]: item["share"] for item in items} == pytest.approx(
        dict(zip(LABELS, expected.tolist(), strict=True))
    )
    assert [item["share"] for item in items] == sorted((item["share"] for item in items), reverse=True)
    assert items[0]["text"].endswith(f"= {items[0]['share']:.4g}")


def test_the_next_token_comes_with_what_really_followed() -> None:
    look = small_look("gpt")
    assert look.answer is not None
    steps = look.answer["steps"]
    assert [step["given"] and step["given"]["name"] for step in steps] == ["w5", "w11", "w28", "w5", "w19", "w6", None]
    shares = torch.tensor(look.trace["logits"][0]).double().softmax(-1)
    assert steps[2]["given"]["share"] == pytest.approx(float(shares[2, 28]))
    assert steps[2]["items"][0]["id"] == int(shares[2].argmax())


def test_a_translation_stands_beside_the_models_own_words() -> None:
    look = small_look("translator")
    assert look.answer is not None
    assert look.answer["target"] == ["w9", "w23", "w8"]
    assert look.texts.own == ("w2", "w9", "w23", "w8")
    own, led = look.answer["own"], look.answer["target"]
    assert look.answer["divergence"] == first_difference(own, led)
    alignment = np.array(look.answer["alignment"])
    assert alignment.shape == (4, 7)
    assert np.allclose(alignment.sum(-1), 1)
    by_itself = look_at_translator(small("translator"), [7, 5, 11], ["a", "b", "c"], names)  # type: ignore[arg-type]
    assert by_itself.answer is not None
    assert by_itself.answer["target"] is None
    assert list(by_itself.texts.own[1:]) == by_itself.answer["own"]


@pytest.mark.parametrize(
    ("left", "right", "place"), [([1, 2], [1, 2], None), ([1, 2], [1, 3], 1), ([1], [1, 2], 1), ([], [1], 0)]
)
def test_the_first_difference(left: list[int], right: list[int], place: int | None) -> None:
    assert first_difference(left, right) == place


def test_writing_a_stage_is_seen_and_changes_the_answer() -> None:
    model = small("transformer")
    ids = [7, 5, 11]
    plain = look_at_classifier(model, ids, names(ids), LABELS)
    uniform = np.full((1, 3, 3, 3), 1 / 3, dtype=np.float32)
    changed = look_at_classifier(model, ids, names(ids), LABELS, write={"encoder.0.self.weights": uniform})
    stage = stages_by_address(view_data(changed))["encoder.0.self.weights"]
    assert stage["written"]
    assert stage["operation"] == "written"
    assert changed.answer != plain.answer


def test_what_cannot_be_looked_at_says_why() -> None:
    with pytest.raises(InputError, match="no tokens"):
        look_at_classifier(small("transformer"), [], [], LABELS)
    with pytest.raises(InputError, match=r"model\.eval\(\)"):
        look_at_classifier(small("transformer").train(), [5], ["a"], LABELS)


# --- the page -----------------------------------------------------------------------------------------------------

HOSTILE = ("</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "<!--", "\u202eabc", "\u200d", "]]>")


def test_a_token_cannot_leave_the_data_block() -> None:
    ids = list(range(5, 5 + len(HOSTILE)))
    look = look_at_classifier(small("transformer"), ids, HOSTILE, ["<b>yes</b>", "no", "</script>"], title="<i>x</i>")
    page = look_page(view_data(look))
    assert page.count("<script") == page.count("</script>") == 2
    assert "<img" not in page
    assert "&lt;i&gt;x&lt;/i&gt;</title>" in page
    data = page.split('id="data">')[1].split("</script>")[0]
    assert "<" not in data
    assert json.loads(data)["texts"]["own"] == list(HOSTILE)


def test_the_page_asks_for_nothing_and_runs_nothing_but_itself() -> None:
    page = look_page(view_data(small_look("gpt")))
    assert "default-src 'none'; script-src 'sha256-" in page
    addresses = set(re.findall(r"https?://[^\s\"'`)]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"}  # names, never fetched
    assert not re.search(r"<(?:link|img|iframe)\b|src=|@import|url\(", page.split("<script")[0])


def test_the_front_end_is_one_module_that_puts_in_text_only() -> None:
    script = view_script()
    assert not re.search(r"^\s*import\b", script, flags=re.MULTILINE)
    exported = re.findall(r"^export (.*)", script, flags=re.MULTILINE)
    assert [line.split("(")[0] for line in exported] == ["async function mount", "{ hashFromState, stateFromHash };"]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", script)
    tops = re.findall(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", script, flags=re.MULTILINE)
    assert len(tops) == len(set(tops)), "two files of the front end use one name"
    assert "expression(" not in view_style()


def test_the_front_end_knows_no_stage_by_name() -> None:
    written = set(re.findall(r'"([a-z_]+)"', view_script()))
    others = {"query", "key", "value", "score", "plain", "context"}  # colours, and the name of a text
    assert not (written - others) & set(CATALOGUE)


def test_texts_say_who_stands_on_an_axis() -> None:
    texts = Texts(own=("a",), context=("b",), classes=("yes",), names={3: "c"})
    assert texts.on_axis("encoder.0.self.weights", "Tk", last=True, other=False) == "context"
    assert texts.on_axis("decoder.0.cross.weights", "Tk", last=True, other=True) == "context"
    assert texts.on_axis("decoder.0.cross.weights", "Tq", last=False, other=True) == "own"
    assert texts.on_axis("logits", "N", last=True, other=False) == "classes"
    assert texts.on_axis("embedding_weight", "N", last=False, other=False) == "names"
    assert texts.on_axis("x", "D", last=True, other=False) is None
