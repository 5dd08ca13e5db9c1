"""What a watch has seen, in words, and how far it can be trusted."""

from pathlib import Path

import numpy as np
import pytest
import torch
from helpers.hidden_attention import HIDDEN, WIDTH, Beside, bent, rows
from helpers.looks import numbers_of
from helpers.watched_models import NanoGPT
from helpers.watching import draw, watched
from torch import Tensor, nn

import glassformer as gf
from glassformer.errors import InputError


def test_a_model_that_was_watched_has_the_same_page(tmp_path: Path) -> None:
    model = torch.nn.Transformer(6, 2, 1, 1, 13, batch_first=True).eval()
    seen = gf.watch(model).run(torch.randn(1, 7, 6), torch.randn(1, 5, 6))
    look = seen.look(tokens=list("abcde"), context=list("ABCDEFG"), title="torch's own")
    labels = {stage["address"]: stage["labels"] for stage in look.document()["stages"]}
    assert labels["encoder.layers.0.self_attn.weights"][-2:] == ["context", "context"]
    assert labels["decoder.layers.0.self_attn.weights"][-2:] == ["own", "own"]
    assert labels["decoder.layers.0.multihead_attn.weights"][-2:] == ["own", "context"]
    assert "equal to the model's own numbers" in look.look.about
    assert look.save(tmp_path / "page.html").bytes > 100_000
    found = numbers_of(look.document())
    for address in ("encoder.layers.0.self_attn.weights", "decoder.layers.0.multihead_attn.scores"):
        np.testing.assert_allclose(found[address], seen.trace[address], rtol=0, atol=1e-6)


def test_where_nothing_was_seen_there_is_nothing_to_look_at() -> None:
    with pytest.raises(InputError, match="No attention was seen"):
        gf.watch(torch.nn.Linear(3, 5)).run(torch.randn(2, 3)).look()


def test_no_attention_is_said_so() -> None:
    seen = watched(nn.Sequential(nn.Linear(5, 3), nn.ReLU(), nn.Softmax(-1)), draw(2, 5))
    assert seen.sentences == ["No attention was seen: the model ran none that can be caught."]
    assert (seen.calls, seen.missed, seen.honest) == ([], [], False)


def test_the_trace_can_be_kept() -> None:
    trace = watched(NanoGPT(), draw(2, 7, 15)).trace
    assert gf.Trace.from_json(trace.to_json()).to_json() == trace.to_json()


def test_the_three_verdicts_in_words() -> None:
    seen = watched(Beside(nn.Identity()), rows())
    assert (seen.verdict, seen.honest) == ("all seen", True)
    seen = watched(Beside(HIDDEN["by angle"]()), rows())
    assert (seen.verdict, seen.honest) == ("some not seen", False)
    assert seen.sentences[-1] == (
        "The model: an attention was noticed but not rebuilt: acos weighs other numbers, and was not followed."
    )
    seen = watched(Beside(HIDDEN["in a thread"]()), rows())
    assert (seen.verdict, seen.honest) == ("cannot tell", False)
    assert seen.sentences[-1] == (
        "The model: it cannot be told whether attention ran: "
        "a tensor came from another thread or from a call that could not be seen."
    )
    assert "cannot tell" in repr(seen)


def test_where_it_ran_is_named() -> None:
    class Bent(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return bent(x)

    model = nn.Sequential(nn.Linear(WIDTH, WIDTH), Bent())
    assert watched(model, rows()).missed == [("1", "mish weighs other numbers, and was not followed")]


def test_a_pass_that_broke_off_is_not_vouched_for() -> None:
    class Breaks(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            x = nn.functional.scaled_dot_product_attention(x, x, x)
            raise ValueError("no further")

    model = Breaks()
    with pytest.raises(ValueError, match="no further"), gf.watch(model) as seen:
        model(rows())
    assert (seen.verdict, seen.honest, len(seen.calls)) == ("cannot tell", False, 1)
    assert seen.sentences[-1] == (
        "The pass is not whole: it ended with ValueError, and what would follow was not seen."
    )


@pytest.mark.filterwarnings("ignore:`torch.jit.script. is deprecated:DeprecationWarning")
@pytest.mark.parametrize("scripted", [False, True])
def test_where_nothing_of_the_model_ran_that_is_said(scripted: bool) -> None:
    model = nn.Sequential(nn.Linear(5, 3), nn.ReLU())
    model = torch.jit.script(model) if scripted else model
    with gf.watch(model) as seen:
        torch.ones(3) + 1
    assert seen.verdict == "cannot tell"
    assert seen.sentences == ["Nothing of the model ran while the watch was open."]
    with gf.watch(model) as seen:
        model(draw(2, 5))
    assert seen.verdict == "all seen"


def test_what_was_asked_for_and_never_passed_is_said() -> None:
    seen = gf.watch(NanoGPT(), keep=["*.weights", "nothing.like.this"]).run(draw(2, 7, 15))
    assert seen.sentences[-1] == "Nothing that passed is called 'nothing.like.this', so it was not kept."
    assert len(seen.trace) == 2
    seen = gf.watch(NanoGPT(), keep=[]).run(draw(2, 7, 15))
    assert seen.sentences[-1] == "Nothing was to be kept, so the trace is empty."
    assert seen.honest


def test_tensors_without_numbers_of_their_own_are_told_in_words() -> None:
    graph = torch.eye(5).to_sparse_coo()
    for strange in (lambda x: graph @ x[0], torch.vmap(lambda row: (row @ row.mT).softmax(-1) @ row)):

        class Strange(nn.Module):
            def forward(self, x: Tensor) -> Tensor:
                return strange(x)  # noqa: B023

        seen = watched(Strange(), draw(2, 5, 3))
        assert seen.verdict != "all seen"
        assert not any("Error" in each or "http" in each for each in seen.sentences), seen.sentences


def test_a_model_without_numbers_is_refused() -> None:
    with pytest.raises(InputError, match="no numbers"):
        gf.watch(nn.Linear(5, 3, device="meta")).run(torch.empty(2, 5, device="meta"))
