"""Made sets: every answer is right by a rule written here a second time, and no word gives a verdict away."""

import re
from collections import Counter, defaultdict
from datetime import datetime

import pytest

from glassformer.errors import InputError
from glassformer.text.made_sets import BAD, GOOD, MADE, MONTHS, ORDINALS, MadeSet, date_places, make
from glassformer.text.samples import Labelled, Pair, Plain, text_of


@pytest.mark.parametrize("name", MADE)
def test_a_set_is_the_same_for_the_same_seed_and_repeats_no_text(name: str) -> None:
    samples = make(name, 499, seed=3)
    assert samples == make(name, 499, seed=3)
    assert samples != make(name, 499, seed=4)
    assert len(samples) == len({text_of(sample) for sample in samples}) == 499
    assert len(make(name)) == MADE[name].size


@pytest.mark.parametrize("name", MADE)
def test_a_larger_set_begins_with_the_smaller(name: str) -> None:
    assert make(name, 200, seed=5)[:100] == make(name, 100, seed=5)


def test_dates_read_by_another_reader() -> None:
    kinds = set()
    for sample in make("dates", 2000):
        assert isinstance(sample, Pair)
        phrase = sample.source
        for number, ordinal in sorted(enumerate(ORDINALS, 1), key=lambda pair: -len(pair[1])):
            phrase = phrase.replace(ordinal, str(number))
        phrase = re.sub(r"(\d)(st|nd|rd|th)\b", r"\1", phrase)
        phrase = re.sub(r"\b(the|of|in|on|,)\b|,", " ", phrase)
        words = phrase.split()
        month = next(word for word in words if word[0].isalpha())
        year = next(word for word in words if len(word) == 4 and word.isdigit())
        day = next(word for word in words if len(word) < 3)
        form = "%Y %B %d" if month in MONTHS else "%Y %b %d"
        assert datetime.strptime(f"{year} {month} {day}", form).date().isoformat() == sample.target
        kinds.add(re.sub(r"\w+", "w", sample.source))
    assert len(kinds) >= 5


def test_the_right_alignment_of_a_date_is_known() -> None:
    phrase = "in 1984 on the twenty-third of March"
    places = {part: phrase[begin:end] for part, (begin, end) in date_places(phrase).items()}
    assert places == {"year": "1984", "month": "March", "day": "twenty-third"}
    for sample in make("dates", 2000):
        assert isinstance(sample, Pair)
        spans = date_places(sample.source)
        year, month, day = sample.target.split("-")
        seen = {part: sample.source[begin:end] for part, (begin, end) in spans.items()}
        assert seen["year"] == year
        assert MONTHS[int(month) - 1].startswith(seen["month"])
        assert seen["day"] == ORDINALS[int(day) - 1] or int(re.sub(r"\D", "", seen["day"])) == int(day)
    with pytest.raises(InputError, match="no year and no day"):
        date_places("some day in March, or Mar")


def verdict(text: str) -> str:
    """The rule by which a person would judge: find the words about this work that come last, and undo each "not"."""
    for pattern in (
        r"is now (?P<said>\w+)",
        r"but the \w+ is (?P<said>\w+)",
        r"this \w+ is (?P<said>\w+) , not \w+",
        r"this \w+ is not \w+ but (?P<said>\w+)",
        r"at first , (?P<said>\w+) in the end",
        r"i found it (?P<said>\w+)",
        r"i call it (?P<said>\w+)",
        r"this one is (?P<not>not )?(?P<said>\w+)",
        r"this \w+ is (?P<not>not )?(?P<said>\w+) , the other is",
    ):
        if match := re.search(pattern, text):
            good = match["said"] in GOOD
            assert good or match["said"] in BAD, text
            turned = match.groupdict().get("not") is not None
            return "positive" if good != turned else "negative"
    raise AssertionError(text)


def test_every_verdict_is_right() -> None:
    for sample in make("negation", 5000):
        assert isinstance(sample, Labelled)
        assert sample.label == verdict(sample.text), sample


def test_no_bag_of_words_gives_a_verdict_away() -> None:
    bags = defaultdict(list)
    for sample in make("negation", 4000):
        assert isinstance(sample, Labelled)
        bags[tuple(sorted(sample.text.split()))].append(sample.label)
    for labels in bags.values():
        counts = Counter(labels)
        assert counts["positive"] == counts["negative"]


def test_sorting_and_arithmetic_are_right() -> None:
    for sample in make("sorting", 2000):
        assert isinstance(sample, Pair)
        assert sample.source.endswith(" =")
        assert sample.target == " ".join(sorted(sample.source.removesuffix(" =").split()))
    for sample in make("arithmetic", 2000):
        assert isinstance(sample, Pair)
        match = re.fullmatch(r"(\d+)([+-])(\d+)=", sample.source)
        assert match is not None
        sign = 1 if match[2] == "+" else -1
        assert int(sample.target) == int(match[1]) + sign * int(match[3])


def test_bad_names_and_sizes() -> None:
    with pytest.raises(InputError, match="did you mean 'negation'"):
        make("negations")
    with pytest.raises(InputError, match="10 to 1,000,000 samples; 3"):
        make("dates", 3)


def test_a_set_that_runs_out_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = MadeSet("generate", 20, "a letter", lambda draw: [Plain(draw.choice("abcdefghijklm"))], "a")
    monkeypatch.setattr("glassformer.text.made_sets.MADE", {"letters": letters})
    assert len(make("letters", 13)) == 13
    with pytest.raises(InputError, match="'letters' has only about 13 different texts; 17 were"):
        make("letters", 17)
