"""The fields of a request: each is written down once, and from that it is read, refused in words, and documented.

A field that may be left out may also be null. It knows JSON and its schemas; what a field is for, it does not know.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from glassformer.errors import InputError, nearest

MOST_TEXTS = 64
LONGEST_TEXT = 100_000  # characters
MOST_IDS = 100_000  # of one text

Schema = dict[str, Any]
Fields = Mapping[str, "Field"]


@dataclass(frozen=True)
class Field:
    """One field: what is expected in words, its schema, and whether a value is such a one."""

    expected: str
    schema: Schema
    fits: Callable[[Any], bool]
    says: str = ""
    default: Any = None
    required: bool = False

    def read(self, name: str, value: Any) -> Any:
        """The value, if it is as expected."""
        if value is None and not self.required:
            return self.default
        if not self.fits(value):
            raise InputError(f"'{name}' must be {self.expected}; it is {_shown(value)}.")
        return value

    def documented(self) -> Schema:
        """The schema with its words."""
        found = self.schema if self.required else _or_null(self.schema)
        default = {} if self.default is None else {"default": self.default}
        return {**found, **({"description": self.says} if self.says else {}), **default}


def read_fields(content: Mapping[str, Any], fields: Fields) -> dict[str, Any]:
    """The value of every field; a name that is not among them is refused."""
    strange = [name for name in content if name not in fields]
    if strange:
        raise InputError(f"There is no field called '{strange[0][:60]}'; {nearest(strange[0][:60], fields)}")
    return {name: field.read(name, content.get(name)) for name, field in fields.items()}


def schema_of(fields: Fields) -> Schema:
    """The JSON schema of an object with these fields and no others."""
    return {
        "type": "object",
        "properties": {name: field.documented() for name, field in fields.items()},
        "required": [name for name, field in fields.items() if field.required],
        "additionalProperties": False,
    }


# --- kinds of fields ----------------------------------------------------------------------------------------------


def a_text(says: str, *, longest: int = LONGEST_TEXT, required: bool = False) -> Field:
    """A string, not too long, without half a character."""
    schema = {"type": "string", "maxLength": longest}
    return Field(f"a text of at most {longest:,} characters", schema, _is_text(longest), says, required=required)


def texts(says: str, *, most: int = MOST_TEXTS, empty: bool = False) -> Field:
    """One text, or a list of them."""
    is_text, least = _is_text(LONGEST_TEXT), 0 if empty else 1

    def fits(value: Any) -> bool:
        listed = value if isinstance(value, list) else [value]
        return 1 <= len(listed) <= most and all(is_text(each) and len(each) >= least for each in listed)

    one = {"type": "string", "minLength": least, "maxLength": LONGEST_TEXT}
    schema = {"anyOf": [one, {"type": "array", "items": one, "minItems": 1, "maxItems": most}]}
    some = "" if empty else "that are not empty, "
    expected = f"a text, or a list of 1 to {most} texts, {some}of at most {LONGEST_TEXT:,} characters each"
    return Field(expected, schema, fits, says, required=True)


def texts_or_ids(says: str, *, most: int = MOST_TEXTS) -> Field:
    """One text, or a list of them; or the ids of one, or of several."""
    of_texts = texts(says, most=most, empty=True)

    def are_ids(value: Any) -> bool:
        return isinstance(value, list) and 1 <= len(value) <= MOST_IDS and all(map(_is_id, value))

    def fits(value: Any) -> bool:
        several = isinstance(value, list) and 1 <= len(value) <= most and all(map(are_ids, value))
        return of_texts.fits(value) or are_ids(value) or several

    ids = {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1, "maxItems": MOST_IDS}
    several = {"type": "array", "items": ids, "minItems": 1, "maxItems": most}
    schema = {"anyOf": [*of_texts.schema["anyOf"], ids, several]}
    return Field(f"{of_texts.expected}, or the ids of their tokens", schema, fits, says, required=True)


def _is_id(value: Any) -> bool:
    return type(value) is int and value >= 0


def whole(says: str, *, least: int, most: int, default: int | None = None) -> Field:
    """A whole number between two others."""
    schema = {"type": "integer", "minimum": least, "maximum": most}
    expected = f"a whole number from {least} to {most:,}"
    return Field(expected, schema, lambda value: type(value) is int and least <= value <= most, says, default)


def number(says: str, *, least: float, most: float, default: float | None = None) -> Field:
    """A number between two others."""

    def fits(value: Any) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most

    schema = {"type": "number", "minimum": least, "maximum": most}
    return Field(f"a number from {least:g} to {most:g}", schema, fits, says, default)


def flag(says: str) -> Field:
    """True or false; false if it is left out."""
    return Field("true or false", {"type": "boolean"}, lambda value: isinstance(value, bool), says, default=False)


def one_of(says: str, known: Sequence[Any], default: Any = None) -> Field:
    """One of some values, of the same kind."""

    def fits(value: Any) -> bool:
        return any(value == each and isinstance(value, bool) == isinstance(each, bool) for each in known)

    only = f"one of {', '.join(map(repr, known))}" if len(known) > 1 else f"{known[0]!r}, or left out"
    return Field(only, {"enum": list(known)}, fits, says, default)


def words(says: str, *, most: int, longest: int) -> Field:
    """A short list of short texts, or one of them, none of them empty."""
    is_text = _is_text(longest)

    def fits(value: Any) -> bool:
        listed = value if isinstance(value, list) else [value]
        return len(listed) <= most and all(is_text(each) and each for each in listed)

    one = {"type": "string", "minLength": 1, "maxLength": longest}
    schema = {"anyOf": [one, {"type": "array", "items": one, "maxItems": most}]}
    return Field(f"a text, or at most {most} texts, of 1 to {longest} characters", schema, fits, says)


def mapping_of(says: str, known: Fields) -> Field:
    """An object with known fields."""

    def fits(value: Any) -> bool:
        if not isinstance(value, dict) or not value.keys() <= known.keys():
            return False
        return all(each is None or known[name].fits(each) for name, each in value.items())

    return Field(f"an object with {', '.join(known)}", schema_of(known), fits, says)


def listed(value: Any) -> list[Any]:
    """One text or several, as a list; ids of one text are one."""
    if isinstance(value, list) and not any(map(_is_id, value)):
        return list(value)
    return [] if value is None else [value]


def _is_text(longest: int) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        return isinstance(value, str) and len(value) <= longest and not any(0xD800 <= ord(c) < 0xE000 for c in value)

    return fits


def _or_null(schema: Schema) -> Schema:
    """The same, or null."""
    if "enum" in schema:
        return {"enum": [*schema["enum"], None]}
    if "anyOf" in schema:
        return {"anyOf": [*schema["anyOf"], {"type": "null"}]}
    return {**schema, "type": [schema["type"], "null"]}


def _shown(value: Any) -> str:
    written = repr(value)
    return written if len(written) <= 60 else f"{written[:57]}…"
