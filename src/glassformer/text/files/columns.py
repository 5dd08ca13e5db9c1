"""Columns: which column of a table is the text, the label, the source, the target. Knows names, not files.

A column is taken because it was named, because it has a usual name, or because nothing else is left; the report says
which of the three.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice

from glassformer.errors import InputError, nearest
from glassformer.text.files.headers import are_numbers, is_sentence
from glassformer.text.files.tables import Row, Skip, Table
from glassformer.text.tasks import TASKS

TEXTS = (
    *("text", "review", "sentence", "content", "body", "comment", "message", "tweet", "document", "post", "article"),
    *("description", "utterance", "headline", "title"),
)
LABELS = ("label", "labels", "sentiment", "class", "category", "topic", "intent", "emotion", "tag", "target", "y")
PAIRS = (
    *(("source", "target"), ("src", "tgt"), ("src", "trg"), ("input", "output"), ("question", "answer")),
    *(("prompt", "completion"), ("prompt", "answer"), ("prompt", "response"), ("instruction", "output")),
    ("english", "non_english"),
)
USUAL = frozenset((*TEXTS, *LABELS, *(name for pair in PAIRS for name in pair)))
# By their codes; id and no are left out, for they name numbers more often than Indonesian and Norwegian.
LANGUAGES = frozenset(
    re.findall("..", "arbgbncacsdadeelenesetfafifrhehihrhuisitjakoltlvmsnlplptroruskslsrsvswtathtrukurvizh")
)
KEYS = frozenset(("id", "ids", "idx", "index", "key", "nr", "uid", "uuid", "guid"))  # such names tell rows apart
ABOUT = frozenset(("id", "ids", "index", "number", "count", "length", "len", "date", "time"))  # a text, and none itself
MUCH_MORE = 5  # times: lists and objects that hold so much more than what is read of a row deserve a word
SAMPLE = 1000  # rows looked at where names do not help
MOST_NAMED = 30  # columns in a sentence


@dataclass(frozen=True)
class Columns:
    """The columns a person named; the rest is found. A column is named by its header or its number ("1", "2", …)."""

    text: str | None = None
    label: str | None = None
    source: str | None = None
    target: str | None = None

    def named(self) -> dict[str, str]:
        """The roles that were given a column."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {role: name for role, name in values.items() if name is not None}

    def in_header(self, cells: Sequence[str]) -> bool:
        """Whether a file's first row names its columns: by a named or usual name, or by two languages.

        Two cells that say nothing of the kind are a row. More are taken for a header, and one is, unless columns go by
        number, the cells are numbers, or the one is a sentence.
        """
        names = {cell.strip().lower() for cell in cells}
        told = {name.lower() for name in self.named().values()}
        if names & told or names & USUAL or len(names & LANGUAGES) == 2:
            return True
        if len(cells) == 2 or any(name.isdecimal() for name in told):
            return False
        return not are_numbers(cells) and not is_sentence(cells)


@dataclass(frozen=True)
class ChosenColumns:
    """The column for each role, and why it was taken."""

    roles: Mapping[str, str]
    why: str


def choose(table: Table, task: str, columns: Columns) -> ChosenColumns:
    """The columns a task needs: text and label, source and target, or (to generate) text alone or a pair."""
    lower = {name.lower(): name for name in reversed(table.names)}
    named = columns.named()
    for role, name in named.items():
        if name.lower() not in lower:
            raise InputError(f"{table.file} has no column '{name}' for the {role}; {nearest(name, table.names)}")
    told = {role: lower[name.lower()] for role, name in named.items()}
    if TASKS[task].has_labels:
        return _text_and_label(table, lower, told)
    if TASKS[task].has_only_pairs or {"source", "target"} & set(told):
        return _pair(table, lower, told)
    return _text_or_pair(table, lower, told)


