"""The tree is the architecture: folders import downwards by the contract in pyproject.toml, each file says what it
does, and each module is tried in a file of its own."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "glassformer"
TESTS = ROOT / "tests"
MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
FOLDERS = sorted(
    path.relative_to(SOURCE).as_posix()
    for path in SOURCE.rglob("*")
    if path.is_dir() and path.name != "__pycache__" and "pocket" not in path.parts
)
SCRIPTS = sorted(
    path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*") if path.suffix in (".js", ".css", ".html")
)
MOST_ENTRIES = 14
WIDEST = 120  # signs in a line
MOST_LINES = 60  # of one function
APART = ("faults", "helpers", "mutants", "survey")  # folders of tests that mirror none of the source
COMMANDS = "commands/"  # whose signatures are their options, and may be longer


@cache
def parsed(module: str) -> ast.Module:
    """A file's tree, parsed once for all that is asked of it."""
    return ast.parse((SOURCE / module).read_text(encoding="utf-8"))


def contracts(root: Path) -> subprocess.CompletedProcess[str]:
    """What import-linter says of the package under this root."""
    program = (
        f"import sys; sys.path.insert(0, {str(root / 'src')!r})\n"
        "from importlinter.cli import lint_imports\nsys.exit(lint_imports(no_cache=True))"
    )
    return subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False)


