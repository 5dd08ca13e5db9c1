"""Ids as they are made, told as text: nothing is told that may yet change, and nothing from a stop string on.

It decodes the newest ids beside a few before them, not all of them anew. It knows no model.
"""

from collections.abc import Sequence

from glassformer.text.tokens import Tokens

BESIDE = 8  # ids before the new ones that are decoded with them: they decide about spaces


class Telling:
    """What one text says so far.

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
