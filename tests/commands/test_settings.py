"""Settings from words, and in words again."""

from glassformer.commands.settings import from_words


def test_words_become_values() -> None:
    words = ["a=1", "b=1.5", "c=true", "d=2,3", "e=rms", "f-g=1e-3"]
    assert from_words(words) == {"a": 1, "b": 1.5, "c": True, "d": [2, 3], "e": "rms", "f_g": 0.001}
