"""Files that people really hand in, and that are bad: made, not collected. Knows no reader.

Each shape of table is broken in each way, written in each encoding and under each ending.
"""

import gzip
import json
import lzma
import os
import random
from collections.abc import Iterator
from pathlib import Path

TEXTS = ("a good film", "not bad at all", "the worst of them", "dull, but long", "fine", "never again")
GOOD = "text,label\n" + "".join(f'"{TEXTS[i % 6]} {i}",{"pos" if i % 2 else "neg"}\n' for i in range(40))
LINES = [json.dumps({"text": f"{TEXTS[i % 6]} {i}", "label": "pos" if i % 2 else "neg"}) for i in range(40)]
PAIRS = "source,target\n" + "".join(f"{TEXTS[i % 6]} {i},{TEXTS[i % 6][::-1]} {i}\n" for i in range(40))
ENDINGS = (".csv", ".tsv", ".jsonl", ".json", ".txt", ".md", "")

# Values that stand where a text or a label should.
STRANGE_CELLS = (
    "",
    " ",
    "nan",
    "None",
    "NULL",
    "-",
    "\0",
    "\ufeff",
    "\u2028",
    "\x85",
    "\x1b[31mred\x1b[0m",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "=cmd|'/c calc'!A0",
    "<pad>",
    "<eos>",
    "<unk>",
    "\N{ZERO WIDTH JOINER}" * 50,
    "e" + "\N{COMBINING ACUTE ACCENT}" * 3000,
    "\N{RIGHT-TO-LEFT OVERRIDE}abc",
    "\U0001f600" * 40,
    "9" * 400,
    "1e400",
    "-0",
    "0x10",
    "true",
    "1,000",
    "x" * 100_000,
    "\t",
    "a\tb",
    "\r",
    "a\x0bb\x0cc",
)
STRANGE_JSON = (
    "null",
    "3",
    "[]",
    "{}",
    '"text"',
    "[" * 5000,
    "{" * 5000,
    '{"text": NaN, "label": "a"}',
    '{"text": "a", "text": "b"}',
    '{"text": "a", "label": Infinity}',
    r'{"text": "\ud800", "label": "a"}',
    '{"text": {"a": 1}, "label": []}',
    '{"text": "a", "label": 1e400}',
    '{"text": "a", "label": ' + "9" * 5000 + "}",
    '{"text": "a" "label": "b"}',
    "{'text': 'a', 'label': 'b'}",
    '{"text": "a", "label": true}',
    '{"text": 5, "label": 5}',
    '{"text": null, "label": null}',
    '{"translation": {"en": "a", "de": 3}}',
    '{"": "a"}',
    '{"text": "a\nb", "label": "c"}',
)
STRANGE_LINES = (
    '"open,pos',
    '",x","',
    'a "quote" inside,pos',
    "too,many,cells,here",
    "too few",
    ",,",
    '""',
    '"a""b"",pos',
    "a,pos,",
    ";;",
    "a;pos",
    "'a',pos",
)
ENCODINGS = (
    "utf-8-sig",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
    "latin-1",
    "cp1252",
    "shift-jis",
    "utf-7",
    "cp037",
)
WHOLE = (
    b"",
    b"\n",
    b"\r\n\r\n",
    b" " * 1000,
    b"\n" * 100_000,
    b"text,label\n",
    b"text,label\na,pos\n",
    b"text,label\na,pos\nb,pos\n",
    b"text,text\na,b\n",
    b",\n,\n",
    b"text,label\n" + b"".join(b"t%d,l%d\n" % (i, i) for i in range(50)),
    b"text,label\n" + b"same,pos\nsame,neg\n" * 30,
    b"\0" * 1000,
    b"\xff" * 1000,
    b"\x80abc,pos\n" * 20,
    "text,label\nhalf ä,pos\n".encode()[:-6],
    b"\x89PNG\r\n\x1a\n" + b"\0" * 100,
    b"\xff\xd8\xff\xe0" + b"x" * 100,
    b"%PDF-1.7\n" + b"x" * 100,
    b"PK\x03\x04" + b"x" * 100,
    b"PAR1" + b"x" * 100,
    b"SQLite format 3\0" + b"x" * 100,
    b"\x7fELF" + bytes(range(256)) * 4,
    b"GIF89a" + b"\0" * 40,
    b"\x1f\x8b",
    b"\x1f\x8b" + b"x" * 100,
    b"\xfd7zXZ\0" + b"x" * 50,
    b"BZh91AY&SY" + b"x" * 50,
    b"[" * 200_000,
    b"{" * 200_000,
    b"[]",
    b"{}",
    b"[1, 2",
    b'[{"text": "a", "label": "b"}]',
    b"word " * 20_000,
    b"x" * 1_000_000,
    b"text,label\n" + b'"' * 30_001,
    b"text,label\n" + b'",x","\n' * 5000,
    b"text,label\n" + b'"a\n' * 10_001,
    b"a\tb\n" * 30,
    b"a|b\n" * 30,
    b"<html><body>1 + 1 = 3</body></html>",
    b"---\na: [\n",
    b"a: &x [*x]\n",
    b"<!DOCTYPE html>",
    b"#!/bin/sh\nrm -rf /\n",
    b"= = = =\n" * 500,
    b"1 + 1 = \n" * 50,
    b"$$" * 3000,
    b"\\begin{matrix}" * 500,
    b"(" * 5000,
    b"|" * 5000,
    b"2^" * 3000 + b"2 = 4",
    b"10^99999999 = 1",
    b"1/0 = 3",
    b"9" * 5000 + b" = 1",
    b"2020-99-99 = 1\n",
    b"text,label\n2020-99-99,2020-13-45\n",
    b"width = 2020-99-99\n",
    b"width: 2020-99-99\n",
)