def _text_and_label(table: Table, lower: Mapping[str, str], told: Mapping[str, str]) -> ChosenColumns:
    taken = {role: told[role] for role in ("text", "label") if role in told}
    why = dict.fromkeys(taken, "named by you")
    for role, usual in (("text", TEXTS), ("label", LABELS)):
        found = next((lower[name] for name in usual if name in lower and lower[name] not in taken.values()), None)
        if role not in taken and found is not None:
            taken[role], why[role] = found, f"a usual name{_rivals(found, usual, table.names)}"
    for role, usual in (("text", TEXTS), ("label", LABELS)):
        speaking = _speaking(usual, table.names)
        if role not in taken and speaking and speaking not in taken.values():
            taken[role], why[role] = speaking, "the only name that speaks of one"
    left = [name for name in table.names if name not in taken.values()]
    if len(taken) == 1 and len(left) == 1:
        role = "label" if "text" in taken else "text"
        taken[role], why[role] = left[0], "the only one left"
    if not taken and len(left) == 2:
        first, second = (_distinct(table, name) for name in left)
        text, label = left if first >= second else reversed(left)
        taken, why = {"text": text, "label": label}, {"text": "more varied", "label": "less varied"}
    return _chosen(table, taken, why, ("text", "label"))


def _speaking(usual: Sequence[str], names: Sequence[str]) -> str:
    """The one column whose name holds a usual word among others, `input_text`; none, if there are several."""
    words = {name: set(re.findall("[a-z]+", name.lower())) for name in names}
    found = [name for name, its in words.items() if its & set(usual) and not its & ABOUT]
    return found[0] if len(found) == 1 else ""


def _rivals(found: str, usual: Sequence[str], names: Sequence[str]) -> str:
    """Which columns may be meant as well: those whose names hold a word that is more usual than the one found."""
    better = set(usual[: usual.index(found.lower())])
    words = {name: set(re.findall("[a-z]+", name.lower())) for name in names if name != found}
    rivals = [f"'{name}'" for name, its in words.items() if its & better and not its & ABOUT]
    return f", but {' or '.join(rivals[:3])} may be meant" if rivals else ""


def _pair(table: Table, lower: Mapping[str, str], told: Mapping[str, str]) -> ChosenColumns:
    taken = {role: told[role] for role in ("source", "target") if role in told}
    why = dict.fromkeys(taken, "named by you")
    usual = next((pair for pair in PAIRS if set(pair) <= set(lower)), None)
    languages = [name for name in table.names if name.lower() in LANGUAGES]
    if not taken and usual is not None:
        taken = {"source": lower[usual[0]], "target": lower[usual[1]]}
        why = {role: f"a usual name{_other_pairs(name, role, usual, lower)}" for role, name in taken.items()}
    elif not taken and len(languages) == 2:
        taken = {"source": languages[0], "target": languages[1]}
        why = dict.fromkeys(taken, "a language")
    elif not taken and len(table.names) == 2:
        taken = {"source": table.names[0], "target": table.names[1]}
        places = zip(taken.items(), ("the first of two", "the second of two"), strict=True)
        why = {role: f"{place}{', whose name speaks of a label' * _is_label(name)}" for (role, name), place in places}
    candidates = languages if len(languages) == 2 else list(table.names)
    left = [name for name in candidates if name not in taken.values()]
    if len(taken) == 1 and len(left) == 1:
        role = "target" if "source" in taken else "source"
        taken[role], why[role] = left[0], "the only one left"
    return _chosen(table, taken, why, ("source", "target"))


def _other_pairs(name: str, role: str, usual: tuple[str, str], lower: Mapping[str, str]) -> str:
    """Which other columns stand there that go with the same partner, as `instruction` beside `input` and `output`."""
    place = ("source", "target").index(role)
    others = [pair[place] for pair in PAIRS if set(pair) <= set(lower) and pair[1 - place] == usual[1 - place]]
    rivals = [f"'{lower[other]}'" for other in others if lower[other] != name]
    return f", but {' or '.join(rivals)} may be meant, and is not read" if rivals else ""


def _is_label(name: str) -> bool:
    """Whether a column is called as labels are, and as nothing else is."""
    return name.lower() in LABELS and name.lower() != "target"


