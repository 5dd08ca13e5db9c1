"""The gate: closed to other machines without the token, deaf to other names and to pages of other sites."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.own_loop import awaited
from helpers.server_visits import HOST, PORT, Caller, small_models

import glassformer
from glassformer.serving.requests import gate, limits
from glassformer.serving.requests.gate import Site
from glassformer.serving.requests.limits import HEADERS, LARGEST_JSON, error_body

TOKEN = "k" * 43
CLASSIFY = "/v1/classify"


@pytest.fixture(scope="module")
def abroad(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """A server that other machines can reach."""
    runs = small_models(tmp_path_factory.mktemp("runs"))
    found = Caller({"classes": runs["classes"]}, token=TOKEN, host="0.0.0.0")
    yield found
    found.server.close()


def test_every_door_is_shut_without_the_token(abroad: Caller) -> None:
    assert len(abroad.routes()) >= 14
    for method, path in abroad.routes():
        for word in ("", "Bearer", "Bearer x", f"Bearer {TOKEN}x", f"Basic {TOKEN}", f"Bearer {TOKEN[:-1]}"):
            headers = [("host", "example.org"), ("content-type", "application/json"), ("authorization", word)]
            answer = abroad.send(method, path, headers)
            assert answer.status == 401, (method, path, word)
            assert "TOKEN" in answer.json["error"]["message"]
            assert ("www-authenticate", "Bearer") in answer.headers.items()


def test_every_word_is_compared_in_constant_time(abroad: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[bytes] = []

    def noted(word: bytes, token: bytes) -> bool:
        compared.append(word)
        return word == token

    monkeypatch.setattr(gate.hmac, "compare_digest", noted)
    named = [("host", "a"), ("authorization", "Bearer one"), ("authorization", f"Bearer {TOKEN}")]
    assert abroad.send("GET", "/two/healthz", named[:2]).status == 401
    assert abroad.send("GET", "/healthz", named).status == 200
    assert compared == [b"one", b"two", b"one", TOKEN.encode()]


def test_a_name_that_looks_like_a_path_opens_nothing(abroad: Caller) -> None:
    """What is meant is read from the path that came, never put together with a name that anybody may write."""
    for name in ("a/healthz?", "a/healthz#", "a\\healthz", f"{TOKEN}/", "a@b", ""):
        for _, path in abroad.routes():
            assert abroad.send("GET", path, [("host", name)]).status == 401
    for file in (Path(glassformer.__file__).parent / "serving").rglob("*.py"):
        assert ".url" not in file.read_text(encoding="utf-8"), file


def test_nothing_but_http_comes_in(caller: Caller, abroad: Caller) -> None:
    """A page of any site may open a web socket to anywhere; here there is none."""
    for each in (caller, abroad):
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "websocket.connect"}

        async def send(message: Any, to: list[Any] = sent) -> None:
            to.append(message)

        asked = {"type": "websocket", "path": "/v1/completions", "headers": [(b"host", HOST.encode())]}
        awaited(each.app(asked, receive, send))
        assert sent == [{"type": "websocket.close", "code": 1008}]


def test_with_the_token_every_door_opens(abroad: Caller) -> None:
    for method, path in abroad.routes():
        assert abroad.send(method, path, body=b"{}").status in (200, 404, 422), path


def test_the_word_before_the_token_may_be_written_large_or_small(abroad: Caller) -> None:
    for scheme in ("Bearer", "bearer", "BEARER"):
        headers = [("host", "example.org"), ("authorization", f"{scheme} {TOKEN}")]
        assert abroad.send("GET", "/v1/models", headers).status == 200


def test_the_token_may_stand_before_the_path_of_a_page_but_not_of_work(abroad: Caller) -> None:
    bare = [("host", "example.org"), ("content-type", "application/json")]
    assert abroad.send("GET", f"/{TOKEN}/", bare).status == 200
    assert abroad.send("GET", f"/{TOKEN}/try.js", bare).status == 200
    assert abroad.send("GET", f"/{TOKEN}x/", bare).status == 401
    assert abroad.send("POST", f"/{TOKEN}{CLASSIFY}", bare, body=b'{"input": "a"}').status == 401


WRONG_HOSTS = [
    "", "127.0.0.1", "localhost", f":{PORT}", "127.0.0.1:", f"127.0.0.1:{PORT + 1}", f"localhost.evil.com:{PORT}",
    f"evil.com:{PORT}", f"127.0.0.1.:{PORT}", f"localhost.:{PORT}", f"LOCALHOST:{PORT}", f"user@127.0.0.1:{PORT}",
    f"127.0.0.1:{PORT}@evil.com", f"127.0.0.1:{PORT}/health?", f"127.0.0.1:0{PORT}", f"2130706433:{PORT}",
    f"0x7f.1:{PORT}", f"127.1:{PORT}", f"0.0.0.0:{PORT}", f"[::]:{PORT}", f"[::ffff:127.0.0.1]:{PORT}",
]  # fmt: skip


def test_on_this_machine_only_its_own_three_names_are_answered(caller: Caller) -> None:
    for host in WRONG_HOSTS:
        assert caller.send("GET", "/healthz", [("host", host)]).status == 421, host
    for host in (HOST, f"localhost:{PORT}", f"[::1]:{PORT}"):
        assert caller.send("GET", "/healthz", [("host", host)]).status == 200
    assert caller.send("GET", "/healthz", [("host", HOST), ("host", HOST)]).status == 400
    assert caller.send("GET", "/healthz", []).status == 400


ORIGINS = ["null", "", f"http://localhost.evil.com:{PORT}", f"http://{HOST}.evil.com", f"http://{HOST}/", "http://a"]
KINDS = ["application/json", "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", ""]


@pytest.mark.parametrize(("origin", "kind"), list(itertools.product(ORIGINS, KINDS)))
def test_another_page_can_neither_ask_nor_read(caller: Caller, origin: str, kind: str) -> None:
    answer = caller.send("POST", CLASSIFY, {"origin": origin, "content-type": kind}, body=b'{"input": "a"}')
    assert answer.status == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_page_of_our_own_and_a_program_can(caller: Caller, abroad: Caller) -> None:
    assert caller.send("POST", CLASSIFY, {"origin": f"http://{HOST}"}, body=b'{"input": "a"}').status == 200
    assert caller.send("POST", CLASSIFY, body=b'{"input": "a"}').status == 200
    proxied = {"host": "models.example.org", "origin": "https://models.example.org"}
    assert abroad.send("POST", CLASSIFY, proxied, body=b'{"input": "a"}').status == 200
    assert abroad.send("POST", CLASSIFY, {**proxied, "origin": "https://evil.org"}, body=b"{}").status == 403


def test_a_preflight_is_not_answered_with_leave(caller: Caller) -> None:
    asking = {"origin": "http://a", "access-control-request-method": "POST"}
    answer = caller.send("OPTIONS", CLASSIFY, asking)
    assert answer.status == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_request_is_bounded(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    assert caller.send("POST", CLASSIFY, {"content-length": str(LARGEST_JSON + 1)}).status == 413
    assert caller.send("POST", CLASSIFY, {"content-length": "-1"}).status == 413
    piece = b" " * (LARGEST_JSON // 2)
    assert caller.send("POST", CLASSIFY, pieces=[piece, piece, b"  "]).status == 413
    assert caller.send("POST", CLASSIFY, pieces=[piece, b'{"input": "a"}']).status == 200
    assert caller.send("POST", CLASSIFY, {f"x-{i}": "y" for i in range(63)}).status == 431
    assert caller.send("POST", CLASSIFY, {"x": "y" * 33_000}).status == 431
    assert caller.send("POST", CLASSIFY, {"content-encoding": "gzip"}).status == 415
    monkeypatch.setattr(limits, "SLOWEST", 0.01)
    assert caller.send("POST", CLASSIFY, hang=True).status == 408


def test_every_answer_carries_the_policy(caller: Caller) -> None:
    answers = [caller.get("/"), caller.get("/nothing"), caller.ask(CLASSIFY, input="a"), caller.ask(CLASSIFY)]
    assert [answer.status for answer in answers] == [200, 404, 200, 422]
    for answer in answers:
        assert {name: answer.headers.get(name) for name in HEADERS} == dict(HEADERS)


def test_an_address_is_written_as_a_client_needs_it() -> None:
    assert Site("127.0.0.1", 80).address == "http://127.0.0.1:80"
    assert Site("::1", 80).address == "http://[::1]:80"
    assert not Site("0.0.0.0", 80).at_home
    assert error_body(401, "why")["error"]["type"] == "authentication_error"


def test_behind_a_proxy_a_token_opens_under_any_name(tmp_path: Path) -> None:
    run = small_models(tmp_path)["classes"]
    proxied = Caller({"classes": run}, token=TOKEN)
    named = {"host": "models.example.org"}
    assert proxied.send("GET", "/healthz", named).status == 200
    assert proxied.send("GET", "/healthz", [("host", "models.example.org")]).status == 401
    assert proxied.send("POST", CLASSIFY, {**named, "origin": "http://a"}, body=b'{"input": "a"}').status == 403
    proxied.server.close()
