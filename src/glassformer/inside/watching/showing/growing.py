"""A text that was written token by token, as one pass: the attentions of all steps joined into one growing matrix.

Each step has few queries and all keys so far. Joined, they are worked once more on our core, and must come to the
weights of every step; where they do not, the steps stay as they are. It knows calls and their stages, and no model.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from glassformer.inside.watching.calls import AttentionCall
from glassformer.inside.watching.following.rebuilding import ForeignScores
from glassformer.inside.watching.following.score_steps import InOurTerms
from glassformer.layers.attention import WEIGHERS, for_each_head, step_by_step
from glassformer.stages.arithmetic import Array
from glassformer.stages.recorder import Recorder
from glassformer.stages.trace import Entry, Trace
from glassformer.stages.watchers import within

_CLOSE = 1e-5
_NEEDED = ("queries", "keys", "values", "scale", "weights", "mixed")
_UNUSUAL = ("rescaled", "talked_scores", "talked_weights", "reweighted", "renormalised")


def joined(trace: Trace, calls: Sequence[AttentionCall]) -> Trace:
    """The trace with the steps of each module made one, where that is true."""
    found: dict[str, Entry] = {}
    left = dict(trace.entries)
    by_path: dict[str, list[AttentionCall]] = {}
    for call in calls:
        by_path.setdefault(call.path, []).append(call)
    whole = {path: _one(trace, steps) for path, steps in by_path.items() if len(steps) > 1}
    for address, entry in trace.entries.items():
        if address not in left:
            continue
        path, at, _ = entry.scope.rstrip(".").rpartition("@")
        path = path if at else entry.scope.rstrip(".")
        made = whole.get(path)
        if made is not None and entry.stage.name != "module_output":
            found.update(made.entries)
            scopes = {f"{call.scope}." if call.scope else "" for call in by_path[path]}
            left = {name: each for name, each in left.items() if each.scope not in scopes or _is_output(each)}
        elif _is_output(entry):
            steps = [each for each in left.values() if _is_output(each) and _path(each) == path]
            rows = _rows(steps)
            found.update({each.address: each for each in steps} if rows is None else {address: rows})
            left = {name: each for name, each in left.items() if each not in steps}
        else:
            found[address] = entry
    return Trace(found, dict(trace.about))


def _is_output(entry: Entry) -> bool:
    return entry.stage.name == "module_output"


def _path(entry: Entry) -> str:
    return entry.scope.rstrip(".").partition("@")[0]


def _rows(steps: Sequence[Entry]) -> Entry | None:
    """What a module handed on in all steps, one below the other."""
    shapes = {(each.values.ndim, each.values.shape[0], *each.values.shape[2:]) for each in steps}
    if len(steps) < 2 or len(shapes) != 1 or steps[0].values.ndim != 3:
        return None
    return Entry(steps[0].address, np.concatenate([each.values for each in steps], axis=1))


def _one(trace: Trace, steps: Sequence[AttentionCall]) -> Trace | None:
    """The steps of one module as one attention; None if they are not one text that grows."""
    stems = [f"{call.scope}." if call.scope else "" for call in steps]
    if any(f"{stem}{name}" not in trace for stem in stems for name in _NEEDED) or not _grows(trace, steps, stems):
        return None
    if any(f"{stem}{name}" in trace for stem in stems for name in _UNUSUAL):
        return None
    last = stems[-1]
    n_heads, n_keys = steps[-1].shapes["weights"][1], steps[-1].shapes["weights"][-1]
    queries = torch.from_numpy(np.concatenate([trace[f"{stem}queries"] for stem in stems], axis=2)).float()
    keys, values = (torch.from_numpy(trace[f"{last}{name}"]).float() for name in ("keys", "values"))
    cap = float(trace[f"{last}cap"]) if f"{last}cap" in trace else None
    recorder = Recorder()
    see = within(recorder, steps[0].path) if steps[0].path else recorder
    see("queries", queries, "watched")
    see("keys", keys, "watched")
    see("values", values, "watched")
    mixed = step_by_step(
        queries, for_each_head(keys, n_heads), for_each_head(values, n_heads),
        scorer=ForeignScores(InOurTerms(float(trace[f"{last}scale"]), cap=cap)),
        weigher=WEIGHERS[trace.entry(f"{last}weights").how],
        mask=torch.from_numpy(_padded(trace, steps, "mask", n_keys)),
        bias=_bias(trace, steps, n_keys), dropout=0.0, see=see,
    )  # fmt: skip
    see("mixed", mixed)
    shown, real = recorder.trace[f"{stems[0]}weights"], _padded(trace, steps, "weights", n_keys)
    return recorder.trace if np.allclose(shown.astype(np.float32), real, rtol=0, atol=_CLOSE) else None


def _grows(trace: Trace, steps: Sequence[AttentionCall], stems: Sequence[str]) -> bool:
    """Whether each step has the keys of the one before, and those of its own queries; or all have the same keys."""
    if any(call.kind == "mha" or call.written for call in steps):
        return False
    for before, after, one, two in zip(steps, steps[1:], stems, stems[1:], strict=False):
        old, new = trace[f"{one}keys"], trace[f"{two}keys"]
        added = new.shape[2] - old.shape[2]
        if added not in (0, after.shapes["queries"][2]) or not np.array_equal(new[:, :, : old.shape[2]], old):
            return False
        hows = {trace.entry(f"{stem}weights").how for stem in (one, two)}
        if (
            before.scale != after.scale
            or len(hows) != 1
            or not hows <= set(WEIGHERS)
            or trace.entry(f"{one}scores").how
        ):
            return False
    return True


def _bias(trace: Trace, steps: Sequence[AttentionCall], n_keys: int) -> Tensor | None:
    biased = any((f"{call.scope}.bias" if call.scope else "bias") in trace for call in steps)
    return torch.from_numpy(_padded(trace, steps, "bias", n_keys)) if biased else None


def _padded(trace: Trace, steps: Sequence[AttentionCall], name: str, n_keys: int) -> Array:
    """A stage of all steps, B H Tq Tk; a key that was not there yet has nothing."""
    rows = []
    for call in steps:
        address = f"{call.scope}.{name}" if call.scope else name
        shape = call.shapes["weights"]
        here = trace[address] if address in trace else np.ones((1,) * 4, bool) if name == "mask" else np.zeros((1,) * 4)
        whole = np.broadcast_to(here, shape)
        rows.append(np.pad(whole, [(0, 0)] * 3 + [(0, n_keys - shape[-1])]))
    found = np.concatenate(rows, axis=2)
    return found if name == "mask" else found.astype(np.float32)
