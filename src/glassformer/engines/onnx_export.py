"""A model as ONNX files for other programs: the graphs, its tokenizer, and how to call them. What reads them back for a
comparison is onnx_models.py. It knows no run folder.
"""

from collections.abc import Mapping

from torch import nn

from glassformer.engines.model_graphs import graphs_of
from glassformer.engines.onnx_models import Stepper, run_by_onnx
from glassformer.objectives.objective import Trained


def onnx_files(trained: Trained) -> dict[str, bytes]:
    """All files of the export, by name."""
    graphs = graphs_of(trained.model)
    readme = _readme(trained, graphs).encode()
    return {**graphs, "tokenizer.json": trained.tokens.to_bytes(), "README.md": readme}


def opened_by_onnx(files: Mapping[str, bytes], trained: Trained) -> nn.Module:
    """The export in ONNX Runtime, called as our model is."""
    return run_by_onnx(trained.model, files)


def _readme(trained: Trained, graphs: Mapping[str, bytes]) -> str:
    card = trained.card
    lines = [
        f"# {card.model} to {card.task}, for ONNX Runtime",
        "",
        "Batch and lengths are free. `real` is true where a token stands, and false where there is padding.",
    ]
    if card.labels:
        lines += ["", f"The classes are, in order: {', '.join(card.labels)}."]
    if "step.onnx" in graphs:
        lines += [
            "",
            "A step takes new ids with their positions, and the cache: `past_…` are empty (0 along the axis of tokens) "
            "at first, then what the step before gave back as `present_…`. `real` covers the past and the new ids.",
        ]
    for name, content in graphs.items():
        lines += ["", f"## {name}", "", "| input | shape |", "|---|---|"]
        lines += [f"| `{each}` | {' × '.join(map(str, shape))} |" for each, shape in Stepper(content).shapes.items()]
    return "\n".join(lines) + "\n"
