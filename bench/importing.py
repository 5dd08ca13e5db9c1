"""Folders of `transformers` drawn by chance, taken in: whether any is taken that is not the same. Prints a table.

They are written from configs drawn by chance, of the kinds that are known here and of many that are not; of two in
three, one key of `config.json` is then left out or changed. What is taken in is compared with the same folder as
`transformers` opens it: logits, and what both write greedily. Weights are made large enough that an error shows. Each
folder that differs is printed with its config.

    python bench/importing.py [--seed N] [--folders N] [--from N]
"""

import argparse
import json
import random
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import transformers as there
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from glassformer.errors import GlassformerError
from glassformer.models.language_model import Continuation
from glassformer.models.registry import MODELS
from glassformer.models.sampling import Stop, greedy
from glassformer.models.translator import Translation
from glassformer.runs.imported import import_model
from glassformer.runs.run import Run

TEXTS = ("the cat sat on the mat, 1984!", "Déjà vu: naïve café", "  two  spaces\nand lines", "日本 and <b>tags</b>")
PRIMES = (2, 3, 5, 7, 11, 13)
WRITTEN = 12  # ids
PROMPTS = 10  # texts that are written to, of each model that writes
BAR = 1e-4  # of the largest logit, where that is above 1
Draw = random.Random
Settings = dict[str, Any]


@dataclass
class Found:
    """What became of the folders of one kind."""

    outcomes: Counter[str] = field(default_factory=Counter)
    gap: float = 0.0  # the largest, of those that are the same
    written: int = 0  # texts, alike


# --- folders of transformers --------------------------------------------------------------------------------------


def bytes_tokenizer(special: tuple[str, ...]) -> Tokenizer:
    """GPT-2's kind."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=283, special_tokens=list(special), initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator(TEXTS * 3, trainer)
    return made


def tokenizer_for(kind: str) -> Any:
    """One that such a model may have."""
    if kind in ("roberta", "xlm-roberta"):
        made = bytes_tokenizer(("<s>", "<pad>", "</s>", "<unk>", "<mask>"))
        made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
        names = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
        return there.PreTrainedTokenizerFast(tokenizer_object=made, **names)
    if kind in ("bert", "electra", "distilbert"):
        made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        made.normalizer, made.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
        made.decoder = decoders.WordPiece()
        special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        trainer = trainers.WordPieceTrainer(vocab_size=101, special_tokens=special, show_progress=False)
        made.train_from_iterator(TEXTS * 3, trainer)
        made.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
        names = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
        return there.PreTrainedTokenizerFast(tokenizer_object=made, **names)
    return there.PreTrainedTokenizerFast(tokenizer_object=bytes_tokenizer(("</s>",)), eos_token="</s>")


STRETCHED: tuple[Settings, ...] = (
    {"rope_type": "linear", "factor": 2.5},
    {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
     "original_max_position_embeddings": 16},
    {"rope_type": "dynamic", "factor": 2.0},
    {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16},
)  # fmt: skip


def decoder_sizes(draw: Draw) -> Settings:
    """Of Llama's kin."""
    heads = draw.choice((1, 2, 3, 4, 6))
    each = 2 * draw.choice(PRIMES)
    found: Settings = {
        "hidden_size": heads * each, "num_attention_heads": heads, "intermediate_size": draw.choice((17, 23, 31)),
        "num_hidden_layers": draw.choice((1, 2, 3)), "max_position_embeddings": draw.choice((41, 53, 64)),
        "num_key_value_heads": draw.choice([count for count in range(1, heads + 1) if heads % count == 0]),
        "tie_word_embeddings": draw.random() < 0.5, "rms_norm_eps": draw.choice((1e-6, 1e-5, 1e-3)),
        "pad_token_id": None, "bos_token_id": 0, "eos_token_id": 0,
    }  # fmt: skip
    rope: Settings = {"rope_type": "default", "rope_theta": draw.choice((10000.0, 500.0, 1e6, 777.5))}
    if draw.random() < 0.3:
        rope |= draw.choice(STRETCHED)
    found["rope_parameters"] = rope
    if draw.random() < 0.3:
        found["hidden_act"] = draw.choice(("gelu", "relu", "gelu_pytorch_tanh", "quick_gelu", "relu2"))
    return found


def _llama(draw: Draw) -> Settings:
    more = {"attention_bias": draw.random() < 0.3, "mlp_bias": draw.random() < 0.3}
    return decoder_sizes(draw) | more | ({"head_dim": 2 * draw.choice(PRIMES)} if draw.random() < 0.3 else {})


