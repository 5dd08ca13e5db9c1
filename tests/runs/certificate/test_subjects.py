"""A model asked about texts alone, padded, in company and in parts."""

import pytest
import torch
from helpers.small_models import small

from glassformer.errors import InputError
from glassformer.models.registry import MODELS
from glassformer.runs.certificate.certificate import certify
from glassformer.runs.certificate.subjects import Text, subject_for


def test_an_unknown_family_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match="no family of models called 'clasifier'; did you mean 'classifier'"):
        certify(small("rnn"), "clasifier")


LONG, SHORT = Text((7, 19, 11, 28, 5), source=(13, 6)), Text((26, 6), source=(21, 10, 15))


@pytest.mark.parametrize(("name", "rows"), [("transformer", [1, 1]), ("modern", [5, 2]), ("translator", [5, 2])])
def test_padding_is_any_id_and_no_answer_is_about_it(name: str, rows: list[int]) -> None:
    subject = subject_for(small(name), MODELS[name].family)
    found = subject.ask([LONG, SHORT], right=3)
    assert [len(answer) for answer in found] == rows
    ids, real = subject.padded([(7, 19), (26,)], 1, 2)
    assert real.tolist() == [[False, True, True, False, False], [False, True, False, False, False]]
    assert ids[real].tolist() == [7, 19, 26]
    assert int(ids.max()) < subject.vocabulary


def test_read_in_parts_a_text_has_as_many_answers() -> None:
    subject = subject_for(small("modern").double(), "language model")
    torch.testing.assert_close(subject.in_parts(LONG, [1, 4]), subject.alone(LONG), atol=1e-12, rtol=0)


def test_greedy_writing_begins_with_the_likeliest_id() -> None:
    subject = subject_for(small("gpt"), "language model")
    written = subject.write([LONG], 3)[0]
    assert len(written) == 3
    assert written[0] == int(subject.alone(LONG)[-1].argmax())


def test_who_counts_columns() -> None:
    scorers = ("dot product", "random synthesizer")
    assert [subject_for(small("gpt", scorer=each), "language model").counts_columns for each in scorers] == [
        False,
        True,
    ]
