"""How an export is called where Glassformer is not: code for its README that gives what `predict` gives, cut to as many
tokens as the model reads. It knows what a prompt is made of, and no file.
"""

from string import Template

from glassformer.errors import InputError
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
    if (tool, kind) not in _ANSWERS:
        raise InputError(f"There is no code for '{tool}' and a {kind}.")
    written = Template(_OPENED[tool] + _ANSWERS[tool, kind]).substitute(_facts(trained, tool, architecture))
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
        return [f"{likeliest} `predict` draws by lot; with `--temperature 0` it writes this.", ""]
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


_TOKENIZER = """
tokenizer = Tokenizer.from_file("tokenizer.json")
text = "A text of yours."


def cut(text):
    return tokenizer.encode(text).ids

"""
_OPENED = {
    "onnx": f"""
import numpy as np
import onnxruntime
from tokenizers import Tokenizer
{_TOKENIZER}
$ids
""",
    "torch": f"""
import torch
from tokenizers import Tokenizer

model = torch.export.load("model.pt2").module(){_TOKENIZER}
$ids
""",
    "hf": """
import torch
from transformers import AutoTokenizer, $architecture

model = $architecture.from_pretrained(".").eval()
tokenizer = AutoTokenizer.from_pretrained(".")
text = "A text of yours."


def cut(text):
    return tokenizer(text)["input_ids"]


$ids
given = torch.tensor([ids])
seen = torch.ones_like(given)
""",
}

_STEPS = """
past = {
    each.name: np.zeros(
        [{"batch": 1, "past": 0}.get(size, size) for size in each.shape],
        np.int64 if each.type == "tensor(int64)" else np.float32,
    )
    for each in step.get_inputs()
    if each.name.startswith("past_")
}
names = [each.name for each in step.get_outputs()]
"""
_STEP = """
    seen += len(new)
    given = {
        "ids": np.array([new]),
        "positions": np.arange(seen - len(new), seen)[None],
        "real": np.ones((1, seen), dtype=bool),
        **always,
        **past,
    }
    found = dict(zip(names, step.run(names, given)))
    past = {name: found["present" + name.removeprefix("past")] for name in past}
    logits = found["logits"][0, -1]
"""
_CHOICE = """    best = int(logits.argmax())
    if best == $end:  # the end of the text
        break
    written.append(best)
"""

_ANSWERS = {
    ("onnx", "classifier"): """
model = onnxruntime.InferenceSession("classify.onnx")
given = {"ids": np.array([ids]), "real": np.ones((1, len(ids)), dtype=bool)}
(logits,) = model.run(["logits"], given)
shares = np.exp(logits[0] - logits[0].max())
labels = $labels
answer = dict(zip(labels, shares / shares.sum()))
print(max(answer, key=answer.get), answer)
""",
    ("onnx", "rows"): """
model = onnxruntime.InferenceSession("classify.onnx")
given = {"ids": np.array([ids]), "real": np.ones((1, len(ids)), dtype=bool)}
(rows,) = model.run(["rows"], given)  # one for each token
answer = rows[0].mean(axis=0)  # a vector of the text
print(answer)
""",
    ("onnx", "language model"): f"""
step = onnxruntime.InferenceSession("step.onnx")
{_STEPS.strip()}
always, new, seen, written = {{}}, ids, 0, []
while len(written) < $new and seen + len(new) <= $most:{_STEP.rstrip()}
{_CHOICE}    new = [best]
answer = tokenizer.decode($shown)
print(answer)
""",
    ("onnx", "translator"): f"""
read, memory, step = (onnxruntime.InferenceSession(name + ".onnx") for name in ("read", "memory", "step"))
source, source_real = np.array([ids]), np.ones((1, len(ids)), dtype=bool)
(context,) = read.run(["context"], {{"source": source, "source_real": source_real}})
crossed = zip([each.name for each in memory.get_outputs()], memory.run(None, {{"context": context}}))
always = {{"source_real": source_real, **dict(crossed)}}  # is the same at every step
{_STEPS.strip()}
new, seen, written = [$start], 0, []
while len(written) < $longest:{_STEP.rstrip()}
$forbidden{_CHOICE}    new = [best]
answer = tokenizer.decode(written)
print(answer)
""",
    ("torch", "classifier"): """
with torch.no_grad():
    logits = model(torch.tensor([ids]), torch.ones(1, len(ids), dtype=torch.bool))
labels = $labels
answer = dict(zip(labels, logits[0].softmax(-1).tolist()))
print(max(answer, key=answer.get), answer)
""",
    ("torch", "rows"): """
with torch.no_grad():
    rows = model(torch.tensor([ids]), torch.ones(1, len(ids), dtype=torch.bool))
answer = rows[0].mean(0)  # a vector of the text
print(answer)
""",
    ("torch", "language model"): f"""
written = []
while len(written) < $new and len(ids + written) <= $most:
    given = torch.tensor([ids + written])
    with torch.no_grad():
        logits = model(given, torch.ones_like(given, dtype=torch.bool))[0, -1]
{_CHOICE}answer = tokenizer.decode($shown)
print(answer)
""",
    ("torch", "translator"): f"""
written = []
source = torch.tensor([ids])
while len(written) < $longest:
    with torch.no_grad():
        target = torch.tensor([[$start, *written]])
        logits = model(source, torch.ones_like(source, dtype=torch.bool), target)[0, -1]
$forbidden{_CHOICE}answer = tokenizer.decode(written)
print(answer)
""",
    ("hf", "classifier"): """
with torch.no_grad():
    shares = model(input_ids=given, attention_mask=seen).logits[0].softmax(-1).tolist()
answer = {model.config.id2label[i]: share for i, share in enumerate(shares)}
print(max(answer, key=answer.get), answer)
""",
    ("hf", "rows"): """
with torch.no_grad():
    rows = model(input_ids=given, attention_mask=seen).last_hidden_state
answer = rows[0].mean(0)  # a vector of the text
print(answer)
""",
    ("hf", "language model"): """
new = min($new, $most - len(ids) + 1)
written = model.generate(given, attention_mask=seen, max_new_tokens=new, do_sample=False, num_beams=1)
answer = tokenizer.decode($written, skip_special_tokens=True)
print(answer)
""",
    ("hf", "translator"): """
new = $longest
written = model.generate(given, attention_mask=seen, max_new_tokens=new, do_sample=False, num_beams=1$suppressed)
answer = tokenizer.decode(written[0], skip_special_tokens=True)
print(answer)
""",
}