def test_imports_that_point_upwards_are_refused(tmp_path: Path) -> None:
    """All at once, since each is told by a line of its own."""
    copied = tmp_path / "src" / "glassformer"
    shutil.copytree(SOURCE, copied, ignore=shutil.ignore_patterns("__pycache__", "pocket", "static"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    wrong = {
        ("layers/attention.py", "glassformer.text.tokens"): "layers is not allowed to import glassformer.text",
        ("text/tokens.py", "glassformer.layers.cache"): "text is not allowed to import glassformer.layers",
        ("inside/looks.py", "glassformer.by_hand.check"): "inside is not allowed to import glassformer.by_hand",
        ("models/registry.py", "glassformer.commands.main"): "models is not allowed to import glassformer.commands",
        ("text/samples.py", "torch"): "text is not allowed to import torch",
    }
    for module, imported in wrong:
        spoilt = copied / module
        spoilt.write_text(spoilt.read_text(encoding="utf-8") + f"\nimport {imported}\n", encoding="utf-8")
    answer = contracts(tmp_path)
    assert answer.returncode == 1
    assert [said for said in wrong.values() if f"glassformer.{said}" not in answer.stdout] == []


def test_the_contracts_hold() -> None:
    answer = contracts(ROOT)
    assert answer.returncode == 0, answer.stdout


def test_what_is_imported_later_stands_below_too() -> None:
    """`Later("module:name")` is an import that import-linter does not see."""
    order = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    floors = {name: i for i, row in enumerate(order["contracts"][0]["layers"]) for name in row.split(" | ")}
    found = [
        (module.partition("/")[0], folder)
        for module in MODULES
        for folder in re.findall(r'Later\("glassformer\.(\w+)', (SOURCE / module).read_text(encoding="utf-8"))
    ]
    assert len(found) > 10
    assert [each for each in found if each[0] != each[1] and floors[each[0]] >= floors[each[1]]] == []


def test_a_file_opens_with_what_it_does() -> None:
    assert [module for module in MODULES if not ast.get_docstring(parsed(module))] == []


def test_imports_are_written_whole() -> None:
    assert [
        f"{module}:{node.lineno}"
        for module in MODULES
        for node in ast.walk(parsed(module))
        if isinstance(node, ast.ImportFrom) and node.level
    ] == []


def test_a_folder_can_be_taken_in_at_a_glance() -> None:
    entries = Counter(
        path.parent.relative_to(SOURCE).as_posix()
        for folder in FOLDERS
        for path in (SOURCE / folder).iterdir()
        if path.name not in ("__pycache__", "__init__.py")
    )
    assert [each for each in entries.items() if each[1] > MOST_ENTRIES] == []


def test_no_function_is_longer_than_a_screen() -> None:
    assert [
        f"{node.name} in {module}"
        for module in MODULES
        for node in ast.walk(parsed(module))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not module.startswith(COMMANDS)
        and (node.end_lineno or 0) - node.lineno >= MOST_LINES
    ] == []


def test_a_line_of_the_page_fits_on_a_screen() -> None:
    """Biome breaks long code; words in quotes it leaves as long as they are."""
    assert [
        f"{script}:{i}"
        for script in SCRIPTS
        for i, line in enumerate((SOURCE / script).read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > WIDEST
    ] == []


def test_a_script_opens_with_what_it_does() -> None:
    opening = ("// ", "/* ", "<!doctype html>")
    assert [script for script in SCRIPTS if not (SOURCE / script).read_text(encoding="utf-8").startswith(opening)] == []


def test_no_two_files_of_one_folder_tree_share_a_name() -> None:
    """`by_hand/…/reading.py` twice would be two rooms under one name."""
    stems = Counter(
        (module.partition("/")[0], Path(module).stem) for module in MODULES if not module.endswith("__init__.py")
    )
    assert [stem for stem, count in stems.items() if count > 1] == []


def does_something(module: str) -> bool:
    """Whether a module has a function that could be wrong: one that is only a table, or only types, has none. What the
    package itself gives is tried in test_public_names.py."""
    functions = [node for node in ast.walk(parsed(module)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return module != "__init__.py" and any(
        not isinstance(line, ast.Expr) or not isinstance(line.value, ast.Constant)  # a docstring, or `...`
        for function in functions
        for line in function.body
    )


def test_a_module_is_tried_in_a_file_of_its_own() -> None:
    """What `layers/attention.py` promises is tried in `tests/layers/test_attention.py`."""
    tried = {module: TESTS / Path(module).with_name(f"test_{Path(module).name}") for module in MODULES}
    missing = [
        f"{file.relative_to(ROOT)} is missing: write it, or move there what tries {module}"
        for module, file in tried.items()
        if does_something(module) and not (file.is_file() and "def test_" in file.read_text(encoding="utf-8"))
    ]
    assert missing == []


def test_tests_stand_in_the_folders_of_the_source() -> None:
    folders = {file.parent.relative_to(TESTS) for file in TESTS.rglob("test_*.py")}
    elsewhere = [folder for folder in folders if not (SOURCE / folder).is_dir() and folder.parts[0] not in APART]
    assert elsewhere == []


def test_what_is_only_a_table_or_only_types_needs_no_file() -> None:
    assert not does_something("by_hand/grammar/signs.py")
    assert not does_something("objectives/objective.py")
    assert does_something("errors.py")


def doubled(trees: Mapping[str, ast.Module]) -> list[str]:
    """Public names at the top of files that stand twice: a class anywhere, a function in one folder of the first row.

    One rule of exemption: a file that the table of objectives names calls its functions by the fields of `Objective`
    that they fill, so that one file can be read beside another. All of these count as one.
    """
    table = (SOURCE / "objectives/table.py").read_text(encoding="utf-8")
    objectives = re.findall(r"glassformer\.objectives\.(\w+):", table)
    fields = {
        each.target.id
        for node in trees["objectives/objective.py"].body
        if isinstance(node, ast.ClassDef) and node.name == "Objective"
        for each in node.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    }
    homes: defaultdict[str, set[Path]] = defaultdict(set)
    for path, tree in ((Path(module), tree) for module, tree in trees.items()):
        folder = path.parts[0]
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                homes[f"class {node.name}"].add(path)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                fills = folder == "objectives" and path.stem in objectives and node.name in fields
                homes[f"{folder}: {node.name}"].add(path.parent if fills else path)
    return sorted(name for name, files in homes.items() if len(files) > 1 and " _" not in name)


def test_a_name_means_one_thing() -> None:
    """Whoever meets `Matrix` or `number` need not ask which."""
    assert doubled({module: parsed(module) for module in MODULES}) == []


@pytest.mark.parametrize(
    ("module", "line", "said"),
    [
        ("text/samples.py", "class Attention: ...", ["class Attention"]),
        ("layers/cache.py", "def causal_mask(): ...", ["layers: causal_mask"]),
        ("objectives/table.py", "async def chrf(): ...", ["objectives: chrf"]),
        ("objectives/table.py", "def judge(): ...", ["objectives: judge"]),
        ("objectives/classes.py", "def prompt(): ...", []),
        ("studio/shelf.py", "def causal_mask(): ...", []),
        ("layers/cache.py", "def _causal_mask(): ...", []),
    ],
)
def test_a_second_thing_of_one_name_is_noticed(module: str, line: str, said: list[str]) -> None:
    spoilt = ast.parse((SOURCE / module).read_text(encoding="utf-8") + f"\n{line}\n")
    assert doubled({each: parsed(each) for each in MODULES} | {module: spoilt}) == said
