"""Writes docs/api.md, the reference of the server's interface, from the OpenAPI document that the server itself gives.

python docs/make_api_reference.py
"""

import json
from pathlib import Path
from typing import Any

from glassformer.serving.app import OPERATIONS
from glassformer.serving.openapi import document

PAGE = Path(__file__).parent / "api.md"
INTRODUCTION = """\
# The interface of the server

Made from the document that [`glassformer serve`](serve.md) gives at `/openapi.json`, by `docs/make_api_reference.py`; \
requests are read by the same table. A field that is not listed is refused, and so is a value that is not as described.
"""


def page() -> str:
    """The whole page, as Markdown."""
    whole = document(OPERATIONS)
    parts = [INTRODUCTION]
    for path, methods in whole["paths"].items():
        for method, operation in methods.items():
            parts.append(f"## {method.upper()} {path}\n\n{_operation(operation)}")
    return "\n".join([*parts, _refusals(whole)])


def _operation(operation: dict[str, Any]) -> str:
    said = operation.get("description", "")
    parts = [f"{operation['summary']}.{f' {said}' if said else ''}"]
    if "requestBody" in operation:
        body = operation["requestBody"]["content"]["application/json"]
        parts += [_fields(body["schema"]), f"```json\n{json.dumps(body['example'], ensure_ascii=False)}\n```"]
    done = operation["responses"]["200"]
    kinds = ", ".join(f"`{kind}`" for kind in done["content"])
    parts.append(f"Answers with 200 ({kinds}){_answer(done['content'])}.")
    return "\n\n".join(parts) + "\n"


def _fields(schema: dict[str, Any]) -> str:
    rows = ["| field | | by default | |", "|---|---|---|---|"]
    for name, field in schema["properties"].items():
        needed = "needed" if name in schema.get("required", ()) else _value(field)
        rows.append(f"| `{name}` | {_kind(field)} | {needed} | {field.get('description', '')} |")
    return "\n".join(rows)


def _value(field: dict[str, Any]) -> str:
    return f"`{json.dumps(field['default'], ensure_ascii=False)}`" if "default" in field else ""


def _kind(field: dict[str, Any]) -> str:
    """What a field may hold, in few words."""
    if "enum" in field:
        return " or ".join(f"`{json.dumps(each)}`" for each in field["enum"])
    if some := field.get("anyOf") or field.get("oneOf"):
        return " or ".join(_kind(each) for each in some)
    kinds = field.get("type", "anything")
    told = " or ".join(kinds) if isinstance(kinds, list) else kinds
    if "array" in told and "items" in field:
        told = f"{_span(field, 'minItems', 'maxItems', '').strip() or 'any number'} of ({_kind(field['items'])})"
    return told + _span(field, "minimum", "maximum", "") + _span(field, "minLength", "maxLength", " characters")


def _span(field: dict[str, Any], low: str, high: str, unit: str) -> str:
    least, most = field.get(low), field.get(high)
    if most is None:
        return "" if least is None else f" from {least:,}{unit}"
    none_at_all = least is None or (least == 0 and bool(unit))
    return f" up to {most:,}{unit}" if none_at_all else f" from {least:,} to {most:,}{unit}"


def _answer(content: dict[str, Any]) -> str:
    names = content.get("application/json", {}).get("schema", {}).get("properties", {})
    return f" with {', '.join(f'`{name}`' for name in names)}" if names else ""


def _refusals(whole: dict[str, Any]) -> str:
    """What every request may be answered with, each status once."""
    said: dict[str, str] = {}
    for methods in whole["paths"].values():
        for operation in methods.values():
            said |= {status: each["description"] for status, each in operation["responses"].items() if status != "200"}
    rows = [f"| {status} | {words} |" for status, words in sorted(said.items())]
    return "\n".join(
        [
            "## When it is not answered",
            "",
            'The body says why: `{"error": {"message": …, "type": …, "param": …, "code": …}}`.',
            "",
            "| status | |",
            "|---|---|",
            *rows,
            "",
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
