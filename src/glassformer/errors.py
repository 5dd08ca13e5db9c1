"""The errors a person may meet, how a message counts, suggests the nearest right word and quotes what others wrote, and
the one check that is asked for all over. Knows nothing of what went wrong."""

import difflib
import math
from collections.abc import Iterable


class GlassformerError(Exception):
    """Anything Glassformer says no to. `exit_code` is what the command line answers with."""

    exit_code = 1


class InputError(GlassformerError, ValueError):
    """What was handed in cannot be used: the message names the value, what was expected and what to do."""

    exit_code = 2


def lacks_memory(error: BaseException) -> bool:
    """Whether it failed for want of memory; torch says so in a message only."""
    return isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "allocate memory" in str(error))


def kind_of(value: object) -> str:
    """What kind of value this is, in words: `3.5` is a number."""
    words = {
        bool: "true or false", int: "a whole number", float: "a number", str: "a word", list: "a list of words",
        dict: "a table of words",
    }  # fmt: skip
    return words.get(type(value), type(value).__name__)


MOST_THREADS = 1024  # of one piece of work: more is a slip of the pen, and may take the process down


def must_count(name: str, value: int, most: float = math.inf) -> None:
    """Refuses a value that counts nothing, or too many."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        up = "up" if math.isinf(most) else f"to {most:,}"
        raise InputError(f"`{name}` must be a whole number from 1 {up}; it is {value}.")


def must_be_text(name: str) -> None:
    """Refuses the name of a file that is not written in UTF-8: no settings could hold it."""
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"The name {name!r} is none in UTF-8, which settings are written in: rename it, or say that this terminal "
            "uses UTF-8 (LC_ALL=C.UTF-8)."
        ) from error


def counted(count: int, one: str, many: str = "") -> str:
    """So many of something, in a sentence: 1 row, 2 rows; 1 text stands, 2 texts stand."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


_MOST_NAMED = 40  # a table of choices is named whole, a full folder is not


def nearest(word: str, known: Iterable[str]) -> str:
    """A sentence part that helps after an unknown word: the nearest known one, or all of them, if they are not many."""
    names = sorted(known)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return asked_back(word, names) or f"known: {', '.join(names[:_MOST_NAMED])}{more}."


def asked_back(word: str, known: Iterable[str]) -> str:
    """The question whether the nearest known word was meant; nothing where none is near."""
    close = difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.5)
    return f"did you mean '{close[0]}'?" if close else ""


# Signs that steer a terminal instead of being read: shown as pictures, one for one, so that columns stay.
_STEERING = (
    {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"}
    | dict.fromkeys([0x7F], 0x2421)
    | dict.fromkeys([*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD)
)


def visible(text: str) -> str:
    """The text of somebody else, as it may be printed: an escape sequence is seen, not obeyed."""
    return text.translate(_STEERING)
