"""Lists without brackets after the name of a stage or an operation; after other words they may be anything."""

import pytest

from glassformer.by_hand.check import check_text


def told(notes: str) -> tuple[str, list[tuple[str, str]]]:
    report = check_text(notes)
    return report.outcome, [(finding.printed, finding.right) for finding in report.findings]


@pytest.mark.parametrize(
    "notes",
    [
        "S = [1, 2, 3]\n\nsoftmax(S) = {}\n",
        "S = [1, 2, 3]\n\n- softmax(S): {}.\n",
        "logits: 1, 2, 3\n\nAfter softmax: {}\n",
        "weights = softmax(scores)\n\nscores: 1, 2, 3\n\n**weights:** {}\n",
    ],
)
def test_a_list_after_an_operation_whose_operands_are_known(notes: str) -> None:
    assert told(notes.format("0.09, 0.24, 0.67")) == ("fine", [])
    assert told(notes.format("0.09, 0.24, 0.77")) == ("wrong", [("0.77", "0.67")])


@pytest.mark.parametrize(
    "notes",
    [
        "weights: 0.07, 0.41, 0.62\n",  # of what?
        "scores: 1, 2, 3\n\nweights: 0.07, 0.41, 0.62\n",  # nothing says that these are of those
        "Layers: 1, 2, 3\n\nmean = 5\n",
        "S = [1, 2, 3]\n\nsoftmax(S): 0,09, 0,24, 0,77\n",
        "S = [1, 2, 3]\n\nsoftmax of row 2: 0.09, 0.24, 0.77\n",
    ],
)
def test_a_list_that_may_be_anything_is_not_called_wrong(notes: str) -> None:
    assert told(notes) == ("nothing checked", [])
