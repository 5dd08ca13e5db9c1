"""What a block comes to, as it is written: letters, numbers and their value."""

from glassformer.models.config import LanguageModelConfig
from glassformer.models.registry import configure
from glassformer.models.size_formulas.blocks import Shape, positions
from glassformer.models.sizes import sizes


def test_the_notes_formula_of_attention_is_there() -> None:
    attention = next(row for row in sizes("attention").rows if row.part == "attention")
    assert attention.formula == "D·(2·K+V)·H + H·V·D + (2·K+V)·H + D"
    assert attention.numbers == "128·(2·32+32)·4 + 4·32·128 + (2·32+32)·4 + 128"


def test_without_biases_attention_has_the_sheets_count() -> None:
    config = configure("attention", width=128, heads=8, key_width=16, value_width=24, bias=False)
    attention = next(row for row in sizes("attention", config).rows if row.part == "attention")
    assert attention.formula == "D·(2·K+V)·H + H·V·D"  # d(2m+l)T + Tl·d
    assert attention.count == 128 * (2 * 16 + 24) * 8 + 8 * 24 * 128 == 81_920


def test_a_block_is_its_attention_its_network_and_two_norms() -> None:
    shape = Shape(
        LanguageModelConfig(
            width=6, heads=2, hidden=11, layers=3, vocabulary=17, norm="rms", bias=False, query_key_norm=False
        ),
        7,
    )
    assert [(part.part, part.formula, part.count) for part in shape.blocks("L", "blocks")] == [
        ("blocks: attention", "L·(D·(2·K+V)·H+H·V·D)", 3 * (6 * 9 * 2 + 2 * 3 * 6)),
        ("blocks: feed-forward", "L·3·D·F", 3 * 3 * 6 * 11),
        ("blocks: norms", "L·2·D", 3 * 2 * 6),
    ]


def test_learned_positions_are_a_row_for_each_place() -> None:
    learned, turned = (
        positions(Shape(LanguageModelConfig(width=6, heads=2, length=13, positions=scheme), 7))
        for scheme in ("learned", "rotary")
    )
    assert [each.count for each in learned] == [13 * 6]
    assert list(turned) == []
