"""Why, to be read, kept and shown: sentences, a strip of coloured words, and tables, as text or as a page without any
script. It works nothing out.

Blue speaks for the answer, orange against it, zero is the paper: the two can be told apart by everybody, and each word
has its signed number beneath.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from glassformer.drawing.html_page import bullets, framed, section, table
from glassformer.errors import InputError
from glassformer.inside.why.logit_lens import WARNING
from glassformer.inside.why.reasons import Reasons, Twin, TwinStage, WordShare
from glassformer.inside.why.telling.sentences import less_or_more, named, parted_because, signed, told, verdict
from glassformer.inside.why.telling.when_to_trust import parted_parts, parted_words, shares_mislead
from glassformer.storage import write_file

LEVELS = 9  # of colour, on either side
NO_SHARE = "–"  # of a word that is what the blank is made of
PARTED = " ≠"  # behind two measures that disagree
BAR = 220  # the width of a bar's frame, in pixels


@dataclass(frozen=True)
class Why:
    """Why a model answered so.

    why.words                the answer in words
    why.reasons.words        every word with its share, and the margin without it
    why.save("why.html")     one file that needs nothing else
    """

    reasons: Reasons

    @property
    def sentences(self) -> list[str]:
        """The answer in words, and what must be known to trust it."""
        return told(self.reasons)

    @property
    def words(self) -> str:
        """The same in one text."""
        return " ".join(self.sentences)

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready data. Of words and parts that are parted, the two measures disagree."""
        parted = parted_words(self.reasons)
        return {
            "sentences": self.sentences,
            "verdict": verdict(self.reasons, self.reasons.margin),
            "shares_mislead": shares_mislead(self.reasons),
            **self.reasons.to_dict(),
            "parted": [i for i, word in enumerate(self.reasons.words) if any(word is each for each in parted)],
            "parted_because": parted_because(self.reasons),
            "parted_parts": [[each.address, each.head] for each in parted_parts(self.reasons)],
        }

    def html(self) -> str:
        """A page of its own."""
        return framed(f"Why {self.reasons.answer}", self.body(), style=why_style())

    def save(self, path: str | Path) -> Path:
        """Writes the page, in place of one that was there before."""
        path = Path(path)
        if path.is_dir():
            raise InputError(f"{path} is a folder; name a file for the page, such as {path / 'why.html'}.")
        write_file(path, self.html().encode())
        return path

    def body(self) -> str:
        """What stands on the page; a page needs `why_style` too."""
        why = self.reasons
        first, *rest = self.sentences
        parts = [
            f"<p class='first'>{_emphasised(first)}</p>",
            f"<p class='said'>{escape(why.writing)} ({escape(why.search)})</p>" if why.writing else "",
            strip(why),
            bullets_of(rest),
            section("Words", _word_table(why), _unit(why)),
            section("Blocks and heads", _direct_table(why), _ON_DIRECT) if why.direct is not None else "",
            section("Instead", _twin_table(why.twin), _ON_TWIN) if why.twin is not None else "",
            section("After each block", _lens_table(why), WARNING) if why.lens else "",
        ]
        return f"<div class='gf-why'>{''.join(parts)}</div>"

    def _repr_html_(self) -> str:
        """What a notebook shows, and saves."""
        return f"<style>{why_style()}</style>{self.body()}"

    def __str__(self) -> str:
        return self.words

    def __repr__(self) -> str:
        return f"<Why: {self.sentences[0]}>"


_ON_DIRECT = (
    "Directly: what each adds to the margin itself, while every norm divides as in this pass; the parts add up to the "
    "margin. Without: how much less it is when the part gives zeros, later blocks and all. ≠: the two disagree a lot."
)
_ON_TWIN = (
    "The margin when the row of one word is taken from the twin, after each stage; where the model would then say "
    "something else, it stands beside."
)


def strip(why: Reasons) -> str:
    """The words as they stand, coloured by their shares unless those are no reasons, each with its number."""
    largest = 0.0 if shares_mislead(why) else max((abs(word.share) for word in why.words), default=0.0)
    pieces = [_piece(word, largest) for word in why.words]
    blank = why.shared.blank
    first = "" if blank.undecided else f"<span class='blank'>({blank.name})<i>{signed(blank.margin)}</i></span>"
    return f"<p class='strip'>{first}{' '.join(pieces)}</p>{_legend(why, largest)}"


def level(share: float, largest: float) -> str:
    """The class of a colour: for or against, from 0 to 9."""
    depth = round(LEVELS * abs(share) / largest) if largest else 0
    return f"{'for' if share >= 0 else 'against'}{depth}"


