"""A fast part of the table of architectures that bench/zoo.py makes."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import transformers as hf

SCRIPT = Path(__file__).parents[3] / "bench" / "zoo.py"


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


@pytest.mark.parametrize(("kind", "verdict"), [("rwkv", "some not seen"), ("minimax", "cannot tell")])
def test_recurrences_that_weigh_are_not_vouched_for(zoo: ModuleType, kind: str, verdict: str) -> None:
    found, _ = zoo.measured(kind, "eager")
    assert found.verdict == verdict, found


def test_what_is_not_rebuilt_is_named(zoo: ModuleType) -> None:
    found, _ = zoo.measured("longformer", "eager")
    assert (found.caught, found.told, found.verdict) == (0, 2, "some not seen")
    assert "softmax weighs other numbers" in str(found)
