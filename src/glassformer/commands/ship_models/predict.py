"""`glassformer predict`: what a trained model predicts for some texts. It reads options and texts; the run predicts."""

import json as json_format
import re
import sys
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from cyclopts import Parameter

from glassformer.commands.on_device import load_on, take_threads
from glassformer.errors import InputError, visible
from glassformer.objectives.predictions import Classified, Prediction
from glassformer.runs.run import Run

MANY = 32  # texts for which it is worth its second to look for a quicker engine
MOST_NAMED = 5  # empty texts, by their places
SMALL = 2_000_000  # weights: one step of such a model is too short to be shared among threads
WIDEST = 40  # characters of a text beside its answer
_OF_WRITING = {
    "longest": None,
    "temperature": None,
    "top_k": None,
    "top_p": 1.0,
    "min_p": 0.0,
    "beam": None,
    "stop": (),
}
_SEEMS_A_FILE = re.compile(r"\S+\.(txt|csv|tsv|jsonl|json|md|gz|parquet)")


def predict(
    run: Path,
    *text: Annotated[str, Parameter(allow_leading_hyphen=True)],
    longest: int | None = None,
    temperature: float | None = None,
    top_k: int | None = None,
    top_p: float = 1.0,
    min_p: float = 0.0,
    beam: int | None = None,
    seed: int = 0,
    stop: tuple[str, ...] = (),
    engine: str = "auto",
    device: str = "auto",
    threads: int | None = None,
    column: str = "",
    out: Path | None = None,
    json: bool = False,
) -> None:
    """Classify, translate or continue texts of yours.

    Parameters
    ----------
    run
        A run folder that `glassformer train` wrote, or the name of a model that came with the package.
    text
        Texts; or one file of plain text, with a text on each line; or - for lines from standard input. The answers
        to several stand beside them. Or one table (CSV, TSV, JSON lines, Parquet), which comes back as CSV with the
        columns `prediction` and `probability` (of a translation `score`).
    longest
        At most so many new tokens.
    temperature
        Of sampling: 0 is greedy, below 1 sharper, above 1 more varied.
    top_k
        Sample only from the k most likely tokens.
    top_p
        Sample only from the most likely tokens that together have this probability (nucleus sampling).
    min_p
        Sample only from tokens at least this share as likely as the most likely one.
    beam
        The width of beam search for a translation (4); 1 is greedy.
    seed
        The random seed: the same one writes the same text.
    stop
        A string that ends the output; may be given several times.
    engine
        torch, onnx (ONNX Runtime, used only if it gives the same), int8 (quicker, and slightly another model), or auto
        for the quickest exact one: PyTorch, or ONNX Runtime for many texts and where it stands ready.
    device
        Where to compute: auto (the best there is), cpu, cuda, cuda:1 or mps.
    threads
        Threads of the processor (as many as torch takes).
    column
        Of a table: the column with the texts.
    out
        Of a table: the file for the answers, .csv, .tsv or .jsonl.
    json
        Print one JSON document: a prediction, or, for several texts, a list with one object for each, in their order;
        an empty text has an "error" in place of a prediction.
    """
    how = {
        "longest": longest, "temperature": temperature, "top_k": top_k, "top_p": top_p, "min_p": min_p, "beam": beam,
        "seed": seed, "stop": stop,
    }  # fmt: skip
    take_threads(threads)
    if _is_table(text):
        from glassformer.commands.ship_models.predict_table import answer_table

        if json:
            raise InputError("The answers to a table are a table; for JSON write --out answers.jsonl.")
        answer_table(run, Path(text[0]), column, out, {**how, "engine": engine, "device": device})
        return
    if column or out is not None:
        raise InputError("--column and --out are for a table of texts (CSV, TSV, JSON lines or Parquet).")
    given = texts_of(text)
    loaded = load_on(run, device)
    idle = [f"--{name.replace('_', '-')}" for name, usual in _OF_WRITING.items() if how[name] != usual]
    if idle and loaded.objective.family == "classifier":
        print(f"A classifier writes nothing: {' and '.join(idle)} made no difference.", file=sys.stderr)
    for sentence in (*loaded.warnings(given.texts), *filter(None, [loaded.doubt])):
        print(visible(sentence), file=sys.stderr)
    if len(given.texts) == 1 and threads is None:
        _alone(loaded)
    lasting = len(given.texts) >= MANY
    if (engine != "auto" or lasting or loaded.converted) and (said := loaded.use(engine, lasting=lasting).said):
        print(visible(said), file=sys.stderr)
    empty = _without_answer(given, loaded)
    texts = [text for i, text in enumerate(given.texts) if i not in empty]
    if json:
        found = iter(loaded.predict(texts, **how))
        error = f"The text is empty: there is nothing to {loaded.card.task} in it."
        all_of_them = [{"error": error} if i in empty else asdict(next(found)) for i in range(len(given.texts))]
        both = [{"given": text, **each} for text, each in zip(given.texts, all_of_them, strict=True)]
        print(json_format.dumps(both if len(both) > 1 else all_of_them[0], ensure_ascii=False))
    else:
        _show(loaded, texts, how, empty)


def _alone(run: Run) -> None:
    """A small model writes one text with one thread: a second one makes it no quicker where nothing else runs, and
    where something does they wait for each other at every step (ten times as long, measured on two cores)."""
    import torch

    if run.objective.family != "classifier" and sum(each.numel() for each in run.model.parameters()) <= SMALL:
        torch.set_num_threads(1)


