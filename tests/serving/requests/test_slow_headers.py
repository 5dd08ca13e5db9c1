"""Connections on which no request comes are cut, and those on which one comes are not."""

import asyncio
import json

import pytest
import uvicorn
from helpers.own_loop import awaited

from glassformer.serving.requests import slow_headers
from glassformer.serving.requests.slow_headers import PatientProtocol

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def hello(scope: object, receive: object, send: object) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})  # type: ignore[operator]
    await send({"type": "http.response.body", "body": b"hello"})  # type: ignore[operator]


async def heard(pieces: list[bytes], *, dripping: bytes = b"") -> bytes:
    """What a server says to who sends these pieces, one by one, and then drips on, until it hangs up."""
    config = uvicorn.Config(hello, http=PatientProtocol, log_level="error", lifespan="off", timeout_keep_alive=1)
    server = uvicorn.Server(config)
    config.load()
    server.lifespan = config.lifespan_class(config)
    listening = await asyncio.get_running_loop().create_server(
        lambda: PatientProtocol(config, server.server_state, {}), "127.0.0.1", 0
    )
    reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname())
    for piece in pieces:
        writer.write(piece)
        await asyncio.sleep(0.02)
    found = b""
    try:
        while piece := await _dripped(reader, writer, dripping):
            found += piece
        while dripping:  # until there is nobody at the other end
            writer.write(dripping)
            await writer.drain()
            await asyncio.sleep(0.01)
        return found
    except ConnectionError:
        return found
    finally:
        writer.close()
        listening.close()


async def _dripped(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, drop: bytes) -> bytes:
    """What comes next; until then, drop after drop is sent."""
    coming = asyncio.ensure_future(reader.read(65536))
    while drop and not (await asyncio.wait([coming], timeout=0.01))[0]:
        writer.write(drop)
        await writer.drain()
    return await coming


@pytest.mark.parametrize("pieces", [[], [b"GET / HT"], [b"GET / HTTP/1.1\r\n", b"Host: x\r\n", b"A: b\r\n"]])
def test_half_a_request_is_cut(pieces: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_headers, "SLOWEST", 0.1)
    assert awaited(heard(pieces)) == b""


def test_half_a_second_request_is_cut_after_the_answer_to_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_headers, "SLOWEST", 1.0)  # a busy machine may stop for a while before the first is sent
    assert awaited(heard([REQUEST, b"GET / HT"])).endswith(b"hello")


UNREAD = b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"


def test_the_rest_of_a_body_that_was_answered_unread_is_not_awaited_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_headers, "SLOWEST", 0.3)
    assert awaited(heard([UNREAD], dripping=b"a")).endswith(b"hello")


def test_a_body_that_comes_after_its_answer_leaves_the_connection_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_headers, "SLOWEST", 1.0)
    said = awaited(heard([UNREAD, b"a" * 1000000, REQUEST]))
    assert said.count(b"hello") == 2


@pytest.mark.parametrize(
    ("sent", "status"), [(b"GET / HTTP/1.1\r\nx: " + b"a" * 200_000, 431), (b"\x16\x03\x01 what is this?\r\n\r\n", 400)]
)
def test_what_is_no_request_is_told_so(sent: bytes, status: int) -> None:
    head, _, body = awaited(heard([sent])).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert json.loads(body)["error"]["type"] == "invalid_request_error"


def test_nonsense_after_an_answer_ends_the_connection() -> None:
    chunked = b"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert awaited(heard([chunked, b"no length\r\n"])).endswith(b"hello")


def test_who_sends_too_much_and_wants_no_more_can_read_that_it_was() -> None:
    ends = UNREAD.replace(b"Host: x", b"Host: x\r\nConnection: close")
    assert awaited(heard([ends + b"a" * 900_000])).endswith(b"hello")


def test_who_never_ends_its_body_is_cut_though_we_have_hung_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_headers, "LINGER", 0.3)
    ends = UNREAD.replace(b"Host: x", b"Host: x\r\nConnection: close")
    assert awaited(heard([ends], dripping=b"a")).endswith(b"hello")
