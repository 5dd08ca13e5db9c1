"""`/v1/completions`: what a language model writes, in the shape of OpenAI's interface, whole or as it is made."""

import json
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from itertools import accumulate
from typing import Any

import numpy as np
from starlette.responses import Response

from glassformer.errors import GlassformerError, InputError
from glassformer.objectives.writing import USUAL_TEMPERATURE, Telling
from glassformer.serving.requests.fields import (
    Schema,
    a_text,
    flag,
    listed,
    mapping_of,
    number,
    one_of,
    texts_or_ids,
    whole,
    words,
)
from glassformer.serving.requests.limits import error_body
from glassformer.serving.served import ServedModel
from glassformer.serving.visits import JSON, WARNINGS, Events, Operation, Visit, beside, told
from glassformer.serving.work.slots import TokenStep, Told, ToWrite, sampling_of
from glassformer.text.tokens import Tokens

MOST_CHOICES = 32  # texts written for one request
MOST_TOKENS = 4096  # written to one text
USUAL_LENGTH = 16  # as OpenAI has it, for a text that has no end of its own
SEEDS = 2**62

FIELDS = {
    "model": a_text("The model; may be left out if there is only one that writes.", longest=200),
    "prompt": texts_or_ids("A text, or several; each is gone on with, or answered.", most=MOST_CHOICES),
    "max_tokens": whole(
        "New tokens at most: 16 if nothing is said, or up to the end of an answer; 0 writes nothing.",
        least=0, most=MOST_TOKENS,
    ),
    "temperature": number(
        f"0 is greedy. If nothing is said: {USUAL_TEMPERATURE} for a text that goes on, 0 for an answer.",
        least=0.0, most=100.0,
    ),
    "top_p": number("Sample only from the likeliest tokens that have this probability.", least=0.0, most=1.0),
    "top_k": whole("Sample only from the k likeliest tokens.", least=1, most=1_000_000),
    "min_p": number("Sample only from tokens at least this share as likely as the likeliest.", least=0.0, most=1.0),
    "n": whole("Texts for each prompt.", least=1, most=MOST_CHOICES, default=1),
    "seed": whole("The same seed writes the same text; each choice has the next one.", least=0, most=SEEDS),
    "stop": words("Strings that end a text, and are left out.", most=4, longest=100),
    "stream": flag("Tell the text as it is made, as server-sent events that end with [DONE]."),
    "stream_options": mapping_of("With include_usage, a last event counts the tokens.", {"include_usage": flag("")}),
    "logprobs": whole("Tell log-probabilities, and those of so many likeliest tokens.", least=0, most=5),
    "echo": flag("Put the prompt before the text, and its log-probabilities, if asked for, before those of the text."),
    "best_of": whole("Only 1, or as many as `n`: none is left out.", least=1, most=MOST_CHOICES),
    "presence_penalty": one_of("Only 0.", [0]),
    "frequency_penalty": one_of("Only 0.", [0]),
    "suffix": one_of("Only an empty one.", [""]),
    "logit_bias": mapping_of("Only an empty one.", {}),
    "user": a_text("Not used.", longest=1000),
}  # fmt: skip

_COUNT: Schema = {"type": "integer", "minimum": 0}
ANSWER: Schema = {
    "type": "object",
    "required": ["id", "object", "created", "model", "choices", "usage", "warnings"],
    "properties": {
        "id": {"type": "string"},
        "object": {"const": "text_completion"},
        "created": {"type": "integer"},
        "model": {"type": "string"},
        "choices": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["index", "text", "logprobs", "finish_reason"],
                "properties": {
                    "index": _COUNT,
                    "text": {"type": "string"},
                    "logprobs": {"type": ["object", "null"]},
                    "finish_reason": {"enum": ["stop", "length"]},
                },
            },
        },
        "usage": {
            "type": "object",
            "required": ["prompt_tokens", "completion_tokens", "total_tokens"],
            "properties": {"prompt_tokens": _COUNT, "completion_tokens": _COUNT, "total_tokens": _COUNT},
        },
        "warnings": WARNINGS,
    },
}


