"""Decoding id by id: what is chosen, when it stops, that chance is fair and seeded, that a stream is just a stream."""

import math
from collections import Counter

import pytest
import torch
from helpers.writing import ByRule, chance_rule, counting
from hypothesis import given, settings
from hypothesis import strategies as st

from glassformer.errors import GlassformerError, InputError
from glassformer.models.sampling import (
    Answer,
    Draw,
    Finish,
    Sampling,
    Stop,
    Writer,
    greedy,
    likeliest,
    pick,
    sample,
    stream,
)

# --- greedy, and when it stops ----------------------------------------------------------------------------------


def test_greedy_takes_the_likeliest_id() -> None:
    [answer] = greedy(ByRule(counting), Stop(longest=7))
    assert answer.ids == (1, 2, 3, 4, 1, 2, 3)
    assert answer.finish == Finish("length")
    chance = math.exp(5) / (math.exp(5) + 3 + math.exp(-9))
    assert answer.logprobs == pytest.approx([math.log(chance)] * 7, abs=1e-12)
    assert answer.score() == pytest.approx(7 * math.log(chance))
    assert answer.score(alpha=1.0) == pytest.approx(math.log(chance))


def test_of_equals_the_lowest_id_is_taken() -> None:
    [answer] = greedy(ByRule(lambda _: [0.0, 1.0, 1.0, 1.0]), Stop(longest=2))
    assert answer.ids == (1, 1)


@pytest.mark.parametrize(
    ("stop", "ids", "body", "finish"),
    [
        (Stop(longest=9, endings=((3,),)), (1, 2, 3), (1, 2), Finish("stop", 1)),
        (Stop(longest=9, endings=((4, 1),)), (1, 2, 3, 4, 1), (1, 2, 3), Finish("stop", 2)),
        (Stop(longest=9, endings=((3,), (2, 3), (9,))), (1, 2, 3), (1,), Finish("stop", 2)),  # the longer one counts
        (Stop(longest=9, endings=((1,),)), (1,), (), Finish("stop", 1)),  # the first answer is the end
        (Stop(longest=3, endings=((3,),)), (1, 2, 3), (1, 2), Finish("stop", 1)),  # an ending in the last place
        (Stop(longest=2, endings=((3,),)), (1, 2), (1, 2), Finish("length")),
        (Stop(longest=9, until=lambda ids: sum(ids) > 9), (1, 2, 3, 4), (1, 2, 3, 4), Finish("stop")),
        (Stop(longest=5, endings=((0,),)), (1, 2, 3, 4, 1), (1, 2, 3, 4, 1), Finish("length")),  # it never ends
    ],
)
def test_a_text_stops(stop: Stop, ids: tuple[int, ...], body: tuple[int, ...], finish: Finish) -> None:
    [answer] = greedy(ByRule(counting), stop)
    assert (answer.ids, answer.body, answer.finish) == (ids, body, finish)


def test_a_text_stops_where_the_writer_has_no_more_room() -> None:
    [answer] = greedy(ByRule(counting, room=3), Stop(longest=100))
    assert (answer.ids, answer.finish) == ((1, 2, 3), Finish("length"))


def test_each_text_stops_by_itself_and_then_costs_nothing() -> None:
    writer = ByRule(counting, begins=[(1,), (4,), (2,)])
    answers = greedy(writer, Stop(longest=9, endings=((4,),)))
    assert [answer.ids for answer in answers] == [(2, 3, 4), (1, 2, 3, 4), (3, 4)]
    assert writer.asked == [3, 3, 2, 1]


@settings(max_examples=50)
@given(st.integers(0, 10_000), st.lists(st.integers(0, 6), min_size=1, max_size=5))
def test_a_batch_is_its_texts_one_by_one(seed: int, begins: list[int]) -> None:
    rule, stop = chance_rule(seed, 7), Stop(longest=11, endings=((0,), (3, 5)))
    together = greedy(ByRule(rule, [(begin,) for begin in begins]), stop)
    assert together == [greedy(ByRule(rule, [(begin,)]), stop)[0] for begin in begins]


# --- streams ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("choose", [likeliest, Draw(Sampling(), [3, 5, 7])])
def test_a_stream_gives_ids_as_they_are_made(choose: Draw) -> None:
    writer = ByRule(counting, begins=[(1,), (3,), (2,)])
    steps = []
    for each in stream(writer, Stop(longest=4, endings=((4,),)), choose):
        steps.append((len(writer.asked), each.text))
    assert steps == sorted(steps)  # step by step, and no step before its ids were handed out
    assert {step for step, _ in steps} == set(range(1, len(writer.asked) + 1))


