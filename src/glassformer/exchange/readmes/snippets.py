"""Python as it stands in the README of an export, by tool and by what the model is; calling.py fills in sizes and ids.
It knows no model.
"""

_TOKENIZER = """
tokenizer = $tokenizer
text = "A text of yours."


def cut(text):
    return $cut

"""
CUTTING = {  # by whether there are pieces of two languages
    False: {
        "library": "from tokenizers import Tokenizer", "tokenizer": 'Tokenizer.from_file("tokenizer.json")',
        "cut": "tokenizer.encode(text).ids",
    },
    True: {
        "library": "from transformers import MarianTokenizer  # with sentencepiece",
        "tokenizer": 'MarianTokenizer.from_pretrained(".")', "cut": 'tokenizer(text)["input_ids"]',
    },
}  # fmt: skip
OPENED = {
    "onnx": f"""
import numpy as np
import onnxruntime
$library
{_TOKENIZER}
$ids
""",
    "torch": f"""
import torch
$library

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

ANSWERS = {
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
