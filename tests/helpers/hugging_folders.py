"""Folders as Hugging Face keeps them: tiny models of `transformers` with random weights, and a tokenizer."""

from pathlib import Path
from typing import Any

import torch
import transformers as hf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

hf.logging.set_verbosity_error()
TEXT = "The cat sat on the mat. The dog sat on the log. Über den Wolken."
LETTERS = 300


def tokenizer() -> Any:
    """Byte-level BPE, as GPT-2 has it: a space belongs to the token after it."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=LETTERS, special_tokens=["<s>", "</s>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    made.train_from_iterator([TEXT] * 3, trainer)
    return hf.PreTrainedTokenizerFast(tokenizer_object=made, bos_token="<s>", eos_token="</s>", pad_token="<s>")


_SPECIAL = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 0}


def gpt2() -> Any:
    return hf.GPT2LMHeadModel(
        hf.GPT2Config(n_embd=15, n_layer=2, n_head=3, n_positions=40, vocab_size=LETTERS, **_SPECIAL)
    )


def judge() -> Any:
    sizes = {"hidden_size": 15, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 20}
    labels = {"id2label": {0: "sour", 1: "sweet"}, "label2id": {"sour": 0, "sweet": 1}}
    return hf.BertForSequenceClassification(hf.BertConfig(**sizes, **labels, vocab_size=LETTERS, pad_token_id=0))


def t5() -> Any:
    sizes = {"d_model": 15, "d_kv": 4, "num_layers": 2, "num_heads": 3, "d_ff": 20, "vocab_size": LETTERS}
    return hf.T5ForConditionalGeneration(hf.T5Config(**sizes, decoder_start_token_id=0, eos_token_id=1, pad_token_id=0))


def mamba() -> Any:
    sizes = {"hidden_size": 12, "num_hidden_layers": 2, "state_size": 4, "vocab_size": LETTERS}
    return hf.MambaForCausalLM(hf.MambaConfig(**sizes, **_SPECIAL))


def picture() -> Any:
    sizes = {"hidden_size": 15, "num_hidden_layers": 1, "num_attention_heads": 3, "intermediate_size": 20}
    return hf.ViTForImageClassification(hf.ViTConfig(**sizes, image_size=8, patch_size=4))


def rows() -> Any:
    """A translator's body, without a head to write with."""
    sizes = {"d_model": 15, "d_kv": 4, "num_layers": 1, "num_heads": 3, "d_ff": 20, "vocab_size": LETTERS}
    return hf.T5Model(hf.T5Config(**sizes, decoder_start_token_id=0, eos_token_id=1, pad_token_id=0))


def choices() -> Any:
    sizes = {"hidden_size": 15, "num_hidden_layers": 1, "num_attention_heads": 3, "intermediate_size": 20}
    return hf.BertForMultipleChoice(hf.BertConfig(**sizes, vocab_size=LETTERS, pad_token_id=0))


def stars() -> Any:
    sizes = {"hidden_size": 15, "num_hidden_layers": 1, "num_attention_heads": 3, "intermediate_size": 20}
    config = hf.BertConfig(**sizes, vocab_size=LETTERS, pad_token_id=0, num_labels=1)
    return hf.BertForSequenceClassification(config)


MAKERS = {
    "gpt2": gpt2, "judge": judge, "t5": t5, "mamba": mamba, "picture": picture, "rows": rows, "choices": choices,
    "stars": stars,
}  # fmt: skip


def hugging_folder(folder: Path, name: str = "gpt2") -> Path:
    """The folder, written."""
    torch.manual_seed(4)
    MAKERS[name]().save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder
