"""Names of kernels."""

from glassformer.inside.watching.beneath.kernels import bends, plain_name


def test_a_power_with_a_number_has_its_plain_name() -> None:
    assert plain_name("pow", [None, 2]) == "square"
    assert plain_name("pow", [None, -1.0]) == "reciprocal"
    assert plain_name("pow", [None, 0.5]) == plain_name("pow", [None, None]) == "pow"
    assert plain_name("exp", [None, 2]) == "exp"


def test_what_bends_scores() -> None:
    assert all(bends(name) for name in ("relu", "sigmoid", "clamp", "square", "mish"))
    assert not any(bends(name) for name in ("mul", "view", "masked_fill", "native_layer_norm", "linalg_inv_ex"))
