"""Notes in web pages: the formulas they keep, their tables and code, and nothing that is only drawn or run."""

import pytest
from helpers.checked_notes import checked, found

# --- web pages --------------------------------------------------------------------------------------------------------

KATEX = """<p>So <span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>y</mi></mrow>
<annotation encoding="application/x-tex">{tex}</annotation></semantics></math></span>
<span class="katex-html" aria-hidden="true">y = 1 + 1 = 3</span></span> it is.</p>"""


def test_the_tex_that_katex_keeps() -> None:
    assert found(KATEX.format(tex="3 \\cdot 4 = 13"), ".html") == [(1, "13", "12")]
    report = checked(KATEX.format(tex="3 \\cdot 4 = 12"), ".html")
    assert (report.checked, report.findings) == (1, [])


@pytest.mark.parametrize("kind", ["math/tex", "math/tex; mode=display"])
def test_the_tex_that_mathjax_keeps(kind: str) -> None:
    assert found(f'<p>a</p>\n<script type="{kind}">3 \\cdot 4 = 13</script>', ".html") == [(2, "13", "12")]


def test_what_a_page_only_draws_or_runs_is_no_claim() -> None:
    page = (
        "<head><title>1 + 1 = 3</title><style>a { b: 1 + 1 = 3 }</style></head><nav>1 + 1 = 3</nav>"
        "<script>1 + 1 = 3</script><svg><text>1 + 1 = 3</text></svg><div class='toc'>1 + 1 = 3</div><p>1 + 1 = 2</p>"
    )
    report = checked(page, ".html")
    assert (report.claims, report.checked, report.findings) == (1, 1, [])


def test_tables_code_and_scripts_of_a_page() -> None:
    page = (
        "<table><tr><th>x</th><th>2*x</th></tr>\n<tr><td>3</td><td>7</td></tr></table>\n<pre>m = (1 + 2) / 2\n  = 2.5"
        "</pre><p>e<sup>2</sup> &asymp; 8.39</p><p>3 &times; 4 = 13</p>"
    )
    answers = {(printed, right) for _, printed, right in found(page, ".html")}
    assert answers == {("7", "6"), ("2.5", "1.5"), ("8.39", "7.39"), ("13", "12")}


@pytest.mark.parametrize(
    "page",
    ["<div>" * 50_000, "<math>" + "<mrow>" * 5000, "<table><tr><td><table>" * 500, "<pre>1 + 1 = 2",
     "</p></div></math>",
     "<script type='math/tex'>1 + 1 = 2", "<math><annotation encoding='application/x-tex'>1", "&#x110000; &bogus; <"],
)  # fmt: skip
def test_a_page_left_open(page: str) -> None:
    assert checked(page, ".html").findings == []


@pytest.mark.parametrize(
    "page",
    [
        "<p>dot product = 1<em>4 + 2</em>5 + 3*6 = 32</p>",
        "<p>2<strong>3 + 3</strong>2 = 17</p>",
        "<p>1<em>0</em>1 + 1 = 102</p>",  # a figure that is only made to stand out
    ],
)
def test_a_product_that_markdown_took_for_emphasis_is_a_product(page: str) -> None:
    """`1*4 + 2*5` became 1<em>4 + 2</em>5, which is not 14 + 25."""
    report = checked(page, ".html")
    assert (report.checked, report.findings) == (1, [])
