"""Packages that may be missing: wherever one is needed, its extra is named, and nothing calls it a fault of ours."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from helpers.small_runs import small_run

from glassformer.errors import InputError
from glassformer.extras import EXTRAS, lacking, needing

# What is missing, the extra that is named, and a command that needs it; {…} is one of the files that are laid out.
NEEDED = [
    ("onnx", "engines", "export {writer} --to onnx --out {new} --samples 2"),
    ("onnxruntime", "engines", "export {writer} --to onnx --out {new} --samples 2"),
    ("onnx", "engines", "predict {writer} a --engine onnx"),
    ("onnxruntime", "engines", "predict {writer} a --engine onnx"),
    ("onnxruntime", "engines", "evaluate {writer} --engine int8"),
    ("onnxruntime", "engines", "serve {writer} --engine onnx --port 0"),
    ("transformers", "exchange", "export {writer} --to hf --out {new} --samples 2"),
    ("ctranslate2", "ctranslate2", "export {writer} --to ctranslate2 --out {new} --samples 2"),
    ("transformers", "ctranslate2", "export {writer} --to ctranslate2 --out {new} --samples 2"),
    ("gguf", "gguf", "export {writer} --to gguf --out {new} --samples 2"),
    ("transformers", "gguf", "export {writer} --to gguf --out {new} --samples 2"),
    ("accelerate", "gguf", "export {writer} --to gguf --out {new} --samples 2"),
    ("transformers", "exchange", "look hf:{hf} a --out {new}"),
    ("pyarrow", "data", "train classify {parquet}"),
    ("pyarrow", "data", "plan classify {parquet}"),
    ("pyarrow", "data", "evaluate {writer} {parquet}"),
    ("pyarrow", "data", "predict {writer} {parquet} --column text"),
    ("datasets", "data", "train classify imdb"),
    ("ray", "ray", "train classify negation --ray 2"),
    ("tensorboard", "track", "train classify negation --tensorboard --out {new}"),
    ("openpyxl", "sheets", "check {sheet}"),
    ("pypdf", "documents", "check {pdf}"),
]

# Each command in a fork of one process that has imported nothing of all this yet: importing torch takes seconds.
EACH_IN_A_FORK = """
import json, os, sys
from glassformer.commands import main as cli
cases, answers = json.load(sys.stdin), []
for package, words in cases:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(write, 1), os.dup2(write, 2), os.close(read)
        sys.modules[package] = None
        sys.argv = ["glassformer", *words]
        try:
            cli.main()
        except SystemExit as stop:
            sys.stdout.flush()
            os._exit(stop.code or 0)
        os._exit(0)
    os.close(write)
    with open(read, encoding="utf-8") as said:
        text = said.read()
    answers.append((os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text))
print(json.dumps(answers))
"""


def test_the_table_is_that_of_the_package() -> None:
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {
        name: {each.partition(">")[0].partition("[")[0] for each in packages}
        for name, packages in project["optional-dependencies"].items()
    }
    assert extras.pop("dev")
    assert extras == {name: set(packages) for name, packages in EXTRAS.items()}


def test_what_is_no_package_of_an_extra_stays_a_fault() -> None:
    def fails(name: str) -> None:
        with needing("gguf", "This export"):
            raise ModuleNotFoundError(name=name)

    with pytest.raises(ModuleNotFoundError):
        fails("glassformer.nowhere")
    with pytest.raises(InputError, match=r"This export needs the package transformers, .*'glassformer\[gguf\]'"):
        fails("transformers.models")
    assert lacking(ModuleNotFoundError(name="onnx")).endswith("pip install 'glassformer[engines]'.")
    assert lacking(ImportError("cannot import name")) == ""


@pytest.mark.timeout(600)
def test_who_lacks_a_package_is_told_what_brings_it(tmp_path: Path) -> None:
    places = _laid_out(tmp_path)
    cases = [
        (package, [word.format(**places, new=tmp_path / f"new-{i}") for word in words.split()])
        for i, (package, _, words) in enumerate(NEEDED)
    ]
    told = subprocess.run(
        [sys.executable, "-c", EACH_IN_A_FORK], input=json.dumps(cases), capture_output=True, text=True, check=True,
        env={**os.environ, "COLUMNS": "1000", "GLASSFORMER_DATA": "", "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    wrong = [
        (package, words, code, said)
        for (package, extra, words), (code, said) in zip(NEEDED, json.loads(told.stdout), strict=True)
        if code not in (1, 2) or "a fault" in said or f"pip install 'glassformer[{extra}]'" not in said
    ]
    assert wrong == []


def _laid_out(folder: Path) -> dict[str, Any]:
    """Files that are refused only because of what is missing: nobody reads them before."""
    (folder / "hf").mkdir()
    (folder / "hf" / "config.json").write_text('{"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2"}')
    (folder / "hf" / "model.safetensors").write_bytes(b"")
    (folder / "hf" / "tokenizer.json").write_text("{}")
    files = {kind: folder / f"file.{kind}" for kind in ("parquet", "xlsx", "pdf")}
    for path in files.values():
        path.write_bytes(b"PAR1")
    writer = small_run(folder / "writer", "answers", "gpt").path
    return {
        "writer": writer, "hf": folder / "hf", "parquet": files["parquet"], "sheet": files["xlsx"], "pdf": files["pdf"]
    }  # fmt: skip
