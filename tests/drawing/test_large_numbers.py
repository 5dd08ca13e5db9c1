"""Large numbers for the eye."""

from glassformer.drawing.large_numbers import in_bytes, large


def test_numbers_for_the_eye() -> None:
    assert [large(n) for n in (7, 1_234, 12_345, 2_345_678, 3.21e9, 4.5e15)] == [
        *("7", "1,234", "12.3 k", "2.35 M", "3.21 G", "4,500 T")
    ]
    assert [in_bytes(n) for n in (7, 1_234, 2_345_678, 3.21e9)] == ["7 B", "1.2 kB", "2.3 MB", "3.2 GB"]
