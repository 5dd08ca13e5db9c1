"""One watched pass: what is kept of an attention is what was asked for."""

import torch
from helpers.watched_models import NanoGPT
from helpers.watching import draw

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
