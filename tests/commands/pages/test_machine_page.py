"""A machine in the terminal: advice follows from the facts."""

from dataclasses import replace

from glassformer.commands.pages.machine_page import advice, verdict
from glassformer.training import machine


def test_advice_follows_from_the_facts() -> None:
    quiet = replace(machine.facts(), load=0.0, usable_cores=2, bfloat16=True)
    assert advice(quiet) == []
    assert "load 3" in advice(replace(quiet, load=3.0))[0]
    assert "no bfloat16" in advice(replace(quiet, bfloat16=False, accelerator=""))[0]


def test_the_best_count_of_threads_is_told_only_if_counts_were_compared() -> None:
    two_cores = replace(machine.facts(), usable_cores=2)
    assert verdict(two_cores, {1: 0.2, 2: 0.1}, 2) == ("✓ Small models train best with 2 threads here.", True)
    told, compared = verdict(two_cores, {2: 4.0}, 2)
    assert not compared
    assert told.startswith("Not compared")
    assert verdict(replace(two_cores, usable_cores=1), {1: 0.2}, 1)[1]
