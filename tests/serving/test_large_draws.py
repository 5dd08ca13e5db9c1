"""What strangers may send, in large draws: paths that lead elsewhere through every door, numbers in every field, and
thousands of requests by chance. Nothing outside is opened, nothing of the machine is told, nothing breaks.
"""

import json
import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.server_visits import Caller

import glassformer
from glassformer.serving.app import OPERATIONS

UP = ["..", "%2e%2e", "%252e%252e", "..%2f", "..%5c", "..\\", "‥", "．．", ".%00.", "..;", ". .", "..%c0%af"]
PLACES = ["/etc/passwd", "/errors.py", "/proc/self/root", "\\windows\\win.ini", "/.ssh/id_rsa"]
TRAVERSALS = [f"{up}{place}" for up in UP for place in PLACES]  # 60


class Opened:
    """What this process opens while somebody watches; the hook stays, as hooks do, and is idle when nobody does."""

    def __init__(self) -> None:
        self.watching = False
        self.paths: list[str] = []
        sys.addaudithook(self._heard)

    def _heard(self, event: str, given: tuple[Any, ...]) -> None:
        if self.watching and event in ("open", "os.listdir", "os.scandir", "subprocess.Popen", "os.system"):
            self.paths.append(f"{event} {given[0]}")

    def outside(self) -> list[str]:
        ours = (str(Path(glassformer.__file__).parent), sys.prefix, sys.base_prefix, "/proc/self/statm")
        return [each for each in self.paths if not any(place in each for place in ours)]


@pytest.mark.slow
def test_sixty_ways_out_through_every_door(caller: Caller) -> None:
    assert len(TRAVERSALS) == 60
    opened, statuses = Opened(), set()
    opened.watching = True
    for way in TRAVERSALS:
        for _, path in caller.routes():
            for asked in (f"{path.rstrip('/')}/{way}", f"/{way}{path}"):
                statuses.add(caller.send("GET", asked.replace("\0", "%00")).status)
        for operation in OPERATIONS:
            content = {**operation.example, "model": way}
            statuses.add(caller.ask(operation.path, **content).status)
    opened.watching = False
    assert statuses <= {400, 404, 405, 422}
    assert opened.outside() == []


NUMBERS = [b"NaN", b"Infinity", b"-Infinity", b"1e999", b"true", b'"1"', b"[1]", b"-1e308", b"9" * 400, b"{}"]


def numeric() -> list[tuple[str, str]]:
    """Every field of every operation that is a number."""
    kinds = [
        (operation.path, name, str(field.schema.get("type")))
        for operation in OPERATIONS
        for name, field in operation.fields.items()
    ]
    return [(path, name) for path, name, kind in kinds if kind in ("integer", "number")]


def test_numbers_from_outside_are_sane(caller: Caller) -> None:
    assert len(numeric()) >= 12
    for path, name in numeric():
        for number in NUMBERS:
            body = b'{"%s": %s, "prompt": "a"}' if path.endswith("completions") else b'{"%s": %s, "input": "a"}'
            answer = caller.send("POST", path, body=body % (name.encode(), number))
            assert answer.status == 422, (path, name, number)


def test_minus_zero_is_zero(caller: Caller) -> None:
    answers = [
        caller.send("POST", "/v1/completions", body=b'{"model": "stream", "prompt": "the", "temperature": %s}' % zero)
        for zero in (b"0", b"0.0", b"-0.0", b"-0")
    ]
    assert {answer.status for answer in answers} == {200}
    assert len({answer.json["choices"][0]["text"] for answer in answers}) == 1


BETRAYALS = re.compile(rb"Traceback|File \"|0x[0-9a-f]{8,}|/(?:home|root|usr|tmp)/|site-packages|\.py\b")
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2**31, 2**64, 0.5, 1e300, "", "a", "the cat", "x" * 3000, "\x00", "é😀", "<b>", [],
    ["a", "b"], [1, 2], [[1], [2]], ["a", 1], {}, {"include_usage": True}, {"a": 1}, "stream", "classes", "pairs",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.timeout(1200)  # a guard against a hang
def test_5_000_requests_by_chance_betray_nothing(caller: Caller) -> None:
    draw, seen = random.Random(17), dict[int, int]()
    names = sorted({name for operation in OPERATIONS for name in operation.fields})
    for _ in range(5_000):
        operation = draw.choice(OPERATIONS)
        content = dict(operation.example) if draw.random() < 0.5 else {}
        content |= {draw.choice(names): draw.choice(VALUES) for _ in range(draw.randint(0, 4))}
        content |= {"max_tokens": 3} if "max_tokens" in operation.fields and draw.random() < 0.8 else {}
        body = bytearray(json.dumps(content).encode())
        if draw.random() < 0.2:
            body[draw.randrange(len(body))] = draw.randrange(256)
        answer = caller.send("POST", operation.path, body=bytes(body))
        seen[answer.status] = seen.get(answer.status, 0) + 1
        assert not BETRAYALS.search(answer.body), (content, answer.body)
    assert set(seen) <= {200, 404, 422}
    assert min(seen[200], seen[422]) > 200
