"""A fast part of the table of architectures that bench/zoo.py makes, beside the page that was made of it."""

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import transformers as hf

HOUSE = Path(__file__).parents[3]
SCRIPT = HOUSE / "bench" / "zoo.py"


def told_of(kind: str) -> str:
    """What the page of architectures has in the column of base models."""
    lines = (HOUSE / "docs" / "architectures.md").read_text().splitlines()
    row = next(line for line in lines if line.startswith(f"| `{kind}` |"))
    return row.split("|")[2].strip()


@pytest.fixture(scope="module")
def zoo() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("zoo", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["zoo"] = module  # its dataclass asks for it
    spec.loader.exec_module(module)
    hf.logging.set_verbosity_error()
    yield module
    del sys.modules["zoo"]


@pytest.mark.parametrize(
    ("kind", "caught"),
    [("gpt2", 2), ("gemma2", 2), ("gpt_oss", 2), ("t5", 6), ("xlnet", 2), ("mixtral", 2), ("vit", 2), ("mamba2", 0)],
)  # fmt: skip
def test_an_architecture_is_seen_and_left_as_it_is(zoo: ModuleType, kind: str, caught: int) -> None:
    found, seen = zoo.measured(kind, "eager")
    assert seen is not None, found.left_out
    assert found.same
    assert (found.caught, found.counted, found.verdict) == (caught, caught, "all seen"), found
    assert found.told_equal == found.told == caught, found
    assert not found.doubtful
    assert told_of(kind) == str(caught)


@pytest.mark.parametrize(("kind", "verdict"), [("rwkv", "some not seen"), ("minimax", "cannot tell")])
def test_recurrences_that_weigh_are_not_vouched_for(zoo: ModuleType, kind: str, verdict: str) -> None:
    found, _ = zoo.measured(kind, "eager")
    assert found.verdict == verdict, found
    assert told_of(kind).endswith({"some not seen": "!", "cannot tell": "?"}[verdict])


def test_the_page_is_made_of_what_was_measured() -> None:
    spec = importlib.util.spec_from_file_location("architectures", HOUSE / "bench" / "architectures.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)

    def line(kind: str, how: str, caught: int, verdict: str, left_out: str = "") -> str:
        found = {"kind": kind, "mapping": "base", "how": how, "caught": caught, "verdict": verdict}
        return json.dumps({**found, "left_out": left_out})

    told = [line("gpt", "eager", 2, "all seen"), line("gpt", "sdpa", 2, "all seen"),
            line("led", "eager", 4, "some not seen"), line("led", "sdpa", 5, "cannot tell"),
            line("big", "eager", 0, "", "too large")]  # fmt: skip
    page = made.page(told)
    assert "| `gpt` | 2 |\n| `led` | 4 ! / 5 ? |\n" in page
    assert "2 architectures, 4 pairs of model and implementation: 2 `all seen`, 1 `some not seen`, 1 `can" in page
    assert page.endswith("Left out, 1: `big`.\n")


def test_windows_whose_rows_run_over_several_products_are_rebuilt(zoo: ModuleType) -> None:
    found, _ = zoo.measured("longformer", "eager")
    assert (found.caught, found.counted, found.verdict) == (2, 2, "all seen"), found


def test_what_is_not_rebuilt_is_named(zoo: ModuleType) -> None:
    found, _ = zoo.measured("swiftformer", "eager")
    assert (found.caught, found.verdict) == (0, "some not seen")
    assert "softmax weighs other numbers" in str(found)
