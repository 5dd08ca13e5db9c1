"""A race as one HTML file: how all stand, and how they got there. It draws what the race found out."""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path

from glassformer.drawing.charts import COLOURS, Line, Scale, line_chart, whisker
from glassformer.drawing.html_page import fact_list, page, section, table
from glassformer.drawing.score_words import SCORES, between, clock, figure, in_figures
from glassformer.models.registry import MODELS
from glassformer.objectives.bootstrap import SIGNIFICANT
from glassformer.training.race.race import Race, Standing, Standings

LEAST_P = 0.001
BAG_OF_WORDS = "a bag of words: it cannot know in which order they stand"


def race_page(race: Race) -> str:
    """The page about those that have finished."""
    standings = race.standings()
    name = Path(race.request.data).name
    return page(
        f"Race · {race.request.task} · {name}",
        [
            _headline(standings, name),
            section("How they stand", _table(standings), _how_to_read(standings)),
            section(
                "How they got there", _curves(race, standings),
                "Validation loss over time; lower is better.",
            ),
            section("Equal terms", fact_list(_terms(race, standings))),
            section("The contenders", fact_list(_contenders(standings))),
        ],
    )  # fmt: skip


def verdict(standings: Standings) -> str:
    """Who is really ahead, in a sentence, with the p-value that is nearest to saying otherwise."""
    first, *others = standings.models
    level = [each for each in others if each.level]
    if not others:
        return f"{first.model} ran alone."
    if not level:
        return f"{first.model} is really ahead ({_p_value(others, max, '≤')})."
    names = _joined([first.model, *(each.model for each in level)])
    return f"{names} cannot be told apart ({_p_value(level, min, '≥')})."


def _p_value(others: Sequence[Standing], worst: Callable[[Iterable[float]], float], sign: str) -> str:
    values = [each.behind.p_value for each in others if each.behind]
    least = worst(values)
    return f"{_p(least) if len(values) == 1 or least <= LEAST_P else f'p {sign} {least:.3f}'}, paired bootstrap"


def remark(each: Standing) -> str:
    """What stands beside a model: its place with its p-value, and what it cannot see."""
    place = "first" if each.behind is None else "level with the first" if each.level else "behind"
    place = f"{place}, {_p(each.behind.p_value)}" if each.behind else place
    return place if each.reads_order else f"{place} · a bag of words"


def _p(value: float) -> str:
    """A thousand draws can tell no p-value below a thousandth."""
    return "p ≤ 0.001" if value <= LEAST_P else f"p = {value:.3f}"


def _joined(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _headline(standings: Standings, name: str) -> str:
    first = standings.models[0]
    seeds = len(first.each)
    runs = f", {seeds} seeds each" if seeds > 1 else ""
    return (
        f"<header><h1>Race <span class='said'>on {escape(name)}, {len(standings.models)} models{runs}</span></h1>"
        f"<p class='headline'>{escape(verdict(standings))}</p>"
        f"<p class='said'>{escape(first.model)}: {in_figures(standings.score, first.score.value)} "
        f"{escape(SCORES[standings.score].words)}, 95 % confidence interval "
        f"{between(standings.score, (first.score.low, first.score.high))}.</p></header>"
    )


def _how_to_read(standings: Standings) -> str:
    baseline = "" if standings.baseline is None else (
        f" Majority baseline: {in_figures(standings.score, standings.baseline)}."
    )  # fmt: skip
    seeds = " The small ticks are the seeds." if len(standings.models[0].each) > 1 else ""
    return (
        f"A dot is a score; its bar is the 95 % confidence interval, by bootstrap over {standings.samples:,} samples."
        f"{seeds} A model is behind if p < {SIGNIFICANT} for the first one's lead, by paired bootstrap.{baseline}"
    )


def _scale(standings: Standings) -> Scale:
    ends = [end for each in standings.models for end in (each.score.low, each.score.high, *each.each)]
    ends += [standings.baseline] if standings.baseline is not None else []
    air = 0.04 * ((max(ends) - min(ends)) or 1.0)
    return Scale(min(ends) - air, max(ends) + air)


def _table(standings: Standings) -> str:
    scale, score = _scale(standings), standings.score
    several = len(standings.models[0].each) > 1
    head = [
        "model",
        SCORES[score].words,
        "",
        "95 % CI",
        *(["± seeds"] if several else []),
        SCORES[standings.beside].words,
    ]
    kinds = ["tight", "number main", "wide", "number", *(["number"] if several else []), "number", "number", "number"]
    rows = []
    for i, each in enumerate(standings.models):
        spread = [figure(score, each.spread) if each.spread is not None else ""] if several else []
        rows.append(
            [
                f"<span class='c{i % COLOURS}'>●</span> {escape(each.model)}<small>{escape(remark(each))}</small>",
                in_figures(score, each.score.value),
                whisker(each.score.value, (each.score.low, each.score.high), each.each if several else (), scale, i),
                between(score, (each.score.low, each.score.high)),
                *spread,
                "" if each.beside is None else in_figures(standings.beside, each.beside),
                f"{each.parameters:,}",
                clock(each.seconds),
            ]
        )
    return f"<div class='race stacked'>{table([*head, 'parameters', 'time'], rows, kinds)}</div>"


def _curves(race: Race, standings: Standings) -> str:
    found = [
        Line(each.model, points, colour=i, faint=seed > 0, dotted=seed == 0)
        for i, each in enumerate(standings.models)
        for seed, points in enumerate(race.curves(each))
    ]
    said = "Validation loss over time: " + ", ".join(
        f"{line.name} ends at {line.points[-1][1]:.3f}" for line in found if line.points and not line.faint
    )
    return line_chart(found, clock, lambda loss: f"{loss:g}", said)


def _terms(race: Race, standings: Standings) -> dict[str, str]:
    request, score = race.request, SCORES[standings.score]
    budgets = {"minutes": "min each, in all", "epochs": "epochs", "steps": "steps"}
    return {
        "data": request.data,
        "samples": ", ".join(f"{count:,} {part}" for part, count in race.terms["samples"].items() if count),
        "budget": next(f"{count:g} {word}" for name, word in budgets.items() if (count := getattr(request, name))),
        "settings": ", ".join(f"{name} {value}" for name, value in request.settings.items()),
        "compared by": f"{score.words}; {'higher' if score.best_is_high else 'lower'} is better; "
        "by a paired bootstrap over the samples",
        "command": request.command,
    }  # fmt: skip


def _contenders(standings: Standings) -> dict[str, str]:
    return {
        each.model: MODELS[each.model].sentence + ("" if each.reads_order else f" It is {BAG_OF_WORDS}.")
        for each in standings.models
    }
