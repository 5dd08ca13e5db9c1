"""How a language model writes: whole answers to prompts, and one text piece by piece. It knows no objective."""

from collections.abc import Iterator, Sequence
from typing import Any

from glassformer.models.language_model import Continuation
from glassformer.models.sampling import Chooser, Stop, likeliest, stream
from glassformer.objectives.predictions import SEARCHED_AT_ONCE, Writing, Written, together
from glassformer.text.tokens import Ids, Tokens

USUAL_TEMPERATURE = 0.8  # for text that has no right answer
USUAL_LENGTH = 300  # ids of such a text
BESIDE = 8  # ids before the new ones that are decoded with them: they decide about spaces

# --- answers to prompts -----------------------------------------------------------------------------------------


def answered(model: Any, tokens: Tokens, prompts: Sequence[Ids], how: Writing) -> list[Written]:
    """What a language model writes to each prompt, up to its end."""
    found: list[Any] = [None] * len(prompts)
    alike = "synthesizer" in model.config.scorer
    for indices in together(prompts, SEARCHED_AT_ONCE, alike=alike):
        writer = Continuation(model, [prompts[i].tolist() for i in indices])
        answers = how.written(writer, tokens, how.longest or model.config.length, how.beam or 1)
        for i, answer in zip(indices, answers, strict=True):
            found[i] = Written(how.ended(tokens.decode(answer.body))[0])
    return found


# --- as it is made ---------------------------------------------------------------------------------------------


def streamed(model: Any, tokens: Tokens, prompt: Ids, how: Writing, *, goes_on: bool) -> Iterator[str]:
    """What is written to one prompt, bit by bit as it is made. Where the model can look back no further, it goes on
    from the second half of what it sees. What `goes_on` with the prompt has no end of its own, and no right answer."""
    longest = how.longest or (USUAL_LENGTH if goes_on else model.config.length)
    sampled = how.sampled or (goes_on and how.temperature is None)
    choose = how.chooser(1, USUAL_TEMPERATURE if goes_on else 1.0) if sampled else likeliest
    telling = Telling(tokens, prompt.tolist() if goes_on else (), how.stop)
    for each in _ids(model, prompt.tolist(), longest, choose, tokens.end):
        if new := telling.add(each):
            yield new
        if telling.stopped:
            return
    if rest := telling.end():
        yield rest


def _ids(model: Any, prompt: list[int], longest: int, choose: Chooser, end: int) -> Iterator[int]:
    """At most so many ids, up to the end of the text."""
    seen, wanted = list(prompt), len(prompt) + longest
    window = seen[-model.config.length :]
    while len(seen) < wanted:
        stop = Stop(longest=wanted - len(seen), endings=((end,),))
        for each in stream(Continuation(model, [window]), stop, choose):
            if each.finish is not None and each.finish.reason == "stop":
                return
            seen.append(each.id)
            yield each.id
        window = seen[-max(1, model.config.length // 2) :]


class Telling:
    """What one text says so far: nothing is told that may yet change, and nothing from a stop string on. The newest ids
    are decoded beside a few before them, not all of them anew.

    base    the ids that the new ones are read together with: the prompt, where its text goes on
    stops   strings that end the text, and are left out
    """

    def __init__(self, tokens: Tokens, base: Sequence[int] = (), stops: Sequence[str] = ()) -> None:
        self._tokens, self._stops = tokens, tuple(stops)
        self._before = list(base[-BESIDE:])
        self._fresh: list[int] = []
        self.text = ""  # all that is sure to be said
        self._waiting = ""  # decoded, but perhaps the beginning of a stop
        self.stopped = False

    def add(self, id_: int) -> str:
        """What is told by one more id: often a token's text, sometimes nothing yet."""
        self._fresh.append(id_)
        known = self._tokens.decode(self._before)
        new = self._tokens.decode([*self._before, *self._fresh])[len(known) :]
        if new.endswith("\N{REPLACEMENT CHARACTER}"):  # half a character
            return ""
        return self._told(new)

    def hold(self, id_: int) -> None:
        """One more id of which nothing need be told before the end: nothing is decoded for it."""
        self._fresh.append(id_)

    def end(self) -> str:
        """What is left to tell when nothing more comes."""
        known = self._tokens.decode(self._before)
        rest = self._told(self._tokens.decode([*self._before, *self._fresh])[len(known) :])
        last, self._waiting = "" if self.stopped else self._waiting, ""
        self.text += last
        return rest + last

    def _told(self, new: str) -> str:
        self._before, self._fresh = [*self._before, *self._fresh][-BESIDE:], []
        if self.stopped:
            return ""
        waiting = self._waiting + new
        places = [place for place in map(waiting.find, self._stops) if place >= 0]
        self.stopped = bool(places)
        sure = min(places) if places else len(waiting) - self._perhaps(waiting)
        told, self._waiting = waiting[:sure], "" if places else waiting[sure:]
        self.text += told
        return told

    def _perhaps(self, text: str) -> int:
        """How many characters at the end may become a stop."""
        return max((n for stop in self._stops for n in range(1, len(stop)) if text.endswith(stop[:n])), default=0)
