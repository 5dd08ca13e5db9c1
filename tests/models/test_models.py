"""All models share one contract: ids and mask in, logits out, stages seen; padding and looking change nothing."""

from typing import Any

import numpy as np
import pytest
import torch
from helpers.small_models import SIZES_IN_THE_NOTES, VOCABULARY, inputs, small

from glassformer.errors import InputError
from glassformer.models import config as configs
from glassformer.models.classifiers import words_left_out
from glassformer.models.registry import MODELS, build, config_from, configure
from glassformer.stages.recorder import record
from glassformer.stages.watchers import nothing


@pytest.mark.parametrize("name", SIZES_IN_THE_NOTES)
def test_the_notes_models_have_the_notes_sizes(name: str) -> None:
    with torch.device("meta"):
        assert sum(weight.numel() for weight in build(name).parameters()) == SIZES_IN_THE_NOTES[name]


@pytest.mark.parametrize("name", MODELS)
def test_looking_changes_nothing_and_every_number_explains_itself(name: str) -> None:
    model = small(name).double()
    answer, trace = record(model, *inputs(name))
    assert torch.equal(answer, model(*inputs(name)))
    generator = np.random.default_rng(1)
    for address in trace:
        shape = trace[address].shape
        for _ in range(3):
            index = tuple(int(generator.integers(size)) for size in shape)
            why = trace.explain(address, index)
            if address == "states" and why.number == 0:
                continue  # padding after the last word
            assert why.result == pytest.approx(why.number, rel=1e-12, abs=1e-12), (address, index)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("pads", [1, 3, 12])
def test_padding_and_company_say_nothing(name: str, pads: int) -> None:
    model = small(name)
    alone = [model(*(part[i : i + 1, : n if j < 2 else None] for j, part in enumerate(inputs(name))))
             for i, n in enumerate((11, 7, 4))]  # fmt: skip
    together = model(*inputs(name, pads=pads))
    for i, (one, n) in enumerate(zip(alone, (11, 7, 4), strict=True)):
        mine = together[i : i + 1, :n] if MODELS[name].family == "language model" else together[i : i + 1]
        torch.testing.assert_close(one, mine, rtol=0, atol=5e-6)


@pytest.mark.parametrize("name", ["translator", "gpt", "modern"])
def test_the_future_does_not_leak(name: str) -> None:
    model = small(name)
    parts = inputs(name)
    ids = parts[-1] if name == "translator" else parts[0]
    before = model(*parts)
    for place in range(1, ids.shape[1]):
        changed = ids.clone()
        changed[:, place:] = (changed[:, place:] + 1) % VOCABULARY
        others = (*parts[:-1], changed) if name == "translator" else (changed, parts[1])
        assert torch.equal(model(*others)[:, :place], before[:, :place])


@pytest.mark.parametrize("scorer", ["dot product", "dense synthesizer", "random synthesizer"])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary", "none"])
def test_a_language_model_may_read_in_parts(scorer: str, positions: str) -> None:
    if scorer != "dot product" and positions == "rotary":
        positions = "learned"  # a synthesizer has no keys to turn
    model = small("modern", scorer=scorer, positions=positions, query_key_norm=scorer == "dot product").double()
    ids, _ = inputs("modern", (11, 11))
    whole = model(ids)
    for split in range(1, 11):
        cache = model.new_cache()
        parts = torch.cat([model(ids[:, :split], cache=cache), model(ids[:, split:], cache=cache)], dim=1)
        torch.testing.assert_close(parts, whole, rtol=0, atol=1e-12)


def test_a_translator_may_write_step_by_step() -> None:
    model = small("translator").double()
    source, real, target = inputs("translator")
    whole = model(source, real, target)
    context, cache = model.encode(source, real), model.new_cache()
    steps = [model.decode(target[:, i : i + 1], context, real, cache=cache) for i in range(target.shape[1])]
    torch.testing.assert_close(torch.cat(steps, dim=1), whole, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["translator", "gpt", "modern"])
def test_scores_only_where_they_count_are_the_same_scores(name: str) -> None:
    model, parts = small(name).double(), inputs(name)
    whole = model(*parts)
    counted = torch.rand(whole.shape[:2], generator=torch.Generator().manual_seed(7)) < 0.4
    some = model(*parts, counted=counted)
    assert some.shape == (int(counted.sum()), VOCABULARY)
    torch.testing.assert_close(some, whole[counted], rtol=0, atol=1e-12)


def test_tied_weights_are_one_matrix() -> None:
    model = small("modern")
    assert model.head.linear.weight is model.embedding.weight
    assert small("modern", tied=False).head.linear.weight is not model.embedding.weight


@pytest.mark.parametrize("name", MODELS)
def test_a_config_goes_to_data_and_back(name: str) -> None:
    kind = MODELS[name]
    assert config_from(name, configs.to_dict(kind.default)) == kind.default


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"widht": 5}, "no setting 'widht' here; did you mean 'width'"),
        ({"width": 0}, "width must be a whole number from 1 up; it is 0"),
        ({"width": "wide"}, "width must be a whole number"),
        ({"width": True}, "width must be a whole number"),
        ({"dropout": 1.5}, "dropout must be a share from 0"),
        ({"positions": "spiral"}, "positions cannot be 'spiral'"),
        ({"norm": 3}, "norm must be str"),
    ],
)
def test_a_wrong_setting_is_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        build("transformer", configure("transformer", **settings))


def test_an_unknown_model_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match="no model called 'transfomer'; did you mean 'transformer'"):
        build("transfomer")


def test_an_id_outside_the_vocabulary_is_named() -> None:
    with pytest.raises(InputError, match=r"An id of 29 .* is outside the vocabulary of 29"):
        small("rnn")(torch.full((1, 3), 29), torch.ones(1, 3, dtype=torch.bool))


def test_a_text_too_long_to_look_back_on_is_named() -> None:
    with pytest.raises(InputError, match="looks back on 23 tokens at most; there are 24"):
        small("modern")(torch.zeros(1, 24, dtype=torch.int64), see=nothing)


@pytest.mark.parametrize("share", [0.3, 0.7])
def test_a_thinned_text_has_some_of_its_words_in_their_order(share: float) -> None:
    lengths = torch.tensor([97, 89, 1])
    ids = torch.arange(3 * 97).reshape(3, 97)
    real = torch.arange(97) < lengths[:, None]
    kept = torch.zeros(3)
    for _ in range(101):
        some, standing = words_left_out(ids, real, share)
        kept += standing.sum(1)
        for row in range(3):
            left = some[row][standing[row]]
            assert (left.diff() > 0).all()
            assert set(left.tolist()) <= set(ids[row][real[row]].tolist())
            assert standing[row].int().diff().le(0).all()  # the words stand before the padding
        assert standing.sum(1).max() == some.shape[1]
    assert kept[2] == 101  # a text of one word keeps it
    assert torch.allclose(kept[:2] / 101 / lengths[:2], torch.tensor(1 - share), atol=0.02)


def test_words_are_dropped_only_while_training() -> None:
    model = small("transformer", word_dropout=0.5, dropout=0.0)
    ids, real = inputs("transformer")
    assert torch.equal(model(ids, real), model(ids, real))
    assert not torch.equal(model.train()(ids, real), model(ids, real))
