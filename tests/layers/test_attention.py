"""Attention: small cases worked with a pencil, a thousand against plain loops, gradients, and what it refuses."""

import itertools
import math
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from helpers.reference import Weights
from helpers.reference import attention as loop_attention
from helpers.reference import sigmoid as loop_sigmoid
from helpers.reference import softmax as loop_softmax
from torch import Tensor, nn

from glassformer.errors import InputError
from glassformer.layers import attention_checks as checks
from glassformer.layers.attention import (
    WEIGHERS,
    Attention,
    DotProduct,
    Scorer,
    Weigher,
    attend,
    causal_mask,
    hide,
    how_weighed,
    join_heads,
    mix,
    padding_mask,
    quiet_softmax,
    rotate,
    score,
    sigmoid,
    softmax,
    split_heads,
)
from glassformer.layers.blocks import Rotary
from glassformer.layers.cache import Cache
from glassformer.layers.synthesizers import DenseSynthesizer, RandomSynthesizer
from glassformer.stages.recorder import Recorder, record
from glassformer.stages.watchers import Watcher, nothing

E = math.e


def head(rows: list[list[float]]) -> Tensor:
    """One batch, one head, in float64."""
    return torch.tensor([[rows]], dtype=torch.float64)


# --- with a pencil ----------------------------------------------------------------------------------------------


def test_a_score_is_a_dot_product() -> None:
    assert score(head([[1, 2], [3, 4]]), head([[5, 6]])).tolist() == [[[[17], [39]]]]


def test_a_hidden_score_is_minus_infinity() -> None:
    hidden = hide(head([[1, 2], [3, 4]]), causal_mask(2, 2)[None, None])
    assert hidden.tolist() == [[[[1, -math.inf], [3, 4]]]]


def test_softmax_of_the_logarithms_of_1_and_3() -> None:
    torch.testing.assert_close(softmax(head([[0, math.log(3)]])), head([[0.25, 0.75]]))


def test_softmax_of_a_row_that_may_look_at_nothing_is_zero() -> None:
    assert softmax(head([[-math.inf, -math.inf]])).tolist() == [[[[0, 0]]]]


def test_sigmoid_of_the_logarithms_of_1_and_3() -> None:
    torch.testing.assert_close(sigmoid(head([[0, math.log(3), -math.inf]])), head([[0.5, 0.75, 0]]))


def test_quiet_softmax_leaves_a_share_for_nobody() -> None:
    torch.testing.assert_close(quiet_softmax(head([[0, math.log(2)]])), head([[0.25, 0.5]]))
    assert quiet_softmax(head([[-math.inf, -math.inf]])).tolist() == [[[[0, 0]]]]


def test_mixing_is_a_weighted_sum() -> None:
    assert mix(head([[0.25, 0.75]]), head([[4, 0], [0, 8]])).tolist() == [[[[1, 6]]]]


def test_one_query_and_two_keys() -> None:
    identity = head([[1, 0], [0, 1]])
    answer = attend(head([[0, math.sqrt(2)]]), identity, identity)
    torch.testing.assert_close(answer, head([[1 / (1 + E), E / (1 + E)]]), rtol=0, atol=1e-15)


def test_the_scale_is_the_inverse_temperature() -> None:
    identity = head([[1, 0], [0, 1]])
    answer = attend(head([[0, math.log(3)]]), identity, identity, scorer=DotProduct(2.0))
    torch.testing.assert_close(answer, head([[0.1, 0.9]]))


def test_a_bias_is_added_to_the_scores() -> None:
    nought, values = head([[0.0]]), head([[3.0], [5.0]])
    answer = attend(nought, head([[0.0], [0.0]]), values, bias=torch.tensor([[0, math.log(3)]], dtype=torch.float64))
    torch.testing.assert_close(answer, head([[4.5]]))


def test_causal_attention_with_equal_scores_is_a_running_mean() -> None:
    noughts = head([[0], [0], [0]])
    answer = attend(noughts, noughts, head([[3], [5], [10]]), causal=True)
    torch.testing.assert_close(answer, head([[3], [4], [6]]))


