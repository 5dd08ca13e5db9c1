"""What is known of a meeting."""

from glassformer.inside.watching.beneath.marks import Meeting


def test_a_meeting_is_certain_unless_there_is_a_doubt() -> None:
    assert Meeting("softmax").certain
    assert not any(
        each.certain
        for each in (Meeting("softmax", learned=True), Meeting("mm", doubt="why"), Meeting("softmax", apart=True))
    )