def test_a_stream_and_an_answer_are_the_same() -> None:
    rule, stop = chance_rule(5, 11), Stop(longest=13, endings=((0,),))
    begins = [(1,), (2,), (3,)]
    answers = sample(ByRule(rule, begins), stop, Sampling(), [2, 3, 5])
    chosen = list(stream(ByRule(rule, begins), stop, Draw(Sampling(), [2, 3, 5])))
    for text, answer in enumerate(answers):
        own = [each for each in chosen if each.text == text]
        assert tuple(each.id for each in own) == answer.ids
        assert tuple(each.logprob for each in own) == answer.logprobs
        assert [each.finish for each in own] == [None] * (len(own) - 1) + [answer.finish]


def test_closing_a_stream_stops_the_work() -> None:
    writer = ByRule(counting)
    ids = stream(writer, Stop(longest=10**9))  # a model that never ends
    assert [next(ids).id for _ in range(6)] == [1, 2, 3, 4, 1, 2]
    ids.close()  # type: ignore[attr-defined]
    assert len(writer.asked) == 6
    assert list(ids) == []


class AheadOfItself(ByRule):
    """Writes up to 100 ids at once, and remembers how many were asked for."""

    burst = 100

    def written(self, ids: torch.Tensor, chances: torch.Tensor, temperature: float) -> tuple[torch.Tensor, ...]:
        self.asked.append(chances.shape[1])
        found = (ids[:, None] + torch.arange(chances.shape[1])) % 4 + 1  # as counting goes on
        return found, torch.zeros(found.shape)


@pytest.mark.parametrize(
    ("endings", "asked"),
    [((), [100, 100, 29]), (((9,),), [32, 33, 66, 98])],  # nothing ends it early: all there is; else as much as it has
)
def test_how_far_ahead_is_written(endings: tuple[tuple[int, ...], ...], asked: list[int]) -> None:
    writer = AheadOfItself(counting)
    (answer,) = greedy(writer, Stop(longest=230, endings=endings))
    assert answer.ids == greedy(ByRule(counting), Stop(longest=230))[0].ids
    assert writer.asked == [1, *asked]


def test_whoever_reads_a_stream_may_still_learn() -> None:
    for _ in stream(ByRule(counting), Stop(longest=3)):
        assert torch.is_grad_enabled()
        assert not torch.is_inference_mode_enabled()


def test_the_writer_of_a_few_lines_is_a_writer() -> None:
    assert isinstance(ByRule(counting), Writer)


# --- chance -----------------------------------------------------------------------------------------------------

HALVES = [math.log(share) for share in (0.0625, 0.5, 0.125, 0.0625, 0.25)]  # ids 1, 4, 2, then 0 and 3 alike


def kept(sampling: Sampling, scores: list[float]) -> list[int]:
    shares = sampling.shares(torch.tensor([scores], dtype=torch.float64).log_softmax(-1))[0]
    assert float(shares.sum()) == pytest.approx(1.0, abs=1e-12)
    return shares.nonzero()[:, 0].tolist()


@pytest.mark.parametrize(
    ("sampling", "ids"),
    [
        (Sampling(), [0, 1, 2, 3, 4]),
        (Sampling(top_k=1), [1]),
        (Sampling(top_k=3), [1, 2, 4]),
        (Sampling(top_k=4), [0, 1, 2, 4]),  # of the two alike, the lower
        (Sampling(top_k=99), [0, 1, 2, 3, 4]),
        (Sampling(top_p=0.01), [1]),  # never nothing
        (Sampling(top_p=0.49), [1]),
        (Sampling(top_p=0.51), [1, 4]),  # a half is not enough
        (Sampling(top_p=0.74), [1, 4]),
        (Sampling(top_p=0.76), [1, 2, 4]),
        (Sampling(top_p=0.88), [0, 1, 2, 4]),
        (Sampling(top_p=0.94), [0, 1, 2, 3, 4]),
        (Sampling(min_p=0.51), [1]),
        (Sampling(min_p=0.49), [1, 4]),
        (Sampling(min_p=0.24), [1, 2, 4]),
        (Sampling(min_p=1.0), [1]),
        (Sampling(top_k=2, top_p=0.6), [1]),  # of two thirds and one third
        (Sampling(top_k=3, min_p=0.3), [1, 4]),
        (Sampling(temperature=0.5, top_p=0.74), [1]),  # squares: 64 of 86
        (Sampling(temperature=2.0, top_p=0.49), [1, 4]),  # roots: the first has 0.345, the second 0.244
        (Sampling(temperature=1e-320), [1]),
        (Sampling(temperature=1e308, top_k=2), [1, 4]),  # nearly alike, yet the likelier are kept
    ],
)
def test_exactly_the_right_ids_are_kept(sampling: Sampling, ids: list[int]) -> None:
    assert kept(sampling, HALVES) == ids


