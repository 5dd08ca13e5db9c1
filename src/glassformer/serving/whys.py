"""`/v1/why`: why a model answers as it does, in words and figures. What is worked out stands in inside/why."""

from typing import NamedTuple

from starlette.responses import Response

from glassformer.errors import InputError
from glassformer.runs.run import Run
from glassformer.serving.requests.fields import a_text, whole
from glassformer.serving.visits import JSON, Operation, Visit, told
from glassformer.serving.work.batches import BatchWork

MOST_TOKENS = 128  # of a text that is asked about
LONGEST = 10_000  # characters

FIELDS = {
    "model": a_text("The model; may be left out if there is only one.", longest=200),
    "input": a_text("The text that the model reads.", longest=LONGEST, required=True),
    "rival": a_text("The class or token that the answer is compared with; else the next best.", longest=200),
    "rival_id": whole(
        "The same by its id, as `candidates` lists it: several tokens may read alike.", least=0, most=10**7
    ),
    "answer": a_text("Another class or token to ask about than the one it chose.", longest=200),
    "instead": a_text("A twin text: does the answer turn, and where?", longest=LONGEST),
    "target": a_text("For a translator: a translation to read in place of its own (teacher forcing).", longest=LONGEST),
    "at": whole("Of a model that writes: which written token, counted from 1.", least=1, most=1024, default=1),
}

_NAMED = {"type": "object", "required": ["text", "share", "without", "written", "pieces"]}
ANSWER = {
    "type": "object",
    "required": ["object", "model", "sentences", "answer", "rival", "margin", "words", "blank", "error", "closed"],
    "properties": {
        "object": {"const": "why"},
        "model": {"type": "string"},
        "sentences": {"type": "array", "items": {"type": "string"}},
        "answer": {"type": "string"},
        "rival": {"type": "string"},
        "margin": {"type": "number"},
        "words": {"type": "array", "items": _NAMED},
        "blank": {"type": "object", "required": ["name", "margin", "undecided"]},
        "error": {"type": "number"},
        "closed": {"type": "number"},
    },
}


class Questioned(NamedTuple):
    """A question; equal ones are worked one after the other."""

    run: Run
    rival: str | int | None
    answer: str | None
    instead: str | None
    target: str | None
    at: int


async def why(visit: Visit, asked: JSON) -> Response:
    """The sentences, and the figures they rest on."""
    model = visit.roster.find(asked["model"], "why")
    chosen = {name: asked[name] or None for name in ("answer", "instead", "target")}
    rival = asked["rival"] or None if asked["rival_id"] is None else asked["rival_id"]
    wanted = Questioned(run=model.run, rival=rival, at=asked["at"], **chosen)
    (found,) = await visit.answers(visit.roster.looking, BatchWork(wanted, (asked["input"],)))
    return told({"object": "why", "model": model.name, **found})


def reasoned(wanted: Questioned, text: str) -> JSON:
    """One question, answered."""
    run, *_ = wanted
    for each in (text, wanted.instead or "", wanted.target or ""):
        count = len(run.tokens.encode(each).ids)
        if count > MOST_TOKENS:
            raise InputError(f"This text has {count:,} tokens; why is answered for {MOST_TOKENS} at most. Shorten it.")
    found = run.why(
        text, rival=wanted.rival, answer=wanted.answer, instead=wanted.instead, target=wanted.target, at=wanted.at
    )
    return found.to_dict()


WHY = Operation(
    path="/v1/why",
    summary="Ask why",
    says="The margin of the answer over a rival, shared out over the words, by blocks and heads, and against a twin.",
    fields=FIELDS,
    answer=ANSWER,
    example={"input": "a warm and clever film"},
    ability="why",
    do=why,
)
