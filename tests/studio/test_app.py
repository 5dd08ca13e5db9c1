"""The studio as one application: the page's files are there, and what goes wrong is said in words and by a status."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from helpers.studio_visits import TOKEN, Visitor

from glassformer.errors import GlassformerError, InputError
from glassformer.inside.page.one_file import STYLES
from glassformer.studio.app import GONE, static_files
from glassformer.studio.work_queue import BusyError

FILES = static_files()


def test_every_style_is_asked_for_the_views_own_first() -> None:
    links = re.findall(r'rel="stylesheet" href="([^"]+)"', FILES[""].read_text(encoding="utf-8"))
    assert links[: len(STYLES)] == [f"page/style/{name}.css" for name in STYLES]
    assert sorted(links) == sorted(name for name in FILES if name.endswith(".css"))
    assert links[-1] == "style/phone.css"  # what holds for little room is said last


def test_whatever_a_script_imports_is_there() -> None:
    for name, path in FILES.items():
        if path.suffix == ".js":
            for target in re.findall(r'from "(\.[^"]+)"', path.read_text(encoding="utf-8")):
                place = (Path("/") / name).parent / target
                assert str(place.resolve()).lstrip("/") in FILES, f"{name} imports {target}"


@pytest.fixture
def visitor(tmp_path: Path) -> Iterator[Visitor]:
    found = Visitor(tmp_path)
    yield found
    found.studio.close()


def test_an_address_that_is_none_is_said_to_be_none(visitor: Visitor) -> None:
    answer = visitor.ask("no/such/room")
    assert (answer.status, answer.json) == (404, {"error": "There is nothing at this address."})
    answer = visitor.send("GET", f"/{TOKEN}/do/race/start")
    assert (answer.status, answer.json) == (405, {"error": "This address is not asked in this way."})


@pytest.mark.parametrize(
    ("error", "status"), [(InputError("Not so."), 422), (GlassformerError("Not so."), 409), (BusyError("Not so."), 503)]
)
def test_errors_have_words_and_a_status(error: GlassformerError, status: int, tmp_path: Path) -> None:
    def fails(content: object) -> dict[str, object]:
        raise error

    visitor = Visitor(tmp_path)
    visitor.studio.actions["race/start"] = fails
    visitor.app = visitor.studio.app()
    answer = visitor.ask("race/start")
    assert (answer.status, answer.json) == (status, {"error": "Not so."})
    visitor.studio.close()


def test_a_tab_that_is_closed_leaves_no_work_behind(tmp_path: Path) -> None:
    """But what was to be changed is changed: who stops a run and closes the tab has stopped it."""
    visitor, begun, ended = Visitor(tmp_path), threading.Event(), threading.Event()
    done: list[str] = []

    def endless(content: object) -> dict[str, object]:
        begun.set()
        try:
            while True:
                torch.zeros(3)  # it is before an operation of torch that work is broken off
        finally:
            ended.set()

    def stops(content: object) -> dict[str, object]:
        begun.set()
        gone.wait()
        done.append("stopped")
        return {}

    gone = threading.Event()
    visitor.studio.actions |= {"race/start": endless, "train/stop": stops}
    visitor.app = visitor.studio.app()
    for name, status in (("race/start", GONE), ("train/stop", 200)):
        begun.clear()
        answer = visitor.send("POST", f"/{TOKEN}/do/{name}", body=b"{}", leaves=begun, left=gone)
        assert answer.status == status
    assert ended.wait(60)
    assert done == ["stopped"]
    visitor.studio.desk.close()
    visitor.studio.close()
