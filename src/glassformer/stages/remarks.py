"""What is asked most often about a stage, answered from its own sizes: why is K turned over? It draws nothing."""

from glassformer.stages.catalogue import stage
from glassformer.stages.trace import Entry, Trace


def remarks_on(trace: Trace, entry: Entry) -> list[str]:
    """Why K is turned over; how wide stacked projections are; the other name of a softmax of scaled scores."""
    way = entry.stage.way(entry.how)
    operands = [trace.entry(address) for address in trace.operands(entry.address) if address]
    if way is not None and way.operation == "dot":
        return [_why_turned(*operands)]
    if entry.stage.name == "keys" and operands and operands[0].stage.name == "context":
        asking, asked = stage("inputs").symbol, stage("context").symbol
        return [f"{asking} asks and {asked} is asked; notes that write Q = {asked} W_Q have the two letters exchanged"]
    if entry.stage.name == "stacked_rows":
        width = entry.values.shape[entry.axes.index("HX")]
        return [f"one product in place of three: each token becomes one vector of {width} numbers, ℝ^{width}"]
    if entry.stage.name == "weights" and entry.how == "softmax" and operands[0].stage.name == "scaled":
        scores = trace.formula(trace.operands(operands[0].address)[0] or "")[0]
        formula = f"{entry.stage.symbol} = soft(arg)max_β({scores.rpartition(' = ')[2]})"
        return [f"{formula} says both steps at once: times β, the inverse temperature, then softmax"]
    return []


def _why_turned(queries: Entry, keys: Entry) -> str:
    """`why Kᵀ: 3×2 · 3×2 does not fit, 3×2 · 2×3 does`"""
    in_columns = keys.axes[-1] == "Tk"
    left, right = (keys, queries) if in_columns else (queries, keys)
    sizes, turned = [each.values.shape[-2:] for each in (left, right)], keys.values.shape[:-3:-1]
    plain = " · ".join(f"{a}×{b}" for a, b in sizes)
    right_way = " · ".join(f"{a}×{b}" for a, b in ([turned, sizes[1]] if in_columns else [sizes[0], turned]))
    why = f"why {keys.stage.symbol}ᵀ: "
    if sizes[0][1] == sizes[1][0]:
        return f"{why}{plain} fits by chance, but only with it does each query meet each key"
    return f"{why}{plain} does not fit, {right_way} does"
