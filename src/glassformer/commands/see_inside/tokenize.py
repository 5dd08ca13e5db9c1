"""`glassformer tokenize`: text on its way into a model, step by step. It reads options; the pipeline does the work."""

import json as json_format
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from cyclopts import Parameter
from rich.console import Console
from rich.progress import Progress

from glassformer.commands.pages.pipeline_page import print_pipeline, print_vocabulary
from glassformer.drawing.terminal import terminal
from glassformer.errors import InputError, counted, nearest, visible
from glassformer.objectives.objective import TokenPlan
from glassformer.text.files.named_sets import NAMED, find_named
from glassformer.text.files.token_files import text_files_in, write_tokens
from glassformer.text.made_sets import MADE
from glassformer.text.pipeline import Pipeline, VocabularyCounts, count_vocabulary, pipeline
from glassformer.text.samples import Pair, Sample
from glassformer.text.tokens import Tokens

if TYPE_CHECKING:
    from glassformer.text.corpora import ReadReport

LONGEST = 500  # tokens that are read of a text, if no model says otherwise
MOST_REASONS = 3  # for which rows were left out
FIRST = 2  # texts of some data, if none is given
SMALL = 100_000  # characters: of so few, no word is too rare to be in the vocabulary


def tokenize(
    *words: Annotated[str, Parameter(allow_leading_hyphen=True)],
    vocabulary: bool = False,
    most: int = 20,
    tokens: str = "",
    size: int | None = None,
    min_frequency: int | None = None,
    longest: int = LONGEST,
    text: str = "",
    out: Path | None = None,
    processes: int = 0,
    json: bool = False,
) -> None:
    """Show text on its way into a model: standardised, tokens, ids, padded batch, embedding rows.

    With a run, as its model reads it. Without one, as a word tokenizer does: small letters, the 20,000 most frequent
    words that stand there 3 times or more, 500 tokens of a text.

    Parameters
    ----------
    words
        A run (or the name of a bundled model) and texts in quotes; or data to take the vocabulary from (a
        file, or a set such as imdb) and texts, by default its first two; or texts alone, whose words are then the
        vocabulary. A - stands for lines from standard input.
    vocabulary
        Show the vocabulary instead: its most frequent tokens with their counts, and how much of the text they cover.
        Counted are the texts; where there are none, the data; of a run, what it was trained on.
    most
        How many tokens of the vocabulary to show (20).
    tokens
        Without a run: word (usual), character, bpe or byte-bpe (usual with --out).
    size
        Without a run: how many tokens the vocabulary may have (20,000 words).
    min_frequency
        Without a run: how often a token must stand in the data (3; in texts alone 1).
    longest
        Without a run: tokens that are read of a text (500).
    text
        Of a table: the column with the texts.
    out
        Cut a .txt file or a folder of them into token files in this folder instead, to train from without reading all
        of it into memory. What was stopped is resumed.
    processes
        With --out: how many processes cut (as many as there are cores).
    json
        Print one JSON document.
    """
    if out is not None:
        _keep(
            words,
            out,
            TokenPlan(kind=tokens or "byte-bpe", vocabulary=size or 0, min_frequency=min_frequency or 0),
            processes,
        )
        return
    plan = _Plan(tokens or "word", size, min_frequency, longest, text)
    place, texts = _place_and_texts(words)
    found = _by_run(place, texts, vocabulary) if _is_run(place) else _by_data(place, texts, plan)
    console = terminal()
    if vocabulary:
        counts = count_vocabulary(found.tokens, found.counted, most)
        if json:
            print(_document(found, counts=counts))
        else:
            print_vocabulary(found.name, found.tokens.kind, counts, console)
        return
    way = found.way(texts)
    if json:
        print(_document(found, way=way))
    else:
        print_pipeline(found.name, way, console)


def _keep(words: Sequence[str], out: Path, plan: TokenPlan, processes: int) -> None:
    """Cuts one text, or a folder of them, into token files."""
    from glassformer.training.machine import usable_cores  # what only this needs is loaded here
    from glassformer.training.request import trained_tokens

    files = text_files_in(Path(words[0])) if len(words) == 1 else []
    if not files:
        raise InputError("With --out name one .txt file, or one folder that holds nothing but .txt files.")
    made = partial(trained_tokens, plan)
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("cutting into tokens")
        folder = write_tokens(
            files, out, made, processes=processes or usable_cores(),
            told=lambda done, whole: bar.update(task, completed=done, total=whole),
        )  # fmt: skip
    terminal().print(
        f"{len(folder):,} tokens of {folder.bytes / 1e6:,.1f} MB of text in {out}, with a vocabulary of "
        f"{len(folder.tokens):,}. To train from them: glassformer train generate {out}",
        markup=False, soft_wrap=True,
    )  # fmt: skip


class _Plan(NamedTuple):
    """How a vocabulary is made where there is no run."""

    kind: str
    size: int | None
    min_frequency: int | None
    longest: int
    text: str  # the column of a table


class _Found(NamedTuple):
    """Where tokens come from, and what is done with them. `counted` are the texts a vocabulary is counted in, `first`
    those that are shown if none is given."""

    name: str
    tokens: Tokens
    counted: Sequence[str]
    first: Sequence[str]
    run: Any = None
    longest: int = LONGEST

    def way(self, texts: Sequence[str]) -> Pipeline:
        chosen = texts or self.first
        if not chosen:
            raise InputError("There is no text: write one behind the run, in quotes, or - for standard input.")
        if self.run is not None:
            return self.run.tokenize(chosen)  # type: ignore[no-any-return]
        return pipeline(self.tokens, chosen, longest=self.longest)


