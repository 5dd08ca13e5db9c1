"""`/v1/trace`: the stages of one pass through a model, by their addresses. First the list, then some of them."""

from typing import NamedTuple

from starlette.responses import Response

from glassformer.errors import InputError
from glassformer.inside.look_at_text import look_at
from glassformer.objectives.objective import Trained
from glassformer.serving.requests.fields import a_text, listed, whole, words
from glassformer.serving.visits import JSON, Operation, Visit, told
from glassformer.serving.work.batches import BatchWork
from glassformer.stages.trace import Trace, json_values

MOST_TOKENS = 256  # of a text that is looked at
MOST_NUMBERS = 300_000  # in one answer, which then stays below 8 MB
MOST_STAGES = 64

FIELDS = {
    "model": a_text("The model; may be left out if there is only one.", longest=200),
    "input": a_text("The text that the model reads.", longest=10_000, required=True),
    "target": a_text("For a translator: a translation to read in place of its own (teacher forcing).", longest=10_000),
    "max_tokens": whole("New tokens that are written along, at most.", least=1, most=MOST_TOKENS),
    "stages": words(
        "Addresses whose numbers are wanted, such as `blocks.0.self.weights`. Without any, the answer lists all "
        "addresses with their shapes, and no numbers.",
        most=MOST_STAGES, longest=200,
    ),
}  # fmt: skip

ANSWER = {
    "type": "object",
    "required": ["object", "model", "tokens", "says", "stages"],
    "properties": {
        "object": {"const": "trace"},
        "model": {"type": "string"},
        "tokens": {"type": "array", "items": {"type": "string"}},
        "says": {"type": "string"},
        "stages": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["address", "axes", "shape", "how"],
                "properties": {
                    "address": {"type": "string"},
                    "axes": {"type": "array", "items": {"type": "string"}},
                    "shape": {"type": "array", "items": {"type": "integer"}},
                    "how": {"type": "string"},
                    "values": {"description": "Nested lists; -Infinity, Infinity and NaN stand as words."},
                },
            },
        },
    },
}


class Wanted(NamedTuple):
    """A look that is asked for; equal ones are worked once."""

    trained: Trained
    target: str | None
    longest: int | None
    stages: tuple[str, ...]


async def trace(visit: Visit, asked: JSON) -> Response:
    """The stages that are asked for, or the list of all."""
    model = visit.roster.find(asked["model"], "trace")
    wanted = Wanted(model.trained, asked["target"], asked["max_tokens"], tuple(listed(asked["stages"])))
    (found,) = await visit.answers(visit.roster.looking, BatchWork(wanted, (asked["input"],)))
    return told({"object": "trace", "model": model.name, **found})


def traced(wanted: Wanted, text: str) -> JSON:
    """One pass, and of it what is wanted."""
    model, card, tokens = wanted.trained.model, wanted.trained.card, wanted.trained.tokens
    for each in (text, wanted.target or ""):
        count = len(tokens.encode(each).ids)
        if count > MOST_TOKENS:
            raise InputError(f"This text has {count:,} tokens; at most {MOST_TOKENS} are traced. Shorten it.")
    longest = wanted.longest
    if longest is None and card.task == "generate":
        longest = 0  # it only reads
    look = look_at(model, card, tokens, text, target=wanted.target, longest=longest)
    own = [str(each) for each in look.texts.own]
    return {"tokens": own, "says": look.words, "stages": _stages(look.trace, wanted.stages)}


def _stages(trace: Trace, addresses: tuple[str, ...]) -> list[JSON]:
    entries = [trace.entry(each) for each in addresses] or list(trace.entries.values())
    numbers = sum(entry.values.size for entry in entries) if addresses else 0
    if numbers > MOST_NUMBERS:
        raise InputError(
            f"These stages hold {numbers:,} numbers; at most {MOST_NUMBERS:,} are told at once. Ask for fewer stages, "
            "or give a shorter text."
        )
    return [
        {
            "address": entry.address, "axes": list(entry.axes), "shape": list(entry.values.shape), "how": entry.how,
            **({"values": json_values(entry.values)} if addresses else {}),
        }
        for entry in entries
    ]  # fmt: skip


TRACE = Operation(
    path="/v1/trace",
    summary="Look inside",
    says="Every stage of one pass has an address. Without `stages` the answer lists them; with some, it has their "
    "numbers.",
    fields=FIELDS,
    answer=ANSWER,
    example={"input": "a warm and clever film"},
    ability="trace",
    do=trace,
)
