"""Settings from words, and in words again."""

import os
from pathlib import Path

import pytest

from glassformer.commands.settings import from_file, from_words, said
from glassformer.errors import InputError


def test_words_become_values() -> None:
    words = ["a=1", "b=1.5", "c=true", "d=2,3", "e=rms", "f-g=1e-3"]
    assert from_words(words) == {"a": 1, "b": 1.5, "c": True, "d": [2, 3], "e": "rms", "f_g": 0.001}


def test_a_file_says_the_same_as_words(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('width = 64\nkv-heads = 2\nnorm = "rms"\n', encoding="utf-8")
    (tmp_path / "a.yaml").write_text("width: 64\nkv-heads: 2\nnorm: rms\n", encoding="utf-8")
    wanted = from_words(["width=64", "kv-heads=2", "norm=rms"])
    assert from_file(tmp_path / "a.toml") == from_file(tmp_path / "a.yaml") == wanted


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.toml", b"width =", "no sound TOML"),
        ("a.yaml", b"width: " + b"9" * 5000, "no sound TOML or YAML: Exceeds the limit"),
        ("a.yaml", b"- 1", "must hold names"),
        ("a.yaml", b"\xff", "cannot be read"),
        ("a.toml", b"a = " + 5000 * b"[" + 5000 * b"]", "nested too deeply"),
        ("a.yaml", b"a: " + 5000 * b"[" + 5000 * b"]", "nested too deeply"),
        ("a.toml", b"#" * 1_000_001, "larger than 1,000,000 bytes"),
    ],
)
def test_a_file_that_holds_no_settings_is_named(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        from_file(tmp_path / name)


def test_a_device_that_never_ends_is_refused() -> None:
    with pytest.raises(InputError, match="larger than"):
        from_file(Path("/dev/zero"))


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.toml")
    with pytest.raises(InputError, match="is a pipe, not a file"):
        from_file(tmp_path / "a.toml")


def test_only_what_was_said_is_handed_on() -> None:
    assert said(text="body", label="", source="a") == {"text": "body", "source": "a"}
