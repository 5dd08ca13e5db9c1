"""The catalogue's formulas for a name, over what the notes give."""

from helpers.formulas import scope_of

from glassformer.by_hand.numbers.formulas import catalogue_formulas


def keys(stage: str, **given: object) -> list[str]:
    return [formula.key for formula in catalogue_formulas(stage, scope_of(**given))]


def test_scores_are_queries_and_keys() -> None:
    assert keys("scores", Q=[[1]], K=[[1]]) == ["queries · (keys)ᵀ"]
    assert keys("scores", Q=[[1]]) == []


def test_on_paper_a_scale_is_a_division_and_a_mask_is_added() -> None:
    assert keys("scaled", scores=[[1]]) == ["scores · 1/(sqrt(d_k))"]
    assert "(scaled + mask)" in keys("masked", scaled=[[1]], M=[[0]])


def test_the_output_may_be_mixed_values_alone() -> None:
    assert "weights · values" in keys("output", weights=[[1]], V=[[1]])
