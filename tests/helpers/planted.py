"""Small classifiers whose cause is known, since it was planted: one word decides, or a pair of words that say the same.

They are trained in a second, on texts of made-up words, with words left out at random, so that deleting is fair.
"""

import random
from functools import cache

import torch
from torch.nn.functional import cross_entropy

from glassformer.models.card import Card
from glassformer.models.config import to_dict
from glassformer.models.registry import build, configure
from glassformer.runs.run import Run
from glassformer.text.tokens import Tokens

OTHERS = tuple(f"w{letter}" for letter in "abcdefghijklmnopqrs")
CAUSE, OPPOSITE = "sun", "rain"  # alone, each decides
PAIR = ("zig", "zag")  # either of them is enough
LABELS = ("dark", "light")


def planted_text(draw: random.Random, *causes: str, length: int = 11) -> str:
    """Words that say nothing, and these among them."""
    words = [draw.choice(OTHERS) for _ in range(length - len(causes))]
    for cause in causes:
        words.insert(draw.randrange(len(words) + 1), cause)
    return " ".join(words)


def _samples(draw: random.Random, count: int, pair: bool) -> list[tuple[str, int]]:
    found = []
    for _ in range(count):
        light = draw.random() < 0.5
        causes = (PAIR if draw.random() < 0.5 else (draw.choice(PAIR),)) if pair else (CAUSE,)
        found.append((planted_text(draw, *(causes if light else () if pair else (OPPOSITE,))), int(light)))
    return found


@cache
def planted_run(*, pair: bool = False, steps: int = 150) -> Run:
    """The trained model; with no steps, the one that it began as."""
    words = [*OTHERS, CAUSE, OPPOSITE, *PAIR]
    tokens = Tokens.train("word", [" ".join(words)], min_frequency=1)
    sizes = {"width": 16, "length": 23, "layers": 1, "heads": 2, "hidden": 32, "norm": "rms"}
    config = configure("transformer", vocabulary=len(tokens), classes=2, **sizes)
    torch.manual_seed(1)
    model = build("transformer", config).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    draw = random.Random(2)
    for _ in range(steps):
        batch = _samples(draw, 32, pair)
        ids = torch.tensor([tokens.encode(text).ids for text, _ in batch])
        wanted = torch.tensor([label for _, label in batch])
        loss = cross_entropy(model(ids, torch.ones_like(ids, dtype=torch.bool)), wanted, label_smoothing=0.05)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    card = Card(
        task="classify", model="transformer", config=to_dict(config), objective="classes", labels=LABELS, longest=23
    )
    return Run(model, card, tokens)
