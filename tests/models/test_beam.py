"""Beam search keeps its word: width 1 is greedy, full width is brute force, and it never does worse than greedy."""

import itertools
import math

import pytest
import torch
from helpers.writing import ByRule, Rule, chance_rule
from hypothesis import given, settings
from hypothesis import strategies as st

from glassformer.errors import GlassformerError, InputError
from glassformer.models.beam import Beam, best, search
from glassformer.models.sampling import Finish, Stop, greedy

END = 0
ALPHAS = [0.0, 0.6, 1.0, 2.0, -0.5]


def logprobs(scores: list[float]) -> list[float]:
    total = math.log(math.fsum(math.exp(score) for score in scores))
    return [score - total for score in scores]


def all_ways(rule: Rule, vocabulary: int, longest: int) -> dict[tuple[int, ...], list[float]]:
    """Every text there is, with its log-probabilities: to its end, or to the greatest length."""
    ways = {}
    for length in range(1, longest + 1):
        for ids in itertools.product(range(vocabulary), repeat=length):
            if END not in ids[:-1] and (ids[-1] == END or length == longest):
                ways[ids] = [logprobs(list(rule(ids[:n])))[ids[n]] for n in range(length)]
    return ways


def plain_search(rule: Rule, stop: Stop, beam: Beam) -> list[tuple[float, tuple[int, ...]]]:
    """The same search in lists, for one text, and without stopping early: every way is followed to its end."""
    going, done = [((), 0.0)], []
    follows: tuple[int, ...] | None = ()  # the greedy way
    while going:
        grown = []
        for ids, total in going:
            for id_, chance in enumerate(logprobs(list(rule(ids)))):
                grown.append(((*ids, id_), total + chance))
        if follows is not None:
            scores = list(rule(follows))
            follows = (*follows, scores.index(max(scores)))
        grown.sort(key=lambda way: (way[0] != follows, -way[1], way[0]))
        going = []
        for ids, total in grown[: beam.width - len(done)]:
            if ids[-1] == END or len(ids) == stop.longest:
                done.append((total / len(ids) ** beam.alpha, ids))
                follows = None if ids == follows else follows
            else:
                going.append((ids, total))
    return sorted(done, key=lambda way: -way[0])[: beam.n_best]


# --- by hand ----------------------------------------------------------------------------------------------------

# A garden path: 1 looks best at first (0.6), but what follows it is split three ways; 2 (0.4) goes on for certain.
GARDEN = {(): (0.0, 0.6, 0.4), (1,): (0.34, 0.33, 0.33), (2,): (1.0, 0.0, 0.0)}


def garden(ids: tuple[int, ...]) -> list[float]:
    return [math.log(share) if share else -math.inf for share in GARDEN.get(ids, (1.0, 0.0, 0.0))]


def test_two_beams_leave_the_garden_path() -> None:
    stop = Stop(longest=5, endings=((END,),))
    [walked] = greedy(ByRule(garden), stop)
    [[found, second]] = search(ByRule(garden), stop, Beam(width=2, n_best=2, alpha=0.0))
    assert walked.ids == (1, END)
    assert found.ids == (2, END)
    assert second.ids == (1, END)
    assert found.score() == pytest.approx(math.log(0.4))
    assert second.score() == pytest.approx(math.log(0.6 * 0.34))
    assert found.finish == Finish("stop", 1)
    assert found.body == (2,)


@pytest.mark.parametrize(("alpha", "ids"), [(0.0, (END,)), (1.0, (1, 1, END)), (0.3, (END,)), (0.7, (1, 1, END))])
def test_alpha_weighs_the_length(alpha: float, ids: tuple[int, ...]) -> None:
    """log 0.5 = −0.693 for one id, log 0.25 = −1.386 for three: alike where 3^α = 2, at α = 0.631."""
    shares = {(): (0.5, 0.25, 0.25), (1,): (0.0, 1.0, 0.0), (1, 1): (1.0, 0.0, 0.0)}

    def rule(so_far: tuple[int, ...]) -> list[float]:
        return [math.log(share) if share else -math.inf for share in shares.get(so_far, (0.0, 0.5, 0.5))]

    [[answer]] = search(ByRule(rule), Stop(longest=7, endings=((END,),)), Beam(width=3, alpha=alpha))
    assert answer.ids == ids


def test_the_greedy_way_keeps_its_place() -> None:
    """1 (0.4) goes on thinly and then for certain; 2 (0.35) goes on well and then thinly: two beams of 2 push out 1."""
    shares = {
        (): (0.0, 0.4, 0.35, 0.25), (1,): (0.25, 0.26, 0.25, 0.24), (2,): (0.0, 0.5, 0.5, 0.0),
        (1, 1): (1.0, 0.0, 0.0, 0.0), (2, 1): (0.25,) * 4, (2, 2): (0.25,) * 4,
    }  # fmt: skip

    def rule(so_far: tuple[int, ...]) -> list[float]:
        return [math.log(share) if share else -math.inf for share in shares.get(so_far, (1.0, 0.0, 0.0, 0.0))]

    [[answer]] = search(ByRule(rule), Stop(longest=5, endings=((END,),)), Beam(width=2, alpha=0.0))
    assert answer.ids == (1, 1, END)
    assert answer.score() == pytest.approx(math.log(0.4 * 0.26))


