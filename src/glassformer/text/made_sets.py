"""Made sets: samples worked out by rule and seed, with a known right answer for each. Knows no files and no tokens.

They need no download, train in about a minute, and a model that has understood reaches every one of them in full.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from types import MappingProxyType

from glassformer.errors import InputError, nearest
from glassformer.text.samples import Labelled, Pair, Sample, text_of

FEWEST, MOST = 10, 1_000_000
PATIENCE = 2000  # draws in a row that bring nothing new


@dataclass(frozen=True)
class MadeSet:
    """A rule that makes samples. `draw` gives one, or several that belong together."""

    task: str
    size: int  # how many, unless asked for more or fewer
    about: str
    draw: Callable[[random.Random], Sequence[Sample]]
    first: str  # a text of its kind, to begin with


def make(name: str, size: int | None = None, seed: int = 0) -> list[Sample]:
    """Samples of a made set, no text twice; the same for the same size and seed."""
    if name not in MADE:
        raise InputError(f"There is no made set called '{name}'; {nearest(name, MADE)}")
    size = MADE[name].size if size is None else size
    if not FEWEST <= size <= MOST:
        raise InputError(f"A made set has {FEWEST} to {MOST:,} samples; {size} were asked for.")
    draw = random.Random(f"{name} {seed}")
    found: dict[str, Sample] = {}
    in_vain = 0
    while len(found) < size:
        before = len(found)
        found.update({text_of(sample): sample for sample in MADE[name].draw(draw)})
        in_vain = 0 if len(found) > before else in_vain + 1
        if in_vain > PATIENCE:
            raise InputError(f"'{name}' has only about {len(found):,} different texts; {size:,} were asked for.")
    return list(found.values())[:size]


# --- dates ------------------------------------------------------------------------------------------------------

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    *("twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
    *("twentieth", "twenty-first", "twenty-second", "twenty-third", "twenty-fourth", "twenty-fifth", "twenty-sixth"),
    *("twenty-seventh", "twenty-eighth", "twenty-ninth", "thirtieth", "thirty-first"),
)
PHRASINGS = (
    "the {ordinal} of {month} {year}",
    "the {nth} of {month} {year}",
    "{month} the {ordinal}, {year}",
    "{month} {day}, {year}",
    "{month} {nth}, {year}",
    "{day} {month} {year}",
    "{day} {short} {year}",
    "{short} {day} {year}",
    "{year}, {month} {day}",
    "in {year} on the {ordinal} of {month}",
)
FIRST_DAY, LAST_DAY = date(1800, 1, 1), date(2099, 12, 31)


def _draw_date(draw: random.Random) -> list[Sample]:
    """A day from 1800 to 2099 in one of ten phrasings → the same day as year-month-day."""
    day = FIRST_DAY + timedelta(days=draw.randrange((LAST_DAY - FIRST_DAY).days + 1))
    month = MONTHS[day.month - 1]
    ending = "th" if day.day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    phrase = draw.choice(PHRASINGS).format(
        ordinal=ORDINALS[day.day - 1],
        nth=f"{day.day}{ending}",
        day=day.day,
        month=month,
        short=month[:3],
        year=day.year,
    )
    return [Pair(phrase, day.isoformat())]


_DAYS = "|".join(sorted(ORDINALS, key=len, reverse=True))  # "twenty-first" before "first"
_PARTS = MappingProxyType(
    {
        "year": re.compile(r"\d{4}"),
        "month": re.compile("|".join(f"{month}|{month[:3]}" for month in MONTHS)),
        "day": re.compile(rf"(?<!\d)\d\d?(?:st|nd|rd|th)?(?!\d)|{_DAYS}"),
    }
)


def date_places(phrase: str) -> dict[str, tuple[int, int]]:
    """Where year, month and day stand in a phrase of `dates`: what a translator has to look at for each."""
    found = {part: pattern.search(phrase) for part, pattern in _PARTS.items()}
    missing = [part for part, match in found.items() if match is None]
    if missing:
        raise InputError(f"'{phrase}' has no {' and no '.join(missing)}; expected a phrase of the dates set.")
    return {part: match.span() for part, match in found.items() if match is not None}


# --- negation ---------------------------------------------------------------------------------------------------

GOOD = ("good", "lovely", "clever", "funny", "warm", "gripping", "fresh", "bold", "tender", "bright")
BAD = ("bad", "dull", "silly", "boring", "cold", "tedious", "stale", "timid", "shallow", "bleak")
WORKS = ("film", "book", "play", "song", "story", "show", "series", "album")
PARTS = ("plot", "cast", "music", "ending", "pace", "script")
OPENINGS = ("", "honestly , ", "to be fair , ", "in short : ", "my verdict : ", "as my friends say , ")
# What is said of the work last, once every "not" is done, is the verdict. {this} and {that} are of opposite kinds, so
# that exchanging them keeps every word and turns the verdict round.
TURNS = (
    ("what was {that} is now {this}", True),
    ("the {part} was {that} but the {work} is {this}", True),
    ("this {work} is {this} , not {that}", True),
    ("this {work} is not {that} but {this}", True),
    ("{that} at first , {this} in the end", True),
    ("i never found this {work} {this} , i found it {that}", False),
    ("they call this {work} {that} , i call it {this}", True),
)
# Here one "not" moves from one work to the other.
MOVES = (
    ("the last {work} was not {this} , this one is {this}", "the last {work} was {this} , this one is not {this}"),
    ("this {work} is {this} , the other is not {this}", "this {work} is not {this} , the other is {this}"),
)


def _draw_review(draw: random.Random) -> list[Sample]:
    """Two short reviews with the same words in another order, and opposite verdicts: `positive` and `negative`."""
    good, bad = draw.choice(GOOD), draw.choice(BAD)
    words = {"work": draw.choice(WORKS), "part": draw.choice(PARTS)}
    opening = draw.choice(OPENINGS)
    if draw.random() < 0.25:
        plain, turned = draw.choice(MOVES)
        adjective = draw.choice((good, bad))
        first, second = (form.format(this=adjective, **words) for form in (plain, turned))
        positive = adjective == good
    else:
        form, positive = draw.choice(TURNS)
        first = form.format(this=good, that=bad, **words)
        second = form.format(this=bad, that=good, **words)
    labels = ("positive", "negative") if positive else ("negative", "positive")
    twins: list[Sample] = [Labelled(opening + text, label) for text, label in zip((first, second), labels, strict=True)]
    draw.shuffle(twins)
    return twins


# --- numbers ----------------------------------------------------------------------------------------------------


def _draw_sorting(draw: random.Random) -> list[Sample]:
    """Two to eight digits → the same digits in order."""
    digits = [draw.randrange(10) for _ in range(draw.randint(2, 8))]
    return [Pair(f"{' '.join(map(str, digits))} =", " ".join(map(str, sorted(digits))))]


def _draw_arithmetic(draw: random.Random) -> list[Sample]:
    """A sum or a difference of two numbers below 100 → its value."""
    left, right = draw.randrange(100), draw.randrange(100)
    if draw.random() < 0.5:
        return [Pair(f"{left}+{right}=", str(left + right))]
    return [Pair(f"{left}-{right}=", str(left - right))]


MADE: Mapping[str, MadeSet] = MappingProxyType(
    {
        "dates": MadeSet(
            "translate",
            20_000,
            "a day in words → year-month-day. The phrase says all: 100 % exact can be reached.",
            _draw_date,
            "the third of March 1984",
        ),
        "negation": MadeSet(
            "classify",
            10_000,
            "short reviews where only the order of the words decides: 100 % can be reached, but about half by any "
            "model that counts single words, for the same words come once with each label.",
            _draw_review,
            "this film is not good but dull",
        ),
        "sorting": MadeSet(
            "generate",
            20_000,
            "'3 1 2 =' → '1 2 3'. The prompt says all: 100 % exact can be reached.",
            _draw_sorting,
            "3 1 2",
        ),
        "arithmetic": MadeSet(
            "generate",
            16_000,
            "'12+35=' → '47'. 100 % exact can be reached; there are 20,000 different questions.",
            _draw_arithmetic,
            "12+7",
        ),
    }
)
