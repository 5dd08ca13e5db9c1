"""The limits of every request: headers, bytes and kinds."""

import asyncio
from typing import Any

import pytest
from helpers.own_loop import awaited

from glassformer.serving.requests import limits
from glassformer.serving.requests.limits import (
    Body,
    RefusedError,
    check_body,
    check_headers,
    check_host,
    own_hosts,
    refuse,
    values,
)


def refused(call: Any) -> int:
    with pytest.raises(RefusedError) as found:
        call()
    assert len(found.value.why) > 10
    return found.value.status


def test_headers_are_few_and_short() -> None:
    check_headers([(b"a", b"b")] * 64)
    assert refused(lambda: check_headers([(b"a", b"b")] * 65)) == 431
    assert refused(lambda: check_headers([(b"a", b"b" * 32_768)])) == 431


def test_one_host_is_named_and_it_is_ours() -> None:
    check_host([(b"host", b"localhost:7")], own_hosts(7), "no")
    assert refused(lambda: check_host([(b"host", b"localhost:8")], own_hosts(7), "another one.")) == 421
    assert refused(lambda: check_host([], own_hosts(7), "")) == 400
    assert refused(lambda: check_host([(b"host", b"localhost:7")] * 2, own_hosts(7), "")) == 400


def test_a_body_has_a_known_kind_and_size() -> None:
    kinds, kind = {b"application/json": 10}, (b"content-type", b"Application/JSON; charset=utf-8")
    assert check_body([kind, (b"content-length", b"10")], kinds, "") == 10
    assert refused(lambda: check_body([kind, (b"content-length", b"11")], kinds, "")) == 413
    assert refused(lambda: check_body([kind, (b"content-encoding", b"gzip")], kinds, "")) == 415
    assert refused(lambda: check_body([(b"content-type", b"text/plain")], kinds, "send it as JSON.")) == 415


def read(pieces: list[bytes], limit: int, hang: bool = False) -> bytes:
    left = list(pieces)

    async def receive() -> dict[str, Any]:
        if hang:
            await asyncio.sleep(3600)
        piece = left.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(left)}

    async def whole() -> bytes:
        body, found = Body(receive, limit), b""
        while not body.whole:
            found += (await body.receive())["body"]
        return found

    return awaited(whole())


def test_a_body_is_no_longer_than_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read([b"ab", b"cd"], 4) == b"abcd"
    assert refused(lambda: read([b"ab", b"cde"], 4)) == 413
    monkeypatch.setattr(limits, "SLOWEST", 0.01)
    assert refused(lambda: read([b""], 4, hang=True)) == 408


def test_bodies_on_their_way_are_held_up_to_a_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_UNFINISHED", 10)
    on_their_way: dict[Body, int] = {}

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"abcd", "more_body": True}

    async def last() -> dict[str, Any]:
        return {"type": "http.request", "body": b"e"}

    first, second, third = (Body(receive, 100, on_their_way) for _ in range(3))
    awaited(first.receive())
    awaited(second.receive())
    assert sum(on_their_way.values()) == 8
    assert refused(lambda: awaited(third.receive())) == 503
    third.end()
    first._receive = last
    awaited(first.receive())  # whole: it is not on its way any more
    assert on_their_way == {second: 4}
    awaited(Body(receive, 100, on_their_way).receive())
    awaited(Body(receive, 100).receive())  # one that is not held is not counted


def dripped(pieces: int, *, late: float = 0.0) -> int:
    """How many bytes come through, of pieces of one byte, each a while after the other."""
    left = iter(range(pieces - 1, -1, -1))

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0 if late else 0.01)
        return {"type": "http.request", "body": b"a", "more_body": next(left) > 0}

    async def whole() -> int:
        body, found = Body(receive, 1000), 0
        await asyncio.sleep(late)
        while not body.whole:
            found += len((await body.receive())["body"])
        return found

    return awaited(whole())


def test_who_sends_byte_after_byte_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SLOWEST", 0.05)
    assert refused(lambda: dripped(30)) == 408
    monkeypatch.setattr(limits, "SLOWEST", 30.0)
    assert dripped(3) == 3


def test_what_came_while_the_server_was_busy_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SLOWEST", 10.0)
    monkeypatch.setattr(limits.Body, "_until", 0.0)  # long past
    assert dripped(1, late=0.01) == 1
    assert refused(lambda: dripped(2, late=0.01)) == 408


def test_who_is_slow_is_hung_up_on_and_who_sends_too_much_is_told_so() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    for status in (408, 413, 503):
        awaited(refuse(send, status, b"{}"))
    headers = [each["headers"] for each in sent[::2]]
    assert [values(each, b"content-length") for each in headers] == [[b"2"]] * 3
    assert [values(each, b"connection") for each in headers] == [[b"close"], [], []]
    assert [values(each, b"retry-after") for each in headers] == [[], [], [b"1"]]
