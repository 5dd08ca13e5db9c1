"""What is known of the tensors of one watched pass while they live: who is scores or weights, who was lost sight of.

The rules read and write it; it takes no step itself, and knows neither modules nor the core.
"""

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

from torch import Tensor
from torch.utils.weak import WeakIdKeyDictionary

from glassformer.inside.watching.following.nodes import AttentionWeights, Lost, Moved, Node, PartMixed, Scores, Spread
from glassformer.inside.watching.following.products import Args, Kwargs, tensors_among

_NONE: frozenset[int] = frozenset()
_MANY = 64  # the latest products are remembered: between scores and their softmax there are few
_LIKE_THE_SECOND = frozenset(("type_as", "to", "expand_as", "view_as", "reshape_as"))  # whose numbers do not matter


class Trail:
    """The tensors that are followed, and the attentions that were begun."""

    def __init__(
        self, where: Callable[[], str | None], numbers: Iterator[int], given: Callable[[Tensor], bool] = lambda _: False
    ) -> None:
        self.where = where  # the module that is running
        self.given = given  # whether a tensor depends on the model alone, and not on what it reads
        self._numbers = numbers  # for what is begun
        self.nodes: MutableMapping[Tensor, Node] = WeakIdKeyDictionary()
        self.made_of: MutableMapping[Tensor, frozenset[int]] = WeakIdKeyDictionary()  # the products behind a tensor
        self.spoke = False  # whether the last call that was told is one that was named
        self.spoke_of: int | None = None  # the weights that were named then
        self.part_of: int | None = None  # the attention that the last call worked a part of
        self.open: dict[int, tuple[str | None, str]] = {}  # begun and not completed: where, and why
        self.weighed: set[int] = set()  # of these, what met other numbers all the same

    def node(self, tensor: Any) -> Node | None:
        """What this tensor is known to be."""
        return self.nodes.get(tensor) if isinstance(tensor, Tensor) else None

    def traced(self, name: str, args: Args, kwargs: Kwargs, result: Any) -> None:
        """Notes which products a call's result is made of, through whatever calls."""
        if name.endswith("_like") or name.startswith("new_"):
            return
        read = args[:1] if name in _LIKE_THE_SECOND else (*args, *kwargs.values())
        products = frozenset[int]().union(*(self.made_of.get(each, _NONE) for each in tensors_among(read)))
        if not products:
            return
        if len(products) > _MANY:
            products = frozenset(sorted(products)[-_MANY:])
        made = args[:1] if name == "__setitem__" else (result,)
        for each in tensors_among(made):
            self.made_of[each] = products

    def product(self, result: Tensor) -> frozenset[int]:
        """The number of a product, newly given; what is made of it will be known."""
        number = frozenset((next(self._numbers),))
        self.made_of[result] = self.made_of.get(result, _NONE) | number
        return number

    def follows(self, value: Any, scores: Scores) -> bool:
        """Whether a tensor is made of these very scores."""
        return isinstance(value, Tensor) and bool(self.made_of.get(value, _NONE) & scores.products)

    def lost(self, name: str, args: Args, result: Tensor) -> Lost | None:
        """What becomes of scores or weights in a call that is no step of attention."""
        for tensor in tensors_among(args):
            node = self.node(tensor)
            alike = result.numel() == tensor.numel() or result.shape[:-1] == tensor.shape[:-1]
            if alike and isinstance(node, Scores | AttentionWeights | Lost):
                number = node.number if isinstance(node, AttentionWeights | Lost) else None
                return self.astray(node.call if isinstance(node, Lost) else name, number)
            if isinstance(node, Spread | Moved | PartMixed):
                return self.astray(name, node.node.number)
        return None

    def astray(self, call: str, number: int | None, weighs: bool = False) -> Lost:
        """Says which call it was."""
        if weighs and number is not None:
            self.spoke, self.spoke_of = True, number
            self.weighed.add(number)
        if number is not None and number in self.open:
            self.open[number] = (self.open[number][0], f"`{call}` is not a step that can be followed")
        return Lost(call, number)

    def scores_as_they_came(self, tensor: Tensor, dim: int | None) -> Scores | None:
        """Scores of which nobody knows how they were made; only one who takes them so has an answer."""
        return None

    def forget(self, number: int | None) -> None:
        """What was begun under this number has been found elsewhere."""
        if number is not None:
            self.open.pop(number, None)
            self.weighed.discard(number)

    def begun(self) -> int:
        """A number for weights that have just been made."""
        number = next(self._numbers)
        self.open[number] = (self.where(), "no product with values followed")
        return number
