"""Two hundred broken files: each gets a clear answer, never a traceback, and nothing in them is ever run."""

import random
from pathlib import Path

import pytest

from glassformer.by_hand.check import check_document
from glassformer.by_hand.checking.findings import Report
from glassformer.by_hand.notes.reading import open_bytes

GOOD = (
    "# Notes\n\n$$Q = X W_Q = \\begin{bmatrix} 1 & 0 \\\\ 1 & 1 \\end{bmatrix}$$\n\nx = [1, 2] · [[3], [4]] = [11]\n\n"
    "```python\nK = [[1, 2],\n     [3, 4]]\n```\n\n$\\frac{QK^T}{\\sqrt{2}} \\approx 1.41$\n\n- tea → [1, 0]\n"
)


def broken_files() -> list[tuple[str, str, bytes]]:
    """Name, suffix and content."""
    draw = random.Random(7)
    files: list[tuple[str, str, bytes]] = []

    def add(name: str, content: str | bytes, suffix: str = ".md") -> None:
        files.append((name, suffix, content.encode() if isinstance(content, str) else content))

    for i in range(60):  # a sign lost
        place = draw.randrange(len(GOOD))
        add(f"without sign {place} ({i})", GOOD[:place] + GOOD[place + 1 :])
    for i in range(40):  # a sign too many
        place = draw.randrange(len(GOOD))
        add(f"one sign more ({i})", GOOD[:place] + draw.choice("{}[]()$&\\^_=`\"'%#?|~") + GOOD[place:])
    for i in range(20):  # cut off
        add(f"cut off ({i})", GOOD[: draw.randrange(len(GOOD))])
    for i in range(20):  # any bytes at all
        add(
            f"bytes ({i})",
            draw.randbytes(3000),
            draw.choice([".md", ".csv", ".ipynb", ".toml", ".yaml", ".tex", ".xlsx"]),
        )
    for suffix in (".md", ".tex", ".csv", ".tsv", ".ipynb", ".toml", ".yaml", ".xlsx"):
        add(f"empty {suffix}", "", suffix)
        add(f"spaces {suffix}", " \n\t\n ", suffix)
    deep = 5000
    for name, text in {
        "open braces": "$$" + "{" * deep + "$$",
        "open brackets": "x = " + "[" * deep,
        "closed brackets": "x = " + "[" * deep + "1" + "]" * deep,
        "fractions": "$$" + r"\frac{1}{" * deep + "2" + "}" * deep + "=3$$",
        "environments": "$$" + r"\begin{bmatrix}" * deep + "1" + r"\end{bmatrix}" * deep + "=1$$",
        "roots": "y = " + "√(" * deep + "2" + ")" * deep + " = 1",
        "minus signs": "y = " + "-" * deep + "1 = 1",
        "powers": "$$y = 2" + "^{2" * deep + "}" * deep + "=1$$",
        "a chain": " = ".join(["1"] * 1000),
        "ragged": r"$$\begin{bmatrix} 1 & 2 \\ 3 \end{bmatrix} = \begin{bmatrix} 1 \\ 2 & 3 \end{bmatrix}$$",
        "nan": "x = [nan, 1] + [1, NaN] = [nan, 2]",
        "infinities": r"$$[\infty, 1] - [\infty, 1] = [0, 0]$$",
        "huge exponents": "x = 1e9999 * 1e9999 = 1e-9999",
        "huge numbers": "x = " + "9" * 4000 + " + 1 = 3",
        "huge powers": "x = 9^9^9^9^9 = 1\n\ny = (10^400)^400 = 2\n\nexp(exp(exp(9))) = 3",
        "division by zero": "1 / 0 = 3\n\n[1, 2] / [0, 0] = [1, 2]\n\nlog(0) = 1\n\n√(-1) = 1",
        "self reference": "A = A + A\n\nA = B\n\nB = A\n\nA = [[1, 2]]\n\nQ = f(Q) = Q Q = [1]",
        "a circle of formulas": "$$A = B C, B = C A, C = A B$$\n\n$$A = [[1, 2], [3, 4]]$$\n\n$$D = A B C = [[1]]$$",
        "empty matrices": r"$$[] = [[]] = \begin{bmatrix} \end{bmatrix} = ()$$",
        "wide": "x = [" + ", ".join(["0.5"] * 3000) + "] + 1 = [2]",
        "large product": "x = [" + ", ".join(["0.5"] * 2000) + "]\n\nx^T x = [[1]]",
        "code that must not run": "```python\nimport os\nos.system('touch never-made')\nx = os.getcwd() = 3\n```",
        "html": "<script>alert(1)</script> x = <b>3</b> = 4",
        "right to left": "x = \u202e[1, 2] = [3, 4]\u202c",
        "zero width": "1\u200b + \u200b1 = 2",
        "emoji": "🙂 = 🙃 = [1, 2] · [3, 4] = 11 ✓",
        "only signs": "=== ≈≈ →→ ::: ,,, ;;; &&& \\\\\\\\ $$$$ ^^^ ___",
        "a repeated label": "a: " * 3000 + "1 = 2",
        "many commas": "," * deep,
        "many equals": "= " * deep,
        "many headings": "# a\n" * 3000,
        "many dollars": "$" * 3001,
        "unclosed fence": "```\nx = [1, 2\n",
        "carriage returns": "1 + 1 = 2\r2 + 2 = 4\r\n3 + 3 = 6\n",
    }.items():
        add(name, text)
    add("ten megabytes in one line", "x = [" + "1, " * 3_500_000 + "1]")
    add("ten megabytes of prose", "some words that say nothing. " * 350_000)
    add("utf-16", GOOD.encode("utf-16"))
    add("latin-1", "Größe = [1, 2] · [3, 4] = 11 é".encode("latin-1"))
    add("half a letter", GOOD.encode() + b"\xe2\x82")
    add("zero bytes", b"x = 1\x00\x00")
    add("no notebook", '{"cells": 3}', ".ipynb")
    add("deep json", "[" * 100_000, ".ipynb")
    add("deep yaml", "given: " + "[" * 3000, ".yaml")
    add("yaml bomb", "a: &a [1,1]\nb: &b [*a,*a]\nc: &c [*b,*b]\ngiven: {X: [*c,*c,*c]}\n", ".yaml")
    laughs = "".join(f"x{i}: &x{i} [{', '.join([f'*x{i - 1}'] * 9)}]\n" for i in range(1, 12))
    add("billion laughs", "x0: &x0 [1]\n" + laughs + "given: {X: *x11}\n", ".yaml")
    add("yaml code", "given: !!python/object/apply:os.system ['true']\n", ".yaml")
    add("deep toml", "[given]\nX = " + "[" * 3000, ".toml")
    add("toml text", "[given]\nX = 'words'\n[work]\nQ = [[1], ['a']]\n", ".toml")
    add("csv of quotes", '"' * 999, ".csv")
    add("csv of text", "a,b,c\nd,e,f\n" * 2000, ".csv")
    return files


FILES = broken_files()


def test_there_are_enough_of_them() -> None:
    assert len(FILES) >= 200


@pytest.mark.parametrize(("name", "suffix", "content"), FILES, ids=[name for name, _, _ in FILES])
@pytest.mark.processor_seconds(60)
def test_a_clear_answer(name: str, suffix: str, content: bytes) -> None:
    report = check_document(open_bytes(content, name, suffix))
    assert isinstance(report, Report)
    assert report.claims == report.checked + len(report.not_checkable) + len(report.unreadable)
    assert all(remark.why and remark.line >= 1 for remark in report.unreadable)
    assert report.exit_code() in (0, 1, 4)


def test_nothing_was_run() -> None:
    assert not Path("never-made").exists()
