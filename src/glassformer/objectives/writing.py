"""How a model writes: whole answers to prompts, and one text piece by piece. It knows no objective and no truth."""

from collections.abc import Iterator, Sequence
from typing import Any

from glassformer.models.decoding.beam import Beam, search
from glassformer.models.decoding.sampling import (
    Answer,
    Chooser,
    Draw,
    Sampling,
    Stop,
    Writer,
    gather,
    likeliest,
    stream,
)
from glassformer.models.decoding.writers import Continuation
from glassformer.objectives.predictions import Writing, Written, together
from glassformer.text.tokens import END, Ids, Tokens

SEARCHED_AT_ONCE = 1024  # tokens: a beam writes several ways at once
USUAL_TEMPERATURE = 0.8  # for text that has no right answer
USUAL_LENGTH = 300  # ids of such a text
TIMES_LONGER, AND_SOME = 2, 20  # an answer has at most twice the ids of what it answers, and 20

# --- answers to prompts -----------------------------------------------------------------------------------------


def answered(model: Any, tokens: Tokens, prompts: Sequence[Ids], how: Writing) -> list[Written]:
    """What a language model writes to each prompt, up to its end."""
    found: list[Any] = [None] * len(prompts)
    alike = "synthesizer" in model.config.scorer
    for indices in together(prompts, SEARCHED_AT_ONCE, alike=alike):
        writer = Continuation(model, [prompts[i].tolist() for i in indices])
        answers = written(writer, tokens, how, how.longest or model.config.length, how.beam or 1)
        for i, answer in zip(indices, answers, strict=True):
            found[i] = Written(how.ended(tokens.decode(answer.body))[0])
    return found


def written(writer: Writer, tokens: Tokens, how: Writing, longest: int, beam: int) -> list[Answer]:
    """The ids that are written to each text of a batch: by sampling if that was asked for, else by beam search."""
    stop = Stop(longest=longest, endings=((END,),), until=how.until(tokens))
    if how.sampled:
        return gather(len(writer.room), stream(writer, stop, chooser(how, len(writer.room))))
    return [best[0] for best in search(writer, stop, Beam(width=beam))]


def chooser(how: Writing, count: int, usual: float = 1.0) -> Chooser:
    """How ids are drawn for so many texts; each has a seed of its own."""
    temperature = usual if how.temperature is None else how.temperature
    sampling = Sampling(temperature=temperature, top_k=how.top_k, top_p=how.top_p, min_p=how.min_p)
    return Draw(sampling, range(how.seed, how.seed + count))


# --- as it is made ---------------------------------------------------------------------------------------------


def streamed(model: Any, tokens: Tokens, prompt: Ids, how: Writing, *, goes_on: bool) -> Iterator[str]:
    """What is written to one prompt, bit by bit as it is made. Where the model can look back no further, it goes on
    from the second half of what it sees. What `goes_on` with the prompt has no end of its own, and no right answer."""
    longest = how.longest or (USUAL_LENGTH if goes_on else model.config.length)
    sampled = how.sampled or (goes_on and how.temperature is None)
    choose = chooser(how, 1, USUAL_TEMPERATURE if goes_on else 1.0) if sampled else likeliest
    base = prompt.tolist() if goes_on else []  # what the new ids are read together with: it decides about spaces
    ids: list[int] = []
    said = ""
    for each in _ids(model, prompt.tolist(), longest, choose):
        ids.append(each)
        new, stopped = how.ended(tokens.decode([*base, *ids])[len(tokens.decode(base)) :])
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
