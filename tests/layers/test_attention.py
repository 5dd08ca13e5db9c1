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

from glassformer.layers.attention import (
    WEIGHERS,
    Attention,
    DotProduct,
    Scorer,
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
    answer = attend(
        nought, head([[0.0], [0.0]]), values, score_bias=torch.tensor([[0, math.log(3)]], dtype=torch.float64)
    )
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


@pytest.mark.parametrize("count", [211, pytest.param(1000, marks=pytest.mark.slow)])
def test_a_thousand_random_shapes_agree_with_plain_loops(count: int) -> None:
    with torch.no_grad():
        for seed in range(count):
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
        torch.testing.assert_close(attend(queries, keys, values, mask=mask, score_bias=bias, see=see), wanted)


def test_a_bias_of_three_axes_is_one_per_text_as_a_mask_is() -> None:
    module, x, bias = Attention(6, 2), torch.randn(2, 5, 6), torch.randn(2, 5, 5)
    assert torch.equal(module(x, score_bias=bias), module(x, score_bias=bias[:, None]))
    one_by_one = torch.cat([module(x[i : i + 1], score_bias=bias[i]) for i in range(2)])
    torch.testing.assert_close(module(x, score_bias=bias), one_by_one)


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


# --- what it refuses --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("see", [nothing, explicit])
def test_no_tokens_give_no_answers_and_an_empty_context_gives_zeros(see: Watcher) -> None:
    module = Attention(6, 2, learned="qkv")
    assert module(torch.randn(2, 0, 6), see=see).shape == (2, 0, 6)
    assert not module(torch.randn(2, 5, 6), torch.randn(2, 0, 6), see=see).any()
