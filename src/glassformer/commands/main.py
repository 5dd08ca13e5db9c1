"""The command line: finds the command, and turns errors into words and exit codes. Commands are imported when run.

Exit codes: 0 fine · 1 the thing asked about is wrong, or the work failed · 2 wrong usage · 3 the disk is full, or a
fault of Glassformer itself · 4 nothing (or too little) could be checked · 130 stopped by Ctrl-C · 143 by SIGTERM.
"""

import codecs
import errno
import io
import json
import os
import sys
from contextlib import suppress

from cyclopts import App, Parameter

from glassformer import __version__
from glassformer.errors import GlassformerError, InputError, lacks_memory, visible

FAULT = 3  # never the code for a wrong number

app = App(
    name="glassformer",
    version=__version__,
    help="A Transformer you can see through: check attention by hand and look inside every step.\n\n"
    "With --debug before or after the command, an error shows its traceback.\n\n"
    "Exit codes: 0 fine; 1 the thing asked about is wrong, or the work failed; 2 wrong usage; 3 the disk is full, or a "
    "fault of Glassformer itself; 4 nothing (or too little) could be checked; 130 stopped by Ctrl-C; 143 by SIGTERM.",
    default_parameter=Parameter(negative=(), show_default=False),
)
app.command("glassformer.commands.see_inside.studio:studio", name="studio", help="Open the studio in a browser.")
app.command("glassformer.commands.check_work.explain:explain", name="explain", help="Work attention step by step.")
app.command("glassformer.commands.check_work.check:check", name="check", help="Find the first wrong number in notes.")
app.command("glassformer.commands.check_work.exercise:exercise", name="exercise", help="Make a worksheet to fill in.")
app.command("glassformer.commands.train_models.train:train", name="train", help="Train a model on your own text.")
app.command(
    "glassformer.commands.train_models.plan:plan", name="plan", help="Say what a training will cost, before it begins."
)
app.command("glassformer.commands.ship_models.predict:predict", name="predict", help="Predict with a trained model.")
app.command("glassformer.commands.ship_models.serve:serve", name="serve", help="Serve trained models over HTTP.")
app.command("glassformer.commands.see_inside.look:look", name="look", help="Look inside a trained model, as a page.")
app.command("glassformer.commands.see_inside.lesson:lesson", name="lesson", help="Check a lesson of your own.")
app.command("glassformer.commands.see_inside.why:why", name="why", help="Say why a model answers as it does.")
app.command(
    "glassformer.commands.see_inside.tokenize:tokenize", name="tokenize", help="Show how text becomes tokens and ids."
)
app.command("glassformer.commands.train_models.evaluate:evaluate", name="evaluate", help="Evaluate a trained model.")
app.command(
    "glassformer.commands.train_models.describe:describe",
    name="describe",
    help="Count a model's parameters.",
)
app.command(
    "glassformer.commands.ship_models.certify:certify", name="certify", help="Try what is promised of a trained model."
)
app.command("glassformer.commands.ship_models.export:export", name="export", help="Export a model for other tools.")
app.command(
    "glassformer.commands.ship_models.import_model:import_model",
    name="import",
    help="Bring in a model of another tool.",
)
app.command(
    "glassformer.commands.train_models.doctor:doctor", name="doctor", help="Look at the machine, and measure it."
)
app.command(
    "glassformer.commands.train_models.compare:compare",
    name=("compare", "race"),
    help="Race several models on equal terms.",
)


def _without_debug(words: list[str]) -> tuple[list[str], bool]:
    """The words without a `--debug` that stands first, right after the command, or last; elsewhere it is a value."""
    options = words[: words.index("--")] if "--" in words else words
    places = [i for i in (0, 1, len(words) - 1) if 0 <= i < len(options) and words[i] == "--debug"]
    return [word for i, word in enumerate(words) if i not in places], bool(places)


def main() -> None:
    """What the `glassformer` command runs."""
    words, debug = _without_debug(sys.argv[1:])
    _print_whatever_comes()
    try:
        _check_place()
        app(words)
        sys.stdout.flush()
    except GlassformerError as error:
        if debug:
            raise
        _say(str(error))
        sys.exit(error.exit_code)
    except BrokenPipeError:  # its reader left early, as in `glassformer explain | head`: that is no failure
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        _say("stopped with Ctrl-C.")
        sys.exit(130)
    except BaseException as error:
        if debug or not _is_failure(error):
            raise
        sentence, code = _told(error)
        _say(sentence)
        sys.exit(code)


def _check_place() -> None:
    """Refuses to begin in a folder that is there no more: torch would end the process without a word that helps."""
    try:
        os.getcwd()
    except OSError as error:
        raise InputError("The folder you are in was removed or cannot be entered; go to another one (cd).") from error


def _print_whatever_comes() -> None:
    """Where a terminal or a file takes only some signs, as cp1252 does, others are written as JSON writes them,
    `\\u2264`: nothing breaks off, and JSON stays what it says."""
    codecs.register_error("escaped", _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="escaped")


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def _is_failure(error: BaseException) -> bool:
    """Not the wish to leave. A library in Rust that breaks off (as tokenizers may) passes `Exception` by."""
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"


def _told(error: BaseException) -> tuple[str, int]:
    """An error that nobody foresaw, in words, and its exit code: the machine's want of room, or a fault of ours."""
    if "ThreadPoolBuildError" in str(error):
        return (
            "the system lets this user start no more threads. End other programs, or have the limit raised "
            "(ulimit -u, or that of the container).",
            GlassformerError.exit_code,
        )
    if isinstance(error, ImportError):
        from glassformer.extras import lacking

        if said := lacking(error):
            return said, InputError.exit_code
    if lacks_memory(error):
        return (
            "there is not enough memory for this. Close other programs, or make it smaller: fewer rows (--limit), "
            "a narrower model (--set width=…).",
            GlassformerError.exit_code,
        )
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return f"the disk is full: {error.filename or 'the output'} cannot be written.", FAULT
    if isinstance(error, OSError) and error.filename:  # a place that cannot be used, and not for want of room
        return f"{error.filename!s:.200} cannot be used: {error.strerror}.", GlassformerError.exit_code
    what = f"{type(error).__name__}: {error}".rstrip(": ")
    return (
        f"this is a fault of Glassformer, not of yours ({what}).\nWith --debug it shows where; please report it.",
        FAULT,
    )


def _say(sentence: str) -> None:
    """On standard error; what standard output still holds and cannot give out is let go."""
    with suppress(OSError):  # a terminal that was closed
        print(f"glassformer: {visible(sentence)}", file=sys.stderr, flush=True)
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
