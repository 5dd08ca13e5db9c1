"""What a model is called with in a `with` block is known, so that what it reads never passes for its own."""

import contextlib

import pytest
import torch
from helpers.weights_by_place import ByPlace, from_steps, rows
from torch import Tensor, nn
from torch.nn.modules import module as hooks

import glassformer as gf


@pytest.mark.parametrize("by_name", [False, True])
def test_a_parameter_that_is_read_within_a_block(by_name: bool) -> None:
    model = ByPlace(lambda m, x: m.layer(x)[:, None].softmax(-1))
    model.example = nn.Parameter(rows())
    with gf.watch(model) as seen, torch.no_grad():
        _ = model(x=model.example) if by_name else model(model.example)
    assert seen.verdict == "some not seen", seen.sentences
    with gf.watch(model) as seen, torch.no_grad():
        model.forward(model.example)  # nobody sees what it is called with
    assert seen.verdict == "some not seen", seen.sentences


def test_text_of_python_within_a_block() -> None:
    class Choosing(ByPlace):
        def forward(self, x: Tensor, read: str = "") -> Tensor:
            self.more = lambda m, x: m.tables[len(read) % 2].softmax(-1)
            return super().forward(x)

    for read, verdict in ((None, "all seen"), ("three", "some not seen")):
        model = Choosing(from_steps)
        with gf.watch(model) as seen:
            _ = model(rows()) if read is None else model(rows(), read)
        assert seen.verdict == verdict, seen.sentences


def test_an_answer_that_nobody_made_within_a_block() -> None:
    class Elsewhere(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            answer = x.clone()
            answer.numpy()[:] = x.flip(0).numpy()
            return answer

    model = Elsewhere()
    with gf.watch(model) as seen:
        model(torch.randn(2, 7))
    assert seen.verdict == "cannot tell"


def test_a_model_that_fails_leaves_no_hooks() -> None:
    model = nn.Linear(3, 2)
    with pytest.raises(RuntimeError, match="shapes"), gf.watch(model):
        model(torch.zeros(5))
    assert not hooks._global_forward_hooks
    assert not hooks._global_forward_pre_hooks


def test_a_call_that_broke_off_is_told_even_if_its_caller_went_on() -> None:
    class Breaks(nn.Module):
        def forward(self, x: Tensor, halfway: bool) -> Tensor:
            x = nn.functional.scaled_dot_product_attention(x, x, x)
            if halfway:
                raise ValueError("no further")
            return x

    model = Breaks()
    for halfway, verdict in ((True, "cannot tell"), (False, "all seen")):
        try:
            raise KeyError("before")  # which the caller is still at, and which is none of the model's
        except KeyError:
            with gf.watch(model) as seen, contextlib.suppress(ValueError):
                model(rows(), halfway)
        assert (seen.verdict, seen.honest) == (verdict, not halfway)
    assert not seen.broken
