"""Works a worksheet with the core, in float64, and gives the trace. It adds no maths of its own, and shows nothing."""

from collections.abc import Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from glassformer.by_hand.worksheets.values import Matrix
from glassformer.by_hand.worksheets.worked_layers import WORKERS
from glassformer.by_hand.worksheets.worksheet import Worksheet
from glassformer.layers.attention import WEIGHERS, Attention, DotProduct, Scorer, attend, join_heads, split_heads
from glassformer.layers.synthesizers import DenseSynthesizer, RandomSynthesizer
from glassformer.stages.recorder import Recorder
from glassformer.stages.trace import Trace
from glassformer.stages.watchers import Rewriter, Watcher


class GivenScores:
    """A scorer for work that starts at the scores: they are what was handed in."""

    uses = frozenset[str]()

    def __init__(self, scores: Tensor, scale: float | None, key_width: int | None) -> None:
        self.scores, self.scale, self.key_width = scores, scale, key_width

    def __call__(self, queries: Tensor, keys: Tensor, see: Watcher) -> Tensor:
        """The scores as given; scaled, if it was said by how much."""
        scores = see("scores", self.scores, "given")
        if self.scale is not None:
            return see("scaled", scores * see("scale", scores.new_tensor(self.scale), "chosen"))
        if self.key_width is None:
            return scores
        width = see("key_width", scores.new_tensor(float(self.key_width)))
        return see("scaled", scores * see("scale", 1.0 / width.sqrt(), "from the width"))


def work(sheet: Worksheet, write: Mapping[str, Any] | None = None) -> Trace:
    """Every stage from the givens to the output; `write` puts other values in place of some stages."""
    rewriter = Rewriter(write) if write else None
    recorder = Recorder(rewriter)
    with torch.no_grad():
        if sheet.layer != "attention":
            givens = {name: _tensor(values) for name, values in sheet.givens.items()}
            WORKERS[sheet.layer](givens, sheet.words, recorder)
        elif "scores" in sheet or "queries" in sheet or sheet.projections == "stacked":
            _work_from_rows(sheet, recorder)
        else:
            _work_from_inputs(sheet, recorder)
    trace = recorder.trace
    if rewriter is not None:
        rewriter.require_reached(trace)
    trace.entries = {address: entry for address, entry in trace.entries.items() if entry.values.size}
    tokens = list(sheet.tokens)
    trace.about = {"title": sheet.title, "tokens": tokens, "context_tokens": list(sheet.context_tokens) or tokens}
    trace.about |= {"vocabulary": list(sheet.vocabulary)} if sheet.vocabulary else {}
    return trace


def _tensor(values: Matrix) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def _batch(sheet: Worksheet, name: str) -> Tensor | None:
    return _tensor(sheet.givens[name])[None] if name in sheet else None  # 1 T D


def _mask(sheet: Worksheet) -> Tensor | None:
    if sheet.mask is None:
        return None
    mask = torch.tensor(sheet.mask)
    return mask[None] if mask.ndim == 3 else mask  # 1 H Tq Tk, or Tq Tk for all heads


# --- from inputs and weights: the module --------------------------------------------------------------------------


def _work_from_inputs(sheet: Worksheet, see: Watcher) -> None:
    attention = _attention(sheet).double().eval()
    inputs = _batch(sheet, "inputs")
    assert inputs is not None  # the worksheet was checked
    attention(inputs, _batch(sheet, "context"), mask=_mask(sheet), see=see)


def _attention(sheet: Worksheet) -> Attention:
    d_model, d_context = (sheet.givens[name].shape[-1] if name in sheet else None for name in ("inputs", "context"))
    assert d_model is not None
    attention = Attention(
        d_model,
        sheet.heads,
        d_key=_width(sheet, "query_weight", d_model),
        d_value=_width(sheet, "value_weight", d_model),
        d_context=d_context,
        causal=sheet.causal,
        scorer=_scorer(sheet),
        weigher=WEIGHERS[sheet.weigher],
        learned="".join(letter for letter, name in _LETTERS.items() if f"{name}_weight" in sheet),
    )
    for name in _LETTERS.values():
        linear = getattr(attention, name)
        if linear is not None:
            weight, bias = sheet.givens[f"{name}_weight"], sheet.givens.get(f"{name}_bias")
            linear.weight = nn.Parameter(_tensor(weight).T.contiguous())
            linear.bias = None if bias is None else nn.Parameter(_tensor(bias))
    return attention


