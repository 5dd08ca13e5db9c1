"""The code of an export's README, run as it stands there, but for the text that it is asked about."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from glassformer.runs.run import Run


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def answer(folder: Path, text: str) -> Any:
    """What it answers to a text."""
    (block,) = re.findall(r"```python\n(.*?)```", (folder / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    told = block.replace('"A text of yours."', repr(text))
    assert told != block
    names: dict[str, Any] = {}
    with _inside(folder):
        exec(compile(told, "README.md", "exec"), names)
    return names["answer"]


def ours(run: Run, text: str) -> Any:
    """What the run itself answers, greedily: of a classifier, the share of each class."""
    if run.card.labels:
        return run.predict([text])[0].scores  # type: ignore[union-attr]
    return run.predict([text], temperature=0.0, beam=1)[0].said
