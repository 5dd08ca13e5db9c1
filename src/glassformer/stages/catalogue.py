"""The catalogue of stages: every number the models compute has its name, axes and formula here, and nowhere else.

Whatever shows, explains or checks a number reads this one table. It knows no tensors and computes nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

from glassformer.errors import InputError, nearest

LEGEND = MappingProxyType(
    {
        "B": "batch",
        "T": "position",
        "Tq": "query position",
        "Tk": "key position",
        "H": "head",
        "G": "key/value head (as many as heads, unless heads share them)",
        "D": "model width",
        "C": "context width",
        "K": "key width of one head",
        "V": "value width of one head",
        "F": "feed-forward width",
        "L": "longest sequence",
        "R": "rotated pair",
        "U": "bucket of distances",
        "HK": "key widths of all heads, side by side",
        "HV": "value widths of all heads, side by side",
        "GK": "key widths of all key/value heads, side by side",
        "GV": "value widths of all key/value heads, side by side",
        "N": "vocabulary, or classes",
        "S": "state of a recurrent network",
        "DS": "model width and state, side by side",
        "W": "window of a convolution",
        "WD": "the rows of a window, side by side",
        "O": "filter of a convolution",
        "Y": "height of an image",
        "Z": "width of an image",
        "I": "height of a kernel",
        "J": "width of a kernel",
        "YI": "places of a kernel, from top to bottom",
        "ZJ": "places of a kernel, from left to right",
        "YP": "blocks from top to bottom",
        "ZP": "blocks from left to right",
        "…": "any leading axes",
    }
)


@dataclass(frozen=True)
class Way:
    """One way to make a stage: an operation on other stages.

    An operand is an address relative to the stage's own scope; `a|b` is the first of them that was seen, and a
    trailing `?` marks one that may be absent. In the two formulas `@0` stands for the symbol of operand 0, and a
    part in `<…>` is left out when its operand is absent: `@0 @1< + @2>` is `X W_Q` or `X W_Q + b_Q`.
    """

    operation: str
    operands: tuple[str, ...]
    latex: str
    plain: str
    how: str = ""  # names this way where a stage has several
    meaning: str = ""  # where this way gives the stage another meaning


@dataclass(frozen=True)
class Stage:
    """One named step of the computation; without a way it is given, not made."""

    name: str
    symbol: str
    latex: str
    axes: tuple[str, ...]
    role: str  # query, key, value, score or plain: the colour it has everywhere
    meaning: str
    ways: tuple[Way, ...] = ()

    def way(self, how: str) -> Way | None:
        """The way called `how`, or None: the stage is a given, or its maker is a variant from outside."""
        return next((way for way in self.ways if way.how == how), None)


def stage(name: str) -> Stage:
    """The stage called `name`, which may be a whole address: `stage("encoder.0.self.weights")`."""
    short = name.rpartition(".")[2]
    if short not in CATALOGUE:
        raise InputError(f"There is no stage called '{short}'; {nearest(short, CATALOGUE)}")
    return CATALOGUE[short]


def fill(pattern: str, symbols: Sequence[str | None]) -> str:
    """The right-hand side of a formula, with the operands' symbols put in."""

    def optional(match: re.Match[str]) -> str:
        places = [int(place) for place in re.findall(r"@(\d)", match[1])]
        return match[1] if all(symbols[place] is not None for place in places) else ""

    pattern = re.sub(r"<([^>]*)>", optional, pattern)
    return re.sub(r"@(\d)", lambda match: symbols[int(match[1])] or "", pattern)


def _stage(name: str, symbols: str, axes: str, role: str, meaning: str, *ways: Way) -> Stage:
    symbol, _, latex = symbols.partition("  ")
    return Stage(name, symbol, latex.strip() or symbol, tuple(axes.split()), role, meaning, ways)


_QUERIES = "rotated_queries|query_norm.normed|queries"
_KEYS = "rotated_keys|key_norm.normed|keys"

