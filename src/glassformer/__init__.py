"""Glassformer: a Transformer you can see through.

    import glassformer as gf
    gf.check("notes.md").first_wrong                   # the first wrong number of hand-worked notes
    gf.explain("i-love-ai")                            # attention, worked by hand
    gf.train("classify", "reviews.csv", minutes=5)     # a model of your own text, with an honest score
    gf.load("runs/reviews").predict(["so warm"])       # what a trained model says
    answer, trace = gf.record(gf.Attention(8, 2), x)   # every number of a pass, under its address
    seen = gf.watch(any_torch_model).run(x)            # the same for a model that is not ours

A name is imported when it is first used: `import glassformer` does not import torch.
"""

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from glassformer.attention import (
        Attention,
        DotProduct,
        attend,
        causal_mask,
        padding_mask,
        quiet_softmax,
        sigmoid,
        softmax,
    )
    from glassformer.cache import BlockCache, Cache
    from glassformer.errors import GlassformerError, InputError
    from glassformer.handwork.check import check
    from glassformer.layers import (
        Block,
        FeedForward,
        LayerNorm,
        NoPositions,
        Positions,
        RMSNorm,
        Rotary,
        block,
        decoder_block,
        encoder_block,
    )
    from glassformer.multihead import MultiheadAttention
    from glassformer.runs import Run, load
    from glassformer.solution import explain
    from glassformer.stages import CATALOGUE
    from glassformer.synthesizers import DenseSynthesizer, RandomSynthesizer
    from glassformer.teaching import train
    from glassformer.trace import Trace
    from glassformer.watchers import Recorder, Rewriter, nothing, record, within
    from glassformer.watching.watch import watch

__version__ = "0.1.0"

__all__ = [
    "CATALOGUE",
    "Attention",
    "Block",
    "BlockCache",
    "Cache",
    "DenseSynthesizer",
    "DotProduct",
    "FeedForward",
    "GlassformerError",
    "InputError",
    "LayerNorm",
    "MultiheadAttention",
    "NoPositions",
    "Positions",
    "RMSNorm",
    "RandomSynthesizer",
    "Recorder",
    "Rewriter",
    "Rotary",
    "Run",
    "Trace",
    "attend",
    "block",
    "causal_mask",
    "check",
    "decoder_block",
    "encoder_block",
    "explain",
    "load",
    "nothing",
    "padding_mask",
    "quiet_softmax",
    "record",
    "sigmoid",
    "softmax",
    "train",
    "watch",
    "within",
]

# Where each public name is defined.
_HOMES = MappingProxyType(
    {
        "attention": "Attention DotProduct attend causal_mask padding_mask quiet_softmax sigmoid softmax",
        "cache": "BlockCache Cache",
        "errors": "GlassformerError InputError",
        "handwork.check": "check",
        "solution": "explain",
        "layers": "Block FeedForward LayerNorm NoPositions Positions RMSNorm Rotary block decoder_block encoder_block",
        "multihead": "MultiheadAttention",
        "runs": "Run load",
        "stages": "CATALOGUE",
        "synthesizers": "DenseSynthesizer RandomSynthesizer",
        "teaching": "train",
        "trace": "Trace",
        "watchers": "Recorder Rewriter nothing record within",
        "watching.watch": "watch",
    }
)


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names.split():
            return getattr(import_module(f"glassformer.{home}"), name)
    raise AttributeError(f"module 'glassformer' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
