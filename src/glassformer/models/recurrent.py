"""The classifiers that read word by word: RNN, GRU and LSTM. They know ids, not how a text is cut into them.

How rows of unlike length are read stands in layers/recurrent.py; the contract is that of classifiers.py.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from glassformer.layers.embedding import Embedding, Head
from glassformer.layers.recurrent import GRU, LSTM, RNN
from glassformer.models.classifiers import words_left_out
from glassformer.models.config import RecurrentConfig
from glassformer.stages.watchers import Watcher, nothing


class RecurrentClassifier(nn.Module):
    """Reads word by word; the last state answers."""

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = Embedding(config.vocabulary, config.width)
        self.plain = config.gates == 1 and config.layers == 1 and not config.both_ways
        self.recurrent = _CELLS[config.gates](
            config.width, config.state, config.layers, batch_first=True, bidirectional=config.both_ways
        )
        self.head = Head(config.state, config.classes)

    def forward(
        self, ids: Int[Tensor, "B T"], real: Bool[Tensor, "B T"], *, see: Watcher = nothing
    ) -> Float[Tensor, "B N"]:
        """The state after the last real word (of the last layer and direction), turned into logits."""
        if self.training and self.config.word_dropout > 0:
            ids, real = words_left_out(ids, real, self.config.word_dropout)
        embedded, real = self.embedding(ids, see=see), see("real", real)
        lengths = real.sum(1).clamp(min=1)
        states, last = self.recurrent(embedded, lengths, nothing if self.plain else see)
        if see is not nothing:
            behind = torch.arange(ids.shape[1], device=ids.device) >= lengths[:, None]  # B T
            self._show(states.masked_fill(behind[..., None], 0.0), see)
        way = "way back" if self.recurrent.bidirectional else "last state"
        return self.head(see("pooled", last, way), see=see)  # type: ignore[no-any-return]

    def _show(self, states: Tensor, see: Watcher) -> None:
        """The states are for the eye only: torch's kernel keeps them to itself, so they can be read but not written."""
        if self.plain:
            for stage, name in _RECURRENT_WEIGHTS.items():
                weight = getattr(self.recurrent, name)
                see(stage, weight.T if weight.ndim == 2 else weight)
        ways = "both ways" if self.recurrent.bidirectional else "one way"
        see("states", states, "plain" if self.plain else ways)


_CELLS: Mapping[int, Callable[..., nn.RNNBase]] = MappingProxyType({1: RNN, 3: GRU, 4: LSTM})  # by gates
_RECURRENT_WEIGHTS = {
    "recurrent_weight": "weight_ih_l0",
    "recurrent_bias": "bias_ih_l0",
    "state_weight": "weight_hh_l0",
    "state_bias": "bias_hh_l0",
}
