"""Devices by their names: the best there is, those that are not there, and how arrays get to a graphics card."""

from typing import Any

import numpy as np
import pytest
import torch

from glassformer.errors import InputError
from glassformer.layers import devices
from glassformer.layers.devices import (
    device_called,
    device_draws,
    half_precision,
    in_words,
    memory_of,
    sent,
    set_device_draws,
    undrawn,
)


class Cards:
    """As many graphics cards as a test needs."""

    def __init__(self, count: int) -> None:
        self.count = count

    def is_available(self) -> bool:
        return self.count > 0

    def device_count(self) -> int:
        return self.count


def with_cards(monkeypatch: pytest.MonkeyPatch, cuda: int = 0, mps: int = 0) -> None:
    monkeypatch.setattr(devices, "_count", lambda kind: {"cuda": cuda, "mps": mps}.get(kind, 0))


@pytest.mark.parametrize(("cuda", "mps", "best"), [(0, 0, "cpu"), (2, 0, "cuda:0"), (0, 1, "mps:0"), (1, 1, "cuda:0")])
def test_auto_is_the_best_there_is(monkeypatch: pytest.MonkeyPatch, cuda: int, mps: int, best: str) -> None:
    with_cards(monkeypatch, cuda, mps)
    assert str(device_called()) == best


def test_what_is_named_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with_cards(monkeypatch, cuda=3)
    assert [str(device_called(name)) for name in ("cpu", "cuda", "cuda:2")] == ["cpu", "cuda:0", "cuda:2"]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("cuda:3", "There is no cuda:3: the last of 3 is cuda:2."),
        ("mps", "There is no mps here that torch .* can use; say cpu, or auto."),
        ("gpu", "There is no device called 'gpu'; say auto, cpu, cuda, cuda:1 or mps."),
        ("meta", "There is no meta here"),
        ("", "There is no device called ''"),
    ],
)
def test_what_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, sentence: str) -> None:
    with_cards(monkeypatch, cuda=3)
    with pytest.raises(InputError, match=sentence):
        device_called(name)


def test_cards_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "cuda", Cards(2))
    assert str(device_called("cuda:1")) == "cuda:1"
    monkeypatch.setattr(torch, "cuda", Cards(0))
    with pytest.raises(InputError, match="no cuda here"):
        device_called("cuda")


class Card:
    """What is asked of one graphics card."""

    def __init__(self, bfloat16: bool) -> None:
        self.bfloat16 = bfloat16

    def get_device_name(self, device: torch.device) -> str:
        return "Tester 3000"

    def mem_get_info(self, device: torch.device) -> tuple[int, int]:
        return 7, 11

    def is_bf16_supported(self, including_emulation: bool = True) -> bool:
        return including_emulation or self.bfloat16


def test_a_card_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    card = torch.device("cuda", 1)
    monkeypatch.setattr(torch, "cuda", Card(bfloat16=True))
    assert (in_words(card), memory_of(card), half_precision(card)) == ("cuda:1 (Tester 3000)", 11, "bfloat16")
    monkeypatch.setattr(torch, "cuda", Card(bfloat16=False))
    assert half_precision(card) == "float16"
    here = torch.device("cpu")
    assert (in_words(here), memory_of(here), half_precision(here)) == ("the processor", None, "")
    assert in_words(torch.device("mps", 0)) == "mps:0 (Apple Metal)"


def test_to_a_card_an_array_goes_from_pinned_memory_without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda self: asked.append("pinned") or self)
    monkeypatch.setattr(torch.Tensor, "to", lambda self, device, **how: asked.append((device, how)) or self)
    card = torch.device("cuda", 0)
    sent(np.arange(3), card)
    assert asked == ["pinned", (card, {"non_blocking": True})]


def test_here_it_is_not_copied() -> None:
    array = np.arange(3)
    assert sent(array, torch.device("cpu")).data_ptr() == array.ctypes.data


def test_what_is_drawn_meanwhile_leaves_no_trace() -> None:
    here = torch.device("cpu")
    assert device_draws(here) is None
    torch.manual_seed(3)
    wanted = torch.rand(3)
    torch.manual_seed(3)
    with undrawn(here):
        torch.rand(11)
    assert torch.equal(torch.rand(3), wanted)


def test_a_card_draws_from_numbers_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    class Drawing:
        """Keeps what it is told."""

        state = torch.tensor([3])

        def get_rng_state(self, device: torch.device) -> torch.Tensor:
            return self.state

        def set_rng_state(self, state: torch.Tensor, device: torch.device) -> None:
            self.state = state

    card, place = Drawing(), torch.device("cuda", 0)
    monkeypatch.setattr(torch, "cuda", card)
    with undrawn(place):
        set_device_draws(torch.tensor([5]), place)
        assert card.state.item() == 5
    assert card.state.item() == 3


def test_each_process_of_a_machine_has_a_card(monkeypatch: pytest.MonkeyPatch) -> None:
    with_cards(monkeypatch, cuda=2)
    monkeypatch.setenv("LOCAL_RANK", "1")
    assert [str(device_called(name)) for name in ("auto", "cuda", "cuda:0")] == ["cuda:1", "cuda:1", "cuda:0"]
    monkeypatch.setenv("LOCAL_RANK", "2")
    assert str(device_called("cuda")) == "cuda:0"
