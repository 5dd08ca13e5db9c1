"""Small corpora to be read in tests: a table of 31 rows, and what came of it."""

from pathlib import Path
from typing import Any

from glassformer.text.corpora import Corpus, read
from glassformer.text.samples import text_of

ROWS = "".join(f"Film {number},{'pos' if number % 3 else 'neg'}\n" for number in range(31))
CSV = "text,label\n" + ROWS


def everything(corpus: Corpus) -> list[Any]:
    return sorted([*corpus.train, *corpus.valid, *corpus.test], key=text_of)


def classify(tmp_path: Path, content: str | bytes, name: str = "a.csv", **options: Any) -> Corpus:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    corpus = read(path, "classify", **options)
    assert corpus.report.read == corpus.report.kept + corpus.report.skipped
    return corpus


def skips(corpus: Corpus) -> list[tuple[int, str]]:
    return [(skip.line, skip.reason) for skip in corpus.report.skips]
