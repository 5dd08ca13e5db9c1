"""Parts of other tools' tokenizers: each is known, or refused, and none makes a text much longer or runs a pattern."""

import json
from dataclasses import replace
from typing import Any

import pytest

from glassformer.errors import InputError
from glassformer.text.token_kinds import Specials
from glassformer.text.token_parts import LONGEST_PIECE, NEVER, Parts, checked_parts, scored_pieces, tokenizers_of

WORDS = {"type": "WordLevel", "unk_token": "<u>", "vocab": {"<e>": 0, "<u>": 1, "a": 2}}
SCORED = [["<e>", 0.0], ["<u>", 0.0], ["▁a", -1.0], ["▁", -2.0], ["a", -3.0], ["b", NEVER]]
SPACED = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
ENDS = Specials(("<e>", "<u>"), 0, 0, 0, 1)


def content(**parts: Any) -> dict[str, Any]:
    return {"normalizer": None, "pre_tokenizer": None, "decoder": None, "model": WORDS, **parts}


def in_a_row(*parts: Any) -> dict[str, Any]:
    return {"type": "Sequence", "normalizers": list(parts)}


def replaced(pattern: dict[str, str], by: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": by}


@pytest.mark.parametrize(
    "bad",
    [
        content(model={"type": "Evil", "vocab": {}}),
        content(model={**WORDS, "more": 1}),
        content(model={**WORDS, "type": "WordPiece", "max_input_chars_per_word": 10**9}),
        content(model={**WORDS, "type": "BPE", "continuing_subword_prefix": "##"}),
        content(normalizer={"type": "Evil"}),
        content(normalizer={"type": "Lowercase", "more": 1}),
        content(normalizer=["NFC"]),
        content(normalizer={}),
        content(normalizer=replaced({"String": "a"}, "aa")),
        content(normalizer=replaced({"Regex": "a+"}, "a")),
        content(normalizer=replaced({"String": ""}, "")),
        content(normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"}),
        content(normalizer={"type": "Precompiled", "precompiled_charsmap": 3}),
        content(normalizer=in_a_row(*[{"type": "NFC"}] * 17)),
        content(normalizer=in_a_row(in_a_row(in_a_row({"type": "NFC"})))),
        content(normalizer={**in_a_row({"type": "NFC"}), "more": 1}),
        content(pre_tokenizer={"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated"}),
        content(decoder={"type": "Strip", "content": " ", "start": 10**9, "stop": 0}),
    ],
)
def test_what_is_not_known_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"tokenizer\.json"):
        checked_parts(bad)


def test_scores_are_finite_and_pieces_short() -> None:
    def model(*pieces: Any) -> dict[str, Any]:
        return content(model={"type": "Unigram", "unk_id": 0, "vocab": list(pieces)})

    for piece in (
        ["a", 1.0],
        ["a", -1e9],
        ["a" * (LONGEST_PIECE + 1), -1.0],
        ["a", "1"],
        ["a"],
        3,
        ["a", float("nan")],
    ):
        with pytest.raises(InputError, match=r"tokenizer\.json"):
            checked_parts(model(["<u>", 0.0], piece))
    assert checked_parts(model(["<u>", 0.0], ["a", NEVER])).scores == (0.0, NEVER)
    assert scored_pieces([["a", -1]]) == [("a", -1.0)]


def test_a_file_without_types_is_read_as_the_library_reads_it() -> None:
    """Older files do not say what their model is."""
    assert checked_parts(content(model={"unk_id": 0, "vocab": [["<u>", 0.0]]})).scores == (0.0,)
    assert '"BPE"' in checked_parts(content(model={"vocab": {"a": 0}, "merges": []})).skeleton


def test_pieces_that_texts_are_not_cut_into_and_pieces_beyond() -> None:
    """By pencil: ▁a (−1) beats ▁ a (−5); b stands in the vocabulary for another language, so it is unknown; ▁aa beyond
    it, with −0.5, beats ▁a a (−4)."""
    said = content(
        model={"type": "Unigram", "unk_id": 1, "vocab": SCORED},
        pre_tokenizer={"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, SPACED]},
        decoder=SPACED,
    )
    parts = checked_parts(said, [["▁aa", -0.5]])
    whole, cutter = tokenizers_of(parts, [piece for piece, _ in SCORED], [], ENDS)
    assert whole.get_vocab_size() == len(SCORED)
    assert cutter.encode("a").ids == [2]
    assert cutter.encode("a b").ids == [2, 3, 1]
    assert cutter.encode("aa").ids == [len(SCORED)]
    assert cutter.encode("<e>").ids == [3, 1]
    assert parts.reads_only
    assert not Parts(parts.skeleton, (0.0,) * 20).reads_only
    with pytest.raises(InputError, match="stands twice"):
        tokenizers_of(checked_parts(said, [["▁a", -0.5]]), [piece for piece, _ in SCORED], [], ENDS)


def test_a_languages_code_leads_a_text_or_is_text() -> None:
    """As MarianTokenizer has it: what stands between >> and << at the very start is one token, known or not."""
    scored = [*SCORED[:-1], [">>de<<", NEVER]]
    vocabulary = [piece for piece, _ in scored]
    said = content(
        model={"type": "Unigram", "unk_id": 1, "vocab": scored},
        pre_tokenizer={"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, SPACED]}, decoder=SPACED,
    )  # fmt: skip
    _, cutter = tokenizers_of(checked_parts(said), vocabulary, [], replace(ENDS, cut=(vocabulary[5],)))
    code, plain = vocabulary[5], cutter.encode(" a")
    known, unknown = cutter.encode(f"{code} a"), cutter.encode(">>?<< a")
    assert (known.ids, unknown.ids) == ([5, *plain.ids], [1, *plain.ids])
    assert known.tokens == [code, *plain.tokens]
    assert list(known.offsets) == [(0, len(code)), *((a + len(code), b + len(code)) for a, b in plain.offsets)]
    assert known.word_ids == [0, *(None if word is None else word + 1 for word in plain.word_ids)]
    for text in (f" {code}", f"a{code}", ">>", "<<", code[:-1]):
        assert 5 not in cutter.encode(text).ids
    assert [each.ids for each in cutter.encode_batch_fast([f"{code} a", " a"])] == [known.ids, plain.ids]


@pytest.mark.parametrize(
    "targets", [3, {}, {"table": "", "pieces": []}, {"table": "AAAA", "pieces": [["a", -1]]},
                {"table": "", "pieces": [["a", -1], ["a", -2]]}, {"table": "", "pieces": [["a", 1]]}],
)  # fmt: skip
def test_how_translations_are_cut_is_told_in_one_way_only(targets: object) -> None:
    said = content(model={"type": "Unigram", "unk_id": 1, "vocab": SCORED})
    with pytest.raises(InputError, match=r"translations|tokenizer\.json"):
        checked_parts(said, (), targets)
    with pytest.raises(InputError, match="where pieces have scores"):
        checked_parts(content(), (), {"table": "", "pieces": [["a", -1]]})
    assert checked_parts(said, (), {"table": "", "pieces": [["a", -1]]}).of_targets(["a", "b"]) == Parts(
        checked_parts(said).skeleton, (-1.0, NEVER)
    )


def test_what_stands_for_the_unknown_must_be_there() -> None:
    skeleton = checked_parts(content()).skeleton
    with pytest.raises(InputError, match="stands for unknown tokens"):
        tokenizers_of(Parts(skeleton), ["<e>", "a"], [], Specials(("<e>",), 0, 0, 0))
    assert json.loads(skeleton)["model"] == {"type": "WordLevel", "unk_token": "<u>"}
