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


def test_what_was_measured_does_not_follow_from_a_formula() -> None:
    said = "The {} speed is $c = 0.57734$ ($=1/\\sqrt3$), and $1/2 = 0.5$, $1/4 = 0.25$, $1/8 = 0.125$.\n"
    assert check_text(said.format("measured")).findings == []
    assert [f.right for f in check_text(said.format("lattice")).findings] == ["0.57735"]


def test_a_result_in_millions_is_of_another_size() -> None:
    said = "We need $M (20 + 4 + 4) = 400,000 \\times 28 = {}$ megabytes (MB)."
    given = "There are $M = 400,000$ terms.\n\n"
    assert check_text(given + said.format("11.2")).findings == []
    assert check_text(given + said.format("11,300,000")).findings != []
