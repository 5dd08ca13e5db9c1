"""A fast part of the table of architectures that docs/make_watch_table.py makes."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
import transformers as hf

SCRIPT = Path(__file__).parents[3] / "docs" / "make_watch_table.py"


@pytest.fixture(scope="module")
def table() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_watch_table", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    hf.logging.set_verbosity_error()
    return module


@pytest.mark.parametrize(
    ("kind", "caught", "bare"),
    [("gpt2", 2, False), ("gemma2", 2, False), ("gpt_oss", 2, False), ("t5", 6, False), ("xlnet", 2, False),
     ("mamba2", 0, True)],
)  # fmt: skip
def test_an_architecture_is_seen_and_left_as_it_is(table: ModuleType, kind: str, caught: int, bare: bool) -> None:
    told, seen, equal = table.measured(kind, "eager")
    assert seen is not None, told
    assert equal
    assert (len(seen.calls), seen.verdict) == (caught, "all seen")
    assert bool(seen.bare) == bare
    assert told in ("", f"of {caught}")
