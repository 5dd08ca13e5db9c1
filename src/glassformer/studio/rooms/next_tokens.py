"""What may come next: the likeliest tokens after a text, with the shares that temperature, top-k and top-p leave them,
and one drawn from those. It looks through the room *Inside*, and keeps nothing.
"""

from typing import Any

import torch

from glassformer.errors import InputError
from glassformer.inside.hugging_face import HuggingFaceModel
from glassformer.models.sampling import Draw, Sampling
from glassformer.objectives.predictions import room
from glassformer.studio import asking
from glassformer.studio.asking import Content
from glassformer.studio.rooms.inside import Inside

SHOWN = 12  # candidates
HOTTEST = 5.0
JSON = dict[str, Any]


class NextTokens:
    """Asked token by token, by a page that steps."""

    def __init__(self, inside: Inside) -> None:
        self.inside = inside

    @property
    def actions(self) -> dict[str, Any]:
        """What can be asked for here."""
        return {"inside/next": self.next}

    def next(self, content: Content) -> JSON:
        """The candidates, likeliest first: how likely the model finds each, and its share of the draws. With a seed,
        one of them is drawn."""
        name = asking.text(content, "model")
        run = self.inside.shelf.model(name)
        if isinstance(run, HuggingFaceModel) or not run.objective.goes_on:
            raise InputError(f"Only a model of running text goes on; '{name}' does not.")
        look = self.inside.looked({"model": name, "text": content.get("text")})
        logprobs = torch.from_numpy(look.trace["logits"][0, -1:]).float().log_softmax(-1)
        sampling = Sampling(
            temperature=asking.number(content, "temperature", least=0.05, most=HOTTEST),
            top_k=asking.whole(content, "top_k", least=0, most=10**6, default=0) or None,
            top_p=asking.number(content, "top_p", least=0.01, most=1.0),
        )
        shares = sampling.shares(logprobs)[0]
        best = logprobs[0].argsort(descending=True, stable=True)[:SHOWN].tolist()
        items: list[JSON] = [
            {"piece": run.tokens.decode([id_]), "raw": float(logprobs[0, id_].exp()), "share": float(shares[id_])}
            for id_ in best
        ]
        found: JSON = {
            "items": items,
            "kept": int((shares > 0).sum()),
            "vocabulary": len(shares),
            "others": float(shares.sum() - sum(item["share"] for item in items)),
            "left": max(0, room(run.card) - len(look.texts.own)),
        }
        if content.get("seed") is not None:
            seed = asking.whole(content, "seed", least=0, most=2**31)
            drawn = int(Draw(sampling, [seed])(logprobs, [0])[0])
            found["drawn"] = run.tokens.decode([drawn])
        return found
