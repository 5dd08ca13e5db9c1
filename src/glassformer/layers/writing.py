"""One step of a decoder that writes, in plain sight: its last row, scores, shares, and the likeliest word.

It takes its givens under the names of their stages, as on paper, and hands every stage to the watcher. Beside what is
written stands what training feeds the decoder in its place. It knows no words and no model; a model writes by
models/sampling.py, and its greedy way chooses the same id.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from glassformer.stages.watchers import Watcher, nothing

Givens = Mapping[str, Tensor]


def writing_step(of: Givens, *, see: Watcher = nothing) -> Tensor:
    """The ids that are read at the next step: what was written, and the likeliest id behind it."""
    row = see("writing_row", see("rows", of["rows"][None])[0, -1])  # D
    scores = row @ of["logit_weight"]
    logits = see("logits", scores + of["logit_bias"] if "logit_bias" in of else scores)  # N
    shares = see("next_probabilities", logits.softmax(-1))
    written = of["written_ids"]
    chosen = see("chosen_id", shares.argmax()[None].to(written))
    following = see("next_ids", torch.cat([written, chosen]))
    if "target_ids" in of:
        _teach(written, of["target_ids"], shares, see)
    return following


def _teach(written: Tensor, target: Tensor, shares: Tensor, see: Watcher) -> None:
    """What training feeds; and its loss, if what was written is what it would have fed up to here."""
    forced = see("forced_ids", torch.cat([written[:1], target[:-1]]))
    if torch.equal(forced[: len(written)], written):
        see("step_loss", -shares[target[len(written) - 1].long()].log()[None])