def _text_or_pair(table: Table, lower: Mapping[str, str], told: Mapping[str, str]) -> ChosenColumns:
    if "text" in told:
        return _chosen(table, {"text": told["text"]}, {"text": "named by you"}, ("text",))
    if any(set(pair) <= set(lower) for pair in PAIRS):
        return _pair(table, lower, told)
    found = next((lower[name] for name in TEXTS if name in lower), None)
    if found is not None:
        return _chosen(table, {"text": found}, {"text": "a usual name"}, ("text",))
    if speaking := _speaking(TEXTS, table.names):
        return _chosen(table, {"text": speaking}, {"text": "the only name that speaks of one"}, ("text",))
    if table.names == ("1", "2"):  # no header: a prompt and its answer
        return _pair(table, lower, told)
    only = {"text": table.names[0]} if len(table.names) == 1 else {}
    return _chosen(table, only, {"text": "the only one"}, ("text",))


def _chosen(table: Table, taken: Mapping[str, str], why: Mapping[str, str], wanted: Sequence[str]) -> ChosenColumns:
    missing = [role for role in wanted if role not in taken]
    if not table.names:
        raise InputError(f"{table.file} has no row with columns; expected a {' and a '.join(wanted)} in each.")
    if missing and len(table.names) < len(wanted):
        raise InputError(
            f"{table.file} has one column only; expected two, a {' and a '.join(wanted)}{_how_parted(table)}"
            + (" Two parallel files are named together: a.en,a.de." if "source" in wanted else "")
        )
    if missing:
        told = "".join(f" {note}" for note in table.notes)
        raise InputError(
            f"{table.file}: cannot tell which column is the {' and which the '.join(missing)}. "
            f"Its columns are {_listed(table.names)}; name {' and '.join(f'--{role}' for role in missing)}.{told}"
        )
    reasons = ", ".join(f"{role} from '{taken[role]}' ({why[role]}{_doubt(taken[role], why[role])})" for role in wanted)
    return ChosenColumns({role: taken[role] for role in wanted}, f"{table.file}: {reasons}")


def _doubt(name: str, why: str) -> str:
    """A word where a column that nobody named is called as what only tells rows apart: `post_id`, `index`."""
    ends = re.split(r"[^a-z]+", name.lower())[-1]
    return ", but its name speaks of a number of the row" if ends in KEYS and why != "named by you" else ""


def _listed(names: Sequence[str]) -> str:
    """The names of columns, as many and as long as a sentence can hold."""
    if names and all(name == str(number) for number, name in enumerate(names, 1)):
        return f"numbered, 1 to {len(names)}, for it has no header"
    shown = [f"{name:.37}…" if len(name) > 40 else name for name in names[:MOST_NAMED]]
    return ", ".join([*shown, *([f"… ({len(names):,} in all)"] if len(names) > MOST_NAMED else [])]) or "none"


def unread(table: Table, roles: Mapping[str, str]) -> list[str]:
    """A sentence, if the rows hold lists or objects that are far longer than what is read."""
    rows = list(islice((row.values for row in table.rows if isinstance(row, Row)), SAMPLE))
    read = sum(len(str(values.get(name, ""))) for values in rows for name in roles.values())
    nested = {name for values in rows for name, value in values.items() if isinstance(value, list | dict)}
    held = {name: sum(len(str(values.get(name, ""))) for values in rows) for name in table.names if name in nested}
    larger = [f"'{name}'" for name, size in held.items() if size > MUCH_MORE * read]
    where = f"{table.file}: in {', '.join(larger[:3])} stand lists or objects"
    return [f"{where}, more than {MUCH_MORE} times as long as what is read; they are left out."] * bool(larger)


def _how_parted(table: Table) -> str:
    """How a table of one column would have two, if something stands between them, and how it begins."""
    if not table.delimited:
        return f". Its only one is '{table.names[0]:.60}'."
    return f", with a tab between them (or a comma in a .csv file). Its first line is “{_first(table):.60}”."


def _first(table: Table) -> str:
    """How a table of one column begins: with its name, or without one with its first row."""
    rows = [str(row.values["1"]) for row in table.rows if isinstance(row, Row) and "1" in row.values]
    return (rows or [*table.names, ""])[0]


def _distinct(table: Table, name: str) -> int:
    rows = [row for row in table.rows if not isinstance(row, Skip)][:SAMPLE]
    return len({str(row.values.get(name)) for row in rows if isinstance(row, Row)})
