"""How a training goes and went is told from what it has written down."""

import os
import time
from pathlib import Path

from helpers.small_runs import small_run

from glassformer.runs.folder import RunFolder
from glassformer.studio.rooms.run_course import clock, doing, left_undone, went


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


def planned(path: Path) -> RunFolder:
    """A run that training has left with its model, and with nothing said of it yet."""
    folder = small_run(path)
    with (path / "config.toml").open("a", encoding="utf-8") as config:
        config.write("\n[plan]\nseconds = 3.0\n")
    return folder


def test_after_its_last_step_a_run_says_what_it_does(tmp_path: Path) -> None:
    folder, since = planned(tmp_path / "mine"), time.time() - 60
    seen = [doing(folder, since)]
    folder.write_scores({"part": "test", "accuracy": 0.5})
    seen.append(doing(folder, since))
    folder.write_certificate({"passed": True})
    seen.append(doing(folder, since))
    assert seen == ["judging", "certifying", "reporting"]
    for path in (folder.path / "model", folder.path / "scores.json"):
        os.utime(path, (since - 60, since - 60))
    assert doing(folder, since) == ""  # resumed, it learns on: what stands there is from before


def test_a_run_that_was_stopped_after_its_last_step_says_what_is_missing(tmp_path: Path) -> None:
    folder = planned(tmp_path / "mine")
    assert left_undone(folder) == "judging"
    (told,) = went({"run": {"minutes": 0.5}}, [{"event": "step", "seconds": 6.0}], left_undone(folder))
    assert told.startswith("It was stopped while judging: training had ended after 6.0 s, and the model is kept; its ")
    assert "busy" not in told
    folder.write_scores({"part": "test", "accuracy": 0.5})
    assert left_undone(folder) == "certifying"
    (told,) = went({"run": {"minutes": 0.5}}, [{"event": "step", "seconds": 6.0}], left_undone(folder))
    assert "its certificate is missing" in told
    folder.write_certificate({"passed": True})
    assert left_undone(folder) == "reporting"
    folder.write_report("<p>")
    assert left_undone(folder) == ""
    assert left_undone(small_run(tmp_path / "imported")) == ""  # nobody planned it here