def _qwen2(draw: Draw) -> Settings:
    window = draw.random() < 0.2
    return decoder_sizes(draw) | {
        "use_sliding_window": window, "sliding_window": draw.choice((7, 64)), "max_window_layers": 0,
    }  # fmt: skip


def _mistral(draw: Draw) -> Settings:
    return decoder_sizes(draw) | {"sliding_window": draw.choice((None, None, 64, 7))}


def _qwen3(draw: Draw) -> Settings:
    return decoder_sizes(draw) | {"head_dim": 2 * draw.choice(PRIMES), "attention_bias": draw.random() < 0.2}


def _apertus(draw: Draw) -> Settings:
    return decoder_sizes(draw) | {"hidden_act": draw.choice(("relu2", "gelu", "silu", "xielu")), "rope_theta": 500.0}


def _gpt2(draw: Draw) -> Settings:
    heads = draw.choice((1, 2, 3, 5))
    return {
        "n_embd": heads * draw.choice(PRIMES), "n_head": heads, "n_layer": draw.choice((1, 2, 3)),
        "n_positions": draw.choice((41, 53)), "n_inner": draw.choice((None, 17, 31)),
        "activation_function": draw.choice(("gelu_new", "gelu", "relu", "silu", "quick_gelu", "tanh", "gelu_fast")),
        "layer_norm_epsilon": draw.choice((1e-5, 1e-3)), "tie_word_embeddings": draw.random() < 0.7,
        "scale_attn_weights": draw.random() < 0.85, "scale_attn_by_inverse_layer_idx": draw.random() < 0.15,
        "reorder_and_upcast_attn": draw.random() < 0.2, "bos_token_id": 0, "eos_token_id": 0,
    }  # fmt: skip


def _encoder(draw: Draw) -> Settings:
    heads = draw.choice((1, 2, 3, 5))
    found: Settings = {
        "hidden_size": heads * draw.choice(PRIMES), "num_attention_heads": heads, "intermediate_size": 31,
        "num_hidden_layers": draw.choice((1, 2, 3)), "max_position_embeddings": draw.choice((61, 67)),
        "hidden_act": draw.choice(("gelu", "gelu_new", "relu", "silu", "quick_gelu")),
        "layer_norm_eps": draw.choice((1e-12, 1e-5, 1e-3)), "type_vocab_size": draw.choice((1, 2, 3)),
    }  # fmt: skip
    if draw.random() < 0.15:
        found["is_decoder"] = True
    if draw.random() < 0.4:
        found["num_labels"] = draw.choice((1, 2, 3, 5))
    if draw.random() < 0.15:
        found["problem_type"] = draw.choice(("regression", "multi_label_classification"))
    return found


def _roberta(draw: Draw) -> Settings:
    return _encoder(draw) | {"pad_token_id": draw.choice((1, 1, 1, 0, 3)), "bos_token_id": 0, "eos_token_id": 2}


def _translator(draw: Draw) -> Settings:
    heads = draw.choice((1, 2, 3))
    width = heads * 2 * draw.choice(PRIMES)
    return {
        "d_model": width, "encoder_layers": draw.choice((1, 2)), "decoder_layers": draw.choice((1, 2, 3)),
        "encoder_attention_heads": heads, "decoder_attention_heads": heads, "encoder_ffn_dim": 29,
        "decoder_ffn_dim": draw.choice((29, 29, 31)), "max_position_embeddings": draw.choice((41, 53)),
        "activation_function": draw.choice(("relu", "swish", "gelu", "quick_gelu")),
        "scale_embedding": draw.random() < 0.7, "pad_token_id": 0, "eos_token_id": 0,
        "decoder_start_token_id": draw.choice((0, 0, 3)),
        "bos_token_id": 0, "forced_eos_token_id": None, "share_encoder_decoder_embeddings": draw.random() < 0.9,
        "tie_word_embeddings": draw.random() < 0.9,
    }  # fmt: skip


