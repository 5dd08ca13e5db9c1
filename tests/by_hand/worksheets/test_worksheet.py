"""Worksheets: what can be read, and what is said of what cannot."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from glassformer.by_hand.worksheets.worked import work
from glassformer.by_hand.worksheets.worksheet import from_mapping, from_sentence, read_example, read_file
from glassformer.errors import InputError

GOOD: dict[str, Any] = {
    "tokens": ["tea", "milk"],
    "inputs": [[1, 0], [0, 1]],
    "query_weight": [[1, 0], [0, 1]],
    "key_weight": [[1, 0], [0, 1]],
    "value_weight": [[1, 2, 3], [4, 5, 6]],
}
TOML = "X = [[1, 0], [0, 1]]\nW_Q = [[1, 0], [0, 1]]\nW_K = [[1, 0], [0, 1]]\nW_V = [[1, 2], [3, 4]]\n"
YAML = "X: [[1, 0], [0, 1]]\nW_Q: [[1, 0], [0, 1]]\nW_K: [[1, 0], [0, 1]]\nW_V: [[1, 2], [3, 4]]\n"


def test_toml_yaml_and_json_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(TOML)
    (tmp_path / "a.yaml").write_text(YAML)
    names = {"X": [[1, 0], [0, 1]], "W_Q": [[1, 0], [0, 1]], "W_K": [[1, 0], [0, 1]], "W_V": [[1, 2], [3, 4]]}
    (tmp_path / "a.json").write_text(json.dumps(names))
    traces = [work(read_file(tmp_path / name)) for name in ("a.toml", "a.yaml", "a.json")]
    for trace in traces:
        np.testing.assert_array_equal(trace["output"], traces[0]["output"])
        assert trace["scores"].tolist() == [[[[1, 0], [0, 1]]]]


def test_key_and_value_widths_are_free() -> None:
    trace = work(from_mapping(GOOD))
    assert trace["output"].shape == (1, 2, 3)


def test_scale_mask_and_weigher_are_obeyed() -> None:
    trace = work(from_mapping({**GOOD, "scale": 2, "mask": [[1, 0], [1, 1]], "weigher": "sigmoid"}))
    assert trace["scaled"][0, 0].tolist() == [[2, 0], [0, 2]]
    assert trace["weights"][0, 0, 0, 1] == 0
    assert trace["weights"][0, 0, 1, 0] == 0.5  # sigmoid of 0


def test_work_may_start_from_queries_and_keys_or_from_scores() -> None:
    whole = work(from_mapping(GOOD))
    rows = {"queries": [[1, 0], [0, 1]], "keys": [[1, 0], [0, 1]], "values": GOOD["value_weight"]}
    np.testing.assert_allclose(work(from_mapping(rows))["output"], whole["output"], rtol=0, atol=1e-15)
    scores = {"scores": [[1, 0], [0, 1]], "key_width": 2, "values": GOOD["value_weight"]}
    np.testing.assert_allclose(work(from_mapping(scores))["output"], whole["output"], rtol=0, atol=1e-15)
    with_output = {**rows, "output_weight": [[1], [0], [2]], "output_bias": [5]}
    expected = whole["output"] @ np.array([[1.0], [0.0], [2.0]]) + 5
    np.testing.assert_allclose(work(from_mapping(with_output))["output"], expected, rtol=0, atol=1e-15)


def test_without_values_the_work_ends_with_the_weights() -> None:
    assert list(work(read_example("thinking-machines"))) == ["scores", "key_width", "scale", "scaled", "weights"]


def test_synthesizers_can_be_worked() -> None:
    table = {**GOOD, "scorer": "random synthesizer", "synthesizer_weight": [[1, 2], [3, 4]]}
    del table["query_weight"], table["key_weight"]
    trace = work(from_mapping(table))
    assert trace["scores"].tolist() == [[[[1, 2], [3, 4]]]]
    assert "queries" not in trace


def test_a_sentence_gives_the_same_numbers_for_the_same_seed() -> None:
    one, same, other = (work(from_sentence("the cat sat", seed=seed, heads=2)) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one["output"], same["output"])
    assert not np.array_equal(one["output"], other["output"])
    assert one.about["tokens"] == ["the", "cat", "sat"]
    assert one["weights"].shape == (1, 2, 3, 3)


def test_a_word_is_the_same_wherever_it_stands() -> None:
    inputs = work(from_sentence("the cat the dog"))["inputs"][0]
    assert inputs[0].tolist() == inputs[2].tolist()
    assert inputs[1].tolist() != inputs[3].tolist()


def test_each_head_may_have_its_own_mask() -> None:
    rows = {"queries": [[0, 0], [0, 0]], "keys": [[0, 0], [0, 0]], "values": [[1, 1], [3, 3]], "heads": 2}
    trace = work(from_mapping({**rows, "mask": [[[1, 0], [1, 0]], [[0, 1], [0, 1]]]}))
    assert trace["output"].tolist() == [[[1, 3], [1, 3]]]


def test_scores_without_a_scale_are_weighed_as_they_are() -> None:
    trace = work(from_mapping({"scores": [[0, 0]]}))
    assert list(trace) == ["scores", "weights"]
    assert trace["weights"].tolist() == [[[[0.5, 0.5]]]]


def test_a_worksheet_may_hold_a_sentence() -> None:
    trace = work(from_mapping({"sentence": "to be or not", "width": 2, "seed": 7, "mask": "causal"}))
    assert trace["inputs"].shape == (1, 4, 2)
    assert trace["weights"][0, 0, 0].tolist() == [1, 0, 0, 0]


def test_a_written_stage_changes_what_follows() -> None:
    trace = work(from_mapping(GOOD), write={"weights": [[[[0.5, 0.5], [0, 1]]]]})
    assert trace["output"].tolist() == [[[2.5, 3.5, 4.5], [4, 5, 6]]]
    with pytest.raises(InputError, match="did you mean 'weights'"):
        work(from_mapping(GOOD), write={"wieghts": [[[[1, 0], [0, 1]]]]})


BAD: list[tuple[dict[str, Any], str]] = [
    ({}, "Nothing to work from"),
    ({"inputs": [[1, float("nan")]]}, r"inputs\[0,1\] is nan; every given must be a finite number"),
    ({"inputs": [[1, 1e999]]}, r"inputs\[0,1\] is inf"),
    ({"inputs": [[1, "two"]]}, r"inputs\[0,1\] is 'two'; expected a number"),
    ({"inputs": [[1, None]]}, r"inputs\[0,1\] is None"),
    ({"inputs": [[1, True]]}, r"inputs\[0,1\] is True"),
    ({"inputs": [[1, 2], [3]]}, "inputs must be rows of numbers of equal length"),
    ({"inputs": [1, 2]}, "inputs must be a matrix"),
    ({"inputs": []}, "inputs must be a matrix"),
    ({"inputs": 3}, "inputs must be a matrix"),
    ({**GOOD, "inpust": [[1]]}, "no 'inpust'; did you mean 'inputs'"),
    ({**GOOD, "key_weight": [[1, 0], [0, 1], [1, 1]]}, "X W_K needs as many columns left as rows right: inputs has 2"),
    ({**GOOD, "key_weight": [[1], [1]]}, "query_weight and key_weight must have the same number of columns: 2 and 1"),
    ({**GOOD, "output_weight": [[1, 1]]}, "W_V W_O needs as many columns"),
    ({**GOOD, "query_bias": [1, 2, 3]}, "query_weight and query_bias must have the same number of columns: 2 and 3"),
    ({**GOOD, "query_bias": [[[1]]]}, "query_bias must be a row of numbers"),
    ({"inputs": [[1, 0]], "query_weight": [[1], [1]], "value_weight": [[1], [1]]}, "key_weight must be given"),
    ({"queries": [[1, 0]]}, "keys must be given to work from queries and keys; the worksheet has queries"),
    ({**GOOD, "heads": 3}, "query_weight has 2 columns, which 3 heads cannot share evenly"),
    ({"inputs": [[1, 2, 3]], "heads": 2}, "inputs has 3 columns, which 2 heads cannot share evenly"),
    ({**GOOD, "heads": 0}, "heads must be a whole number from 1 to 4096; it is 0"),
    ({**GOOD, "heads": 1.5}, "heads must be a whole number"),
    ({**GOOD, "tokens": ["tea"]}, "tokens has 1 words, but there are 2 rows"),
    ({**GOOD, "tokens": 7}, "tokens must be a list of words"),
    ({**GOOD, "weigher": "softmx"}, "weigher cannot be 'softmx'; did you mean 'softmax'"),
    ({**GOOD, "scorer": "cosine"}, "scorer cannot be 'cosine'; known: dense synthesizer, dot product"),
    ({**GOOD, "mask": "future"}, "mask cannot be 'future'"),
    ({**GOOD, "mask": [[1, 0.5], [1, 1]]}, "mask must be .* rows of 1"),
    ({**GOOD, "mask": [[1, 0], [1]]}, "mask must be"),
    ({**GOOD, "mask": [[1, 0, 1]]}, "mask is 1 × 3, but there are 2 queries and 2 keys: one row per query"),
    ({**GOOD, "mask": [[1, 0]]}, "mask is 1 × 2, but there are 2 queries"),
    ({**GOOD, "values": [[1], [2]]}, "values is not used for a dot product"),
    ({**GOOD, "scores": [[1, 2], [3, 4]]}, "is not used to work from scores"),
    ({**GOOD, "W_Q": [[1, 0], [0, 1]]}, "'query_weight' is given twice"),
    ({**GOOD, "seed": 3}, "'seed' goes with a sentence"),
    ({**GOOD, "tokens": [True, False]}, "tokens has True, not a word: put quotes around"),
    ({**GOOD, "output_bias": [1, 2]}, "output_bias is added to what output_weight makes"),
    ({"scores": [[1, 2, 3]], "context_tokens": ["a", "b"]}, "context_tokens has 2 words, but there are 3 rows"),
    ({"scores": [[1, 2, 3], [4, 5, 6]], "tokens": ["a", "b"]}, "2 queries and 3 keys; name the keys"),
    ({"queries": [[1, 0]], "keys": [[1, 0], [0, 1]], "values": [[1], [2], [3]]}, "values has 3 rows, but .* 2 keys"),
    ({"inputs": [[1, 0]], "W_Q": [[1], [0]], "W_V": [[1], [0]], "W_S": [[1, 2], [3, 4]], "b_S": [0, 0],
      "scorer": "dense synthesizer"}, "synthesizer_weight is 2 × 2; a dense synthesizer needs 1 rows"),
    ({"inputs": [[1, 0], [0, 1]], "W_V": [[1], [0]], "W_S": [[1]], "scorer": "random synthesizer"},
     "synthesizer_weight is 1 × 1; a random synthesizer needs 2 rows"),
    ({"sentence": "a b", "heads": "x"}, "heads must be a whole number"),
    ({"sentence": "a b", "seed": [1, 2]}, "seed must be a whole number"),
    ({**GOOD, "scale": "large"}, "scale is 'large'; expected a number"),
    ({**GOOD, "scale": 1, "key_width": 4}, "either scale or key_width"),
    ({"sentence": " "}, "The sentence is empty"),
    ({"sentence": "a b", "width": 3, "heads": 2}, "A width of 3 does not fit 2 heads"),
    ({"sentence": "word " * 65}, "The sentence has 65 words"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_bad_givens_are_named(content: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        work(from_mapping(content))


def test_bad_files_are_named(tmp_path: Path) -> None:
    def write(name: str, content: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    for path, message in [
        (tmp_path / "none.toml", "cannot be read: No such file"),
        (write("sheet.docx", b"x"), "expected a file ending in .json, .toml, .yaml, .yml"),
        (write("a.json", b"inputs = [[1]]"), "a.json is not JSON: Expecting value: line 1 column 1"),
        (write("b.toml", b'{"inputs": [[1]]}'), "b.toml is not TOML"),
        (write("j.toml", b"x[t] = [1, -1]\n"), r'stands in quotes: "x\[t\]" = '),
        (write("c.yaml", b"inputs: [[1, 2"), "c.yaml is not YAML"),
        (write("d.yaml", b"\x89PNG\r\n\x1a\n\xff\xff"), "is not text: byte 0"),
        (write("e.json", b"[" * 100_000), "e.json is not JSON"),
        (write("f.yaml", b"- 1\n- 2\n"), "must hold names and values"),
        (write("g.yaml", b"a: &a [1, 2]\ninputs: [*a, *a]\n"), "aliases"),
        (write("h.json", b'{"inputs": [[1, NaN]]}'), r"h.json: inputs\[0,1\] is nan"),
        (write("i.json", b'{"inputs": [[' + b"1," * 600_000 + b"1]]}"), "a worksheet has at most 1,000,000"),
    ]:
        with pytest.raises(InputError, match=message):
            read_file(path)
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_file(tmp_path / "folder.toml")


def test_an_unknown_example_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match="no example called 'i-love-a'; did you mean 'i-love-ai'"):
        read_example("i-love-a")


@pytest.mark.parametrize(("key", "name"), [("β", "scale"), ("beta", "scale"), ("d_k", "key_width")])
def test_settings_go_by_their_symbols_too(key: str, name: str) -> None:
    assert getattr(from_mapping({"X": [[1, 0], [0, 1]], key: 4}), name) == 4


def test_what_is_not_known_is_asked_back_by_symbol_or_listed_with_symbols() -> None:
    with pytest.raises(InputError, match="did you mean 'W_Q'"):
        from_mapping({"X": [[1]], "W_QQ": [[1]]})
    with pytest.raises(InputError, match=r"known: inputs \(X\), .* scale \(β\), key_width \(d_k\), title"):
        from_mapping({"X": [[1]], "frobnicate": 1})


def test_a_causal_mask_over_a_context_is_to_be_written_out() -> None:
    with pytest.raises(InputError, match="Write the mask out"):
        from_mapping({"X": [[1]], "C": [[1]], "mask": "causal"})
