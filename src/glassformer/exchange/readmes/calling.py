"""How an export is called where Glassformer is not: code for its README that gives what `predict` gives, cut to as many
tokens as the model reads. It knows what a prompt is made of, and no file.
"""

from string import Template

from glassformer.errors import InputError
from glassformer.exchange.readmes.snippets import ANSWERS, CUTTING, OPENED
from glassformer.exchange.vocabularies.marian_files import are_of_two_languages
from glassformer.models.registry import MODELS
from glassformer.objectives.objective import Trained
from glassformer.objectives.predictions import AND_SOME, TIMES_LONGER, room
from glassformer.objectives.table import objective_of
from glassformer.text.token_kinds import MASK, SPECIAL, START

NEW = 60  # tokens of a text that has no end of its own


def how_much(trained: Trained, tool: str) -> str:
    """How many texts of how many tokens an export takes, in a sentence."""
    most = f"at most {longest_for(trained, tool):,} tokens"
    if MODELS[trained.card.model].family == "language model":
        return (
            f"Any number of texts at once. It looks back on {most}, those that it writes "
            "among them; of a longer text the code keeps the end."
        )
    return (
        f"Any number of texts at once, of {most} each: so many of them does `predict` "
        "read, and what is longer must be cut, as the code does."
    )


def code(trained: Trained, tool: str, architecture: str = "") -> str:
    """Python that answers one text with an export for a tool (hf, onnx, torch), in a fence, and what it leaves out;
    `architecture` is what the model is there."""
    family = MODELS[trained.card.model].family
    kind = "rows" if objective_of(trained.card).predict is None else family
    if (tool, kind) not in ANSWERS:
        raise InputError(f"There is no code for '{tool}' and a {kind}.")
    written = Template(OPENED[tool] + ANSWERS[tool, kind]).substitute(_facts(trained, tool, architecture))
    return "\n".join(["```python", written.strip("\n"), "```", "", *_beside(trained, tool)])


def longest_for(trained: Trained, tool: str) -> int:
    """How many tokens it reads there; a writer, those that it writes among them."""
    settings = trained.card.settings
    if MODELS[trained.card.model].family != "language model":
        return room(trained.card)
    cut_short = tool == "torch" and "synthesizer" in settings.scorer  # its table, whole, is another program to torch
    return int(settings.length) - cut_short


def _beside(trained: Trained, tool: str) -> list[str]:
    if MODELS[trained.card.model].family == "classifier":
        return []
    beam = " `predict` searches with a beam of four; with `--beam 1` it writes this."
    likeliest = "The likeliest token is taken each time."
    if objective_of(trained.card).goes_on:
        return [f"{likeliest} `predict` draws at random; with `--temperature 0` it writes this.", ""]
    if MODELS[trained.card.model].family == "language model":
        return [f"{likeliest} So does `predict`.", ""]
    more = "; `num_beams=4` there is another search than ours, and now and then another translation" * (tool == "hf")
    return [f"{likeliest}{beam.rstrip('.')}{more}.", ""]


def _facts(trained: Trained, tool: str, architecture: str) -> dict[str, object]:
    card, tokens = trained.card, trained.tokens
    most = longest_for(trained, tool)
    goes_on, never = objective_of(card).goes_on, list(tokens.specials.never)
    new = NEW if goes_on else getattr(card.settings, "length", card.longest)
    forbidden = f"    logits[{never}] = -float('inf')  # are never written\n" if never else ""
    return {
        "ids": _ids(trained, most), "most": most, "labels": repr(list(card.labels)), "start": tokens.start,
        "end": tokens.end, "new": new, "longest": _longest(trained, tool), "forbidden": forbidden,
        "suppressed": f", suppress_tokens={never}" if never else "", "shown": "ids + written" if goes_on else "written",
        "written": "written[0]" if goes_on else "written[0, len(ids) :]", "architecture": architecture,
        **CUTTING[are_of_two_languages(tokens)],
    }  # fmt: skip


def _longest(trained: Trained, tool: str) -> str:
    """How many tokens a translation may have, worked from its source."""
    usual = f"{TIMES_LONGER} * len(ids) + {AND_SOME}"
    if MODELS[trained.card.model].family != "translator":
        return usual
    reach = trained.model.order.longest or (trained.card.settings.length if tool == "torch" else None)
    return f"min({usual}, {reach})" if reach else usual


def _ids(trained: Trained, most: int) -> str:
    """The line that makes `ids` of `text` by `cut`, as the objective's prompt does."""
    tokens = trained.tokens
    after = list(tokens.specials.after)
    if trained.card.objective == "spans":
        gap, mark = SPECIAL[MASK], f"[{MASK}]"
        return (
            f'before, _, behind = text.partition("{gap}")  # what stands there is asked\n'
            f"ids = (cut(before) + {mark} + cut(behind) + [{START}])[-{most}:]"
        )
    if trained.card.objective == "answers":
        return f"ids = ((cut(text) or [{tokens.nothing}]) + [{tokens.start}])[-{most}:]"
    if objective_of(trained.card).goes_on:
        return f"ids = (cut(text) or [{tokens.end}])[-{most}:]"
    line = f"ids = cut(text)[:{most}] or [{tokens.nothing}]"
    if after and most > len(after):
        line = f"ids = cut(text)\nif len(ids) > {most}:\n    ids = ids[: {most - len(after)}] + {after}"
    return line
