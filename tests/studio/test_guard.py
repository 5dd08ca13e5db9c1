"""The studio's guard: closed by default, deaf to other pages, bounded; nothing it says betrays the machine."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.studio_visits import HOST, ORIGIN, PORT, TOKEN, Visitor
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glassformer.serving.requests import limits
from glassformer.serving.requests.limits import HEADERS, LARGEST_JSON, new_token
from glassformer.studio import guard
from glassformer.studio.guard import LARGEST_UPLOAD, Door


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    found = Visitor(tmp_path_factory.mktemp("runs"))
    yield found
    found.studio.close()


# --- the token ----------------------------------------------------------------------------------------------------


def test_a_token_is_long_and_never_the_same() -> None:
    assert len({new_token() for _ in range(50)}) == 50
    assert min(len(new_token()) for _ in range(50)) == 43  # 32 bytes


def test_every_door_is_shut_without_the_token(visitor: Visitor) -> None:
    routes = visitor.routes()
    assert len(routes) > 20
    for method, path in routes:
        for wrong in ("", "/" + "x" * 43, "/" + TOKEN[:-1], "/" + TOKEN + "k", "/" + TOKEN.upper(), "/%6b" + TOKEN[1:]):
            answer = visitor.send(method, wrong + path)
            assert answer.status == 401, (method, wrong, path)
            assert "error" in answer.json


def test_what_changes_something_needs_the_token_a_second_time(visitor: Visitor) -> None:
    for method, path in visitor.routes():
        if method == "POST":
            for word in ("", "Bearer", "Bearer x", f"Bearer {TOKEN}x", f"Basic {TOKEN}"):
                assert visitor.send(method, f"/{TOKEN}{path}", {"authorization": word}).status == 401


def test_with_the_token_the_page_and_all_its_files_come(visitor: Visitor) -> None:
    for method, path in visitor.routes():
        if method == "GET":
            assert visitor.send("GET", f"/{TOKEN}{path}", [("host", HOST)]).status == 200


@pytest.mark.parametrize(
    "path",
    [
        "", "/", "//", f"//{TOKEN}/", f"/{TOKEN}", f"/./{TOKEN}/", f"/{TOKEN}/../{TOKEN}/", f"/{TOKEN}/..",
        f"/{TOKEN}//",
        f"/{TOKEN}/../../etc/passwd", f"/{TOKEN}/view/../../errors.py", f"/{TOKEN}/%2e%2e/errors.py",
        f"/{TOKEN}/\\..\\x",
        f"/{TOKEN}/view/", f"/{TOKEN}/studio.js/", f"/{TOKEN}/studio.js\x00.html", f"/{TOKEN}/static/studio.js",
        f"/{TOKEN}/app.py", f"/{TOKEN}/view/data.py", f"/{TOKEN}/do/", f"/{TOKEN}/do/by-hand", f"/{TOKEN}/{'a' * 5000}",
        f"/{TOKEN}/‥/x", f"/{TOKEN}/do/by-hand/start/",
    ],
)  # fmt: skip
def test_no_path_leads_anywhere_else(visitor: Visitor, path: str) -> None:
    for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
        assert visitor.send(method, path).status in (401, 404, 405)


# --- hosts and origins --------------------------------------------------------------------------------------------

WRONG_HOSTS = [
    "", "127.0.0.1", "localhost", f":{PORT}", "127.0.0.1:", f"127.0.0.1:{PORT + 1}", f"localhost.evil.com:{PORT}",
    f"evil.com:{PORT}", f"127.0.0.1.:{PORT}", f"localhost.:{PORT}", f"LOCALHOST:{PORT}", f"user@127.0.0.1:{PORT}",
    f"127.0.0.1:{PORT}@evil.com", f"127.0.0.1:{PORT}/health?", f"127.0.0.1:0{PORT}", f"2130706433:{PORT}",
    f"0x7f.1:{PORT}", f"127.1:{PORT}", f"0.0.0.0:{PORT}", f"[::]:{PORT}", f"[::ffff:127.0.0.1]:{PORT}", f"::1:{PORT}",
    f" 127.0.0.1:{PORT}", f"127.0.0.1:{PORT} ", f"127.0.0.1:{PORT},evil.com",
]  # fmt: skip


@pytest.mark.parametrize("host", WRONG_HOSTS)
def test_only_three_names_of_this_machine_are_answered(visitor: Visitor, host: str) -> None:
    assert visitor.send("GET", f"/{TOKEN}/", [("host", host)]).status == 421


def test_the_three_names_are(visitor: Visitor) -> None:
    for host in (HOST, f"localhost:{PORT}", f"[::1]:{PORT}"):
        assert visitor.send("GET", f"/{TOKEN}/", [("host", host)]).status == 200
    assert visitor.send("GET", f"/{TOKEN}/", [("host", HOST), ("host", HOST)]).status == 400
    assert visitor.send("GET", f"/{TOKEN}/", []).status == 400


WRONG_ORIGINS = [
    None, "null", "", f"https://{HOST}", "http://127.0.0.1", f"http://localhost.evil.com:{PORT}", f"{ORIGIN}.evil.com",
    f"{ORIGIN}/", f"http://evil.com#{ORIGIN}", f"http://127.0.0.1:{PORT + 1}",
]  # fmt: skip
KINDS = ["application/json", "text/plain", "multipart/form-data; boundary=x"]


@pytest.mark.parametrize(("origin", "kind"), list(itertools.product(WRONG_ORIGINS, KINDS)))
def test_another_page_can_do_nothing(visitor: Visitor, origin: str | None, kind: str) -> None:
    headers = [("host", HOST), ("authorization", f"Bearer {TOKEN}"), ("content-type", kind)]
    headers += [] if origin is None else [("origin", origin)]
    answer = visitor.send("POST", f"/{TOKEN}/do/by-hand/start", headers)
    assert answer.status == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_form_of_our_own_page_would_not_pass_either(visitor: Visitor) -> None:
    for kind in ("", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx"):
        assert visitor.send("POST", f"/{TOKEN}/do/by-hand/start", {"content-type": kind}).status == 415
    assert (
        visitor.send("POST", f"/{TOKEN}/do/by-hand/start", {"content-type": "application/json; charset=utf-8"}).status
        == 200
    )


def test_every_answer_carries_the_policy(visitor: Visitor) -> None:
    answers = [
        visitor.send("GET", f"/{TOKEN}/"), visitor.send("GET", "/"), visitor.ask("by-hand/start"),
        visitor.ask("by-hand/example", {"name": 1}), visitor.send("GET", f"/{TOKEN}/nothing"),
    ]  # fmt: skip
    for answer in answers:
        assert {name: answer.headers.get(name) for name in HEADERS} == dict(HEADERS)
        assert "access-control-allow-origin" not in answer.headers
        assert "set-cookie" not in answer.headers
    policy = HEADERS["content-security-policy"]
    assert "unsafe" not in policy
    assert "http" not in policy


# --- limits -------------------------------------------------------------------------------------------------------


def test_a_request_is_bounded(visitor: Visitor) -> None:
    path = f"/{TOKEN}/do/by-hand/start"
    assert visitor.send("POST", path, {"content-length": str(LARGEST_JSON + 1)}).status == 413
    assert visitor.send("POST", path, {"content-length": "many"}).status == 413
    assert visitor.send("POST", path, {"content-length": "-1"}).status == 413
    piece = b" " * (LARGEST_JSON // 2)
    assert visitor.send("POST", path, pieces=[piece, piece, b"  "]).status == 413
    assert visitor.send("POST", path, pieces=[piece, b"{}"]).status == 200
    assert visitor.send("POST", path, {f"x-{i}": "y" for i in range(61)}).status == 431
    assert visitor.send("POST", path, {"x": "y" * 33_000}).status == 431
    assert visitor.send("POST", path, {"content-encoding": "gzip"}).status == 415
    large = {"content-type": "application/octet-stream", "content-length": str(LARGEST_UPLOAD + 1)}
    assert visitor.send("POST", f"/{TOKEN}/do/train/upload", large, query="name=a.csv").status == 413


def test_who_sends_nothing_is_not_waited_for(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SLOWEST", 0.01)
    assert visitor.send("POST", f"/{TOKEN}/do/by-hand/start", hang=True).status == 408


@pytest.mark.parametrize(
    "body",
    [
        b'{"seed": NaN}', b'{"seed": Infinity}', b'{"seed": -Infinity}', b'{"seed": 1e999}', b'{"seed": true}',
        b'{"seed": "1"}', b'{"seed": -1}', b'{"seed": 1.5}', b'{"seed": null}', b'{"seed": 1e400}', b'{"seed": [1]}',
        b'{"seed": 99999999999999999999999999}', b'{"seed": 1, "seed": 2}', b"[1]", b"1", b"{", b"\xff\xfe",
        b'{"a": ' + b"[" * 50 + b"]" * 50 + b"}",
        b"[" * 200_000,
    ],
)  # fmt: skip
def test_numbers_from_outside_are_sane(visitor: Visitor, body: bytes) -> None:
    answer = visitor.send("POST", f"/{TOKEN}/do/by-hand/exercise", body=body)
    assert answer.status == 422
    assert len(answer.json["error"]) > 15


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    ["sheet", "name", "stage", "index", "text", "model", "target", "changes", "address", "head", "seed", "kind", "race"]
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])  # nothing here measures the clock
@given(name=st.data(), content=st.dictionaries(FIELDS, JSON_VALUES, max_size=5))
def test_whatever_is_asked_the_answer_is_a_sentence(visitor: Visitor, name: Any, content: dict[str, Any]) -> None:
    actions = [each for each in visitor.studio.actions if each != "train/begin"]
    answer = visitor.ask(name.draw(st.sampled_from(actions)), content)
    assert answer.status in (200, 409, 422)
    said = answer.body.decode()
    assert "Traceback" not in said
    assert str(Path(guard.__file__).parent) not in said
    json.loads(said)


def test_an_unforeseen_fault_is_not_told_to_the_page(
    visitor: Visitor, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    broken = Visitor(tmp_path)
    broken.studio.actions["by-hand/start"] = lambda content: {}[str(tmp_path)]  # type: ignore[index]
    broken.app = broken.studio.app()
    with pytest.raises(KeyError):  # the server logs it; the page has its sentence by then
        broken.ask("by-hand/start")
    assert "Traceback" in capsys.readouterr().err


def test_too_much_at_once_is_refused(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitor.studio.desk, "taken", 1000)
    answer = visitor.ask("by-hand/start")
    assert answer.status == 503
    assert answer.headers["retry-after"] == "1"


def test_the_address_holds_the_token() -> None:
    assert Door(7, "abc").address == "http://127.0.0.1:7/abc/"
