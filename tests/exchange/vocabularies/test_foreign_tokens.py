"""Tokens of other tools: the same cut as there, nothing of a file run, and every lie refused."""

import copy
import json
from typing import Any

import pytest
from helpers.foreign_models import END, TEXTS, byte_tokenizer, marked_tokenizer, piece_tokenizer
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from glassformer.errors import GlassformerError, InputError
from glassformer.exchange.vocabularies.foreign_tokens import foreign_tokens
from glassformer.text.token_kinds import CUT
from glassformer.text.tokens import Tokens

NAMED = {"config": json.dumps({"eos_token": END}).encode()}


def taken(content: Any, size: int | None = None, **files: bytes) -> Tokens:
    data = content.to_str() if isinstance(content, Tokenizer) else json.dumps(content)
    count = size or len({**json.loads(data)["model"]["vocab"]})
    return foreign_tokens({"tokenizer.json": data.encode(), **files}, "gpt2", count)


def llama_tokenizer() -> Tokenizer:
    """Llama 2's kind: pieces with a mark for the blank, and bytes for what is not known."""
    names = [
        "<unk>",
        "<s>",
        "</s>",
        *(f"<0x{byte:02X}>" for byte in range(256)),
        "▁",
        "t",
        "h",
        "e",
        "▁t",
        "he",
        "▁the",
    ]
    merges = [("▁", "t"), ("h", "e"), ("▁t", "he")]
    ids = {name: i for i, name in enumerate(names)}
    tokenizer = Tokenizer(models.BPE(ids, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)]
    )
    return tokenizer


def qwen_tokenizer() -> Tokenizer:
    tokenizer = byte_tokenizer()
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(CUT % ""), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    return tokenizer


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (byte_tokenizer, "gpt2"), (marked_tokenizer, "gpt2"), (piece_tokenizer, "wordpiece"),
        (llama_tokenizer, "llama"), (qwen_tokenizer, "qwen"),
    ],
)  # fmt: skip
def test_the_same_cut_and_the_same_again_from_our_own_file(make: Any, kind: str) -> None:
    theirs = make()
    tokens = taken(theirs)
    theirs.encode_special_tokens = True
    assert tokens.kind == kind
    again = Tokens.from_bytes(tokens.to_bytes(), "here", tokens.special_bytes())
    assert again == tokens
    for text in [*TEXTS, "the the", "it's 12345"]:
        assert list(tokens.encode(text).ids) == theirs.encode(text).ids
        assert list(again.encode(text).ids) == theirs.encode(text).ids


def test_special_tokens_play_the_parts_they_have() -> None:
    tokens = taken(marked_tokenizer())
    assert (tokens.start, tokens.pad, tokens.end, tokens.unknown, tokens.mask) == (
        0,
        1,
        2,
        None,
        4,
    )  # its merges use no unknown token, though one has the name
    assert (tokens.specials.before, tokens.specials.after) == ((0,), (2,))
    assert tokens.decode(tokens.encode("the cat").ids) == "the cat"
    alone = taken(byte_tokenizer())
    assert (alone.start, alone.pad, alone.end, alone.unknown, alone.mask) == (0, 0, 0, None, None)


def scored_tokenizer() -> Tokenizer:
    """XLM-RoBERTa's kind: pieces with scores, of which the likeliest row is taken."""
    pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    pieces += [(name, -float(i)) for i, name in enumerate(("▁the", "▁", "t", "h", "e", "▁cat", "s", "<", ">", "/"), 1)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])  # the last is no piece
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


def figures_tokenizer() -> Tokenizer:
    """SmolLM's kind: each figure by itself, then bytes; and a token that texts can say."""
    tokenizer = byte_tokenizer()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.add_tokens(["<think>"])
    return tokenizer


