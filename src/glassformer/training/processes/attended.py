"""A command that somebody attends: when its standard input comes to an end, since who started it closed it or has died,
the command is told to stop as by SIGTERM, saves, and leaves. It knows no command.

    python -m glassformer.training.processes.attended train classify negation …
"""

import os
import runpy
import signal
import sys
import threading


def stop_at_the_end_of(attended: int) -> None:
    """Waits for as long as somebody holds the other end of this file. A file of Python's would be locked meanwhile, and
    Python, which closes its files when it ends, would break off."""
    while os.read(attended, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Runs `glassformer` with the words that came, in this process."""
    threading.Thread(target=stop_at_the_end_of, args=(sys.stdin.fileno(),), daemon=True).start()
    runpy.run_module("glassformer", run_name="__main__")


if __name__ == "__main__":
    main()
