"""The layout is the architecture: a file imports only from floors below, or from an earlier file on its own floor."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "glassformer"

# From the ground up, and on each floor from left to right.
FLOORS = [
    ["errors", "stages", "arithmetic", "notation", "trace", "watchers", "config"],
    [
        *("worksheet", "tokens", "samples", "made"),
        *(f"readers/{name}" for name in ("text_files", "tables", "columns", "folders", "named_sets")),
        *("corpora", "corruption", "batches"),
    ],
    ["checks", "cache", "kernels", "attention", "synthesizers", "multihead", "layers", "order", "ends"],
    ["classifiers", "translator", "language_model"],
    [
        *("worked", "mask_laboratory", "build", "lessons", "optimizers", "training"),
        *("decode", "beam", "writers", "bootstrap", "metrics", "machine", "quantities", "sizes"),
        *("storage", "weights", "run_folder", "subjects", "promises", "certify"),
        *("predictions", "evaluation", "recipes"),
    ],
    [
        *("curves", "score_words", "charts", "one_file"),
        *("handout", "drawing", "page", "laboratory_page", "written", "solution"),
        *(f"handwork/{room}" for room in ("expressions", "names", "signs", "lexing", "folding", "layout", "parsing")),
        *(f"handwork/{room}" for room in ("intervals", "evaluation", "formulas")),
        *(
            f"handwork/{room}"
            for room in ("canvas", "documents", "worksheets", "sheets", "tables", "reading", "statements", "steps")
        ),
        *(f"handwork/{room}" for room in ("comparison", "following", "scenes", "pen_slips", "method_slips", "slips")),
        *(f"handwork/{room}" for room in ("ledger", "alignment", "chains")),
        *(f"handwork/{room}" for room in ("checking", "spelling", "findings", "judging", "check")),
        *(
            f"handwork/{room}"
            for room in ("wording", "margins", "mathml", "pages", "mending", "workings", "planting", "writing")
        ),
        *(f"handwork/{room}" for room in ("exercises", "runner", "foreign")),
        *(
            f"view/{room}"
            for room in ("recipes", "trees", "parts", "packing", "answers", "opening", "looks", "looking", "data")
        ),
        *("view/pages", "notebook", "view/shown"),
        *(f"watching/{room}" for room in ("steps", "products", "rebuilding", "following", "fused", "seen", "watch")),
        *("runs", "preparation", "showcase", "report_page", "teaching", "tracking", "race", "race_page"),
    ],
    [
        "terminal",
        *(f"studio/{room}" for room in ("asking", "guard", "desk", "markup", "shelf", "by_hand", "changes", "inside")),
        *(f"studio/{room}" for room in ("lapse", "train", "race", "app")),
        "check_page",
        "training_screen",
        "result_page",
        "sizes_page",
        "certificate_page",
        "machine_page",
        "race_table",
        "commands/settings",
        "commands/describe",
        "commands/certify",
        "commands/doctor",
        "commands/train",
        "commands/studio",
        "commands/predict",
        "commands/evaluate",
        "commands/look",
        "commands/compare",
        "commands/explain",
        "commands/check_code",
        "commands/check",
        "commands/exercise",
        "cli",
        "__main__",
    ],
]
ORDER = [name for floor in FLOORS for name in floor]
MODULES = sorted(path.relative_to(SOURCE).with_suffix("").as_posix() for path in SOURCE.rglob("*.py"))
ROOMS = [module for module in MODULES if not module.endswith("__init__")]


def imported(module: str) -> set[str]:
    """The absolute names a module imports, at the top or anywhere within."""
    tree = ast.parse((SOURCE / f"{module}.py").read_text(encoding="utf-8"))
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: write imports absolutely"
            names |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def rooms_imported(module: str) -> set[str]:
    """The rooms a module imports; `from glassformer import notation` names one too."""
    found = {
        name.removeprefix("glassformer.").replace(".", "/")
        for name in imported(module)
        if name.startswith("glassformer.")
    }
    return found & set(ROOMS)


def test_every_room_has_a_floor_and_every_floor_its_rooms() -> None:
    assert sorted(ORDER) == ROOMS


@pytest.mark.parametrize("module", ROOMS)
def test_the_map_names_every_room(module: str) -> None:
    assert f"`{module}.py`" in (SOURCE.parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("module", ROOMS)
def test_imports_go_down_or_left(module: str) -> None:
    for other in rooms_imported(module):
        assert ORDER.index(other) < ORDER.index(module), f"{module} must not import {other}"


@pytest.mark.parametrize("module", [*FLOORS[0], *FLOORS[1]])
def test_facts_and_text_are_free_of_torch(module: str) -> None:
    assert not {name for name in imported(module) if name.partition(".")[0] == "torch"}


@pytest.mark.parametrize("module", FLOORS[6])
def test_nobody_imports_a_face(module: str) -> None:
    assert not [room for room in ROOMS if room not in FLOORS[6] and module in rooms_imported(room)]


@pytest.mark.parametrize("module", MODULES)
def test_a_file_opens_with_what_it_does(module: str) -> None:
    assert ast.get_docstring(ast.parse((SOURCE / f"{module}.py").read_text(encoding="utf-8")))
