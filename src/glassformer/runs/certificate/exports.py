"""The certificate of an export: the same promises, tried on what the other tool computes. What cannot be tried there is
listed with the reason.
"""

from pathlib import Path

from glassformer.engines.parity import ROADS
from glassformer.exchange.called_as_ours import OpenedExport, open_export
from glassformer.exchange.parity import BAR
from glassformer.runs.certificate.certificate import Certificate, Foreign, certify

INSIDE = ("looking changes nothing", "kernel = steps", "shown = used", "rows sum to 1", "hidden keys")


def certify_export(folder: Path, seed: int = 0) -> tuple[OpenedExport, Certificate]:
    """The export in a folder, and every promise that has a meaning for it, tried."""
    opened = open_export(folder)
    left_out = dict.fromkeys(INSIDE, f"{opened.tool} works this model, and shows no stages; they are those of the run.")
    left_out["save and load"] = "It was loaded from the files of the export; parity.json compares them with the run."
    if opened.tool == "transformers":
        return opened, certify(opened.model, opened.family, foreign=Foreign(left_out), seed=seed)
    left_out["no future leak: gradients"] = f"{opened.tool} gives no gradients."
    return opened, certify(opened.model, opened.family, foreign=Foreign(left_out, BAR / ROADS), seed=seed)
