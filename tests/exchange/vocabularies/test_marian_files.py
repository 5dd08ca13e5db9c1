"""Tokens of two languages go out in the files that they came in, and give transformers the ids that it gave before."""

import json
import random
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import transformers
from helpers.foreign_models import END, byte_tokenizer
from helpers.sentence_models import BOTH, MARIAN, NAMES, SOURCE, TARGET, sentence_model

from glassformer.errors import InputError
from glassformer.exchange.vocabularies.foreign_tokens import foreign_tokens
from glassformer.exchange.vocabularies.marian_files import are_of_two_languages, marian_files
from glassformer.text.tokens import Tokens


def tokens_of(files: dict[str, bytes], size: int = len(NAMES), **more: Any) -> Tokens:
    return foreign_tokens(files, "marian", size, start=12, **more)


def opened(folder: Path, files: dict[str, bytes]) -> Any:
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Recommended: pip install sacremoses")
        return transformers.MarianTokenizer.from_pretrained(folder)


def test_the_ids_of_both_languages_stay_the_same(tmp_path: Path) -> None:
    ours = tokens_of(BOTH, len(NAMES) + 3)  # three ids that no token has
    files = marian_files(ours)
    assert json.loads(files["vocab.json"]) == json.loads(BOTH["vocab.json"])
    before, after = opened(tmp_path / "before", BOTH), opened(tmp_path / "after", files)
    draw = random.Random(5)
    codes = ["", "", "", ">>de<<", ">>de<< ", " >>de<<", ">>xx<< ", "a>>de<<"]
    for _ in range(500):
        text = draw.choice(codes) + "".join(draw.choices("abxyz ", k=draw.randint(0, 12)))
        theirs = before(text)["input_ids"]
        assert after(text)["input_ids"] == theirs == list(ours.encode(text).ids), text
        theirs = before(text_target=text)["input_ids"]
        assert after(text_target=text)["input_ids"] == theirs == list(ours.for_targets.encode(text).ids), text
        assert after.decode(theirs) == before.decode(theirs)
    again = tokens_of({**MARIAN, **files}, len(NAMES) + 3)
    assert (again, again.specials) == (ours, ours.specials)


def test_without_the_second_language_they_are_refused() -> None:
    ours = tokens_of(MARIAN)
    assert are_of_two_languages(ours)
    with pytest.raises(InputError, match=r"no target\.spm"):
        marian_files(ours)


def test_one_language_is_not_two() -> None:
    theirs = byte_tokenizer()
    said = {"eos_token": END}
    files = {"tokenizer.json": theirs.to_str().encode(), "tokenizer_config.json": json.dumps(said).encode()}
    assert not are_of_two_languages(foreign_tokens(files, "gpt2", theirs.get_vocab_size()))
    names = ["</s>", "<unk>", "<pad>", *map(chr, range(97, 127))]
    kinds = {"<unk>": 2, "</s>": 3, "<pad>": 3}
    joint = sentence_model([(name, 0.0 if name in kinds else -2.0, kinds.get(name, 1)) for name in names])
    numbers = json.dumps({name: each for each, name in enumerate(names)}).encode()
    alone = tokens_of({"source.spm": joint, "vocab.json": numbers}, len(names))
    assert not are_of_two_languages(alone)  # all that can be written can be read


def test_what_a_marian_has_not_got_is_refused() -> None:
    ours = tokens_of(BOTH)
    assert ours.parts is not None
    vocabulary = [ours.name(each) for each in range(len(ours))]
    for specials in (replace(ours.specials, end=12), replace(ours.specials, before=(12,))):
        with pytest.raises(InputError, match="not put together as a Marian's"):
            marian_files(Tokens(ours.kind, vocabulary, (), specials, ours.parts))
    bytewise = replace(ours.parts, skeleton=ours.parts.skeleton.replace("WhitespaceSplit", "Whitespace"))
    with pytest.raises(InputError, match="not put together as a Marian's"):
        marian_files(Tokens(ours.kind, vocabulary, (), ours.specials, bytewise))


@pytest.mark.parametrize("name", ["source.spm", "target.spm"])
def test_bytes_for_what_is_unknown_are_refused(name: str) -> None:
    """To SentencePiece a character that it does not know is three pieces then, and no unknown one."""
    pieces = {"source.spm": SOURCE, "target.spm": TARGET}[name]
    with pytest.raises(InputError, match=rf"{name} is none of Marian's kind: .* no bytes"):
        tokens_of({**BOTH, name: sentence_model([*pieces, ("<0x41>", 0.0, 6)])})
