"""The names of position schemes: each has its implementation, and the facts told of it are true."""

import math

from glassformer.layers.positions import (
    SCHEMES,
    Dimensions,
    Order,
)
from glassformer.layers.schemes import POSITIONS

OF = Dimensions(longest=13, d_model=12, n_heads=3)


def test_every_name_has_its_scheme_and_no_other() -> None:
    assert list(SCHEMES) == list(POSITIONS)
    for name, facts in POSITIONS.items():
        assert facts.on_scores == (SCHEMES[name].bias is not None)
        learned = sum(weight.numel() for weight in Order(name, OF, ("encoder",)).parameters())
        sizes = {"T": OF.longest, "D": OF.d_model, "H": OF.n_heads}
        told = math.prod(sizes.get(sign) or int(sign) for sign in facts.weights.split("·")) if facts.weights else 0
        assert learned == told
