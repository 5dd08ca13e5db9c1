"""Requests that are answered at once, worked in batches: all that wait and ask for the same are one call of the model.

Nobody is kept waiting for company: while one batch is worked, the next one gathers. It knows no model.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from glassformer.errors import GlassformerError
from glassformer.serving.work.workshop import Delivery, Job

MOST_REQUESTS = 64  # in one batch


@dataclass(frozen=True)
class BatchWork:
    """Some texts, and what is to be done with them: requests that say the same are worked together."""

    what: Hashable
    texts: tuple[str, ...]


class Batches:
    """A craft: `answers` gives one answer for each text."""

    def __init__(self, answers: Callable[[Any, Sequence[str]], Sequence[Any]]) -> None:
        self._answers = answers
        self._taken: list[Job] = []

    @property
    def busy(self) -> bool:
        """Whether there is work begun and not finished."""
        return bool(self._taken)

    @property
    def places(self) -> int:
        """How many jobs can be taken in now."""
        return MOST_REQUESTS - len(self._taken)

    def begin(self, jobs: Sequence[Job]) -> list[Delivery]:
        """Takes jobs in."""
        self._taken += jobs
        return []

    def work(self) -> list[Delivery]:
        """Answers all that ask for the same as the first."""
        first = self._taken[0].asked.what
        alike = [job for job in self._taken if job.asked.what == first]
        self._taken = [job for job in self._taken if job.asked.what != first]
        texts = [text for job in alike for text in job.asked.texts]
        try:
            answers = list(self._answers(first, texts))
        except GlassformerError as error:
            return [(alike[0], error)] if len(alike) == 1 else self._one_by_one(alike)
        found, begin = [], 0
        for job in alike:
            found.append((job, answers[begin : begin + len(job.asked.texts)]))
            begin += len(job.asked.texts)
        return found

    def _one_by_one(self, jobs: Sequence[Job]) -> list[Delivery]:
        """One of them asks what cannot be answered: the others do not suffer for it."""
        found: list[Delivery] = []
        for job in jobs:
            try:
                found.append((job, list(self._answers(job.asked.what, job.asked.texts))))
            except GlassformerError as error:
                found.append((job, error))
        return found

    def drop(self) -> list[Job]:
        """Gives up all that was taken in."""
        dropped, self._taken = self._taken, []
        return dropped
