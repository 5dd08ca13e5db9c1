"""Formats that people have: each is read, its line is named, and what is broken or hostile gets one sentence."""

import io
import zipfile

import pytest
from survey.made_notes import equation, matrix, pdf_file, run, word_file, word_xml

from glassformer.by_hand.check import check_document
from glassformer.by_hand.checking.findings import Report
from glassformer.by_hand.notes.reading import open_bytes


def checked(data: bytes | str, suffix: str) -> Report:
    return check_document(open_bytes(data.encode() if isinstance(data, str) else data, f"notes{suffix}", suffix))


def found(data: bytes | str, suffix: str) -> list[tuple[int, str, str]]:
    """Line, printed number and right one of every finding."""
    return [(each.line, each.printed, each.right) for each in checked(data, suffix).findings]


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


@pytest.mark.parametrize(
    ("formula", "printed", "right"),
    [
        ("<mfrac><mn>3</mn><mn>4</mn></mfrac><mo>+</mo><mn>1</mn><mo>=</mo><mn>1.85</mn>", "1.85", "1.75"),
        ("<msup><mn>3</mn><mn>2</mn></msup><mo>=</mo><mn>6</mn>", "6", "9"),
        ("<msqrt><mn>16</mn></msqrt><mo>=</mo><mn>5</mn>", "5", "4"),
        ("<mn>2</mn><mo>−</mo><mn>5</mn><mo>=</mo><mn>3</mn>", "3", "-3"),
        ("<mi>softmax</mi><mo>\u2061</mo><mfenced><mtable><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable>"
         "</mfenced><mo>=</mo><mo>[</mo><mtable><mtr><mtd><mn>0.27</mn></mtd><mtd><mn>0.93</mn></mtd></mtr></mtable>"
         "<mo>]</mo>", "0.93", "0.73"),
    ],
)  # fmt: skip
def test_mathml(formula: str, printed: str, right: str) -> None:
    assert found(f"<math display='block'><mrow>{formula}</mrow></math>", ".html") == [(1, printed, right)]


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


# --- Word -------------------------------------------------------------------------------------------------------------


def test_equations_of_word() -> None:
    fraction = f"<m:f><m:num>{run('3')}</m:num><m:den>{run('4')}</m:den></m:f>"
    xml = word_xml(
        "Some words.",
        equation(run("Q=") + matrix([["1", "2"], ["3", "4"]])),
        equation(run("Q+Q=") + matrix([["2", "4"], ["6", "9"]])),
        equation(fraction + run("+1=1.85")),
        "and 3 × 4 = 13",
    )
    assert found(word_file(xml), ".docx") == [(3, "9", "8"), (4, "1.85", "1.75"), (5, "13", "12")]


def test_a_table_of_word() -> None:
    def row(*cells: str) -> str:
        return "<w:tr>" + "".join(f"<w:tc><w:p><w:r><w:t>{c}</w:t></w:r></w:p></w:tc>" for c in cells) + "</w:tr>"

    xml = word_xml("<w:tbl>" + row("x", "2*x") + row("3", "7") + "</w:tbl>")
    assert [(printed, right) for _, printed, right in found(word_file(xml), ".docx")] == [("7", "6")]


def _zip(name: str, content: str | bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        b"", b"PK\x03\x04 nothing", _zip("other.xml", "<a/>"), _zip("word/document.xml", "<a>"),
        _zip("word/document.xml", b"\x00" * 40_000_000),
        _zip("word/document.xml", '<!DOCTYPE a [<!ENTITY b "1 + 1 = 3">]><a>&b;</a>'),
        _zip("word/document.xml", "<a>" * 3000 + "</a>" * 3000),
    ],
    ids=["empty", "no zip", "no text", "no XML", "a bomb", "entities", "too deep"],
)  # fmt: skip
def test_a_hostile_word_file_gets_one_sentence(data: bytes) -> None:
    report = checked(data, ".docx")
    assert len(report.unreadable) == 1
    assert "Word file" in report.unreadable[0].why


