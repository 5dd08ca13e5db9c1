"""A request and its jobs: it ends at its deadline, and when who asked leaves."""

import pytest
from helpers.server_visits import Caller
from helpers.small_runs import language_run

SLOW = {"prompt": "the cat", "max_tokens": 4096, "temperature": 0}


@pytest.fixture
def writer() -> Caller:
    return Caller({"stream": language_run()})


def test_a_deadline_ends_a_request(writer: Caller) -> None:
    body = b'{"prompt": "the cat", "max_tokens": 4096, "temperature": 0}'
    for said in ("0.05", "1e-3"):
        answer = writer.send("POST", "/v1/completions", {"x-deadline-seconds": said}, body=body)
        assert answer.status == 504
        assert "deadline" in answer.json["error"]["message"]
    for said in ("", "soon", "-1", "nan", "0", "inf"):
        assert writer.send("POST", "/v1/completions", {"x-deadline-seconds": said}, body=body).status == 422
    writer.server.close()


def test_who_leaves_is_not_worked_for(writer: Caller) -> None:
    answer = writer.send(
        "POST", "/v1/completions", body=b'{"prompt": "the cat", "max_tokens": 4096, "temperature": 0}', leave=True
    )
    assert answer.status == 499
    writer.server.close()  # ends at once, since nothing is left to be done
    slots = writer.server.roster.models["stream"].slots
    assert slots is not None
    assert slots.taken == 0
    assert slots.written < 4096


def test_a_stream_ends_when_its_reader_leaves(writer: Caller) -> None:
    body = b'{"prompt": "the cat", "max_tokens": 4096, "temperature": 0, "stream": true}'
    answer = writer.send("POST", "/v1/completions", body=body, leave=True)
    assert answer.status in (200, 499)
    assert b"[DONE]" not in answer.body
    writer.server.close()
    slots = writer.server.roster.models["stream"].slots
    assert slots is not None
    assert slots.taken == 0
