"""Texts written side by side: each is what it would be alone, whoever joins and leaves."""

import asyncio
import random
import time
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from helpers.small_runs import language_run

from glassformer.errors import GlassformerError
from glassformer.models.sampling import Sampling
from glassformer.objectives.predictions import Writing
from glassformer.objectives.writing import streamed
from glassformer.runs.run import Run
from glassformer.serving.work.slots import Slots, Told, ToWrite, sampling_of
from glassformer.serving.work.workshop import Job, LateError

LOOP = asyncio.new_event_loop()
PROMPTS = ["the cat", "t", "sat on the mat. the", "dog sat on th", "on the cat", "a. the dog sat on the cat. the mat"]


@pytest.fixture(autouse=True, scope="module")
def _closed() -> Iterator[None]:
    yield
    LOOP.close()


def asked(run: Run, prompt: str, longest: int, **how: Any) -> Job:
    ids = tuple(run.objective.prompt(run.tokens, prompt).tolist())
    options = {"sampling": None, "seed": 0, "goes_on": run.objective.goes_on, **how}
    return Job(ToWrite(prompt=ids, longest=longest, **options), time.monotonic() + 600, asyncio.Queue(), LOOP)


def alone(run: Run, prompt: str, longest: int, **how: Any) -> str:
    writing = Writing(longest=longest, **{"temperature": 0.0, **how})
    ids = run.objective.prompt(run.tokens, prompt)
    return "".join(streamed(run.model, run.tokens, ids, writing, goes_on=run.objective.goes_on))


def written(craft: Slots, jobs: list[Job], joins: random.Random) -> dict[Job, Told]:
    """Each job joins when it is its turn at random; the last part of each."""
    waiting, found = list(jobs), dict[Job, Told]()
    while waiting or craft.busy:
        some = [waiting.pop(0) for _ in range(joins.randint(0, min(len(waiting), craft.places)))]
        parts = craft.begin(some) if some else []
        parts += craft.work() if craft.busy else []
        found |= {job: part for job, part in parts if not isinstance(part, Told) or part.finish}
    return found


@pytest.mark.parametrize("positions", ["rotary", "learned", "alibi", "t5", "sinusoidal", "none"])
@pytest.mark.parametrize("seed", [1, 2])
def test_each_text_is_what_it_would_be_alone(positions: str, seed: int) -> None:
    """Longer than the model can look back on, too: it slides along as it does alone."""
    run, lot = language_run(positions=positions), random.Random(seed)
    lengths = [lot.randint(1, 60) for _ in PROMPTS]
    jobs = [asked(run, prompt, longest) for prompt, longest in zip(PROMPTS, lengths, strict=True)]
    found = written(Slots(run.model, run.tokens, 4), jobs, lot)
    for job, prompt, longest in zip(jobs, PROMPTS, lengths, strict=True):
        assert found[job].text == alone(run, prompt, longest)


@pytest.mark.parametrize("scorer", ["dense synthesizer", "random synthesizer"])
def test_a_synthesizer_writes_one_at_a_time(scorer: str) -> None:
    run = language_run(scorer=scorer, positions="none")
    craft = Slots(run.model, run.tokens, 4)
    assert craft.places == 1
    jobs = [asked(run, prompt, 9) for prompt in PROMPTS[:3]]
    found = written(craft, jobs, random.Random(3))
    assert [found[job].text for job in jobs] == [alone(run, prompt, 9) for prompt in PROMPTS[:3]]


def test_what_is_drawn_depends_on_the_seed_alone() -> None:
    run = language_run()
    ways = [{"temperature": 0.7}, {"temperature": 1.3, "top_k": 5}, {"temperature": 1.0, "top_p": 0.8, "min_p": 0.01}]
    jobs, alones = [], []
    for i, prompt in enumerate(PROMPTS):
        way: dict[str, Any] = ways[i % 3]
        jobs.append(asked(run, prompt, 17, sampling=Sampling(**way), seed=i))
        alones.append(alone(run, prompt, 17, seed=i, **way))
    found = written(Slots(run.model, run.tokens, 5), jobs, random.Random(4))
    assert [found[job].text for job in jobs] == alones


