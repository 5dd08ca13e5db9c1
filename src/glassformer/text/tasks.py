"""The one table of tasks: what a person may want done with text, and the words for it. It holds names of models, and
knows none.

A task is done by the models of one family, which also says how it can be learnt: its objectives are those of the family
(see objectives/table.py). To add a task is to write one row here, or `TASKS.add(name, Task(…))` from outside.
"""

from dataclasses import dataclass

from glassformer.choices import Choices
from glassformer.text.samples import Labelled, Pair, Plain, Sample


@dataclass(frozen=True, kw_only=True)
class Task:
    """One row of the table.

    family       of the models that can do it: classifier, translator or language model
    model        the usual one, by its name in the table of models
    samples      what its data may hold
    data         a sentence on what a file for it holds
    does         what a model does that was trained to do it
    words        what an example shows: what is given, what would be right, and what the model said
    example      what stands for a text in a printed command
    first        a text to begin with
    open_ended   whether what is given is a beginning: it may be empty, and if it is long its end is what is read
    """

    family: str
    model: str
    samples: tuple[type[Sample], ...]
    data: str
    does: str
    words: tuple[str, str, str]
    example: str
    first: str
    open_ended: bool = False

    @property
    def has_labels(self) -> bool:
        """Whether its data say the class of each text."""
        return Labelled in self.samples

    @property
    def has_only_pairs(self) -> bool:
        """Whether its data say for each text what must be written."""
        return self.samples == (Pair,)


TASKS: Choices[Task] = Choices(
    "task",
    {
        "classify": Task(
            family="classifier", model="transformer", samples=(Labelled,),
            data="A file with a text and a label in each row.", does="classifies",
            words=("text", "label", "predicted"), example="a text of yours", first="the film was not good at all",
        ),
        "translate": Task(
            family="translator", model="translator", samples=(Pair,),
            data="A file with a source and a target in each row.", does="translates",
            words=("source", "reference", "written"), example="a sentence of yours", first="Where is the station?",
        ),
        "generate": Task(
            family="language model", model="modern", samples=(Plain, Pair),
            data="A text, or a file with a prompt and an answer in each row.", does="writes",
            words=("prompt", "answer", "written"), example="How it begins", first="To be, or not to be",
            open_ended=True,
        ),
    },
)  # fmt: skip


def tasks_for(family: str) -> list[str]:
    """The names of the tasks that models of a family can do."""
    return [name for name, task in TASKS.items() if task.family == family]
