"""A machine in the terminal: advice follows from the facts."""

from dataclasses import replace

from glassformer.commands.pages.machine_page import advice
from glassformer.training import machine


def test_advice_follows_from_the_facts() -> None:
    quiet = replace(machine.facts(), load=0.0, usable_cores=2, bfloat16=True)
    assert advice(quiet) == []
    assert "load 3" in advice(replace(quiet, load=3.0))[0]
    assert "no bfloat16" in advice(replace(quiet, bfloat16=False, accelerator=""))[0]
