"""`glassformer certify`: tries what is promised of a trained model, and keeps the certificate in its folder, with what
is known of its learning.
"""

import json as json_format
import os
from pathlib import Path

from glassformer.commands.pages.certificate_page import print_certificate
from glassformer.drawing.terminal import terminal
from glassformer.runs.folder import RunFolder
from glassformer.runs.run import load


def certify(run: str, *, json: bool = False) -> int:
    """Try what is promised of a trained model: no leak, no effect of padding or company, cache = no cache, and more.

    Ends with 0 if every promise is kept, 1 if one is broken. Whether it has learnt is another question, which is
    answered beside it.

    Parameters
    ----------
    run
        A run folder that `glassformer train` wrote, or the name of a model that came with the package.
    json
        Print one JSON document.
    """
    loaded = load(run)
    certificate, learnt = loaded.certify(), loaded.learnt
    content = {**certificate.to_dict(), "learnt": learnt.to_dict() if learnt else None}
    if Path(run).exists() and os.access(run, os.W_OK):  # not a model that came with the package
        RunFolder(run).write_certificate(content)
    if json:
        print(json_format.dumps(content, ensure_ascii=False, indent=2))
    else:
        print_certificate(certificate, learnt, f"{run}   {loaded.card.model} to {loaded.card.task}", terminal())
    return 0 if certificate.passed else 1