# --- what is meant ------------------------------------------------------------------------------------------------


def _place_and_texts(words: Sequence[str]) -> tuple[str, list[str]]:
    """A run or data, by its name, and texts. What has a space in it is a text, and no name."""
    strange = [word for word in words if word.startswith("--")]
    if strange:
        raise InputError(f"There is no option {strange[0]}; `glassformer tokenize --help` lists them.")
    if not words:
        raise InputError('Name a run or data, or write texts in quotes: glassformer tokenize sentiment "so warm"')
    first, rest = words[0], words[1:]
    if _is_run(first) or _is_data(first):
        return first, _texts(rest)
    if first == "-" or any(sign.isspace() for sign in first):
        return "", _texts(words)
    if not first:
        raise InputError("The text is empty: there is nothing to cut into tokens.")
    raise InputError(
        f"There is no run, file or set called '{first}'; {nearest(first, [*_pocket_names(), *NAMED, *MADE])} "
        "A text of one word needs a space behind it."
    )


def _texts(words: Sequence[str]) -> list[str]:
    from glassformer.text.files.text_files import STDIN

    return _lines_of(STDIN) if list(words) == ["-"] else list(words)


def _is_run(name: str) -> bool:
    return bool(name) and (name in _pocket_names() or _there(Path(name) / "model"))


def _is_data(name: str) -> bool:
    known = find_named(name) is not None or name.partition(":")[0] in MADE
    return known or all(each and _there(Path(each)) for each in name.split(","))


def _there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a text too long to be a name
        return False


def _pocket_names() -> list[str]:
    from glassformer.runs.run import pocket_folders

    return [path.name for path in pocket_folders()]


# --- where tokens come from ---------------------------------------------------------------------------------------


def _by_run(name: str, texts: Sequence[str], vocabulary: bool) -> _Found:
    from glassformer.runs.run import load
    from glassformer.runs.trial_data import trial

    run = load(name, "cpu")  # rows are looked up; there is nothing to compute
    counted = list(texts)
    if vocabulary and not texts:
        counted = list(_all_texts(trial(run.card, run.folder, None, "train")[2]))
    return _Found(name, run.tokens, counted, (), run)


def _by_data(name: str, texts: Sequence[str], plan: _Plan) -> _Found:
    """Data, or the texts themselves."""
    lines = _lines(name) if name else list(texts)
    learnt = list(_all_texts(_samples(name, plan.text))) if lines is None else lines
    small = sum(map(len, learnt)) < SMALL
    often = 1 if plan.min_frequency is None and small else plan.min_frequency
    made = Tokens.train(plan.kind, learnt, vocabulary=plan.size, min_frequency=often)
    first = [text for text in islice(learnt, FIRST) if text.strip()]
    return _Found(name or "these texts", made, texts or learnt, first, longest=plan.longest)


def _lines(name: str) -> list[str] | None:
    """Of a file of plain text every line is a text; nothing is split off, since nothing is trained. None of others."""
    path = Path(name)
    return _lines_of(path) if path.suffix.lower() == ".txt" and path.is_file() else None


def _lines_of(path: Path) -> list[str]:
    """The lines that can be read, blank ones left out; how the file was read is told, and what was not."""
    from glassformer.text.files.text_files import BROKEN, lines, read_text

    file = read_text(path)
    found = [line for line in lines(file.text) if line.strip()]
    sound = [line for line in found if not BROKEN.search(line)]
    left = len(found) - len(sound)
    said = f"{file.name}: {counted(left, 'line')} with bytes that are not UTF-8 left out."
    for each in (*file.notes, *([said] if left else [])):
        print(visible(each), file=sys.stderr)
    return sound


def _samples(name: str, text: str) -> Sequence[Sample]:
    """The training part, read as plain text where that can be; of one file, all of it, for nothing is trained."""
    from glassformer.text.corpora import read
    from glassformer.text.files.columns import Columns

    named, made = find_named(name), MADE.get(name.partition(":")[0])
    tasks = named.tasks if named else (made.task,) if made else ("generate",)
    whole = name if not named and not made and Path(name).is_file() else None  # what is given is not split off
    task, columns = "generate" if "generate" in tasks else tasks[0], Columns(text=text or None)
    corpus = read(name, task, columns=columns, valid=whole, test=whole)
    read_as = [each for each in corpus.report.notes if each.startswith(str(Path(name)))]
    for each in () if named or made else (*dict.fromkeys([*corpus.report.columns, *read_as]), *_unread(corpus.report)):
        print(visible(each), file=sys.stderr)
    return corpus.train


def _unread(report: "ReadReport") -> list[str]:
    """Why rows were left out, without their number: a single file is read three times, as each of its parts."""
    why = [*report.reasons][:MOST_REASONS]
    return (
        [f"Rows were left out: {', '.join(why)}{', …' if len(report.reasons) > MOST_REASONS else ''}."] if why else []
    )


def _all_texts(samples: Sequence[Sample]) -> Iterator[str]:
    for sample in samples:
        yield from (sample.source, sample.target) if isinstance(sample, Pair) else (sample.text,)


def _document(found: _Found, way: Pipeline | None = None, counts: VocabularyCounts | None = None) -> str:
    """As one JSON document."""
    content: dict[str, Any] = {"from": found.name, "kind": found.tokens.kind, **(way.to_dict() if way else {})}
    if counts is not None:
        content |= {**asdict(counts), "coverage": counts.coverage}
    return json_format.dumps(content, ensure_ascii=False, allow_nan=False)