def test_with_a_cache_the_last_query_stands_at_the_last_key() -> None:
    noughts = head([[0], [0], [0]])
    answer = attend(noughts[:, :, 1:], noughts, head([[3], [5], [10]]), causal=True)
    torch.testing.assert_close(answer, head([[4], [6]]))


def test_heads_are_slices_of_the_width() -> None:
    rows = torch.arange(12.0).view(1, 2, 6)
    assert split_heads(rows, 3).tolist() == [[[[0, 1], [6, 7]], [[2, 3], [8, 9]], [[4, 5], [10, 11]]]]
    assert torch.equal(join_heads(split_heads(rows, 3)), rows)


def test_a_quarter_turn() -> None:
    turned = rotate(head([[1, 2, 3, 4, 5]]), torch.tensor([[[0.0, 1.0]]]), torch.tensor([[[1.0, 0.0]]]))
    assert turned.tolist() == [[[[-3, 2, 1, 4, 5]]]]  # the pair (1, 3) is turned, (2, 4) is not, 5 has no partner


def test_attention_without_weights_is_the_bare_four_verbs() -> None:
    x = torch.tensor([[[1.0, 0.0], [0.0, 1.0]]])
    shares = torch.tensor([E ** (1 / math.sqrt(2)), 1.0])
    big, small = (shares / shares.sum()).tolist()
    torch.testing.assert_close(Attention(2, learned="")(x), torch.tensor([[[big, small], [small, big]]]))


def test_every_weigher_has_a_name() -> None:
    assert [how_weighed(weigher) for weigher in WEIGHERS.values()] == list(WEIGHERS)
    assert how_weighed(torch.tanh) == "handed in"


# --- a thousand random shapes against plain loops ---------------------------------------------------------------


def pick(generator: torch.Generator, *choices: Any) -> Any:
    return choices[int(torch.randint(len(choices), (), generator=generator))]


def random_case(seed: int) -> tuple[Attention, Tensor, Tensor | None, Tensor | None, dict[str, Any]]:
    """An attention of random shape with its inputs and mask, and a description."""
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    n_kv_heads = pick(generator, 1, 2, 3)
    case: dict[str, Any] = {
        "d_model": pick(generator, 2, 3, 5, 7),
        "n_heads": n_kv_heads * pick(generator, 1, 2),
        "n_kv_heads": n_kv_heads,
        "d_key": pick(generator, 1, 2, 3, 5),
        "d_value": pick(generator, 1, 2, 3, 5),
        "d_context": None,
        "causal": pick(generator, True, False),
        "bias": pick(generator, True, False),
        "scorer": pick(generator, None, DotProduct(0.7)),
        "weigher": pick(generator, softmax, softmax, sigmoid),
    }
    n_batch, n_queries, n_keys = pick(generator, 1, 2, 3), pick(generator, 1, 2, 3, 5), pick(generator, 1, 2, 3, 5)
    context = None
    if pick(generator, True, False):
        case["d_context"], case["causal"] = pick(generator, 2, 3, 5), False
        context = torch.randn(n_batch, n_keys, case["d_context"])
    else:
        n_keys = n_queries
    masks = [
        None,
        torch.rand(n_queries, n_keys) < 0.7,
        torch.rand(n_batch, n_queries, n_keys) < 0.7,
        torch.rand(n_batch, case["n_heads"], n_queries, n_keys) < 0.7,
        padding_mask(torch.rand(n_batch, n_keys) < 0.7),
    ]
    return Attention(**case), torch.randn(n_batch, n_queries, case["d_model"]), context, pick(generator, *masks), case


def in_rows(linear: nn.Linear) -> tuple[list[list[float]], list[float]]:
    bias = [0.0] * linear.out_features if linear.bias is None else linear.bias.tolist()
    return linear.weight.T.tolist(), bias


