"""`glassformer certify`: tries what is promised of a trained model, and keeps the certificate in its folder."""

import json as json_format
import os
from pathlib import Path

from glassformer.commands.pages.certificate_page import print_certificate
from glassformer.drawing.terminal import terminal
from glassformer.runs.folder import RunFolder
from glassformer.runs.run import load


def certify(run: str, *, json: bool = False) -> int:
    """Try what is promised of a trained model: no leak, no effect of padding or company, cache = no cache, and more.

    Ends with 0 if every promise is kept, 1 if one is broken.

    Parameters
    ----------
    run
        A run folder that `glassformer train` wrote, or the name of a model that came with the package.
    json
        Print one JSON document.
    """
    loaded = load(run)
    certificate = loaded.certify()
    if Path(run).exists() and os.access(run, os.W_OK):  # not a model that came with the package
        RunFolder(run).write_certificate(certificate.to_dict())
    if json:
        print(json_format.dumps(certificate.to_dict(), ensure_ascii=False, indent=2))
    else:
        print_certificate(certificate, f"{run}   {loaded.card.model} to {loaded.card.task}", terminal())
    return 0 if certificate.passed else 1
