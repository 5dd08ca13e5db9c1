"""How a language model writes: whole answers to prompts, and one text piece by piece. It knows no objective."""

from collections.abc import Iterator, Sequence
from typing import Any

from glassformer.models.language_model import Continuation
from glassformer.models.sampling import Chooser, Stop, likeliest, stream
from glassformer.objectives.predictions import SEARCHED_AT_ONCE, Writing, Written, together
from glassformer.text.tokens import END, Ids, Tokens

USUAL_TEMPERATURE = 0.8  # for text that has no right answer
USUAL_LENGTH = 300  # ids of such a text
ENOUGH_BEFORE = 32  # ids before a new one, to know whether a space stands between, and half of which character it is

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
    base = prompt.tolist()[-ENOUGH_BEFORE:] if goes_on else []  # read together with new ids: it decides about spaces
    before = len(tokens.decode(base))
    ids: list[int] = []
    said = ""
    for each in _ids(model, prompt.tolist(), longest, choose):
        ids.append(each)
        new, stopped = how.ended(tokens.decode([*base, *ids])[before:])
        sure = new if stopped else new[: len(new) - _unsure(new, how.stop)]
        if sure.startswith(said) and len(sure) > len(said):
            yield sure[len(said) :]
            said = sure
        if stopped:
            return
    if ids and len(new) > len(said):
        yield new[len(said) :]


def _unsure(text: str, stops: Sequence[str]) -> int:
    """How many characters at the end may yet change: half a character, or what may become a stop."""
    half = len(text) - len(text.rstrip("\N{REPLACEMENT CHARACTER}"))
    begun = [n for stop in stops for n in range(1, len(stop)) if text.endswith(stop[:n])]
    return max(half, *begun, 0)


def _ids(model: Any, prompt: list[int], longest: int, choose: Chooser) -> Iterator[int]:
    """At most so many ids, up to the end of the text."""
    seen, wanted = list(prompt), len(prompt) + longest
    window = seen[-model.config.length :]
    while len(seen) < wanted:
        stop = Stop(longest=wanted - len(seen), endings=((END,),))
        for each in stream(Continuation(model, [window]), stop, choose):
            if each.finish is not None and each.finish.reason == "stop":
                return
            seen.append(each.id)
            yield each.id
        window = seen[-max(1, model.config.length // 2) :]