def bullets_of(sentences: Sequence[str]) -> str:
    """Sentences one below the other, words in *…* set in italics."""
    return (
        "<ul>" + "".join(f"<li>{_emphasised(each)}</li>" for each in sentences) + "</ul>" if sentences else bullets([])
    )


def _piece(word: WordShare, largest: float) -> str:
    kind = f"{level(word.share, largest)}{' written' if word.written else ''}"
    share = NO_SHARE if word.is_blank else signed(word.share)
    return f"<span class='{kind}'>{escape(word.text)}<i>{share}</i></span>"


def _legend(why: Reasons, largest: float) -> str:
    if shares_mislead(why):
        return "<p class='legend'>Not coloured: no share per word is a reason here.</p>"
    answer, rival = (escape(named(why, each)) for each in (why.answer, why.rival))
    return (
        f"<p class='legend'><span class='for{LEVELS}'>+{largest:.2f}</span> speaks for {answer}, "
        f"<span class='against{LEVELS}'>−{largest:.2f}</span> for {rival}; the palest colour is nothing. In logits, "
        "the model's scores before they become probabilities.</p>"
    )


def _unit(why: Reasons) -> str:
    return (
        f"Share: the word's part of the margin of {named(why, why.answer)} over {named(why, why.rival)}, in logits. "
        "Without it: what becomes of the margin when the word is really left out. ≠: the two disagree by a lot."
    )


def _word_table(why: Reasons) -> str:
    parted = [id(word) for word in parted_words(why)]
    rows = [
        (
            escape(word.text) + (" (written)" if word.written else ""),
            NO_SHARE if word.is_blank else signed(word.share),
            less_or_more(word.without) + (PARTED if id(word) in parted else ""),
        )
        for word in why.words
    ]
    return table(("word", "share", "without it"), rows, ("", "number", "number"))


def _direct_table(why: Reasons) -> str:
    assert why.direct is not None
    off = {(each.address, each.head): each.less for each in why.switched_off}
    opposed = {(each.address, each.head) for each in parted_parts(why)}
    largest = max(abs(part.value) for part in why.direct.parts)
    rows = []
    for part in why.direct.parts:
        less = off.get((part.address, part.head))
        bar = _bar(part.value, largest)
        mark = PARTED if (part.address, part.head) in opposed else ""
        rows.append((escape(part.title), bar, signed(part.value), "" if less is None else less_or_more(less) + mark))
    return table(("part", "", "directly", "without it"), rows, ("", "", "number", "number"))


def _bar(value: float, largest: float) -> str:
    """A bar to the right of the middle, or to the left."""
    half = BAR / 2
    wide = half * abs(value) / largest if largest else 0.0
    begin = half if value >= 0 else half - wide
    kind = "for9" if value >= 0 else "against9"
    return (
        f"<svg class='bar' width='{BAR}' height='12' role='img' aria-label='{signed(value)}'>"
        f"<rect class='{kind}' x='{begin:.1f}' y='1' width='{wide:.1f}' height='10'/>"
        f"<path d='M{half} 0V12'/></svg>"
    )


def _twin_table(twin: Twin) -> str:
    if not twin.stages:
        return ""
    blocks = []
    for names in dict.fromkeys(tuple(word for word, _ in stage.margins) for stage in twin.stages):
        rows = [
            (escape(stage.title), *_twin_cells(stage))
            for stage in twin.stages
            if tuple(word for word, _ in stage.margins) == names
        ]
        blocks.append(table(("stage", *names), rows, ("", *["number"] * len(names))))
    return "".join(blocks)


def _twin_cells(stage: TwinStage) -> Iterator[str]:
    for (_, value), says, turns in zip(stage.margins, stage.says, stage.turns, strict=True):
        yield f"{signed(value)} → {escape(says)}" if turns else signed(value)


def _lens_table(why: Reasons) -> str:
    rows = [(escape(row.title), escape(row.token), f"{row.share:.2f}", signed(row.margin)) for row in why.lens]
    return table(("stage", "would write", "probability", "margin"), rows, ("", "", "number", "number"))


def _emphasised(sentence: str) -> str:
    """*word* in italics, also if the word is a star; stars within a label or a token are no marks, and all is text."""
    pieces = re.split(r"(?<![^\s(])\*(\*|[^*]+)\*(?=[\s.,;:)]|$)", sentence)
    return "".join(f"<em>{escape(each)}</em>" if i % 2 else escape(each) for i, each in enumerate(pieces))


def why_style() -> str:
    """How it looks."""
    return files("glassformer.inside.why.telling").joinpath("why.css").read_text(encoding="utf-8")
