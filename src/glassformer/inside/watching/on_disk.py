"""Stages put down in a folder as they come, and read from there when asked for: memory stays flat, however long a text.

One file of numpy for each address, opened as a map of the file; nothing is pickled. It knows nothing of attention.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from glassformer.errors import InputError
from glassformer.stages.trace import Entry

_SMALL = 2**16  # bytes, below which a map of the file is not worth while


class StageFolder:
    """A folder of its own for each watched pass."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir())):
            raise InputError(f"{self.folder} is there and not an empty folder; each watched pass needs one of its own.")
        self.folder.mkdir(parents=True, exist_ok=True)

    def put(self, entry: Entry) -> Entry:
        """The same stage, its numbers on the disk; small ones stay in memory as well."""
        file = self.folder / f"{entry.address}.npy"
        if entry.values.nbytes < _SMALL:
            np.save(file, entry.values)
            return entry
        kept = np.lib.format.open_memmap(file, mode="w+", dtype=entry.values.dtype, shape=entry.values.shape)
        kept[...] = entry.values
        kept.flush()
        return replace(entry, values=np.lib.format.open_memmap(file, mode="r"))
