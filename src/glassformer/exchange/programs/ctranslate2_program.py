"""A language model for CTranslate2, made by that tool's own converter from a folder for transformers, and read back by
it. It knows no run folder.

Only what CTranslate2 tells all logits of can be compared, so translators and classifiers are refused.
"""

import json
import tempfile
from pathlib import Path

import torch
from torch import Tensor

from glassformer.errors import InputError
from glassformer.exchange.hugging_face import folder_files, layout_of
from glassformer.exchange.parity import Opened
from glassformer.models.registry import MODELS
from glassformer.objectives.objective import Trained

CONFIG = "config.json"


def ctranslate2_files(trained: Trained) -> dict[str, bytes]:
    """All files of the export, by name."""
    if MODELS[trained.card.model].family != "language model":
        raise InputError(
            f"CTranslate2 tells no logits of a {MODELS[trained.card.model].family}, so whether the export is the same "
            "model could not be shown; export it with --to onnx or --to hf."
        )
    stretch = trained.card.settings.rotary_stretch
    if stretch:
        raise InputError(f"CTranslate2's converter leaves out that the rotation is stretched ('{stretch}').")
    from glassformer.inside.hugging_face import quietly

    files, layout = folder_files(trained), layout_of(trained)
    import transformers
    from ctranslate2.converters import TransformersConverter  # type: ignore[import-untyped]

    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "hf", Path(folder) / "out"
        source.mkdir()
        for name, content in files.items():
            (source / name).write_bytes(content)
        try:
            with quietly(transformers.logging):
                TransformersConverter(str(source)).convert(str(out))
        except (ValueError, NotImplementedError) as error:
            why = str(error).partition(" (")[0]  # a list of all that it takes would follow
            raise InputError(f"CTranslate2 does not take {layout.architecture}: {why}.") from error
        found = {path.name: path.read_bytes() for path in out.iterdir()}
    return {**found, CONFIG: _whole(found[CONFIG], trained), "tokenizer.json": files["tokenizer.json"]}


def _whole(config: bytes, trained: Trained) -> bytes:
    """Its settings with a name for what is unknown, without which it does not open them. GPT-2's kin knows every byte;
    as in transformers, the end of a text has that name there."""
    said = json.loads(config)
    if said.get("unk_token") is None:
        said["unk_token"] = trained.tokens.name(trained.tokens.end)
    return (json.dumps(said, ensure_ascii=False, indent=2) + "\n").encode()


def opened_by_ctranslate2(folder: Path, trained: Trained) -> Opened:
    """The export in CTranslate2, called as our model is."""
    import ctranslate2  # type: ignore[import-untyped]
    import numpy as np

    generator = ctranslate2.Generator(str(folder), device="cpu", intra_threads=torch.get_num_threads())
    names = json.loads((folder / "vocabulary.json").read_text(encoding="utf-8"))

    def answers(ids: Tensor, real: Tensor) -> Tensor:
        return torch.from_numpy(np.array(generator.forward_batch(ids.tolist())))

    def writes(ids: Tensor, longest: int) -> list[int]:
        (found,) = generator.generate_batch(
            [[names[each] for each in ids[0].tolist()]], max_length=longest, sampling_topk=1,
            include_prompt_in_result=False, end_token=names[trained.tokens.end], return_end_token=True,
        )  # fmt: skip
        return list(found.sequences_ids[0])

    return Opened(answers, writes)