# fmt: off
_ATTENTION = (
    _stage("inputs", "X", "B Tq D", "plain", "The rows that ask: one per token."),
    _stage("context", "C", "B Tk C", "plain", "The other sequence: keys and values are made from it."),
    _stage("query_weight", "W_Q", "D HK", "query", "Turns a token into its query."),
    _stage("query_bias", "b_Q", "HK", "query", "Added to every query."),
    _stage("key_weight", "W_K", "C GK", "key", "Turns a token into its key."),
    _stage("key_bias", "b_K", "GK", "key", "Added to every key."),
    _stage("value_weight", "W_V", "C GV", "value", "Turns a token into its value."),
    _stage("value_bias", "b_V", "GV", "value", "Added to every value."),
    _stage("queries", "Q", "B H Tq K", "query", "What each token is looking for.",
        Way("project to heads", ("inputs", "query_weight", "query_bias?"), "@0 @1< + @2>", "@0 @1< + @2>"),
        Way("split heads", ("inputs",), "@0", "@0", how="bare")),
    _stage("keys", "K", "B G Tk K", "key", "What each token can be found by.",
        Way("project to heads", ("context|inputs", "key_weight", "key_bias?"), "@0 @1< + @2>", "@0 @1< + @2>"),
        Way("split heads", ("context|inputs",), "@0", "@0", how="bare")),
    _stage("values", "V", "B G Tk V", "value", "What each token hands over to those that look at it.",
        Way("project to heads", ("context|inputs", "value_weight", "value_bias?"), "@0 @1< + @2>", "@0 @1< + @2>"),
        Way("split heads", ("context|inputs",), "@0", "@0", how="bare")),
    _stage("cosines", "cos", "… T R", "plain", "Cosine of the angle each pair is turned by, per position."),
    _stage("sines", "sin", "… T R", "plain", "Sine of the angle each pair is turned by, per position."),
    _stage("rotated_queries", "Q°  Q^{\\circ}", "B H Tq K", "query", "The queries, turned by their position.",
        Way("rotate", ("query_norm.normed|queries", "cosines", "sines"), r"\operatorname{rotate}(@0)", "rotate(@0)")),
    _stage("rotated_keys", "K°  K^{\\circ}", "B G Tk K", "key", "The keys, turned by their position.",
        Way("rotate", ("key_norm.normed|keys", "cosines", "sines"), r"\operatorname{rotate}(@0)", "rotate(@0)")),
    _stage("synthesizer_weight", "W_S", "… L", "score", "Turns a token's own hidden row into its scores."),
    _stage("synthesizer_bias", "b_S", "… L", "score", "Added to every row of scores."),
    _stage("scores", "S", "B H Tq Tk", "score", "How well each query fits each key.",
        Way("dot", (_QUERIES, _KEYS), r"@0 @1^{\top}", "@0 @1ᵀ"),
        Way("synthesize", (_QUERIES, "synthesizer_weight", "synthesizer_bias"),
            r"\operatorname{relu}(@0)\, @1 + @2", "relu(@0) @1 + @2", how="dense",
            meaning="How much each token wants of each position, by itself: no key is asked."),
        Way("cut", ("synthesizer_weight",), "@0", "@0", how="random",
            meaning="How much each position wants of each position: one table for every text.")),
    _stage("key_width", "d_k", "", "score", "How many numbers a key of one head has."),
    _stage("scale", "β  \\beta", "", "score", "The inverse temperature; 1/√d_k unless said otherwise.",
        Way("inverse root", ("key_width",), r"\frac{1}{\sqrt{@0}}", "1/√@0", how="from the width")),
    _stage("scaled", "Z", "B H Tq Tk", "score", "The scores, made independent of the key width.",
        Way("scale", ("scores", "scale"), "@1 @0", "@1 @0")),
    _stage("cap", "c", "", "score", "No score goes beyond it, up or down."),
    _stage("capped", "Zᶜ  Z^{c}", "B H Tq Tk", "score", "The scores, bent so that none goes beyond the cap.",
        Way("cap", ("scaled", "cap"), r"@1 \tanh(@0 / @1)", "@1 tanh(@0 / @1)")),
    _stage("bias", "P", "… Tq Tk", "score", "A number added to each score, such as a penalty for distance.",
        Way("penalise", ("slopes", "distances"), r"-@0 |@1|", "−@0 |@1|", how="slopes",
            meaning="A penalty for distance, steeper in some heads than in others."),
        Way("pick", ("buckets", "bucket_weight"), "@1[@0]", "@1[@0]", how="buckets",
            meaning="What was learned for the bucket that the distance falls in.")),
    _stage("biased", "Z⁺  Z^{+}", "B H Tq Tk", "score", "The scores with that number added.",
        Way("add", ("capped|scaled|scores", "bias"), "@0 + @1", "@0 + @1")),
    _stage("mask", "M", "… Tq Tk", "score", "Who may look at whom."),
    _stage("masked", "Z̃  \\tilde{Z}", "B H Tq Tk", "score", "The scores, −∞ where a query may not look.",
        Way("mask", ("biased|capped|scaled|scores", "mask"),
            r"\operatorname{where}(@1,\ @0,\ -\infty)", "@0 where @1 allows, else −∞")),
    _stage("weights", "A", "B H Tq Tk", "score", "How strongly each query looks at each key.",
        Way("softmax", ("masked|biased|capped|scaled|scores",), r"\operatorname{softmax}(@0)",
            "softmax(@0), row by row", how="softmax"),
        Way("sigmoid", ("masked|biased|capped|scaled|scores",), r"\sigma(@0)", "sigmoid(@0), entry by entry",
            how="sigmoid"),
        Way("quiet softmax", ("masked|biased|capped|scaled|scores",), r"\frac{e^{@0}}{1 + \sum e^{@0}}",
            "exp(@0) / (1 + Σ exp(@0)), row by row", how="quiet softmax")),
    _stage("dropout_rate", "p", "", "plain", "The share of entries set to zero at random while training."),
    _stage("dropped", "Â  \\hat{A}", "B H Tq Tk", "score", "The weights after dropout.",
        Way("drop", ("weights", "dropout_rate"), r"\operatorname{dropout}_{@1}(@0)", "dropout(@0)")),
    _stage("mixed", "H", "B H Tq V", "value", "Each head's answer: the values, mixed by the weights.",
        Way("mix", ("dropped|weights", "values"), "@0 @1", "@0 @1")),
    _stage("joined", "J", "B Tq HV", "value", "The heads' answers side by side.",
        Way("join heads", ("mixed",), r"\operatorname{concat}(@0_0, @0_1, \ldots)", "the heads of @0 side by side")),
    _stage("output_weight", "W_O", "HV D", "plain", "Brings the joined heads back to the model width."),
    _stage("output_bias", "b_O", "D", "plain", "Added to every output row."),
    _stage("output", "Y", "B Tq D", "plain", "What attention hands on: one row per query.",
        Way("project", ("joined", "output_weight", "output_bias?"), "@0 @1< + @2>", "@0 @1< + @2>"),
        Way("same", ("joined",), "@0", "@0", how="bare")),
)

