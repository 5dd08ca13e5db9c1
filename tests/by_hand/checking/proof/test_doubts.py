"""Why a result that does not follow may yet be no mistake: the same numbers, in other words around them."""

import pytest

from glassformer.by_hand.check import check_text


@pytest.mark.parametrize(
    "lead",
    ["If we suppose that", "It is not the case that", "It is wrong that", "Suppose"],
)
def test_what_is_supposed_or_denied_is_not_called_wrong(lead: str) -> None:
    assert check_text("So $13 × 17 = 231$.").first_wrong is not None
    assert check_text(f"{lead} $13 × 17 = 231$.").findings == []


def test_about_a_round_number_is_an_estimate() -> None:
    assert check_text("$13 × 17 ≈ 200$").findings == []
    assert check_text("$13 × 17 = 231$").first_wrong is not None


def test_behind_what_could_not_be_read_nothing_is_called_wrong() -> None:
    report = check_text("$13 × 17 = \\mystery{4}{x} = 231$")
    assert report.findings == []
