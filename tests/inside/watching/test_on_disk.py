"""What is watched may lie on the disk: the same numbers, the same answers, files and not memory."""

from pathlib import Path

import numpy as np
import pytest
import torch
from helpers.hidden_attention import ByHand
from helpers.watching import draw

import glassformer as gf
from glassformer.errors import InputError
from glassformer.inside.watching.on_disk import StageFolder
from glassformer.stages.trace import Entry


def test_stages_lie_in_the_folder_and_are_the_same(tmp_path: Path) -> None:
    model, x = ByHand().eval(), draw(1, 131, 5)
    seen, beside = gf.watch(model, to=tmp_path / "stages").run(x), gf.watch(model).run(x)
    assert torch.equal(seen.answer, beside.answer)
    assert list(seen.trace.entries) == list(beside.trace.entries)
    for address, entry in beside.trace.entries.items():
        np.testing.assert_array_equal(seen.trace[address], entry.values)
    weights = seen.trace.entries["weights"].values
    assert isinstance(weights, np.memmap)
    assert weights.filename == tmp_path / "stages" / "weights.npy"
    assert not weights.flags.writeable
    index = (0, 0, 96, 5)
    assert seen.trace.explain("weights", index) == beside.trace.explain("weights", index)


def test_what_is_small_stays_in_memory_too(tmp_path: Path) -> None:
    entry = Entry("weights", np.eye(3))
    assert StageFolder(tmp_path).put(entry) is entry
    np.testing.assert_array_equal(np.load(tmp_path / "weights.npy"), np.eye(3))


def test_each_pass_needs_a_folder_of_its_own(tmp_path: Path) -> None:
    model, x = ByHand().eval(), draw(1, 131, 5)
    watching = gf.watch(model, keep="weights", to=tmp_path / "stages")
    watching.run(x)
    with pytest.raises(InputError, match="each watched pass needs one of its own"):
        watching.run(x)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="not an empty folder"):
        gf.watch(model, to=tmp_path / "file").run(x)


def test_a_change_has_the_pass_before_it_on_the_disk_too(tmp_path: Path) -> None:
    model, x = ByHand().eval(), draw(1, 131, 5)
    address = "weights"
    seen = gf.watch(model, keep=address, to=tmp_path).run(x, write={address: torch.zeros_like})
    assert seen.before is not None
    files = [each.trace.entries[address].values.filename for each in (seen, seen.before)]  # type: ignore[attr-defined]
    assert files == [tmp_path / f"{address}.npy", tmp_path / "before" / f"{address}.npy"]
