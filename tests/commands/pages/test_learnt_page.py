"""Whether a model has learnt, in the terminal: a mark for each baseline, and what to do below."""

import io

from rich.console import Console

from glassformer.commands.pages.learnt_page import print_learnt
from glassformer.runs.learnt import MAJORITY, Against, Learnt, Todo


def shown(learnt: Learnt | None) -> str:
    console = Console(file=io.StringIO(), width=100)
    print_learnt(learnt, console, indent=2)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_what_is_lost_has_a_cross_and_advice() -> None:
    majority = Against(MAJORITY, "dull", 0.5, 0.0, -0.1, 0.1, 1.0)
    linear = Against("ngrams", "", 0.5, 0.0, -0.1, 0.1, 0.9)
    sentences = ("NO BETTER THAN THE MAJORITY CLASS: [b]a\x1b[31m", "Level with it.")
    page = shown(
        Learnt(
            False,
            "no better than the majority class",
            sentences,
            (Todo("longer", "Train longer", "[x]"),),
            (majority, linear),
        )
    )
    assert page.splitlines() == [
        "  ✗ NO BETTER THAN THE MAJORITY CLASS: [b]a␛[31m",  # a label is shown, not obeyed
        "  – Level with it.",
        "    → Train longer: [x]",
    ]


def test_what_nobody_can_tell_has_no_cross() -> None:
    majority = Against(MAJORITY, "dull", 0.5, 0.5, 0.2, 0.8, 0.25)
    page = shown(Learnt(False, "too few samples to tell", ("TOO FEW SAMPLES TO TELL",), (), (majority,), True))
    assert page == "  – TOO FEW SAMPLES TO TELL\n"


def test_what_is_won_has_a_tick() -> None:
    majority = Against(MAJORITY, "dull", 0.5, 0.3, 0.2, 0.4, 0.001)
    assert shown(Learnt(True, "better", ("Better than the majority class.",), (), (majority,))) == (
        "  ✓ Better than the majority class.\n"
    )


def test_what_is_not_known_is_said() -> None:
    assert shown(None) == "  – Whether it has learnt is not known: it was not compared with a baseline.\n"
    console = Console(file=io.StringIO(), width=100)
    print_learnt(None, console, otherwise="Train longer")
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().endswith("  → Train longer\n")
