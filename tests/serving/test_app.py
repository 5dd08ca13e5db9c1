"""The doors: what stands where, how errors are told, and that nothing unforeseen comes out."""

import gc
import json
import os
import random
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from helpers.server_visits import Caller, serving
from helpers.small_runs import language_run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import glassformer
from glassformer.errors import InputError
from glassformer.serving.app import OPERATIONS, Policy, settle
from glassformer.serving.served import Capacity


def test_what_is_up_says_so(caller: Caller) -> None:
    assert caller.get("/healthz").json == {"status": "ok"}
    assert {each["id"] for each in caller.get("/v1/models").json["data"]} == {"classes", "pairs", "answers", "stream"}
    assert caller.get("/v1/models/pairs").json["abilities"] == ["translate", "trace", "why"]
    assert caller.get("/v1/models/nobody").status == 404
    assert 'glassformer_requests_total{path="/healthz",status="200"}' in caller.get("/metrics").body.decode()


def test_the_page_and_its_files_come(caller: Caller) -> None:
    page = caller.get("/")
    assert page.headers["content-type"].startswith("text/html")
    for name in ("try.js", "try.css"):
        assert name in page.body.decode()
        assert caller.get(f"/{name}").status == 200


def test_chat_is_refused_with_the_reason(caller: Caller) -> None:
    for path in ("/v1/chat/completions", "/v1/responses"):
        assert "/v1/completions" in caller.refused(path, 404, messages=[])


@pytest.mark.parametrize(
    "path",
    [
        "", "//", "/v1", "/v1/", "/v1/completions/", "/v1/../healthz", "/%2e%2e/errors.py", "/page/index.html",
        "/try.js\x00.html", "/app.py", "/\\..\\x", "/‥/x", "/etc/passwd", "/v1/models/../../x/", "/" + "a" * 5000,
    ],
)  # fmt: skip
def test_no_path_leads_anywhere_else(caller: Caller, path: str) -> None:
    for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
        assert caller.send(method, path).status in (404, 405)


@pytest.mark.parametrize("body", [b"[1]", b"1", b"{", b"\xff\xfe", b'{"a":1,"a":2}', b"[" * 200_000, b""])
def test_what_is_no_object_is_refused(caller: Caller, body: bytes) -> None:
    for operation in OPERATIONS:
        assert caller.send("POST", operation.path, body=body).status == 422


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
NAMES = sorted({name for operation in OPERATIONS for name in operation.fields})


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(path=st.sampled_from([each.path for each in OPERATIONS]), data=st.data())
def test_whatever_is_asked_the_answer_is_a_sentence(caller: Caller, path: str, data: st.DataObject) -> None:
    names = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=5)
    likely = st.fixed_dictionaries({}, optional={"model": st.sampled_from(["stream", "classes"]), "input": st.text()})
    answer = caller.ask(path, **(data.draw(names) | data.draw(likely)))
    assert answer.status in (200, 404, 422)
    said = answer.body.decode()
    assert "Traceback" not in said
    assert str(Path(glassformer.__file__).parent) not in said


def test_more_than_can_wait_is_refused_at_once() -> None:
    small = Caller({"stream": language_run()}, capacity=Capacity(slots=1, waiting=3))
    answer = small.ask("/v1/completions", prompt=["a"] * 4)
    assert (answer.status, "retry-after" in answer.headers) == (422, False)  # it would never fit: to wait is no use
    assert small.ask("/v1/completions", prompt=["a"] * 3).status == 200
    small.server.close()
    answer = small.ask("/v1/completions", prompt="a")
    assert (answer.status, answer.headers["retry-after"]) == (503, "1")


def test_a_crowd_is_answered_or_told_to_come_again() -> None:
    """A short draw of `bench/serving.py --overload 60`: nobody hangs, no connection is reset."""

    def ask(address: str) -> tuple[int, str | None]:
        there = HTTPConnection(address.removeprefix("http://"), timeout=60)
        content = json.dumps({"prompt": "the cat", "max_tokens": 5})
        there.request("POST", "/v1/completions", content, {"content-type": "application/json"})
        answer = there.getresponse()
        json.loads(answer.read())
        there.close()
        return answer.status, answer.headers["retry-after"]

    runs = {"stream": language_run()}
    with serving(runs, capacity=Capacity(slots=2, waiting=3)) as (_, address), ThreadPoolExecutor(32) as pool:
        found = list(pool.map(ask, [address] * 96))
    assert {*found} <= {(200, None), (503, "1")}
    assert (200, None) in found


def test_an_unforeseen_fault_is_not_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Caller({"stream": language_run()})
    monkeypatch.setattr(broken.server.roster.models["stream"].slots, "begin", lambda jobs: {}["/a/secret/path"])
    with pytest.raises(KeyError):  # the server logs it; who asked has a sentence by then
        broken.ask("/v1/completions", prompt="a")
    assert "secret" in capsys.readouterr().err
    broken.server.close()


def test_a_deadline_is_sane() -> None:
    for wrong in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match="deadline"):
            Policy(deadline=wrong)


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.slow
@pytest.mark.timeout(1200)  # a guard against a hang, far above the two minutes it takes
def test_memory_is_flat_over_ten_thousand_requests(caller: Caller) -> None:
    lot = random.Random(7)
    wanted: list[tuple[str, dict[str, Any]]] = [
        ("/v1/classify", {"input": "the film was not good"}),
        ("/v1/completions", {"model": "stream", "prompt": "the cat", "max_tokens": 3}),
        ("/v1/completions", {"model": "stream"}),
    ]
    sizes = []
    for _ in range(2):
        for _ in range(5000):
            path, content = lot.choice(wanted)
            json.loads(caller.ask(path, **content).body)
        sizes.append(resident())
    assert sizes[1] < 1.05 * sizes[0]


def test_what_was_loaded_is_not_gone_through_again_by_the_collector() -> None:
    gc.collect()
    before = len(gc.get_objects()) + gc.get_freeze_count()
    try:
        settle()
        assert gc.get_freeze_count() > 0.9 * before
        assert len(gc.get_objects()) < 0.1 * before
    finally:
        gc.unfreeze()
