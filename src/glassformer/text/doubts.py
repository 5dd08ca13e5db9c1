"""Doubts: what samples look like that a person should know before trusting a score. It refuses nothing."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from glassformer.errors import counted
from glassformer.text.samples import Labelled, Pair, Plain, Sample

UNEQUAL = 100  # times more samples of one label than of another deserve a word
MOST_CLASSES, OFTEN = 50, 20  # so few targets, each so often on average, are labels rather than translations
AGAIN = 5  # times on average that single words stand there which are labels
LONG = 5  # digits: such numbers name rows, and are rarely written out in words
FEW_EACH = 3  # samples of a label, on average: fewer deserve a word
_FRACTION = re.compile(r"[+-]?\d*\.\d*[1-9]\d*")
_NUMBER = re.compile(r"\d{1,18}")  # Python refuses to read very long ones
_LIST = re.compile(r"\[.*\]|\{.*\}|\(.*\)")
_JOINT = re.compile(r"[_,;|+&/]+")
_BLANK = re.compile(r"\s")
_LETTER = re.compile(r"[^\W\d_]")
_SIGN = re.compile(r"[!-@\[-`{-~]")  # digits and punctuation of ASCII
SEEN = 100_000  # characters of texts that are looked at
LINES = 5  # of a text, below which they may be alike by chance
# What parts columns, how often it does at least, and what it is called.
_PARTED = (
    ("\t", 1, "tab", "tabs"),
    (",", 2, "comma", "commas"),
    (";", 2, "semicolon", "semicolons"),
    ("|", 1, "bar", "bars"),
)


def doubts_of_pairs(samples: Sequence[Sample]) -> list[str]:
    """Whether sources look like numbers of rows, one side like labels, or both like no text at all."""
    pairs, said = [sample for sample in samples if isinstance(sample, Pair)], []
    numbers = [int(pair.source) if _NUMBER.fullmatch(pair.source) else -1 for pair in pairs]
    rising = sum(0 <= before < after for before, after in pairwise(numbers))
    if len(pairs) >= OFTEN and rising >= 0.9 * (len(pairs) - 1):
        said.append(f"The sources only count the rows ({numbers[0]}, {numbers[1]}, …); is it the right column?")
    wordless = sum(not _LETTER.search(pair.source + pair.target) for pair in pairs)
    if wordless > 0.9 * len(pairs):
        said.append(f"{wordless:,} of {len(pairs):,} pairs hold no letter on either side; are these texts?")
    elif not said and len(pairs) >= OFTEN and min(numbers) >= 10 ** (LONG - 1):
        said.append(f"All sources are numbers such as {numbers[0]}; is it the right column?")
    for role, found in (("sources", [pair.source for pair in pairs]), ("targets", [pair.target for pair in pairs])):
        different = Counter(found)
        few = len(different) <= MOST_CLASSES and len(different) * OFTEN <= len(found)
        tags = len(found) >= OFTEN and len(different) * AGAIN <= len(found) and not any(map(_BLANK.search, different))
        if few or tags:
            shown = ", ".join(f"'{text:.20}'" for text, _ in different.most_common(3))
            said.append(
                f"There are {len(found):,} {role}, and {counted(len(different), 'different one')} ({shown}): if they "
                "are labels, it is a task to classify."
            )
        elif len(found) >= FEW_EACH and sum(bool(_LIST.fullmatch(text)) for text in found) > 0.9 * len(found):
            said.append(f"The {role} are lists such as {found[0]:.60}: if they are labels, it is a task to classify.")
    return said


def doubts_of_texts(samples: Sequence[Sample]) -> list[str]:
    """Whether what shall be gone on with is a text at all: hardly a letter in it, or a table."""
    texts, said, seen = [sample.text for sample in samples if isinstance(sample, Plain)], [], ""
    for text in texts:
        if len(seen) >= SEEN:
            break
        seen += text[:SEEN]
    written = len("".join(seen.split()))
    if (signs := len(_SIGN.findall(seen))) > 0.7 * written:
        said.append(f"{100 * signs / written:.0f} % of it are digits and punctuation; is it a text?")
    first = texts[0] if texts else ""
    rows = [line for line in first[:SEEN].splitlines()[: None if len(first) <= SEEN else -1] if line.strip()]
    for part, least, one, many in _PARTED:
        counts = {line.count(part) for line in rows}
        if len(rows) >= LINES and len(counts) == 1 and min(counts) >= least:
            said.append(
                f"Each line holds {counted(min(counts), one, many)}: is it a table? In a file called .csv or .tsv its "
                "columns are told apart."
            )
    return said


def _parts(label: str) -> set[str]:
    """The words of a label that joins several."""
    return {part.strip() for part in _JOINT.split(label) if part.strip()}


def doubts(samples: Sequence[Sample], labels: Counter[str]) -> list[str]:
    """A sentence for each thing that is odd about the labels, or about the texts."""
    labelled = [sample for sample in samples if isinstance(sample, Labelled)]
    if not labelled or len(labels) < 2:
        return []
    said = []
    (often, most), (rare, least) = labels.most_common(1)[0], labels.most_common()[-1]
    if most > UNEQUAL * least:
        said.append(f"Labels are unequal: {most:,} samples of '{often}', {least:,} of '{rare}'. Look at macro-F1.")
    fractions = [label for label in labels if _FRACTION.fullmatch(label)]
    if len(fractions) > 2:
        said.append(
            f"{len(fractions):,} labels are numbers such as {fractions[0]}, and each is taken for a class of its own. "
            "If they are amounts, write what is to be told apart in their place."
        )
    elif len(labels) * FEW_EACH > labels.total():
        said.append(
            f"There are {len(labels):,} labels for {labels.total():,} samples, too few of each to learn; is it the "
            "right column?"
        )
    lists = [label for label in labels if _LIST.fullmatch(label)]
    if 2 * len(lists) > len(labels):
        said.append(
            f"{len(lists):,} labels are lists such as {lists[0]:.60}, and each list is taken for a class of its own: a "
            "text has one label here."
        )
    joined = {label: parts for label in labels if len(parts := _parts(label)) > 1 and parts <= set(labels)}
    if len(joined) >= FEW_EACH:
        label, parts = next(iter(joined.items()))
        said.append(
            f"{len(joined):,} labels are made of others, as '{label:.60}' of {' and '.join(map(repr, sorted(parts)))}: "
            "texts seem to have several labels, and each combination is taken for a class of its own."
        )
    wordless = sum(not _LETTER.search(sample.text) for sample in labelled)
    if 2 * wordless > len(labelled):
        said.append(f"{wordless:,} of {len(labelled):,} texts hold no letter; is it the right column?")
    return said
