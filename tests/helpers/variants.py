"""One small block of every kind, with inputs: what a promise about all of them is tried on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor, nn

from glassformer.layers.attention import DotProduct, padding_mask, quiet_softmax, sigmoid
from glassformer.layers.blocks import Block, LayerNorm, RMSNorm, block
from glassformer.layers.positions import BucketBias, LinearBias, Rotary, distances
from glassformer.layers.synthesizers import DenseSynthesizer, RandomSynthesizer

# Prime sizes, or products of different primes, so that no swapped axis can hide.
BATCH, LENGTH, CONTEXT, HEADS, D_KEY, D_MODEL, D_HIDDEN, LONGEST = 2, 5, 7, 2, 3, 6, 11, 13


@dataclass(frozen=True)
class Variant:
    """A block, and what it is called with."""

    block: Block
    inputs: tuple[Tensor, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, **more: Any) -> Tensor:
        """The block's answer."""
        answer: Tensor = self.block(*self.inputs, **self.options, **more)
        return answer


def plain_layer_norm(width: int) -> LayerNorm:
    """A LayerNorm that only stretches."""
    return LayerNorm(width, bias=False)


# What each variant hands to `block`; made anew for each test, since some hold modules.
CHOICES: Mapping[str, Callable[[], dict[str, Any]]] = MappingProxyType(
    {
        "pre-norm": dict,
        "post-norm": lambda: {"norm_first": False, "causal": True},
        "rms pre-norm": lambda: {"norm": RMSNorm, "causal": True},
        "rms post-norm": lambda: {"norm": RMSNorm, "norm_first": False},
        "norm without bias": lambda: {"norm": plain_layer_norm, "bias": False},
        "gelu": lambda: {"activation": "gelu"},
        "tanh gelu": lambda: {"activation": "tanh gelu"},
        "squared relu": lambda: {"activation": "squared relu"},
        "silu": lambda: {"activation": "silu"},
        "biases of queries, keys and values": lambda: {"bias": False, "qkv_bias": True},
        "swiglu": lambda: {"activation": "swiglu", "bias": False},
        "swiglu with bias": lambda: {"activation": "swiglu"},
        "geglu": lambda: {"activation": "geglu"},
        "reglu": lambda: {"activation": "reglu", "bias": False},
        "query and key norm": lambda: {"query_norm": RMSNorm(D_KEY), "key_norm": LayerNorm(D_KEY), "causal": True},
        "rotary": lambda: {"d_key": 2 * D_KEY, "d_value": 5, "causal": True},
        "rotary and norm": lambda: {"d_key": 7, "query_norm": RMSNorm(7), "key_norm": RMSNorm(7)},
        "alibi": lambda: {"causal": True},
        "t5": dict,
        "alibi, padded, shared heads": lambda: {"n_heads": 6, "n_kv_heads": 2, "d_key": 3},
        "one head": lambda: {"n_heads": 1},
        "shared key/value heads": lambda: {"n_heads": 6, "n_kv_heads": 2, "d_key": 3, "d_value": 5},
        "cross": lambda: {"cross": True, "causal": True},
        "cross post-norm": lambda: {"cross": True, "norm_first": False},
        "padded": lambda: {"causal": True},
        "empty row": dict,
        "chosen scale": lambda: {"scorer": DotProduct(0.7)},
        "sigmoid": lambda: {"weigher": sigmoid, "causal": True},
        "quiet softmax": lambda: {"weigher": quiet_softmax, "causal": True},
        "dense synthesizer": lambda: {"scorer": DenseSynthesizer(HEADS, D_KEY, LONGEST), "causal": True},
        "random synthesizer": lambda: {"scorer": RandomSynthesizer(HEADS, LONGEST)},
        "without q and k": lambda: {"learned": "vo"},
        "without output": lambda: {"learned": "qkv", "causal": True},
        "without any": lambda: {"learned": "", "n_heads": 1},
    }
)
NAMES = tuple(CHOICES)


def shaken(module: nn.Module) -> None:
    """Moves every parameter off its first value, so that a norm's weight is not all ones."""
    for parameter in module.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)


def make(name: str, dtype: torch.dtype = torch.float32, dropout: float = 0.0) -> Variant:
    """The variant called `name`, seeded by its place in the list."""
    torch.manual_seed(NAMES.index(name))
    choices = {"n_heads": HEADS, "d_model": D_MODEL, "d_hidden": D_HIDDEN, "dropout": dropout, **CHOICES[name]()}
    made = block(**choices)
    shaken(made)
    made = made.to(dtype)
    x = torch.randn(BATCH, LENGTH, D_MODEL, dtype=dtype)
    options: dict[str, Any] = {}
    inputs = [x]
    if "rotary" in name:
        options["angles"] = Rotary(2 * D_KEY)(torch.arange(LENGTH)[None] + 3, dtype)
    if "cross" in name:
        inputs.append(torch.randn(BATCH, CONTEXT, D_MODEL, dtype=dtype))
        options["context_mask"] = padding_mask(torch.arange(CONTEXT) < torch.tensor([[7], [4]]))
    if "alibi" in name or name == "t5":
        module = BucketBias(HEADS) if name == "t5" else LinearBias(choices["n_heads"])
        at = torch.arange(LENGTH)[None]
        options["score_bias"] = module(distances(at, at), dtype).detach()
    if "padded" in name:
        options["mask"] = padding_mask(torch.arange(LENGTH) < torch.tensor([[5], [3]]))
    if name == "empty row":
        options["mask"] = torch.rand(BATCH, LENGTH, LENGTH) < 0.5
        options["mask"][1, 2] = False
    return Variant(made, tuple(inputs), MappingProxyType(options))
