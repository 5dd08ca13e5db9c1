"""Connections on which no request comes are cut, and those on which one comes are not."""

import asyncio

import pytest
import uvicorn
from helpers.own_loop import awaited

from glassformer.serving.requests import slow_headers
from glassformer.serving.requests.slow_headers import PatientProtocol

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def hello(scope: object, receive: object, send: object) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})  # type: ignore[operator]
    await send({"type": "http.response.body", "body": b"hello"})  # type: ignore[operator]


async def heard(pieces: list[bytes]) -> bytes:
    """What a server says to who sends these pieces, one by one, until it hangs up."""
    config = uvicorn.Config(hello, http=PatientProtocol, log_level="error", lifespan="off", timeout_keep_alive=60)
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
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()
        listening.close()


@pytest.mark.parametrize("pieces", [[], [b"GET / HT"], [b"GET / HTTP/1.1\r\n", b"Host: x\r\n", b"A: b\r\n"]])
def test_half_a_request_is_cut(pieces: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_headers, "SLOWEST", 0.1)
    assert awaited(heard(pieces)) == b""


def test_half_a_second_request_is_cut_after_the_answer_to_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_headers, "SLOWEST", 1.0)  # a busy machine may stop for a while before the first is sent
    assert awaited(heard([REQUEST, b"GET / HT"])).endswith(b"hello")
