"""Models of SentencePiece: what is written is read back, and SentencePiece itself cuts by it as by the first."""

import random

import pytest
from helpers.sentence_models import SOURCE, TARGET, field, sentence_model
from sentencepiece import SentencePieceProcessor

from glassformer.errors import InputError
from glassformer.exchange.vocabularies import sentence_pieces
from glassformer.exchange.vocabularies.sentence_pieces import NORMAL, sentences


def scored(data: bytes) -> list[tuple[str, float]]:
    return [(piece.text, piece.score) for piece in sentences(data).pieces if piece.kind == NORMAL]


@pytest.mark.parametrize("pieces", [SOURCE, TARGET])
def test_what_is_written_is_read_back_and_cuts_alike(pieces: list[tuple[str, float, int]]) -> None:
    first = sentence_model(pieces)
    again = sentence_pieces.sentence_model(scored(first), b"")
    found = sentences(again)
    assert scored(again) == scored(first)
    assert (found.merged, found.tidy, found.table, found.in_bytes) == (False, True, b"", False)
    one, other = SentencePieceProcessor(model_proto=first), SentencePieceProcessor(model_proto=again)
    draw = random.Random(7)
    for _ in range(500):
        text = "".join(draw.choices("abxyz <>/s", k=draw.randint(0, 12)))
        assert one.encode(text, out_type=str) == other.encode(text, out_type=str)
    assert len(one.encode("abab xxy", out_type=str)) > 2


def test_a_table_of_characters_is_kept() -> None:
    assert sentences(sentence_pieces.sentence_model([("a", -1.0)], b"\0\1\2\200")).table == b"\0\1\2\200"


def test_a_piece_that_says_unknown_cannot_be_written() -> None:
    with pytest.raises(InputError, match="<unk>"):
        sentence_pieces.sentence_model([("<unk>", -1.0)], b"")
    ends = sentences(sentence_pieces.sentence_model([("</s>", -1.0)], b"")).pieces
    assert [piece.text for piece in ends] == ["<unk>", "<s>", "</s>"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "from 1 to"),
        (field(1, field(1, b"\xff")), "no text in UTF-8"),
        (field(1, field(1, b"a") + field(2, 3)), "a number stands where a text should"),
        (field(1, field(3, b"x")), "a text stands where a number should"),
        (field(1, b"ab")[:-1], "cut off"),
        (b"\xff" * 11, "no end"),
        (sentence_model([("a", float("nan"), 1)]), "has the score nan"),
        (sentence_model([("a", -1.0, 5)]), "of its user's own"),
    ],
)
def test_what_is_none_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sentences(data)
