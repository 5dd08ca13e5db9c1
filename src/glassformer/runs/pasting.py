"""Commands as they can be pasted into a shell, whatever their words hold. It runs none and knows no command."""

import shlex
from collections.abc import Iterable

_TOUCHED = frozenset('"$`\\!')  # what a shell reads within double quotes


def pasteable(words: Iterable[object]) -> str:
    """The words of a command; those that a shell would take apart or read in its own way stand in quotes."""
    return " ".join(_quoted(str(word)) for word in words)


def _quoted(word: str) -> str:
    """In double quotes where they do, as every system's shell knows them; else as POSIX has it."""
    quoted = shlex.quote(word)
    return quoted if quoted == word or _TOUCHED & set(word) else f'"{word}"'
