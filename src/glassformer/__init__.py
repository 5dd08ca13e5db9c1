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
    from glassformer.by_hand.check import check
    from glassformer.by_hand.worksheets.solution import explain
    from glassformer.errors import GlassformerError, InputError
    from glassformer.inside.watching.watch import watch
    from glassformer.layers.attention import (
        Attention,
        DotProduct,
        attend,
        causal_mask,
        padding_mask,
        quiet_softmax,
        sigmoid,
        softmax,
    )
    from glassformer.layers.blocks import (
        Block,
        FeedForward,
        LayerNorm,
        RMSNorm,
        block,
        decoder_block,
        encoder_block,
    )
    from glassformer.layers.cache import BlockCache, Cache
    from glassformer.layers.multihead import MultiheadAttention
    from glassformer.layers.positions import BucketBias, LinearBias, NoPositions, Positions, Rotary
    from glassformer.layers.synthesizers import DenseSynthesizer, RandomSynthesizer
    from glassformer.runs.run import Run, load
    from glassformer.stages.catalogue import CATALOGUE
    from glassformer.stages.trace import Trace
    from glassformer.stages.watchers import Recorder, Rewriter, nothing, record, within
    from glassformer.training.course import train

__version__ = "0.1.0"

__all__ = [
    "CATALOGUE",
    "Attention",
    "Block",
    "BlockCache",
    "BucketBias",
    "Cache",
    "DenseSynthesizer",
    "DotProduct",
    "FeedForward",
    "GlassformerError",
    "InputError",
    "LayerNorm",
    "LinearBias",
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
        "layers.attention": "Attention DotProduct attend causal_mask padding_mask quiet_softmax sigmoid softmax",
        "layers.cache": "BlockCache Cache",
        "errors": "GlassformerError InputError",
        "by_hand.check": "check",
        "by_hand.worksheets.solution": "explain",
        "layers.blocks": "Block FeedForward LayerNorm RMSNorm block decoder_block encoder_block",
        "layers.positions": "BucketBias LinearBias NoPositions Positions Rotary",
        "layers.multihead": "MultiheadAttention",
        "runs.run": "Run load",
        "stages.catalogue": "CATALOGUE",
        "layers.synthesizers": "DenseSynthesizer RandomSynthesizer",
        "training.course": "train",
        "stages.trace": "Trace",
        "stages.watchers": "Recorder Rewriter nothing record within",
        "inside.watching.watch": "watch",
    }
)


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names.split():
            return getattr(import_module(f"glassformer.{home}"), name)
    raise AttributeError(f"module 'glassformer' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
