"""Small models as other people write them, for the tests of watching: none of them knows of us."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class NanoBlock(nn.Module):
    """A block as in a GPT written for a blog: one matrix for q, k and v, a buffer of ones below the diagonal."""

    def __init__(self, width: int, n_heads: int, longest: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.attn_dropout = nn.Dropout(dropout)
        self.register_buffer("bias", torch.tril(torch.ones(longest, longest)).view(1, 1, longest, longest))

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.size()
        q, k, v = (t.view(B, T, self.n_heads, -1).transpose(1, 2) for t in self.c_attn(x).split(C, dim=2))
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        att = self.attn_dropout(F.softmax(att, dim=-1))
        return self.c_proj((att @ v).transpose(1, 2).contiguous().view(B, T, C))


class NanoGPT(nn.Module):
    """Two such blocks under the names that are usual there."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        blocks = [NanoBlock(15, 3, 11, dropout) for _ in range(2)]
        self.transformer = nn.ModuleDict({"h": nn.ModuleList(nn.ModuleDict({"attn": block}) for block in blocks)})

    def forward(self, x: Tensor) -> Tensor:
        for block in self.transformer["h"]:  # type: ignore[union-attr]
            x = x + block["attn"](x)
        return x


class VisionBlock(nn.Module):
    """A block as vision Transformers have it: queries are scaled before the product, q, k and v are one tensor."""

    def __init__(self, width: int = 15, n_heads: int = 5) -> None:
        super().__init__()
        self.n_heads, self.scale = n_heads, (width // n_heads) ** -0.5
        self.norm = nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, width * 3), nn.Linear(width, width)
        self.attn_drop = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        B, N, C = x.shape
        qkv = self.qkv(self.norm(x)).reshape(B, N, 3, self.n_heads, -1).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        q = q * self.scale
        attn = self.attn_drop((q @ k.transpose(-2, -1)).softmax(dim=-1))
        return x + self.proj((attn @ v).transpose(1, 2).reshape(B, N, C))


