"""A page as one HTML file: the one frame of every page that is written, then tables and lists of facts for reports.

Whatever a person or a model wrote goes through `escape`. Should a page hold a script, a style or an address not
written here, the policy of the frame lets none of it run or load. No network; it knows no run and no notes.
"""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files


def framed(title: str, body: str, *, style: str, script: str = "", images: str = "", kind: str = "") -> str:
    """The whole file: a title, which is plain text, and a body, which is HTML.

    style, script   our own; nothing else of their kind has an effect, neither a tag nor an attribute
    images          where pictures may come from, such as `data:`; by default from nowhere
    kind            the class of the body
    """
    policy = ["default-src 'none'"]
    policy += [f"script-src {_digest(script)}"] if script else []
    policy += [f"style-src {_digest(style)}"]
    policy += [f"img-src {images}"] if images else []
    return _FRAME.format(
        policy="; ".join([*policy, "base-uri 'none'", "form-action 'none'"]),
        title=escape(title),
        style=style,
        opening=f'<body class="{escape(kind)}">' if kind else "<body>",
        body=body,
        script=f'<script type="module">{script}</script>\n' if script else "",
    )


def _digest(content: str) -> str:
    """What a browser compares a script or style with before it is used."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def page(title: str, sections: Iterable[str]) -> str:
    """A report: its sections one below the other. It needs no script."""
    style = files("glassformer.drawing").joinpath("html_page.css").read_text(encoding="utf-8")
    body = "\n".join(each for each in sections if each)
    return framed(title, f"<main>\n{body}\n</main>", style=style)


def section(title: str, body: str, sentence: str = "") -> str:
    """A part of the page with its title, and a sentence that says what is seen; nothing if there is nothing in it."""
    if not body:
        return ""
    said = f"<p class='said'>{escape(sentence)}</p>" if sentence else ""
    return f"<section><h2>{escape(title)}</h2>{said}{body}</section>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], kinds: Sequence[str] = ()) -> str:
    """A table of cells that are HTML already. `kinds` are the classes of the columns: "number", "wide", …"""
    kinds = [*kinds, *[""] * (len(head) - len(kinds))]
    top = "".join(f"<th scope='col' class='{kind}'>{escape(name)}</th>" for name, kind in zip(head, kinds, strict=True))
    body = "".join(f"<tr>{_cells(row, kinds, head)}</tr>" for row in rows)
    return f"<div class='frame'><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"


def _cells(row: Sequence[str], kinds: Sequence[str], head: Sequence[str]) -> str:
    """Each cell has the name of its column with it, for pages too narrow for columns."""
    first, *rest = zip(row, kinds, head, strict=True)
    return f"<th scope='row' class='{first[1]}'>{first[0]}</th>" + "".join(
        f"<td class='{kind}' data-name='{escape(name)}'>{cell}</td>" for cell, kind, name in rest
    )


def fact_list(pairs: Mapping[str, str]) -> str:
    """Names and what is said of each, which is plain text; what is empty is left out."""
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs.items() if value)
    return f"<dl>{rows}</dl>" if rows else ""


def bullets(sentences: Iterable[str]) -> str:
    """Sentences, each in a line of its own."""
    items = "".join(f"<li>{escape(each)}</li>" for each in sentences)
    return f"<ul>{items}</ul>" if items else ""


_FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
{opening}
{body}
{script}</body>
</html>
"""
