"""One step of a recurrent network in plain sight: RNN, LSTM and GRU, each from the weights it is handed.

A step takes its givens under the names of their stages, single rows and matrices as on paper, and hands every stage to
the watcher. It knows no sequence and no batch; torch's own kernels read those, and give the same numbers.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import torch
from torch import Tensor

from glassformer.stages.watchers import Watcher, nothing

Givens = Mapping[str, Tensor]
BENDS: MappingProxyType[str, Callable[[Tensor], Tensor]] = MappingProxyType({"tanh": torch.tanh, "relu": torch.relu})


def rnn_step(of: Givens, *, activation: str = "tanh", see: Watcher = nothing) -> Tensor:
    """The new state: the word and the state before, stacked before one matrix or each with a matrix of its own."""
    if "step_weight" in of:
        total = see("step_sum", _projected(_stacked(of, see), "step", of), "stacked")
    else:
        total = _projected(of["step_input"], "recurrent", of) + _projected(of["previous_state"], "state", of)
        total = see("step_sum", total + of["step_bias"] if "step_bias" in of else total, "apart")
    return see("new_state", BENDS[activation](total), activation)


def lstm_step(of: Givens, *, see: Watcher = nothing) -> tuple[Tensor, Tensor]:
    """The new state and the new cell."""
    stacked = _stacked(of, see)
    written, kept, shown = (_gate(f"{name}_gate", stacked, of, see) for name in ("input", "forget", "output"))
    candidate = see("cell_candidate", see("cell_sum", _projected(stacked, "cell", of)).tanh())
    cell = see("new_cell", kept * of["previous_cell"] + written * candidate)
    return see("new_state", shown * cell.tanh(), "lstm"), cell


def gru_step(of: Givens, *, see: Watcher = nothing) -> Tensor:
    """The new state. The reset gate stands after the candidate's matrix of the state, if there is one, else before."""
    stacked = _stacked(of, see)
    reset, update = (_gate(f"{name}_gate", stacked, of, see) for name in ("reset", "update"))
    before = of["previous_state"]
    if "candidate_state_weight" in of:  # as torch has it
        state = see("candidate_state", _projected(before, "candidate_state", of))
        word = of["step_input"] @ of["candidate_word_weight"] + of.get("candidate_bias", 0)
        total = see("candidate_sum", word + reset * state, "reset after")
    else:  # as the paper has it
        left = see("reset_state", reset * before)
        both = see("reset_stacked", torch.cat([of["step_input"], left]))
        total = see("candidate_sum", _projected(both, "candidate", of), "reset before")
    candidate = see("step_candidate", total.tanh())
    return see("new_state", (1 - update) * candidate + update * before, "gru")


def _stacked(of: Givens, see: Watcher) -> Tensor:
    return see("step_stacked", torch.cat([of["step_input"], of["previous_state"]]))


def _projected(row: Tensor, name: str, of: Givens) -> Tensor:
    answer = row @ of[f"{name}_weight"]
    return answer + of[f"{name}_bias"] if f"{name}_bias" in of else answer


def _gate(name: str, stacked: Tensor, of: Givens, see: Watcher) -> Tensor:
    return see(name, see(f"{name}_sum", _projected(stacked, name, of)).sigmoid())
