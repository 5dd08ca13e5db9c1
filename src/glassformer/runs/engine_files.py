"""The engine of a run: what was converted is kept in its folder, under a manifest, and used again while the weights are
the same. Where nothing can be written it is made anew each time. Which engine is used, engines/ decides.
"""

import json
import os
from pathlib import Path

from torch import nn

from glassformer.engines.choosing import Engine, Files, at_hand, chosen
from glassformer.errors import GlassformerError
from glassformer.storage import DamagedError, parse_json, read_folder, write_folder

FORMAT = 3  # since then a graph of several steps is told whether any id is drawn


def engine_for(model: nn.Module, folder: Path | None, name: str, *, lasting: bool = True) -> Engine:
    """The engine of this name for the model of a run folder."""
    place = None if folder is None else folder / "engines" / "onnx"
    weights = None if folder is None else _weights(folder)
    kept = None if place is None or weights is None else _kept(place, weights)
    engine = chosen(model, name, kept, lasting=lasting)
    if place is not None and weights is not None and engine.name == "onnx" and engine.files != kept:
        _keep(place, engine, weights)
    return engine


def _weights(folder: Path) -> str | None:
    """The SHA-256 of the weights that the folder's manifest names."""
    try:
        place = folder / "model" / "manifest.json"
        return str(parse_json(place.read_bytes(), place)["files"]["model.safetensors"]["sha256"])
    except (OSError, KeyError, TypeError, DamagedError):
        return None


def _kept(place: Path, weights: str) -> Files | None:
    """What was converted before, if no byte of it has changed and it was made from these weights."""
    if not place.exists():
        return None
    try:
        files = read_folder(place)
        about = parse_json(files.pop("about.json"), place / "about.json")
    except (DamagedError, KeyError):
        return None
    return files if (about.get("format"), about.get("weights")) == (FORMAT, weights) else None


def _keep(place: Path, engine: Engine, weights: str) -> None:
    if not os.access(place.parent.parent, os.W_OK) or engine.files is None:
        return
    parity = engine.parity.to_dict() if engine.parity else None
    about = {"format": FORMAT, "weights": weights, "packages": at_hand(), "parity": parity}
    content = {**engine.files, "about.json": (json.dumps(about, indent=2) + "\n").encode()}
    try:
        write_folder(place, content)
    except GlassformerError:  # no room: it is made anew the next time
        return
