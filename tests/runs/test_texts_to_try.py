"""Texts to try: they are what the lecture prints, and belong to sets there are."""

from glassformer.runs.texts_to_try import LECTURE_REVIEWS, READ_BEFORE, TO_TRY
from glassformer.text.files.named_sets import NAMED


def test_the_four_reviews_are_whole_and_in_their_order() -> None:
    assert [each.label for each in LECTURE_REVIEWS] == ["positive", "negative", "positive", "negative"]
    assert [each.text.split()[0] for each in LECTURE_REVIEWS] == ["A", "This", "I", "BTW"]
    assert [each.text.split()[-1] for each in LECTURE_REVIEWS] == ["piece", "today", "killer)", "screen."]
    assert all("  " not in text for texts in TO_TRY.values() for text in texts)


def test_every_text_belongs_to_a_set_there_is() -> None:
    assert set(TO_TRY) <= set(NAMED)


def test_what_a_model_has_read_is_offered_and_said_so() -> None:
    for note, texts in READ_BEFORE.values():
        assert "has read" in note
        assert set(texts) <= set(TO_TRY["imdb"])
