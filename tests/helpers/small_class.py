"""A class of three who hand in one small sheet: one is right, one has a slip, one wrote nothing."""

from glassformer.by_hand.exercises.marking import Mark, answer_key, mark

SHEET = "X = [[1], [2]]\n\nV = X [[2]] = [[?], [?]]\n"
ANSWERS = {"anna": "[[2], [4]]", "=ben": "[[2], [5]]", "cleo\x1b[2J<b>": "[[?], [?]]"}


def small_class() -> list[Mark]:
    """Their marks."""
    sheets = {name: SHEET.replace("[[?], [?]]", answer) for name, answer in ANSWERS.items()}
    key = answer_key(SHEET, sheets["anna"], ".txt")
    return [mark(sheet.encode(), name, key, ".txt") for name, sheet in sheets.items()]
