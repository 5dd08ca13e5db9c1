"""`/v1/completions`: what a model writes, in OpenAI's shape, whole or bit by bit."""

import asyncio
import json
import socket
import struct
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openai
import pytest
import torch
from helpers.server_visits import Caller, events, serving, small_models

from glassformer.runs.run import Run
from glassformer.serving.served import Capacity

PATH = "/v1/completions"


def written(run: Run, prompt: str, longest: int, **how: Any) -> str:
    return "".join(run.stream(prompt, longest=longest, **{"temperature": 0.0, **how}))


def run_of(caller: Caller, name: str) -> Run:
    return caller.server.roster.models[name].run


def test_a_text_goes_on_as_predict_writes_it(caller: Caller) -> None:
    found = caller.told(PATH, model="stream", prompt="the cat", max_tokens=9, temperature=0)
    assert found["choices"] == [
        {"index": 0, "text": written(run_of(caller, "stream"), "the cat", 9), "logprobs": None,
         "finish_reason": "length"}
    ]  # fmt: skip
    assert found["usage"] == {"prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16}
    assert (found["object"], found["model"]) == ("text_completion", "stream")


def test_what_is_not_read_is_not_counted_and_is_told(caller: Caller) -> None:
    asked = {"model": "stream", "prompt": ["the cat " * 50, "sat", "ÖÖÖ"], "max_tokens": 2, "temperature": 0}
    found = caller.told(PATH, **asked)
    assert found["usage"]["prompt_tokens"] == 23 + 3 + 3
    assert found["warnings"] == [
        "Text 1 has 400 tokens; only the last 23 are read.",
        "No word of text 3 is known to this model: its answer is a guess.",
    ]
    assert run_of(caller, "stream").warnings(["the cat " * 50]) == found["warnings"][:1]  # predict says it too
    assert caller.told(PATH, **{**asked, "prompt": ""})["warnings"] == []
    told = events(caller.ask(PATH, **asked, stream=True).body)
    assert [each["warnings"] for each in told if "warnings" in each] == [found["warnings"]]


def test_an_answer_is_what_predict_answers(caller: Caller) -> None:
    run = run_of(caller, "answers")
    found = caller.told(PATH, model="answers", prompt=["3 1 2", "2 1"])
    assert [each["text"] for each in found["choices"]] == [each.said for each in run.predict(["3 1 2", "2 1"])]


def test_a_seed_writes_the_same_and_each_choice_has_its_own(caller: Caller) -> None:
    asked = {"model": "stream", "prompt": ["the", "a"], "max_tokens": 9, "temperature": 1.0, "n": 3, "seed": 5}
    found = [each["text"] for each in caller.told(PATH, **asked)["choices"]]
    run = run_of(caller, "stream")
    seeds = [("the", 5), ("the", 6), ("the", 7), ("a", 8), ("a", 9), ("a", 10)]
    assert found == [written(run, prompt, 9, temperature=1.0, seed=seed) for prompt, seed in seeds]
    assert found == [each["text"] for each in caller.told(PATH, **asked)["choices"]]
    asked.pop("seed")
    assert len({caller.told(PATH, **asked)["choices"][0]["text"] for _ in range(5)}) > 1


def test_a_stream_tells_the_same_bit_by_bit(caller: Caller) -> None:
    asked = {"model": "stream", "prompt": ["the cat", "a"], "max_tokens": 9, "temperature": 0, "echo": True}
    whole = [each["text"] for each in caller.told(PATH, **asked)["choices"]]
    answer = caller.ask(PATH, **asked, stream=True, stream_options={"include_usage": True})
    assert answer.headers["content-type"].startswith("text/event-stream")
    *parts, usage, last = events(answer.body)
    assert last == "[DONE]"
    assert usage["usage"]["completion_tokens"] == 18
    joined = ["", ""]
    for part in parts:
        joined[part["choices"][0]["index"]] += part["choices"][0]["text"]
    assert joined == whole
    assert whole[0].startswith("the cat")
    assert sum(part["choices"][0]["finish_reason"] == "length" for part in parts) == 2


def test_logprobs_stand_beside_each_token(caller: Caller) -> None:
    found = caller.told(PATH, model="stream", prompt="the cat", max_tokens=4, temperature=0, logprobs=2)
    (choice,) = found["choices"]
    told = choice["logprobs"]
    assert "".join(told["tokens"]) == choice["text"]
    assert told["text_offset"] == [0, 1, 2, 3]
    for value, likely in zip(told["token_logprobs"], told["top_logprobs"], strict=True):
        assert len(likely) == 2
        assert value == max(likely.values()) < 0


@pytest.mark.parametrize("stream", [False, True])
def test_with_echo_the_prompt_has_its_logprobs_too(caller: Caller, stream: bool) -> None:
    asked = {"model": "stream", "prompt": "the cat", "max_tokens": 3, "temperature": 0, "logprobs": 2, "echo": True}
    if stream:
        parts = [each["choices"][0] for each in events(caller.ask(PATH, **asked, stream=True).body)[:-1]]
        told = {name: [one for part in parts for one in part["logprobs"][name]] for name in parts[0]["logprobs"]}
        text = "".join(part["text"] for part in parts)
    else:
        (choice,) = caller.told(PATH, **asked)["choices"]
        told, text = choice["logprobs"], choice["text"]
    run = run_of(caller, "stream")
    ids = torch.tensor([run.tokens.encode(text).ids])
    with torch.inference_mode():
        expected = run.model(ids)[0].log_softmax(-1)
    assert "".join(told["tokens"]) == text
    assert told["text_offset"] == list(range(10))
    assert told["token_logprobs"][0] is told["top_logprobs"][0] is None
    own = expected[:-1].gather(1, ids[0, 1:, None])[:, 0]
    assert told["token_logprobs"][1:] == pytest.approx(own.tolist(), abs=1e-5)
    assert [max(each.values()) for each in told["top_logprobs"][1:]] == pytest.approx(
        expected[:-1].amax(-1).tolist(), abs=1e-5
    )


@pytest.mark.parametrize("prompt", ["the ☃ cat", "☃", "the cat ☃☃"])
def test_the_offsets_of_a_prompt_are_its_own_where_a_sign_of_it_is_unknown(caller: Caller, prompt: str) -> None:
    """An unknown sign is one character of the prompt; the name of the token that stands for it has five."""
    asked = {"model": "stream", "max_tokens": 3, "temperature": 0, "logprobs": 1, "echo": True}
    (choice,) = caller.told(PATH, **asked, prompt=prompt)["choices"]
    offsets = choice["logprobs"]["text_offset"]
    assert offsets[: len(prompt) + 1] == list(range(len(prompt) + 1))
    assert choice["text"].startswith(prompt)
    ids = run_of(caller, "stream").tokens.encode(prompt).ids
    (choice,) = caller.told(PATH, **asked, prompt=ids)["choices"]  # of ids it is what they say that is put before
    told = choice["logprobs"]
    placed = zip(told["text_offset"], told["tokens"], strict=True)
    assert all(choice["text"][begin:].startswith(name) for begin, name in placed)


@pytest.mark.parametrize("stream", [False, True])
def test_a_prompt_can_be_read_and_nothing_written(caller: Caller, stream: bool) -> None:
    asked = {"model": "stream", "prompt": ["the cat", "a"], "temperature": 0, "logprobs": 1, "echo": True}
    more = caller.told(PATH, **asked, max_tokens=3)["choices"]
    if stream:
        parts = [each["choices"][0] for each in events(caller.ask(PATH, **asked, max_tokens=0, stream=True).body)[:-1]]
        choices = sorted(parts, key=lambda part: part["index"])
    else:
        found = caller.told(PATH, **asked, max_tokens=0)
        assert (found["usage"]["prompt_tokens"], found["usage"]["completion_tokens"]) == (8, 0)
        choices = found["choices"]
    assert [each["text"] for each in choices] == asked["prompt"]
    assert {each["finish_reason"] for each in choices} == {"length"}
    for one, longer in zip(choices, more, strict=True):
        for name, values in one["logprobs"].items():
            assert values == longer["logprobs"][name][: len(one["text"])]
    (choice,) = caller.told(PATH, model="stream", prompt="the", max_tokens=0)["choices"]
    assert (choice["text"], choice["logprobs"], choice["finish_reason"]) == ("", None, "length")


def test_a_prompt_of_which_not_all_can_be_seen_has_no_logprobs(caller: Caller) -> None:
    asked = {"model": "stream", "prompt": "the cat " * 40, "max_tokens": 2, "temperature": 0, "logprobs": 0}
    assert "looks back on" in caller.refused(PATH, **asked, echo=True)
    assert len(caller.told(PATH, **asked)["choices"][0]["logprobs"]["tokens"]) == 2


def test_a_prompt_may_be_given_by_the_ids_of_its_tokens(caller: Caller) -> None:
    asked = {"model": "stream", "max_tokens": 9, "temperature": 0, "echo": True}
    tokens = run_of(caller, "stream").tokens
    several = ["the cat", "a"]
    ids = [tokens.encode(text).ids for text in several]

    def texts(prompt: Any) -> list[str]:
        return [each["text"] for each in caller.told(PATH, **asked, prompt=prompt)["choices"]]

    assert texts(ids) == texts(several)
    assert texts(ids[0]) == texts(several[0])
    strange = len(tokens)
    assert f"the ids of 'stream' go from 0 to {strange - 1}" in caller.refused(PATH, **asked, prompt=[1, strange])


def test_the_best_of_as_many_as_are_asked_for_are_all(caller: Caller) -> None:
    asked = {"model": "stream", "prompt": "the", "max_tokens": 5, "temperature": 1, "seed": 3, "n": 2}
    assert caller.told(PATH, **asked, best_of=2)["choices"] == caller.told(PATH, **asked)["choices"]
    assert "'best_of' must be 1, or `n` (2); it is 3" in caller.refused(PATH, **asked, best_of=3)


def test_a_stop_string_ends_it(caller: Caller) -> None:
    text = written(run_of(caller, "stream"), "the cat", 12)
    found = caller.told(PATH, model="stream", prompt="the cat", max_tokens=12, temperature=0, stop=text[4:6])
    assert found["choices"][0]["text"] == text[: text.find(text[4:6])]
    assert found["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "'prompt' must be"),
        ({"prompt": "a", "max_tokens": -1}, "'max_tokens' must be a whole number from 0 to 4,096; it is -1"),
        ({"prompt": "a", "temperature": -1}, "'temperature'"),
        ({"prompt": "a", "top_p": 2}, "'top_p'"),
        ({"prompt": "a", "presence_penalty": 1}, "'presence_penalty' must be 0, or left out"),
        ({"prompt": "a", "messages": []}, "no field called 'messages'"),
        ({"prompt": ["a"] * 9, "n": 4}, "at most 32 are written for one request"),
        ({"prompt": "a", "seed": 2**63}, "'seed'"),
        ({"prompt": 7}, "'prompt' must be"),
        ({"prompt": [1, -1]}, "'prompt' must be"),
        ({"prompt": [[1], []]}, "'prompt' must be"),
        ({"prompt": [[1], "a"]}, "or the ids of their tokens; it is"),
    ],
)
def test_what_cannot_be_written_is_told_in_words(caller: Caller, asked: dict[str, Any], said: str) -> None:
    assert said in caller.refused(PATH, **asked, model="stream")


