"""`glassformer look`: a model and a text as a page that can be kept. It reads options; the model is looked at."""

import json as json_format
import re
import sys
import webbrowser
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from glassformer.commands.on_device import load_on
from glassformer.drawing.terminal import terminal
from glassformer.errors import InputError
from glassformer.inside.hugging_face import HuggingFaceModel, is_hugging_face
from glassformer.inside.shown import MEGABYTES, Saved, Shown
from glassformer.stages.notation import plain
from glassformer.stages.trace import Explanation, Trace
from glassformer.text.files.text_files import STDIN, read_text

DECIMALS = 4
LONGEST = 2000  # signs of a sum


def look(
    run: Path,
    *text: Annotated[str, Parameter(allow_leading_hyphen=True)],
    out: Path | None = None,
    number: str | None = None,
    target: str | None = None,
    longest: int | None = None,
    megabytes: float = MEGABYTES,
    device: str = "auto",
    open: bool = False,
    json: bool = False,
) -> None:
    """Look inside a model while it reads a text: every matrix of every head, in one HTML file.

    The file opens from disk with the network off. One that was there before is replaced.

    Parameters
    ----------
    run
        A run folder that `glassformer train` wrote, the name of a model that came with the package, or hf:FOLDER, a
        folder of Hugging Face (config, safetensors, tokenizer; no code from it is run).
    text
        One text, in quotes; or - for standard input.
    out
        The page to write (look.html; with --number none, unless it is named).
    number
        Print the arithmetic of one number, such as encoder.0.self.weights[0,1,2]: head, query, key, counted from 0.
    target
        For a translator: a translation for teacher forcing, beside what it writes by itself.
    longest
        At most so many new tokens; with 0 a language model only reads.
    megabytes
        How large the page may be (5); to keep it so, numbers are rounded to six decimals, then the largest matrices
        left out.
    device
        Where to compute: auto (the best there is), cpu, cuda, cuda:1 or mps.
    open
        Show the page in a browser.
    json
        Print one JSON document: where the page is, and what it shows.
    """
    wanted = one_text(text, "look")
    task, shown = _looked(run, wanted, target, longest, device)
    found = None if number is None else shown.trace.explain(*shown.trace.find(number))
    if found is not None and open and out is None:
        raise InputError("--open shows a page, and with --number none is written; name one with --out.")
    saved = shown.save(out or Path("look.html"), megabytes=megabytes) if found is None or out is not None else None
    if json:
        facts = _facts(task, wanted, shown, saved) | ({} if found is None else {"number": found.to_dict()})
        print(json_format.dumps(facts, ensure_ascii=False, allow_nan=False))
    else:
        _tell(task, shown, saved, found)
    if saved is not None and open and not webbrowser.open(saved.path.resolve().as_uri()):
        print("No browser could be opened here; open the page yourself.", file=sys.stderr)


def _looked(run: Path, text: str, target: str | None, longest: int | None, device: str) -> tuple[str | None, Shown]:
    """What the model was trained to do, where that is known, and the look."""
    if is_hugging_face(run):
        return None, Shown(HuggingFaceModel.open(run, device).look(text, target=target, longest=longest))
    loaded = load_on(run, device)
    return loaded.card.task, loaded.look(text, target=target, longest=longest)


def one_text(words: tuple[str, ...], command: str) -> str:
    """The one text that is meant."""
    strange = [word for word in words if re.fullmatch(r"--[A-Za-z][\w-]*(=.*)?", word)]
    if strange:
        raise InputError(f"There is no option {strange[0]}; `glassformer {command} --help` lists them.")
    if len(words) > 1:
        together = " ".join(words)
        raise InputError(f'One text is asked for, and these are {len(words)}; put it in quotes: "{together}".')
    if words and Path(words[0]) != STDIN:
        return words[0]
    if not words and sys.stdin.isatty():
        raise InputError("There is no text: write one behind the run, in quotes, or - for standard input.")
    return read_text(STDIN).text.rstrip("\r\n")


def _facts(task: str | None, text: str, shown: Shown, saved: Saved | None) -> dict[str, Any]:
    texts = shown.look.texts
    page = (
        {}
        if saved is None
        else {
            "page": str(saved.path),
            "bytes": saved.bytes,
            "rounded": saved.rounded,
            "left_out": list(saved.left_out),
        }
    )
    return {
        **page,
        "task": task,
        "about": shown.look.about,
        "text": text,
        "tokens": list(texts.own),
        "source_tokens": list(texts.context),
        "stages": len(shown.trace),
        "words": shown.words,
        "answer": shown.answer,
    }


def _tell(task: str | None, shown: Shown, saved: Saved | None, found: Explanation | None) -> None:
    told = [str(shown), *([f"{shown.look.about}."] if task is None else [])]
    told += [] if found is None else ["", *_arithmetic(shown.trace, found)]
    told += [] if saved is None else _told_of_page(saved)
    for line in told:
        terminal().print(line, markup=False, highlight=False, soft_wrap=True)


def _arithmetic(trace: Trace, found: Explanation) -> list[str]:
    """The formula, the number and how it came about; of a sum of hundreds of terms, its beginning and its end."""
    place = trace.place(found.address, found.index)
    if found.operation == "given":
        entry = trace.entry(found.address)
        is_kernel = entry.stage.ways and entry.stage.way(entry.how) is None
        why = "worked inside torch's own kernel, and not seen there" if is_kernel else "given"
        why = "worked from a matrix too large to be shown" if entry.stage.way(entry.how) is not None else why
        return [entry.stage.meaning, f"{place} = {plain(DECIMALS)(found.number)}, {why}"]
    if len(found.operands) == 1 and found.terms[0].pattern == "{}" and not found.working.pattern:  # a copy
        source = found.operands[0]
        return [
            found.formula,
            f"{place} = {trace.place(source.address, source.index)} = {plain(DECIMALS)(found.number)}",
        ]
    spelled = found.spell(plain(DECIMALS))
    if len(spelled) > LONGEST:
        count = f"… ({len(found.terms):,} terms) …"
        spelled = f"{spelled[: LONGEST // 2]} {count} {spelled[-LONGEST // 4 :]}"
    return [found.formula, f"{place} = {spelled}"]


def _told_of_page(saved: Saved) -> list[str]:
    told = [f"Wrote {saved.path}, {saved.bytes / 1e6:.1f} MB: open it in any browser."]
    if saved.rounded:
        told.append("To keep it small, numbers are rounded to six decimals.")
    if saved.left_out:
        many = f"{len(saved.left_out)} large matrices are" if len(saved.left_out) > 1 else "one large matrix is"
        told.append(f"To keep it small, {many} left out; --megabytes allows more.")
    return told
