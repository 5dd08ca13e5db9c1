"""A page as one HTML file: its frame, its style, tables and lists of facts. No network, no script; it knows no run.

Whatever a person or a model wrote goes through `escape`; a page that nevertheless held a script would not run it.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files


def page(title: str, sections: Iterable[str]) -> str:
    """The whole file."""
    style = files("glassformer.drawing").joinpath("html_page.css").read_text(encoding="utf-8")
    return _FRAME.format(title=escape(title), style=style, body="\n".join(each for each in sections if each))


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


def facts(pairs: Mapping[str, str]) -> str:
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
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""
