"""The loop: resumed is never stopped, accumulated is one, and every kind of lesson is learnt."""

import math
import weakref
from dataclasses import asdict, replace
from itertools import islice
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from helpers.small_lessons import lessons_for

from glassformer.errors import GlassformerError, InputError
from glassformer.models.registry import build, configure
from glassformer.objectives.lessons import Measures, Rows, graded_loss
from glassformer.objectives.table import OBJECTIVES
from glassformer.text.samples import Plain
from glassformer.text.tokens import Tokens
from glassformer.training.loop import (
    MOST_EPOCHS_TOLD,
    EpochEnded,
    Loop,
    Plan,
    Progress,
    Stepped,
    Validated,
    check_progress,
    factor,
)
from glassformer.training.optimizers import UnlikeError

KINDS = tuple(OBJECTIVES)


def loop_for(name: str, **plan: Any) -> Loop:
    lessons, model = lessons_for(name)
    torch.manual_seed(11)
    return Loop(model, lessons, Plan(**{"steps": 23, "accumulate": 2, "average": 0.9, **plan}))


# --- resumed is never stopped -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("optimizer", ["muon", "adamw"])
def test_a_resumed_run_is_bit_for_bit_the_run_that_was_not_stopped(name: str, optimizer: str) -> None:
    whole = loop_for(name, optimizer=optimizer)
    losses = [whole.step() for _ in range(23)]
    assert whole.progress.epoch > 1
    for cut in (1, 7, 16):
        first = loop_for(name, optimizer=optimizer)
        before = [first.step() for _ in range(cut)]
        tensors, progress = first.state()
        kept = {key: value.clone() for key, value in tensors.items()}
        torch.manual_seed(99)  # whatever happens in between
        second = loop_for(name, optimizer=optimizer)
        second.restore(kept, progress)
        after = [second.step() for _ in range(23 - cut)]
        assert before + after == losses
        for (key, one), other in zip(whole.state()[0].items(), second.state()[0].values(), strict=True):
            assert torch.equal(one, other), key


@pytest.mark.slow
@pytest.mark.parametrize("name", ["classes", "stream"])
def test_stopped_at_any_event_it_goes_on_to_the_very_same_events(name: str) -> None:
    """A step, a validation, the end of an epoch: whatever was told last, nothing is left out, nothing comes twice."""
    whole = loop_for(name, steps=20, accumulate=1)
    events = [replace(event, seconds=0.0) for event in whole.run()]
    assert [event.step for event in events if isinstance(event, Validated)] == list(range(2, 21, 2))
    for cut in range(1, len(events) + 1):
        first = loop_for(name, steps=20, accumulate=1)
        before = [replace(event, seconds=0.0) for event in islice(first.run(), cut)]
        tensors, progress = first.state()
        second = loop_for(name, steps=20, accumulate=1)
        second.restore({key: value.clone() for key, value in tensors.items()}, progress)
        assert before + [replace(event, seconds=0.0) for event in second.run()] == events, cut
        assert second.progress.validations == whole.progress.validations
        for (key, one), other in zip(whole.state()[0].items(), second.state()[0].values(), strict=True):
            assert torch.equal(one, other), key


@pytest.mark.parametrize("steps", [7, 20, 23, 100])
@pytest.mark.parametrize("every", [0.1, 0.3, 0.07, 1.0])
def test_validations_come_at_whole_steps(steps: int, every: float) -> None:
    """The first step at which the n-th share is reached, by whole numbers; never two at one step."""
    loop = loop_for("stream", steps=steps, validate_every=every)
    loop.on_validation_part = lambda: (1.0, None)  # type: ignore[method-assign]
    loop.step = lambda: _next_step(loop)  # type: ignore[method-assign]
    hundredths = round(every * 100)
    wanted, n = [], 1
    for step in range(1, steps + 1):
        if step * 100 >= min(n * hundredths, 100) * steps:
            wanted.append(step)
            n += 1
    assert [event.step for event in loop.run() if isinstance(event, Validated)] == wanted