async def completions(visit: Visit, asked: JSON) -> Response:
    """The texts, all at once or bit by bit."""
    model = visit.roster.find(asked["model"], "completions")
    prompts = listed(asked["prompt"])
    if len(prompts) * asked["n"] > MOST_CHOICES:
        raise InputError(
            f"{len(prompts)} prompts with {asked['n']} texts each are {len(prompts) * asked['n']}; at most "
            f"{MOST_CHOICES} are written for one request."
        )
    if asked["best_of"] not in (None, 1, asked["n"]):
        raise InputError(f"'best_of' must be 1, or `n` ({asked['n']}); it is {asked['best_of']}.")
    model.workshop.must_have_room(len(prompts) * asked["n"])
    given = await beside(sum(map(len, prompts)), lambda: _to_write(model, prompts, asked))
    reply = Reply(model, asked, [_text(model, prompt) for prompt in prompts for _ in range(asked["n"])], given)
    reply.warnings = await beside(sum(map(len, prompts)), lambda: _warnings(model, prompts, given[:: asked["n"]]))
    parts = visit.parts(model.workshop, given, lambda part: part.finish is not None)
    if asked["stream"]:
        first = await anext(parts)  # what goes wrong at once is told by the status
        return Events(reply.events(first, parts))
    found: list[Told] = [Told("")] * len(given)
    async with aclosing(parts):
        async for i, part in parts:
            found[i] = part
    return told(reply.whole(found))


Prompt = str | list[int]


def _text(model: ServedModel, prompt: Prompt) -> str:
    return prompt if isinstance(prompt, str) else model.run.tokens.decode(prompt)


def _ids(model: ServedModel, prompt: Prompt) -> tuple[int, ...]:
    """The tokens of a prompt; ids are taken as they are."""
    run = model.run
    if isinstance(prompt, str):
        return tuple(run.objective.prompt(run.tokens, prompt).tolist())
    last = len(run.tokens) - 1
    if max(prompt) > last:
        raise InputError(f"'prompt' has the id {max(prompt)}; the ids of '{model.name}' go from 0 to {last}.")
    return tuple(prompt)


def _to_write(model: ServedModel, prompts: Sequence[Prompt], asked: JSON) -> list[ToWrite]:
    """Every text that is to be written."""
    run, goes_on = model.run, model.run.objective.goes_on
    temperature = asked["temperature"]
    if temperature is None:
        temperature = USUAL_TEMPERATURE if goes_on else 0.0
    top_p = 1.0 if asked["top_p"] is None else max(asked["top_p"], 1e-9)  # 0 is the likeliest alone
    sampling = sampling_of(temperature, asked["top_k"], top_p, asked["min_p"] or 0.0)
    longest = asked["max_tokens"]
    if longest is None:
        longest = USUAL_LENGTH if goes_on else run.card.settings.length
    seed = secrets.randbelow(SEEDS) if asked["seed"] is None else asked["seed"]
    read_too = asked["echo"] and asked["logprobs"] is not None
    return [
        ToWrite(
            prompt=ids, longest=longest, sampling=sampling,
            seed=seed + i * asked["n"] + j, goes_on=goes_on, stop=tuple(listed(asked["stop"])),
            streamed=asked["stream"], alternatives=asked["logprobs"],
            places=_places(run.tokens, prompt, ids) if read_too else None,
        )
        for i, (prompt, ids) in enumerate((each, _ids(model, each)) for each in prompts)
        for j in range(asked["n"])
    ]  # fmt: skip


def _places(tokens: Tokens, prompt: Prompt, ids: Sequence[int]) -> tuple[int, ...]:
    """Where the text of each id begins, counted from the end of the prompt: as a text was cut, which may be longer or
    shorter than what its ids say; of ids, as they are told."""
    if isinstance(prompt, str):
        cut = tokens.encode(prompt)
        begins = [*accumulate((begin for begin, _ in cut.offsets), max), *[len(prompt)] * (len(ids) - len(cut.ids))]
        if tuple(ids[: len(cut.ids)]) == cut.ids:
            return tuple(begin - len(prompt) for begin in begins)
    telling, begins = Telling(tokens), []
    for id_ in ids:
        begins.append(len(telling.text))
        telling.add(id_)
    telling.end()
    return tuple(begin - len(telling.text) for begin in begins)


