"""Ids as text, by a tokenizer of `transformers` or of `tokenizers`: ` mat`, not `Ġmat`. It imports neither."""

from collections.abc import Sequence
from typing import Any

from glassformer.errors import InputError

_BROKEN = "\N{REPLACEMENT CHARACTER}"
_SPACE = "\N{LOWER ONE EIGHTH BLOCK}"  # how SentencePiece writes one


class TokenNames:
    """What each id says, one at a time."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        if not hasattr(tokenizer, "decode") or not (
            hasattr(tokenizer, "id_to_token") or hasattr(tokenizer, "convert_ids_to_tokens")
        ):
            raise InputError(
                f"A tokenizer of `transformers` or `tokenizers` is expected; this is a {type(tokenizer).__name__}."
            )

    def __call__(self, ids: Sequence[int]) -> list[str]:
        """The text of each."""
        return [self._named(int(each)) for each in ids]

    def _named(self, number: int) -> str:
        raw = self._raw(number)
        if raw is None:
            return str(number)
        if raw.startswith(_SPACE):
            return " " + raw[1:]
        text = str(self.tokenizer.decode([number], skip_special_tokens=False))
        return raw if not text or _BROKEN in text else text  # part of a sign has no text of its own

    def _raw(self, number: int) -> str | None:
        if hasattr(self.tokenizer, "id_to_token"):
            found = self.tokenizer.id_to_token(number)
        else:
            found = self.tokenizer.convert_ids_to_tokens(number)
        return None if found is None else str(found)
