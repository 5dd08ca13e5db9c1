"""A lesson is read as it was written; what cannot be read keeps its line, and the rest is read on."""

from pathlib import Path

import pytest

from glassformer.errors import InputError
from glassformer.studio.lessons.lesson_files import read_lesson, read_lesson_file

WHOLE = """---
title: Tea
minutes: 7
example: i-love-ai
---

What it is about.

## First

Words of *this* step.

:::view
#room=by-hand&example=masked&stage=weights&lesson=other
:::

:::do
cell: scores[0,1]
:::

## Second

:::ask
How much?
number: weights[0,0]
tolerance: 0.5
hint: look
why: so
holds: weights[0,0] > 0
:::
"""


def test_a_whole_lesson_is_read() -> None:
    lesson = read_lesson(WHOLE)
    assert (lesson.title, lesson.minutes, lesson.faults) == ("Tea", 7, [])
    first, second = lesson.steps
    assert (first.title, first.line, second.line) == ("First", 9, 21)
    assert first.view is not None
    assert (first.view.line, first.view.fields) == (14, {"room": "by-hand", "example": "masked", "stage": "weights"})
    assert first.deed is not None
    assert (first.deed.kind, first.deed.what, first.deed.line) == ("cell", "scores[0,1]", 18)
    assert second.ask is not None
    assert (second.ask.number, second.ask.tolerance, second.ask.holds) == (
        "weights[0,0]", 0.5, ((29, "weights[0,0] > 0"),),
    )  # fmt: skip
    assert "".join(first.words).strip() == "Words of *this* step."


def test_a_step_without_a_view_keeps_the_last_and_the_front_matter_fills_in() -> None:
    lesson = read_lesson(WHOLE)
    assert lesson.fields(1) == lesson.fields(0) == {"room": "by-hand", "example": "masked", "stage": "weights"}
    model = read_lesson(
        "---\ntitle: t\nmodel: a\ntext: b\n---\n## s\n:::view\nat: x\n:::\n## u\n:::view\nmodel: c\n:::\n"
    )
    assert model.fields(0) == {"room": "inside", "model": "a", "text": "b", "at": "x"}
    assert model.fields(1) == {"room": "inside", "model": "c"}  # the text was for another model


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("## s\n", 1, "front matter"),
        ("---\ntitel: x\n---\n## s\n", 2, "did you mean 'title'"),
        ("---\ntitle: x\n", 1, "does not end"),
        ("---\ntitle: x\n---\nwords\n", 4, "there is no step"),
        ("---\ntitle: x\n---\n# s\n## s\n", 4, "begins with '## '"),
        ("---\ntitle: x\n---\n## s\n:::veiw\na: b\n:::\n", 5, "did you mean 'view'"),
        ("---\ntitle: x\n---\n## s\n:::view\na: b\n", 5, "does not end"),
        ("---\ntitle: x\n---\n:::view\na: b\n:::\n## s\n", 4, "before the first step"),
        ("---\ntitle: x\n---\n## s\n:::do\njump: b\n:::\n", 5, "“cell:”"),
        ("---\ntitle: x\n---\n## s\n:::view\nnonsense\n:::\n", 5, "is no address"),
        ("---\ntitle: x\n---\n## s\n:::ask\nq\n- [ ] a\n- [ ] b\n:::\n", 5, "needs a right choice"),
        ("---\ntitle: x\n---\n## s\n:::ask\nq\n:::\n", 5, "either choices"),
        ("---\ntitle: x\n---\n## s\n:::ask\n- [ ] a\n- [x] b\n:::\n", 5, "no question"),
        ("---\ntitle: x\n---\n## s\n:::ask\nq\nnumber: a\ntolerance: 0\n:::\n", 8, "above 0"),
        ("---\ntitle: x\n---\n## s\n:::ask\nq\nnumber: a\ntolerance: little\n:::\n", 8, "is 'little'"),
        ("---\ntitle: x\n---\n## s\n:::ask\nq\nnumber: a\nhnt: b\n:::\n", 8, "did you mean 'hint'"),
        ("---\ntitle: x\n---\n## s\n:::view\nstage: a\n:::do\ncell: b\n:::\n", 5, "':::view' does not end"),
        ("---\ntitle: x\n---\n## s\na <b>word</b>\n", 5, "'<b>' is HTML"),
        ("---\ntitle: x\n---\n## s\n:::do\ncell: b\n:::\n:::do\ncell: b\n:::\n", 8, "already"),
        ("---\ntitle: x\ntitle: y\n---\n## s\n", 3, "said twice"),
        ("---\ntitle: x\n---\n## s\n:::view\nstage: a\nstage: b\n:::\n", 5, "'stage' is said twice"),
        ("---\ntitle: x\n---\n## s\nsee ![a cat](cat.png)\n", 5, "is a picture"),
        ("---\ntitle: x\n---\n## s\nsee [here](https://a.b)\n", 5, "is a link"),
        ("---\ntitle: x\n---\n## s\n| a | b |\n", 5, "is a table"),
        ("---\ntitle: x\n---\n## s\n- first\n- second\n", 5, "is a list"),
        ("---\ntitle: x\n---\n## s\n### more\n", 5, "is a heading"),
        ("---\ntitle: x\n---\n## s\n```python\n", 5, "is code"),
        ("---\ntitle: x\n---\n## s\nthat is $QK^T$\n", 5, "is a formula"),
    ],
)
def test_a_fault_names_its_line(text: str, line: int, said: str) -> None:
    fault = read_lesson(text).faults[0]
    assert fault.line == line
    assert said in fault.words


def test_words_that_only_look_like_other_markdown_are_words() -> None:
    plain = "*so* costs $5 or $6; `[1](2)` and `$a$` are signs, 1,984 too - and a | b"
    assert read_lesson(f"---\ntitle: x\n---\n## s\n{plain}\n").faults == []


def test_a_mark_at_the_beginning_and_other_line_ends_are_read(tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_bytes(b"\xef\xbb\xbf" + WHOLE.replace("\n", "\r\n").encode())
    assert read_lesson_file(tmp_path / "tea.md").steps == read_lesson(WHOLE).steps


def test_files_that_cannot_be_read_are_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_lesson_file(tmp_path / "none.md")
    (tmp_path / "odd.md").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(InputError, match="UTF-8"):
        read_lesson_file(tmp_path / "odd.md")
    with pytest.raises(InputError, match="are the most"):
        read_lesson("x" * 200_001)
