"""Chains A = B = C: a claim at every equals sign."""

from glassformer.by_hand.check import check_text


def test_a_chain_is_a_claim_at_every_equals_sign() -> None:
    report = check_text("1 + 2 + 3 = 3 + 3 = 7 = 6 + 1")
    assert [(f.printed, f.right) for f in report.findings] == [("7", "6")]
    assert report.claims == 3
