"""A zoo of models that nobody here wrote: what a watch catches in each, what it says of it, and whether that is true.

    python bench/zoo.py [MODEL_TYPE …] [--maps base causal pairs] [--seconds 20] [--out FILE]

Every architecture of the installed `transformers` is built with a tiny random configuration, for both implementations
of attention, and runs on a few numbers, each in a process of its own with a limit of time. Nothing is downloaded. What
does not build so small, or does not run, is left out and counted. The truth has two sources that know nothing of the
watch: the weights that a model tells by itself (`output_attentions`), and the softmaxes and kernels that are counted
while it runs unwatched, but for those of which some are chosen, as experts are. A line for each:

    caught   attentions that were rebuilt, of how many softmaxes and kernels; how many of the model's own are equal
    verdict  what the watch says, and `?` where it vouches for fewer than were counted or told
"""

import argparse
import json
import multiprocessing
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
import transformers as hf
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from transformers.models.auto import modeling_auto

import glassformer as gf

_TINY: dict[str, Any] = {
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
    # pictures and sounds
    "image_size": 32, "patch_size": 8, "num_channels": 3, "embed_dim": 24, "mlp_dim": 20, "projection_dim": 12,
    "num_mel_bins": 16, "max_source_positions": 16, "max_target_positions": 32, "conv_dim": (12, 12),
    "conv_kernel": (3, 3), "conv_stride": (2, 2), "num_feat_extract_layers": 2, "num_conv_pos_embeddings": 4,
    "num_conv_pos_embedding_groups": 2, "depth": 2, "out_hidden_size": 24, "encoder_layer_count": 2,
    "prediction_length": 4, "context_length": 8, "lags_sequence": (1, 2), "num_queries": 5, "image_token_index": 30,
    "image_token_id": 30, "audio_token_id": 29, "video_token_id": 28, "decoder_hidden_size": 24,
    "decoder_num_attention_heads": 4, "decoder_num_hidden_layers": 2, "decoder_intermediate_size": 20,
}  # fmt: skip
_LARGE = 12_000_000  # weights, beyond which an architecture has not been made small
_SPECIAL: dict[str, dict[str, Any]] = {
    "mamba2": {"num_heads": 8, "head_dim": 6},
    "longformer": {"attention_window": [4, 4]},
    "gemma3n_text": {"layer_types": ["full_attention", "sliding_attention"], "intermediate_size": [20, 20],
                     "activation_sparsity_pattern": [0.0, 0.0]},
    "swin": {"depths": [1, 1], "num_heads": [2, 4], "embed_dim": 8, "window_size": 2, "patch_size": 2},
    "swinv2": {"depths": [1, 1], "num_heads": [2, 4], "embed_dim": 8, "window_size": 2, "patch_size": 2},
    "donut-swin": {"depths": [1, 1], "num_heads": [2, 4], "embed_dim": 8, "window_size": 2, "patch_size": 2},
    "maskformer-swin": {"depths": [1, 1], "num_heads": [2, 4], "embed_dim": 8, "window_size": 2, "patch_size": 2},
    "reformer": {"attn_layers": ["local", "lsh"], "axial_pos_embds": False, "local_attn_chunk_length": 4,
                 "lsh_attn_chunk_length": 4, "num_hashes": 2, "hidden_size": 24, "attention_head_size": 6,
                 "feed_forward_size": 20, "max_position_embeddings": 32},
    "big_bird": {"block_size": 2, "num_random_blocks": 1, "attention_type": "block_sparse"},
    "bigbird_pegasus": {"block_size": 2, "num_random_blocks": 1, "attention_type": "block_sparse"},
}  # fmt: skip
MAPS = {
    "base": modeling_auto.MODEL_MAPPING,
    "causal": modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING,
    "pairs": modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
}


class LeftOutError(Exception):
    """An architecture that cannot be made small, or cannot be fed."""


# --- building ----------------------------------------------------------------------------------------------------


