"""Models that each break one promise of a certificate, and a brief certificate to find it."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from glassformer.layers.blocks import RMSNorm
from glassformer.models.classifiers import EncoderClassifier
from glassformer.models.language_model import LanguageModel
from glassformer.runs.certificate.certificate import Certificate, certify
from glassformer.stages.watchers import nothing
from helpers.small_models import small

TEXTS = [[7, 19, 11, 28, 5, 13, 23, 8, 17], [26, 6, 21, 10, 15], [12, 27, 9]]  # shorter than usual: it is quicker


def brief(model: nn.Module, task: str, **options: Any) -> Certificate:
    return certify(model, task, texts=TEXTS, **options)


def broken(model: nn.Module, task: str, **options: Any) -> set[str]:
    """The names of the promises that a model breaks."""
    return {check.name for check in brief(model, task, **options).failed}


class Faulty(LanguageModel):
    """A language model with something wrong after, before or around its pass."""

    def forward(
        self, ids: Tensor, real: Any = None, *, positions: Any = None, cache: Any = None, see: Any = nothing
    ) -> Tensor:
        past = cache is not None and cache[0].own.length > 0
        return self.spoilt(super().forward(ids, real, positions=positions, cache=cache, see=self.told(see)),
                           ids=ids, positions=positions, cache=cache, past=past, see=see)  # fmt: skip

    def spoilt(self, logits: Tensor, **about: Any) -> Tensor:
        return logits

    def told(self, see: Any) -> Any:
        return see


class DropsAtRest(Faulty):
    def spoilt(self, logits: Tensor, **about: Any) -> Tensor:
        return F.dropout(logits, 0.1, training=True)


class LeaksALittle(Faulty):
    """Less than any tolerance would notice."""

    def spoilt(self, logits: Tensor, **about: Any) -> Tensor:
        logits = logits.clone()
        logits[:, :-1] += 3e-6 * (about["ids"][:, 1:, None] % 2)
        return logits


class MixesTheBatch(Faulty):
    def spoilt(self, logits: Tensor, **about: Any) -> Tensor:
        return logits + 1e-4 * logits.mean(0, keepdim=True)


class RemembersParts(Faulty):
    """Wrong when several ids follow on remembered ones."""

    def spoilt(self, logits: Tensor, **about: Any) -> Tensor:
        return logits * 1.001 if about["past"] and logits.shape[1] > 1 else logits


class RemembersSteps(Faulty):
    """Wrong when one id follows on remembered ones, though the likeliest id stays the same."""

    def spoilt(self, logits: Tensor, **about: Any) -> Tensor:
        return logits * 1.001 if about["past"] and logits.shape[1] == 1 else logits


class WritesOtherwise(Faulty):
    """Wrong when it is told positions beside a memory, as a writer does."""

    def spoilt(self, logits: Tensor, **about: Any) -> Tensor:
        return logits.flip(-1) if about["past"] and about["positions"] is not None else logits


class MovesFromTheLeft(Faulty):
    def spoilt(self, logits: Tensor, **about: Any) -> Tensor:
        return logits * 1.001 if about["cache"] is None and about["positions"] is not None else logits


class IsShy(Faulty):
    def spoilt(self, logits: Tensor, **about: Any) -> Tensor:
        return logits if about["see"] is nothing else logits + 2e-6


class HasABadCache(LanguageModel):
    """Off by one: what follows on remembered ids is told that it stands one place further left."""

    def forward(
        self, ids: Tensor, real: Any = None, *, positions: Any = None, cache: Any = None, see: Any = nothing
    ) -> Tensor:
        if positions is None and cache is not None and cache[0].own.length > 0:
            positions = torch.arange(ids.shape[1])[None] + cache[0].own.length - 1
        return super().forward(ids, real, positions=positions, cache=cache, see=see)


class Lies(Faulty):
    """Shows other weights than it uses."""

    lie: Callable[[Tensor], Tensor]

    def told(self, see: Any) -> Any:
        if see is nothing:
            return see

        def lying(name: str, value: Any, how: str = "") -> Any:
            if name.endswith(".weights"):
                see(name, self.lie(value), how)
                return value
            return see(name, value, how)

        return lying


class LiesAboutHeads(Lies):
    def lie(self, weights: Tensor) -> Tensor:
        return weights.flip(1)


class LiesAboutSums(Lies):
    def lie(self, weights: Tensor) -> Tensor:
        return weights * 1.0001


class LiesAboutTheHidden(Lies):
    def lie(self, weights: Tensor) -> Tensor:
        return weights + 1e-9 * torch.ones_like(weights).triu(1)


class PeeksAhead(nn.Module):
    """Adds nothing to the rows, but would pass a gradient on from the next one."""

    def __init__(self, norm: nn.Module) -> None:
        super().__init__()
        self.norm = norm

    def forward(self, rows: Tensor, *, see: Any = nothing) -> Tensor:
        ahead = rows.roll(-1, dims=1)
        return self.norm(rows, see=see) + (ahead - ahead.detach())


class OtherSteps(RMSNorm):
    """Its steps do not give what its kernel gives."""

    def forward(self, rows: Tensor, *, see: Any = nothing) -> Tensor:
        seen = see("norm_inputs", rows)
        return super().forward(rows, see=see) * (1.0 if seen is rows else 1.001)


def as_kind(kind: type[nn.Module], name: str = "modern", **settings: Any) -> nn.Module:
    model = small(name, length=53, **settings) if name in ("modern", "translator") else small(name, **settings)
    model.__class__ = kind
    return model


def with_not_a_number() -> nn.Module:
    model = small("modern")
    with torch.no_grad():
        model.blocks[0].feed_forward.layer.expand.weight[3, 2] = torch.nan
    return model


def with_peeking() -> nn.Module:
    model = small("modern", length=53)
    model.final_norm = PeeksAhead(model.final_norm)
    return model


def with_other_steps() -> nn.Module:
    model = small("modern", length=53)
    model.final_norm.__class__ = OtherSteps
    return model


def with_small_values(model: nn.Module) -> nn.Module:
    with torch.no_grad():
        for block in model.blocks:
            block.attention.layer.value.weight.mul_(1e-3)
    return model


class HearsLongSilence(EncoderClassifier):
    """Padding counts once there is much of it."""

    def forward(self, ids: Tensor, real: Tensor, *, see: Any = nothing) -> Tensor:
        return super().forward(ids, torch.ones_like(real) if (~real).sum(1).max() > 30 else real, see=see)


ALONE: dict[str, Callable[[], tuple[nn.Module, str]]] = {
    "finite numbers": lambda: (with_not_a_number(), "language model"),
    "same answer twice": lambda: (as_kind(DropsAtRest), "language model"),
    "no future leak: values": lambda: (as_kind(LeaksALittle), "language model"),
    "no future leak: gradients": lambda: (with_peeking(), "language model"),
    "padding on the right": lambda: (as_kind(HearsLongSilence, "transformer", length=97), "classifier"),
    "padding on the left": lambda: (as_kind(MovesFromTheLeft), "language model"),
    "company": lambda: (as_kind(MixesTheBatch), "language model"),
    "cache = no cache": lambda: (as_kind(RemembersParts), "language model"),
    "step by step = all at once": lambda: (as_kind(RemembersSteps), "language model"),
    "greedy writing": lambda: (as_kind(WritesOtherwise), "language model"),
    "looking changes nothing": lambda: (as_kind(IsShy), "language model"),
    "kernel = steps": lambda: (with_other_steps(), "language model"),
    "shown = used": lambda: (as_kind(LiesAboutHeads), "language model"),
    "rows sum to 1": lambda: (with_small_values(as_kind(LiesAboutSums)), "language model"),
    "hidden keys": lambda: (as_kind(LiesAboutTheHidden), "language model"),
}