def plain_tokenizer() -> Tokenizer:
    """What a beginner puts together: words and marks, merged, with an unknown token."""
    names = ["</s>", "<unk>", "c", "a", "t", "ca", "cat"]
    ids = {name: i for i, name in enumerate(names)}
    tokenizer = Tokenizer(models.BPE(ids, [("c", "a"), ("ca", "t")], unk_token="<unk>"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(["</s>", "<unk>"])
    return tokenizer


@pytest.mark.parametrize("make", [scored_tokenizer, figures_tokenizer, plain_tokenizer])
def test_other_tokenizers_are_put_together_from_known_parts(make: Any) -> None:
    theirs = make()
    content = json.loads(theirs.to_str())
    tokens = taken(content, theirs.get_vocab_size())
    assert tokens.kind == "foreign"
    again = Tokens.from_bytes(tokens.to_bytes(), "here", tokens.special_bytes())
    assert again == tokens
    theirs.encode_special_tokens = True
    for text in [*TEXTS, "the  cats", "it's 12345", "a <think> b<think>", "CAT 日本 cat", "", " "]:
        if make is scored_tokenizer and "<s>" in text:
            continue  # there it becomes the special token
        assert list(tokens.encode(text).ids) == theirs.encode(text).ids
        assert [list(row) for row in again.encode_many([text])] == [theirs.encode(text).ids]
        if tokens.unknown not in tokens.encode(text).ids:  # which is shown here
            assert tokens.decode(tokens.encode(text).ids) == theirs.decode(theirs.encode(text).ids)
        tokens.strings(tokens.encode(text).ids)


def test_no_text_makes_a_special_token_where_pieces_have_scores() -> None:
    tokens = taken(json.loads(scored_tokenizer().to_str()), 20)
    assert tokens.mask == 14
    assert not {0, 1, 2, 14, 19} & set(tokens.encode("</s><s><pad><mask><|unused 19|>", bare=True).ids)
    assert tokens.encode("<s>", bare=True).ids == tuple(tokens._tokenizer.token_to_id(each) for each in "▁<s>")


def test_what_the_merges_do_not_know_is_left_out_as_there() -> None:
    theirs = plain_tokenizer()
    theirs.model.unk_token = None
    content = json.loads(theirs.to_str())
    tokens = taken(content, 7, **{"tokenizer_config.json": b'{"unk_token": "<unk>"}'})
    assert tokens.unknown is None
    assert list(tokens.encode("cat dog").ids) == theirs.encode("cat dog").ids == [6]


def test_ids_without_a_token_are_filled_up() -> None:
    tokens = taken(byte_tokenizer(), size=290)
    assert len(tokens) == 290
    assert tokens.decode([289]) == ""
    with pytest.raises(InputError, match="knows 7 tokens, but its tokenizer has 283"):
        taken(byte_tokenizer(), size=7)


def test_a_vocabulary_of_lines_is_berts() -> None:
    theirs = piece_tokenizer()
    names = sorted(theirs.get_vocab(), key=theirs.get_vocab().__getitem__)
    tokens = foreign_tokens({"vocab.txt": "\n".join(names).encode()}, "bert", len(names))
    assert list(tokens.encode(TEXTS[0]).ids) == theirs.encode(TEXTS[0]).ids
    with pytest.raises(InputError, match=r"no tokenizer.json"):
        foreign_tokens({"vocab.txt": b"a"}, "gpt2", 1)


def test_tokens_of_ours_come_back() -> None:
    tokens = Tokens.train("word", ["the cat sat on the mat"], min_frequency=1)
    assert foreign_tokens({"tokenizer.json": tokens.to_bytes()}, "bert", len(tokens)) == tokens


def changed(path: str, value: Any) -> dict[str, Any]:
    content = copy.deepcopy(json.loads(byte_tokenizer().to_str()))
    place = content
    *way, last = path.split(".")
    for name in way:
        place = place[name]
    place[last] = value
    return content  # type: ignore[no-any-return]


EVIL = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (changed("pre_tokenizer", EVIL), "no pattern of a file is run"),
        (changed("pre_tokenizer.add_prefix_space", 1), "not known here"),
        (changed("model.type", "Unigram"), "not known here"),
        (changed("model.type", "Evil"), "not known here"),
        (changed("model.dropout", 0.5), "not known here"),
        (changed("normalizer", {"type": "Evil"}), "not known here"),
        (changed("post_processor", {"type": "Evil"}), "puts something around"),
        (changed("added_tokens", [{"content": "x", "id": 3, "special": True}]), "two ids|each once|ids must be"),
        (changed("added_tokens", [{"content": "zz", "id": 283, "lstrip": True}]), "with what stands beside it"),
        (changed("added_tokens", [3]), "must have a content and an id"),
        (changed("added_tokens", 3), "its added tokens must be a list"),
        (changed("model.vocab", {"a": 0, "b": 7}), "ids must be"),
        (changed("model.vocab", ["a"]), "must give each token"),
        (changed("model.merges", [["a", "b", "c"]]), "pairs of tokens"),
        (changed("model.merges", [["zz", "qq"]]), "needs both"),
        (changed("model.merges", 3), "must be a list"),
        (changed("model", 3), "says nothing of a model"),
    ],
)
def test_a_file_that_is_not_what_it_says_is_refused(content: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        foreign_tokens({"tokenizer.json": json.dumps(content).encode()}, "gpt2", 283)


def test_mutated_files_are_refused_in_words_or_taken() -> None:
    import random

    draw, whole = random.Random(3), byte_tokenizer().to_str().encode()
    refused = 0
    for _ in range(150):
        content = bytearray(whole)
        for _ in range(draw.randint(1, 3)):
            content[draw.randrange(len(content))] = draw.randrange(256)
        try:
            foreign_tokens({"tokenizer.json": bytes(content)}, "gpt2", 283)
        except GlassformerError:
            refused += 1  # any other error is a failure
    assert refused > 50
