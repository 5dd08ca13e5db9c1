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


def test_who_may_still_be_sending_is_cut_off() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    awaited(refuse(send, 413, b"{}"))
    assert (b"connection", b"close") in sent[0]["headers"]
    assert values(sent[0]["headers"], b"content-length") == [b"2"]
