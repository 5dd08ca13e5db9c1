"""A folder of Hugging Face opened through `transformers`, and a look at what its model does with a text.

Config, safetensors and tokenizer are read; no code from the folder is run, no pickle opened, nothing downloaded. The
model is watched as any other that is not ours. It writes no files.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from glassformer.errors import GlassformerError, InputError, counted, lacks_memory
from glassformer.extras import needing
from glassformer.inside.answers import class_answer, come_to_shares
from glassformer.inside.look_at_text import MOST_TOKENS, USUAL_LENGTH
from glassformer.inside.looks import Look, Writes
from glassformer.inside.watching.asking import ATTENTION
from glassformer.inside.watching.lens import OUTPUT
from glassformer.inside.watching.seen import Seen
from glassformer.inside.watching.showing.seen_look import Read, look_at_seen
from glassformer.inside.watching.showing.token_names import TokenNames
from glassformer.inside.watching.watch import watch
from glassformer.layers.devices import device_called
from glassformer.stages.recorder import as_array
from glassformer.stages.trace import Entry

MARK = "hf:"
_STARTS = ("decoder_start_token_id", "bos_token_id", "pad_token_id")
_TWO = 2
_LONGEST = 300  # letters of what others say went wrong
_SAFELY = {"local_files_only": True, "trust_remote_code": False}


def is_hugging_face(name: str | Path) -> bool:
    """Whether `hf:FOLDER` is meant."""
    return str(name).startswith(MARK)


def hugging_folder(name: str | Path) -> Path:
    """The folder of `hf:FOLDER`, in which all that is needed stands."""
    folder = Path(str(name).removeprefix(MARK)).expanduser()
    _check_files(folder)
    return folder


@dataclass(frozen=True)
class HuggingFaceModel:
    """A model that `transformers` made of a folder, with its tokenizer."""

    folder: Path
    model: Any
    tokenizer: Any
    left: tuple[str, ...] = ()  # what of the folder is not used, in words

    @classmethod
    def open(cls, name: str | Path, device: str = "auto") -> "HuggingFaceModel":
        """Opens `hf:FOLDER` on a device."""
        place = device_called(device)
        folder = hugging_folder(name)
        with needing("exchange", "To open a folder of Hugging Face"):
            import transformers
        try:
            with quietly(transformers.logging):
                model, loading = _kind(transformers, folder).from_pretrained(
                    folder, use_safetensors=True, dtype=torch.float32, output_loading_info=True, **_SAFELY
                )
                tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **_SAFELY)
        except Exception as error:  # whatever another's folder makes another's program raise
            raise InputError(f"transformers cannot open {folder}: {_why(error)}") from error
        missing = sorted(loading["missing_keys"])
        if missing:
            raise InputError(
                f"{folder} lacks {counted(len(missing), 'weight')} of a {type(model).__name__}, such as {missing[0]}; "
                "they would be random, and so would be what is seen."
            )
        reads = getattr(model, "main_input_name", "input_ids")
        if reads != "input_ids":
            raise InputError(f"{folder} holds a {type(model).__name__}, which reads {reads}, and no text.")
        return cls(folder, model.eval().to(place), tokenizer, tuple(_left_out(model, loading)))

    @property
    def name(self) -> str:
        """As it is called in a title."""
        return self.folder.resolve().name

    @property
    def about(self) -> str:
        """What it is, in words."""
        parameters = sum(weight.numel() for weight in self.model.parameters())
        made = f"{type(self.model).__name__}, {parameters:,} parameters, opened through transformers"
        return "; ".join((made, *self.left))

    @property
    def reads_two(self) -> bool:
        """Whether it reads one text and writes another."""
        return bool(self.model.config.is_encoder_decoder)

    @property
    def longest(self) -> int:
        """How many tokens can be looked at."""
        own = getattr(self.model.config, "max_position_embeddings", None)
        return min(MOST_TOKENS, own) if isinstance(own, int) and own > 0 else MOST_TOKENS

    def look(
        self, text: str, *, target: str | None = None, longest: int | None = None, write: Writes | None = None,
        like: Look | None = None,
    ) -> Look:  # fmt: skip
        """The model and a text, run once while it is watched.

        target    for a model that reads one text and writes another: the text that is forced (teacher forcing)
        longest   new tokens at most; with 0 a language model only reads
        write     stages to put in place; what the model writes, it writes without them
        like      a look at the same text: what was written then is not written again
        """
        ids = self._ids(text, "text")
        with torch.no_grad():
            if self.reads_two:
                led = self._written_beside(ids, target, longest, like)
                seen = self._watched({"input_ids": ids, "decoder_input_ids": led}, write)
                look = self._looked(seen, led[0].tolist(), ids[0].tolist())
                return self._told(seen, look, led[0, 1:].tolist())
            if target is not None:
                raise InputError("Only a model that reads one text and writes another takes a target.")
            more = self._continued(ids, longest, like)
            ids = torch.cat([ids, ids.new_tensor([more])], 1) if more else ids
            seen = self._watched({"input_ids": ids}, write)
            look = self._looked(seen, ids[0].tolist())
            return self._told(seen, self._with_classes(seen, look), more)

    # --- running ---

    def _watched(self, given: dict[str, Tensor], write: Writes | None) -> Seen:
        with self._running():
            return watch(self.model, keep=(ATTENTION, *outputs_worth_showing(self.model))).run(**given, write=write)

    @contextmanager
    def _running(self, *known: type[Exception]) -> Iterator[None]:
        """Whatever a model of others raises on one text is told in words, but for what the caller knows."""
        try:
            yield
        except Exception as error:
            if isinstance(error, (GlassformerError, *known)) or lacks_memory(error):
                raise
            what = type(self.model).__name__
            raise InputError(f"{what} of {self.folder} cannot run on one text: {_why(error)}") from error

    def _looked(self, seen: Seen, ids: list[int], context: Sequence[int] = ()) -> Look:
        read = Read.of(ids, context, TokenNames(self.tokenizer))
        try:
            return look_at_seen(seen.trace, seen.calls, seen.answer, read, foretells=self.model.can_generate())
        except InputError as error:
            raise InputError(
                f"The attentions of this {type(self.model).__name__} do not run over the {counted(len(ids), 'token')} "
                "of the text as they stand, so the page cannot name what stands where; gf.watch gives their numbers."
            ) from error

    def _ids(self, text: str, what: str) -> Tensor:
        if not text.strip():
            raise InputError("There is no text yet; type one.")
        ids = torch.tensor([self.tokenizer(text)["input_ids"]], device=self.model.device)
        if not ids.numel():
            raise InputError("There is nothing to look at: the text has no tokens.")
        rows = self._table_rows()
        if rows is not None and int(ids.max()) >= rows:
            raise InputError(
                f"The tokenizer of {self.folder} gives token {int(ids.max())}, and its model knows {rows:,} only, "
                "counted from 0; the two do not belong together."
            )
        if ids.shape[1] > self.longest:
            raise InputError(
                f"This {what} has {ids.shape[1]:,} tokens; this model can be looked at with {self.longest:,} at most. "
                "Shorten it."
            )
        return ids

    def _table_rows(self) -> int | None:
        """How many tokens the model has rows for, where it says so."""
        try:
            table = self.model.get_input_embeddings()
        except NotImplementedError:  # of a model with several towers
            return None
        return table.num_embeddings if isinstance(table, nn.Embedding) else None

    def _written_beside(self, ids: Tensor, target: str | None, longest: int | None, like: Look | None) -> Tensor:
        """What a translator writes, or is given, as its decoder reads it: a token to begin with, and the rest."""
        config, known = self.model.config, getattr(self.model, "generation_config", None)
        starts = (getattr(known, _STARTS[0], None), *(getattr(config, name, None) for name in _STARTS))
        begin = next((each for each in starts if each is not None), 0)
        if target is not None:
            rest = self.tokenizer(text_target=target)["input_ids"]
        elif like is not None:
            rest = list(like.written)
        elif not self.model.can_generate():
            raise InputError(
                f"A {type(self.model).__name__} has no head to write with; name a text that it is led along (--target)."
            )
        else:
            most = min(USUAL_LENGTH if longest is None else longest, self.longest - 1)
            rest = self._generated(ids, most)[1:]
        return torch.tensor([[begin, *rest][: self.longest]], device=self.model.device)

    def _continued(self, ids: Tensor, longest: int | None, like: Look | None) -> list[int]:
        if like is not None:
            return list(like.written)
        most = min(USUAL_LENGTH if longest is None else longest, self.longest - ids.shape[1])
        writes = self.model.can_generate() and not self.reads_two
        return self._generated(ids, most)[ids.shape[1] :] if writes and most > 0 else []

    def _generated(self, ids: Tensor, most: int) -> list[int]:
        options = {"max_new_tokens": most, "do_sample": False, "num_beams": 1, "attention_mask": torch.ones_like(ids)}
        try:
            with self._running(ValueError):
                row: list[int] = self.model.generate(ids, **options)[0].tolist()
        except InputError:
            raise
        except ValueError as error:  # such as a T5 that nobody told with which token to begin
            advice = "Say so in its generation_config.json, or name a text that it is led along (--target)."
            more = f" {advice}" if _STARTS[0] in str(error) else ""
            raise InputError(f"transformers cannot write with {self.folder}: {_why(error)}{more}") from error
        return row

    # --- telling ---

    def _told(self, seen: Seen, look: Look, written: Sequence[int]) -> Look:
        words, answer = look.words, look.answer
        if written and not self.reads_two:
            goes_on = f"goes on with “{self.tokenizer.decode(written)}”"
            words = goes_on if answer else "; ".join(each for each in (goes_on, words) if each)
            answer = answer and {**answer, "read": len(look.texts.own) - len(written)}
        elif self.reads_two:
            words = f"writes “{self.tokenizer.decode(written, skip_special_tokens=True)}”"
        trust = f"{counted(len(seen.calls), 'attention')}, {seen.verdict}" if seen.calls else ""
        apart = [str(call) for call in seen.calls if not call.agrees][:1]
        more = [] if seen.honest else [*apart, *seen.sentences[len(seen.calls) :]]
        trusted = " ".join((f"{trust}:" if trust and more else trust, *more)).strip().removesuffix(".")
        about = f"{trusted}; {self.about}"
        return replace(look, title=self.name, about=about, answer=answer, words=words, written=tuple(written))

    def _with_classes(self, seen: Seen, look: Look) -> Look:
        """The classes, where a text is given one."""
        logits, labels = getattr(seen.answer, "logits", None), self.model.config.id2label
        if not isinstance(logits, Tensor) or logits.ndim != 2 or logits.shape[-1] != len(labels):
            return look
        numbers = as_array(logits[:1])
        names = tuple(str(labels.get(each, f"LABEL_{each}")) for each in range(len(labels)))
        if len(labels) < _TWO or self.model.config.problem_type not in (None, "single_label_classification"):
            given = ", ".join(f"{name} {number:.3f}" for name, number in zip(names, numbers[0], strict=True))
            return replace(look, words=f"gives {given} (no probabilities)")
        if not come_to_shares(numbers):
            return replace(look, words="gives NaN or infinite numbers, and so no class")
        look.trace.entries["logits"] = Entry("logits", numbers)
        answer = class_answer(numbers, names)
        words = ", ".join(f"{item['name']} {item['share']:.3f}" for item in answer["items"][:4])
        return replace(look, texts=replace(look.texts, classes=names), answer=answer, words=words)


def outputs_worth_showing(model: nn.Module) -> list[str]:
    """The addresses of what goes from layer to layer: each layer's rows, and what its own parts hand on."""
    found = []
    for path, module in model.named_modules():
        if isinstance(module, nn.ModuleList):
            for name, layer in module.named_children():
                layer_path = f"{path}.{name}" if path else name
                inner = [child for child, _ in layer.named_children()]
                found += [f"{layer_path}.{child}.{OUTPUT}" for child in inner] + [f"{layer_path}.{OUTPUT}"]
    return list(dict.fromkeys(found))


