"""How a training went is told from what it has written down."""

from glassformer.studio.rooms.run_course import clock, went


def judged(*losses: float) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for i, loss in enumerate(losses, 1):
        best = loss < min(losses[: i - 1], default=9.0)
        found.append({"event": "judged", "step": i, "seconds": 30.0 * i, "loss": loss, "best": best})
    return found


def test_a_loss_that_rises_is_told_with_the_weights_that_are_kept() -> None:
    rising = judged(0.9, 0.66, 1.5, 3.4)
    told = (
        "Validation loss was least after 60 s, 0.66, and has risen to 3.4: from there on it learnt the training texts "
        "by heart, and where it is wrong it is sure of it. The weights that are kept are those of the least loss."
    )
    assert went({"run": {"minutes": 2.0}}, rising) == [told]
    assert went({"plan": {"keep_last": True}}, rising)[0].endswith("kept are those of the end.")
    assert went({"run": {"minutes": 2.0}}, judged(0.9, 0.7, 0.66, 0.7)) == []


def test_who_ends_early_says_why() -> None:
    plan: dict[str, dict[str, float]] = {"run": {"minutes": 5.0}, "plan": {"patience": 2}}
    assert went(plan, judged(0.9, 0.8, 0.81, 0.82)) == [
        "It ended after 2 min of 5 min: validation loss had not fallen in 2 looks at the validation part."
    ]
    (little,) = went({"run": {"minutes": 1.0}}, [{"event": "step", "seconds": 12.0}])
    assert little.startswith("Of the 60 s asked for, 12 s were spent on training.")
    assert "what then was left was not spent" in little
    assert went({"run": {"minutes": 1.0}}, [{"event": "step", "seconds": 40.0}]) == []
    assert [clock(each) for each in (0.47, 12.0, 210.0)] == ["0.5 s", "12 s", "3.5 min"]
