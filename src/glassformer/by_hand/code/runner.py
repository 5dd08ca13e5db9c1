"""Runs one function of somebody's file in a process of its own, and writes down what it returns. Judges nothing.

Started as `python -m glassformer.by_hand.code.runner job.json`; the job names the file, the function, the arguments and
where to write the answer.
"""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np


def main(job_path: str) -> None:
    """Does the job."""
    job = json.loads(Path(job_path).read_text(encoding="utf-8"))
    answer: dict[str, Any]
    try:
        answer = {"stages": _plain(_run(job))}
    except Exception as error:  # whatever the learner's code raises is an answer
        answer = {"error": f"{type(error).__name__}: {error}"}
    Path(job["answer"]).write_text(json.dumps(answer), encoding="utf-8")


def _run(job: dict[str, Any]) -> Any:
    path = Path(job["file"])
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    spec.loader.exec_module(module)
    function = getattr(module, job["function"])
    arguments = {name: np.array(values, dtype=np.float64) for name, values in job["arguments"].items()}
    if "torch" not in sys.modules:
        return function(**arguments)
    import torch

    try:
        return function(**{name: torch.tensor(values) for name, values in arguments.items()})
    except (TypeError, AttributeError, ValueError):
        return function(**arguments)  # it imports torch, but works on numpy


def _plain(result: Any) -> dict[str, Any]:
    """A dict of stages, or (output, weights), or the output alone, as nested lists."""
    if isinstance(result, dict):
        return {str(name): _numbers(value) for name, value in result.items()}
    if isinstance(result, tuple) and len(result) == 2:
        return {"output": _numbers(result[0]), "weights": _numbers(result[1])}
    return {"output": _numbers(result)}


def _numbers(value: Any) -> Any:
    if value is None:
        raise TypeError("it returned nothing (None)")
    array = np.asarray(value.detach().cpu().numpy() if hasattr(value, "detach") else value, dtype=np.float64)
    while array.ndim > 2 and array.shape[0] == 1:  # one batch, one head
        array = array[0]
    return [[str(number) for number in row] for row in np.atleast_2d(array).tolist()]


if __name__ == "__main__":
    main(sys.argv[1])