# --- laws -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", ALPHAS)
def test_full_width_is_brute_force(alpha: float) -> None:
    """Vocabulary 5, length 5: all 1365 texts, each in its place."""
    stop = Stop(longest=5, endings=((END,),))
    for seed in range(2):
        rule = chance_rule(seed, 5)
        ways = all_ways(rule, 5, 5)
        assert len(ways) == 1365
        [found] = search(ByRule(rule), stop, Beam(width=1365, n_best=1365, alpha=alpha))
        right = sorted(ways, key=lambda ids: -math.fsum(ways[ids]) / len(ids) ** alpha)
        assert [answer.ids for answer in found] == right
        for answer in found:
            assert answer.logprobs == pytest.approx(ways[answer.ids], abs=1e-12)
        [[first]] = search(ByRule(rule), stop, Beam(width=1365, alpha=alpha))
        assert first == found[0]


def test_a_width_of_1_is_greedy() -> None:
    stop = Stop(longest=11, endings=((END,), (3, 5)))
    for seed in range(100):
        begins = [(seed % 7,), (seed % 5,), ()]
        rule = chance_rule(seed, 7)
        found = search(ByRule(rule, begins), stop, Beam(width=1))
        assert [answer for [answer] in found] == greedy(ByRule(rule, begins), stop)


def test_a_width_of_1_is_greedy_among_equals_too() -> None:
    stop = Stop(longest=3)
    rule = ByRule(lambda ids: [0.0, 1.0, 1.0, 1.0] if len(ids) % 2 else [0.0] * 4)
    assert search(rule, stop, Beam(width=1)) == [greedy(rule, stop)]


@settings(max_examples=100)
@given(st.integers(0, 10_000), st.integers(1, 6), st.sampled_from(ALPHAS))
def test_it_never_answers_worse_than_greedy(seed: int, width: int, alpha: float) -> None:
    rule, stop = chance_rule(seed, 7), Stop(longest=11, endings=((END,),))
    [[found]] = search(ByRule(rule), stop, Beam(width=width, alpha=alpha))
    [walked] = greedy(ByRule(rule), stop)
    assert found.score(alpha) >= walked.score(alpha)


@settings(max_examples=100)
@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(1, 5), st.sampled_from(ALPHAS))
def test_stopping_early_changes_nothing(seed: int, width: int, n_best: int, alpha: float) -> None:
    rule, stop = chance_rule(seed, 5), Stop(longest=7, endings=((END,),))
    beam = Beam(width=width, n_best=min(n_best, width), alpha=alpha)
    [found] = search(ByRule(rule), stop, beam)
    slow = plain_search(rule, stop, beam)
    assert [answer.ids for answer in found] == [ids for _, ids in slow]
    assert [answer.score(alpha) for answer in found] == pytest.approx([score for score, _ in slow], abs=1e-12)


def test_a_text_whose_best_is_certain_costs_no_more_steps() -> None:
    """After the end with 0.9 every other way has 0.1 at most, so with α = 0 no step is needed to know."""
    writer = ByRule(lambda ids: [math.log(share) for share in (0.9, 0.05, 0.05)], [(), ()])
    search(writer, Stop(longest=10**9, endings=((END,),)), Beam(width=3, alpha=0.0))
    assert writer.asked == [2]


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.lists(st.integers(0, 6), min_size=2, max_size=5))
def test_a_batch_is_its_texts_one_by_one(seed: int, begins: list[int]) -> None:
    rule, stop, beam = chance_rule(seed, 7), Stop(longest=9, endings=((END,), (3, 5))), Beam(width=3, n_best=2)
    together = search(ByRule(rule, [(begin,) for begin in begins]), stop, beam)
    assert together == [search(ByRule(rule, [(begin,)]), stop, beam)[0] for begin in begins]


def test_a_model_that_never_ends_is_cut() -> None:
    rule = chance_rule(3, 5)
    [found] = search(ByRule(rule, room=4), Stop(longest=100), Beam(width=3, n_best=3))
    assert [(len(answer.ids), answer.finish) for answer in found] == [(4, Finish("length"))] * 3


def test_there_may_be_fewer_answers_than_asked_for() -> None:
    [found] = search(ByRule(lambda _: [0.0, 0.0]), Stop(longest=1), Beam(width=5, n_best=5))
    assert [answer.ids for answer in found] == [(0,), (1,)]


@given(st.lists(st.lists(st.integers(0, 3), min_size=7, max_size=7), min_size=1, max_size=3), st.integers(1, 7))
def test_of_equals_the_lowest_ids_are_the_best(scores: list[list[int]], count: int) -> None:
    found = best(torch.tensor(scores, dtype=torch.float64), count).tolist()
    for row, ids in zip(scores, found, strict=True):
        assert sorted(ids) == sorted(sorted(range(7), key=lambda id_: (-row[id_], id_))[:count])


# --- what is refused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0, -3, True])
def test_a_width_is_1_or_more(value: int) -> None:
    with pytest.raises(InputError, match=f"`width` must be a whole number from 1 up; it is {value}"):
        Beam(width=value)
    with pytest.raises(InputError, match=f"`n_best` must be a whole number from 1 up; it is {value}"):
        Beam(n_best=value)


def test_there_are_no_more_best_than_beams() -> None:
    with pytest.raises(InputError, match="A search of width 3 has no 5 best"):
        Beam(width=3, n_best=5)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 11.0])
def test_alpha_is_a_small_number(value: float) -> None:
    with pytest.raises(InputError, match=f"`alpha` must be between −10 and 10, .*; it is {value}"):
        Beam(alpha=value)


def test_scores_that_are_no_numbers_are_an_error_that_says_so() -> None:
    with pytest.raises(GlassformerError, match="hold NaN"):
        search(ByRule(lambda ids: [math.nan if ids else 0.0, 0.0, 0.0]), Stop(longest=5), Beam(width=3))