HEADS = {"bert": "Bert", "roberta": "Roberta", "xlm-roberta": "XLMRoberta"}
KNOWN: dict[str, tuple[str, Callable[[Draw], Settings]]] = {
    "gpt2": ("GPT2LMHeadModel", _gpt2), "llama": ("LlamaForCausalLM", _llama), "qwen2": ("Qwen2ForCausalLM", _qwen2),
    "mistral": ("MistralForCausalLM", _mistral),
    "qwen3": ("Qwen3ForCausalLM", _qwen3), "apertus": ("ApertusForCausalLM", _apertus), "bert": ("", _encoder),
    "roberta": ("", _roberta), "xlm-roberta": ("", _roberta), "marian": ("MarianMTModel", _translator),
    "pegasus": ("PegasusForConditionalGeneration", _translator),
}  # fmt: skip
OTHERS = (
    "GemmaForCausalLM", "Gemma2ForCausalLM", "GPTNeoXForCausalLM", "PhiForCausalLM",
    "OlmoForCausalLM", "Olmo2ForCausalLM", "GraniteForCausalLM", "StableLmForCausalLM", "CohereForCausalLM",
    "MixtralForCausalLM", "Qwen3MoeForCausalLM", "OPTForCausalLM", "BartForConditionalGeneration",
    "T5ForConditionalGeneration", "DistilBertModel", "ElectraModel", "GPTJForCausalLM", "GPTBigCodeForCausalLM",
    "SmolLM3ForCausalLM", "HeliumForCausalLM", "BertLMHeadModel", "BertForTokenClassification",
)  # fmt: skip
_BODIES = ("Model", "ForMaskedLM", "ForSequenceClassification", "ForSequenceClassification")


def drawn_folder(draw: Draw, folder: Path) -> str:
    """A folder, written; its kind."""
    other = draw.random() < 0.15
    if other:
        architecture, settings, kind = draw.choice(OTHERS), _common(draw), "other"
    else:
        kind = draw.choice(list(KNOWN))
        architecture, make = KNOWN[kind]
        architecture, settings = architecture or HEADS[kind] + draw.choice(_BODIES), make(draw)
    tokens = tokenizer_for(kind)
    made: Any = getattr(there, architecture)
    config = made.config_class(vocab_size=len(tokens) + draw.choice((0, 0, 5)), **settings)
    torch.manual_seed(draw.randrange(2**31))
    model = made(config)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "embed_positions" not in name or architecture == "BartForConditionalGeneration":
                weight.add_(0.15 * torch.randn_like(weight))
    kept = torch.bfloat16 if draw.random() < 0.1 else torch.float32
    several = {"max_shard_size": "20KB"} if draw.random() < 0.2 else {}
    model.to(kept).save_pretrained(folder, **several)
    tokens.save_pretrained(folder)
    _disguised(draw, folder, other=other)
    return kind


def _common(draw: Draw) -> Settings:
    """Sizes under the names that most configs have for them."""
    return {
        "hidden_size": 24, "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 31, "n_embd": 24,
        "n_head": 4, "n_layer": 2, "d_model": 24, "pad_token_id": 0, "bos_token_id": 0, "eos_token_id": 0,
        "max_position_embeddings": 64,
    }  # fmt: skip


def _disguised(draw: Draw, folder: Path, *, other: bool) -> None:
    """One key left out or changed, in two of three; a kind that is not known may be given the name of one that is."""
    path = folder / "config.json"
    said = json.loads(path.read_text())
    way = draw.choice(("as it is", "left out", "changed"))
    name = draw.choice(sorted(said))
    if other and draw.random() < 0.5:
        kind = draw.choice([each for each in KNOWN.values() if each[0]])[0]
        said["architectures"] = [kind]
        said["model_type"] = getattr(there, kind).config_class.model_type
    elif way == "left out":
        del said[name]
    elif way == "changed":
        said[name] = _changed(draw, said[name])
    path.write_text(json.dumps(said))


