"""Counts and amounts of memory for the eye: 1.23 M, 4.5 MB. It knows nothing of what is counted."""


def large(number: float) -> str:
    """A count for the eye: 1,234 or 1.23 M."""
    for power, name in ((12, "T"), (9, "G"), (6, "M"), (3, "k")):
        if number >= 10**power * (10 if power == 3 else 1):
            return (
                f"{number / 10**power:.3g} {name}" if number < 1000 * 10**power else f"{number / 10**power:,.0f} {name}"
            )
    return f"{number:,.0f}"


def in_bytes(count: float) -> str:
    """An amount of memory for the eye."""
    for power, name in ((9, "GB"), (6, "MB"), (3, "kB")):
        if count >= 10**power:
            return f"{count / 10**power:,.1f} {name}"
    return f"{count:,.0f} B"