def test_a_prompt_that_is_too_long_for_an_answer_is_refused_by_the_status(caller: Caller) -> None:
    for stream in (False, True):
        assert "looks back on" in caller.refused(PATH, model="answers", prompt="1 " * 200, stream=stream)


def test_a_model_that_cannot_write_says_what_it_can(caller: Caller) -> None:
    assert "It can do: classify" in caller.refused(PATH, 404, model="classes", prompt="a")
    assert "Name the model" in caller.refused(PATH, 404, prompt="a")
    assert "did you mean 'stream'" in caller.refused(PATH, 404, model="straem", prompt="a")


def test_openai_s_own_client_works(tmp_path: Path) -> None:
    runs = small_models(tmp_path)
    with serving(runs) as (_, address), openai.OpenAI(base_url=f"{address}/v1", api_key="none") as client:
        assert {each.id for each in client.models.list()} == {*runs}
        assert client.models.retrieve("stream").id == "stream"
        whole = client.completions.create(model="stream", prompt="the cat", max_tokens=9, temperature=0)
        assert whole.choices[0].text == written(runs["stream"], "the cat", 9)
        assert whole.usage is not None
        assert whole.usage.completion_tokens == 9
        parts = client.completions.create(model="stream", prompt="the cat", max_tokens=9, temperature=0, stream=True)
        assert "".join(part.choices[0].text for part in parts) == whole.choices[0].text
        vectors = client.embeddings.create(model="classes", input=["not good", "good"])
        assert len(vectors.data[1].embedding) == runs["classes"].card.settings.width
        with pytest.raises(openai.NotFoundError, match="have not learnt to chat"):
            client.chat.completions.create(model="stream", messages=[{"role": "user", "content": "hello"}])
        with pytest.raises(openai.UnprocessableEntityError, match="max_tokens"):
            client.completions.create(model="stream", prompt="a", max_tokens=-1)