def test_ids_alike_are_kept_from_the_lowest() -> None:
    assert kept(Sampling(top_k=2), [0.0] * 5) == [0, 1]
    assert kept(Sampling(top_p=0.5), [0.0] * 5) == [0, 1, 2]
    assert kept(Sampling(min_p=1.0), [1.0, 2.0, 2.0]) == [1, 2]


def test_a_chance_falls_on_the_share_that_covers_it() -> None:
    shares = torch.tensor([[0.0, 0.5, 0.0, 0.25, 0.25, 0.0]], dtype=torch.float64)
    chances = torch.tensor([0.0, 0.49, 0.5, 0.74, 0.75, 1 - 2**-53], dtype=torch.float64)
    assert pick(shares.expand(6, -1), chances).tolist() == [1, 1, 3, 3, 4, 4]


def test_an_impossible_id_is_never_drawn() -> None:
    assert kept(Sampling(), [-math.inf, 0.0, -math.inf, 1.0]) == [1, 3]
    answers = sample(ByRule(lambda _: [-math.inf, 0.0, -math.inf], [()] * 7), Stop(longest=50), Sampling(), range(7))
    assert {id_ for answer in answers for id_ in answer.ids} == {1}


@given(
    st.lists(st.floats(-9, 9), min_size=1, max_size=9),
    st.floats(0.1, 10),
    st.integers(1, 9),
    st.floats(0.01, 1),
    st.floats(0, 1),
)
def test_shares_follow_their_definition(scores: list[float], heat: float, k: int, p: float, m: float) -> None:
    """Worked again with lists: rank, cut at k, cut at p, cut at m, and share out."""
    sampling = Sampling(temperature=heat, top_k=k, top_p=p, min_p=m)
    shares = sampling.shares(torch.tensor([scores], dtype=torch.float64))[0].tolist()
    raw = {id_: math.exp((score - max(scores)) / heat) for id_, score in enumerate(scores)}
    ranked = sorted(raw, key=lambda id_: (-scores[id_], id_))[:k]
    total, so_far, by_p = math.fsum(raw[id_] for id_ in ranked), 0.0, []
    for id_ in ranked:
        if so_far / total > p - 1e-9:
            break
        by_p.append(id_)
        so_far += raw[id_]
    expected = [id_ for id_ in by_p if raw[id_] > m - 1e-9]
    near = any(abs(raw[id_] - m) < 1e-8 for id_ in by_p) or any(
        abs(math.fsum(raw[i] for i in ranked[:n]) / total - p) < 1e-8 for n in range(1, len(ranked) + 1)
    )  # on the line itself rounding decides
    if not near:
        whole = math.fsum(raw[id_] for id_ in expected)
        right = [raw[id_] / whole if id_ in expected else 0.0 for id_ in range(len(scores))]
        assert shares == pytest.approx(right, abs=1e-9)