def _changed(draw: Draw, value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return draw.choice((value + 1, 2 * value, None))
    if isinstance(value, float):
        return draw.choice((2 * value, value / 10, None))
    if isinstance(value, str):
        return draw.choice(("gelu", "silu", "relu", "gpt2", "llama", "regression", None))
    return draw.choice((None, {}, 7))


# --- in -----------------------------------------------------------------------------------------------------------


def opened_there(folder: Path) -> Any:
    """The folder as transformers opens it, or None where it does not, or has to make weights up."""
    said = json.loads((folder / "config.json").read_text())
    try:
        made: Any = getattr(there, said["architectures"][0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model, told = made.from_pretrained(
                folder,
                local_files_only=True,
                output_loading_info=True,
                dtype=torch.float32,
                attn_implementation="eager",
            )
        made_up = [name for name in told["missing_keys"] if "pooler" not in name]
        return None if made_up or told["mismatched_keys"] else model.eval()
    except Exception:
        return None


def compared(run: Run, other: Any, draw: Draw) -> tuple[float, bool | None]:
    """How far apart the answers are, and whether both write alike; None where nothing is written."""
    torch.manual_seed(draw.randrange(2**31))
    length = min(17, run.card.longest)
    ids = torch.randint(5, min(run.card.settings.vocabulary, other.config.vocab_size), (3, length))
    real = torch.arange(length) < torch.tensor([[length], [max(1, length - 3)], [1]])
    family = MODELS[run.card.model].family
    model: Any = run.model
    with torch.inference_mode():
        if family == "translator":
            target = torch.cat([torch.full((3, 1), run.tokens.start), ids[:, 1:6]], dim=1)
            theirs = other(ids, attention_mask=real.long(), decoder_input_ids=target).logits
            return _gap(model(ids, real, target), theirs), _all_alike(run, other, 7, draw)
        if family == "language model":
            theirs = other(ids, attention_mask=real.long()).logits
            return _gap(model(ids, real)[real], theirs[real]), _all_alike(run, other, 5, draw)
        theirs = other(ids, attention_mask=real.long())
        if run.card.objective == "classes":
            return _gap(model(ids, real), theirs.logits), None
        rows = theirs.last_hidden_state if hasattr(theirs, "last_hidden_state") else None
        rows = other.base_model(ids, attention_mask=real.long()).last_hidden_state if rows is None else rows
        return _gap(model.read(ids, real)[real], rows[real]), None


def _gap(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    """The largest difference, as a share of the largest number where that is above 1."""
    if ours.shape != theirs.shape:
        return float("inf")
    return float((ours - theirs).abs().max()) / max(1.0, float(theirs.abs().max()))


def _all_alike(run: Run, other: Any, length: int, draw: Draw) -> bool:
    most = min(run.card.settings.vocabulary, other.config.vocab_size)
    prompts = [torch.tensor([[draw.randrange(5, most) for _ in range(length)]]) for _ in range(PROMPTS)]
    return all(_write_alike(run, other, prompt) for prompt in prompts)


def _write_alike(run: Run, other: Any, ids: torch.Tensor) -> bool:
    """Whether the likeliest ids are the same, one after the other, where they are not nearly as likely as the next."""
    stop = Stop(longest=min(WRITTEN, run.card.longest - ids.shape[1]))
    translates = MODELS[run.card.model].family == "translator"
    real = torch.ones_like(ids, dtype=torch.bool)
    model: Any = run.model
    writer = Translation(model, ids, real, run.tokens.start) if translates else Continuation(model, ids.tolist())
    said = greedy(writer, stop)[0].ids
    target = torch.tensor([[run.tokens.start]])
    for id_ in said:
        theirs = other(ids, decoder_input_ids=target) if translates else other(ids)
        row = theirs.logits[0, -1]
        if float(row.max() - row[id_]) > BAR * max(1.0, float(row.abs().max())):
            return False
        new = torch.tensor([[id_]])
        target, ids = (torch.cat([target, new], 1), ids) if translates else (target, torch.cat([ids, new], 1))
    return True


def taken_in(seed: int, numbers: range) -> dict[str, Found]:
    """What became of these folders, by kind."""
    found: dict[str, Found] = {}
    for number in numbers:
        draw = random.Random(f"{seed} in {number}")
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "theirs"
            try:
                kind = drawn_folder(draw, folder)
            except Exception:  # a config that transformers itself does not take
                continue
            row = found.setdefault(kind, Found())
            outcome = _outcome(folder, Path(place) / "run", draw, row)
            row.outcomes[outcome] += 1
            if outcome.isupper():
                said = json.loads((folder / "config.json").read_text())
                print(f"{outcome}: folder {number} of seed {seed}, {kind}: {json.dumps(said)}", flush=True)
    return found


def _outcome(folder: Path, out: Path, draw: Draw, row: Found) -> str:
    other = opened_there(folder)
    try:
        run = import_model(folder, out)
    except GlassformerError:
        return "refused"
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
        return "BROKEN"
    if other is None:
        return "not opened there"
    if MODELS[run.card.model].family == "translator" and run.tokens.start != other.config.decoder_start_token_id:
        return "DIFFERENT"
    gap, alike = compared(run, other, draw)
    if not gap <= BAR or alike is False:
        return "DIFFERENT"
    row.gap = max(row.gap, gap)
    row.written += PROMPTS if alike else 0
    return "the same"


def main() -> None:
    """Draws, tries, counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folders", type=int, default=200)
    parser.add_argument("--from", type=int, default=0, dest="first", help="the number of the first folder")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    there.logging.set_verbosity_error()
    there.logging.disable_progress_bar()
    outcomes = ("the same", "refused", "not opened there", "DIFFERENT", "BROKEN")
    print(f"| kind | {' | '.join(outcomes)} | largest difference | texts written alike |")
    print("|---|" + "---:|" * (len(outcomes) + 2))
    for kind, row in sorted(taken_in(asked.seed, range(asked.first, asked.first + asked.folders)).items()):
        counts = " | ".join(str(row.outcomes[each]) for each in outcomes)
        print(f"| {kind} | {counts} | {row.gap:.1e} | {row.written} |")


if __name__ == "__main__":
    main()
