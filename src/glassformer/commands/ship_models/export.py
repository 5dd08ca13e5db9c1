"""`glassformer export`: a trained model for other tools, with a report that it is the same. The run exports."""

import json as json_format
import sys
from pathlib import Path

from glassformer.errors import counted, must_count
from glassformer.exchange.export import REPORT
from glassformer.runs.run import find, load

FEW = 10  # texts that an export may be compared on by who is in a hurry


def export(run: str, *, to: str = "hf", out: Path | None = None, samples: int = 100, json: bool = False) -> int:
    """Export a trained model for other tools, and compare the export with it.

    Ends with 0 if the export is the same model, 1 if it is not or could not be compared. What a format cannot hold
    exactly is refused, with the reason.

    Parameters
    ----------
    run
        A run folder that `glassformer train` wrote, or the name of a model that came with the package.
    to
        hf (a folder for transformers), onnx (graphs for ONNX Runtime), ctranslate2 (a language model for
        CTranslate2), gguf (a language model for llama.cpp) or torch (a program for torch.export).
    out
        The new folder (RUN-TO by default).
    samples
        How many texts of the run's own data the export is compared on (100); fewer are quicker.
    json
        Print one JSON document.
    """
    must_count("--samples", samples)
    folder = out or Path(f"{find(run).name if not Path(run).exists() else run}-{to}")
    opened = load(run, "cpu")
    if not json:
        quicker = f"; --samples {FEW} is quicker" if samples > FEW else ""
        told = f"Writing it, then comparing the two on up to {counted(samples, 'text')}{quicker} …"
        print(told, file=sys.stderr, flush=True)
    parity = opened.export(to, folder, samples=samples)
    if json:
        print(json_format.dumps({"folder": str(folder), **parity.to_dict()}, ensure_ascii=False))
    else:
        print(f"Wrote {folder}; {parity.sentence}", file=sys.stdout if parity.passed else sys.stderr)
        print(f"Compared on {parity.from_}; the whole report is {folder / REPORT}.")
    return 0 if parity.passed else 1
