"""Whatever a person or a program may hand in, damaged at random: a sentence or an answer, never a traceback or a hang.

Each kind begins with sound ones and breaks them: bytes flipped, pieces cut out, doubled, moved, and put in from a list
of what breaks readers. All in one process, so that thousands take minutes; what hangs is told by processor time.
"""

import os
import random
import signal
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from faults.bad_files import GOOD, LINES, PAIRS, STRANGE_CELLS, STRANGE_JSON, STRANGE_LINES

PATIENCE = 20  # seconds of processor time
PIECES = tuple(
    each.encode()
    for each in (
        *(cell for cell in STRANGE_CELLS if len(cell) < 500), *(line for line in STRANGE_JSON if len(line) < 500),
        *STRANGE_LINES, "[[", "]]", "}}", "{{", "$$", "```", "---", "\\frac{", "^", "_", "=", "≈", "√", "1e999", "-1",
        "0", "true", "null", "'" * 3, '"' * 3, "&a *a", "!!python/object:os.system", "\ud7ff", "\N{BYTE ORDER MARK}",
    )
)  # fmt: skip
TOML = 'width = 64\nheads = 2\nlearning_rate = 0.003\noptimizer = "adamw"\npositions = "rotary"\ndropout = 0.1\n'
NOTES = (
    "# Notes\n\nscore = q·k = [1, 2]·[3, 4] = 11\n\n$$\\frac{11}{\\sqrt{2}} = 7.778$$\n",
    "softmax([1, 2]) = [0.269, 0.731]\n\n| x | x² |\n|---|---|\n| 3 | 9 |\n| 4 | 16 |\n",
    "```\n>>> 3 * 4\n12\n```\n\nSo 3 + 4 = 7, and 12 / 5 = 2.4.\n\n[[1, 2], [3, 4]] @ [1, 1] = [3, 7]\n",
)
Reader = Callable[[bytes, random.Random, Path], Any]
Kind = tuple[str, Reader, list[bytes], int]  # its name, who reads it, sound ones, how many in a hundred


class HungError(BaseException):
    """No end in sight."""