class Given(NamedTuple):
    """The texts that are meant, empty ones among them, and whether they are the lines of a file."""

    texts: list[str]
    lines: bool = False


def texts_of(words: Sequence[str]) -> Given:
    """The texts that are meant: the words themselves, or the lines of a file or of standard input."""
    strange = [word for word in words if re.fullmatch(r"--?[A-Za-z][\w-]*(=.*)?", word)]
    if strange:
        raise InputError(f"There is no option {strange[0]}; `glassformer predict --help` lists them.")
    given = list(words) if words else ["-"]
    if given == [""]:
        raise InputError("The text is empty: there is nothing to read in it.")
    if len(given) > 1 or (given[0] != "-" and not _is_file(Path(given[0]))):
        if len(given) == 1 and _SEEMS_A_FILE.fullmatch(given[0]):
            raise InputError(f"There is no file {given[0]}; a text of one word that ends so needs a blank behind it.")
        if len(given) == 1 and _is_folder(Path(given[0])):
            raise InputError(
                f"{given[0]} is a folder; name one file of plain text in it, or put a blank behind a word."
            )
        return Given(given)
    if not words and sys.stdin.isatty():
        raise InputError("There is no text: write one behind the run, or name a file, or - for standard input.")
    return Given(_texts_in(Path(given[0])), lines=True)


def _is_table(words: Sequence[str]) -> bool:
    """Whether one table is meant; what reads tables is loaded only where there is a file of that name."""
    try:
        is_file = len(words) == 1 and Path(words[0]).is_file()
    except (OSError, ValueError):  # a text that is too long for a name, or can be none
        return False
    if not is_file:
        return False
    from glassformer.commands.ship_models.predict_table import is_table

    return is_table(words)


def _texts_in(path: Path) -> list[str]:
    """The lines of a file or of standard input, but for empty ones at its end."""
    from glassformer.text.files.text_files import BROKEN, STDIN, lines, read_text

    if _is_table([str(path)]):
        raise InputError(f"{path} is a table; texts are read from plain text, one on each line.")
    file = read_text(path)
    for note in file.notes:
        print(visible(note), file=sys.stderr)
    texts = list(lines(file.text))
    for number, text in enumerate(texts, 1):
        if BROKEN.search(text):
            raise InputError(
                f"Line {number:,} of {file.name} holds bytes that are not UTF-8; mend or remove it. In a table "
                "(.csv, .tsv, .jsonl) such a row costs no other."
            )
    while texts and not texts[-1].strip():
        texts.pop()
    if not texts:
        raise InputError(f"{'Standard input' if path == STDIN else path} holds no text.")
    return texts


def _without_answer(given: Given, run: Run) -> set[int]:
    """Where empty texts stand among others; they are named. If all are empty, that is for the run to refuse."""
    empty = [i for i, text in enumerate(given.texts) if not text.strip()]
    if not empty or len(empty) == len(given.texts) or (run.task.open_ended and not given.lines):
        return set()
    what, places = "line" if given.lines else "text", [str(i + 1) for i in empty]
    if len(places) == 1:
        told = f"{what.capitalize()} {places[0]} is empty and gets no answer."
    elif len(places) <= MOST_NAMED:
        told = f"{what.capitalize()}s {', '.join(places[:-1])} and {places[-1]} are empty and get no answer."
    else:
        first = ", ".join(places[:MOST_NAMED])
        told = f"{len(places):,} {what}s are empty and get no answer: {what}s {first}, …"
    print(told, file=sys.stderr)
    return set(empty)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a text too long to be a name
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _show(run: Run, texts: Sequence[str], how: dict[str, Any], empty: Collection[int] = ()) -> None:
    """For a person: a text that goes on is shown while it is written; an empty line stands for an empty text."""
    if len(texts) == 1 and not empty and run.objective.family == "language model":
        print(_bold(texts[0] if run.objective.goes_on else ""), end="", flush=True)
        for part in run.stream(texts[0], **how):
            print(visible(part), end="", flush=True)
        print()
        return
    answers = [_line(prediction) for prediction in run.predict(texts, **how)]
    beside = _beside(texts) if len(texts) + len(empty) > 1 else [""]
    lines = [
        name + visible(answer).replace("\n", "\n" + " " * len(name))
        for name, answer in zip(beside, answers, strict=True)
    ]
    for place in sorted(empty):
        lines.insert(place, "")
    print("\n".join(lines))


def _beside(texts: Sequence[str]) -> list[str]:
    """The texts as they stand before their answers: each in one line, cut where it is long, all of one width."""
    lines = [visible(" ".join(text.split())) for text in texts]
    cut = [line if len(line) <= WIDEST else line[: WIDEST - 1] + "…" for line in lines]
    return [line.ljust(max(map(len, cut)) + 2) for line in cut]


def _bold(text: str) -> str:
    """The text as a terminal shows it in bold; where no terminal reads, the text."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    with console.capture() as captured:
        console.print(Text(visible(text), style="bold"), end="", soft_wrap=True)
    return captured.get()


def _line(prediction: Prediction) -> str:
    if isinstance(prediction, Classified):
        ranked = sorted(prediction.scores.items(), key=lambda pair: -pair[1])
        return "  ".join(f"{label} {100 * share:.1f} %" for label, share in ranked[:5])
    return prediction.said
