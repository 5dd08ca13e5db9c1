"""What is asked of a pass: what is kept, what is written, and what is refused."""

import numpy as np
import pytest

from glassformer.errors import InputError
from glassformer.inside.watching.asking import Asking
from glassformer.inside.watching.seen import Seen


def test_what_is_kept() -> None:
    plain, little = Asking(), Asking(("*.weights", "h.?.module_output"))
    assert plain.keeps("h.0.attn.scores")
    assert not plain.keeps("h.0.module_output")
    assert not plain.looks_at_modules
    assert little.looks_at_modules
    addresses = ("h.0.attn.weights", "h.0.attn.scores", "h.0.module_output", "x.module_output")
    assert [little.keeps(each) for each in addresses] == [True, False, True, False]
    noted = Asking(noted=frozenset(["h.1.module_output"]))
    assert noted.looks_at_modules
    assert noted.keeps("h.1.module_output")
    assert not noted.keeps("h.0.module_output")


def test_who_writes_in_one_attention() -> None:
    asked = Asking(changes={"a.weights": np.zeros(2), "b.mixed": np.ones(2)})
    writer = asked.writer_for("a.")
    assert writer is not None
    assert set(writer.changes) == {"a.weights"}
    assert asked.writer_for("c.") is None
    again = asked.writer_for("a@2.", np.ones(2))  # weights that were used before
    assert again is not None
    assert set(again.changes) == {"a@2.weights"}


def test_the_error_of_a_change_is_remembered_as_the_callers() -> None:
    asked = Asking(changes={"weights": lambda stage: 1 / 0})
    writer = asked.writer_for("")
    assert writer is not None
    with pytest.raises(ZeroDivisionError) as caught:
        writer("weights", np.zeros(2).view(_Cloned))
    assert asked.failed is caught.value


class _Cloned(np.ndarray):
    def clone(self) -> "np.ndarray":
        return self.copy()


def test_an_address_that_was_not_passed_is_refused() -> None:
    with pytest.raises(InputError, match=r"did you mean 'a\.weights'"):
        Asking(changes={"a.wieghts": 0}).check(Seen(), ["a.weights", "a.mixed"])