def tiny(kind: type[Any]) -> Any:
    """A small configuration of this class; what it is made of is made small too."""
    usual = kind()
    known = usual.to_dict()
    options = {name: value for name, value in _TINY.items() if name in known or name == "pad_token_id"}
    for name, value in list(options.items()):
        there = known.get(name)
        if isinstance(there, list | tuple) and there and not isinstance(value, list | tuple):
            options[name] = [value] * (2 if len(there) > 2 else len(there))
        elif isinstance(value, tuple) and not isinstance(there, list | tuple):
            del options[name]
        elif isinstance(value, tuple):
            options[name] = list(value)
    for name in getattr(kind, "sub_configs", {}):
        part = getattr(usual, name, None)
        if part is not None:
            options[name] = tiny(type(part)).to_dict()
    return kind(**{**options, **_SPECIAL.get(kind.model_type, {})})


def made(kind: str, how: str, mapping: str = "base") -> nn.Module:
    """The architecture, tiny, with random weights."""
    config = tiny(hf.CONFIG_MAPPING[kind])
    model_class = MAPS[mapping][type(config)]
    model_class = model_class[0] if isinstance(model_class, tuple) else model_class
    if mapping != "base" and hasattr(config, "is_decoder") and not config.is_encoder_decoder:
        config.is_decoder = True
    with torch.device("meta"):
        size = sum(weight.numel() for weight in model_class._from_config(config).parameters())
    if size > _LARGE:
        raise LeftOutError(f"{size} weights")
    torch.manual_seed(0)
    model: nn.Module = model_class._from_config(config, attn_implementation=how).eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.is_floating_point():
                weight.add_(0.05 * torch.randn_like(weight))
    return model


def meals(model: Any) -> Iterator[dict[str, Tensor]]:
    """What it may run on, in the order in which to try: text, text and its beginning, pictures, sounds, rows."""
    draw = torch.Generator().manual_seed(1)
    length = 20 if getattr(model.config, "attention_type", "") == "block_sparse" else 8  # shorter, and it has no blocks
    ids = torch.randint(3, 27, (2, length), generator=draw)
    size = getattr(model.config, "image_size", None)
    size = size if isinstance(size, int) else size[0] if isinstance(size, list | tuple) else 32
    padded = torch.ones_like(ids)
    padded[1, -2:] = 0
    picture = torch.randn(2, 3, size, size, generator=draw)
    text, answer = {"input_ids": ids}, {"decoder_input_ids": ids[:, :5]}
    if model.config.is_encoder_decoder:
        yield {**text, "attention_mask": padded, **answer}
        yield {**text, **answer}
        yield {"input_features": torch.randn(2, 16, 32, generator=draw), **answer}
        yield {"input_values": torch.randn(2, 400, generator=draw), **answer}
        yield {"pixel_values": picture, **answer}
    yield {**text, "attention_mask": padded}
    yield {**text, "pixel_values": picture}
    yield text
    yield {"pixel_values": picture}
    yield {"input_values": torch.randn(2, 400, generator=draw)}
    yield {"input_values": torch.randn(2, 1, 400, generator=draw)}
    yield {"input_features": torch.randn(2, 16, 32, generator=draw)}
    yield {"input_features": torch.randn(2, 32, 16, generator=draw)}
    yield {"pixel_values": torch.randn(2, 4, 3, size, size, generator=draw)}
    yield {"pixel_values_videos": torch.randn(2, 4, 3, size, size, generator=draw)}
    yield {"past_values": torch.randn(2, 8, 1, generator=draw)}
    yield {"inputs_embeds": torch.randn(2, 8, 24, generator=draw)}
    yield {"hidden_states": torch.randn(2, 8, 24, generator=draw)}


def fed(model: Any) -> tuple[dict[str, Tensor], Any]:
    """A meal that it takes, and what it answers, unwatched."""
    first: Exception | None = None
    for meal in meals(model):
        try:
            return meal, alone(model, meal)
        except Exception as error:
            first = first or error
    raise LeftOutError(f"{type(first).__name__}: {first}")


def alone(model: nn.Module, given: Mapping[str, Any]) -> Any:
    """One pass, the same whenever it is made."""
    torch.manual_seed(2)
    with torch.no_grad():
        return model(**given)


# --- the truth ---------------------------------------------------------------------------------------------------