def test_frequencies_are_the_shares() -> None:
    """Pearson's χ² with 4 degrees of freedom: above 18.47 once in a thousand times, if the draw is fair."""
    n = 5000
    answers = sample(ByRule(lambda _: HALVES, [()] * 5), Stop(longest=n // 5), Sampling(temperature=2.0), range(5))
    counts = Counter(id_ for answer in answers for id_ in answer.ids)
    roots = [math.exp(score / 2) for score in HALVES]
    expected = [n * root / math.fsum(roots) for root in roots]
    assert sum((counts[id_] - mean) ** 2 / mean for id_, mean in enumerate(expected)) < 18.47


def test_logprobs_are_the_models_own_whatever_the_temperature() -> None:
    [answer] = sample(ByRule(lambda _: HALVES), Stop(longest=99), Sampling(temperature=3.0, top_k=2), [1])
    assert answer.logprobs == pytest.approx([HALVES[id_] for id_ in answer.ids])
    assert set(answer.ids) == {1, 4}


@settings(max_examples=50)
@given(st.integers(0, 10_000), st.lists(st.integers(0, 2**63 - 1), min_size=2, max_size=5))
def test_a_seed_writes_the_same_text_in_any_company(rule_seed: int, seeds: list[int]) -> None:
    rule, stop = chance_rule(rule_seed, 7), Stop(longest=11, endings=((0,),))
    together = sample(ByRule(rule, [(1,)] * len(seeds)), stop, Sampling(), seeds)
    assert together == [sample(ByRule(rule, [(1,)]), stop, Sampling(), [seed])[0] for seed in seeds]


def test_other_seeds_write_other_texts() -> None:
    answers = sample(ByRule(lambda _: [0.0] * 5, [()] * 97), Stop(longest=11), Sampling(), range(97))
    assert len({answer.ids for answer in answers}) == 97


@pytest.mark.parametrize("sampling", [Sampling(temperature=1e-6), Sampling(top_k=1), Sampling(min_p=1.0)])
def test_without_heat_or_choice_sampling_is_greedy(sampling: Sampling) -> None:
    stop = Stop(longest=11, endings=((0,),))
    for seed in range(100):
        rule = chance_rule(seed, 7)
        assert sample(ByRule(rule), stop, sampling, [seed]) == greedy(ByRule(rule), stop)


# --- what is refused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [[math.nan, 0.0], [math.inf, 0.0], [-math.inf, -math.inf]])
@pytest.mark.parametrize("after", [0, 2])
def test_scores_that_are_no_numbers_are_an_error_that_says_so(bad: list[float], after: int) -> None:
    def rule(ids: tuple[int, ...]) -> list[float]:
        return bad if len(ids) >= after else [0.0, 1.0]

    with pytest.raises(GlassformerError, match=r"hold NaN or \+∞, or are all −∞, in 1 of 1 texts"):
        greedy(ByRule(rule), Stop(longest=5))


@pytest.mark.parametrize("value", [0.0, -0.0, -1.0, math.nan, math.inf])
def test_a_temperature_is_above_0(value: float) -> None:
    with pytest.raises(InputError, match=rf"`temperature` must be above 0 and finite; it is {value}"):
        Sampling(temperature=value)


@pytest.mark.parametrize("value", [0, -1, True])
def test_a_count_is_1_or_more(value: int) -> None:
    with pytest.raises(InputError, match=f"`top_k` must be a whole number from 1 up; it is {value}"):
        Sampling(top_k=value)
    with pytest.raises(InputError, match=f"`longest` must be a whole number from 1 up; it is {value}"):
        Stop(longest=value)


@pytest.mark.parametrize("value", [0.0, -0.5, 1.5, math.nan, math.inf])
def test_top_p_is_a_share(value: float) -> None:
    with pytest.raises(InputError, match=rf"`top_p` is a share above 0, up to 1 \(keep all\); it is {value}"):
        Sampling(top_p=value)


@pytest.mark.parametrize("value", [-0.1, 1.5, math.nan])
def test_min_p_is_a_share(value: float) -> None:
    with pytest.raises(InputError, match=rf"`min_p` is a share from 0 \(keep all\) to 1; it is {value}"):
        Sampling(min_p=value)


@pytest.mark.parametrize("seed", [-1, 2**63, True])
def test_a_seed_is_a_whole_number(seed: int) -> None:
    with pytest.raises(InputError, match=rf"A seed must be a whole number from 0 to 2⁶³ − 1; it is {seed}"):
        Draw(Sampling(), [seed])


def test_there_is_a_seed_for_each_text() -> None:
    with pytest.raises(InputError, match="There are 3 texts to be written, but 2 seeds"):
        sample(ByRule(counting, [()] * 3), Stop(longest=5), Sampling(), [1, 2])


def test_an_ending_has_ids() -> None:
    with pytest.raises(InputError, match="An ending without ids"):
        Stop(longest=5, endings=((1,), ()))


def test_a_body_is_what_comes_before_the_ending() -> None:
    answer = Answer((5, 6, 7), (-1.0, -2.0, -3.0), Finish("stop", 2))
    assert answer.body == (5,)
    assert answer.score(alpha=2.0) == pytest.approx(-6 / 9)