def loops(module: Attention, x: Tensor, context: Tensor | None, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """The same attention by the reference: answer and weights, float64."""
    assert module.query is not None
    assert module.key is not None
    assert module.value is not None
    assert module.output is not None
    weights = Weights(*(in_rows(linear) for linear in (module.query, module.key, module.value, module.output)))
    source = x if context is None else context
    shape = (x.shape[0], module.n_heads, x.shape[1], source.shape[1])
    with_heads = mask[:, None] if mask is not None and mask.ndim == 3 else mask
    whole = torch.ones(shape, dtype=torch.bool) if with_heads is None else with_heads.expand(shape)
    if module.causal:
        whole = whole & torch.tensor([[j - i <= shape[3] - shape[2] for j in range(shape[3])] for i in range(shape[2])])
    answers, shown = [], []
    for b in range(x.shape[0]):
        scale = module.scorer.scale if isinstance(module.scorer, DotProduct) else None
        answer, head_weights = loop_attention(
            x[b].tolist(), source[b].tolist(), weights, module.n_heads, module.n_kv_heads, whole[b].tolist(),
            loop_softmax if module.weigher is softmax else loop_sigmoid, scale,
        )  # fmt: skip
        answers.append(answer)
        shown.append(head_weights)
    return torch.tensor(answers, dtype=torch.float64), torch.tensor(shown, dtype=torch.float64)


def test_a_thousand_random_shapes_agree_with_plain_loops() -> None:
    with torch.no_grad():
        for seed in range(1000):
            module, x, context, mask, case = random_case(seed)
            answer, weights = loops(module, x, context, mask)
            for dtype, most in ((torch.float32, 5e-6), (torch.float64, 1e-12)):
                module, x = module.to(dtype), x.to(dtype)
                context = None if context is None else context.to(dtype)
                assert (module(x, context, mask=mask) - answer).abs().max() <= most, (seed, dtype, case)
                _, trace = record(module, x, context, mask=mask)
                shown = torch.from_numpy(trace["weights"])
                assert (shown - weights).abs().max() <= most, (seed, dtype, case)


# --- the fused kernel and the explicit stages -------------------------------------------------------------------


def explicit(name: str, value: Tensor, how: str = "") -> Tensor:
    """A watcher that puts a copy of the scores in place, so that the answer must come from the shown stages."""
    return value.clone() if name.endswith("scores") else value


@pytest.mark.parametrize("training", [True, False])
def test_the_fused_kernel_and_the_explicit_stages_agree(training: bool) -> None:
    worst = 0.0
    for seed in range(200):
        module, x, context, mask, case = random_case(seed)
        if module.weigher is not softmax:
            continue
        module.train(training)
        fused, stages = (module(x, context, mask=mask, see=see) for see in (nothing, explicit))
        worst = max(worst, (fused - stages).abs().max().item())
        assert worst <= 5e-6, (seed, case)
        gradients = [
            torch.autograd.grad(answer.square().sum(), list(module.parameters())) for answer in (fused, stages)
        ]
        for one, other in zip(*gradients, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)
    assert worst > 0, "the two answers come from one path: this test compares nothing"


def test_looking_on_the_way_forward_and_back_is_bit_equal_with_dropout() -> None:
    module = Attention(6, 2, dropout=0.3, causal=True)
    x = torch.randn(2, 5, 6)
    answers, gradients = [], []
    for see in (nothing, Recorder()):
        torch.manual_seed(3)
        module.zero_grad()
        answers.append(module(x, see=see))
        answers[-1].square().sum().backward()
        gradients.append([parameter.grad for parameter in module.parameters()])
    assert torch.equal(*answers)
    assert all(torch.equal(one, other) for one, other in zip(*gradients, strict=True))
    assert not torch.equal(answers[0], module.eval()(x))


def test_training_evaluating_and_inference_are_one_model() -> None:
    module, x, mask = Attention(6, 2), torch.randn(2, 5, 6), padding_mask(torch.arange(5) < torch.tensor([[5], [0]]))
    training = module.train()(x, mask=mask)
    evaluating = module.eval()(x, mask=mask)
    with torch.inference_mode():
        inference = module(x, mask=mask)
    assert torch.equal(training, evaluating)
    assert torch.equal(training, inference)


@pytest.mark.parametrize(("n_heads", "n_kv_heads"), [(2, 2), (6, 2), (3, 1)])
def test_it_is_torchs_scaled_dot_product_attention(n_heads: int, n_kv_heads: int) -> None:
    queries, keys, values = (
        torch.randn(2, n, t, w) for n, t, w in ((n_heads, 5, 3), (n_kv_heads, 7, 3), (n_kv_heads, 7, 11))
    )
    mask, bias = torch.rand(2, 1, 5, 7) < 0.8, torch.randn(1, n_heads, 5, 7)
    both = bias.masked_fill(~mask, -math.inf)
    wanted = F.scaled_dot_product_attention(queries, keys, values, attn_mask=both, enable_gqa=True)
    for see in (nothing, explicit):
        torch.testing.assert_close(attend(queries, keys, values, mask=mask, bias=bias, see=see), wanted)


def test_a_bias_of_three_axes_is_one_per_text_as_a_mask_is() -> None:
    module, x, bias = Attention(6, 2), torch.randn(2, 5, 6), torch.randn(2, 5, 5)
    assert torch.equal(module(x, bias=bias), module(x, bias=bias[:, None]))
    one_by_one = torch.cat([module(x[i : i + 1], bias=bias[i]) for i in range(2)])
    torch.testing.assert_close(module(x, bias=bias), one_by_one)


class Hypotenuse(DotProduct):
    """A scorer from outside that builds on ours."""

    def __call__(self, queries: Tensor, keys: Tensor, see: Watcher = nothing) -> Tensor:
        return see("scores", -torch.cdist(queries, keys), "distance")


def test_a_scorer_from_outside_is_used_whether_or_not_somebody_looks() -> None:
    module, x = Attention(6, 2, scorer=Hypotenuse()), torch.randn(2, 5, 6)
    answer, trace = record(module, x)
    assert torch.equal(module(x), answer)
    assert not torch.allclose(answer, record(module, x, write={"weights": torch.full((2, 2, 5, 5), 0.2)})[0])
    assert trace["scores"].max() <= 0
    assert trace.explain("scores", (0, 0, 0, 0)).operation == "given"


# --- gradients --------------------------------------------------------------------------------------------------


def scorers() -> dict[str, Scorer]:
    return {"dot": DotProduct(), "dense": DenseSynthesizer(2, 3, 5), "random": RandomSynthesizer(2, 5)}


MASKS: dict[str, Tensor | None] = {
    "none": None,
    "causal": causal_mask(3, 3),
    "padding": padding_mask(torch.tensor([[True, True, True], [True, False, True]])),
    "empty row": torch.tensor([[True, False, True], [False, False, False], [True, True, True]]),
}


@pytest.mark.parametrize(
    ("scorer", "weigher", "mask"), list(itertools.product(["dot", "dense", "random"], WEIGHERS, MASKS))
)
def test_gradients_are_right(scorer: str, weigher: str, mask: str) -> None:
    module = Attention(4, 2, d_key=3, d_value=2, scorer=scorers()[scorer], weigher=WEIGHERS[weigher]).double()
    names, parameters = zip(*module.named_parameters(), strict=True)

    def answer(x: Tensor, *values: Tensor, see: Watcher = nothing) -> Tensor:
        named = dict(zip(names, values, strict=True))
        result: Tensor = torch.func.functional_call(module, named, (x,), {"mask": MASKS[mask], "see": see})
        return result

    def from_stages(x: Tensor, *values: Tensor) -> Tensor:
        return answer(x, *values, see=explicit)

    x = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    for function in (answer, from_stages) if (scorer, weigher) == ("dot", "softmax") else (answer,):
        assert torch.autograd.gradcheck(function, (x, *parameters), eps=1e-6, atol=1e-5, rtol=1e-3, fast_mode=True)


# --- the memory of a decoder ------------------------------------------------------------------------------------


def test_a_context_is_read_once() -> None:
    module, x, context, cache = Attention(6, 2), torch.randn(2, 5, 6), torch.randn(2, 7, 6), Cache()
    steps = [module(x[:, i : i + 1], context, cache=cache) for i in range(5)]
    torch.testing.assert_close(torch.cat(steps, 1), module(x, context))
    assert cache.length == 7


def test_gradients_flow_through_a_cache() -> None:
    module, x, cache = Attention(6, 2, causal=True).double(), torch.randn(2, 5, 6, dtype=torch.float64), Cache()
    x.requires_grad_()
    whole = torch.autograd.grad(module(x).square().sum(), x)[0]
    steps = torch.cat([module(x[:, i : i + 1], cache=cache) for i in range(5)], 1)
    torch.testing.assert_close(torch.autograd.grad(steps.square().sum(), x)[0], whole, rtol=0, atol=1e-12)


def test_a_cache_keeps_to_its_texts() -> None:
    module, cache = Attention(6, 2, causal=True), Cache()
    module(torch.randn(3, 5, 6), cache=cache)
    with pytest.raises(InputError, match="batch of 3 texts, but was handed one of 1"):
        module(torch.randn(1, 1, 6), cache=cache)


# --- what it refuses --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"d_model": 7, "n_heads": 2}, "width of 7 .* among 2 heads"),
        ({"d_model": 6, "n_heads": 3, "n_kv_heads": 2}, "3 heads cannot share 2"),
        ({"d_model": 6, "n_heads": 0}, "`n_heads` must be at least 1; it is 0"),
        ({"d_model": 6, "dropout": -0.5}, "between 0 and 1; it is -0.5"),
        ({"d_model": 6, "dropout": 2.0}, "between 0 and 1; it is 2.0"),
        ({"d_model": 6, "learned": "QKV"}, "'QKV'"),
        ({"d_model": 6, "learned": "kvo", "d_key": 5}, "learned 'q' the width must stay 6, but .* 5"),
        ({"d_model": 6, "learned": "qvo", "d_context": 7}, "learned 'k' the width must stay 7, but .* 6"),
        ({"d_model": 6, "learned": "qko", "d_value": 5}, "learned 'v' the width must stay 6, but .* 5"),
    ],
)
def test_a_shape_that_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Attention(**options)