class Counting(TorchFunctionMode):
    """Counts softmaxes and kernels of attention by their names alone; not those that choose among experts."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self._softmaxes: dict[int, Tensor] = {}  # by address, held so that none is used twice
        self._chosen: dict[int, Tensor] = {}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Hands the call on."""
        name, before = getattr(func, "__name__", ""), self.count
        answer = func(*args, **(kwargs or {}))
        if name == "multi_head_attention_forward":  # its inside is not another attention
            self.count = before + 1
        elif name in ("scaled_dot_product_attention", "flex_attention"):
            self.count += 1
        elif name == "softmax" and not (args and id(args[0]) in self._chosen):
            self.count += 1
            self._softmaxes[id(answer)] = answer
        elif name in ("topk", "gather") and args:  # the largest of them, or those at some places
            self.count -= self._softmaxes.pop(id(args[0]), None) is not None
            self._chosen.update({id(each): each for each in tensors(answer)})
        return answer


def counted(model: nn.Module, given: Mapping[str, Any]) -> int:
    """How many softmaxes and kernels ran."""
    with Counting() as counting:
        alone(model, given)
    return counting.count


def own_weights(model: nn.Module, given: Mapping[str, Any]) -> list[Tensor]:
    """The matrices of weights that the model itself tells, if it does."""
    try:
        answer = alone(model, {**given, "output_attentions": True})
    except Exception:
        return []
    told = [value for name, value in answer.items() if name.endswith("attentions")] if hasattr(answer, "items") else []
    return [each for value in told for each in tensors(value)]


def equal_ones(own: list[Tensor], seen: gf.Seen) -> int:
    """How many of the model's own matrices were rebuilt, number by number, to 1e-5."""
    names = [f"{call.scope}.weights" if call.scope else "weights" for call in seen.calls]
    rebuilt = [torch.as_tensor(seen.trace[name]).float() for name in names]
    found = 0
    for weights in own:
        flat = weights.float().flatten()
        found += any(r.numel() == flat.numel() and bool(torch.allclose(r.flatten(), flat, atol=1e-5)) for r in rebuilt)
    return found


def tensors(value: Any) -> Iterator[Tensor]:
    """All tensors in an answer, however deep."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from tensors(each)
    elif isinstance(value, Mapping):
        yield from tensors(list(value.values()))


# --- one of them -------------------------------------------------------------------------------------------------


@dataclass
class Found:
    """What a watch made of one architecture in one implementation; `left_out` says why there is nothing to tell."""

    kind: str
    mapping: str
    how: str
    left_out: str = ""
    caught: int = 0
    counted: int = 0
    told: int = 0
    told_equal: int = 0
    missed: int = 0
    verdict: str = ""
    same: bool = True
    worst: float = 0.0
    why: list[str] = field(default_factory=list)

    @property
    def doubtful(self) -> bool:
        """Whether it is vouched for, and more was counted than caught."""
        return self.verdict == "all seen" and (self.caught < self.counted or self.caught < self.told)

    def __str__(self) -> str:
        name = f"{self.kind:28} {self.mapping:6} {self.how:6}"
        if self.left_out:
            return f"{name} left out: {self.left_out}"
        own = f"own {self.told_equal}/{self.told}" if self.told else ""
        said = f"{self.verdict}{' ?' if self.doubtful else ''}"
        same = "equal" if self.same else "DIFFERS"
        found = f"{self.caught:3} of {self.counted:3}  {own:10} {said:16} {same} {self.worst:.0e}"
        return f"{name} {found} {'; '.join(self.why)}"


Done = Callable[[Found], None]


def measured(kind: str, how: str, mapping: str = "base") -> tuple[Found, gf.Seen | None]:
    """What a watch makes of it."""
    found = Found(kind, mapping, how)
    try:
        model = made(kind, how, mapping)
        given, before = fed(model)
    except Exception as error:
        found.left_out = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:110]
        return found, None
    return found, looked_at(found, model, given, before)


def looked_at(found: Found, model: nn.Module, given: Mapping[str, Any], before: Any) -> gf.Seen:
    """Watches it run on this, writes down what comes of it, and hands the watch back; `before` is its answer alone."""
    found.counted = counted(model, given)
    torch.manual_seed(2)
    with torch.no_grad():
        seen = gf.watch(model).run(**given)
    pairs = list(zip(tensors(before), tensors(seen.answer), strict=True))
    found.same = all(torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in pairs)
    own = own_weights(model, given) if found.how == "eager" else []
    found.told, found.told_equal = len(own), equal_ones(own, seen)
    found.caught, found.missed, found.verdict = len(seen.calls), len(seen.missed), seen.verdict
    found.worst = max((call.rebuilt_error or 0.0 for call in seen.calls), default=0.0)
    reasons = {f"{path.rpartition('.')[2]}: {why}" for path, why in seen.missed + seen.unsure}
    reasons |= {str(call) for call in seen.calls if not call.agrees}
    found.why = sorted(reasons)[:4]
    return seen


def in_a_process(rows: list[Found], measure: Callable[[Found], Found], seconds: int, done: Done) -> None:
    """Measures these rows, in a process that may fail or take too long."""
    here, there = multiprocessing.Pipe(duplex=False)

    def work() -> None:
        for row in rows:
            there.send(asdict(measure(row)))

    process = multiprocessing.get_context("fork").Process(target=work, daemon=True)
    process.start()
    there.close()
    got = 0
    try:
        while got < len(rows) and here.poll(seconds):
            done(Found(**here.recv()))
            got += 1
        ended = "took too long"
    except EOFError:
        ended = "the process ended"
    process.kill()
    process.join()
    for row in rows[got:]:
        done(replace(row, left_out=ended))


# --- all of them -------------------------------------------------------------------------------------------------


def summary(all_found: list[Found]) -> str:
    """The table's sum in one line."""
    ran = [found for found in all_found if not found.left_out]
    total: Counter[str] = Counter(found.verdict for found in ran)
    share = sum(found.verdict == "all seen" for found in ran) / max(1, len(ran))
    told = sum(found.told for found in ran)
    return (
        f"{len({found.kind for found in ran})} architectures; {len(ran)} pairs ran, {len(all_found) - len(ran)} not; "
        f"{dict(total)}, all seen in {share:.1%}; {sum(f.caught for f in ran)} caught of {sum(f.counted for f in ran)} "
        f"softmaxes and kernels; of {told} matrices that models tell {sum(f.told_equal for f in ran)} are equal; "
        f"answers not the same: {sum(not f.same for f in ran)}; to be looked at: {sum(f.doubtful for f in ran)}"
    )


