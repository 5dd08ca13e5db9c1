"""A race for the terminal: a table, bars, and who is really ahead. It draws what the race found out."""

from rich.console import Console
from rich.table import Table

from glassformer.drawing.score_words import SCORES, between, clock, figure, in_figures
from glassformer.training.race.race import Standing, Standings
from glassformer.training.race.race_page import BAG_OF_WORDS, verdict

_BLOCKS = " ▏▎▍▌▋▊▉█"
_BAR = 44  # cells


def print_race(standings: Standings, console: Console) -> None:
    """The table, the bars, the verdict."""
    console.print(_table(standings))
    console.print()
    for line in bars(standings):
        console.print(line, soft_wrap=True)
    console.print()
    for sentence in sentences(standings):
        console.print(sentence, soft_wrap=True)


def _table(standings: Standings) -> Table:
    score = standings.score
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("model", no_wrap=True)
    several = len(standings.models[0].each) > 1
    seeds = ["± seeds"] if several else []
    for name in ("parameters", "time", SCORES[score].words, "95 % CI", *seeds, SCORES[standings.beside].words):
        table.add_column(name, justify="right", no_wrap=True)
    for each in standings.models:
        spread = [figure(score, each.spread) if each.spread is not None else ""] if several else []
        table.add_row(
            f"[bold]{each.model}[/]" if each.level else each.model,
            f"{each.parameters:,}",
            clock(each.seconds),
            in_figures(score, each.score.value),
            between(score, (each.score.low, each.score.high)),
            *spread,
            "" if each.beside is None else in_figures(standings.beside, each.beside),
        )
    return table


def bars(standings: Standings) -> list[str]:
    """The scores as bars; shares are of the whole, other scores of the largest among them."""
    most = 1.0 if standings.score in ("accuracy", "exact") else max(each.score.value for each in standings.models)
    room = max(len(each.model) for each in standings.models)
    return [
        f"{each.model:{room}}  [{'magenta' if each.level else 'dim'}]{bar(each.score.value / (most or 1.0))}[/] "
        f"{in_figures(standings.score, each.score.value)}"
        for each in standings.models
    ]


def bar(share: float) -> str:
    """A share of the room, in eighths of a cell."""
    eighths = round(8 * _BAR * min(max(share, 0.0), 1.0))
    return ("█" * (eighths // 8) + _BLOCKS[eighths % 8]).strip() or _BLOCKS[1]


def sentences(standings: Standings) -> list[str]:
    """What the numbers mean."""
    first, *others = standings.models
    said = [f"[bold]{verdict(standings)}[/]"]
    if others:
        said.append(_lead(first, others[0], standings.score))
    said += [f"{each.model} is {BAG_OF_WORDS}." for each in standings.models if not each.reads_order]
    if standings.baseline is not None:
        said.append(f"Majority baseline: {in_figures(standings.score, standings.baseline)}.")
    return said


def _lead(first: Standing, second: Standing, score: str) -> str:
    assert second.behind is not None
    lead = second.behind
    if lead.low == lead.high == 0:
        return f"{first.model} and {second.model} are right about the same samples."
    by, low, high = (figure(score, each) for each in (lead.difference, lead.low, lead.high))
    points = "" if score == "loss" else " points"
    return (
        f"{first.model} leads {second.model} by {by}{points} (95 % confidence interval {low} to {high}); "
        f"p = {lead.p_value:.3f}."
    )
