"""`glassformer explain` as a person meets it: pages, formats, exit codes and errors."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from glassformer.by_hand.worksheets.worksheet import example_names


def test_the_first_page_shows_the_whole_working(glassformer) -> None:  # type: ignore[no-untyped-def]
    page = glassformer("explain")
    assert page.code == 0
    assert page.err == ""
    for line in (
        "I love AI",
        "Q = X W_Q",
        "S = Q Kᵀ",
        "β = 1/√d_k = 0.7071, d_k = 2",
        "A = softmax(Z), row by row",
        "0.5760",
        "weights[2,2]",
    ):
        assert line in page.out
    assert re.search(r"love ⎢ +0\.2483 +0\.2483 +0\.5035 ⎥", page.out)
    assert "= e^2.1213 / (e^0.7071 + e^1.4142 + e^2.1213)" in page.out


@pytest.mark.parametrize("name", example_names())
def test_every_example_in_every_form(glassformer, name: str) -> None:  # type: ignore[no-untyped-def]
    for form in ([], ["--markdown"], ["--latex"], ["--json"]):
        answer = glassformer("explain", name, *form)
        assert (answer.code, answer.err) == (0, "")
        assert "nan" not in answer.out.lower()


def test_tokens_in_columns_and_another_beta(glassformer) -> None:  # type: ignore[no-untyped-def]
    page = glassformer("explain", "cross", "--columns", "--number", "A[1,0]")
    assert "S = Kᵀ Q" in page.out
    assert "H = V A" in page.out
    assert "row “second”, column “asks 1” of A, from column “asks 1” of Z" in page.out
    assert "= 0.5120" in page.out
    document = json.loads(glassformer("explain", "--columns", "--scale", "2", "--json", "--number", "Z[1,2]").out)
    assert (document["tokens_in"], document["number"]["number"]) == ("columns", 4.0)


def test_a_number_is_spelled_out(glassformer) -> None:  # type: ignore[no-untyped-def]
    page = glassformer("explain", "--example", "i-love-ai", "--number", "scores[2,1]")
    assert "row “AI”, column “love” of S, from row “AI” of Q and row “love” of K" in page.out
    assert "scores[2,1] = 2 × 1 + 1 × 0\n" in page.out
    assert " = 2 + 0\n" in page.out
    assert "shown rounded" not in page.out


@pytest.mark.parametrize(
    ("number", "words"),
    [
        ("masked[0,1]", "masked[0,1] = −∞, since “first” may not look at “second”"),
        ("masked[1,0]", "masked[1,0] = scaled[1,0] = 0.0431, since “second” may look at “first”"),
        ("mask[0,1]", "mask[0,1] = ·, given: “first” may not look at “second”"),
        ("W_Q[0,1]", "row 0, column 1 of W_Q query_weight[0,1] = 0.51, given"),
        ("joined[1,0]", "joined[1,0] = mixed[1,0] = 0.1252"),
        ("β", "β = 1/√d_k scale = 1 / √(3) = 0.5774"),
        ("A[1,0]", "= 0.5220 Numbers are shown rounded and worked exactly."),
    ],
)
def test_each_kind_of_number_has_its_words(glassformer, number: str, words: str) -> None:  # type: ignore[no-untyped-def]
    page = " ".join(glassformer("explain", "masked", "--number", number).out.split())
    assert words in page


def test_json_is_one_strict_document_with_the_number_explained(glassformer) -> None:  # type: ignore[no-untyped-def]
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    answer = glassformer("explain", "masked", "--json", "--number", "weights[1,0]")
    document = json.loads(answer.out, parse_constant=refuse)
    assert document["format"] == "glassformer-explain/1"
    assert document["heads"] == 1
    assert document["about"].startswith("As two-tokens")
    assert document["tokens"] == document["context_tokens"] == ["first", "second"]
    assert "number" not in json.loads(glassformer("explain", "masked", "--json").out)
    number = document["number"]
    assert number["result"] == pytest.approx(0.5220256498532319, abs=1e-15)
    assert sum(term["value"] for term in number["terms"]) * number["result"] == pytest.approx(
        number["terms"][0]["value"]
    )
    masked = next(stage for stage in document["stages"] if stage["name"] == "masked")
    assert masked["plain"] == "Z̃ = Z where M allows, else −∞"
    assert masked["values"][0][1] == "-Infinity"
    assert np.array(masked["values"], dtype=float)[0, 1] == -np.inf


def test_markdown_and_latex_are_balanced_and_complete(glassformer) -> None:  # type: ignore[no-untyped-def]
    for form in ("--markdown", "--latex"):
        text = glassformer("explain", "two-heads", form, "--precision", "2").out
        for opening, closing in (("{", "}"), (r"\begin{bmatrix}", r"\end{bmatrix}"), (r"\[", r"\]")):
            assert text.count(opening) == text.count(closing)
        assert text.count("$") % 2 == 0
        assert r"\begin{bmatrix} 0.67 & 0.16 & 0.16 \\" in text
        assert r"\text{head 1:}" in text


def test_latex_writes_exponents_and_roots_as_such(glassformer) -> None:  # type: ignore[no-untyped-def]
    text = glassformer("explain", "--latex").out
    assert r"\text{weights[2,2]} &= e^{2.1213} / (e^{0.7071} + e^{1.4142} + e^{2.1213}) \\" in text
    assert "&= 8.3421 / (2.0281 + 4.1133 + 8.3421)" in text


def test_precision_is_obeyed(glassformer) -> None:  # type: ignore[no-untyped-def]
    page = glassformer("explain", "--precision", "2")
    assert "0.58" in page.out
    assert "0.576" not in page.out


def test_a_sentence_of_your_own(glassformer) -> None:  # type: ignore[no-untyped-def]
    page = glassformer("explain", "--sentence", "the cat sat", "--seed", "3", "--heads", "2", "--causal")
    assert "head 1" in page.out
    assert "head 2" not in page.out
    assert "−∞" in page.out


def test_a_worksheet_file(glassformer, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "mine.yaml"
    path.write_text("title: Mine\ninputs: [[1, 0], [0, 1]]\n", encoding="utf-8")
    assert "Mine" in glassformer("explain", str(path)).out


def test_the_examples_are_listed(glassformer) -> None:  # type: ignore[no-untyped-def]
    assert [line.split()[0] for line in glassformer("explain", "--list").out.splitlines()] == example_names()
    assert list(json.loads(glassformer("explain", "--list", "--json").out)) == example_names()


def test_the_mask_laboratory(glassformer) -> None:  # type: ignore[no-untyped-def]
    page = glassformer("explain", "masks").out
    for words in ("zero after softmax", "multiply before softmax", "add −10,000", "add −∞", "leaked", "felt"):
        assert words in page
    document = json.loads(glassformer("explain", "masks", "--json").out)
    assert (document["head"], document["tokens"]) == (0, ["first", "second"])
    assert [[trial["right"] for trial in each["trials"]] for each in document["experiments"]] == [
        [False, False, True, True],
        [False, False, False, True],
        [True, False, False, True],
    ]


def test_the_mask_laboratory_takes_any_source(glassformer, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "mine.toml"
    path.write_text('title = "Mine"\nscores = [[1, 2], [3, 4]]\nmask = "causal"\n', encoding="utf-8")
    assert "laboratory: Mine" in glassformer("explain", "masks", str(path)).out
    assert "laboratory: a b c" in glassformer("explain", "masks", "--sentence", "a b c", "--causal").out
    assert "laboratory: A dense" in glassformer("explain", "masks", "synthesizer").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["explain", "--example", "i-love-a"], "no example called 'i-love-a'; did you mean 'i-love-ai'"),
        (["explain", "maskd"], "neither an example nor a worksheet file .* did you mean 'masked'"),
        (["explain", "nowhere.toml"], "nowhere.toml cannot be read: No such file"),
        (["explain", "--number", "wieghts[0,0]"], "no stage at 'wieghts'; did you mean 'weights'"),
        (["explain", "--number", "weights[3,0]"], r"2 places here: query 0–2, key 0–2 .* weights\[3,0\] is not"),
        (["explain", "two-heads", "--number", "weights"], "3 places here: head 0–1, query 0–2, key 0–2"),
        (["explain", "--number", "weights[x]"], "write it as stage\\[row,column\\]"),
        (["explain", "--precision", "99"], "--precision is 99; expected 2 to 15"),
        (["explain", "--precision", "1"], "--precision is 1; expected 2 to 15"),
        (["explain", "--json", "--precision", "5"], "--precision has no effect here, since --json has every digit"),
        (["explain", "--json", "--latex"], "one form of output, not --json and --latex"),
        (["explain", "--heads", "2"], "--heads has no effect here, since only a --sentence is made up"),
        (["explain", "masked", "--causal"], "--causal has no effect"),
        (["explain", "masks", "--number", "weights[0,0]"], "--number has no effect"),
        (["explain", "masks", "--latex"], "--latex has no effect"),
        (["explain", "masks", "--columns"], "--columns has no effect"),
        (["explain", "--list", "--scale", "1"], "--scale has no effect"),
        (["explain", "max-pooling", "--columns"], "no tokens that could stand in columns"),
        (["explain", "lstm-step", "--scale", "1"], "β is the scale of an attention"),
        (["explain", "masks", "--sentence", "a b"], "no mask here to try"),
        (["explain", "masks", "masked", "--example", "cross"], "Give one thing to explain"),
        (["explain", "masked", "cross"], "'cross' is one thing too many"),
        (["explain", "--list", "--seed", "1"], "--seed has no effect"),
        (["explain", "--list", "masks"], "masks has no effect"),
        (["explain", "masked", "--example", "cross"], "Give one thing to explain"),
        (["explain", "masks", "--example", "two-tokens"], "no mask here to try"),
        (["explain", "--sentence", ""], "The sentence is empty"),
        (["explain", "--precison", "2"], "Did you mean --precision"),
        (["explian"], 'Did you mean "explain"'),
        (["explain", "--heads", "two"], "two"),
    ],
)
def test_wrong_usage_says_what_to_do_and_ends_with_2(glassformer, words: list[str], message: str) -> None:  # type: ignore[no-untyped-def]
    answer = glassformer(*words)
    assert answer.code == 2
    assert answer.out == ""
    assert re.search(message, re.sub(r"\s+", " ", answer.err.replace("│", "")))
    assert "Traceback" not in answer.err


def test_the_page_says_what_its_signs_mean_only_on_a_terminal(glassformer, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    assert "italics" not in glassformer("explain").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "italics: < 0" in glassformer("explain").out


def test_without_colour_no_escape_codes(glassformer, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in glassformer("explain").out