class Table:
    """The rows so far; each is printed, and put into a file of lines of JSON, which is continued from."""

    def __init__(self, out: Path | None) -> None:
        self._out = out
        lines = out.read_text().splitlines() if out and out.exists() else []
        self.found = [Found(**json.loads(line)) for line in lines]
        warnings.simplefilter("ignore")
        torch.set_num_threads(1)
        gf.watch(nn.Linear(3, 3)).run(torch.zeros(2, 3))  # what it loads is loaded once, before the processes part

    def has(self, kind: str, mapping: str) -> bool:
        """Whether there is a row of it."""
        return any((each.kind, each.mapping) == (kind, mapping) for each in self.found)

    def add(self, each: Found) -> None:
        """One more."""
        self.found.append(each)
        print(each, flush=True)
        if self._out:
            with self._out.open("a") as out:
                out.write(json.dumps(asdict(each)) + "\n")


def options(about: str | None, kinds: str) -> argparse.ArgumentParser:
    """What every zoo may be told."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", help=kinds)
    parser.add_argument("--seconds", type=int, default=20, help="how long one row may take")
    parser.add_argument("--out", type=Path, help="a line of JSON for each, to be continued from")
    return parser


def main() -> None:
    """Prints the table and its sum."""
    parser = options(__doc__, "architectures, by model_type; all of them")
    parser.add_argument("--maps", nargs="+", choices=list(MAPS), default=list(MAPS))
    chosen = parser.parse_args()
    hf.logging.set_verbosity_error()
    table = Table(chosen.out)
    for mapping in chosen.maps:
        for kind in chosen.kinds or MAPS[mapping]._model_mapping:
            if kind in MAPS[mapping]._model_mapping and not table.has(kind, mapping):
                rows = [Found(kind, mapping, how) for how in ("eager", "sdpa")]
                in_a_process(rows, lambda row: measured(row.kind, row.how, row.mapping)[0], chosen.seconds, table.add)
    print("\n" + summary(table.found))


if __name__ == "__main__":
    sys.exit(main())
