"""Files from others in large draws, as they might be sent on purpose: refused in words, or taken for what they are.

The short draws stand beside each reader; here is the whole number, which the gate runs.
"""

import contextlib
import gc
import io
import json
import random
import re
import resource
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from helpers.foreign_models import foreign_folder
from helpers.sentence_models import MARIAN, NAMES

import glassformer
from glassformer.errors import GlassformerError
from glassformer.exchange.bring_in import bring_in_folder
from glassformer.exchange.vocabularies.foreign_tokens import foreign_tokens
from glassformer.exchange.vocabularies.older_token_files import as_tokenizer_json
from glassformer.models import weights
from glassformer.runs.imported import import_model
from glassformer.storage import DamagedError
from glassformer.text.tokens import Tokens

SOURCE = Path(glassformer.__file__).parent
STRANGE: list[Any] = [
    None, -1, 0, 1, 2**31, 2**63, 10**30, 1e308, True, "", "x" * 10_000, "(a+)+$", "__import__('os')", [], [[]], {},
    {"type": "Split", "pattern": {"Regex": "(a+)+$"}}, ["\ud800"], "../../etc/passwd",
]  # fmt: skip


def bytes_changed(whole: bytes, draw: random.Random, end: int | None = None) -> bytes:
    """A few bytes are others, or the file is cut, or goes on."""
    content = bytearray(whole)
    for _ in range(draw.randint(1, 4)):
        content[draw.randrange(end or len(content))] = draw.randrange(256)
    kind = draw.random()
    if kind < 0.1:
        return bytes(content[: draw.randrange(len(content))])
    return bytes(content) + draw.randbytes(draw.randint(1, 64)) if kind < 0.2 else bytes(content)