def test_many_at_once_are_each_what_they_would_be_alone(tmp_path: Path) -> None:
    runs = small_models(tmp_path)
    prompts = ["the cat sat on the mat"[: 1 + i % 13] for i in range(40)]

    def ask(prompt: str, address: str) -> str:
        content = json.dumps({"model": "stream", "prompt": prompt, "max_tokens": 20, "temperature": 0}).encode()
        request = urllib.request.Request(f"{address}{PATH}", content, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return str(json.load(answer)["choices"][0]["text"])

    with serving(runs) as (server, address), ThreadPoolExecutor(40) as pool:
        found = list(pool.map(lambda prompt: ask(prompt, address), prompts))
        assert server.roster.models["stream"].workshop.turns < 40 * 20
    assert found == [written(runs["stream"], prompt, 20) for prompt in prompts]


@pytest.mark.slow
def test_half_of_the_clients_vanish_and_the_rest_are_exact(tmp_path: Path) -> None:
    runs = small_models(tmp_path)
    prompts = ["the cat sat on the mat"[: 1 + i % 13] for i in range(200)]

    async def ask(prompt: str, port: int, stay: bool) -> str:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        longest = 25 if stay else 4000
        content = json.dumps({"model": "stream", "prompt": prompt, "max_tokens": longest, "temperature": 0}).encode()
        head = f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(content)}\r\nConnection: close\r\n\r\n".encode() + content)
        await writer.drain()
        answer = await reader.read() if stay else b""
        if not stay and len(prompt) % 2:  # gone without a word: a reset in place of an end
            there = writer.get_extra_info("socket")
            there.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.close()
        return str(json.loads(answer.partition(b"\r\n\r\n")[2])["choices"][0]["text"]) if stay else ""

    async def all_of_them(port: int) -> list[str]:
        return await asyncio.gather(*(ask(prompt, port, i % 2 == 0) for i, prompt in enumerate(prompts)))

    alone = {prompt: written(runs["stream"], prompt, 25) for prompt in {*prompts}}
    with serving(runs, capacity=Capacity(slots=32, waiting=200)) as (server, address):
        port = int(address.rpartition(":")[2])
        with ThreadPoolExecutor(1) as pool:
            found = pool.submit(asyncio.run, all_of_them(port)).result()
            assert found[::2] == [alone[prompt] for prompt in prompts[::2]]
            assert pool.submit(asyncio.run, ask("the cat", port, stay=True)).result() == alone["the cat"]
        model = server.roster.models["stream"]
        model.workshop.close(60)  # ends only when nothing is left to be done
        assert model.slots is not None
        assert (model.slots.taken, model.workshop.waiting) == (0, 0)
        assert model.slots.written < 101 * 25 + 100 * 4000 // 100  # a hundredth of what those who left had asked for
