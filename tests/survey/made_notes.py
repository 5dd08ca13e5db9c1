"""Notes made in every format, for surveys and tests: text, LaTeX, web pages, Word files, notebooks."""

import html
import io
import json
import zipfile

from glassformer.by_hand.exercises.workings import make_working
from glassformer.by_hand.exercises.writing import STYLES, write

LATEX = r"""\documentclass{article}
\newcommand{\mat}[1]{\begin{bmatrix}#1\end{bmatrix}}
\begin{document}
\section{Scores}
\[ Q = \mat{1 & 0 \\ 1 & 1}, \quad K = \mat{0 & 1 \\ 1 & 0} \]
\begin{align*}
S_{\mathrm{full}} &= Q K^\top = \mat{0 & 1 \\ 1 & 1} \\
Z &= \frac{S_{\mathrm{full}}}{\sqrt{2}} \approx \mat{0 & 0.71 \\ 0.71 & 0.71}
\end{align*}
so that $\boxed{0.5 \cdot 3 = 1.5}$ and \textcolor{red}{$2 + 2 = 4$}. % 1 + 1 = 3
\end{document}
"""
RESTRUCTURED = """Scores
======

.. math::

   Q = \\begin{bmatrix} 1 & 2 \\\\ 3 & 4 \\end{bmatrix}

   Q Q^T = \\begin{bmatrix} 5 & 11 \\\\ 11 & 25 \\end{bmatrix}

Then :math:`2 \\cdot 3 = 6`, and so on::

    mean = (1 + 3) / 2
         = 2

.. image:: x = 3.png
"""
PAGE = """<!DOCTYPE html><html><head><title>1 + 1 = 3</title><script>x = 1 + 1 == 3</script></head><body><h2>Scores</h2>
<p>Take <span class="katex"><math><semantics><mrow><mi>Q</mi></mrow><annotation encoding="application/x-tex">
Q = \\begin{bmatrix} 1 &amp; 2 \\\\ 3 &amp; 4 \\end{bmatrix}</annotation></semantics></math>
<span class="katex-html">Q1234</span></span> and</p>
<script type="math/tex; mode=display">Q Q^T = \\begin{bmatrix} 5 & 11 \\\\ 11 & 25 \\end{bmatrix}</script>
<math display="block"><mfrac><mn>3</mn><mn>4</mn></mfrac><mo>+</mo>
<msup><mn>2</mn><mn>2</mn></msup><mo>=</mo><mn>4.75</mn></math>
<table><tr><th>x</th><th>2*x</th></tr><tr><td>1</td><td>2</td></tr></table><pre>a = 2 * 3
  = 6</pre></body></html>
"""
CODE = "import numpy as np\nx = np.array([[1, 2], [3, 4]])\nprint('product:', x @ x.T)\nx @ x"
OUTPUT = "product: [[ 5 11]\n [11 25]]\n"
HABITS = """---
title: x = 3
---
[1. Scores = 3](#scores)

X =
[1 0 1]
[0 2 0]

1.43 + 2.57

=

4.00

  0.50
+ 0.25
------
  0.75

Z1 = 0.42x1 + 0.15x0 + 0.42x1 = 0.84

a3 = 4.113 / 8.169 ~ 0.503 and softmax(\\[0, 1]) -> \\[0.27, 0.73], **0.5** + 1 = **1.5**
"""


def notebook(code: str = CODE, output: str = OUTPUT, value: str = "array([[ 7, 10],\n       [15, 22]])") -> str:
    """A notebook of one Markdown cell and one code cell, run once."""
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": output.splitlines(keepends=True)},
        {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/plain": [value]}},
    ]
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Scores\n", "$2 + 2 = 4$"]},
        {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": [code], "outputs": outputs},
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MATHS = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def word_xml(*paragraphs: str) -> str:
    """The main part of a Word file; a paragraph is its own XML, or plain words."""
    body = "".join(
        each if each.startswith("<w:") else f"<w:p><w:r><w:t>{html.escape(each)}</w:t></w:r></w:p>"
        for each in paragraphs
    )
    return f'<?xml version="1.0"?><w:document xmlns:w="{WORD}" xmlns:m="{MATHS}"><w:body>{body}</w:body></w:document>'


def word_file(xml: str) -> bytes:
    """A Word file around its main part."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", xml)
    return out.getvalue()


def equation(inner: str) -> str:
    """A paragraph with one equation."""
    return f"<w:p><m:oMathPara><m:oMath>{inner}</m:oMath></m:oMathPara></w:p>"


def run(text: str) -> str:
    """Signs within an equation."""
    return f"<m:r><m:t>{html.escape(text)}</m:t></m:r>"


def matrix(rows: list[list[str]]) -> str:
    """A matrix in square brackets within an equation."""
    body = "".join("<m:mr>" + "".join(f"<m:e>{run(entry)}</m:e>" for entry in row) + "</m:mr>" for row in rows)
    marks = '<m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>'
    return f"<m:d>{marks}<m:e><m:m>{body}</m:m></m:e></m:d>"


def made_notes() -> list[tuple[str, str]]:
    """Suffix and text of right notes in every format; a Word file is its main part."""
    notes = [(".md", write(make_working(seed, "plain"), style)) for seed, style in enumerate(STYLES)]
    word = word_xml(
        "Scores",
        equation(run("Q=") + matrix([["1", "2"], ["3", "4"]])),
        equation(run("Q+Q=") + matrix([["2", "4"], ["6", "8"]])),
        "2 + 2 = 4",
    )
    others = [(".tex", LATEX), (".rst", RESTRUCTURED), (".html", PAGE), (".ipynb", notebook()), (".docx", word)]
    fenced = f"```python\n{CODE}\n```\n\n```\n{OUTPUT}```\n"
    return [*notes, *others, (".md", HABITS), (".qmd", fenced), (".txt", HABITS)]


def pdf_file(pieces: list[tuple[int, int, str]]) -> bytes:
    """A PDF of one page; each piece has its height on the page, its size, and its words."""
    words = "".join(f"BT /F1 {size} Tf 1 0 0 1 50 {height} Tm ({text}) Tj ET\n" for height, size, text in pieces)
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R "
        "/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        f"<< /Length {len(words)} >>\nstream\n{words}endstream",
    ]
    body, places = "%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{each}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size, start = len(objects) + 1, len(body)
    body += f"xref\n0 {size}\n0000000000 65535 f \n{table}"
    body += f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    return body.encode("latin-1")
