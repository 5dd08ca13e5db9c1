"""What may come next: the likeliest tokens after a text, with the shares that temperature, top-k and top-p leave them,
and one drawn from those, or many. It looks through the room *Inside*, and keeps nothing.
"""

from typing import Any

import torch

from glassformer.errors import InputError
from glassformer.inside.hugging_face import HuggingFaceModel
from glassformer.models.sampling import Draw, Sampling
from glassformer.objectives.predictions import room
from glassformer.runs.run import Run
from glassformer.studio import asking
from glassformer.studio.asking import Content
from glassformer.studio.rooms.inside import LONGEST, Inside

SHOWN = 12  # candidates
WRITTEN = 24  # tokens that a model goes on for at a time
HOTTEST = 5.0
JSON = dict[str, Any]


class NextTokens:
    """Asked token by token, by a page that steps."""

    def __init__(self, inside: Inside) -> None:
        self.inside = inside

    @property
    def actions(self) -> dict[str, Any]:
        """What can be asked for here."""
        return {"inside/next": self.next, "inside/write": self.write}

    def next(self, content: Content) -> JSON:
        """The candidates, likeliest first: how likely the model finds each, and its share of the draws. With a seed,
        one of them is drawn."""
        run = self._writer(content)
        look = self.inside.looked({"model": content.get("model"), "text": content.get("text")})
        logprobs = torch.from_numpy(look.trace["logits"][0, -1:]).float().log_softmax(-1)
        sampling = asked_sampling(content)
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

    def write(self, content: Content) -> JSON:
        """The text with what the model goes on with, drawn as asked, as far as it can still be looked at."""
        run, sampling = self._writer(content), asked_sampling(content)
        text = asking.text(content, "text", longest=LONGEST)
        left = room(run.card) - len(run.objective.prompt(run.tokens, text))
        if left < 1:
            raise InputError("There is no room left to write in: shorten the text from its beginning.")
        how = {"temperature": sampling.temperature, "top_k": sampling.top_k, "top_p": sampling.top_p}
        return {"text": text + "".join(run.stream(text, longest=min(WRITTEN, left), seed=len(text), **how))}

    def _writer(self, content: Content) -> Run:
        name = asking.text(content, "model")
        run = self.inside.shelf.model(name)
        if isinstance(run, HuggingFaceModel) or not run.objective.goes_on:
            raise InputError(f"Only a model of running text goes on; '{name}' does not.")
        return run


def asked_sampling(content: Content) -> Sampling:
    """How to draw, as the sliders say it."""
    return Sampling(
        temperature=asking.number(content, "temperature", least=0.05, most=HOTTEST),
        top_k=asking.whole(content, "top_k", least=0, most=10**6, default=0) or None,
        top_p=asking.number(content, "top_p", least=0.01, most=1.0),
    )