def places(content: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a JSON document: what holds it, and its name there."""
    for name, value in content.items() if isinstance(content, dict) else enumerate(content):
        yield content, name
        if isinstance(value, dict | list):
            yield from places(value)


def values_changed(whole: bytes, draw: random.Random) -> bytes:
    """Some values are strange ones, are gone, or stand under another name."""
    content = json.loads(whole)
    for _ in range(draw.randint(1, 3)):
        holder, name = draw.choice(list(places(content)))
        if isinstance(holder, dict) and draw.random() < 0.3:
            holder[draw.choice(["new", "auto_map", "architectures", "size"])] = holder.pop(name)
        elif draw.random() < 0.2:
            del holder[name]
        else:
            holder[name] = draw.choice(STRANGE)
    return json.dumps(content).encode()


def drawn(whole: bytes, draw: random.Random) -> bytes:
    return (bytes_changed if draw.random() < 0.5 else values_changed)(whole, draw)


def refused(count: int, one: Callable[[], object], kinds: type[Exception], most: float) -> int:
    """How many are refused; any error of another kind is a failure, and so is one that takes more seconds of this
    processor than `most`."""
    found = 0
    gc.collect()
    gc.disable()  # who goes through all that other tests left is not the file
    try:
        for i in range(count):
            begun = time.thread_time()
            try:
                one()
            except kinds:
                found += 1
            assert time.thread_time() - begun <= most, i
    finally:
        gc.enable()
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return foreign_folder(tmp_path_factory.mktemp("foreign"), "gpt2")


@pytest.mark.slow
def test_20_000_files_of_weights() -> None:
    whole = weights.to_bytes({"a": torch.randn(7, 3), "b.c": torch.randn(5), "same": torch.ones(2)})
    header, draw = 8 + int.from_bytes(whole[:8], "little"), random.Random(13)
    found = refused(
        20_000,
        lambda: weights.from_bytes(bytes_changed(whole, draw, header), Path("model.safetensors")),
        DamagedError,
        0.1,
    )
    assert found > 15_000


@pytest.mark.slow
def test_5_000_tokenizers_of_theirs_and_of_ours(folder: Path, tmp_path: Path) -> None:
    theirs = (folder / "tokenizer.json").read_bytes()
    Tokens.train("byte-bpe", ["ab ab ab cd cd"], min_frequency=1).save(tmp_path / "ours.json")
    ours, draw = (tmp_path / "ours.json").read_bytes(), random.Random(5)

    def one_of_ours() -> None:
        (tmp_path / "bad.json").write_bytes(drawn(ours, draw))
        Tokens.load(tmp_path / "bad.json").encode("ab cd <pad> " + "a" * 64)

    def one_of_theirs(whole: bytes = theirs, size: int = 283) -> None:
        foreign_tokens({"tokenizer.json": drawn(whole, draw)}, "gpt2", size).encode("ab " + "a" * 64)

    scored = json.dumps(as_tokenizer_json(MARIAN, "marian")).encode()

    assert refused(2_500, one_of_ours, GlassformerError, 1.0) > 1_500
    assert refused(2_500, one_of_theirs, GlassformerError, 1.0) > 800
    assert refused(2_500, lambda: one_of_theirs(scored, len(NAMES)), GlassformerError, 1.0) > 800


@pytest.mark.slow
def test_500_configs(folder: Path) -> None:
    whole, draw = (folder / "config.json").read_bytes(), random.Random(11)

    def one() -> None:
        (folder / "config.json").write_bytes(drawn(whole, draw))
        bring_in_folder(folder)

    try:
        assert refused(500, one, GlassformerError, 0.1) > 150
    finally:
        (folder / "config.json").write_bytes(whole)


HOSTILE = {
    "pytorch_model.bin": b"cos\nsystem\n(S'touch CANARY'\ntR.",
    "model.pt": b"\x80\x04cposix\nsystem\n(S'touch CANARY'\ntR.",
    "model.safetensors": b"cos\nsystem\n(S'touch CANARY'\ntR.",
    "tokenizer.pkl": b"cos\nsystem\n(S'touch CANARY'\ntR.",
    "modeling.py": b"open('CANARY', 'w')",
    "conftest.py": b"open('CANARY', 'w')",
    "__init__.py": b"open('CANARY', 'w')",
    "sitecustomize.py": b"open('CANARY', 'w')",
    "tokenization_gpt2.py": b"open('CANARY', 'w')",
    "chat_template.jinja": b"{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "generation_config.json": b'{"custom_generate": "modeling.py"}',
    "adapter_config.json": b'{"auto_mapping": {"base_model_class": "modeling.Evil"}}',
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_opening_a_folder_runs_nothing_of_it(
    name: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in folder.iterdir():
        if not (name.endswith((".bin", ".pt")) and each.suffix == ".safetensors"):  # no other weights to fall back on
            (tmp_path / each.name).write_bytes(each.read_bytes())
    (tmp_path / name).write_bytes(HOSTILE[name])
    config = json.loads((tmp_path / "config.json").read_text())
    custom = {"auto_map": {"AutoModelForCausalLM": "modeling.Evil"}, "trust_remote_code": True}
    (tmp_path / "config.json").write_text(json.dumps(config | (custom if name.endswith(".py") else {})))
    monkeypatch.chdir(tmp_path)
    with contextlib.suppress(GlassformerError):
        bring_in_folder(tmp_path)
    assert not (tmp_path / "CANARY").exists()


FORBIDDEN = re.compile(
    r"^\s*(import|from) (pickle|cPickle|dill|joblib|marshal|shelve|cloudpickle)\b"
    r"|(?<!safetensors\.)\btorch\.load\(|\b(np|numpy)\.load\(|(?<![.\w])(eval|exec)\(",
    re.MULTILINE,
)


def test_no_line_of_the_package_opens_a_pickle_or_evaluates_text() -> None:
    found = [path.name for path in SOURCE.rglob("*.py") if FORBIDDEN.search(path.read_text(encoding="utf-8"))]
    assert found == []
    for line in ("import pickle", "  torch.load(x)", "y = eval(x)", "np.load(x)"):
        assert FORBIDDEN.search(line)


PACKED = re.compile(r"\b(zipfile|tarfile|gzip|bz2|lzma|unpack_archive|zstandard)\b")


def test_no_model_comes_in_an_archive() -> None:
    """Unpacked are only tables of texts, and notes of a word processor, each up to a size; pictures are packed."""
    found = {path.name for path in SOURCE.rglob("*.py") if PACKED.search(path.read_text(encoding="utf-8"))}
    assert found == {"text_files.py", "word_files.py"}


@pytest.mark.parametrize("name", ["model.zip", "model.tar", "model.tar.gz", "model.7z", "model.safetensors.gz"])
def test_an_archive_is_not_unpacked(name: str, tmp_path: Path) -> None:
    whole = tmp_path / name
    with tarfile.open(whole, "w:gz") as archive:
        info = tarfile.TarInfo("../CANARY")
        archive.addfile(info, io.BytesIO())
    for given in (whole, tmp_path):
        with pytest.raises(GlassformerError):
            import_model(given, tmp_path / "run")
    assert not (tmp_path.parent / "CANARY").exists()
    assert [each.name for each in tmp_path.iterdir()] == [name]


ROOM = """
import resource, sys
from pathlib import Path
from glassformer.models import weights
content = Path(sys.argv[1]).read_bytes()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
weights.from_bytes(content, Path("model.safetensors"))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
def test_weights_take_no_more_room_than_their_file_and_a_little(tmp_path: Path) -> None:
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 1000  # counted in kB
    path = tmp_path / "model.safetensors"
    path.write_bytes(weights.to_bytes({f"w{i}": torch.zeros(1_000_000) for i in range(25)}))
    told = subprocess.run([sys.executable, "-c", ROOM, str(path)], capture_output=True, text=True, check=True).stdout
    assert int(told) * 1024 <= path.stat().st_size + 64 * 2**20