def test_who_leaves_makes_room_and_changes_nothing_for_the_others() -> None:
    run, lot = language_run(), random.Random(5)
    jobs = [asked(run, prompt, 30) for prompt in PROMPTS]
    craft = Slots(run.model, run.tokens, 6)
    craft.begin(jobs)
    found: dict[Job, Told] = {}
    for step in range(40):
        left = [job for job in jobs if job.gone]
        if step in (2, 7, 11):
            jobs[lot.choice([0, 2, 4])].gone = True
        before, written_before = craft.taken, craft.written
        ended = {job: part for job, part in (craft.work() if craft.busy else []) if part.finish}
        leaving = sum(job.gone for job in jobs) - len(left)
        assert craft.taken == before - leaving - len(ended)  # its place is free after one step,
        assert craft.written == written_before + before - leaving  # and not one id was written for it
        found |= ended
    for i in (1, 3, 5):
        assert found[jobs[i]].text == alone(run, PROMPTS[i], 30)
    gone = [job for job in jobs if job.gone]
    assert gone
    assert not {*gone} & {*found}
    assert (craft.busy, craft.taken, craft.places) == (False, 0, 6)


def test_it_ends_by_length_by_stop_and_when_time_is_over() -> None:
    run = language_run()
    text = alone(run, "the cat", 12)
    craft = Slots(run.model, run.tokens, 3)
    jobs = [asked(run, "the cat", 12), asked(run, "the cat", 12, stop=(text[5:7],)), asked(run, "the cat", 12)]
    jobs[2].deadline = 0.0
    found = written(craft, jobs, random.Random(6))
    assert found[jobs[0]] == Told(text, "length", 12)
    assert (found[jobs[1]].text, found[jobs[1]].finish) == (text[: text.find(text[5:7])], "stop")
    assert isinstance(found[jobs[2]], LateError)


def test_a_stream_tells_the_same_in_parts_with_its_logprobs() -> None:
    run = language_run()
    craft = Slots(run.model, run.tokens, 3)
    job = asked(run, "the cat", 12, streamed=True, alternatives=2)
    parts = craft.begin([job])
    while craft.busy:
        parts += craft.work()
    told = [part for _, part in parts]
    assert "".join(part.text for part in told) == alone(run, "the cat", 12)
    assert [part.finish for part in told] == [*[None] * (len(told) - 1), "length"]
    steps = [step for part in told for step in part.steps]
    assert len(steps) == 12
    assert all(step.likeliest[0] == (step.id, step.logprob) and len(step.likeliest) == 2 for step in steps)


def test_a_prompt_that_cannot_be_read_is_refused_by_itself() -> None:
    run = language_run("answers")
    craft = Slots(run.model, run.tokens, 3)
    jobs = [asked(run, "the cat", 5), asked(run, "t" * 50, 5)]
    found = written(craft, jobs, random.Random(1))
    assert found[jobs[0]].finish in ("length", "stop")
    assert isinstance(found[jobs[1]], GlassformerError)


def test_damaged_weights_are_told_and_all_is_given_up() -> None:
    run = language_run()
    craft = Slots(run.model, run.tokens, 3)
    jobs = [asked(run, "the cat", 5), asked(run, "t", 5)]
    craft.begin(jobs)
    with torch.no_grad():
        next(run.model.parameters()).fill_(float("nan"))
    with pytest.raises(GlassformerError, match="damaged"):
        craft.work()
    assert craft.drop() == jobs
    assert not craft.busy


def test_a_temperature_of_nought_is_greedy() -> None:
    assert sampling_of(0.0, None, 1.0, 0.0) is None
    assert sampling_of(0.5, 3, 0.9, 0.1) == Sampling(temperature=0.5, top_k=3, top_p=0.9, min_p=0.1)
