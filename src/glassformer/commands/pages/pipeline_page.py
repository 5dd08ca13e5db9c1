"""The text pipeline for the terminal: each text step by step, the padded batch, the embedding's rows; a vocabulary with
its counts. It cuts nothing into tokens itself."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from glassformer.drawing.matrices import Block, DrawnMatrix, cut, heading, rgb, shade, words
from glassformer.drawing.terminal import show, width
from glassformer.errors import visible
from glassformer.text.pipeline import Pipeline, TextSteps, VocabularyCounts
from glassformer.text.token_kinds import PAD, SPECIAL, UNKNOWN

MARGIN = 16  # cells for the name of a step
LONGEST_TOKEN = 18  # cells
LONGEST_TEXT = 2000  # characters that are shown of one
MOST_LINES = 8  # of tokens and ids, for one text
MOST_ROWS = 8  # of the embedding
BAR = 24  # cells
_BLANKS = str.maketrans({"\n": "↵", "\t": "⇥", " ": "␣"})


def print_pipeline(name: str, way: Pipeline, console: Console) -> None:
    """Every text, then what they are together."""
    room = width(console)
    page: Block = [Text()]
    for i, steps in enumerate(way.texts):
        title = f"text {i + 1} of {len(way.texts)}" if len(way.texts) > 1 else "text"
        page += [*heading(title, room), *_text_steps(steps, room), Text()]
    page += [*heading(f"padded batch  {way.ids.shape[0]} × {way.ids.shape[1]}", room), *_batch(way, room), Text()]
    page += [*_embedding(way, room), Text(), *_sentence(name, way, room), Text()]
    show(console, page)


def _text_steps(steps: TextSteps, room: int) -> Block:
    inside = room - MARGIN
    page = _named("text", words(visible(_beginning(steps.text)), inside))
    page += _named("standardised", words(visible(_beginning(steps.standardised)), inside))
    page += _tokens_over_ids(steps, inside)
    if steps.unknown:
        named = ", ".join(dict.fromkeys(visible(each) for each in steps.unknown))
        said = f"{len(steps.unknown):,} of {len(steps.ids):,} not in the vocabulary ({SPECIAL[UNKNOWN]}): {named}"
        page += _named("unknown", words(said, inside, rgb("key")))
    if steps.lost:
        page += _named("cut off", words(f"{steps.lost:,} tokens behind these are not read", inside, rgb("key")))
    return page


def _beginning(text: str) -> str:
    """A text, or how a long one begins; `--json` has all of it."""
    left = len(text) - LONGEST_TEXT
    return text if left <= 0 else f"{text[:LONGEST_TEXT]} … ({left:,} more characters)"


def _named(name: str, block: Block) -> Block:
    """A block behind its name."""
    return [Text.assemble((f"  {name if i == 0 else '':<{MARGIN - 2}}", "dim"), line) for i, line in enumerate(block)]


def _tokens_over_ids(steps: TextSteps, room: int) -> Block:
    """Tokens, and below each its id, in as many pairs of lines as they need; of a long text the first ones."""
    above, below, page = Text(), Text(), Block()
    lines = 0
    for place, (token, each) in enumerate(zip(steps.tokens, steps.ids, strict=True)):
        shown = cut(_seen(token), LONGEST_TOKEN)
        wide = max(cell_len(shown), len(str(each)))
        if above and above.cell_len + 2 + wide > room:
            page += [*_named("tokens" if lines == 0 else "", [above]), *_named("ids" if lines == 0 else "", [below])]
            above, below, lines = Text(), Text(), lines + 1
            if lines == MOST_LINES:
                return [*page, *_named("", words(f"… {len(steps.ids) - place:,} more tokens", room, "dim italic"))]
        gap = "  " if above else ""
        style = rgb("key") if each == UNKNOWN else rgb("query")
        above = Text.assemble(above, gap, (shown, style), " " * (wide - cell_len(shown)))
        below = Text.assemble(below, gap, (f"{each:<{wide}}", "dim" if each != UNKNOWN else style))
    return [*page, *_named("tokens" if lines == 0 else "", [above]), *_named("ids" if lines == 0 else "", [below])]


def _seen(token: str) -> str:
    """A token as it can be seen: a token that is nothing but blanks is drawn."""
    return visible(token.translate(_BLANKS) if token.isspace() or token.startswith(" ") else token)


def _batch(way: Pipeline, room: int) -> Block:
    """The ids of all texts under each other; padding is dim."""
    cells = [
        [Text(str(each), style=rgb("query") if real else "dim") for each, real in zip(row, is_real, strict=True)]
        for row, is_real in zip(way.ids.tolist(), way.real.tolist(), strict=True)
    ]
    padding = int((~way.real).sum())
    filled = f"padding ({SPECIAL[PAD]}, id {PAD}): {padding:,} of {way.ids.size:,}"
    drawn = DrawnMatrix(cells).draw(room - 2)
    return [*_indented(drawn), *_indented(words(filled, room - 2, "dim"))]


def _embedding(way: Pipeline, room: int) -> Block:
    if way.rows is None:
        said = "There is no embedding here: a trained model has a row of numbers for each id; name a run to see them."
        return [*heading("embedding rows", room), *_indented(words(said, room - 2, "dim"))]
    title = f"embedding rows  {' × '.join(map(str, way.rows.shape))}: text, token, width"
    rows = way.rows[0][: min(MOST_ROWS, int(way.real[0].sum()))]
    largest = float(abs(rows).max())
    cells = [
        [Text(f"{round(float(number), 2) + 0.0:.2f}", style=shade(float(number), "value", largest)) for number in row]
        for row in rows
    ]
    names: Sequence[str] = [_seen(token) for token in way.texts[0].tokens[: len(rows)]]
    page = [*heading(title, room), *_indented(DrawnMatrix(cells, rows=names).draw(room - 2))]
    left = int(way.real[0].sum()) - len(rows)
    more = f"the first text; {left:,} more rows" if left else "the first text"
    return [*page, *_indented(words(more, room - 2, "dim"))]


def _sentence(name: str, way: Pipeline, room: int) -> Block:
    longest = f"; of a text {way.longest:,} tokens at most are read" if way.longest < 2**31 else ""
    said = f"The vocabulary of {name}: {way.vocabulary:,} tokens, by {way.kind}, {' '.join(SPECIAL)} first{longest}."
    return _indented(words(said, room - 2, "dim"))


def _indented(block: Block) -> Block:
    return [Text.assemble("  ", line) for line in block]


def print_vocabulary(name: str, kind: str, counts: VocabularyCounts, console: Console) -> None:
    """The most frequent tokens with their counts, and how much of the text they cover."""
    room = width(console)
    page: Block = [Text(), *heading(f"vocabulary of {name}", room)]
    wide = max((cell_len(cut(_seen(each.token), LONGEST_TOKEN)) for each in counts.most), default=0)
    digits = len(f"{counts.most[0].count:,}") if counts.most else 1
    longest = max(1, min(BAR, room - wide - digits - 15))
    for each in counts.most:
        token = cut(_seen(each.token), LONGEST_TOKEN)
        beside = f"{' ' * (wide - cell_len(token))}  {each.count:>{digits},}  "
        bar = "█" * max(1, round(longest * each.count / counts.most[0].count))
        page.append(Text.assemble((f"  {each.id:>7}  ", "dim"), (token, rgb("query")), beside, (bar, rgb("value"))))
    shares = " · ".join(f"{n:,}: {share:.1%}" for n, share in counts.covered.items())
    page += [Text(), *_indented(words(f"How much the most frequent ones cover: {shares}.", room - 2))] if shares else []
    said = (
        f"{counts.size:,} tokens, by {kind}, {' '.join(SPECIAL)} among them. Counted in {counts.running:,} running "
        f"tokens, in which {counts.seen:,} of the vocabulary occur: {counts.coverage:.2%} of the text is known; "
        f"unknown ({SPECIAL[UNKNOWN]}): {counts.unknown:,}."
    )
    show(console, [*page, *_indented(words(said, room - 2, "dim")), Text()])
