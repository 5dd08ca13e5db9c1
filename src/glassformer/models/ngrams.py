"""A linear classifier of n-grams: one to three words in a row, each with its say. It knows ids, no words and no files.

An n-gram speaks for a class by its naive Bayes log-count ratio: how much more often texts of this class have it than
the others. The ratios are counted once, before training; logistic regression then learns one weight for each n-gram,
how far its ratio can be trusted (NB-SVM: Wang and Manning, 2012). It begins as naive Bayes, with all weights alike.
"""

from collections.abc import Callable, Iterable

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from glassformer.models.config import NgramConfig
from glassformer.stages.watchers import Watcher, nothing

LONGEST = 3  # words in a row
STAGES = ("one_word", "two_words", "three_words")
TRUST = 0.01  # in every ratio before anything is learnt: words repeat each other, so that each is worth little
UNUSED = 2**63 - 1  # the key of a row that no n-gram needs; it sorts behind all others

Counted = Iterable[tuple[Tensor, Tensor, Tensor]]  # ids, where they are real, and labels, batch by batch


class NgramClassifier(nn.Module):
    """Adds up what the n-grams of a text say, each counted once however often it stands there."""

    keys: Tensor
    ratios: Tensor

    def __init__(self, config: NgramConfig) -> None:
        super().__init__()
        self.config = config
        self.register_buffer("keys", torch.full((config.ngrams,), UNUSED))  # sorted
        self.register_buffer("ratios", torch.zeros(config.ngrams, config.classes))
        self.weight = nn.Parameter(torch.full((config.ngrams,), TRUST))
        self.bias = nn.Parameter(torch.zeros(config.classes))

    def forward(
        self, ids: Int[Tensor, "B T"], real: Bool[Tensor, "B T"], *, see: Watcher = nothing
    ) -> Float[Tensor, "B N"]:
        """The evidence of all n-grams and the bias, added up; an n-gram is shown where it first begins."""
        ids, real = see("ids", ids), see("real", real)
        places, counted = self._found(ids, real)  # B 3 T
        weights = (self.weight[places] * counted)[..., None]
        evidence = weights * self.ratios[places]  # B 3 T N
        parts = [see(name, evidence[:, n]) for n, name in enumerate(STAGES)]
        return see("logits", sum(part.sum(1) for part in parts) + see("logit_bias", self.bias), "evidence")

    def _found(
        self, ids: Int[Tensor, "B T"], real: Bool[Tensor, "B T"]
    ) -> tuple[Int[Tensor, "B 3 T"], Bool[Tensor, "B 3 T"]]:
        """The row of the n-gram of each length that begins at each place, and whether it counts: it is known, and
        stands there for the first time."""
        keys = _keys(ids, real, self.config.vocabulary)
        places = torch.searchsorted(self.keys, keys).clamp(max=len(self.keys) - 1)
        return places, (self.keys[places] == keys) & _first_time(keys)

    # --- before training ----------------------------------------------------------------------------------------

    @torch.no_grad()
    def count(self, texts: Callable[[], Counted]) -> None:
        """Chooses the n-grams that most texts have, and counts in how many texts of each class they stand. The texts
        are read twice."""
        chosen = _most_frequent(self._keys_of(texts()), len(self.keys))
        self.keys.fill_(UNUSED)[: len(chosen)] = chosen
        n_classes = self.config.classes
        having, of_class = torch.zeros(self.ratios.numel()), torch.zeros(n_classes)  # texts
        for ids, real, labels in texts():
            places, counted = self._found(ids, real)
            cells = (places * n_classes + labels[:, None, None])[counted]
            having += torch.bincount(cells, minlength=len(having))
            of_class += torch.bincount(labels, minlength=n_classes)
        self.ratios.copy_(_ratios(having.view(-1, n_classes), of_class))
        self.ratios[len(chosen) :] = 0.0
        self.bias.copy_(((of_class + 1) / (of_class + 1).sum()).log())

    def _keys_of(self, texts: Counted) -> Iterable[Int[Tensor, " K"]]:
        """The keys of all n-grams, once for each text that has them."""
        for ids, real, _ in texts:
            keys = _keys(ids, real, self.config.vocabulary)
            yield keys[_first_time(keys)]


def _keys(ids: Int[Tensor, "B T"], real: Bool[Tensor, "B T"], vocabulary: int) -> Int[Tensor, "B 3 T"]:
    """One number for each n-gram, its words being the digits; 0 where the text ends too early for one."""
    length, base = ids.shape[1], vocabulary + 1
    words = F.pad((ids + 1) * real, (0, LONGEST - 1))  # 0 is no word
    keys, found = torch.zeros_like(ids), []
    for n in range(LONGEST):
        word = words[:, n : n + length]
        keys = (keys * base + word) * (word > 0)
        found.append(keys)
    return torch.stack(found, dim=1)


def _first_time(keys: Int[Tensor, "B 3 T"]) -> Bool[Tensor, "B 3 T"]:
    """Where an n-gram stands that has not stood in this text before."""
    ordered, order = keys.sort(dim=-1, stable=True)
    fresh = F.pad(ordered[..., 1:] != ordered[..., :-1], (1, 0), value=True)
    return torch.empty_like(fresh).scatter_(-1, order, fresh) & (keys > 0)


def _most_frequent(found: Iterable[Int[Tensor, " K"]], most: int) -> Int[Tensor, " G"]:
    """The keys that occur most often, in order; of equals the smaller."""
    keys, counts = torch.unique(torch.cat(list(found)), return_counts=True)
    kept: Tensor = keys[counts.argsort(descending=True, stable=True)[:most]]
    return kept.sort().values


def _ratios(having: Float[Tensor, "G N"], texts: Float[Tensor, " N"]) -> Float[Tensor, "G N"]:
    """The logarithm of how much more often texts of a class have an n-gram than the other texts, smoothed by one."""
    share = (having + 1) / (texts + 1)
    of_others = (having.sum(1, keepdim=True) - having + 1) / (texts.sum() - texts + 1)
    return (share / of_others).log()