_LAYERS = (
    _stage("ids", "i", "B T", "plain", "The tokens as numbers of the vocabulary."),
    _stage("embedding_weight", "W_E", "N D", "plain", "One row for each word of the vocabulary."),
    _stage("embedding_scale", "c", "", "plain", "Stretches the embedded rows, by √D in the paper."),
    _stage("embedded", "E", "B T D", "plain", "The tokens as rows of numbers, before they know their place.",
        Way("look up", ("ids", "embedding_weight", "embedding_scale?"), "<@2 >@1[@0]", "<@2 >@1[@0]", how="looked up")),
    _stage("unplaced", "E", "B T D", "plain", "The tokens as rows of numbers, before they know their place."),
    _stage("row_positions", "t", "T", "plain", "Where each row stands, counted from 0."),
    _stage("wave_base", "b", "", "plain", "How slow the slowest wave is; 10000 in the paper."),
    _stage("wave_width", "D", "", "plain", "How many columns there are: a sine and a cosine for each wave."),
    _stage("wave_numbers", "k", "R", "plain", "The waves, counted from 0, fast ones first."),
    _stage("wave_divisors", "λ  \\lambda", "R", "plain", "What a position is divided by, wave by wave.",
        Way("wave divisor", ("wave_base", "wave_numbers", "wave_width"), "@0^{2 @1 / @2}", "@0^(2@1 / @2)")),
    _stage("wave_angles", "θ  \\theta", "T R", "plain", "How far each wave has turned at each position, in radians.",
        Way("divide", ("row_positions", "wave_divisors"), r"\frac{@0^{\top}}{@1}", "@0ᵀ / @1")),
    _stage("position_rows", "P", "… T D", "plain", "One row per position.",
        Way("wave", ("wave_angles",), r"\operatorname{interleave}(\sin(@0), \cos(@0))",
            "sin(@0) and cos(@0) in turn", how="waves")),
    _stage("positioned", "X", "B T D", "plain", "The tokens, told where they stand.",
        Way("add", ("unplaced", "position_rows"), "@0 + @1", "@0 + @1")),
    _stage("query_positions", "t_q", "… Tq", "query", "Where each query stands in its text."),
    _stage("key_positions", "t_k", "… Tk", "key", "Where each key stands in its text."),
    _stage("distances", "Δ  \\Delta", "… Tq Tk", "score", "How far each key stands behind each query.",
        Way("subtract", ("query_positions", "key_positions"), "@0 - @1", "@0 − @1")),
    _stage("slopes", "m", "H", "score", "How steeply each head's scores fall with distance."),
    _stage("bucket_weight", "W_P", "U H", "score", "One learned number for each bucket of distances and each head."),
    _stage("farthest", "Δ_max  \\Delta_{\\max}", "", "score", "The distance from which on all share the last bucket."),
    _stage("buckets", "u", "… Tq Tk", "score", "The bucket of each distance: near ones have their own, far ones share.",
        Way("bucket", ("distances", "bucket_weight", "farthest"),
            r"\operatorname{bucket}(@0)", "bucket(@0)", how="both ways"),
        Way("bucket backwards", ("distances", "bucket_weight", "farthest"),
            r"\operatorname{bucket}(@0)", "bucket(@0)", how="backwards")),
    _stage("norm_inputs", "x", "… D", "plain", "The rows to be normalised."),
    _stage("norm_weight", "γ  \\gamma", "D", "plain", "Stretches each column after normalising."),
    _stage("norm_bias", "δ  \\delta", "D", "plain", "Shifts each column after normalising."),
    _stage("epsilon", "ε  \\varepsilon", "", "plain", "A tiny number that keeps the root away from zero."),
    _stage("mean", "μ  \\mu", "…", "plain", "The mean of each row.",
        Way("mean", ("norm_inputs|added",), r"\operatorname{mean}(@0)", "mean(@0)")),
    _stage("variance", "σ²  \\sigma^2", "…", "plain", "The mean squared distance from the row's mean.",
        Way("variance", ("norm_inputs|added", "mean"), r"\operatorname{mean}\big((@0 - @1)^2\big)",
            "mean((@0 − @1)²)")),
    _stage("mean_square", "ms", "…", "plain", "The mean of the row's squares.",
        Way("mean square", ("norm_inputs|added",), r"\operatorname{mean}(@0^2)", "mean(@0²)")),
    _stage("normed", "x̂  \\hat{x}", "… D", "plain", "The row brought to a common size.",
        Way("layer norm", ("norm_inputs|added", "mean", "variance", "epsilon", "norm_weight?", "norm_bias?"),
            r"\frac{@0 - @1}{\sqrt{@2 + @3}}< \odot @4>< + @5>", "(@0 − @1) / √(@2 + @3)< · @4>< + @5>",
            how="layer norm"),
        Way("rms norm", ("norm_inputs|added", "mean_square", "epsilon", "norm_weight?"),
            r"\frac{@0}{\sqrt{@1 + @2}}< \odot @3>", "@0 / √(@1 + @2)< · @3>", how="rms norm")),
    _stage("forward_inputs", "X", "B T D", "plain", "The rows that enter the feed-forward network."),
    _stage("expand_weight", "W_1", "D F", "plain", "Widens each row."),
    _stage("expand_bias", "b_1", "F", "plain", "Added to every widened row."),
    _stage("gate_weight", "W_g", "D F", "plain", "Makes the gate of each widened column."),
    _stage("gate_bias", "b_g", "F", "plain", "Added to every gate."),
    _stage("contract_weight", "W_2", "F D", "plain", "Brings each row back to the model width."),
    _stage("contract_bias", "b_2", "D", "plain", "Added to every contracted row."),
    _stage("expanded", "U", "B T F", "plain", "Each row, widened.",
        Way("project", ("forward_inputs", "expand_weight", "expand_bias?"), "@0 @1< + @2>", "@0 @1< + @2>")),
    _stage("gate", "G", "B T F", "plain", "How far each widened column is opened.",
        Way("project", ("forward_inputs", "gate_weight", "gate_bias?"), "@0 @1< + @2>", "@0 @1< + @2>")),
    _stage("activated", "U⁺  U^{+}", "B T F", "plain", "The widened row after the bend.",
        Way("relu", ("expanded",), r"\operatorname{relu}(@0)", "relu(@0)", how="relu"),
        Way("gelu", ("expanded",), r"\operatorname{gelu}(@0)", "gelu(@0)", how="gelu"),
        Way("squared relu", ("expanded",), r"\operatorname{relu}(@0)^2", "relu(@0)²", how="squared relu"),
        Way("tanh gelu", ("expanded",), r"\operatorname{gelu}_{\tanh}(@0)", "gelu(@0), tanh form", how="tanh gelu"),
        Way("swiglu", ("expanded", "gate"), r"\operatorname{silu}(@1) \odot @0", "silu(@1) · @0", how="swiglu"),
        Way("geglu", ("expanded", "gate"), r"\operatorname{gelu}(@1) \odot @0", "gelu(@1) · @0", how="geglu"),
        Way("reglu", ("expanded", "gate"), r"\operatorname{relu}(@1) \odot @0", "relu(@1) · @0", how="reglu")),
    _stage("contracted", "Y", "B T D", "plain", "What the feed-forward network hands on.",
        Way("project", ("activated", "contract_weight", "contract_bias?"), "@0 @1< + @2>", "@0 @1< + @2>")),
    _stage("skipped", "x", "B T D", "plain", "The rows as they were before this sub-layer; they go around it."),
    _stage("residual_dropout_rate", "p", "", "plain", "The share of the answer set to zero at random while training."),
    _stage("dropped_output", "Ŷ  \\hat{Y}", "B T D", "plain", "The sub-layer's answer after dropout.",
        Way("drop", ("output|contracted", "residual_dropout_rate"), r"\operatorname{dropout}_{@1}(@0)", "dropout(@0)")),
    _stage("added", "x⁺  x^{+}", "B T D", "plain", "The rows plus what the sub-layer found.",
        Way("add", ("skipped", "dropped_output|output|contracted"), "@0 + @1", "@0 + @1")),
)