@pytest.mark.parametrize(
    ("x", "context", "message"),
    [
        ((5, 6), None, r"`x` must have shape \[batch, tokens, 6\]; it has \[5, 6\]"),
        ((2, 5, 7), None, r"it has \[2, 5, 7\]"),
        ((2, 5, 6), (2, 3, 6), r"`context` must have shape \[batch, tokens, 11\]; it has \[2, 3, 6\]"),
        ((2, 5, 6), (3, 11), r"it has \[3, 11\]"),
        ((2, 5, 6), (3, 5, 11), "`x` is a batch of 2, but `context` is one of 3"),
        ((2, 5, 6), (1, 5, 11), "`x` is a batch of 2, but `context` is one of 1"),
    ],
)
def test_rows_of_the_wrong_shape_are_refused(x: tuple[int, ...], context: tuple[int, ...] | None, message: str) -> None:
    module = Attention(6, 2, d_context=11)
    with pytest.raises(InputError, match=message):
        module(torch.randn(x), None if context is None else torch.randn(context))


@pytest.mark.parametrize(
    ("bias", "message"),
    [
        (torch.ones(5, 5, dtype=torch.bool), "torch.bool.*`mask`"),
        (torch.ones(5, 5, dtype=torch.int64), "torch.int64"),
        (torch.ones(5), r"shape \[5\] does not fit 5 queries and 5 keys"),
        (torch.ones(3, 5), r"shape \[3, 5\]"),
        (torch.ones(2, 3, 5, 5), r"shape \[2, 3, 5, 5\] .* 2 heads"),
    ],
)
@pytest.mark.parametrize("see", [nothing, explicit])
def test_a_bias_of_the_wrong_kind_is_refused(bias: Tensor, message: str, see: Watcher) -> None:
    with pytest.raises(InputError, match=message):
        Attention(6, 2)(torch.randn(2, 5, 6), bias=bias, see=see)


