"""A time-lapse of a run: the same texts given to the model of each checkpoint, to see answers and patterns change.

It reads a run folder, also while another process trains in it. It draws nothing.
"""

from typing import Any

from glassformer.errors import GlassformerError, InputError
from glassformer.runs.folder import RunFolder
from glassformer.runs.run import Run
from glassformer.studio.rooms.inside import reading_look
from glassformer.text.samples import Plain, Sample, text_of, truth_of
from glassformer.training.loop import weights_in
from glassformer.training.prepare import Prepared, prepare_again

LONGEST = 200  # characters of a text of the run's own
BEGINNING = 40  # characters of a text to be gone on with
MOST_TOKENS = 48  # of a pattern
SAMPLES = 4
JSON = dict[str, Any]


class Lapse:
    """One run's checkpoints, with the texts they are asked about."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.prepared: Prepared = prepare_again(folder.settings)[0]
        valid = self.prepared.corpus.valid or self.prepared.corpus.train
        self.samples: list[Sample] = sorted(valid[:50], key=lambda each: len(_text(each)))[-SAMPLES:][::-1]
        self._frames: dict[int, JSON] = {}

    def frame(self, step: int) -> JSON:
        """What the model of a checkpoint answers, and where it looks."""
        if step not in self._frames:
            prepared = self.prepared
            prepared.model.load_state_dict(weights_in(self.folder.checkpoint(step).tensors))
            run = Run(prepared.model, prepared.card, prepared.tokens)
            self._frames[step] = {"step": step, "answers": self._answers(run), **_patterns(run, _text(self.samples[0]))}
        return self._frames[step]

    def _answers(self, run: Run) -> list[JSON]:
        try:
            told = run.predict([_text(each) for each in self.samples], longest=40, beam=1)  # to be brief
        except InputError:  # a model that has only learnt to find hidden tokens
            return []
        return [
            {"text": _text(sample), "truth": truth_of(sample)[:LONGEST], "says": each.said}
            for sample, each in zip(self.samples, told, strict=True)
        ]


def _text(sample: Sample) -> str:
    """What is asked about; of a text that goes on, its beginning."""
    return text_of(sample)[: BEGINNING if isinstance(sample, Plain) else LONGEST]


def _patterns(run: Run, text: str) -> JSON:
    """The weights of every head, and the tokens that stand beside them."""
    try:
        look = reading_look(run, text)
    except GlassformerError as error:
        return {"patterns": [], "why": str(error)}
    found = []
    for entry in look.trace.entries.values():
        if entry.stage.name == "weights" and entry.values.ndim == 4 and max(entry.values.shape[-2:]) <= MOST_TOKENS:
            found.append({"scope": entry.scope.rstrip("."), "heads": entry.values[0].round(4).tolist()})
    return {"patterns": found, "why": "", "own": list(look.texts.own), "context": list(look.texts.context)}
