"""A config.json as a closed form."""

from typing import Any

import pytest

from glassformer.errors import InputError
from glassformer.exchange.foreign_config import ForeignConfig


def test_each_key_is_taken_and_none_may_be_left() -> None:
    said = ForeignConfig({"n": 3, "x": 2, "words": ["a"], "act": "swish", "torch_dtype": "float16", "rope": {"t": 1}})
    assert said.take("n", int) == 3
    assert said.take("x", float) == 2.0
    assert said.take("missing", int, 7) == 7
    assert said.choice("act", {"swish": "silu"}, "swish") == "silu"
    assert said.names("words") == ["a"]
    with pytest.raises(InputError, match=r"says `rope` .* not known here"):
        said.done()
    assert said.table("rope").take("t", int) == 1
    said.done()


@pytest.mark.parametrize("value", ["3", 3.5, True, [3], -1, 2**40, {}])
def test_a_value_of_another_kind_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="`n` must be"):
        ForeignConfig({"n": value}).take("n", int)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.5, True, "1"])
def test_a_number_that_is_none_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="`x` must be"):
        ForeignConfig({"x": value}).take("x", float)


def test_what_must_be_so_must_be_so() -> None:
    ForeignConfig({}).must("flag", True)
    ForeignConfig({"flag": None}).must("flag", True)
    with pytest.raises(InputError, match="`flag` is 1; only true can be taken in"):
        ForeignConfig({"flag": 1}).must("flag", True)
    with pytest.raises(InputError, match="does not say `n`"):
        ForeignConfig({}).take("n", int)
    with pytest.raises(InputError, match="must be a table"):
        ForeignConfig({"rope": 3}).table("rope")
    with pytest.raises(InputError, match="must be a list of words"):
        ForeignConfig({"words": [3]}).names("words")


def test_a_number_that_must_be_said() -> None:
    ForeignConfig({"n": 3}).must_say("n", 3)
    with pytest.raises(InputError, match="`n` is 2; only 3 can be taken in"):
        ForeignConfig({"n": 2}).must_say("n", 3)
    with pytest.raises(InputError, match="does not say `n`"):
        ForeignConfig({}).must_say("n", 3)


def test_what_multilingual_berts_say_beside_changes_nothing() -> None:
    said = {"_num_labels": 5, "directionality": "bidi", "pooler_fc_size": 768, "pooler_type": "first_token_transform"}
    ForeignConfig(said).done()
    with pytest.raises(InputError, match="`use_sdpa`"):
        ForeignConfig(said | {"use_sdpa": True}).done()


def test_what_is_not_known_can_be_ignored_by_who_knows_it() -> None:
    said = {"kobert_version": 1.0, "pruned_heads": {}, "is_decoder": False, "author": "somebody"}
    with pytest.raises(InputError, match="--ignore kobert_version"):
        ForeignConfig(said).done()
    ForeignConfig(said).done(["kobert_version"])
    known = ForeignConfig({**said, "n": 3})
    known.take("n", int)
    for name in ("n", "auto_map"):
        with pytest.raises(InputError, match=f"`{name}` of config.json is known here"):
            known.done([name])
    with pytest.raises(InputError, match="`pruned_heads` is"):
        ForeignConfig({"pruned_heads": {"0": [1]}}).done(["pruned"])
    ForeignConfig({"do_blenderbot_90_layernorm": False}).done()
    with pytest.raises(InputError, match="`do_blenderbot_90_layernorm` is True"):
        ForeignConfig({"do_blenderbot_90_layernorm": True}).done()
    assert known.says("n")
    assert not known.says("m")
