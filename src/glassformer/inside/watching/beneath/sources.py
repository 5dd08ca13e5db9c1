"""What the rows of a tensor were worked out from, where that is one tensor: so that experts are told from other rows.

The answers of several layers to the same row have one source; rows of several places have not. Nor have columns of a
picture that were parted, unless each part has a filter of its own: those are several answers to the same place. It
knows storages and places in them, never numbers.
"""

from collections.abc import Hashable, Sequence

from torch import Tensor, nn

from glassformer.inside.watching.beneath.kernels import CHOOSING, JOINING, SHIFTING
from glassformer.inside.watching.beneath.origins import has_own_storage, storage_of


class Sources:
    """The sources of one pass, by storage."""

    def __init__(self, model: nn.Module) -> None:
        weights = [weight for weight in model.parameters() if has_own_storage(weight)]
        self._stacks = {
            storage_of(weight): weight.shape[0] for weight in weights if weight.ndim == 3
        }  # one matrix for each expert
        self._sources: dict[int, Hashable] = {}
        self._roots: dict[int, int] = {}
        self._fans: dict[int, frozenset[int]] = {}
        self._filtered: dict[int, tuple[Hashable, int]] = {}  # some columns of which picture, by which filter

    def of(self, tensor: Tensor) -> Hashable:
        """The source of a tensor: that of its storage, or the part of it that it is."""
        key = storage_of(tensor)
        source = self._sources.get(key, key)
        whole = tensor.numel() * tensor.element_size() >= tensor.untyped_storage().nbytes()
        return source if whole else (source, tensor.storage_offset(), tuple(tensor.shape))

    def root(self, tensor: Tensor) -> int:
        """What all its rows were worked out from, wherever they stand now: some of them, moved or not."""
        key = storage_of(tensor)
        return self._roots.get(key, key)

    def fan(self, tensor: Tensor) -> frozenset[int]:
        """How many answers to one source lie side by side in it."""
        return self._fans.get(storage_of(tensor), frozenset())

    def made(self, name: str, moving: Sequence[Tensor], fixed: Sequence[Tensor], result: Tensor) -> None:
        """A kernel has made this of tensors that depend on what was read, and of matrices of the model."""
        key = storage_of(result)
        self._sources.pop(key, None)
        self._roots.pop(key, None)
        self._fans.pop(key, None)
        self._filtered.pop(key, None)
        stacks = [self._stacks[place] for t in fixed if (place := storage_of(t)) in self._stacks]
        self._stacks.pop(key, None)
        if not moving and stacks:
            self._stacks[key] = stacks[0]
        filtered = [each for tensor in moving if (each := self._by_a_filter(name, tensor, fixed)) is not None]
        if len(moving) == 1 and filtered:
            self._filtered[key] = filtered[0]
        roots = {self.root(tensor) for tensor in moving}
        if len(roots) == 1:
            self._roots[key] = roots.pop()
        sources = {self.of(tensor) for tensor in moving}
        if name in JOINING and len({by for _, by in filtered}) == len(moving):
            sources = {picture for picture, _ in filtered}
        if len(sources) != 1:
            return
        if name not in SHIFTING:  # else other rows stand at each place than before
            self._sources[key] = sources.pop()
        fans = [self.fan(tensor) for tensor in moving]
        fans += [frozenset((len(moving),))] if name in JOINING and len({storage_of(t) for t in moving}) > 1 else []
        fans += [_chosen(self.fan(tensor), tensor, result) for tensor in moving if name in CHOOSING]
        fans += [frozenset(stacks)]
        self._fans[key] = frozenset().union(*fans)

    def _by_a_filter(self, name: str, tensor: Tensor, fixed: Sequence[Tensor]) -> tuple[Hashable, int] | None:
        """Which picture these are columns of, and the filter that reads them or has read them."""
        key = storage_of(tensor)
        if name == "convolution" and fixed and _some_columns(tensor):
            return self._sources.get(key, key), storage_of(fixed[0])
        return self._filtered.get(key)


def _some_columns(tensor: Tensor) -> bool:
    """Whether it is a part of a picture: several of its columns, at every place."""
    if tensor.ndim != _PICTURE or tensor.shape[1] < 2:
        return False
    _, columns, height, width = tensor.shape
    everywhere = tensor.stride()[1:] == (height * width, width, 1)
    return everywhere and tensor.stride(0) > columns * height * width


_PICTURE = 4  # text, columns, height, width


def _chosen(fan: frozenset[int], before: Tensor, after: Tensor) -> frozenset[int]:
    """How many of the answers were chosen, where some are."""
    if before.ndim != after.ndim:
        return frozenset()
    return frozenset(new for old, new in zip(before.shape, after.shape, strict=True) if old in fan and new < old)
