"""The pipeline in the terminal: nothing is wider than the page, every token stands above its id."""

import numpy as np
import pytest
from rich.console import Console

from glassformer.commands.pages.pipeline_page import print_pipeline, print_vocabulary
from glassformer.text.pipeline import count_vocabulary, pipeline
from glassformer.text.tokens import Tokens

TEXTS = [
    "It's a film, not a good one; it is long, and the end is 猫 bad.",
    "A\x1b[31m trick\tand a Donaudampfschifffahrt",
]


def shown(width: int, kind: str = "word") -> list[str]:
    tokens = Tokens.train(kind, [TEXTS[0]], min_frequency=1)
    way = pipeline(tokens, TEXTS, longest=17)
    rows = np.random.default_rng(1).normal(size=(*way.ids.shape, 7)).astype(np.float32)
    console = Console(width=width)
    with console.capture() as said:
        print_pipeline("mine", way.with_rows(rows), console)
        print_vocabulary("mine", kind, count_vocabulary(tokens, TEXTS), console)
    return said.get().splitlines()


@pytest.mark.parametrize("kind", ["word", "character", "bpe", "byte-bpe"])
@pytest.mark.parametrize("width", [40, 80, 130])
def test_a_page_fits_and_steers_no_terminal(width: int, kind: str) -> None:
    lines = shown(width, kind)
    assert max(map(len, lines)) <= width
    assert "\x1b[31m" not in "\n".join(lines)
    assert any("padding (<pad>, id 0)" in line for line in lines)


def test_a_token_stands_above_its_id() -> None:
    lines = shown(130)
    at = next(i for i, line in enumerate(lines) if line.startswith("  tokens"))
    tokens = Tokens.train("word", [TEXTS[0]], min_frequency=1)
    names, ids = lines[at][16:].split(), lines[at + 1][16:].split()
    assert [int(each) for each in ids] == [tokens.encode(name).ids[0] for name in names]
    starts = [i for i, sign in enumerate(lines[at + 1]) if sign.isdigit() and not lines[at + 1][i - 1].isdigit()]
    assert all(lines[at][i] != " " and lines[at][i - 1] == " " for i in starts[1:8])
    assert any("not in the vocabulary (<unk>)" in line and "donaudampf" in line for line in lines)


def test_a_long_text_shows_its_first_tokens_and_says_so() -> None:
    tokens = Tokens.train("word", ["a b"], min_frequency=1)
    console = Console(width=60)
    with console.capture() as said:
        print_pipeline("mine", pipeline(tokens, ["a b " * 211], longest=401), console)
    page = said.get()
    assert "more tokens" in page
    assert "21 tokens behind these are not read" in page
    assert "no embedding here" in page


def test_of_a_long_text_the_beginning_is_shown() -> None:
    console = Console(width=80)
    with console.capture() as said:
        tokens = Tokens.train("word", ["a film"], min_frequency=1)
        print_pipeline("mine", pipeline(tokens, ["a film " * 100_000], longest=17), console)
    assert "… (698,000 more characters)" in " ".join(said.get().split())
    assert len(said.get().splitlines()) < 120
