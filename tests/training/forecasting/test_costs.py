"""Costs by formula: numbers to work with a pencil, and published runs."""

import pytest

from glassformer.errors import InputError
from glassformer.models.registry import configure
from glassformer.models.sizes import sizes
from glassformer.training.forecasting.costs import AGREEING, DEVICES, Device, Workload, bytes_sent, cost, memory_of

PENCIL = Workload(parameters=10, flops=60, activations=3, tokens_per_step=8, tokens=80)
SLOW = Device(flops=100, memory=1000, link=10, half=False)


def test_one_process_by_pencil() -> None:
    memory = memory_of(PENCIL)
    assert (memory.weights, memory.gradients, memory.optimizer, memory.activations) == (40, 40, 80, 96)
    found = cost(PENCIL, SLOW, share=0.5)
    assert found.steps == 10
    assert found.compute == 60 * 8 / 50
    assert found.network == 0
    assert found.limit == "compute"
    assert found.seconds == 96
    assert found.to_dict()["memory"]["total"] == 256


def test_two_processes_by_pencil() -> None:
    two = Workload(parameters=10, flops=60, activations=3, tokens_per_step=8, tokens=80, processes=2)
    shared = Workload(parameters=10, flops=60, activations=3, tokens_per_step=8, tokens=80, processes=2, sharded=True)
    assert bytes_sent(PENCIL) == 0
    assert bytes_sent(two) == 40  # half of 40 bytes goes round twice
    assert bytes_sent(shared) == 60
    assert memory_of(two).total == 160 + 48 + 40  # what is sent is copied
    assert memory_of(shared).total == 80 + 48
    assert cost(two, SLOW, share=1).compute == 2.4
    assert cost(two, SLOW, share=1).step == 4  # the link is slower
    assert cost(two, SLOW, share=1).limit == "network"
    assert cost(two, Device(100, 100, 1000, half=False)).limit == "memory"


def test_a_processor_that_computes_and_copies_does_one_after_the_other() -> None:
    two = Workload(parameters=10, flops=60, activations=3, tokens_per_step=8, tokens=80, processes=2)
    here = Device(flops=100, memory=1000, link=10, half=False, carries=True)
    assert cost(two, here, share=1).step == 2.4 + 4 + AGREEING
    assert cost(PENCIL, here, share=1).step == 4.8  # nobody to agree with


def test_a_measured_step_stands() -> None:
    assert cost(PENCIL, SLOW, compute=3.0).seconds == 30


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InputError, match="tokens must be above 0"):
        Workload(parameters=1, flops=1, activations=1, tokens_per_step=1, tokens=0)
    with pytest.raises(InputError, match="share of its peak from 0 to 1"):
        cost(PENCIL, SLOW, share=1.5)
    with pytest.raises(InputError, match="h100"):
        DEVICES["h1000"]


GPT2 = {"vocabulary": 50257, "width": 768, "layers": 12, "heads": 12, "hidden": 3072, "length": 1024}
LLAMA = {"vocabulary": 32_000, "tied": False, "query_key_norm": False}
LLAMA_2_7B = {**LLAMA, "width": 4096, "layers": 32, "heads": 32, "hidden": 11008, "length": 4096}
LLAMA_65B = {**LLAMA, "width": 8192, "layers": 80, "heads": 64, "hidden": 22016, "length": 2048}


@pytest.mark.parametrize(
    ("model", "parameters", "tokens", "devices", "hours", "reached"),
    [
        (GPT2, 124.4e6, 600_000 * 491_520, "8 a100", 96, 0.29),  # nanoGPT: about 4 days
        (GPT2, 124.4e6, 10e9, "8 h100", 0.75, 0.40),  # llm.c: 45 minutes
        (LLAMA_2_7B, 6.74e9, 2e12, "1 a100", 184_320, 0.445),  # its paper, table 2: hours of one device
        (LLAMA_65B, 65.2e9, 1.4e12, "2048 a100", 21 * 24, 0.49),  # its paper: about 21 days
    ],
)
def test_published_runs_reach_a_share_of_the_peak(
    model: dict[str, int], parameters: float, tokens: float, devices: str, hours: float, reached: float
) -> None:
    number, device = devices.split()
    name = "gpt" if model is GPT2 else "modern"
    found = sizes(name, configure(name, **model))
    assert found.parameters == pytest.approx(parameters, rel=0.01)
    job = Workload(
        parameters=found.parameters, flops=3 * found.forward / found.tokens, activations=0, tokens_per_step=500_000,
        tokens=tokens, processes=int(number),
    )  # fmt: skip
    at_peak = cost(job, DEVICES[device], share=1.0)
    assert at_peak.steps * at_peak.compute / 3600 / hours == pytest.approx(reached, abs=0.01)
