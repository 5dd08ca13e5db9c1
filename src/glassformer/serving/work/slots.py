"""Texts written side by side: who asks joins at the next step, and who is done makes room for the next.

Every step works one id for all texts that are being written (continuous batching). What is written to a text does not
depend on who else is in the batch. It knows language models and tokens; it knows nothing of HTTP.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from glassformer.errors import GlassformerError, InputError
from glassformer.models.language_model import Continuation
from glassformer.models.sampling import Draw, Sampling, first_logprobs, likeliest, next_logprobs, pick
from glassformer.objectives.writing import Telling
from glassformer.serving.work.workshop import Delivery, Job
from glassformer.text.tokens import Tokens


@dataclass(frozen=True, kw_only=True)
class ToWrite:
    """One text to be written.

    prompt      its ids
    longest     new ids at most; with 0 nothing is written
    sampling    how ids are drawn; None is greedy
    goes_on     whether the text goes on with the prompt, and slides along where the model can look back no further
    stop        strings that end it
    streamed    whether it is told bit by bit
    alternatives  so many of the most likely ids are told beside each id and its own log-probability
    places      where the text of each id of the prompt begins, counted from its end, if the same is told of these too
    """

    prompt: tuple[int, ...]
    longest: int
    sampling: Sampling | None
    seed: int
    goes_on: bool
    stop: tuple[str, ...] = ()
    streamed: bool = False
    alternatives: int | None = None
    places: tuple[int, ...] | None = None

    @property
    def told_on_the_way(self) -> bool:
        """Whether its text must be known before it is done."""
        return self.streamed or bool(self.stop) or self.alternatives is not None


@dataclass(frozen=True)
class TokenStep:
    """One id as it was made, for who asked for log-probabilities, and the likeliest ids in its place.

    logprob   None for the first id of a prompt, which nothing is said of
    offset    where its text begins, counted from the end of the prompt
    """

    id: int
    logprob: float | None
    offset: int
    likeliest: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Told:
    """A part of a text, and, with its last one, why it ends: `stop` or `length`."""

    text: str
    finish: str | None = None
    count: int = 0  # ids written in all
    steps: tuple[TokenStep, ...] = ()


@dataclass(eq=False)
class Slot:
    """A text being written."""

    job: Job
    telling: Telling
    draw: Draw | None
    window: tuple[int, ...]  # what the model was given to look back on when the text joined
    room: int
    ids: list[int] = field(default_factory=list)
    since: int = 0  # ids written since it joined
    steps: list[TokenStep] = field(default_factory=list)

    @property
    def asked(self) -> ToWrite:
        """What is to be written."""
        found: ToWrite = self.job.asked
        return found


class Slots:
    """A craft: so many texts at once."""

    def __init__(self, model: Any, tokens: Tokens, slots: int) -> None:
        self._model, self._tokens = model, tokens
        self._most = 1 if "synthesizer" in model.config.scorer else slots  # it counts columns: texts must be alike
        self._slots: list[Slot] = []
        self._again: list[Slot] = []  # those that slide along: they join anew
        self._batch: Continuation | None = None
        self._logprobs = torch.empty(0)
        self.written = 0  # ids, in all

    @property
    def busy(self) -> bool:
        """Whether a text is being written."""
        return self.taken > 0

    @property
    def taken(self) -> int:
        """How many texts are being written."""
        return len(self._slots) + len(self._again)

    @property
    def places(self) -> int:
        """How many texts can join now."""
        return self._most - self.taken

    def begin(self, jobs: Sequence[Job]) -> list[Delivery]:
        """Takes texts in; one that this model cannot read is refused by itself."""
        slots, told = list[Slot](), list[Delivery]()
        for job in jobs:
            try:
                slot = self._slot(job)
            except GlassformerError as error:
                told.append((job, error))
                continue
            if slot.asked.longest:
                slots.append(slot)
            else:
                told.append((job, Told("", "length", steps=tuple(slot.steps))))
        return [*told, *(self._join(slots) if slots else [])]

    def _slot(self, job: Job) -> Slot:
        asked: ToWrite = job.asked
        base = asked.prompt if asked.goes_on else ()
        draw = None if asked.sampling is None else Draw(asked.sampling, [asked.seed])
        window = asked.prompt[-self._model.config.length :] if asked.goes_on else asked.prompt
        steps = self._read(asked, asked.places) if asked.places else []
        return Slot(job, Telling(self._tokens, base, asked.stop), draw, window, room=0, steps=steps)

    def _read(self, asked: ToWrite, places: Sequence[int]) -> list[TokenStep]:
        """What the model held of each id of a prompt, seeing those before it."""
        longest = self._model.longest
        if longest is not None and len(asked.prompt) > longest:
            raise InputError(
                f"The prompt has {len(asked.prompt)} tokens, and this model looks back on {longest}: "
                "log-probabilities of so many cannot be told. Leave out `echo`, or shorten it."
            )
        ids = torch.tensor([asked.prompt], device=next(self._model.parameters()).device)
        with torch.inference_mode():
            logprobs = self._model(ids)[0].float().log_softmax(-1).cpu()
        steps = [TokenStep(asked.prompt[0], None, places[0], ())]
        for row, id_, place in zip(logprobs, asked.prompt[1:], places[1:], strict=False):
            steps.append(_step(id_, row, place, asked.alternatives or 0))
        return steps

    def _join(self, slots: list[Slot]) -> list[Delivery]:
        """Reads the windows of some texts, and takes them into the batch."""
        try:
            batch = Continuation(self._model, [slot.window for slot in slots])
        except GlassformerError as error:
            if len(slots) == 1:
                return [(slots[0].job, error)]
            return [each for slot in slots for each in self._join([slot])]
        logprobs = first_logprobs(batch)
        for slot, room in zip(slots, batch.room, strict=True):
            slot.room, slot.since = room, 0
        if self._batch is None:
            self._batch, self._logprobs = batch, logprobs
        else:
            with torch.inference_mode():
                self._batch.join(batch)
            self._logprobs = torch.cat([self._logprobs, logprobs])
        self._slots += slots
        return []

    def work(self) -> list[Delivery]:
        """One id for every text."""
        again, self._again = [slot for slot in self._again if not slot.job.gone], []
        found = self._join(again) if again else []
        if not self._slots:
            return found
        ids = self._chosen()
        going = []
        for row, (slot, id_) in enumerate(zip(self._slots, ids, strict=True)):
            goes_on, told = self._add(slot, id_, row)
            found += told
            if goes_on and slot.since < slot.room:
                going.append(row)
            elif goes_on:
                half = max(1, self._model.config.length // 2)
                slot.window = (*slot.asked.prompt, *slot.ids)[-half:]
                self._again.append(slot)
        self._go_on(going, ids)
        return found

    def _chosen(self) -> list[int]:
        """An id for each text: greedy, or drawn with its own settings and its own generator."""
        ids = likeliest(self._logprobs, range(len(self._slots)))
        alike: dict[Sampling, list[int]] = {}
        for row, slot in enumerate(self._slots):
            if slot.draw is not None:
                alike.setdefault(slot.draw.sampling, []).append(row)
        for sampling, rows in alike.items():
            draws = [slot.draw for slot in (self._slots[row] for row in rows) if slot.draw is not None]
            chances = [torch.rand(1, generator=draw.generators[0], dtype=torch.float64) for draw in draws]
            ids[rows] = pick(sampling.shares(self._logprobs[rows]), torch.cat(chances))
        listed: list[int] = ids.tolist()
        return listed

    def _add(self, slot: Slot, id_: int, row: int) -> tuple[bool, list[Delivery]]:
        """Adds an id to the text of a row: whether it goes on, and what its asker is told."""
        job, asked = slot.job, slot.asked
        if job.gone:
            return False, []
        if job.late:
            return False, [(job, job.too_late())]
        self.written += 1
        if id_ == self._tokens.end:
            return False, [(job, self._last(slot, "stop"))]
        slot.ids.append(id_)
        slot.since += 1
        if asked.alternatives is not None:
            slot.steps.append(_step(id_, self._logprobs[row], len(slot.telling.text), asked.alternatives))
        new = ""
        if asked.told_on_the_way:
            new = slot.telling.add(id_)
        else:
            slot.telling.hold(id_)
        if slot.telling.stopped:
            return False, [(job, self._last(slot, "stop", new))]
        full = len(slot.ids) >= asked.longest or (not asked.goes_on and slot.since >= slot.room)
        if full:
            return False, [(job, self._last(slot, "length", new))]
        if not asked.streamed or not new:
            return True, []
        steps, slot.steps = tuple(slot.steps), []
        return True, [(job, Told(new, steps=steps))]

    def _last(self, slot: Slot, finish: str, new: str = "") -> Told:
        rest = new + slot.telling.end()
        text = rest if slot.asked.streamed else slot.telling.text
        return Told(text, finish, len(slot.ids), tuple(slot.steps))

    def _go_on(self, rows: list[int], ids: list[int]) -> None:
        """The scores for the id after, of those that go on."""
        count = len(self._slots)
        self._slots = [self._slots[row] for row in rows]
        if not rows:
            self._batch = None
            return
        assert self._batch is not None
        if len(rows) < count:
            self._batch.keep(torch.tensor(rows))
            self._batch.close_up()
        self._logprobs = next_logprobs(self._batch, [ids[row] for row in rows], list(range(len(rows))), len(rows))

    def drop(self) -> list[Job]:
        """Gives up all texts."""
        dropped = [slot.job for slot in (*self._slots, *self._again)]
        self._slots, self._again, self._batch = [], [], None
        return dropped


def _step(id_: int, logprobs: Tensor, offset: int, alternatives: int) -> TokenStep:
    best = logprobs.topk(min(alternatives, len(logprobs))) if alternatives else None
    likely = () if best is None else tuple(zip(best.indices.tolist(), best.values.tolist(), strict=True))
    return TokenStep(id_, float(logprobs[id_]), offset, likely)


def sampling_of(temperature: float, top_k: int | None, top_p: float, min_p: float) -> Sampling | None:
    """How ids are drawn; None where the temperature is 0."""
    if temperature == 0.0:
        return None
    return Sampling(temperature=float(temperature), top_k=top_k, top_p=float(top_p), min_p=float(min_p))
