"""The pictures in the docs are what the program shows today."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
spec = importlib.util.spec_from_file_location("make_pictures", DOCS / "make_pictures.py")
assert spec is not None
assert spec.loader is not None
make_pictures = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_pictures)


@pytest.mark.parametrize("name", make_pictures.PICTURES)
def test_the_picture_is_up_to_date(name: str) -> None:
    drawn = make_pictures.PICTURES[name]()
    assert (DOCS / "pictures" / name).read_text(encoding="utf-8") == drawn, "run docs/make_pictures.py"
    assert "src:" not in drawn
