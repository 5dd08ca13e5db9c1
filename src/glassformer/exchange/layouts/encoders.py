"""Encoder layouts of transformers: BERT's and RoBERTa's, with a classifier's head or without one. It opens no file.

A text here has one segment. BERT adds a row for the segment to every token, beside the row for its position: the row of
the first segment is added to all positions on the way in, and is zero on the way out.
"""

from functools import partial
from typing import Any

import torch

from glassformer.errors import InputError
from glassformer.exchange.foreign_config import ForeignConfig
from glassformer.exchange.layouts.causal import PLAIN, theirs
from glassformer.exchange.layouts.layout import Counterpart, Layout, Settled, State, alike, shared_width

EPSILON = 1e-12  # BERT's own
SEGMENTS = "segments"  # the rows that BERT adds for them, under a name that our models do not have


def _told(config: Any) -> dict[str, Any]:
    labels = range(config.classes)
    return {
        "model_type": "bert", "vocab_size": config.vocabulary, "hidden_size": config.width,
        "num_hidden_layers": config.layers, "num_attention_heads": config.heads, "intermediate_size": config.hidden,
        "hidden_act": theirs(PLAIN, config.activation), "max_position_embeddings": config.length,
        "layer_norm_eps": config.epsilon or 1e-5, "type_vocab_size": 2, "hidden_dropout_prob": config.dropout,
        "attention_probs_dropout_prob": config.attention_dropout,
        "id2label": {str(i): f"LABEL_{i}" for i in labels}, "label2id": {f"LABEL_{i}": i for i in labels},
    }  # fmt: skip


def _read(said: ForeignConfig, model_type: str) -> Settled:
    said.must("model_type", model_type, *(("xlm-roberta", "camembert") if model_type == "roberta" else ()))
    said.must("position_embedding_type", "absolute")
    said.must("is_decoder", False)
    said.must("add_cross_attention", False)
    said.must("tie_word_embeddings", True, False)  # of a head that is not taken in
    if model_type == "roberta":
        said.must("pad_token_id", 1)  # its positions are counted from the pad's id on
    kinds = said.take("type_vocab_size", int, 2)
    length = said.take("max_position_embeddings", int, 512)
    if kinds < 1:
        raise InputError("config.json: `type_vocab_size` is 0; a text has one segment at least.")
    width = said.take("hidden_size", int)
    said.must("emb_size", width)  # as small Russian BERTs say it once more
    settings = {
        "vocabulary": said.take("vocab_size", int), "width": width,
        "layers": said.take("num_hidden_layers", int), "heads": said.take("num_attention_heads", int),
        "hidden": said.take("intermediate_size", int), "activation": said.choice("hidden_act", PLAIN, "gelu"),
        "length": length - 2 if model_type == "roberta" else length,
        "epsilon": said.take("layer_norm_eps", float, EPSILON),
    }  # fmt: skip
    return Settled("bert", settings)


def _body(config: Any, whole: str) -> list[Counterpart]:
    at = f"{whole}embeddings"
    slots = [
        *alike(f"{at}.word_embeddings", "embedding"),
        Counterpart(f"{at}.position_embeddings.weight", ("order.rows.table",)),
        Counterpart(f"{at}.token_type_embeddings.weight", (SEGMENTS,)),
        *alike(f"{at}.LayerNorm", "embedding_norm", bias=True),
    ]
    for i in range(config.layers):
        at, to = f"{whole}encoder.layer.{i}", f"blocks.{i}"
        for name in ("query", "key", "value"):
            slots += alike(f"{at}.attention.self.{name}", f"{to}.attention.layer.{name}", bias=True)
        slots += [
            *alike(f"{at}.attention.output.dense", f"{to}.attention.layer.output", bias=True),
            *alike(f"{at}.attention.output.LayerNorm", f"{to}.attention.norm", bias=True),
            *alike(f"{at}.intermediate.dense", f"{to}.feed_forward.layer.expand", bias=True),
            *alike(f"{at}.output.dense", f"{to}.feed_forward.layer.contract", bias=True),
            *alike(f"{at}.output.LayerNorm", f"{to}.feed_forward.norm", bias=True),
        ]
    return slots


def _bert(config: Any) -> list[Counterpart]:
    return [
        *_body(config, "bert."), *alike("bert.pooler.dense", "pooler.linear", bias=True),
        *alike("classifier", "head.linear", bias=True),
    ]  # fmt: skip


def _roberta(config: Any) -> list[Counterpart]:
    return [
        *_body(config, "roberta."), *alike("classifier.dense", "pooler.linear", bias=True),
        *alike("classifier.out_proj", "head.linear", bias=True),
    ]  # fmt: skip


def _bare(config: Any, whole: str) -> list[Counterpart]:
    return [
        *_body(config, whole),
        *(alike(f"{whole}pooler.dense", "pooler.linear", bias=True) if config.pooler else []),
    ]


def _outward(state: State, config: Any) -> State:
    return {**state, SEGMENTS: torch.zeros(2, config.width)}


def _inward(state: State, config: Any, skipped: int = 0) -> State:
    """The first segment's row is added to all positions; RoBERTa's first two rows stand for no position."""
    table = state["order.rows.table"][skipped:] + state[SEGMENTS][:1]
    return {**{name: value for name, value in state.items() if name != SEGMENTS}, "order.rows.table": table}


def _shapes(config: Any, skipped: int = 0) -> dict[str, tuple[int | None, ...]]:
    return {SEGMENTS: (None, config.width), "order.rows.table": (config.length + skipped, config.width)}


_NEEDS: dict[str, Any] = {
    "positions": "learned", "norm": "layer", "norm_first": False, "embedding_norm": True, "learned": True,
    "activation": tuple(dict.fromkeys(PLAIN.values())), "bias": True,
}  # fmt: skip
_HEADS = ("cls.", "lm_head.", "qa_outputs.", "classifier.")  # of other tasks, and not taken in


def _no_blocks(config: Any) -> list[str]:
    return [*([] if config.layers else ["it is one attention by itself (blocks there)"]), *shared_width(config)]


BERT = Layout(
    architecture="BertForSequenceClassification", family="classifier",
    needs={**_NEEDS, "pooling": "first", "pooler": True}, also=_no_blocks, told=_told,
    read=partial(_read, model_type="bert"), slots=_bert, before="bert.", outward=_outward, inward=_inward,
    shapes=_shapes,
)  # fmt: skip
BERT_BODY = Layout(
    architecture="BertModel", family="classifier", needs=_NEEDS, also=_no_blocks, told=_told,
    read=partial(_read, model_type="bert"), slots=partial(_bare, whole="bert."), before="bert.", unused=_HEADS,
    outward=_outward, inward=_inward, headless=True, shapes=_shapes,
)  # fmt: skip
ROBERTA = Layout(
    architecture="RobertaForSequenceClassification", family="classifier",
    needs={**_NEEDS, "pooling": "first", "pooler": True}, also=_no_blocks, told=_told,
    read=partial(_read, model_type="roberta"), slots=_roberta, before="roberta.", outward=_outward,
    inward=partial(_inward, skipped=2), shapes=partial(_shapes, skipped=2),
)  # fmt: skip
ROBERTA_BODY = Layout(
    architecture="RobertaModel", family="classifier", needs=_NEEDS, also=_no_blocks, told=_told,
    read=partial(_read, model_type="roberta"), slots=partial(_bare, whole="roberta."), before="roberta.",
    unused=_HEADS, outward=_outward, inward=partial(_inward, skipped=2), headless=True,
    shapes=partial(_shapes, skipped=2),
)  # fmt: skip
