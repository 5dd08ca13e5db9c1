"""`glassformer explain` as a person meets it: pages, formats, exit codes and errors."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from glassformer import cli
from glassformer.worksheet import example_names


class Answer:
    """What a command printed, and how it ended."""

    def __init__(self, out: str, err: str, code: int) -> None:
        self.out, self.err, self.code = out, err, code


@pytest.fixture
def glassformer(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    monkeypatch.setenv("COLUMNS", "100")

    def run(*words: str) -> Answer:
        monkeypatch.setattr(sys, "argv", ["glassformer", *words])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        printed = capsys.readouterr()
        return Answer(printed.out, printed.err, int(stop.value.code or 0))

    return run


def test_the_first_page_shows_the_whole_working(glassformer) -> None:  # type: ignore[no-untyped-def]
    page = glassformer("explain")
    assert page.code == 0
    assert page.err == ""
    for line in (
        "I love AI",
        "Q = X W_Q",
        "S = Q Kᵀ",
        "β = 0.7071",
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


def test_a_number_is_spelled_out(glassformer) -> None:  # type: ignore[no-untyped-def]
    page = glassformer("explain", "--example", "i-love-ai", "--number", "scores[2,1]")
    assert "scores[2,1]   “AI” → “love”" in page.out
    assert "= 2 × 1 + 1 × 0" in page.out
    assert "= 2 + 0" in page.out


def test_a_masked_number_says_that_it_is_hidden(glassformer) -> None:  # type: ignore[no-untyped-def]
    assert "= −∞" in glassformer("explain", "masked", "--number", "masked[0,1]").out


def test_json_is_one_strict_document_with_the_number_explained(glassformer) -> None:  # type: ignore[no-untyped-def]
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    answer = glassformer("explain", "masked", "--json", "--number", "weights[1,0]")
    document = json.loads(answer.out, parse_constant=refuse)
    number = document["number"]
    assert number["result"] == pytest.approx(0.5220256498532319, abs=1e-15)
    assert sum(term["value"] for term in number["terms"]) * number["result"] == pytest.approx(
        number["terms"][0]["value"]
    )
    masked = next(stage for stage in document["stages"] if stage["name"] == "masked")
    assert masked["values"][0][1] == "-Infinity"
    assert np.array(masked["values"], dtype=float)[0, 1] == -np.inf


def test_markdown_and_latex_are_balanced_and_complete(glassformer) -> None:  # type: ignore[no-untyped-def]
    for form in ("--markdown", "--latex"):
        text = glassformer("explain", "two-heads", form, "--precision", "2").out
        for opening, closing in (("{", "}"), (r"\begin{bmatrix}", r"\end{bmatrix}"), (r"\[", r"\]")):
            assert text.count(opening) == text.count(closing)
        assert text.count("$") % 2 == 0
        assert r"\begin{bmatrix} 0.67 & 0.16 & 0.16 \\" in text
        assert r"\text{head 2}" in text


def test_latex_writes_exponents_and_roots_as_such(glassformer) -> None:  # type: ignore[no-untyped-def]
    text = glassformer("explain", "--latex").out
    assert r"e^{2.1213} / (e^{0.7071} + e^{1.4142} + e^{2.1213}) = 8.3421" in text


def test_precision_is_obeyed(glassformer) -> None:  # type: ignore[no-untyped-def]
    page = glassformer("explain", "--precision", "2")
    assert "0.58" in page.out
    assert "0.576" not in page.out


def test_a_sentence_of_your_own(glassformer) -> None:  # type: ignore[no-untyped-def]
    page = glassformer("explain", "--sentence", "the cat sat", "--seed", "3", "--heads", "2", "--causal")
    assert "head 2" in page.out
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
    experiments = json.loads(glassformer("explain", "masks", "--json").out)["experiments"]
    assert [[trial["right"] for trial in each["trials"]] for each in experiments] == [
        [False, False, True, True],
        [False, False, False, True],
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["explain", "--example", "i-love-a"], "no example called 'i-love-a'; did you mean 'i-love-ai'"),
        (["explain", "maskd"], "neither an example nor a worksheet file .* did you mean 'masked'"),
        (["explain", "nowhere.toml"], "nowhere.toml cannot be read: No such file"),
        (["explain", "--number", "wieghts[0,0]"], "no stage at 'wieghts'; did you mean 'weights'"),
        (["explain", "--number", "weights[3,0]"], r"weights\[0, 0, 3, 0\] is outside .* the last place is \[2, 2\]"),
        (["explain", "--number", "weights"], "write it as stage\\[row,column\\]"),
        (["explain", "--precision", "99"], "--precision is 99; expected 0 to 15"),
        (["explain", "masked", "--example", "cross"], "Give one thing to explain"),
        (["explain", "masks", "--example", "two-tokens"], "'two-tokens' has no mask"),
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


def test_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["glassformer", "explain", "--example", "none", "--debug"])
    with pytest.raises(ValueError, match="no example called 'none'"):
        cli.main()


def test_a_reader_who_leaves_early_is_no_failure() -> None:
    command = f"{sys.executable} -m glassformer explain | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["0"]
    assert done.stderr == ""


def test_without_colour_no_escape_codes(glassformer, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in glassformer("explain").out