class Plain(nn.Module):
    """One function of queries, keys and values, as a module."""

    def __init__(self, attention: Callable[[Tensor, Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.attention = attention

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return self.attention(q, k, v)


FUTURE = torch.ones(5, 7, dtype=torch.bool).triu(3)  # 5 queries, 7 keys
NUMBERS = torch.linspace(-2, 3, 3 * 5 * 7).view(3, 5, 7)  # one matrix per head


def by_einsum(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Positions before heads, as some like it."""
    q, k, v = (t.transpose(1, 2) for t in (q, k, v))
    weights = torch.softmax(torch.einsum("bqhd,bkhd->bhqk", q, k) / 3**0.5, dim=-1)
    return torch.einsum("bhqk,bkhd->bqhd", weights, v).transpose(1, 2)


def by_odd_einsum(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The batch in the middle, the keys before the batch, and the values before the weights."""
    scores = torch.einsum("b h i d, b h j d -> i j b h", q, k) * 0.7
    scores = scores + NUMBERS.permute(1, 2, 0)[:, :, None]
    return torch.einsum("bhjd,ijbh->bhid", v, torch.softmax(scores, dim=1))


def by_dotted_einsum(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Leading axes as dots."""
    return torch.einsum("...qk,...kd->...qd", torch.einsum("...qd,...kd->...qk", q, k).softmax(-1), v)


def by_bmm(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Batch and heads in one axis, opened only to add the mask."""
    flat = [t.reshape(-1, *t.shape[-2:]) for t in (q, k, v)]
    scores = torch.bmm(flat[0], flat[1].transpose(1, 2)).view(2, 3, 5, 7) + NUMBERS
    return torch.bmm(F.softmax(scores.view(6, 5, 7), dim=-1), flat[2]).view(2, 3, 5, -1)


def by_baddbmm(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A bias and the scale within the product."""
    flat = [t.reshape(-1, *t.shape[-2:]) for t in (q, k, v)]
    scores = torch.baddbmm(NUMBERS.repeat(2, 1, 1), flat[0], flat[1].mT, beta=0.5, alpha=0.3)
    return (scores.softmax(-1) @ flat[2]).view(2, 3, 5, -1)


def in_place(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Written over and over."""
    scores = torch.matmul(q, k.mT)
    scores /= 3**0.5
    scores += NUMBERS
    scores.masked_fill_(FUTURE, -1e9)
    return torch.matmul(nn.Softmax(-1)(scores), v)


def by_where(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The lowest number there is, chosen by a condition; the softmax in double."""
    scores = torch.where(~FUTURE, 0.2 * (q @ k.mT), torch.finfo(q.dtype).min)
    return F.softmax(scores, dim=-1, dtype=torch.float64).to(q.dtype) @ v


def by_penalty(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A large number subtracted where a query may not look."""
    return (q @ k.mT / torch.tensor(2.0) - 1e4 * FUTURE.float()).softmax(-1) @ v


def hidden_rows(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A query that may look at nothing, by a finite number: it looks at everything alike."""
    nowhere = torch.zeros(5, 7, dtype=torch.bool)
    nowhere[2] = True
    return (q @ k.mT).masked_fill(nowhere, -1e9).softmax(-1) @ v


def shared_keys(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """One set of keys and values for all heads, by broadcasting."""
    return (q @ k[:, :1].mT).softmax(-1) @ v[:, :1]


def repeated_keys(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Four heads, two sets of keys and values, repeated."""
    q = torch.cat([q, q[:, :1] + 1], 1)
    k, v = (t[:, :2].repeat_interleave(2, dim=1) for t in (k, v))
    return ((q @ k.mT) * 3**-0.5).softmax(-1) @ v


def kernel_causal(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """torch's kernel; it counts from the first key."""
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def kernel_masked(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """torch's kernel with a boolean mask of which one row is empty, and a scale of its own."""
    allowed = ~FUTURE.clone()
    allowed[1] = False
    return F.scaled_dot_product_attention(q, k, v, attn_mask=allowed, scale=0.9)


def kernel_biased(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """torch's kernel with numbers to add, some of them −∞."""
    return F.scaled_dot_product_attention(q, k, v, NUMBERS.masked_fill(FUTURE, -math.inf))


def kernel_grouped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """torch's kernel with four heads on two sets of keys and values."""
    q = torch.cat([q, q[:, :1] + 1], 1)
    return F.scaled_dot_product_attention(q, k[:, :2], v[:, :2], enable_gqa=True)


def kernel_without_heads(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """torch's kernel on a batch without heads, with one mask for each text."""
    mask = torch.stack([~FUTURE, ~FUTURE | True])
    return F.scaled_dot_product_attention(q[:, 0], k[:, 0], v[:, 0], attn_mask=mask)


def capped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """No score beyond five."""
    scores = torch.tanh(0.7 * (q @ k.mT) / 5.0) * 5.0
    return (scores + NUMBERS.masked_fill(FUTURE, -1e9)).softmax(-1) @ v


def only_bent(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """No score beyond one."""
    return (q @ k.mT).tanh().softmax(-1) @ v


def with_sinks(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """One more score for each head, which takes its share and says nothing."""
    scores = 0.5 * (q @ k.mT) + torch.zeros(5, 7).masked_fill(FUTURE, -math.inf)
    scores = torch.cat([scores, torch.tensor([1.0, -2.0, 0.5]).view(1, 3, 1, 1).expand(2, 3, 5, 1)], dim=-1)
    scores = scores - scores.max(dim=-1, keepdim=True).values
    return F.softmax(scores, dim=-1)[..., :-1] @ v


def by_product_and_sum(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Scores times zero or one, minus a lot or nothing."""
    seen = (~FUTURE).float()
    return ((q @ k.mT / 3**0.5) * seen + -1e4 * (1 - seen)).softmax(-1) @ v


def tempered(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A temperature for each head."""
    return ((q @ k.mT) * torch.tensor([0.5, 2.0, 3.0]).view(3, 1, 1)).softmax(-1) @ v


def not_below_the_lowest(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Two masks might add up to −∞: then the lowest number there is."""
    lowest = torch.tensor(torch.finfo(q.dtype).min)
    return torch.max(q @ k.mT + torch.where(FUTURE, lowest, 0.0), lowest).softmax(-1) @ v


def by_sigmoid(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Each weight for itself."""
    return (q @ k.mT - 1).sigmoid() @ v


def by_exponentials(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A softmax, spelled out."""
    scores = q @ k.mT
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return (powers / powers.sum(-1, keepdim=True)) @ v


def by_log_softmax(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """By way of logarithms."""
    return F.log_softmax(q @ k.mT, dim=-1).exp() @ v


def by_aten(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Straight to the kernels."""
    q, k, v = (rows.flatten(0, 1) for rows in (q, k, v))
    weights = torch.ops.aten._softmax.default(torch.ops.aten.bmm.default(q, k.mT), -1, False)
    return torch.ops.aten.bmm.default(weights, v)


def over_the_other_axis(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Keys times queries: the softmax goes down the columns."""
    scores = 0.5 * (k @ q.mT) + NUMBERS.mT
    return scores.softmax(-2).transpose(-1, -2) @ v


def turned_weights(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Values times weights, both lying on their side."""
    weights = (q @ k.mT).masked_fill(FUTURE, -math.inf).softmax(-1)
    return (v.permute(0, 1, 3, 2) @ weights.permute(0, 1, 3, 2)).mT


def by_setitem(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A mask that is written in."""
    scores = q @ k.mT
    scores[FUTURE.expand(2, 3, 5, 7)] = -math.inf
    return scores.softmax(-1) @ v


def hidden_twice(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Hidden before the softmax, and set to zero after it: a row that sees nothing is zeros."""
    hidden = FUTURE.clone()
    hidden[3] = True
    lowest = torch.finfo(q.dtype).min
    return (q @ k.mT).masked_fill(hidden, lowest).softmax(-1).masked_fill(hidden, 0.0) @ v


def multiplied_after(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The mask again, as ones and zeros."""
    return ((q @ k.mT).masked_fill(FUTURE, -math.inf).softmax(-1) * (~FUTURE).float()) @ v


def without_nan(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A row that sees nothing is NaN, and then zeros."""
    hidden = FUTURE.clone()
    hidden[3] = True
    return (q @ k.mT).masked_fill(hidden, -math.inf).softmax(-1).nan_to_num(0.0) @ v


def asking_together(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """One matrix of weights for all rows of an alignment, which ask and are mixed together."""
    weights = (0.5 * torch.einsum("brid,brjd->bij", q, k)).masked_fill(FUTURE, -math.inf).softmax(-1)
    return torch.einsum("bij,brjd->bird", weights, v)


# What the watcher should say of each: heads, sets of keys, scale, causal, masked, biased.
USUAL = 3**-0.5
FUNCTIONS: dict[Callable[[Tensor, Tensor, Tensor], Tensor], tuple[int, int, float, bool, bool, bool]] = {
    by_einsum: (3, 3, USUAL, False, False, False),
    by_odd_einsum: (3, 3, 0.7, False, False, True),
    by_dotted_einsum: (3, 3, 1.0, False, False, False),
    by_bmm: (3, 3, 1.0, False, False, True),
    by_baddbmm: (1, 1, 0.3, False, False, True),
    in_place: (3, 3, USUAL, True, True, True),
    by_where: (3, 3, 0.2, True, True, False),
    by_penalty: (3, 3, 0.5, True, True, False),
    hidden_rows: (3, 3, 1.0, False, True, False),
    shared_keys: (3, 1, 1.0, False, False, False),
    repeated_keys: (4, 2, USUAL, False, False, False),
    kernel_causal: (3, 3, USUAL, True, True, False),
    kernel_masked: (3, 3, 0.9, True, True, False),
    kernel_biased: (3, 3, USUAL, True, True, True),
    kernel_grouped: (4, 2, USUAL, False, False, False),
    kernel_without_heads: (1, 1, USUAL, False, True, False),
    capped: (3, 3, 0.7, True, True, True),
    only_bent: (3, 3, 1.0, False, False, False),
    with_sinks: (3, 3, 0.5, True, True, True),
    by_product_and_sum: (3, 3, USUAL, True, True, False),
    tempered: (3, 3, 1.0, False, False, False),
    not_below_the_lowest: (3, 3, 1.0, True, True, False),
    by_sigmoid: (3, 3, 1.0, False, False, True),
    by_exponentials: (3, 3, 1.0, False, False, False),
    by_log_softmax: (3, 3, 1.0, False, False, False),
    by_aten: (1, 1, 1.0, False, False, False),
    over_the_other_axis: (3, 3, 0.5, False, False, True),
    turned_weights: (3, 3, 1.0, True, True, False),
    by_setitem: (3, 3, 1.0, True, True, False),
    hidden_twice: (3, 3, 1.0, True, True, False),
    multiplied_after: (3, 3, 1.0, True, True, False),
    without_nan: (3, 3, 1.0, True, True, False),
    asking_together: (1, 1, 0.5, True, True, False),
}


def fused_encoder(n_layers: int = 2) -> nn.TransformerEncoder:
    layer = nn.TransformerEncoderLayer(12, 2, 20, batch_first=True)
    return nn.TransformerEncoder(layer, n_layers).eval()
