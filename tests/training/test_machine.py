"""The machine: limits read as they are written, and threads chosen by a clock that the test winds itself."""

import json
from functools import partial

import pytest
import torch

from glassformer.training import machine


@pytest.mark.parametrize(
    ("quota", "cores"),
    [("200000 100000", 2.0), ("150000 100000\n", 1.5), ("max 100000", None), ("-1 100000", None), ("", None)],
)
def test_a_quota_is_so_many_cores(quota: str, cores: float | None) -> None:
    assert machine.cores_allowed(quota) == cores


@pytest.mark.parametrize(
    ("limit", "memory"), [("1073741824\n", 2**30), ("max", None), ("", None), (str(2**63 - 4096), None)]
)
def test_a_memory_limit_is_read_as_it_is_written(limit: str, memory: int | None) -> None:
    assert machine.memory_allowed(limit) == memory


def test_memory_is_told_in_kilobytes() -> None:
    assert machine.memory_told("MemTotal:       7 kB\nMemFree: 2 kB\nMemAvailable:   3 kB\n") == (7168, 3072)
    assert machine.memory_told("") == (0, 0)


def test_the_processor_says_its_name_and_what_it_can() -> None:
    told = "processor\t: 0\nmodel name\t: A Fine One @ 3 GHz\nflags\t\t: fpu avx2 avx512_bf16\n\nflags\t: fpu\n"
    assert machine.processor_name(told) == "A Fine One @ 3 GHz"
    assert machine.processor_flags(told) == {"fpu", "avx2", "avx512_bf16"}
    assert machine.processor_name("") == ""
    assert machine.processor_flags("") == set()


@pytest.mark.parametrize(
    ("cores", "counts"), [(1, [1]), (2, [1, 2]), (3, [1, 2, 3]), (8, [1, 2, 4, 8]), (13, [1, 2, 4, 8, 13])]
)
def test_few_counts_of_threads_are_tried(cores: int, counts: list[int]) -> None:
    assert machine.thread_counts(cores) == counts


def test_more_threads_must_be_worth_it() -> None:
    assert machine.quickest({1: 1.0, 2: 0.6, 4: 0.5}) == 4
    assert machine.quickest({1: 1.0, 2: 0.97, 4: 0.96}) == 1  # a gain within the noise
    assert machine.quickest({1: 1.0, 2: 2.0, 4: 0.9}) == 4
    assert machine.quickest({1: 1.0, 2: 8.0}) == 1


class Stopwatch:
    """A clock that goes only while the work is done: so many seconds, by the number of threads."""

    def __init__(self, seconds: dict[int, list[float]]) -> None:
        self.now, self.seconds, self.calls = 0.0, seconds, dict.fromkeys(seconds, 0)

    def __call__(self) -> float:
        return self.now

    def work(self) -> None:
        count = torch.get_num_threads()
        each = self.seconds[count]
        self.now += each[self.calls[count] % len(each)]
        self.calls[count] += 1


def test_the_median_is_taken_and_a_hiccup_forgotten() -> None:
    # Each round works twice and counts the second time: of 1 thread 5, 5, 90, 5, 5; of two 3, 3, 3, 70, 3.
    watch = Stopwatch({1: [8, 5, 8, 5, 8, 90, 8, 5, 8, 5], 2: [9, 3, 9, 3, 9, 3, 9, 70, 9, 3]})
    before = torch.get_num_threads()
    took = machine.time_threads(watch.work, counts=[1, 2], seconds=1e9, clock=watch)
    assert took == {1: 5.0, 2: 3.0}
    assert machine.quickest(took) == 2
    assert torch.get_num_threads() == before


def test_slow_work_is_not_begun_again_once_the_time_is_over() -> None:
    watch = Stopwatch({1: [40.0], 2: [50.0]})
    timed = partial(machine.time_threads, watch.work, counts=[1, 2], clock=watch, crowded=False)
    assert timed(seconds=3.0) == {2: 50.0}
    assert watch.calls == {1: 0, 2: 1}
    watch = Stopwatch({1: [1.0], 2: [0.75, 0.5]})
    timed = partial(machine.time_threads, watch.work, counts=[1, 2], clock=watch, crowded=False)
    assert timed(seconds=2.0) == {1: 1.0, 2: 0.5}
    assert watch.calls == {1: 1, 2: 2}


def test_on_a_crowded_machine_one_thread_is_tried_before_two_that_wait_for_each_other() -> None:
    watch = Stopwatch({1: [0.1], 2: [2.3]})
    took = machine.time_threads(watch.work, counts=[1, 2], seconds=1.5, clock=watch, crowded=True)
    assert machine.quickest(took) == 1
    watch = Stopwatch({1: [2.0], 2: [1.0]})
    assert machine.time_threads(watch.work, counts=[1, 2], seconds=1.5, clock=watch, crowded=True) == {1: 2.0}


@pytest.mark.parametrize(("load", "busy"), [(0.4, False), (2.0, False), (2.5, True)])
def test_a_machine_is_busy_where_more_is_to_be_done_than_there_are_cores(
    load: float, busy: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (load, 9.0, 9.0), raising=False)
    monkeypatch.setattr(machine, "usable_cores", lambda: 2)
    assert machine.busy() is busy


def test_work_that_fails_leaves_the_threads_as_they_were() -> None:
    before = torch.get_num_threads()

    def fails() -> None:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        machine.best_threads(fails, counts=[before + 1])
    assert torch.get_num_threads() == before


def test_the_speed_of_a_product_is_operations_over_time() -> None:
    ticks = iter(float(tick) for tick in range(100))
    assert machine.matmul_speed(1, size=500, rounds=3, clock=lambda: next(ticks)) == pytest.approx(0.25)  # 2·500³/1e9


def test_the_facts_of_this_machine_make_sense() -> None:
    found = machine.facts()
    assert 1 <= found.usable_cores <= found.cores
    assert 0 < found.free_memory <= found.memory
    assert found.processor
    assert (
        found.versions["torch"] == torch.__version__.partition("+")[0] or found.versions["torch"] == torch.__version__
    )
    assert json.loads(json.dumps(found.to_dict()))["usable_cores"] == machine.usable_cores()


@pytest.mark.parametrize(("said", "most"), [("1", 1), ("2,1", 2), ("99", 4), ("abc", 4), ("", 4), ("0", 4)])
def test_no_more_threads_are_chosen_than_the_environment_allows(
    said: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "usable_cores", lambda: 4)
    monkeypatch.setenv("OMP_NUM_THREADS", said)
    assert machine.threads_allowed() == most