@pytest.mark.parametrize(
    ("positions", "d_key", "message"),
    [
        (torch.arange(4)[None], 6, r"\[2, 5, pairs\].*\[1, 4, 3\]"),
        (torch.arange(1)[None], 6, r"\[1, 1, 3\]"),
        (torch.zeros(3, 5, dtype=torch.int64), 6, r"\[3, 5, 3\]"),
        (torch.arange(5)[None], 8, "4 pairs of columns, but a key is only 6 wide"),
    ],
)
def test_angles_that_do_not_fit_are_refused(positions: Tensor, d_key: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Attention(6, 2, d_key=6)(torch.randn(2, 5, 6), angles=Rotary(d_key)(positions))


def test_angles_belong_to_one_sequence() -> None:
    x = torch.randn(2, 5, 6)
    with pytest.raises(InputError, match="`angles` or `context`"):
        Attention(6)(x, x, angles=Rotary(6)(torch.arange(5)[None]))


@pytest.mark.parametrize("weigher", [softmax, sigmoid])
def test_heads_that_cannot_be_shared_are_refused(weigher: Weigher) -> None:
    rows = torch.randn(1, 3, 5, 7)
    with pytest.raises(InputError, match="3 heads cannot share 2"):
        attend(rows, rows[:, :2], rows[:, :2], weigher=weigher)


@pytest.mark.parametrize("scorer", [DenseSynthesizer(2, 3, 4), RandomSynthesizer(2, 4)])
def test_a_synthesizer_has_a_longest_text(scorer: Scorer) -> None:
    with pytest.raises(InputError, match="at most 4 tokens, but there are 5"):
        Attention(6, 2, scorer=scorer)(torch.randn(2, 5, 6))


def test_a_table_of_scores_needs_a_row_per_query() -> None:
    with pytest.raises(InputError, match="5 queries cannot look at 3 keys"):
        Attention(6, 2, scorer=RandomSynthesizer(2, 11))(torch.randn(2, 5, 6), torch.randn(2, 3, 6))


@pytest.mark.parametrize("see", [nothing, explicit])
def test_no_tokens_give_no_answers_and_an_empty_context_gives_zeros(see: Watcher) -> None:
    module = Attention(6, 2, learned="qkv")
    assert module(torch.randn(2, 0, 6), see=see).shape == (2, 0, 6)
    assert not module(torch.randn(2, 5, 6), torch.randn(2, 0, 6), see=see).any()


@pytest.mark.parametrize(
    ("queries", "keys", "values", "message"),
    [
        ((1, 2, 3, 5), (1, 2, 7, 5), (1, 2, 1, 5), "one value for each key"),
        ((1, 2, 3, 5), (1, 2, 3, 5), (1, 2, 7, 5), "one value for each key"),
        ((1, 2, 3, 5), (2, 2, 3, 5), (2, 2, 3, 5), "all of one batch"),
        ((1, 2, 3, 5), (1, 2, 3, 7), (1, 2, 3, 5), "equally wide"),
        ((2, 3, 5), (2, 3, 5), (2, 3, 5), "four axes"),
    ],
)
def test_what_does_not_belong_together_is_not_attended(
    queries: tuple[int, ...], keys: tuple[int, ...], values: tuple[int, ...], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        checks.shape_of(torch.randn(queries), torch.randn(keys), torch.randn(values))


def test_a_causal_attention_takes_no_context() -> None:
    with pytest.raises(InputError, match="causal: it looks back within one sequence"):
        Attention(6, 2, causal=True)(torch.randn(1, 5, 6), torch.randn(1, 7, 6))


def test_a_cache_that_read_one_context_refuses_another() -> None:
    module, cache = Attention(6, 2), Cache()
    module(torch.randn(1, 1, 6), torch.randn(1, 7, 6), cache=cache)
    with pytest.raises(InputError, match="has read a context of 7 tokens; now it has 5"):
        module(torch.randn(1, 1, 6), torch.randn(1, 5, 6), cache=cache)


def test_the_way_back_through_a_cache_needs_no_learning_keys() -> None:
    module, cache = Attention(6, 2, causal=True), Cache()
    for frozen in (module.key, module.value):
        assert frozen is not None
        frozen.requires_grad_(False)
    x = torch.randn(1, 5, 6)
    steps = [module(x[:, i : i + 1], cache=cache) for i in range(5)]
    torch.cat(steps, 1).sum().backward()
    assert module.query is not None
    assert module.query.weight.grad is not None
