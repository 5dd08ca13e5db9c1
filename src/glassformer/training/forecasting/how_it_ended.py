"""How a training ended, in sentences: how far it came, whether its minutes cut it short, and which weights are kept. It
trains nothing and keeps nothing.
"""

from collections.abc import Mapping
from typing import Any

from glassformer.drawing.score_words import clock
from glassformer.errors import counted
from glassformer.training.loop import Plan, Progress

SHORTER = 0.9  # of the seconds that were forecast: less is worth a word


def how_it_ended(plan: Plan, progress: Progress, epochs: float, forecast: float, kept: Mapping[str, Any]) -> str:
    """`forecast`, the seconds that were planned first; `kept`, the progress of the checkpoint that is kept."""
    trained = f"Trained for {clock(progress.seconds)}: {counted(progress.step, 'step')} ({epochs:.3g} epochs)."
    early = ""
    if not plan.steps and progress.seconds < SHORTER * forecast and plan.seconds < SHORTER * forecast:
        early = (
            f" It ends {clock(forecast - progress.seconds)} of training sooner than forecast: steps took longer than "
            "when they were measured, so that the rest will too, and the minutes stand."
        )
    return f"{trained}{early} {_kept(plan, progress, kept)}"


def _kept(plan: Plan, progress: Progress, kept: Mapping[str, Any]) -> str:
    step = kept.get("step", progress.step)
    averaged = ", averaged" if plan.average else ""
    if plan.keep_last:
        return f"Kept are the last weights{averaged}, as this task has them (keep_last)."
    if step == progress.step:
        return f"Kept are the last weights{averaged}, which did best in validation."
    return f"Kept are the weights of step {step:,}{averaged}, which did best in validation; later ones did worse."