# --- reStructuredText, Quarto -----------------------------------------------------------------------------------------


def test_restructured_text() -> None:
    text = (
        "Notes\n=====\n\n.. math::\n   :label: a\n\n   Q = [[1, 2]]\n\n   Q + Q = [[2, 5]]\n\nThen "
        ":math:`2 \\cdot 3 = 7`."
        "\n\nWorking::\n\n    m = 2 * 4\n      = 9\n\n.. note::\n\n   4 + 4 = 9\n\n.. toctree::\n\n   1 + 1 = 3\n\n"
        ".. 1 + 1 = 3\n"
    )
    assert found(text, ".rst") == [(9, "5", "4"), (11, "7", "6"), (16, "9", "8"), (20, "9", "8")]


def test_doctests_in_restructured_text() -> None:
    assert found("Try::\n\n    >>> x = 3\n    >>> x * 4\n    13\n", ".rst") == [(5, "13", "12")]


SIMPLE = "A table:\n\n===  =======\n x   x * 3\n===  =======\n 2   6\n 5   {}\n===  =======\n\nEnd.\n"
LABELS = "===  ==  ==\nV    d1  d2\n===  ==  ==\na    1   2\nb    3   5\n===  ==  ==\n\n[1, 1] V = [4, {}]\n"


def test_a_simple_table_in_restructured_text() -> None:
    assert found(SIMPLE.format(15), ".rst") == []
    assert found(SIMPLE.format(16), ".rst") == [(7, "16", "15")]
    assert found(LABELS.format(7), ".rst") == []
    assert found(LABELS.format(8), ".rst") == [(8, "8", "7")]


def test_a_simple_table_with_an_empty_first_cell_is_not_read_as_rows() -> None:
    assert found(SIMPLE.replace(" 5 ", "   ").format(16), ".rst") == []


@pytest.mark.parametrize("suffix", [".qmd", ".rmd"])
def test_quarto_and_r_markdown(suffix: str) -> None:
    text = "---\ntitle: 1 + 1 = 3\n---\n\n$3 \\cdot 4 = 13$\n\n```{r}\nx <- 1 + 1 == 3\n```\n"
    assert found(text, suffix) == [(5, "13", "12")]


# --- PDF --------------------------------------------------------------------------------------------------------------


def test_plain_lines_of_a_pdf() -> None:
    data = pdf_file([(700, 12, "Notes"), (650, 12, "3 * 4 = 13"), (600, 12, "y = 2 + 2 = 4")])
    report = checked(data, ".pdf")
    assert [(each.file, each.printed, each.right) for each in report.findings] == [("notes.pdf, page 1", "13", "12")]
    assert report.checked == 2


@pytest.mark.parametrize(
    "pieces",
    [
        [(650, 12, "3"), (656, 7, "2"), (650, 12, " + 1 = 32")],  # 3² + 1
        [(650, 12, "5 + 3 = 9"), (655, 7, "2")],  # an exponent at the end
        [(658, 12, "3"), (650, 12, "5 + 3 = 9"), (642, 12, "4")],  # a fraction around the line
        [(650, 12, "QK = [1 2 3 4] = 5")],
        [(650, 12, "2 3 + 1 = 8")],
    ],
    ids=["exponent", "last exponent", "fraction", "matrix", "columns"],
)
def test_a_line_that_a_text_layer_cannot_be_trusted_with(pieces: list[tuple[int, int, str]]) -> None:
    report = checked(pdf_file(pieces), ".pdf")
    assert report.findings == []
    assert report.checked == 0
    assert any("text layer" in remark.why for remark in report.not_checkable)


@pytest.mark.parametrize("data", [b"", b"%PDF-1.4 nothing", pdf_file([])], ids=["empty", "broken", "pictures"])
def test_a_pdf_that_cannot_be_read_gets_one_sentence(data: bytes) -> None:
    report = checked(data, ".pdf")
    assert len(report.unreadable) == 1
    assert "PDF" in report.unreadable[0].why
