"""`glassformer import`: a model of another tool, as a run of ours. It reads options; runs/imported.py keeps the run."""

import json as json_format
import sys
from pathlib import Path

from glassformer.errors import visible
from glassformer.exchange.bring_in import unlike_vectors, unlike_writing, without_head
from glassformer.runs.imported import import_model as bring_in
from glassformer.runs.pasting import pasteable
from glassformer.text.token_kinds import FOREIGN
from glassformer.text.tokens import Tokens


def import_model(path: Path, *, out: Path, ignore: tuple[str, ...] = (), json: bool = False) -> None:
    """Bring in a model of another tool: a folder of transformers (GPT-2, Llama, Mistral, Qwen 2 and 3, BERT, RoBERTa,
    Marian), or a .bin of llama2.c. Nothing in it is run, and everything is checked.

    Parameters
    ----------
    path
        The folder, with config.json, model.safetensors and tokenizer.json; or the .bin, with tokenizer.bin beside it.
    out
        The new run folder.
    ignore
        A key of config.json that is not known here, and that you know to change nothing, such as `author`.
    json
        Print one JSON document.
    """
    vectors = unlike_vectors(path)
    run = bring_in(path, out, ignore=ignore, command=pasteable(["glassformer", *sys.argv[1:]]))
    count = sum(each.numel() for each in run.model.parameters())
    told = [*filter(None, (vectors, without_head(path), *unlike_writing(path, run.tokens)))]
    if json:
        found = {"run": str(out), "task": run.card.task, "model": run.card.model, "parameters": count, "warnings": told}
        print(json_format.dumps(found, ensure_ascii=False))
        return
    print(f"{out}: {run.card.data}, {count:,} parameters, {_cut(run.tokens)}.")
    for said in told:
        print(visible(said))
    if run.objective.predict is None:
        print(
            "It has no head to answer with: finetune it, "
            + pasteable(["glassformer", "train", run.card.task, "DATA", "--from", out])
        )


def _cut(tokens: Tokens) -> str:
    """How many tokens, and by whose way text is cut into them."""
    way = "in a way of their own" if tokens.kind == FOREIGN else f"as {tokens.kind}'s are"
    return f"{len(tokens):,} tokens, cut {way}"