def _next_step(loop: Loop) -> Stepped:
    loop.progress.step += 1
    return Stepped(loop.progress.step, 0.0, 1.0, 0.0, 1)


def test_two_batches_that_count_as_one_move_the_weights_as_one() -> None:
    """The mean over all tokens, not the mean of two means."""
    lessons, model = lessons_for("stream", dropout=0.0)
    batches = [lessons.train.batch(0, 0), lessons.train.batch(0, 1)]
    total = sum(lessons.loss(model, batch, 0.0)[0] for batch in batches)
    count = sum(lessons.loss(model, batch, 0.0)[1] for batch in batches)
    (total / count).backward()  # type: ignore[union-attr]
    wanted = [weight.grad.clone() for weight in model.parameters() if weight.grad is not None]
    loop = Loop(model, lessons, Plan(steps=2, accumulate=2, optimizer="adamw", clip=1e9))
    seen: list[torch.Tensor] = []
    loop.optimizers[0].register_step_pre_hook(
        lambda *_: seen.extend(w.grad.clone() for w in model.parameters() if w.grad is not None)
    )
    model.zero_grad()
    loop.step()
    for one, other in zip(wanted, seen, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", ["classes", "pairs", "answers", "spans", "masked"])
def test_the_loss_of_a_batch_is_that_of_its_rows_however_they_are_padded(name: str) -> None:
    lessons, model = lessons_for(name, dropout=0.0)
    assert isinstance(lessons.train, Rows)
    epoch = lessons.train.epoch(0)
    place = next(i for i, each in enumerate(epoch) if len({lessons.train.lengths(0)[index] for index in each}) > 1)
    together, count = lessons.loss(model, lessons.train.batch(0, place), 0.1)
    alone = [lessons.loss(model, lessons.train.made([index], 0), 0.1) for index in epoch[place]]
    assert count == sum(number for _, number in alone)
    torch.testing.assert_close(together, sum(loss for loss, _ in alone), rtol=1e-5, atol=1e-5)


# --- every kind of lesson is learnt -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_the_loss_comes_down(name: str) -> None:
    loop = loop_for(name, steps=120, accumulate=1, average=0.0, learning_rate=2e-2)
    first = loop.validation_loss()
    losses = [event.loss for event in loop.run() if isinstance(event, Stepped)]
    assert len(losses) == 120
    # Hidden words of random texts cannot be found again; that there are only fifteen of them can be learnt.
    assert sum(losses[-9:]) < (0.9 if name == "masked" else 0.8) * sum(losses[:9])
    assert math.isfinite(first)


def test_on_random_tokens_nothing_can_be_learnt() -> None:
    """If the future leaked, the loss would fall below that of a guess."""
    draw = np.random.default_rng(3)
    text = "".join(draw.choice(list("abcdefgh"), size=20_000))
    tokens = Tokens.train("character", [text])
    lessons = OBJECTIVES["stream"].lessons(
        [Plain(text)], [Plain(text[:2000])], (), tokens, Measures(longest=16, tokens_per_batch=256, seed=1)
    )
    model = build(
        "modern", configure("modern", vocabulary=len(tokens), width=16, layers=1, heads=2, hidden=32, length=16)
    )
    loop = Loop(model, lessons, Plan(steps=200))
    losses = [event.loss for event in loop.run() if isinstance(event, Stepped)]
    assert sum(losses[-50:]) / 50 >= 0.95 * math.log(8)


def test_validation_counts_every_item_once_and_leaves_the_weights_alone() -> None:
    loop = loop_for("answers")
    loop.step()
    before = {name: value.clone() for name, value in loop.model.state_dict().items()}
    found = loop.validation_loss()
    for name, value in loop.model.state_dict().items():
        assert torch.equal(value, before[name])
    loop.model.load_state_dict(loop.average)
    loop.model.eval()
    with torch.no_grad():
        items = [loop.lessons.loss(loop.model, batch, 0.0) for batch in loop.lessons.valid.in_order()]
    assert found == pytest.approx(sum(float(loss) for loss, _ in items) / sum(count for _, count in items))


def test_gradients_that_were_scaled_up_are_clipped_as_they_are() -> None:
    """In float16 the loss is scaled up by thousands; what is clipped is what the optimizers are handed."""
    loop = loop_for("classes", precision="float16", clip=0.5, learning_rate=1e-3)
    assert loop.scaler.get_scale() > 1000
    handed: list[float] = []
    loop.optimizers[0].register_step_pre_hook(lambda *_: handed.append(norm_of_gradients(loop)))
    while not handed:  # a step whose gradients were too large to be scaled is left out
        loop.step()
    assert handed[0] == pytest.approx(0.5, rel=0.01)


def norm_of_gradients(loop: Loop) -> float:
    norms = [weight.grad.norm() for weight in loop.model.parameters() if weight.grad is not None]
    return float(torch.stack(norms).norm())


def test_an_average_soon_forgets_the_beginning() -> None:
    """At first it is the mean of all weights so far, those before the first step included; only later 0.9 of the past
    stay."""
    loop = loop_for("answers")
    seen = [torch.nn.utils.parameters_to_vector(loop.model.parameters()).detach().clone()]
    for _ in range(3):
        loop.step()
        seen.append(torch.nn.utils.parameters_to_vector(loop.model.parameters()).detach().clone())
        names = [name for name, _ in loop.model.named_parameters()]
        averaged = torch.cat([loop.average[name].flatten() for name in names])
        torch.testing.assert_close(averaged, torch.stack(seen).mean(0), rtol=0, atol=1e-6)


def test_validating_keeps_no_tensor_of_the_batches_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """One small tensor kept for each batch, and the large ones between them find no place to be used again."""
    loop, made = loop_for("classes"), list[weakref.ref[torch.Tensor]]()

    def loss(batch: object) -> tuple[torch.Tensor, int, int]:
        assert not any(each() is not None for each in made[:-1])
        one = torch.tensor(3.0)
        made.append(weakref.ref(one))
        return one, 2, 1

    monkeypatch.setattr(loop, "_loss", loss)
    assert loop.on_batches([None] * 7) == (1.5, 0.5)
    assert len(made) == 7


# --- optimizers and schedules -----------------------------------------------------------------------------------


@pytest.mark.parametrize("schedule", ["linear", "cosine", "inverse-root", "one-cycle"])
def test_a_schedule_warms_up_and_comes_down(schedule: str) -> None:
    plan = Plan(steps=100, warm_up=0.1, schedule=schedule)
    values = [factor(step / 100, plan) for step in range(101)]
    assert values[1] < 0.2
    assert max(values) == pytest.approx(1.0, abs=0.02)
    assert values[-1] == pytest.approx(0.0, abs=1e-6)
    assert all(0.0 <= value <= 1.0 for value in values)


def test_a_budget_of_seconds_is_kept_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    # The loop's own name for the clock, not the clock: servers of other tests sleep by that, and would not wake.
    monkeypatch.setattr("glassformer.training.loop.time", SimpleNamespace(monotonic=lambda: now[0]))
    loop = loop_for("stream", steps=0, seconds=10.0)
    rates: list[float] = []
    for event in loop.run():
        if isinstance(event, Stepped):
            now[0] += 0.5
            rates.append(event.rate)
    assert len(rates) == 21  # twenty half seconds, and the step that found the time to be up
    assert rates[-1] < 0.1 * max(rates)


def test_patience_ends_a_run_that_does_not_get_better(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = loop_for("stream", steps=100, validate_every=0.1, patience=3)
    values = iter([5.0, 5.5, 4.0, 4.5, 4.2, 4.0, 1.0])  # a better one, and patience begins anew
    monkeypatch.setattr(loop, "on_validation_part", lambda: (next(values), None))
    judged = [event for event in loop.run() if isinstance(event, Validated)]
    assert [event.best for event in judged] == [True, False, True, False, False, False]
    assert loop.progress.step == 60
    assert loop.progress.best == 4.0


def test_a_loss_that_is_no_number_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = loop_for("stream")
    with torch.no_grad():
        next(loop.model.parameters()).fill_(math.nan)
    with pytest.raises(GlassformerError, match="smaller learning rate"):
        loop.step()


@pytest.mark.parametrize(("name", "near"), [("schedule", "linear"), ("optimizer", "adamw"), ("precision", "float32")])
def test_a_choice_that_does_not_exist_is_named(name: str, near: str) -> None:
    with pytest.raises(InputError, match=f"{name} cannot be '{near}x'; did you mean '{near}'"):
        Plan(**{name: f"{near}x"})  # type: ignore[arg-type]


def test_accuracy_is_told_at_the_end_of_epochs() -> None:
    """Of all that was answered while it learnt, and of the whole validation part, by counting."""
    lessons, model = lessons_for("classes", dropout=0.0)
    batches = lessons.train.n_batches(0)
    loop = Loop(model, lessons, Plan(steps=3 * batches - 1, precision="float32", validate_every=1.0))
    right = answered = 0
    found: list[EpochEnded] = []
    for event in loop.run():
        if isinstance(event, EpochEnded):
            found.append(event)
            assert event.training == right / answered
            on_valid = [graded_loss(model.eval(), batch) for batch in lessons.valid.in_order()]
            assert event.validation == sum(each[2] for each in on_valid) / 11
        right, answered = loop.progress.right, loop.progress.answered
    assert [event.epoch for event in found[:2]] == [1.0, 2.0]
    assert 2 < found[2].epoch < 3 + 1e-9
    assert len(found) == 3


def test_only_a_classifier_has_an_accuracy() -> None:
    lessons, model = lessons_for("pairs")
    events = list(Loop(model, lessons, Plan(steps=2 * lessons.train.n_batches(0), precision="float32")).run())
    assert not any(isinstance(event, EpochEnded) for event in events)
    assert all(event.accuracy is None for event in events if isinstance(event, Validated))


def test_of_many_epochs_a_few_are_told() -> None:
    lessons, model = lessons_for("classes")
    steps = 60 * lessons.train.n_batches(0)
    events = list(Loop(model, lessons, Plan(steps=steps, precision="float32", validate_every=1.0)).run())
    assert 20 < sum(isinstance(event, EpochEnded) for event in events) <= MOST_EPOCHS_TOLD + 1


@pytest.mark.parametrize(
    ("name", "value"),
    [("smoothing", 1.5), ("smoothing", 1.0), ("average", 2.0), ("warm_up", 5.0), ("clip", 0.0), ("accumulate", 0),
     ("learning_rate", 0.0), ("learning_rate", math.nan), ("validate_every", 0.0), ("weight_decay", -1.0),
     ("table_rate", math.inf), ("patience", -1)],
)  # fmt: skip
def test_a_number_that_makes_no_sense_is_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(InputError, match=f"{name} must be .*; it is {value!r}"):
        Plan(**{name: value})  # type: ignore[arg-type]


def test_gradients_are_clipped_before_a_step() -> None:
    norms = []
    loop = loop_for("stream", steps=3, optimizer="adamw", clip=1e-3)
    (optimizer,) = loop.optimizers
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    optimizer.register_step_pre_hook(
        lambda *_: norms.append(float(torch.cat([w.grad.flatten() for w in weights if w.grad is not None]).norm()))
    )
    list(loop.run())
    assert norms == pytest.approx([1e-3] * 3, rel=1e-3)  # without, they are a thousand times as large


def test_a_run_that_is_over_judges_nothing_again() -> None:
    loop = loop_for("stream", steps=3)
    assert isinstance(list(loop.run())[-1], Validated)
    assert list(loop.run()) == []


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (True, "in its progress, all is True"),
        ({"step": "3"}, "in its progress, step is '3'"),
        ({"step": True}, "in its progress, step is True"),
        ({"seconds": math.nan}, "in its progress, seconds is nan"),
        ({"place": -1}, "in its progress, place is -1"),
        ({"stage": 3}, "in its progress, stage is 3"),
    ],
)
def test_progress_that_no_run_has_written_is_refused(found: Any, said: str) -> None:
    check_progress(asdict(Progress(step=3, best=math.inf)))
    with pytest.raises(UnlikeError, match=said):
        check_progress(found)
