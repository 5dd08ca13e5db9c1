"""Small models of transformers with random weights, saved as folders, each with a tokenizer: what importing is tried
on."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers as there
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

TEXTS = ["the cat sat on the mat, 1984!", "Déjà vu: naïve café", "  two  spaces\nand lines", "日本 <s> [CLS] x"]
END = "<|endoftext|>"


def byte_tokenizer(special: tuple[str, ...] = (END,)) -> Tokenizer:
    """GPT-2's kind, learnt from the texts above."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=283, special_tokens=list(special), initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS * 3, trainer)
    return tokenizer


def piece_tokenizer() -> Tokenizer:
    """BERT's kind."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=101, special_tokens=names, show_progress=False)
    tokenizer.train_from_iterator(TEXTS * 3, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def marked_tokenizer() -> Tokenizer:
    """RoBERTa's kind."""
    tokenizer = byte_tokenizer(("<s>", "<pad>", "</s>", "<unk>", "<mask>"))
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return tokenizer


_PIECES = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
_MARKS = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "mask_token": "<mask>"}
_DECODER: dict[str, Any] = {
    "hidden_size": 12, "intermediate_size": 29, "num_hidden_layers": 2, "num_attention_heads": 6,
    "max_position_embeddings": 61,
}  # fmt: skip
_ENCODER = {**_DECODER, "num_attention_heads": 3}


def _marian(size: int) -> Any:
    return there.MarianMTModel(
        there.MarianConfig(
            vocab_size=size, d_model=12, encoder_layers=2, decoder_layers=2, encoder_attention_heads=3,
            decoder_attention_heads=3, encoder_ffn_dim=29, decoder_ffn_dim=29, max_position_embeddings=61,
            activation_function="swish", pad_token_id=0, eos_token_id=0, decoder_start_token_id=0, scale_embedding=True,
        )
    )  # fmt: skip


# For each: what makes the model for so many tokens, what makes its tokenizer, and what tokenizer_config.json says.
KINDS: dict[str, tuple[Callable[[int], Any], Callable[[], Tokenizer], dict[str, str]]] = {
    "gpt2": (
        lambda size: there.GPT2LMHeadModel(
            there.GPT2Config(vocab_size=size, n_embd=12, n_layer=2, n_head=3, n_positions=61)
        ),
        byte_tokenizer, {"eos_token": END},
    ),
    "llama": (
        lambda size: there.LlamaForCausalLM(
            there.LlamaConfig(vocab_size=size + 7, **_DECODER, num_key_value_heads=2, rms_norm_eps=1e-5)
        ),
        byte_tokenizer, {"eos_token": END},
    ),
    "qwen2": (
        lambda size: there.Qwen2ForCausalLM(there.Qwen2Config(vocab_size=size, **_DECODER, num_key_value_heads=3)),
        byte_tokenizer, {"eos_token": END},
    ),
    "qwen3": (
        lambda size: there.Qwen3ForCausalLM(
            there.Qwen3Config(vocab_size=size, **_DECODER, num_key_value_heads=2, head_dim=10, tie_word_embeddings=True)
        ),
        byte_tokenizer, {"eos_token": END},
    ),
    "bert": (
        lambda size: there.BertModel(there.BertConfig(vocab_size=size, **_ENCODER)), piece_tokenizer, _PIECES,
    ),
    "bert-masked": (
        lambda size: there.BertForMaskedLM(there.BertConfig(vocab_size=size, **_ENCODER)), piece_tokenizer, _PIECES,
    ),
    "bert-classes": (
        lambda size: there.BertForSequenceClassification(
            there.BertConfig(
                vocab_size=size, **_ENCODER, id2label={0: "no", 1: "yes", 2: "well"},
                label2id={"no": 0, "yes": 1, "well": 2},
            )
        ),
        piece_tokenizer, _PIECES,
    ),
    "roberta": (
        lambda size: there.RobertaForSequenceClassification(
            there.RobertaConfig(vocab_size=size, **_ENCODER, type_vocab_size=1)
        ),
        marked_tokenizer, _MARKS,
    ),
    "marian": (_marian, byte_tokenizer, {"eos_token": END}),
}  # fmt: skip


def foreign_folder(root: Path, name: str) -> Path:
    """The folder of one of these, with weights that are not tiny."""
    make, tokenizer, named = KINDS[name]
    torch.manual_seed(7)
    made = tokenizer()
    model = make(made.get_vocab_size())
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * 0.2)
    folder = root / name
    model.eval().save_pretrained(folder)
    made.save(str(folder / "tokenizer.json"))
    content = {"tokenizer_class": "PreTrainedTokenizerFast", **named}
    (folder / "tokenizer_config.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def opened_there(folder: Path) -> Any:
    """The model of a folder, opened by transformers."""
    (architecture,) = json.loads((folder / "config.json").read_text(encoding="utf-8"))["architectures"]
    return getattr(there, architecture).from_pretrained(folder, local_files_only=True).eval()
