"""How a model is told the order of its tokens: by rows that are added, by turning queries and keys, by a bias on the
scores that grows with distance, or not at all. It knows no text and no model.

Attention by itself does not know who stands where. Every scheme is one row of the table SCHEMES below. The legend of
shapes is the one of attention.py; R is the number of rotated pairs, U the number of buckets.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from glassformer.choices import Choices
from glassformer.errors import InputError
from glassformer.layers.attention import Angles
from glassformer.layers.cache import Cache
from glassformer.stages.watchers import Watcher, nothing

# --- Rows that are added to the embedded tokens -----------------------------------------------------------------


def waves(
    positions: Float[Tensor, " T"], width: int, *, base: float = 10000.0, see: Watcher = nothing
) -> Float[Tensor, "T R"]:
    """The angle of each wave at each position: wave k has turned by t / base^(2k/width)."""
    _require_pairs(width)
    positions = see("row_positions", positions)
    slowest, columns = see("wave_base", positions.new_tensor(base)), see("wave_width", positions.new_tensor(width))
    numbers = see("wave_numbers", torch.arange(width // 2, dtype=positions.dtype))
    divisors = see("wave_divisors", slowest ** (2 * numbers / columns))
    return see("wave_angles", positions[:, None] / divisors)


def _require_pairs(width: int) -> None:
    if width % 2:
        raise InputError(f"Sinusoidal positions come in pairs of sine and cosine; a width of {width} is odd.")


def wave_rows(angles: Float[Tensor, "T R"], *, interleaved: bool = True) -> Float[Tensor, "T D"]:
    """Sine and cosine of every wave: one after the other, or all sines before all cosines."""
    pair = [angles.sin(), angles.cos()]
    return torch.stack(pair, dim=-1).flatten(1) if interleaved else torch.cat(pair, dim=-1)


def sinusoids(length: int, width: int, *, interleaved: bool = True) -> Float[Tensor, "L D"]:
    """The paper's table: waves from fast to slow. Sines and cosines alternate, or stand in two halves (Marian)."""
    _require_pairs(width)
    if torch.empty(0).is_meta:  # only its shape is asked for; to work what has no numbers loads torch's compiler
        return torch.empty(length, width)
    angles = waves(torch.arange(length, dtype=torch.float64), width)  # L D/2
    return wave_rows(angles, interleaved=interleaved).to(torch.get_default_dtype())


class Positions(nn.Module):
    """Adds a row per position to the embedded tokens; the table of rows is fixed or learned."""

    table: Tensor

    def __init__(self, table: Float[Tensor, "L D"], *, learned: bool = False) -> None:
        super().__init__()
        if learned:
            self.table = nn.Parameter(table)
        else:
            self.register_buffer("table", table, persistent=False)

    @classmethod
    def sinusoidal(cls, longest: int, d_model: int, *, interleaved: bool = True) -> "Positions":
        """Fixed waves."""
        return cls(sinusoids(longest, d_model, interleaved=interleaved))

    @classmethod
    def trained(cls, longest: int, d_model: int) -> "Positions":
        """One learned row per position."""
        return cls(nn.init.normal_(torch.empty(longest, d_model), std=0.02), learned=True)

    def forward(
        self,
        embedded: Float[Tensor, "B T D"],
        positions: Int[Tensor, "#B T"] | None = None,
        *,
        see: Watcher = nothing,
    ) -> Float[Tensor, "B T D"]:
        """The tokens, told where they stand; by default one after the other from 0."""
        if positions is None:
            positions = torch.arange(embedded.shape[1], device=embedded.device)[None]
        try:
            rows = F.embedding(positions, self.table)  # 1|B T D
        except IndexError as error:
            raise InputError(
                f"There are {self.table.shape[0]} positions, counted from 0, but the tokens stand at "
                f"{int(positions.min())} to {int(positions.max())}; make the table longer."
            ) from error
        rows = see("position_rows", rows)
        return see("positioned", see("unplaced", embedded) + rows)


class NoPositions(nn.Module):
    """Adds nothing: for schemes that work inside attention, or for a model without order."""

    def forward(
        self,
        embedded: Float[Tensor, "B T D"],
        positions: Int[Tensor, "#B T"] | None = None,
        *,
        see: Watcher = nothing,
    ) -> Float[Tensor, "B T D"]:
        """The tokens as they are."""
        return embedded


# --- Angles that queries and keys are turned by -----------------------------------------------------------------


