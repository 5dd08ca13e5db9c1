"""What is asked of one watched pass: which stages to keep, and which to write. It knows no tensors and no modules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from glassformer.errors import InputError, nearest
from glassformer.inside.watching.calls import Comparison
from glassformer.inside.watching.lens import OUTPUT
from glassformer.inside.watching.on_disk import StageFolder
from glassformer.inside.watching.seen import Seen
from glassformer.stages.trace import Entry
from glassformer.stages.watchers import Rewriter

ATTENTION = "attention"


@dataclass
class Asking:
    """One pass, as it is asked for.

    patterns   addresses to keep, with `*` for anything; `attention` is every stage of attention and no module's output
    changes    what is to stand at an address, or a function of what stands there
    noted      addresses to keep in any case
    known      how well the attentions were rebuilt in the pass before, by their scope
    passed     the addresses that the pass came by
    failed     the error of a change, which is the caller's own and not to be swallowed
    folder     where what is kept goes, if not into memory
    """

    patterns: tuple[str, ...] = (ATTENTION,)
    changes: Mapping[str, Any] = field(default_factory=dict)
    noted: frozenset[str] = frozenset()
    known: Mapping[str, Comparison | None] = field(default_factory=dict)
    passed: dict[str, None] = field(default_factory=dict)
    failed: Exception | None = None
    folder: StageFolder | None = None

    @property
    def looks_at_modules(self) -> bool:
        """Whether the outputs of modules matter."""
        return self.patterns != (ATTENTION,) or any(_is_output(address) for address in self.noted)

    def keeps(self, address: str) -> bool:
        """Whether a stage goes into the trace."""
        if address in self.noted or (ATTENTION in self.patterns and not _is_output(address)):
            return True
        return any(fnmatchcase(address, pattern) for pattern in self.patterns)

    def unmatched(self) -> list[str]:
        """What was to be kept and never passed."""
        named = (pattern for pattern in self.patterns if pattern != ATTENTION)
        return [pattern for pattern in named if not any(fnmatchcase(address, pattern) for address in self.passed)]

    def kept(self, entry: Entry) -> Entry:
        """A stage that is kept, in memory or on the disk."""
        return entry if self.folder is None else self.folder.put(entry)

    def writer_for(self, stem: str, weights: Any = None) -> "_Writer | None":
        """What writes the stages of one attention; `weights` are those written where they were used before."""
        here = {address: change for address, change in self.changes.items() if address.rpartition(".")[0] == stem[:-1]}
        if weights is not None:
            here = {f"{stem}weights": weights, **here}
        return _Writer(here, self) if here else None

    def check(self, before: Seen, passed: Sequence[str]) -> None:
        """Refuses what cannot be written, after a pass without it."""
        calls = {call.scope: call for call in before.calls}
        for address in self.changes:
            if address not in passed:
                raise InputError(
                    f"No stage '{address}' was passed, so nothing can be written; {nearest(address, passed)}"
                )
            call = calls.get(address.rpartition(".")[0])
            if call is not None and not call.agrees and not _is_output(address):
                raise InputError(
                    f"'{address}' cannot be written: its attention was not rebuilt as the model has it. {call}"
                )


def _is_output(address: str) -> bool:
    return address.rpartition(".")[2] == OUTPUT


class _Writer(Rewriter):
    """A rewriter that tells whose an error is."""

    def __init__(self, changes: Mapping[str, Any], asked: Asking) -> None:
        super().__init__(changes)
        self.asked = asked

    def __call__(self, name: str, value: Any, how: str = "") -> Any:
        """The stage as it should be from here on."""
        try:
            return super().__call__(name, value, how)
        except Exception as error:
            self.asked.failed = error
            raise
