"""`/v1/classify`, `/v1/translate`, `/v1/embeddings`: as many answers as texts, the same as predict gives."""

import base64

import numpy as np
import pytest
from helpers.server_visits import Caller

from glassformer.objectives.classes import text_vectors
from glassformer.serving.plain_answers import list_of


def test_classify_says_what_predict_says(caller: Caller) -> None:
    run = caller.server.roster.models["classes"].run
    texts = ["the film was not good", "a good film"]
    found = caller.told("/v1/classify", input=texts)
    assert found["model"] == "classes"
    for i, (each, predicted) in enumerate(zip(found["data"], run.predict(texts), strict=True)):
        assert each["index"] == i
        assert each["label"] == predicted.said
        assert each["scores"] == pytest.approx(predicted.scores, abs=1e-6)  # type: ignore[union-attr]
    assert len(caller.told("/v1/classify", input="one text", model="classes")["data"]) == 1


def test_translate_says_what_predict_says(caller: Caller) -> None:
    run = caller.server.roster.models["pairs"].run
    texts = ["the third of March 1984", "the 4th of May 2001"]
    for beam in (1, 3):
        found = caller.told("/v1/translate", input=texts, beam=beam, max_tokens=12)
        predicted = run.predict(texts, beam=beam, longest=12)
        assert [each["translation"] for each in found["data"]] == [each.said for each in predicted]


def test_an_embedding_is_the_mean_of_the_rows(caller: Caller) -> None:
    model = caller.server.roster.models["classes"]
    texts = ["the film was not good", "good"]
    found = caller.told("/v1/embeddings", input=texts)
    vectors = text_vectors(model.trained, texts)
    assert np.allclose([each["embedding"] for each in found["data"]], vectors, atol=1e-6)
    packed = caller.told("/v1/embeddings", input=texts, encoding_format="base64")["data"][1]["embedding"]
    assert np.allclose(np.frombuffer(base64.b64decode(packed), "<f4"), vectors[1], atol=1e-6)
    assert found["usage"] == {"prompt_tokens": 6, "total_tokens": 6}
    assert "have 6 numbers" in caller.refused("/v1/embeddings", input="a", dimensions=7)
    assert caller.ask("/v1/embeddings", input="a", dimensions=6).status == 200


@pytest.mark.parametrize("path", ["/v1/classify", "/v1/translate", "/v1/embeddings"])
def test_what_is_not_read_as_it_stands_is_told_beside_the_answers(caller: Caller, path: str) -> None:
    texts = ["good " * 99, "ÖÖÖÖ", "good"]
    found = caller.told(path, input=texts)
    run = caller.server.roster.models[found["model"]].run
    assert found["warnings"] == run.warnings(texts)
    assert len(found["warnings"]) == 2
    assert caller.told(path, input="good")["warnings"] == []
    if path == "/v1/embeddings":
        assert found["usage"]["prompt_tokens"] == 67 + 1 + 1


def test_embeddings_take_no_ids_since_they_may_be_of_another_vocabulary(caller: Caller) -> None:
    for ids in ([5, 6, 7], [[5, 6, 7]]):
        assert "not ids, which a client may have from another vocabulary" in caller.refused("/v1/embeddings", input=ids)


@pytest.mark.parametrize("path", ["/v1/classify", "/v1/translate", "/v1/embeddings"])
def test_what_holds_no_text_is_refused(caller: Caller, path: str) -> None:
    for given in ("", [], [""], 7, None, [[1, 2]], ["a"] * 65):
        assert "'input' must be" in caller.refused(path, input=given)
    assert caller.ask(path, input="a", model="nobody").status == 404


def test_a_blank_text_is_refused_in_words(caller: Caller) -> None:
    assert "is empty" in caller.refused("/v1/classify", input=["a", "   "])


def test_the_schema_of_a_list_names_its_parts() -> None:
    assert list_of({"type": "string"}, usage={"type": "object"})["required"] == [
        "object", "model", "data", "warnings", "usage",
    ]  # fmt: skip
