"""Glassformer: a Transformer you can see through.

    import glassformer as gf
    gf.check("notes.md").first_wrong                   # the first wrong number of hand-worked notes; gf.check_text("…")
    gf.explain("i-love-ai")                            # attention, worked by hand
    gf.train("classify", "reviews.csv", minutes=5)     # a model of your own text, with an honest score
    gf.load("runs/reviews").predict(["so warm"])       # what a trained model says
    gf.load("runs/reviews").why("so warm").words       # and why
    answer, trace = gf.record(gf.Attention(8, 2), x)   # every number of a pass, under its address
    seen = gf.watch(any_torch_model).run(x)            # the same for a model that is not ours
    gf.describe(any_torch_model, x)                    # its layers, output shapes, parameters and mult-adds

A name is imported when it is first used: `import glassformer` does not import torch.
"""

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from glassformer.by_hand.check import check, check_text
    from glassformer.by_hand.checking.findings import Finding, Report
    from glassformer.by_hand.worksheets.solution import Solution, explain
    from glassformer.errors import GlassformerError, InputError
    from glassformer.inside.shown import Saved, Shown
    from glassformer.inside.watching.lens import Lens
    from glassformer.inside.watching.seen import Seen
    from glassformer.inside.watching.watch import Watch, watch
    from glassformer.inside.why.telling.why_page import Why
    from glassformer.layers.attention import (
        WEIGHERS,
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
        ACTIVATIONS,
        NORMS,
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
    from glassformer.layers.positions import SCHEMES, BucketBias, LinearBias, NoPositions, Positions, Rotary
    from glassformer.layers.synthesizers import DenseSynthesizer, RandomSynthesizer
    from glassformer.models.summary import Summary, describe
    from glassformer.objectives.objective import Objective
    from glassformer.objectives.predictions import Classified, Translated, Written
    from glassformer.objectives.table import OBJECTIVES
    from glassformer.runs.batch_predictor import BatchPredictor
    from glassformer.runs.certificate.certificate import Certificate
    from glassformer.runs.imported import import_model
    from glassformer.runs.learnt import Learnt
    from glassformer.runs.run import Run, load
    from glassformer.stages.catalogue import CATALOGUE
    from glassformer.stages.recorder import Recorder, record
    from glassformer.stages.trace import Explanation, Trace
    from glassformer.stages.watchers import Rewriter, nothing, within
    from glassformer.text.tasks import TASKS, Task
    from glassformer.training.course import StoppedError, train
    from glassformer.training.optimizers import OPTIMIZERS

__version__ = "0.1.0"

__all__ = [
    "ACTIVATIONS",
    "CATALOGUE",
    "NORMS",
    "OBJECTIVES",
    "OPTIMIZERS",
    "SCHEMES",
    "TASKS",
    "WEIGHERS",
    "Attention",
    "BatchPredictor",
    "Block",
    "BlockCache",
    "BucketBias",
    "Cache",
    "Certificate",
    "Classified",
    "DenseSynthesizer",
    "DotProduct",
    "Explanation",
    "FeedForward",
    "Finding",
    "GlassformerError",
    "InputError",
    "LayerNorm",
    "Learnt",
    "Lens",
    "LinearBias",
    "MultiheadAttention",
    "NoPositions",
    "Objective",
    "Positions",
    "RMSNorm",
    "RandomSynthesizer",
    "Recorder",
    "Report",
    "Rewriter",
    "Rotary",
    "Run",
    "Saved",
    "Seen",
    "Shown",
    "Solution",
    "StoppedError",
    "Summary",
    "Task",
    "Trace",
    "Translated",
    "Watch",
    "Why",
    "Written",
    "attend",
    "block",
    "causal_mask",
    "check",
    "check_text",
    "decoder_block",
    "describe",
    "encoder_block",
    "explain",
    "import_model",
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
        "layers.attention": "WEIGHERS Attention DotProduct attend causal_mask padding_mask quiet_softmax sigmoid "
        "softmax",
        "layers.cache": "BlockCache Cache",
        "errors": "GlassformerError InputError",
        "by_hand.check": "check check_text",
        "by_hand.checking.findings": "Finding Report",
        "by_hand.worksheets.solution": "Solution explain",
        "layers.blocks": "ACTIVATIONS NORMS Block FeedForward LayerNorm RMSNorm block decoder_block encoder_block",
        "layers.positions": "SCHEMES BucketBias LinearBias NoPositions Positions Rotary",
        "layers.multihead": "MultiheadAttention",
        "inside.shown": "Saved Shown",
        "inside.watching.lens": "Lens",
        "inside.watching.seen": "Seen",
        "models.summary": "Summary describe",
        "objectives.objective": "Objective",
        "objectives.predictions": "Classified Translated Written",
        "objectives.table": "OBJECTIVES",
        "runs.batch_predictor": "BatchPredictor",
        "runs.certificate.certificate": "Certificate",
        "runs.imported": "import_model",
        "runs.learnt": "Learnt",
        "runs.run": "Run load",
        "stages.catalogue": "CATALOGUE",
        "layers.synthesizers": "DenseSynthesizer RandomSynthesizer",
        "text.tasks": "TASKS Task",
        "training.course": "StoppedError train",
        "training.optimizers": "OPTIMIZERS",
        "stages.trace": "Explanation Trace",
        "stages.recorder": "Recorder record",
        "stages.watchers": "Rewriter nothing within",
        "inside.watching.watch": "Watch watch",
        "inside.why.telling.why_page": "Why",
    }
)


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names.split():
            return getattr(import_module(f"glassformer.{home}"), name)
    raise AttributeError(f"module 'glassformer' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
