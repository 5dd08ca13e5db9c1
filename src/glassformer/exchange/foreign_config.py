"""Reads the config.json of another tool as a closed form: every key is one that we use, one that changes nothing, or an
error. It knows no layout.

A key that nobody here knows may change what a model computes; to leave it out would give another model without a word.
"""

import json
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from glassformer.errors import InputError

Value = TypeVar("Value", int, float, str, bool)

LARGEST = 2**31  # of any number that is a size

# What does not change what a trained model computes: how it was trained, started, stored or is usually sampled from.
HARMLESS = frozenset({
    "architectures", "_name_or_path", "name_or_path", "transformers_version", "torch_dtype", "dtype", "use_cache",
    "initializer_range", "init_std", "initializer_factor", "gradient_checkpointing", "return_dict",
    "output_attentions", "output_hidden_states", "pretraining_tp", "bos_token_id", "eos_token_id", "pad_token_id",
    "sep_token_id", "cls_token_id", "unk_token_id", "mask_token_id", "forced_bos_token_id", "forced_eos_token_id",
    "bad_words_ids", "num_beams", "max_length", "length_penalty", "no_repeat_ngram_size", "temperature", "top_k",
    "top_p", "do_sample", "early_stopping", "keys_to_ignore_at_inference", "id2label", "label2id", "num_labels",
    "problem_type", "finetuning_task", "task_specific_params", "attn_pdrop", "embd_pdrop", "resid_pdrop",
    "summary_activation", "summary_first_dropout", "summary_proj_to_labels", "summary_type", "summary_use_proj",
    "classifier_dropout", "hidden_dropout_prob", "attention_probs_dropout_prob", "attention_dropout", "dropout",
    "activation_dropout", "encoder_layerdrop", "decoder_layerdrop", "layerdrop", "classif_dropout", "classifier_drop",
    "classifier_pooling", "output_past", "model_max_length", "torchscript", "use_bfloat16", "chunk_size_feed_forward",
    "tokenizer_class", "extra_pos_embeddings", "add_bias_logits", "force_bos_token_to_be_generated", "n_ctx",
    "_commit_hash", "_attn_implementation_autoset", "attn_implementation", "is_encoder_decoder", "_num_labels",
    "directionality", "pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers", "pooler_size_per_head",
    "pooler_type",  # the last seven stand in the configs of multilingual BERTs, and no code reads them
    # How it is usually written with.
    "min_length", "diversity_penalty", "num_beam_groups", "typical_p", "repetition_penalty", "num_return_sequences",
    "encoder_no_repeat_ngram_size", "output_scores", "return_dict_in_generate", "remove_invalid_values",
    "exponential_decay_length_penalty", "suppress_tokens", "begin_suppress_tokens", "max_new_tokens", "penalty_alpha",
    # Who made it, when and with what.
    "author", "authors", "created_date", "created_at", "license", "language", "languages", "model_name", "version",
    "__version__", "description",
    "tags", "base_model", "xla_device", "tf_legacy_loss", "prefix", "n_special", "eos_token_ids",
    "predict_special_tokens", "_attn_implementation", "_flash_attn_2_enabled", "use_flash_attention_2", "ddp_timeout",
    "unsloth_fixed", "unsloth_version", "transformers.js_config", "sentence_transformers", "is_llama_config",
    "save_step", "seed", "total_flos", "training", "train_batch_size",
})  # fmt: skip

# What changes nothing as long as it says this.
NEUTRAL: Mapping[str, Any] = MappingProxyType({
    "pruned_heads": {}, "tie_encoder_decoder": False, "add_cross_attention": False, "is_decoder": False,
    "cross_attention_hidden_size": None, "rope_interleaved": False, "quantization_config": None, "auto_map": None,
    "do_blenderbot_90_layernorm": False,
})  # fmt: skip


class ForeignConfig:
    """What a config.json says; each key is taken once, and at the end none may be left."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self._content = dict(content)
        self._taken: set[str] = set()

    def take(self, name: str, kind: type[Value], default: Value | None = None) -> Value:
        """The value of a key, if it is of this kind; its default, if the key is missing or null."""
        self._taken.add(name)
        value = self._content.get(name)
        if value is None:
            if default is None:
                raise InputError(f"config.json does not say `{name}`, which this kind of model needs.")
            return default
        if kind is float and type(value) is int:
            value = float(value)
        if type(value) is not kind:
            raise InputError(f"config.json: `{name}` must be {kind.__name__}; it is {value!r:.100}.")
        if isinstance(value, int | float) and not 0 <= value <= LARGEST:
            raise InputError(f"config.json: `{name}` must be from 0 to {LARGEST:,}; it is {value!r:.100}.")
        return value

    def says(self, name: str) -> bool:
        """Whether it says anything of a key, be it null."""
        return name in self._content

    def must(self, name: str, *allowed: Any) -> None:
        """Refuses a key that says anything but this; where it is missing or null, it says the first of these."""
        self._taken.add(name)
        value = self._content.get(name)
        if value is not None and not any(type(value) is type(each) and value == each for each in allowed):
            raise InputError(f"config.json: `{name}` is {value!r:.100}; only {_listed(allowed)} can be taken in.")

    def must_say(self, name: str, value: int) -> None:
        """Refuses a key that says anything but this number, or nothing: what is meant then is another one."""
        if self.take(name, int) != value:
            self.must(name, value)

    def choice(self, name: str, words: Mapping[str, str], default: str) -> str:
        """Our word for theirs."""
        word = self.take(name, str, default)
        if word not in words:
            raise InputError(f"config.json: `{name}` is '{word:.100}'; {_listed(tuple(words))} can be taken in.")
        return words[word]

    def names(self, name: str) -> list[str]:
        """A list of words; empty where it is missing or null."""
        self._taken.add(name)
        value = self._content.get(name) or []
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise InputError(f"config.json: `{name}` must be a list of words; it is {value!r:.100}.")
        return value

    def table(self, name: str) -> "ForeignConfig":
        """The keys of a table within; none where it is missing or null."""
        self._taken.add(name)
        value = self._content.get(name)
        if value is not None and not isinstance(value, dict):
            raise InputError(f"config.json: `{name}` must be a table; it is {value!r:.100}.")
        return ForeignConfig(value or {})

    def done(self, ignore: Collection[str] = ()) -> None:
        """Refuses a config with keys that nobody took, but for those that somebody vouches for."""
        for name in ignore:
            if name in self._taken or name in NEUTRAL:
                raise InputError(f"`{name:.100}` of config.json is known here, and cannot be ignored.")
        for name in NEUTRAL.keys() & self._content.keys() - self._taken:
            self.must(name, NEUTRAL[name])
        left = sorted(self._content.keys() - self._taken - HARMLESS - {*ignore})
        if left:
            raise InputError(
                f"config.json says `{left[0]:.100}` ({self._content[left[0]]!r:.100}), which is not known here and may "
                f"change what the model computes ({len(left)} such keys); it is not taken in. Who knows that it "
                f"changes nothing can say so: {' '.join(f'--ignore {name:.50}' for name in left[:9])}"
            )


def _listed(values: tuple[Any, ...]) -> str:
    return " or ".join(value if isinstance(value, str) else json.dumps(value) for value in values)
