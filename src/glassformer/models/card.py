"""The card of a model: what must be known beside weights and tokens to use it as it was trained. It opens no file.

Its task and its objective are names here; whether they are known, who uses the card asks (objectives/table.py).
"""

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, get_origin

from glassformer import __version__
from glassformer.errors import InputError, nearest
from glassformer.models.registry import MODELS, config_from

FORMAT = 1


@dataclass(frozen=True, kw_only=True)
class Card:
    """All that is needed, beside weights and tokens, to use a model as it was trained: `model/config.json`."""

    format: int = FORMAT
    version: str = __version__  # of Glassformer, when it was written
    task: str  # its name in the table of tasks
    model: str  # its name in the table of models
    config: dict[str, Any]  # as config.to_dict gives it
    objective: str  # its name in the table of objectives
    labels: tuple[str, ...] = ()
    longest: int  # how many ids a text is cut to
    data: str = ""  # the name of the corpus
    command: str = ""
    seed: int = 0
    parents: tuple[str, ...] = ()  # the runs it was finetuned from

    def __post_init__(self) -> None:
        _refuse_newer(self.format, self.version)
        for each in fields(self):
            kind: Any = get_origin(each.type) or each.type
            value = getattr(self, each.name)
            if type(value) is not kind:
                raise InputError(f"`{each.name}` must be a {kind.__name__}; it is {value!r:.100}.")
        _ = MODELS[self.model]  # or it is refused here
        if self.format < 1 or self.longest < 1 or self.seed < 0:
            raise InputError(
                f"format {self.format}, longest {self.longest}, seed {self.seed}: a format and a length are 1 or more, "
                "and a seed is not below 0."
            )
        if not all(isinstance(name, str) for name in (*self.labels, *self.parents)):
            raise InputError("Labels and parents are texts, each of them.")
        _ = self.settings

    @property
    def settings(self) -> Any:
        """The config of the model, checked."""
        return config_from(self.model, self.config)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @staticmethod
    def from_dict(content: Mapping[str, Any]) -> "Card":
        """From plain data: every key known, every value checked."""
        _refuse_newer(content.get("format"), content.get("version"))
        known = [each.name for each in fields(Card)]
        for name in content:
            if name not in known:
                raise InputError(f"The card of a model has no '{name:.100}'; {nearest(name[:100], known)}")
        for each in fields(Card):
            if each.default is MISSING and each.name not in content:
                raise InputError(f"The card of a model says its {each.name}; this one does not.")
        plain: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in content.items()
        }
        return Card(**plain)


def _refuse_newer(format: Any, version: Any) -> None:
    if type(format) is int and format > FORMAT:
        raise InputError(
            f"This model has format {format}, written by Glassformer {version!s:.20}; this is Glassformer "
            f"{__version__}, which reads formats up to {FORMAT}. Use a newer one."
        )
