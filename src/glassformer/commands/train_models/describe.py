"""`glassformer describe`: a model's parameters by formula, FLOPs, memory, layers. It reads options, counts nothing."""

import json as json_format
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from glassformer.commands.pages.sizes_page import (
    print_layers,
    print_models,
    print_positions,
    print_settings,
    print_sizes,
    print_slides,
)
from glassformer.commands.settings import from_words
from glassformer.drawing.terminal import terminal
from glassformer.errors import GlassformerError, InputError
from glassformer.layers.positions import SCHEMES
from glassformer.models.config import to_dict
from glassformer.models.registry import MODELS, configure
from glassformer.models.sizes import Sizes, count_parameters, sizes
from glassformer.models.summary import DEPTH, Summary, describe_named
from glassformer.models.weights import MOST_NUMBERS
from glassformer.runs.folder import RunFolder
from glassformer.runs.run import find, pocket_folders
from glassformer.text.tasks import tasks_for


def describe(
    model: str = "",
    *,
    set_: Annotated[tuple[str, ...], Parameter(name=["--set", "-s"])] = (),
    tokens: int = 0,
    depth: int = DEPTH,
    slides: int = 0,
    json: bool = False,
) -> None:
    """Count a model's parameters by formula, compared with the real module; its FLOPs, its memory and its layers.

    Parameters
    ----------
    model
        A model's name (transformer, translator, modern …) or a run folder. None lists them all.
    set_
        A hyperparameter of the model, such as --set width=64; may be given several times.
    tokens
        The length of the text that FLOPs, memory and output shapes are for; the longest by default.
    depth
        Levels of the tree of layers that are shown; 0 shows all.
    slides
        Also the totals as slides print them, after the package torch-summary: the input of so many texts, the rest of
        one, in MB of 1,048,576 bytes.
    json
        Print one JSON document.
    """
    if not model:
        _list(json)
        return
    if tokens < 0:
        raise InputError(f"--tokens {tokens} is no length of a text; give 1 or more, or leave it out for the longest.")
    name, config = _named(model, from_words(set_))
    if depth < 0:
        raise InputError(f"--depth {depth} is no number of levels; give 1 or more, or 0 for all.")
    if slides < 0:
        raise InputError(f"--slides {slides} is no number of texts; give 1 or more, such as 64, or leave it out.")
    found = sizes(name, config, tokens=tokens or None)
    summary = _reconcile(found, config)
    scheme = getattr(config, "positions", "")  # not every family has them
    if json:
        content = {"task": " or ".join(tasks_for(MODELS[name].family)), **found.to_dict(), "config": to_dict(config)}
        content["summary"] = summary.to_dict() if summary else None
        if summary and slides:
            content["slides"] = {"batch": slides, **summary.slide_totals(slides).to_dict()}
        if scheme:
            content["positions"] = {"scheme": scheme, "says": SCHEMES[scheme].sentence}
        print(json_format.dumps(content, ensure_ascii=False, indent=2))
    else:
        print_sizes(found, model, MODELS[name].sentence, terminal())
        if summary:
            print_layers(summary, depth, found.tokens_of_a_side, terminal())
        if summary and slides:
            print_slides(summary.slide_totals(slides), slides, terminal())
        if scheme:
            print_positions(scheme, terminal())
        if model in MODELS:
            print_settings(to_dict(config), terminal())


def _list(json: bool) -> None:
    if json:
        models = [
            {"model": name, "task": " or ".join(tasks_for(kind.family)), "parameters": count_parameters(name)}
            for name, kind in MODELS.items()
        ]
        print(json_format.dumps(models, indent=2))
    else:
        print_models(terminal())


def _named(word: str, settings: dict[str, Any]) -> tuple[str, Any]:
    """The model and config that a name or a run stands for. A name goes before a folder of the same name."""
    came_along = {path.name for path in pocket_folders()}
    if word in MODELS or not (Path(word).exists() or word in came_along):
        return word, configure(word, **settings)
    if settings:
        raise InputError("The sizes of a trained model are settled; use --set with a model's name, not with a run.")
    card, _, _ = RunFolder.open(find(word)).load_model()
    return card.model, card.settings


def _reconcile(found: Sizes, config: Any) -> Summary | None:
    """The formulas against the module itself, and its layers; None if it is too large to be built even in outline."""
    if found.parameters > MOST_NUMBERS:
        return None
    summary = describe_named(found.model, config, found.tokens_of_a_side)
    if summary.parameters != found.parameters:
        raise GlassformerError(
            f"By formula a {found.model} has {found.parameters:,} parameters here, but the module has "
            f"{summary.parameters:,}; one of the two is wrong. Please report this."
        )
    return summary