class Rotary(nn.Module):
    """The angles that queries and keys are turned by: pair r of position t by t / base^(r/R), or slower where they are
    `stretched` for long texts. Handed to attention."""

    def __init__(self, d_key: int, *, base: float = 10000.0, stretched: str = "") -> None:
        super().__init__()
        if d_key % 2:
            raise InputError(
                f"Rotary positions turn pairs of columns; a key width of {d_key} is odd: "
                "set an even one, or choose heads so that the width of each is even."
            )
        self.d_key, self.base, self.stretched = d_key, base, stretched
        slowed(torch.ones(1, dtype=torch.float64), stretched)  # an error, if it is none that is known

    def forward(
        self, positions: Int[Tensor, "B T"], dtype: torch.dtype | None = None
    ) -> tuple[Float[Tensor, "B T R"], Float[Tensor, "B T R"]]:
        """Cosines and sines, worked in float64 so that far positions stay exact."""
        device = torch.device("cpu") if positions.device.type == "mps" else positions.device  # there is no float64
        pairs = torch.arange(self.d_key // 2, dtype=torch.float64, device=device)
        speeds = slowed(self.base ** (-2 * pairs / self.d_key), self.stretched)
        angles = positions.to(device)[..., None] * speeds
        dtype = dtype or torch.get_default_dtype()
        return angles.cos().to(positions.device, dtype), angles.sin().to(positions.device, dtype)


def slowed(speeds: Float[Tensor, "R"], said: str) -> Float[Tensor, "R"]:
    """The speeds of rotation, slowed down so that texts may be longer than those that were learnt from.

    `linear 4` slows all of them to a quarter. `llama3 8 1 4 8192` slows to an eighth those that turn less than once in
    8,192 positions, leaves alone those that turn more than four times, and goes over from one to the other between.
    """
    if not said:
        return speeds
    name, *words = said.split(" ")
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        numbers = []
    if len(numbers) != {"linear": 1, "llama3": 4}.get(name) or not all(0 < number < math.inf for number in numbers):
        raise InputError(
            f"Rotary positions are stretched by 'linear 4' or 'llama3 8 1 4 8192', with numbers above 0; not "
            f"{said!r:.100}."
        )
    factor = numbers[0]
    if name == "linear":
        return speeds / factor
    _, low, high, length = numbers
    if not low < high:
        raise InputError(
            f"'{said}': what turns {low:g} times is slowed, what turns {high:g} times is not; give less first."
        )
    kept = ((length * speeds / (2 * math.pi) - low) / (high - low)).clamp(0.0, 1.0)
    return speeds * (kept + (1 - kept) / factor)


# --- Biases: a number for each pair of query and key, added to its score ----------------------------------------
# They depend on the distance alone, so that they go on beyond the longest text that was learnt from.


def distances(
    queries_at: Int[Tensor, "#B Tq"], keys_at: Int[Tensor, "#B Tk"], see: Watcher = nothing
) -> Int[Tensor, "#B Tq Tk"]:
    """How far each key stands behind each query; below 0 where it comes later."""
    rows, columns = see("query_positions", queries_at), see("key_positions", keys_at)
    return see("distances", rows[..., :, None] - columns[..., None, :])


def alibi_slopes(n_heads: int) -> Float[Tensor, "H"]:
    """The paper's slopes, on the processor: 2^(−8h/H) for the heads h = 1 … H, if their number is a power of two.

    For other numbers, those of the next smaller power n come first, then every other one of those for 2n.
    """
    n = 2 ** (n_heads.bit_length() - 1)
    h = torch.arange(1, n_heads + 1, dtype=torch.float64)
    return 2.0 ** -torch.where(h <= n, 8 * h / n, 4 * (2 * (h - n) - 1) / n)


class LinearBias(nn.Module):
    """ALiBi: −m·|i−j|, the farther a key the lower its score, each head with its own slope m. Nothing is learned.

    The paper has it for causal attention, −m·(i−j). Where a token may look ahead, this symmetric form is used.
    """

    def __init__(self, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads

    def forward(
        self, apart: Int[Tensor, "#B Tq Tk"], dtype: torch.dtype | None = None, *, see: Watcher = nothing
    ) -> Float[Tensor, "#B H Tq Tk"]:
        """One number for each head and pair, from how far apart they stand."""
        slopes = alibi_slopes(self.n_heads).to(apart.device, dtype or torch.get_default_dtype())
        slopes = see("slopes", slopes)
        return see("bias", -slopes[:, None, None] * apart[:, None].abs(), "slopes")


def buckets(apart: Int[Tensor, "*pairs"], count: int, farthest: int, *, causal: bool) -> Int[Tensor, "*pairs"]:
    """The bucket of each distance, as T5 has them: one each for near ones, then ever wider ones, the last one open.

    Where a token may look ahead, half of the buckets are for keys that come later; else those share the first.
    """
    count = count if causal else count // 2
    near = count // 2  # so many distances have a bucket of their own
    size = apart.clamp(min=0) if causal else apart.abs()
    share = (size.clamp(min=1).double() / near).log() / math.log(farthest / near)
    wide = near + (share * (count - near)).long()
    bucket = torch.where(size < near, size, wide.clamp(max=count - 1))
    return bucket if causal else bucket + count * (apart < 0)


class BucketBias(nn.Module):
    """T5's relative positions: a learned number for each head and each bucket of distances."""

    def __init__(self, n_heads: int, *, causal: bool = False, count: int = 32, farthest: int = 128) -> None:
        super().__init__()
        self.causal, self.farthest = causal, farthest
        self.weight = nn.Parameter(nn.init.normal_(torch.empty(count, n_heads), std=0.02))

    def forward(
        self, apart: Int[Tensor, "#B Tq Tk"], dtype: torch.dtype | None = None, *, see: Watcher = nothing
    ) -> Float[Tensor, "#B H Tq Tk"]:
        """The number that was learned for each head and pair."""
        weight = see("bucket_weight", self.weight if dtype is None else self.weight.to(dtype))  # U H
        farthest = see("farthest", apart.new_tensor(self.farthest)) if see is not nothing else self.farthest
        found = buckets(apart, len(weight), int(farthest), causal=self.causal)
        found = see("buckets", found, "backwards" if self.causal else "both ways")
        return see("bias", F.embedding(found, weight).permute(0, 3, 1, 2), "buckets")


# --- The table, and the order of a model ------------------------------------------------------------------------


@dataclass(frozen=True)
class Dimensions:
    """What a scheme may need to know of the model it serves."""

    longest: int
    d_model: int
    n_heads: int
    key_width: int = 0  # 0: the model's, shared out among the heads
    rotary_base: int = 10_000
    rotary_stretch: str = ""

    @property
    def d_key(self) -> int:
        """The key width of one head."""
        return self.key_width or self.d_model // self.n_heads


@dataclass(frozen=True)
class Scheme:
    """What a scheme does, and where it has its hand in: rows to be added, angles to turn by, or a bias on the scores,
    which each stack of blocks has for itself (True: a causal one).

    weights     how many it learns (a bias: for each stack), as a product in the letters of size_formulas/parts.py
    """

    sentence: str
    rows: Callable[[Dimensions], nn.Module] | None = None
    angles: Callable[[Dimensions], nn.Module] | None = None
    bias: Callable[[Dimensions, bool], nn.Module] | None = None
    weights: str = ""


SCHEMES: Choices[Scheme] = Choices(
    "position scheme",
    {
        "sinusoidal": Scheme(
            "adds waves to the row at position t: sin and cos of t / 10000^(2r/D)",
            rows=lambda of: Positions.sinusoidal(of.longest, of.d_model),
        ),
        "split sinusoidal": Scheme(
            "the same waves, but all sines before all cosines, as Marian has them",
            rows=lambda of: Positions.sinusoidal(of.longest, of.d_model, interleaved=False),
        ),
        "learned": Scheme(
            "adds a learned row to the one at position t",
            rows=lambda of: Positions.trained(of.longest, of.d_model), weights="T·D",
        ),
        "rotary": Scheme(
            "turns pair r of the queries and keys at position t by the angle t / 10000^(2r/K), or with another base",
            angles=lambda of: Rotary(of.d_key, base=float(of.rotary_base), stretched=of.rotary_stretch),
        ),
        "alibi": Scheme(
            "adds −m·|i−j| to the score of query i and key j, with the slope m = 2^(−8h/H) in head h",
            bias=lambda of, causal: LinearBias(of.n_heads),
        ),
        "t5": Scheme(
            "adds a learned number to the score of query i and key j, by head and bucket of i−j",
            bias=lambda of, causal: BucketBias(of.n_heads, causal=causal), weights="32·H",
        ),
        "none": Scheme("says nothing of who stands where"),
    },
)  # fmt: skip


class Placed(NamedTuple):
    """What the blocks are handed: the rows to go on with, angles to turn by, a bias to be added to the scores."""

    rows: Tensor
    angles: Angles | None
    bias: Tensor | None


class Order(nn.Module):
    """One of the schemes, chosen by name. A bias is made once for a stack of blocks, and serves all of them.

    stacks      "encoder", whose tokens may look ahead, "decoder", whose may not, or both
    """

    def __init__(self, kind: str, of: Dimensions, stacks: Sequence[str]) -> None:
        super().__init__()
        scheme = SCHEMES[kind]
        self.longest = of.longest if scheme.bias is None else None  # a bias goes on beyond what was learnt from
        self.rotary = scheme.angles(of) if scheme.angles else None
        self.rows: nn.Module = scheme.rows(of) if scheme.rows else NoPositions()
        make = scheme.bias
        self.biases = nn.ModuleDict({name: make(of, name == "decoder") for name in stacks} if make else {})

    def forward(
        self,
        embedded: Float[Tensor, "B T D"],
        positions: Int[Tensor, "#B T"] | None = None,
        *,
        stack: str,
        cache: Cache | None = None,
        see: Watcher = nothing,
    ) -> Placed:
        """What the blocks of a stack are handed; with a cache, the rows go on from what it remembers."""
        if positions is None:
            start = cache.length if cache else 0
            end = start + embedded.shape[1]
            if self.longest is not None and end > self.longest:
                raise InputError(f"This model looks back on {self.longest} tokens at most; there are {end}.")
            positions = torch.arange(start, end, device=embedded.device)[None]
        angles = None if self.rotary is None else self.rotary(positions, embedded.dtype)
        rows = self.rows(embedded, positions, see=see)
        if stack not in self.biases:
            return Placed(rows, angles, None)
        keys_at = cache.placed(positions) if cache else positions
        return Placed(rows, angles, self.biases[stack](distances(positions, keys_at, see), embedded.dtype, see=see))
