"""What a signal raises while we look is told from an error of our own."""

import signal
from collections.abc import Callable

import pytest
import torch
from helpers.watched_models import NanoGPT
from torch.overrides import _get_current_function_mode_stack
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

import glassformer as gf
from glassformer.errors import InputError
from glassformer.inside.watching.interruptions import from_a_signal, in_words


class AlarmError(Exception):
    """What a signal handler raises."""


@pytest.mark.parametrize("reason", [AlarmError, KeyboardInterrupt])
def test_what_a_signal_raises_while_we_look_is_passed_on(
    reason: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    from glassformer.inside.watching.following.follower import Follower

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


def test_an_error_of_our_own_is_no_interruption() -> None:
    def caught(call: Callable[[], object]) -> BaseException:
        with pytest.raises(AlarmError) as found:
            call()
        return found.value

    def ring(*_: object) -> None:
        raise AlarmError

    before = signal.signal(signal.SIGUSR1, ring)
    try:
        assert from_a_signal(caught(lambda: signal.raise_signal(signal.SIGUSR1)))
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert not from_a_signal(caught(ring))


def test_an_error_in_words_is_one_sentence() -> None:
    assert in_words(InputError("nested tensors have no rows")) == "nested tensors have no rows"
    error = RuntimeError("It looks odd. We don't support that, please file an issue at https://there .\nMore")
    assert in_words(error) == "looking on failed with a RuntimeError: It looks odd"