_MODELS = (
    _stage("real", "r", "B T", "plain", "Where a token stands, and not padding."),
    _stage("recurrent_weight", "W_x", "D S", "plain", "What a word adds to the state."),
    _stage("recurrent_bias", "b_x", "S", "plain", "Added to that."),
    _stage("state_weight", "W_h", "S S", "plain", "What the state before adds to the state after."),
    _stage("state_bias", "b_h", "S", "plain", "Added to that."),
    _stage("states", "h", "B T S", "plain", "What a recurrent network remembers after each token.",
        Way("recur", ("embedded", "recurrent_weight", "recurrent_bias", "state_weight", "state_bias"),
            r"\tanh(@0_t @1 + @2 + h_{t-1} @3 + @4)", "tanh(@0ₜ @1 + @2 + hₜ₋₁ @3 + @4)", how="plain")),
    _stage("one_word", "e₁  e_1", "B T N", "plain", "What each word says for each class, where it first stands."),
    _stage("two_words", "e₂  e_2", "B T N", "plain", "The same of two words in a row, where they first begin."),
    _stage("three_words", "e₃  e_3", "B T N", "plain", "The same of three words in a row, where they first begin."),
    _stage("windows", "U", "B S W", "plain", "What each filter of the last convolution found in each window."),
    _stage("largest_window", "m", "B S", "plain", "The best window of each filter, wherever it stands.",
        Way("largest", ("windows",), r"\max(@0)", "max(@0) over the windows")),
    _stage("rows", "X", "B T D", "plain", "The rows that leave the last block."),
    _stage("module_output", "Y", "… D", "plain", "What a module of a model that is not ours hands on."),
    _stage("pooled", "p", "B D", "plain", "The whole text as one row.",
        Way("mean of real", ("rows", "real"), r"\operatorname{mean}(@0)", "mean(@0) over the real tokens", how="mean"),
        Way("last state", ("states", "real"), "@0", "@0 after the last token", how="last state")),
    _stage("logit_weight", "W_L", "… N", "plain", "Turns a row into one score for each class or word."),
    _stage("logit_bias", "b_L", "N", "plain", "Added to these scores."),
    _stage("logits", "ℓ  \\ell", "… N", "plain", "One score for each class or word.",
        Way("project", ("pooled|rows", "logit_weight", "logit_bias?"), "@0 @1< + @2>", "@0 @1< + @2>"),
        Way("add places", ("one_word", "two_words", "three_words", "logit_bias"), r"\sum_t (@0 + @1 + @2) + @3",
            "Σₜ (@0 + @1 + @2) + @3", how="evidence")),
)
# One step of a recurrent network, as it is worked by hand: each a single row.
_STEPS = (
    _stage("step_input", "xₜ  x_t", "D", "plain", "The row of the word that comes in."),
    _stage("previous_state", "hₜ₋₁  h_{t-1}", "S", "plain", "What the network remembers of the words before."),
    _stage("previous_cell", "cₜ₋₁  c_{t-1}", "S", "plain", "What the cell kept before this word."),
    _stage("step_stacked", "[x, h]  [x_t, h_{t-1}]", "DS", "plain", "The word and the state before, side by side.",
        Way("stack", ("step_input", "previous_state"), r"\operatorname{concat}(@0, @1)", "@0 and @1 side by side")),
    _stage("step_weight", "W", "DS S", "plain", "What the word and the state before add to the state."),
    _stage("step_bias", "b", "S", "plain", "Added to that."),
    _stage("step_sum", "aₜ  a_t", "S", "plain", "What the word and the state before come to, before the bend.",
        Way("project", ("step_stacked", "step_weight", "step_bias?"), "@0 @1< + @2>", "@0 @1< + @2>", how="stacked"),
        Way("project both", ("step_input", "recurrent_weight", "previous_state", "state_weight", "step_bias?"),
            "@0 @1 + @2 @3< + @4>", "@0 @1 + @2 @3< + @4>", how="apart")),
    *(each for gate, sign, meaning in (
        ("input_gate", "i", "How much of the candidate is written into the cell."),
        ("forget_gate", "f", "How much of the old cell is kept."),
        ("output_gate", "o", "How much of the cell is shown as the state."),
        ("reset_gate", "r", "How much of the state before the candidate may see."),
        ("update_gate", "z", "How much of the state before is kept as it was."),
    ) for each in (
        _stage(f"{gate}_weight", f"W_{sign}", "DS S", "plain", f"Makes the {gate.replace('_', ' ')}."),
        _stage(f"{gate}_bias", f"b_{sign}", "S", "plain", "Added to that."),
        _stage(f"{gate}_sum", f"a_{sign}", "S", "plain", f"The {gate.replace('_', ' ')} before the sigmoid.",
            Way("project", ("step_stacked", f"{gate}_weight", f"{gate}_bias?"), "@0 @1< + @2>", "@0 @1< + @2>")),
        _stage(gate, sign, "S", "score", meaning,
            Way("sigmoid", (f"{gate}_sum",), r"\sigma(@0)", "sigmoid(@0)")),
    )),
    _stage("candidate_weight", "W_n", "DS S", "plain", "Makes the candidate."),
    _stage("candidate_word_weight", "W_n", "D S", "plain", "What the word adds to the candidate."),
    _stage("candidate_bias", "b_n", "S", "plain", "Added to that."),
    _stage("candidate_state_weight", "W_m", "S S", "plain", "What the state before adds to the candidate."),
    _stage("candidate_state_bias", "b_m", "S", "plain", "Added to that."),
    _stage("candidate_state", "m", "S", "plain", "What the state before has to say, before the reset gate.",
        Way("project", ("previous_state", "candidate_state_weight", "candidate_state_bias?"),
            "@0 @1< + @2>", "@0 @1< + @2>")),
    _stage("reset_state", "h_r", "S", "plain", "The state before, as far as the reset gate lets it through.",
        Way("times", ("reset_gate", "previous_state"), r"@0 \odot @1", "@0 · @1")),
    _stage("reset_stacked", "[x, h_r]  [x_t, h_r]", "DS", "plain", "The word, and what is left of the state before.",
        Way("stack", ("step_input", "reset_state"), r"\operatorname{concat}(@0, @1)", "@0 and @1 side by side")),
    _stage("candidate_sum", "a_n", "S", "plain", "The candidate before the bend.",
        Way("project", ("reset_stacked", "candidate_weight", "candidate_bias?"), "@0 @1< + @2>", "@0 @1< + @2>",
            how="reset before"),
        Way("project and let in",
            ("step_input", "candidate_word_weight", "candidate_bias?", "reset_gate", "candidate_state"),
            r"@0 @1< + @2> + @3 \odot @4", "@0 @1< + @2> + @3 · @4", how="reset after")),
    _stage("step_candidate", "n", "S", "value", "What the word would like to have remembered.",
        Way("tanh", ("candidate_sum",), r"\tanh(@0)", "tanh(@0)")),
    _stage("cell_weight", "W_c", "DS S", "plain", "Makes what may be written into the cell."),
    _stage("cell_bias", "b_c", "S", "plain", "Added to that."),
    _stage("cell_sum", "a_c", "S", "plain", "What may be written into the cell, before the bend.",
        Way("project", ("step_stacked", "cell_weight", "cell_bias?"), "@0 @1< + @2>", "@0 @1< + @2>")),
    _stage("cell_candidate", "c̃  \\tilde{c}", "S", "value", "What the word would like to write into the cell.",
        Way("tanh", ("cell_sum",), r"\tanh(@0)", "tanh(@0)")),
    _stage("new_cell", "cₜ  c_t", "S", "value", "What the cell keeps from here on.",
        Way("keep and write", ("forget_gate", "previous_cell", "input_gate", "cell_candidate"),
            r"@0 \odot @1 + @2 \odot @3", "@0 · @1 + @2 · @3")),
    _stage("new_state", "hₜ  h_t", "S", "value", "What the network remembers from here on.",
        Way("tanh", ("step_sum",), r"\tanh(@0)", "tanh(@0)", how="tanh"),
        Way("relu", ("step_sum",), r"\operatorname{relu}(@0)", "relu(@0)", how="relu"),
        Way("show cell", ("output_gate", "new_cell"), r"@0 \odot \tanh(@1)", "@0 · tanh(@1)", how="lstm"),
        Way("blend", ("update_gate", "step_candidate", "previous_state"),
            r"(1 - @0) \odot @1 + @0 \odot @2", "(1 − @0) · @1 + @0 · @2", how="gru")),
)

