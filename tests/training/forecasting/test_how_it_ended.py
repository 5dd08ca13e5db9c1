"""How a training ended: how far it came, whether it was cut short, and which weights are kept, by pencil."""

from glassformer.training.forecasting.how_it_ended import how_it_ended
from glassformer.training.loop import Plan, Progress


def test_the_step_whose_weights_are_kept_is_named() -> None:
    progress, steps = Progress(step=203, seconds=22.8), Plan(steps=203)
    assert how_it_ended(steps, progress, 1.49, 0.0, {"step": 138}) == (
        "Trained for 23 s: 203 steps (1.49 epochs). Kept are the weights of step 138, which did best in validation; "
        "later ones did worse."
    )
    assert how_it_ended(steps, progress, 1.49, 0.0, {"step": 203}).endswith(
        "Kept are the last weights, which did best in validation."
    )
    last = Plan(steps=203, keep_last=True, average=0.995)
    assert "Kept are the last weights, averaged, as this task has them" in how_it_ended(last, progress, 1.49, 0.0, {})


def test_who_ends_sooner_than_forecast_says_why() -> None:
    progress = Progress(step=203, seconds=22.8)
    told = how_it_ended(Plan(seconds=22.7), progress, 1.49, 31.0, {})
    assert "It ends 8 s of training sooner than forecast: steps took longer" in told
    assert "sooner" not in how_it_ended(Plan(seconds=31.0), progress, 1.49, 31.0, {})  # patience was at its end
    assert "sooner" not in how_it_ended(Plan(steps=203), progress, 1.49, 0.0, {})
