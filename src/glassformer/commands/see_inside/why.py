"""`glassformer why`: why a model answers as it does, in words first. It reads options; the model is asked."""

import json as json_format
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from glassformer.commands.on_device import load_on, take_threads
from glassformer.commands.see_inside.look import one_text
from glassformer.drawing.terminal import terminal
from glassformer.errors import InputError
from glassformer.inside.why.telling.sentences import less_or_more, signed
from glassformer.inside.why.telling.when_to_trust import parted_parts, parted_words
from glassformer.inside.why.telling.why_page import NO_SHARE, PARTED, Why
from glassformer.inside.why.twins import negated, replaced, swapped

MOST_ROWS = 60  # words of a table in the terminal
PARTS = 5  # heads and networks that are named


def why(
    run: Path,
    *text: Annotated[str, Parameter(allow_leading_hyphen=True)],
    rival: str | None = None,
    answer: str | None = None,
    instead: str | None = None,
    swap: tuple[str, str] | None = None,
    replace: tuple[str, str] | None = None,
    negate: bool = False,
    at: int = 1,
    target: str | None = None,
    points: int | None = None,
    device: str = "auto",
    threads: int | None = None,
    out: Path | None = None,
    json: bool = False,
) -> None:
    """Say why a model answers as it does: its margin over a rival, shared out over the words.

    Parameters
    ----------
    run
        A run folder that `glassformer train` wrote, or the name of a model that came with the package.
    text
        One text, in quotes; or - for standard input.
    rival
        The class or token that the answer is compared with (the next best). Of tokens that read the same the
        likeliest; one with a space before it (" den") begins a word.
    answer
        Another class or token to ask about than the one it chose.
    instead
        A twin text: does the answer turn, and where?
    swap
        Make the twin by swapping two words of the text.
    replace
        Make the twin by replacing a word by another.
    negate
        Make the twin by taking out, or putting in, a "not".
    at
        Of a model that writes: which written token is asked about, counted from 1.
    target
        For a translator: a translation for teacher forcing.
    points
        Slopes taken at most; by default as many as a second allows.
    device
        Where to compute: auto (the best there is), cpu, cuda, cuda:1 or mps.
    threads
        Threads of the processor (as many as torch takes).
    out
        Write a page as well.
    json
        Print one JSON document with all figures.
    """
    take_threads(threads)
    wanted = one_text(text, "why")
    twins = [
        *([instead] if instead is not None else []),
        *([swapped(wanted, *swap)] if swap is not None else []),
        *([replaced(wanted, *replace)] if replace is not None else []),
        *([negated(wanted)] if negate else []),
    ]
    if len(twins) > 1:
        raise InputError("One twin at a time: give --instead, --swap, --replace or --negate.")
    found = load_on(run, device).why(
        wanted, rival=rival, answer=answer, instead=twins[0] if twins else None, at=at, target=target, points=points
    )
    if out is not None:
        found.save(out)
    if json:
        print(json_format.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False))
        return
    told = [*found.sentences, "", *_table(found), *_inside(found), *_written(found)]
    told += [] if out is None else [f"Wrote {out}: open it in any browser."]
    for line in told:
        terminal().print(line, markup=False, highlight=False, soft_wrap=True)


def _table(found: Why) -> list[str]:
    """Every word with its share, and the margin without it."""
    words, blank = found.reasons.words, found.reasons.shared.blank
    first = "" if blank.undecided else f"({blank.name})"
    wide = min(24, max(len(first), *(len(word.text) for word in words)))
    lines = [f"{'':{wide}}   share  without it"]
    if first:
        lines.append(f"{first:{wide}.{wide}} {signed(blank.margin):>7}")
    parted = [id(word) for word in parted_words(found.reasons)]
    lines += [
        f"{word.text:{wide}.{wide}} {NO_SHARE if word.is_blank else signed(word.share):>7} "
        f"{less_or_more(word.without):>11}" + (PARTED if id(word) in parted else "")
        for word in words[:MOST_ROWS]
    ]
    left = len(words) - MOST_ROWS
    lines += [f"… and {left} more words; --json has all."] if left > 0 else []
    return lines + ([f"{PARTED.strip()} the two measures of this word disagree."] if parted else [])


def _inside(found: Why) -> list[str]:
    """What the blocks add directly, and the heads and networks without which the margin moves most."""
    direct, parts = found.reasons.direct, found.reasons.switched_off
    if direct is None:
        return []
    blocks = ", ".join(f"{name} {signed(value)}" for name, value in direct.blocks.items())
    lines = ["", f"Directly: {blocks}; together {signed(sum(part.value for part in direct.parts))}."]
    most = sorted(parts, key=lambda each: -abs(each.less))[:PARTS]
    parted = [id(each) for each in parted_parts(found.reasons)]
    named = ", ".join(f"{each.title} {less_or_more(each.less)}{PARTED if id(each) in parted else ''}" for each in most)
    lines.append(f"With one of these switched off it is: {named}.")
    if any(id(each) in parted for each in most):
        lines.append(f"{PARTED.strip()} the two measures of this part disagree: what it adds directly, and this.")
    return lines


def _written(found: Why) -> list[str]:
    """What else could be asked about, and what it would have written after each block."""
    why = found.reasons
    lines = []
    if len(why.written) > 1:
        lines += [f"In all: “{why.writing}” ({why.search})."] if why.writing else []
        numbered = "  ".join(f"{i} {token}" for i, token in enumerate(why.written, start=1))
        lines.append(f"Written: {numbered}; --at asks for another.")
    if why.lens:
        rows = ", ".join(f"{row.title} “{row.token}” {row.share:.2f}" for row in why.lens)
        lines.append(f"It would write {rows}. {found.to_dict()['lens_warning']}")
    return lines
