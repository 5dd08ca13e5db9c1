"""`glassformer lesson`: checks a lesson of your own, or keeps it as one HTML file. It reads options."""

import sys
from pathlib import Path

from glassformer.errors import InputError, counted
from glassformer.storage import write_file
from glassformer.studio.lessons.lesson_check import check_lesson
from glassformer.studio.lessons.lesson_files import read_lesson_file
from glassformer.studio.lessons.lesson_page import lesson_page
from glassformer.studio.lessons.lesson_room import taught
from glassformer.studio.lessons.places import Places
from glassformer.studio.shelf import Shelf


def lesson(file: Path, *runs: Path, check: bool = False, out: Path | None = None) -> None:
    """Check a lesson of your own: every address must lead somewhere, every answer is worked.

    Parameters
    ----------
    file
        The lesson, a Markdown file; or the name of a built-in one, such as 2-softmax-and-beta.
    runs
        Run folders that it shows, beside the models that came with the package.
    check
        Only check; nothing is written. That is also what happens without --out.
    out
        Write the lesson as one HTML file, if nothing is wrong with it.
    """
    if check and out is not None:
        raise InputError("--check writes nothing; leave it out to write a page.")
    places = Places(Shelf(runs))
    file = next((each for each in taught() if each.stem == str(file)), file)
    read = read_lesson_file(file)
    found = check_lesson(read, places)
    for fault in found.faults:
        print(f"{file}:{fault.line}: {fault.words}")
    for worked in found.worked:
        print(f"{file}:{worked.line}: ✓ {worked.words}")
    for taken in found.taken:
        print(f"{file}:{taken.line}: – {taken.words}")
    told = f"{counted(len(read.steps), 'step')}, {counted(found.views, 'view')}"
    if found.faults:
        print(f"{told}: {counted(len(found.faults), 'fault')}.")
        sys.exit(1)
    marked = f"; {counted(len(found.taken), 'answer')} could not be worked" if found.taken else ""
    print(f"{told}: every address is there, {'every answer' if not marked else 'what can be'} was worked{marked}.")
    if out is not None:
        if out.is_dir():
            raise InputError(f"{out} is a folder; name a file for the page, such as {out / 'lesson.html'}.")
        write_file(out, lesson_page(read, places).encode())
        print(f"Wrote {out}: open it in any browser.")
