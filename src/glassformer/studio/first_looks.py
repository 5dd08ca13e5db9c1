"""First looks: what the studio says of each bundled model before it is loaded, worked out in advance.

A page that opens has the answer and its words at once; the live ones take their place. It knows no other model.
"""

import json
from importlib import resources
from pathlib import Path
from typing import Any

from glassformer.runs.run import pocket_folders
from glassformer.storage import write_file

JSON = dict[str, Any]


def first_look(folder: Path) -> JSON:
    """What is said of a model, `about`; `why` it answers so to its first text; what its `heads` are called, judged over
    many texts. Empty for any other."""
    if folder not in pocket_folders() or not _place(folder.name).is_file():
        return {}
    found: JSON = json.loads(_place(folder.name).read_text(encoding="utf-8"))
    return found


def keep_first_look(name: str, found: JSON) -> Path:
    """Writes one down: `about`, `text`, `why`, `heads`. `scripts/pack.py` does so when a model is put in its place."""
    write_file(_place(name), (json.dumps(found, ensure_ascii=False, indent=None, allow_nan=False) + "\n").encode())
    return _place(name)


def _place(name: str) -> Path:
    return Path(str(resources.files("glassformer.studio"))) / "first" / f"{name}.json"
