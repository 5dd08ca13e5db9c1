"""One watched pass: what is kept of an attention is what was asked for."""

import math

import torch
from helpers.watched_models import NanoGPT
from helpers.watching import draw
from torch import Tensor

import glassformer as gf
from glassformer.inside.watching.asking import Asking
from glassformer.inside.watching.mode import WatchMode, _compared


def test_a_mode_keeps_what_is_asked_for_and_compares_all() -> None:
    model, x = NanoGPT().eval(), draw(2, 7, 15)
    mode = WatchMode(model, Asking(("*.weights",)))
    with mode.under, mode:
        model(x)
    mode.finish()
    assert list(mode.seen.trace) == [f"transformer.h.{i}.attn.weights" for i in range(2)]
    assert mode.seen.honest
    assert "transformer.h.1.attn.scores" in mode.asked.passed


def test_a_written_stage_goes_on_in_the_model() -> None:
    model, x = NanoGPT().eval(), draw(2, 7, 15)
    address = "transformer.h.1.attn.mixed"
    mode = WatchMode(model, Asking(changes={address: torch.zeros_like}))
    with mode.under, mode:
        answer = model(x)
    assert not torch.allclose(answer, model(x))
    assert mode.seen.calls[1].written == ("mixed",)
    assert not mode.seen.trace[address].any()


def test_a_nan_of_ours_is_not_laid_at_the_models_door() -> None:
    number, nothing = torch.ones(3), torch.full((3,), torch.nan)
    ours, theirs = _compared(number, nothing, 32.0), _compared(nothing, number, 32.0)
    assert not ours.agrees
    assert ours.nans == 0
    assert theirs.nans == 3


def test_an_infinite_number_does_not_excuse_the_others() -> None:
    real, rebuilt = torch.tensor([math.inf, 1.0]), torch.tensor([math.inf, 1.5])
    assert not _compared(real, rebuilt, 32.0).agrees
    assert _compared(real, real, 32.0).agrees


def test_where_only_the_model_has_nan_a_row_may_see_nothing() -> None:
    real = torch.tensor([math.nan, 1.0])
    assert _compared(real, torch.tensor([0.0, 1.0]), 32.0).blind
    assert not _compared(real, real, 32.0).blind


class HeadsFirst(torch.nn.Module):
    """Three heads, each with its own matrix, and the texts behind them."""

    def __init__(self) -> None:
        super().__init__()
        self.own = torch.nn.Parameter(draw(3, 3, 8, 5))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = ((x.flatten(0, 1) @ each).unflatten(1, x.shape[:2]) for each in self.own)
        return ((q @ k.mT).softmax(-1) @ v).sum(0)


def test_heads_that_stand_before_the_texts_are_not_called_texts_for_sure() -> None:
    seen = gf.watch(HeadsFirst().eval()).run(draw(2, 7, 8))
    assert seen.honest, seen.sentences
    assert "What is called a head may be a text" in seen.sentences[0]
    assert not any(call.standing for call in gf.watch(NanoGPT().eval()).run(draw(2, 7, 15)).calls)
