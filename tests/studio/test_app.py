"""The page's files: what its first one asks for is there, and in the order in which it counts."""

import re
from pathlib import Path

from glassformer.inside.page.one_file import STYLES
from glassformer.studio.app import static_files

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
