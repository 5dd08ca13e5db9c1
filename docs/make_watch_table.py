"""Counts on models of `transformers` what a watch catches: each architecture with a tiny random configuration.

    python docs/make_watch_table.py [MODEL_TYPE …]

Nothing is downloaded. An architecture that does not build from a small configuration, or does not run on a few tokens,
is left out and counted. A line for each that runs: how many attentions were caught and how many more were noticed, the
verdict, and whether the answer is the same to the last bit.
"""

import signal
import sys
import warnings
from collections import Counter
from types import FrameType
from typing import Any

import torch
import transformers as hf
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

import glassformer as gf

_TINY = {
    "vocab_size": 31, "hidden_size": 24, "d_model": 24, "n_embd": 24, "num_attention_heads": 4, "n_head": 4,
    "num_key_value_heads": 2, "num_heads": 4, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
    "intermediate_size": 20, "d_ff": 20, "encoder_ffn_dim": 20, "decoder_ffn_dim": 20, "ffn_dim": 20,
    "num_hidden_layers": 2, "num_layers": 2, "n_layer": 2, "encoder_layers": 2, "decoder_layers": 2,
    "num_decoder_layers": 2, "head_dim": 6, "d_kv": 6, "embedding_size": 24, "word_embed_proj_dim": 24,
    "max_position_embeddings": 32, "n_positions": 32, "num_experts": 4, "num_local_experts": 4, "n_routed_experts": 4,
    "num_experts_per_tok": 2, "moe_intermediate_size": 12, "shared_expert_intermediate_size": 12,
    "hidden_dim": 24, "n_layers": 2, "n_heads": 4, "dim": 24, "emb_dim": 24, "num_buckets": 4,
    "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "decoder_start_token_id": 1,
    "sliding_window": 3, "attention_window": 4, "n_inner": 20, "ffn_hidden_size": 20, "rotary_dim": 4,
    "vocab_size_per_layer_input": 31, "hidden_size_per_layer_input": 8, "num_kv_shared_layers": 0,
    "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1, "q_lora_rank": 8, "kv_lora_rank": 8,
    "qk_nope_head_dim": 6, "qk_rope_head_dim": 4, "v_head_dim": 6, "n_shared_experts": 1,
    "mamba_d_ssm": 24, "mamba_n_heads": 4, "mamba_d_head": 6, "mamba_d_state": 8, "state_size": 8, "n_groups": 1,
    "mamba_n_groups": 1, "expand": 2, "chunk_size": 4, "mamba_chunk_size": 4, "block_size": 2, "num_random_blocks": 1,
}  # fmt: skip
_LARGE = 3_000_000  # weights, beyond which an architecture has not been made small
_SPECIAL: dict[str, dict[str, Any]] = {
    "mamba2": {"num_heads": 8, "head_dim": 6},
    "longformer": {"attention_window": [4, 4]},
    "gemma3n_text": {"layer_types": ["full_attention", "sliding_attention"], "intermediate_size": [20, 20],
                     "activation_sparsity_pattern": [0.0, 0.0]},
}  # fmt: skip


def made(kind: str, how: str) -> tuple[torch.nn.Module, dict[str, torch.Tensor]]:
    """The architecture, tiny, with random weights, and a few tokens for it."""
    known = hf.CONFIG_MAPPING[kind]().to_dict()
    options = {name: value for name, value in _TINY.items() if name in known or name in ("pad_token_id",)}
    config = hf.CONFIG_MAPPING[kind](**{**options, **_SPECIAL.get(kind, {})})
    if not hasattr(config, "vocab_size") or config.sub_configs:
        raise TooSlowError("not a model of text alone")
    with torch.device("meta"):
        size = sum(weight.numel() for weight in hf.AutoModel.from_config(config).parameters())
    if size > _LARGE:
        raise TooSlowError(f"{size} weights")
    torch.manual_seed(0)
    model = hf.AutoModel.from_config(config, attn_implementation=how).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.05 * torch.randn_like(weight))
    ids = torch.randint(3, 31, (2, 8), generator=torch.Generator().manual_seed(1))
    given = {"input_ids": ids}
    if config.is_encoder_decoder:
        given["decoder_input_ids"] = ids[:, :5]
    return model, given


def first(answer: Any) -> torch.Tensor:
    """The first tensor of an answer."""
    return answer[0] if isinstance(answer[0], torch.Tensor) else answer[0][0]


class TooSlowError(Exception):
    """An architecture that cannot be made small."""


def _ring(_number: int, _frame: FrameType | None) -> None:
    raise TooSlowError


def own_count(model: torch.nn.Module, given: dict[str, torch.Tensor]) -> int | None:
    """How many matrices of weights the model itself tells, if it does."""
    try:
        with torch.no_grad():
            answer = model(**given, output_attentions=True)
    except Exception:
        return None
    told = [value for name, value in answer.items() if name.endswith("attentions") and isinstance(value, tuple)]
    return sum(isinstance(each, torch.Tensor) for value in told for each in value) or None


def measured(kind: str, how: str, seconds: int = 0) -> tuple[str, gf.Seen | None, bool]:
    """What a watch makes of it: how many attentions the model itself tells of, or why it did not run in so long."""
    if seconds:
        signal.alarm(seconds)
    try:
        model, given = made(kind, how)
        with torch.no_grad():
            alone = model(**given)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:90], None, False
    finally:
        if seconds:
            signal.alarm(0)
    with torch.no_grad():
        seen = gf.watch(model).run(**given)
    own = own_count(model, given) if how == "eager" else None
    return "" if own is None else f"of {own}", seen, torch.equal(first(alone), first(seen.answer))


def main() -> None:
    """Prints the table and its sum."""
    warnings.simplefilter("ignore")
    hf.logging.set_verbosity_error()
    signal.signal(signal.SIGALRM, _ring)
    total: Counter[str] = Counter()
    for kind in sys.argv[1:] or CONFIG_MAPPING_NAMES:
        for how in ("eager", "sdpa"):
            state, seen, equal = measured(kind, how, seconds=20)
            if seen is None:
                total["left out"] += 1
                print(f"{kind:28} {how:6} left out: {state}", flush=True)
                continue
            worst = max((call.rebuilt_error or 0.0 for call in seen.calls), default=0.0)
            reasons = "; ".join(sorted({why for _, why in seen.missed + seen.unsure}))
            reasons += " (rows meet rows without a softmax)" if seen.bare else ""
            told = f"{len(seen.calls):3} caught {state:6}{len(seen.missed):3} missed  {seen.verdict:14}"
            print(f"{kind:28} {how:6} {told} {'equal' if equal else 'DIFFERS':8}{worst:.0e}  {reasons}", flush=True)
            total.update({"ran": 1, seen.verdict: 1, "caught": len(seen.calls), "missed": len(seen.missed)})
            total["the same to the last bit"] += equal
            if state:
                total["counted by themselves"] += int(state.split()[1])
                total["of these caught"] += min(len(seen.calls), int(state.split()[1]))
                fewer = len(seen.calls) + len(seen.missed) < int(state.split()[1])
                total["vouched for too many"] += seen.verdict == "all seen" and fewer
    print("\n" + ", ".join(f"{name} {count}" for name, count in total.items()))


if __name__ == "__main__":
    main()
