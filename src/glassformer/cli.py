"""The command line: finds the command, and turns errors into words and exit codes. Commands are imported when run.

Exit codes: 0 fine · 1 the thing asked about is wrong, or the work failed · 2 wrong usage · 130 stopped by Ctrl-C.
"""

import sys

from cyclopts import App, Parameter

from glassformer import __version__
from glassformer.errors import GlassformerError

app = App(
    name="glassformer",
    version=__version__,
    help="A Transformer you can see through: check it by hand, train it, look inside, ship it.",
    default_parameter=Parameter(negative=(), show_default=False),
)
app.command("glassformer.commands.explain:explain", name="explain", help="Work attention step by step.")
app.command("glassformer.commands.check:check", name="check", help="Find the first wrong number in notes.")
app.command("glassformer.commands.exercise:exercise", name="exercise", help="Make a worksheet to fill in.")


def main() -> None:
    """What the `glassformer` command runs."""
    words = sys.argv[1:]
    debug = "--debug" in words
    try:
        app([word for word in words if word != "--debug"])
        sys.stdout.flush()
    except GlassformerError as error:
        if debug:
            raise
        print(f"glassformer: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
