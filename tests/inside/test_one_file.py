"""The front end, joined: many files make one module and one style sheet, and none may get in another's way."""

import re
from collections import Counter
from importlib.resources import files
from pathlib import Path

from glassformer.inside.page.one_file import SCRIPTS, STYLES, view_script, view_style, widget_script

PAGE = Path(str(files("glassformer.inside.page")))


def test_no_two_files_say_the_same_name() -> None:
    """In one module a name is said once; a browser would refuse all of it."""
    names = re.findall(r"^(?:export |async )*(?:function|class|const|let) (\w+)", view_script(), flags=re.MULTILINE)
    assert len(names) > 100
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_the_module_imports_nothing_and_leaves_nothing_out() -> None:
    assert re.findall(r"^import\b.*", widget_script(), flags=re.MULTILINE) == []
    scripts = {path.relative_to(PAGE).with_suffix("").as_posix() for path in PAGE.rglob("*.js")}
    assert scripts == {*SCRIPTS, "widget"}


def test_every_style_is_read() -> None:
    assert {path.stem for path in PAGE.rglob("*.css")} == set(STYLES)
    assert all((PAGE / "style" / f"{name}.css").read_text(encoding="utf-8") in view_style() for name in STYLES)