def main(times: int, part: int = 0) -> dict[str, Any]:
    """So many inputs in all; how many were tried, and what went wrong. Each part is another draw."""
    import torch

    torch.set_num_threads(1)
    os.fsync = lambda _: None
    signal.signal(signal.SIGPROF, _hung)
    draw, wrong, tried = random.Random(f"inputs {part}"), [], Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        for kind, read, sound, share in kinds(Path(name)):
            for _ in range(times * share // 100):
                data = spoilt(draw.choice(sound), draw)
                tried[kind] += 1
                if why := _went_wrong(lambda read=read, data=data: read(data, draw, Path(name))):
                    wrong.append(f"{kind}: {why}: {data[:300]!r}")
    return {"tried": tried.total(), "kinds": dict(tried), "wrong": wrong}


def _hung(*_: object) -> None:
    raise HungError


def _went_wrong(work: Callable[[], Any]) -> str:
    from glassformer.errors import GlassformerError

    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        work()
    except GlassformerError as error:
        return "" if str(error).strip() else f"{type(error).__name__} without a word"
    except HungError:
        return "hangs"
    except Exception:
        return " | ".join(traceback.format_exc(limit=-2).split("\n"))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return ""


def spoilt(data: bytes, draw: random.Random) -> bytes:
    """The same with one to six things wrong."""
    for _ in range(draw.randint(1, 6)):
        place, other = draw.randrange(len(data) + 1), draw.randrange(len(data) + 1)
        length = draw.choice((1, 1, 2, 5, 40))
        data = draw.choice(
            (
                data[:place] + bytes([draw.randrange(256)]) + data[place + 1 :],
                data[:place] + data[place + length :],
                data[:place] + data[place : place + length] * draw.choice((2, 3, 50)) + data[place:],
                data[:place] + data[other : other + length] + data[place:],
                data[:place] + draw.choice(PIECES) + data[place:],
                data[: max(place, 1)],
            )
        )
    return data


def kinds(folder: Path) -> list[Kind]:
    """All kinds of input, with sound ones to begin with."""
    from glassformer.by_hand.worksheets.worksheet import example_names, example_text
    from glassformer.studio.lessons.lesson_room import taught
    from glassformer.text.tokens import Tokens

    tokens = [Tokens.train(kind, [GOOD], min_frequency=1).to_bytes() for kind in ("word", "character", "bpe")]
    tables = [GOOD, PAIRS.replace(",", "\t"), "\n".join(LINES), f"[{', '.join(LINES)}]"]
    bodies = [
        '{"sentence": "a b", "width": 4, "example": "scores-by-hand", "seed": 3, "sheet": {"scores": [[1, 2]]}}',
        '{"text": "1 + 1 = 3", "model": "sentiment", "name": "run", "address": "blocks.0.weights", "index": [0, 1]}',
        '{"source": "negation:300", "task": "classify", "columns": {"text": "a"}, "settings": {"width": 8}, "step": 3}',
    ]
    return [
        ("readers", _table, [each.encode() for each in tables], 30),
        ("settings", _settings, [TOML.encode(), TOML.replace(" =", ":").encode()], 10),
        ("notes", _notes, [each.encode() for each in NOTES], 15),
        ("worksheets", _worksheet, [example_text(name).encode() for name in example_names()], 15),
        ("lessons", _lesson, [path.read_bytes() for path in taught()], 10),
        ("tokenizers", _tokens, tokens, 10),
        ("requests", _requests(folder), [each.encode() for each in bodies], 10),
    ]


def _table(data: bytes, draw: random.Random, folder: Path) -> None:
    from glassformer.text.corpora import read
    from glassformer.text.tasks import TASKS

    path = folder / f"table{draw.choice(('.csv', '.tsv', '.jsonl', '.json', '.txt'))}"
    path.write_bytes(data)
    report = read(path, draw.choice(list(TASKS))).report
    assert report.read == report.kept + report.skipped, report
    assert sum(report.reasons.values()) == report.skipped, report


def _settings(data: bytes, draw: random.Random, folder: Path) -> None:
    from glassformer.commands.settings import from_file
    from glassformer.training.recipes import recipe_for

    path = folder / f"settings{draw.choice(('.toml', '.yaml'))}"
    path.write_bytes(data)
    recipe_for("classify", "classes", "transformer", 10_000, 100).with_settings(from_file(path))


def _notes(data: bytes, draw: random.Random, folder: Path) -> None:
    from glassformer.by_hand.check import check

    path = folder / f"notes{draw.choice(('.md', '.txt', '.tex', '.csv', '.html'))}"
    path.write_bytes(data)
    check(path)


def _worksheet(data: bytes, draw: random.Random, folder: Path) -> None:
    from glassformer.by_hand.worksheets.worksheet import read_file

    path = folder / f"sheet{draw.choice(('.toml', '.yaml', '.json'))}"
    path.write_bytes(data)
    read_file(path)


def _lesson(data: bytes, draw: random.Random, folder: Path) -> None:
    from glassformer.studio.lessons.lesson_files import read_lesson_file

    path = folder / "lesson.md"
    path.write_bytes(data)
    read_lesson_file(path)


def _tokens(data: bytes, draw: random.Random, folder: Path) -> None:
    from glassformer.text.tokens import Tokens

    Tokens.from_bytes(data).encode("a good film, not bad")


def _requests(folder: Path) -> Reader:
    """Bodies to every action of the studio but those that begin a training."""
    from helpers.studio_visits import TOKEN, Visitor

    visitor = Visitor(folder / "runs")
    begin = ("/do/train/begin", "/do/train/resume")
    paths = [path for method, path in visitor.routes() if method == "POST" and path not in begin]

    def send(data: bytes, draw: random.Random, folder: Path) -> None:
        path = draw.choice(paths)
        answer = visitor.send("POST", f"/{TOKEN}{path}", body=data)
        assert answer.status < 500, (path, answer.status, answer.body[:200])

    return send
