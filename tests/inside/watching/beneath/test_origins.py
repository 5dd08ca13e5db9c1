"""Where numbers come from: what was there before or was made by a seen call is known, all else is strange, once."""

import subprocess
import sys

import torch
from torch import nn

import glassformer as gf
from glassformer.inside.watching.beneath.origins import Origins, has_own_storage, storage_of


def test_views_share_a_place_and_copies_do_not() -> None:
    x = torch.randn(3, 5)
    assert storage_of(x) == storage_of(x.T) == storage_of(x[1:])
    assert storage_of(x) != storage_of(x.clone())


def test_a_sparse_tensor_has_no_storage_of_its_own() -> None:
    assert has_own_storage(torch.zeros(3))
    assert not has_own_storage(torch.zeros(3).to_sparse())


def test_what_a_module_holds_beside_its_weights_is_its_own_unless_it_is_read() -> None:
    model = nn.Linear(5, 3)
    model.places, model.example = torch.randn(7, 5), torch.randn(2, 5)  # type: ignore[assignment]
    origins = Origins(model)
    assert not origins.given(model.weight)  # nobody knows what is read
    origins.reads(())
    assert origins.given(model.weight)
    assert not origins.given(model.places)  # type: ignore[arg-type]
    origins.hold(model)
    origins.reads(([model.example],))
    assert origins.given(model.places)  # type: ignore[arg-type]
    assert not origins.given(model.example)  # type: ignore[arg-type]
    origins.reads(None)
    assert not origins.given(model.places)  # type: ignore[arg-type]
    origins.reads((object(),))  # which may hold it, and does not show
    assert not origins.given(model.places)  # type: ignore[arg-type]


def test_nothing_passes_for_the_models_own_once_python_knows_of_what_is_read() -> None:
    model = nn.Linear(5, 3)
    origins = Origins(model)
    origins.reads(())
    for name in ("tolist", "__format__"):
        origins.leaves(name, [model.weight])
    origins.known_to_python([model.weight, "a name"])
    assert origins.given(model.weight)
    origins.leaves("tolist", [torch.tensor([2, 3, 5])])
    assert not origins.given(model.weight)


def test_what_was_there_before_is_known_and_what_nobody_made_is_told_once() -> None:
    model, before = nn.Linear(5, 3), torch.randn(2, 5)
    origins = Origins(model)
    assert storage_of(model.weight) in origins.fixed
    assert storage_of(before) not in origins.fixed
    assert origins.strange("add", before) is None
    unseen = before + 1
    assert "another thread" in (origins.strange("add", unseen) or "")
    assert origins.strange("add", unseen) is None
    made = before + 2
    origins.made(made)
    assert origins.strange("add", made) is None


def test_an_empty_tensor_must_be_filled_by_a_call_that_was_seen() -> None:
    origins = Origins(nn.Linear(5, 3))
    filled, written = torch.zeros(7), torch.zeros(7)
    for tensor in (filled, written):
        origins.made(tensor)
        origins.empty(tensor)
    origins.written(written)
    assert "filled a tensor" in (origins.strange("add", filled) or "")
    assert origins.strange("add", written) is None


def test_numbers_that_left_and_came_back_are_told() -> None:
    origins = Origins(nn.Linear(5, 3))
    assert origins.strange("lift_fresh", torch.tensor([1.5, 2.5])) is None
    origins.leaves("numpy", [torch.randn(3)])
    assert "left torch through `numpy`" in (origins.strange("lift_fresh", torch.tensor([3.5, 4.5])) or "")


def test_weights_that_get_their_size_as_the_model_runs_are_the_models_own() -> None:
    def lazy() -> nn.Module:
        return nn.Sequential(nn.LazyLinear(3), nn.LazyBatchNorm1d(), nn.LazyLinear(5)).eval()

    model, bystander, x = lazy(), lazy(), torch.randn(2, 7)
    seen = gf.watch(model).run(x)
    assert (seen.verdict, seen.calls) == ("all seen", []), seen.sentences
    assert torch.equal(seen.answer, model(x))
    assert isinstance(bystander[0], nn.LazyLinear)  # one that was never run disturbs nobody


def test_what_was_frozen_was_there_before() -> None:
    """`gc.freeze` sets aside what lives by then: it is held, and no list of the living names it."""
    program = """
import gc, threading, torch, glassformer as gf
bias, x = torch.randn(5, 5), torch.randn(2, 5, 7)

def here(x):
    return (x @ x.mT + bias).softmax(-1) @ x

class Plain(torch.nn.Module):
    def forward(self, x):
        return here(x)

class Aside(torch.nn.Module):
    def forward(self, x):
        answers = []
        thread = threading.Thread(target=lambda: answers.append(here(x)))
        thread.start()
        thread.join()
        return answers[0] * 1.5

gc.freeze()
print(gf.watch(Plain()).run(x).verdict, "and", gf.watch(Aside()).run(x).verdict)
"""
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "all seen and cannot tell"


def test_numbers_that_change_between_two_calls_were_changed_by_a_stranger() -> None:
    rows = torch.randn(700, 11)
    origins = Origins(nn.Linear(5, 3))
    assert origins.strange("add", rows) is None
    rows.numpy()[-1] = 0.5
    assert "could not be seen" in (origins.strange("add", rows) or "")
    rows.add_(1)
    origins.written(rows)
    assert origins.strange("add", rows) is None


def test_numbers_of_python_are_told_if_several_come_after_others_have_left() -> None:
    origins = Origins(nn.Linear(5, 3))
    assert origins.enters([0.1, 0.2]) is None
    origins.leaves("tolist", [torch.randn(3)])
    assert origins.enters([0.1, 0.2, 3.0]) is None  # those were there before
    assert origins.enters([0.3, 0.4, 0.5]) is None
    assert "through `tolist`" in (origins.enters([0.6]) or "")


def test_it_lets_go_of_what_it_knows() -> None:
    origins = Origins(nn.Linear(5, 3))
    origins.release()
    assert "another thread" in (origins.strange("add", torch.randn(3)) or "")
    origins.release()


def test_rounded_copies_of_weights_that_an_earlier_pass_has_left_are_weights() -> None:
    model, x = nn.Sequential(nn.Linear(5, 11), nn.GELU(), nn.Linear(11, 3)).eval(), torch.randn(2, 7, 5)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):  # which keeps them until it ends
        for _ in range(2):
            seen = gf.watch(model).run(x)
            assert seen.verdict == "all seen", seen.sentences
    origins = Origins(model)
    assert "another thread" in (origins.strange("add", torch.randn(11, 5).bfloat16()) or "")  # no more than its shape
    assert origins.strange("add", model[0].weight.detach().bfloat16()) is None