def bad_files(folder: Path) -> Iterator[Path]:
    """All of them, written into the folder; what is in it goes by number, and by what it is."""
    for number, (name, content) in enumerate(_contents()):
        path = folder / f"{number:03d}-{name}"
        path.write_bytes(content)
        yield path
    yield from _no_files(folder)


def _contents() -> Iterator[tuple[str, bytes]]:
    for number, content in enumerate(WHOLE):
        yield f"whole{ENDINGS[number % len(ENDINGS)]}", content
        yield f"whole{ENDINGS[(number + 2) % len(ENDINGS)]}", content
    for cell in STRANGE_CELLS:
        yield "text.csv", f'{GOOD}"{cell}",pos\n'.encode()
        yield "label.csv", f"{GOOD}some text,{cell}\n".encode()
        yield "target.tsv", (PAIRS.replace(",", "\t") + f"some text\t{cell}\n").encode()
    for line in STRANGE_JSON:
        yield "line.jsonl", "\n".join([*LINES[:20], line, *LINES[20:]]).encode()
        yield "item.json", f"[{', '.join([*LINES[:20], line])}]".encode()
    for line in STRANGE_LINES:
        for end in ("\n", "\r\n", "\r"):
            yield "row.csv", (GOOD + line + "\n" + GOOD.partition("\n")[2]).replace("\n", end).encode()
    for encoding in ENCODINGS:
        for ending in (".csv", ".jsonl"):
            text = GOOD if ending == ".csv" else "\n".join(LINES)
            yield f"{encoding}{ending}", text.replace("fine", "schön").encode(encoding, "replace")
    for pack, ending in ((gzip.compress, ".gz"), (lzma.compress, ".xz")):
        whole = pack(GOOD.encode())
        yield f"cut.csv{ending}", whole[: len(whole) // 2]
        yield f"twice.csv{ending}", pack(whole)
        yield f"misnamed-{ending[1:]}.csv", whole
        yield f"bomb.csv{ending}", pack(b"\0" * 60_000_000)
    draw = random.Random(17)
    for number in range(30):
        yield f"noise{ENDINGS[number % len(ENDINGS)]}", draw.randbytes(draw.randrange(2000))
        yield f"spoilt{ENDINGS[number % 4]}", _spoilt(GOOD if number % 4 < 2 else "\n".join(LINES), draw)


def _spoilt(text: str, draw: random.Random) -> bytes:
    content = bytearray(text.encode())
    for _ in range(draw.randint(1, 20)):
        content[draw.randrange(len(content))] = draw.randrange(256)
    return bytes(content[: draw.randrange(len(content)) + 1])


def _no_files(folder: Path) -> Iterator[Path]:
    """What a path may lead to beside a file."""
    (folder / "folder.csv").mkdir()
    yield folder / "folder.csv"
    os.mkfifo(folder / "pipe.csv")
    yield folder / "pipe.csv"
    (folder / "loop.csv").symlink_to(folder / "loop.csv")
    yield folder / "loop.csv"
    yield folder / "missing.csv"
    yield folder / ("n" * 5000 + ".csv")
    yield from (Path("/dev/null"), Path("/dev/zero"), Path("/dev/full"), Path("/proc/self/mem"))
