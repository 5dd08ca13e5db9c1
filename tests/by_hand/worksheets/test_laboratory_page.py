"""The page of the mask laboratory: what it works on, and reasons."""

from glassformer.by_hand.worksheets.laboratory_page import laboratory_page, setting_of
from glassformer.by_hand.worksheets.mask_laboratory import experiments
from glassformer.by_hand.worksheets.solution import explain
from glassformer.by_hand.worksheets.worksheet import from_sentence


def page(source: object = "masked", width: int = 84) -> str:
    setting = setting_of(explain(source).trace)  # type: ignore[arg-type]
    lines = laboratory_page(setting, experiments(setting.scores, setting.mask), width)
    return "\n".join(line.plain for line in lines)


def test_the_page_shows_what_it_works_on_and_gives_reasons() -> None:
    words = " ".join(page(width=108).split())
    for each in ("Z 2 × 2", "M 2 × 2", "✗ row “first” sums to 0.49", "(slope 0.25)", "✓ hides it"):
        assert each in words
    narrow = " ".join(page(width=60).replace("▌", "").split())
    assert "✗ 0.50 of row “first” goes to hidden tokens" in narrow
    assert "✗ all of row “first” goes to hidden tokens" in narrow


def test_the_head_is_named_and_rows_without_tokens_have_numbers() -> None:
    assert "(head 0 of 2)" in page(from_sentence("a b c", heads=2, mask="causal"))
    assert "✗ row 0 sums to 0.5" in page({"scores": [[1, 1], [1, 1]], "mask": "causal"})
