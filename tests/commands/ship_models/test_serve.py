"""`glassformer serve`: what it refuses before anything is opened, and that it ends well."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from helpers.small_runs import small_run

from glassformer.commands.ship_models import serve as command
from glassformer.commands.ship_models.serve import listen, serve
from glassformer.errors import InputError


@pytest.mark.parametrize("port", [-1, 65536])
def test_there_is_no_such_port(port: int) -> None:
    with pytest.raises(InputError, match=f"There is no port {port}"):
        listen("127.0.0.1", port)


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(InputError, match=f"127.0.0.1:{port} cannot be used"):
            listen("127.0.0.1", port)


def test_what_cannot_be_is_refused_before_a_model_is_loaded() -> None:
    for wrong, said in (
        ({"threads": 0}, "`--threads`"), ({"slots": 0}, "slots"), ({"deadline": -1.0}, "deadline"),
        ({"token": "short"}, "at least 16"), ({"token": "with blanks in between"}, "no blanks"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=said):
            serve("nothing", **wrong)  # type: ignore[arg-type]


def test_a_token_is_needed_where_others_can_ask(capsys: pytest.CaptureFixture[str]) -> None:
    assert command._token("", "127.0.0.1") == ""
    made = command._token("", "0.0.0.0")
    assert len(made) == 43
    assert made in capsys.readouterr().err
    assert command._token("0123456789abcdef", "0.0.0.0") == "0123456789abcdef"


def test_a_token_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_TOKEN", "fedcba9876543210")
    assert command._token("", "127.0.0.1") == "fedcba9876543210"


def asked(address: str, path: str, content: dict[str, Any]) -> Any:
    request = urllib.request.Request(
        f"{address}{path}", json.dumps(content).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=250) as answer:
        return json.load(answer)


def test_it_serves_and_a_signal_lets_it_finish_what_it_was_asked(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "numbers", "answers").path
    words = [sys.executable, "-m", "glassformer", "serve", str(folder), "--port", "0"]
    place = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=place) as process:
        assert process.stderr is not None
        try:
            said = [process.stderr.readline(), process.stderr.readline()]
            assert said[0] == "numbers: completions, trace, why, by onnx\n"
            address = said[1].split()[2].removesuffix("/v1")
            whole = asked(address, "/v1/completions", {"prompt": "3 1 2", "max_tokens": 40})
            body = json.dumps({"prompt": "3 1 2", "max_tokens": 40, "stream": True}).encode()
            request = urllib.request.Request(f"{address}/v1/completions", body, {"content-type": "application/json"})
            with urllib.request.urlopen(request, timeout=250) as answer:
                assert (
                    Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text() == ""
                )  # nobody is left behind
                process.send_signal(signal.SIGTERM)
                lines = [line for line in answer.read().decode().split("\n\n") if line]
            assert lines[-1] == "data: [DONE]"
            parts = [json.loads(line[6:])["choices"][0]["text"] for line in lines[:-1]]
            assert "".join(parts) == whole["choices"][0]["text"]
            assert process.wait(250) == 0
        finally:
            process.kill()