# Convolutions and pooling, as they are worked by hand.
_WINDOWS = (
    _stage("sequence_rows", "X", "T D", "plain", "The rows that the window slides along: one per token."),
    _stage("window_size", "w", "", "plain", "How many rows the window shows at once."),
    _stage("window_stride", "s", "", "plain", "How far the window moves on each time."),
    _stage("window_rows", "X_w", "W WD", "plain", "What each window shows: its rows, side by side.",
        Way("unroll", ("sequence_rows", "window_size", "window_stride"), r"\operatorname{unroll}(@0, @1, @2)",
            "the windows of @0")),
    _stage("filter_weight", "W_f", "WD O", "plain", "A column for each filter: what it looks for in a window."),
    _stage("filter_bias", "b_f", "O", "plain", "Added to what each filter finds."),
    _stage("convolved", "U", "W O", "score", "What each filter finds in each window.",
        Way("project", ("window_rows", "filter_weight", "filter_bias?"), "@0 @1< + @2>", "@0 @1< + @2>")),
    _stage("window_maxima", "m", "O", "value", "The best window of each filter, wherever it stands.",
        Way("largest of column", ("convolved",), r"\operatorname{columnmax}(@0)", "max of each column of @0")),
    _stage("image", "I", "Y Z", "plain", "The numbers that the kernel slides over."),
    _stage("kernel_weight", "K", "I J", "key", "What is looked for at every place."),
    _stage("kernel_bias", "b_K", "", "plain", "Added at every place."),
    _stage("feature_map", "M", "YI ZJ", "score", "How much of the kernel is found at each place.",
        Way("slide", ("image", "kernel_weight", "window_stride", "kernel_bias?"),
            r"\operatorname{slide}(@0, @1, @2)< + @3>", "(@1 slid over @0)< + @3>", how="slid")),
    _stage("block_size", "p", "", "plain", "How high and wide a block is."),
    _stage("pooled_map", "M_p", "YP ZP", "value", "The largest number of each block.",
        Way("largest of block", ("feature_map", "block_size"), r"\operatorname{blockmax}(@0, @1)",
            "max of each block of @0")),
    _stage("map_maximum", "m", "O", "value", "The largest number of all.",
        Way("largest of all", ("feature_map",), r"\operatorname{wholemax}(@0)", "max of @0")),
)
# fmt: on

CATALOGUE = MappingProxyType({each.name: each for each in (*_ATTENTION, *_LAYERS, *_MODELS, *_STEPS, *_WINDOWS)})
