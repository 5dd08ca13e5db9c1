"""What a plain RNN has on film reviews, epoch by epoch, and what it has if its last state reads the padding as well.

    last word    our `rnn`: the state after the last real word answers
    padding      the same network and the same texts, filled up with <pad> to 500 tokens and read to the very end

Both begin with the same weights and are trained on the same batches for the same epochs. After each epoch the accuracy
on the validation part (2,500 reviews) is told. Needs the reviews: GLASSFORMER_DATA. Prints Markdown.

    python bench/last_state.py [--epochs N] [--seed N] [--threads N]
"""

import argparse
import copy
from typing import Any

import torch
from torch import Tensor, nn

from glassformer.text.token_kinds import PAD
from glassformer.training.loop import EpochEnded, Loop, Plan
from glassformer.training.prepare import Prepared, prepare
from glassformer.training.request import Request

LONGEST = 500


class ReadsPadding(nn.Module):
    """A recurrent classifier that reads every row to its 500th column, whatever stands there."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, real: Tensor) -> Tensor:
        """Logits from the state after the last column."""
        filled = ids.new_full((len(ids), LONGEST), PAD)
        filled[:, : ids.shape[1]] = ids.masked_fill(~real, PAD)
        _, last = nn.RNN.forward(self.model.recurrent, self.model.embedding(filled))  # as torch has it
        answer: Tensor = self.model.head(last[-1])
        return answer


def accuracies(model: nn.Module, prepared: Prepared, epochs: int) -> list[tuple[float, float]]:
    """In training and in validation, epoch by epoch."""
    steps = epochs * prepared.lessons.train.n_batches(0)
    plan = Plan(**{**vars(prepared.recipe.plan), "steps": steps, "seconds": 0.0, "precision": "float32"})
    torch.manual_seed(prepared.request.seed)
    ended = [event for event in Loop(model, prepared.lessons, plan).run() if isinstance(event, EpochEnded)]
    return [(each.training, each.validation) for each in ended]


def main() -> None:
    """Reads the options, trains both, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    prepared = prepare(Request(task="classify", data="imdb", model="rnn", epochs=options.epochs, seed=options.seed))
    ours, theirs = prepared.model, ReadsPadding(copy.deepcopy(prepared.model))
    print("| epoch | last word: training, validation | padding: training, validation |\n|---:|---|---|")
    rows = zip(*(accuracies(model, prepared, options.epochs) for model in (ours, theirs)), strict=True)
    for number, ((a, b), (c, d)) in enumerate(rows, 1):
        print(f"| {number} | {a:.1%}, {b:.1%} | {c:.1%}, {d:.1%} |", flush=True)


if __name__ == "__main__":
    main()
