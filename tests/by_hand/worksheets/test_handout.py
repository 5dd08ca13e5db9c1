"""What a page shows of a solution: what repeats in a line, tiny and large numbers as they are."""

from typing import Any

from glassformer.by_hand.worksheets.solution import explain
from glassformer.by_hand.worksheets.text_page import solution_page


def page_of(source: Any, number: str | None = None) -> str:
    return "\n".join(line.plain for line in solution_page(explain(source).handout(4, number), 100))


def test_what_repeats_is_said_in_a_line_and_decided_by_structure() -> None:
    assert "▌  Q = K = V = X\n  ▌  The same numbers: no W_Q, no W_K, no W_V." in page_of("no-weights")
    assert "▌  Y = J = H\n" in page_of("no-weights")
    assert "▌  J = H\n" in page_of("masked")
    assert "J = H" not in page_of("two-heads")
    identity = {
        "inputs": [[1, 2], [3, 4]],
        **{f"{name}_weight": [[1, 0], [0, 1]] for name in ("query", "key", "value")},
    }
    assert "Q = X W_Q" in page_of(identity)  # the numbers of X, but a matrix was there


def test_the_synthesizer_asks_no_key() -> None:
    assert "no key is asked" in page_of("synthesizer")
    assert "How well each query fits each key" not in page_of("synthesizer")


def test_a_tiny_weight_is_no_hidden_one() -> None:
    text = page_of({"scores": [[20, 0], [0, 20]], "mask": "causal"})
    assert "⎡  1.0000        · ⎤" in text
    assert "⎣ <0.0001   1.0000 ⎦" in text


def test_a_large_number_keeps_its_digits() -> None:
    assert "[ 1.235e7        1 ]" in page_of({"scores": [[12345678, 1]]})
    assert r"1.235 \times 10^{7} & 1" in explain({"scores": [[12345678, 1]]}).to_latex()
    assert r"2.061 \times 10^{-9}" in explain({"scores": [[20, 0]]}).to_markdown()
