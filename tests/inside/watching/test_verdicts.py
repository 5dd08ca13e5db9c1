"""The verdict of a watch: never a voucher for what ran unseen, never an alarm where no attention ran."""

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
import torch
from helpers.hidden_attention import HIDDEN, PEACEFUL, WIDTH, Beside, ByHand
from helpers.watched_models import NanoGPT
from torch import Tensor, nn
from torch.overrides import _get_current_function_mode_stack
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

import glassformer as gf
from glassformer.inside.watching.seen import Seen

pytestmark = [
    pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors is in prototype stage:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*torch.jit.*is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*torch.jit.*is not supported in Python 3.14:DeprecationWarning"),
]


def rows(seed: int = 0) -> Tensor:
    return torch.randn(2, 7, WIDTH, generator=torch.Generator().manual_seed(seed))


def watched(model: nn.Module, x: Tensor) -> Seen:
    alone = model(x)
    seen = gf.watch(model).run(x)
    assert torch.equal(alone, seen.answer)
    return seen


@contextlib.contextmanager
def gradients(how: str) -> Iterator[None]:
    with {"with": torch.enable_grad, "without": torch.no_grad, "inference": torch.inference_mode}[how]():
        yield


@pytest.mark.parametrize("how", ["with", "without", "inference"])
@pytest.mark.parametrize("name", HIDDEN)
def test_what_runs_unseen_is_never_vouched_for(name: str, how: str) -> None:
    model = Beside(HIDDEN[name]()).eval()
    with gradients(how):
        seen = watched(model, rows())
    assert any(call.kind == "sdpa" for call in seen.calls)  # the open one is seen
    rebuilt = len(seen.calls) > 1 and seen.honest
    assert rebuilt or seen.verdict in ("some not seen", "cannot tell"), seen.sentences
    assert rebuilt or len(seen.sentences) > 1


@pytest.mark.parametrize("how", ["with", "without", "inference"])
@pytest.mark.parametrize("name", PEACEFUL)
def test_where_no_attention_runs_there_is_no_alarm(name: str, how: str) -> None:
    torch.manual_seed(0)
    model = PEACEFUL[name]().eval()
    with gradients(how):
        seen = watched(model, rows())
    assert (seen.verdict, seen.calls, seen.missed, seen.unsure) == ("all seen", [], [], []), seen.sentences
    with gf.watch(model) as within:
        model(torch.randn(2, 7, WIDTH))  # made while somebody watches
    assert within.verdict == "all seen", within.sentences


def test_the_three_verdicts_in_words() -> None:
    seen = watched(Beside(nn.Identity()), rows())
    assert (seen.verdict, seen.honest) == ("all seen", True)
    seen = watched(Beside(HIDDEN["by distance"]()), rows())
    assert (seen.verdict, seen.honest) == ("some not seen", False)
    assert seen.sentences[-1] == (
        "The model: an attention was noticed but not rebuilt: softmax weighs other numbers, and was not followed."
    )
    seen = watched(Beside(HIDDEN["in a thread"]()), rows())
    assert (seen.verdict, seen.honest) == ("cannot tell", False)
    assert seen.sentences[-1] == (
        "The model: it cannot be told whether attention ran: "
        "a tensor came from another thread or from a call that could not be seen."
    )
    assert "cannot tell" in repr(seen)


def test_a_thread_that_gives_the_answer_itself() -> None:
    class Elsewhere(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return HIDDEN["in a thread"]()(x)

    assert watched(Elsewhere(), rows()).verdict == "cannot tell"


def test_where_it_ran_is_named() -> None:
    model = nn.Sequential(nn.Linear(WIDTH, WIDTH), HIDDEN["additive"]())  # type: ignore[arg-type]
    assert watched(model, rows()).missed == [("1", "softmax weighs other numbers, and was not followed")]


def test_nested_watches_each_have_their_verdict() -> None:
    model = Beside(HIDDEN["by distance"]())
    with gf.watch(model) as outer, gf.watch(model.open) as inner:
        model(rows())
    assert (outer.verdict, inner.verdict) == ("some not seen", "all seen")
    assert inner.calls == []


def test_a_model_that_watches_a_part_of_itself() -> None:
    class Curious(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.part = NanoGPT()

        def forward(self, x: Tensor) -> Tensor:
            inner = gf.watch(self.part).run(x)
            assert inner.honest, inner.sentences
            return inner.answer

    seen = watched(Curious(), torch.randn(2, 7, 15))
    assert seen.honest, seen.sentences
    assert len(seen.calls) == 2


class AlarmError(Exception):
    """What a signal handler raises."""


@pytest.mark.parametrize("reason", [AlarmError, KeyboardInterrupt])
def test_what_a_signal_raises_while_we_look_is_passed_on(
    reason: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    from glassformer.inside.watching.follower import Follower

    def ring(*_: object) -> None:
        raise reason("rings")

    before = signal.signal(signal.SIGUSR1, ring)
    monkeypatch.setattr(Follower, "told", lambda *_: signal.raise_signal(signal.SIGUSR1))
    try:
        with pytest.raises(reason, match="rings"):
            gf.watch(NanoGPT()).run(torch.randn(2, 7, 15))
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert _get_current_function_mode_stack() == []
    assert _get_current_dispatch_mode_stack() == []


def test_our_own_error_does_not_stop_the_model_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from glassformer.inside.watching.marks import Bookkeeping

    def fails(*_: object) -> None:
        raise ValueError("by us")

    monkeypatch.setattr(Bookkeeping, "after", fails)
    seen = watched(NanoGPT(), torch.randn(2, 7, 15))
    assert seen.verdict == "cannot tell"
    assert "looking on failed with ValueError: by us" in seen.sentences[-1]


def test_a_failing_model_leaves_nothing_behind() -> None:
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        gf.watch(Beside(ByHand())).run(torch.randn(2, 7, WIDTH + 1))
    assert _get_current_function_mode_stack() == []
    assert _get_current_dispatch_mode_stack() == []


def test_compiled_parts_run_openly_and_compile_again_afterwards() -> None:
    """In a process of its own: shape annotations are not to be compiled."""
    program = """
import torch, glassformer as gf
class ByHand(torch.nn.Module):
    def forward(self, x): return (x @ x.mT).softmax(-1) @ x
runs = []
def backend(graph, _):
    def run(*args):
        runs.append(1)
        return graph(*args)
    return run
x = torch.randn(2, 7, 5)
for before in (True, False):
    torch._dynamo.reset()
    compiled = torch.compile(ByHand(), backend=backend)
    if before: compiled(x)
    runs.clear()
    seen = gf.watch(compiled).run(x)
    assert seen.honest and len(seen.calls) == 1 and not runs, seen.sentences
    compiled(x)
    assert runs
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=240)
