"""`glassformer certify`: tries what is promised of a trained model, and keeps the certificate in its folder, with what
is known of its learning.
"""

import json as json_format
import os
from pathlib import Path

from glassformer.commands.on_device import load_on
from glassformer.commands.pages.certificate_page import print_certificate
from glassformer.drawing.terminal import terminal
from glassformer.exchange.export import REPORT
from glassformer.runs.folder import RunFolder
from glassformer.storage import write_file


def certify(run: str, *, device: str = "auto", json: bool = False) -> int:
    """Try what is promised of a trained model: no leak, no effect of padding or company, cache = no cache, and more.

    Ends with 0 if every promise is kept, 1 if one is broken. Whether it has learnt is another question, which is
    answered beside it.

    Parameters
    ----------
    run
        A run folder that `glassformer train` wrote, the name of a model that came with the package, or a folder that
        `glassformer export` wrote for transformers or ONNX Runtime, which is then tried as that tool works it.
    device
        Where to compute: auto (the best there is), cpu, cuda, cuda:1 or mps. An
        export computes where its tool does.
    json
        Print one JSON document.
    """
    if (Path(run) / REPORT).is_file():
        return _export(Path(run), json)
    loaded = load_on(run, device)
    certificate, learnt = loaded.certify(), loaded.learnt
    content = {**certificate.to_dict(), "learnt": learnt.to_dict() if learnt else None}
    if Path(run).exists() and os.access(run, os.W_OK):  # not a model that came with the package
        RunFolder(run).write_certificate(content)
    if json:
        print(json_format.dumps(content, ensure_ascii=False, indent=2))
    else:
        print_certificate(certificate, learnt, f"{run}   {loaded.card.model} to {loaded.card.task}", terminal())
    return 0 if certificate.passed else 1


def _export(folder: Path, json: bool) -> int:
    """The same for an export, whose certificate is kept beside its files."""
    from glassformer.runs.certificate.exports import certify_export

    opened, certificate = certify_export(folder)
    content = {**certificate.to_dict(), "worked_by": opened.tool}
    if os.access(folder, os.W_OK):
        write_file(
            folder / "certificate.json", (json_format.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()
        )
    if json:
        print(json_format.dumps(content, ensure_ascii=False, indent=2))
    else:
        print_certificate(certificate, None, f"{folder}   {opened.kind}, worked by {opened.tool}", terminal())
    return 0 if certificate.passed else 1