def _left_out(model: Any, loading: Mapping[str, Any]) -> Iterator[str]:
    """What a folder holds and this model does not use, in words."""
    unused = sorted(loading["unexpected_keys"])
    if unused:
        yield f"{counted(len(unused), 'weight')} of the folder not used by it, such as {unused[0]}"
    if getattr(model.config, "auto_map", None):
        yield "code of the folder's own not run, and what it would do otherwise not known"


def _check_files(folder: Path) -> None:
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}; after {MARK} stands a folder with config.json.")
    if not (folder / "config.json").is_file():
        raise InputError(f"{folder} has no config.json, so it is no folder of Hugging Face.")
    if not list(folder.glob("*.safetensors")):
        pickled = sorted(path.name for path in folder.glob("*.bin"))
        why = f"; {pickled[0]} is a pickle, which may run code and is not opened" if pickled else ""
        raise InputError(f"{folder} has no weights as safetensors{why}.")
    _check_index(folder)
    _check_kernels(folder)
    if not any((folder / name).is_file() for name in ("tokenizer.json", "tokenizer_config.json", "tokenizer.model")):
        raise InputError(f"{folder} has no tokenizer; keep one there with tokenizer.save_pretrained.")


def _check_index(folder: Path) -> None:
    """Weights in several files: each a file of this folder, and no pickle."""
    for index in folder.rglob("*.safetensors.index.json"):
        try:
            files = {str(each) for each in json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()}
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(f"{index} cannot be read: it must say in which file each weight stands.") from error
        strange = sorted(each for each in files if Path(each).name != each or not each.endswith(".safetensors"))
        if strange:
            raise InputError(f"{index} names '{strange[0]:.80}', which is no file of safetensors in this folder.")


