"""The front end, joined: many files make one module and one style sheet, and none may get in another's way."""

import json
import re
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest
from helpers.looks import (
    four_layers,
    small_look,
)
from helpers.small_models import small

from glassformer.inside.document.data import view_data
from glassformer.inside.looks import (
    look_at_classifier,
)
from glassformer.inside.page.one_file import (
    LARGEST,
    SCRIPTS,
    STYLES,
    look_file,
    look_page,
    view_script,
    view_style,
    widget_script,
)
from glassformer.stages.catalogue import CATALOGUE

PAGE = Path(str(files("glassformer.inside.page")))


def test_no_two_files_say_the_same_name() -> None:
    """In one module a name is said once; a browser would refuse all of it."""
    said = r"^(?:export |async )*(?:function|class|const|let) (\w+|[\[{][^=]*[\]}])"  # one, or several in brackets
    declared = re.findall(said, view_script(), flags=re.MULTILINE)
    names = [name for each in declared for name in re.findall(r"\w+", each)]
    assert len(names) > 100
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_the_module_imports_nothing_and_leaves_nothing_out() -> None:
    assert re.findall(r"^import\b.*", widget_script(), flags=re.MULTILINE) == []
    scripts = {path.relative_to(PAGE).with_suffix("").as_posix() for path in PAGE.rglob("*.js")}
    assert scripts == {*SCRIPTS, "widget"}


def test_every_style_is_read() -> None:
    assert {path.stem for path in PAGE.rglob("*.css")} == set(STYLES)
    assert all((PAGE / "style" / f"{name}.css").read_text(encoding="utf-8") in view_style() for name in STYLES)


@pytest.mark.parametrize("name", ["gpt", "modern"])
def test_four_layers_and_thirty_tokens_fit_into_five_megabytes_whole(name: str) -> None:
    page = look_file(four_layers(name))
    assert len(page.encode()) <= LARGEST == 5_000_000
    assert "Left out" not in page


def test_a_document_of_before_gets_its_operations() -> None:
    """The format has not changed: a document without the table is opened, and its numbers are spelled."""
    document = view_data(small_look("transformer"))
    before = {name: value for name, value in document.items() if name != "operations"} | {"recipes": {}}
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', look_page(before))
    assert found is not None
    assert json.loads(found[1])["operations"] == json.loads(json.dumps(document["operations"]))


HOSTILE = ("</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "<!--", "\u202eabc", "\u200d", "]]>")


def test_a_token_cannot_leave_the_data_block() -> None:
    ids = list(range(5, 5 + len(HOSTILE)))
    look = look_at_classifier(small("transformer"), ids, HOSTILE, ["<b>yes</b>", "no", "</script>"], title="<i>x</i>")
    page = look_page(view_data(look))
    assert page.count("<script") == page.count("</script>") == 2
    assert "<img" not in page
    assert "&lt;i&gt;x&lt;/i&gt;</title>" in page
    data = page.split('id="data">')[1].split("</script>")[0]
    assert "<" not in data
    assert json.loads(data)["texts"]["own"] == list(HOSTILE)


def test_the_page_asks_for_nothing_and_runs_nothing_but_itself() -> None:
    page = look_page(view_data(small_look("gpt")))
    assert "default-src 'none'; script-src 'sha256-" in page
    addresses = set(re.findall(r"https?://[^\s\"'`)]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"}  # names, never fetched
    assert not re.search(r"<(?:link|img|iframe)\b|src=|@import|url\(", page.split("<script")[0])


def test_the_front_end_is_one_module_that_puts_in_text_only() -> None:
    script = view_script()
    assert not re.search(r"^\s*import\b", script, flags=re.MULTILINE)
    exported = re.findall(r"^export (.*)", script, flags=re.MULTILINE)
    assert [line.split("(")[0] for line in exported] == ["async function mount", "{ hashFromState, stateFromHash };"]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", script)
    tops = re.findall(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", script, flags=re.MULTILINE)
    assert len(tops) == len(set(tops)), "two files of the front end use one name"
    assert "expression(" not in view_style()


def test_the_front_end_knows_no_stage_by_name() -> None:
    written = set(re.findall(r'"([a-z_]+)"', view_script()))
    others = {"query", "key", "value", "score", "plain", "context", "image"}  # colours, a text, an element of SVG
    assert not (written - others) & set(CATALOGUE)
