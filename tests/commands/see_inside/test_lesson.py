"""`glassformer lesson`: names the line of what is wrong, works answers, writes a page."""

from pathlib import Path

import pytest

from glassformer.commands.see_inside.lesson import lesson
from glassformer.errors import InputError
from glassformer.studio.lessons.lesson_room import taught


def test_a_whole_lesson_is_checked_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lesson(taught()[0], out=tmp_path / "page.html")
    said = capsys.readouterr().out
    assert "✓ scores[1,2] = 2" in said
    assert "6 steps, 6 views: every address is there, every answer was worked." in said
    assert (tmp_path / "page.html").stat().st_size > 50_000


def test_an_answer_that_is_taken_as_marked_has_no_tick(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    marked = tmp_path / "marked.md"
    marked.write_text("---\ntitle: x\nexample: masked\n---\n## s\n:::ask\nWhich?\n- [x] this\n- [ ] that\n:::\n")
    lesson(marked, check=True)
    said = capsys.readouterr().out
    assert "✓" not in said
    assert "– “this” is taken as you marked it" in said
    assert said.endswith("every address is there, what can be was worked; 1 answer could not be worked.\n")


def test_a_model_that_is_not_there_is_named_before_its_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spoilt = tmp_path / "spoilt.md"
    spoilt.write_text("---\ntitle: x\nexample: masked\n---\n## s\n:::view\nroom: inside\nmodel: sentimental\n:::\n")
    with pytest.raises(SystemExit):
        lesson(spoilt, check=True)
    assert "sentimental" in (said := capsys.readouterr().out)
    assert "did you mean 'sentiment'" in said


def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spoilt = tmp_path / "spoilt.md"
    spoilt.write_text("---\ntitle: x\nexample: masked\n---\n## s\n:::view\nstage: wieghts\n:::\n")
    with pytest.raises(SystemExit) as left:
        lesson(spoilt, check=True)
    assert left.value.code == 1
    assert f"{spoilt}:7: " in capsys.readouterr().out
    with pytest.raises(InputError, match="--check writes nothing"):
        lesson(spoilt, check=True, out=tmp_path / "page.html")
    with pytest.raises(InputError, match="is a folder"):
        lesson(taught()[0], out=tmp_path)