_LETTERS = {"q": "query", "k": "key", "v": "value", "o": "output"}


def _width(sheet: Worksheet, name: str, otherwise: int) -> int:
    columns = sheet.givens[name].shape[-1] if name in sheet else otherwise
    return int(columns // sheet.heads)


def _chosen_scale(sheet: Worksheet) -> float | None:
    return sheet.scale if sheet.key_width is None else sheet.key_width**-0.5


def _scorer(sheet: Worksheet) -> Scorer:
    if sheet.scorer == "dot product":
        return DotProduct(_chosen_scale(sheet))
    weight = _tensor(sheet.givens["synthesizer_weight"])
    weight = weight.expand(sheet.heads, *weight.shape[-2:])  # one table for all heads, or one each
    if sheet.scorer == "random synthesizer":
        random = RandomSynthesizer(sheet.heads, weight.shape[-1])
        random.weight = nn.Parameter(weight)
        return random
    dense = DenseSynthesizer(sheet.heads, weight.shape[-2], weight.shape[-1])
    dense.weight = nn.Parameter(weight)
    dense.bias = nn.Parameter(_tensor(sheet.givens["synthesizer_bias"]).expand(sheet.heads, -1))
    return dense


# --- from queries and keys, or from scores: the four verbs --------------------------------------------------------


def _work_from_rows(sheet: Worksheet, see: Watcher) -> None:
    queries, keys, values, scorer = (_stacked if sheet.projections == "stacked" else _rows)(sheet, see)
    mixed = attend(
        queries, keys, values, scorer=scorer, weigher=WEIGHERS[sheet.weigher], mask=_mask(sheet),
        causal=sheet.causal, see=see,
    )  # fmt: skip
    if not mixed.shape[-1]:
        return
    joined = see("joined", join_heads(mixed))
    if "output_weight" not in sheet:
        see("output", joined, "bare")
        return
    weight = see("output_weight", _tensor(sheet.givens["output_weight"]))
    bias = see("output_bias", _tensor(sheet.givens["output_bias"])) if "output_bias" in sheet else None
    see("output", F.linear(joined, weight.T, bias))


def _stacked(sheet: Worksheet, see: Watcher) -> tuple[Tensor, Tensor, Tensor, Scorer]:
    """Queries, keys and values by one product."""
    names = ("query", "key", "value")
    inputs = see("inputs", _tensor(sheet.givens["inputs"])[None])
    weights = [see(f"{name}_weight", _tensor(sheet.givens[f"{name}_weight"])) for name in names]
    rows = see("stacked_rows", inputs @ see("stacked_weight", torch.cat(weights, -1)))
    second = weights[0].shape[-1]
    parts = rows.tensor_split([second, second + weights[1].shape[-1]], -1)
    made = (split_heads(part, sheet.heads) for part in parts)
    queries, keys, values = (see(name, part, "stacked") for name, part in zip(_ROWS, made, strict=True))
    return queries, keys, values, DotProduct(_chosen_scale(sheet))


_ROWS = ("queries", "keys", "values")


def _rows(sheet: Worksheet, see: Watcher) -> tuple[Tensor, Tensor, Tensor, Scorer]:
    def heads(name: str) -> Tensor | None:
        rows = _batch(sheet, name)
        return None if rows is None else see(name, split_heads(rows, sheet.heads), "given")

    if "scores" in sheet:
        scores = _tensor(sheet.givens["scores"])
        scores = scores.expand(1, sheet.heads, *scores.shape[-2:])
        queries, keys = (scores.new_empty(1, sheet.heads, length, 0) for length in scores.shape[-2:])
        scorer: Scorer = GivenScores(scores, sheet.scale, sheet.key_width)
    else:
        given_queries, given_keys = heads("queries"), heads("keys")
        assert given_queries is not None and given_keys is not None  # noqa: PT018 - the worksheet was checked
        queries, keys, scorer = given_queries, given_keys, DotProduct(_chosen_scale(sheet))
    values = heads("values")
    return queries, keys, keys.new_empty(*keys.shape[:3], 0) if values is None else values, scorer