def _warnings(model: ServedModel, prompts: Sequence[Prompt], given: Sequence[ToWrite]) -> list[str]:
    """What is to be said of the prompts; where none was given, nothing."""
    rows = [each.prompt if prompt else () for prompt, each in zip(prompts, given, strict=True)]
    return model.run.warnings_of([np.asarray(ids, dtype=np.int64) for ids in rows])


class Reply:
    """What is answered to one request, in OpenAI's shape."""

    def __init__(self, model: ServedModel, asked: JSON, prompts: Sequence[str], given: Sequence[ToWrite]) -> None:
        self.tokens, self.asked, self.prompts, self.given = model.run.tokens, asked, prompts, given
        self.most = model.run.card.settings.length
        self.warnings: list[str] = []
        self.head = {
            "id": f"cmpl-{secrets.token_hex(12)}", "object": "text_completion", "created": int(time.time()),
            "model": model.name,
        }  # fmt: skip

    def whole(self, found: Sequence[Told]) -> JSON:
        """The texts at once."""
        choices = [self._choice(i, self._echo(i) + part.text, part) for i, part in enumerate(found)]
        return {**self.head, "choices": choices, "usage": self._usage(found), "warnings": self.warnings}

    async def events(self, first: tuple[int, Told], parts: AsyncGenerator[tuple[int, Told]]) -> AsyncIterator[bytes]:
        """The same bit by bit; a fault on the way is told as an event."""
        begun: set[int] = set()
        once = {"warnings": self.warnings} if self.warnings else {}  # in the first event alone
        ended: list[Told] = []
        try:
            async for i, part in _from(first, parts):
                text = part.text if i in begun else self._echo(i) + part.text
                begun.add(i)
                ended += [part] if part.finish else []
                yield _event({**self.head, "choices": [self._choice(i, text, part)], **once})
                once = {}
        except GlassformerError as error:
            yield _event(error_body(500, str(error)))
            return
        finally:
            await parts.aclose()
        if (self.asked["stream_options"] or {}).get("include_usage"):
            yield _event({**self.head, "choices": [], "usage": self._usage(ended)})
        yield b"data: [DONE]\n\n"

    def _echo(self, i: int) -> str:
        return self.prompts[i] if self.asked["echo"] else ""

    def _choice(self, i: int, text: str, part: Told) -> JSON:
        logprobs = _logprobs(self.tokens, part.steps, len(self._echo(i))) if part.steps else None
        return {"index": i, "text": text, "logprobs": logprobs, "finish_reason": part.finish}

    def _read(self, each: ToWrite) -> int:
        """How many tokens of a prompt are read: of one that goes on, as many as the model looks back on."""
        return min(len(each.prompt), self.most) if each.goes_on and each.places is None else len(each.prompt)

    def _usage(self, found: Sequence[Told]) -> dict[str, int]:
        read = sum(self._read(each) for each in self.given[:: self.asked["n"]])
        written = sum(part.count for part in found)
        return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


async def _from(first: tuple[int, Told], rest: AsyncIterator[tuple[int, Told]]) -> AsyncIterator[tuple[int, Told]]:
    yield first
    async for each in rest:
        yield each


def _event(content: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(content, ensure_ascii=False)}\n\n".encode()


def _logprobs(tokens: Tokens, steps: Sequence[TokenStep], before: int) -> JSON:
    def name(id_: int) -> str:
        return tokens.strings([id_])[0]

    return {
        "tokens": [name(step.id) for step in steps],
        "token_logprobs": [step.logprob for step in steps],
        "top_logprobs": [
            None if step.logprob is None else {name(id_): value for id_, value in step.likeliest} for step in steps
        ],
        "text_offset": [before + step.offset for step in steps],
    }


COMPLETIONS = Operation(
    path="/v1/completions",
    summary="Write",
    says="How a text goes on, or the answer to a prompt. OpenAI's clients can be pointed here.",
    fields=FIELDS,
    answer=ANSWER,
    example={"prompt": "ROMEO:", "max_tokens": 24, "seed": 1},
    ability="completions",
    do=completions,
    streams=True,
)
