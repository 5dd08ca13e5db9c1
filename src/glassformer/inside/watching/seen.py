"""What a watch has seen: a trace, one entry for each attention, and in plain words how far all of it can be trusted.

It keeps, tells and can be looked at. It knows nothing of how attention is caught or rebuilt.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from glassformer.errors import InputError, counted
from glassformer.inside.shown import Shown
from glassformer.inside.watching.calls import AttentionCall
from glassformer.inside.watching.lens import Lens, has_named_logits
from glassformer.inside.watching.showing.seen_look import Read, look_at_seen
from glassformer.inside.watching.showing.token_names import TokenNames
from glassformer.stages.trace import Trace

Verdict = Literal["all seen", "some not seen", "cannot tell"]


@dataclass
class Seen:
    """What was seen: `trace` under the addresses of the modules, `calls` in order, `answer` if the watch ran the model.

    missed    attentions that were noticed and could not be rebuilt: where, and why
    unsure    what could hold an attention and cannot be looked into: where, and why
    outside   how many ran outside the model that was watched
    unmatched what was asked to be kept, and never passed
    broken    why the pass is not whole: what it ended with, or that nothing ran
    before    the same pass without the change, where something was written
    """

    trace: Trace = field(default_factory=Trace)
    calls: list[AttentionCall] = field(default_factory=list)
    missed: list[tuple[str, str]] = field(default_factory=list)
    unsure: list[tuple[str, str]] = field(default_factory=list)
    outside: int = 0
    unmatched: list[str] = field(default_factory=list)
    broken: str = ""
    answer: Any = None
    ids: tuple[int, ...] = ()  # of the first text, if the watch ran the model on ids
    before: "Seen | None" = None
    through: Callable[[int], Lens] | None = field(default=None, repr=False, compare=False)  # made by who ran the model

    @property
    def verdict(self) -> Verdict:
        """`all seen`: all that was noticed is here, and equals the model's own; `some not seen`; or `cannot tell`."""
        if self.missed:
            return "some not seen"
        doubtful = self.broken or self.unsure or not all(call.agrees for call in self.calls)
        return "cannot tell" if doubtful else "all seen"

    @property
    def honest(self) -> bool:
        """True if attention was seen and the verdict is `all seen`."""
        return bool(self.calls) and self.verdict == "all seen"

    @property
    def sentences(self) -> list[str]:
        """All of it in words, one sentence or two for each attention."""
        told = [str(call) for call in self.calls]
        told += [
            f"{path or 'The model'}: an attention was noticed but not rebuilt: {why}." for path, why in self.missed
        ]
        if not told and not self.unsure and not self.broken:
            told.append("No attention was seen: the model ran none that can be caught.")
        told += [f"{path or 'The model'}: it cannot be told whether attention ran: {why}." for path, why in self.unsure]
        if self.calls and not self.trace.entries and not self.unmatched:
            told.append("Nothing was to be kept, so the trace is empty.")
        if self.unmatched:
            told.append(f"Nothing that passed is called {' or '.join(map(repr, self.unmatched))}, so it was not kept.")
        if self.broken:
            told.append(self.broken)
        if self.outside:
            told.append(f"{self.outside} more ran outside the model that is watched.")
        return told

    def lens(self, top: int = 5) -> Lens:
        """The logit lens: what each layer would say, next token by next token; `top` likely ones are kept.

        The model runs again, once for each layer and thrice to try whether the question is fair; else it refuses.
        """
        if self.through is None:
            raise InputError("The lens runs the model again: look with `seen = gf.watch(model).run(…)`.")
        if top < 1:
            raise InputError(f"`top` is {top}; it counts the tokens to keep of each layer.")
        return self.through(top)

    def look(
        self, tokens: Sequence[str] | Sequence[int] = (), context: Sequence[str] | Sequence[int] = (), *,
        tokenizer: Any = None, title: str = "",
    ) -> Shown:  # fmt: skip
        """The same view as of a model of ours, of the first text of the batch: to be saved, or shown in a notebook.

        tokens      what stands at each place, as words, or as ids with a tokenizer; `context` those of another text
                    that was looked at, if any. With a tokenizer, what the model was run on need not be said again
        tokenizer   of `transformers` or of `tokenizers`
        """
        if not self.trace.entries:
            more = "gf.watch(model, keep='*') shows what each module hands on."
            raise InputError(f"There is nothing to look at. {' '.join(self.sentences)} {more}")
        names = None if tokenizer is None else TokenNames(tokenizer)
        read = Read.of(tokens if len(tokens) else self.ids if names else (), context, names)
        foretells = None if self.ids or read.ids or has_named_logits(self.answer) else False  # else it read no tokens
        look = look_at_seen(self.trace, self.calls, self.answer, read, foretells=foretells)
        standing = dict.fromkeys(call.standing for call in self.calls if call.standing)
        plain = ". ".join(("each rebuilt, and equal to the model's own numbers", *standing))
        trust = plain if self.honest else " ".join(self.sentences)
        return Shown(replace(look, title=title, about=f"{counted(len(self.calls), 'attention')}: {trust}"))

    def __repr__(self) -> str:
        more = "" if self.honest else ", see .sentences"
        return f"Seen({len(self.calls)} attentions, {len(self.trace)} stages; {self.verdict}{more})"
