"""The reference in the docs is what the server says of itself today."""

import importlib.util
from pathlib import Path

from glassformer.serving.app import OPERATIONS

DOCS = Path(__file__).parents[2] / "docs"
spec = importlib.util.spec_from_file_location("make_api_reference", DOCS / "make_api_reference.py")
assert spec is not None
assert spec.loader is not None
make_api_reference = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_api_reference)


def test_the_page_is_up_to_date() -> None:
    assert (DOCS / "api.md").read_text(encoding="utf-8") == make_api_reference.page(), "run docs/make_api_reference.py"


def test_the_page_names_every_field() -> None:
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    for operation in OPERATIONS:
        section = page.split(f"## POST {operation.path}\n")[1].split("\n## ")[0]
        assert all(f"| `{name}` |" in section for name in operation.fields)
