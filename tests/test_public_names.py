"""The public surface: listed, sorted, documented, reachable, and light to import."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import glassformer as gf

SOURCE = Path(gf.__file__).parent


def test_the_list_is_sorted_and_complete() -> None:
    capitals_first = sorted(gf.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert gf.__all__ == capitals_first
    homes = [name for names in gf._HOMES.values() for name in names.split()]
    assert sorted(homes) == sorted(gf.__all__)
    assert len(set(homes)) == len(homes)


@pytest.mark.parametrize("name", gf.__all__)
def test_each_name_is_there_and_says_what_it_is(name: str) -> None:
    thing = getattr(gf, name)
    if inspect.isclass(thing) or inspect.isfunction(thing):
        assert inspect.getdoc(thing)


def test_what_a_public_function_gives_is_public_too(tmp_path: Path) -> None:
    """A user who writes down what a function gives need not look for where it is defined."""
    run = gf.load("sentiment")
    solution, report = gf.explain("masked"), gf.check_text("1 + 1 = 3\n")
    shown = run.look("so warm")
    watch = gf.watch(torch.nn.MultiheadAttention(4, 2, batch_first=True))
    given = [
        solution, solution.explain(), report, report.first_wrong, run, shown, shown.save(tmp_path / "page.html"),
        run.certify(), run.learnt, run.why("so warm"), gf.describe(torch.nn.Linear(3, 5), torch.ones(2, 3)),
        watch, watch.run(*[torch.ones(1, 3, 4)] * 3), *run.predict(["so warm"]),
        *gf.load("english-german").predict(["hello"], longest=3), *gf.load("shakespeare").predict(["O"], longest=3),
    ]  # fmt: skip
    assert {type(thing).__name__ for thing in given} <= set(gf.__all__)
    assert all(isinstance(thing, getattr(gf, type(thing).__name__)) for thing in given)
    assert issubclass(gf.StoppedError, gf.GlassformerError)


def test_no_name_is_also_a_file_that_would_replace_it_when_imported() -> None:
    assert not {path.stem for path in SOURCE.iterdir()} & set(gf.__all__)


def test_an_unknown_name_is_an_error_as_usual() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Atention'"):
        _ = gf.Atention  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "program",
    [
        "import glassformer",
        "import glassformer.commands.main",
        "import glassformer; glassformer.record, glassformer.Trace, glassformer.CATALOGUE",
        *(
            f"import sys; sys.argv = {words}\nfrom glassformer.commands.main import main\n"
            "try: main()\nexcept SystemExit as stop: assert not stop.code"
            for words in (["glassformer", "--help"], ["glassformer", "explain", "--help"])
        ),
    ],
)
def test_torch_is_not_imported_before_it_is_needed(program: str) -> None:
    check = "\nimport sys\nassert 'torch' not in sys.modules, 'torch was imported'"
    subprocess.run([sys.executable, "-c", program + check], check=True, capture_output=True, timeout=250)