def _check_kernels(folder: Path) -> None:
    """A config may name kernels of somebody on the net, which transformers would fetch and run."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return  # transformers says what is wrong with it
    for name, value in _settings(config):
        if "implementation" in name and isinstance(value, str) and "/" in value:
            raise InputError(f"{folder / 'config.json'} asks for '{value:.80}': code from elsewhere, which is not run.")


def _settings(config: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a config, with the names it stands under."""
    if isinstance(config, dict):
        for key, value in config.items():
            yield from _settings(value, f"{name}.{key}")
    else:
        yield name, config


def _why(error: Exception) -> str:
    """What another's program says went wrong, in one line."""
    if "ignore_mismatched_sizes" in str(error):
        return "its weights have other sizes than its config.json says"
    said = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", str(error)).split())
    return (said[:_LONGEST] + " …" if len(said) > _LONGEST else said) or type(error).__name__


@contextmanager
def quietly(logging: Any) -> Iterator[None]:
    """Without the bars and the warnings that transformers shows while it loads."""
    level, shown = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if shown:
            logging.enable_progress_bar()


def _kind(transformers: Any, folder: Path) -> Any:
    """The class that the config names, if `transformers` has it, else a language model, else the bare model."""
    config = transformers.AutoConfig.from_pretrained(folder, **_SAFELY)
    for name in config.architectures or ():
        found = getattr(transformers, name, None)
        if isinstance(found, type) and issubclass(found, transformers.PreTrainedModel):
            return found
    writes = type(config) in transformers.MODEL_FOR_CAUSAL_LM_MAPPING
    return transformers.AutoModelForCausalLM if writes else transformers.AutoModel
