"""A look at a trained model: the numbers are those of the pass, the words those of the answer, the page small."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from helpers.looks import numbers_of
from helpers.small_runs import TEXTS, run_of_each, small_run

from glassformer.errors import InputError
from glassformer.inside.shown import Shown
from glassformer.models.registry import MODELS
from glassformer.runs.run import Run, load
from glassformer.text.token_kinds import END, START


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    return run_of_each(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def seen(trained: dict[str, Run]) -> dict[str, Shown]:
    return {objective: trained[objective].look(text) for objective, text in TEXTS.items()}


# --- what is seen -------------------------------------------------------------------------------------------------


def test_a_class_is_the_one_that_is_predicted(trained: dict[str, Run], seen: dict[str, Shown]) -> None:
    said = trained["classes"].predict([TEXTS["classes"]])[0]
    shares = {item["name"]: item["share"] for item in seen["classes"].answer["items"]}
    assert shares == pytest.approx(said.scores, abs=1e-6)  # type: ignore[union-attr]
    assert seen["classes"].words.startswith(f"{said.label} 0.")  # type: ignore[union-attr]


@pytest.mark.parametrize("name", [name for name, kind in MODELS.items() if kind.family == "classifier"])
def test_every_classifier_can_be_looked_into(tmp_path: Path, name: str) -> None:
    run = load(small_run(tmp_path / name, model=name).path)
    look = run.look(TEXTS["classes"])
    shares = {item["name"]: item["share"] for item in look.answer["items"]}
    assert shares == pytest.approx(run.predict([TEXTS["classes"]])[0].scores, abs=1e-6)  # type: ignore[union-attr]
    assert look.save(tmp_path / "page.html").path.stat().st_size > 10_000


def test_the_n_grams_that_weigh_most_are_told(tmp_path: Path) -> None:
    look = load(small_run(tmp_path / "ngrams", model="ngrams").path).look(TEXTS["classes"])
    chosen = int(look.trace["logits"][0].argmax())
    words = TEXTS["classes"].split()
    said = {
        " ".join(words[place : place + n]): float(look.trace[name][0, place, chosen])
        for n, name in enumerate(("one_word", "two_words", "three_words"), start=1)
        for place in range(len(words) + 1 - n)
    }
    heaviest = sorted((name for name in said if said[name]), key=lambda name: -abs(said[name]))[:5]
    told = ", ".join(f"“{name}” {said[name]:+.3f}" for name in heaviest)
    assert heaviest
    assert look.words.endswith(f"; the n-grams that weigh most: {told}")


def test_a_text_is_gone_on_with_by_the_likeliest_token(trained: dict[str, Run]) -> None:
    run = trained["answers"]
    look = run.look(TEXTS["answers"], longest=7)
    ids = [*run.tokens.encode(TEXTS["answers"]).ids, START]
    read = len(ids)
    while len(ids) < read + 7:
        best = int(run.model(torch.tensor([ids]))[0, -1].argmax())
        if best == END:
            break
        ids.append(best)
    assert look.trace["ids"][0].tolist() == ids
    assert look.answer["read"] == read
    assert list(look.look.texts.own) == run.tokens.strings(ids)
    assert look.words == f"goes on with “{run.tokens.decode(ids[read:])}”"


def test_a_language_model_may_only_read(trained: dict[str, Run]) -> None:
    look = trained["answers"].look(TEXTS["answers"], longest=0)
    assert look.trace["ids"].shape[1] == look.answer["read"] == 6
    assert look.words.endswith(f"({look.answer['steps'][-1]['items'][0]['share']:.3f})")


def test_a_continuation_stops_where_the_model_ends(trained: dict[str, Run]) -> None:
    run = trained["answers"]
    look = run.look("3 1 " * 14, longest=1000)
    assert look.trace["ids"].shape[1] <= run.model.config.length  # type: ignore[union-attr]


def test_a_translation_is_the_models_own(trained: dict[str, Run], seen: dict[str, Shown]) -> None:
    said = trained["pairs"].predict([TEXTS["pairs"]], beam=1)[0]
    assert seen["pairs"].words == f"writes “{said.translation}”"  # type: ignore[union-attr]
    assert seen["pairs"].answer["target"] is None


def test_a_target_leads_and_the_first_difference_is_told(trained: dict[str, Run]) -> None:
    run = trained["pairs"]
    target = "1984-03-03"
    look = run.look(TEXTS["pairs"], target=target)
    led = run.tokens.encode(target).ids
    own = look.answer["own_ids"]
    apart = next((i for i, (a, b) in enumerate(zip(own, led, strict=False)) if a != b), min(len(own), len(led)))
    assert look.answer["divergence"] == apart
    assert look.trace["target.ids"][0].tolist() == [START, *led]
    assert look.words.endswith(f"which parts from “{target}” at token {apart + 1}")
    itself = run.look(TEXTS["pairs"], target=run.tokens.decode(own))
    assert itself.answer["divergence"] is None
    assert itself.words.endswith(", the same as the target")


def test_what_is_written_is_followed(trained: dict[str, Run]) -> None:
    plain = trained["classes"].look(TEXTS["classes"])
    uniform = np.full_like(plain.trace["encoder.0.self.weights"], 0.2)
    changed = trained["classes"].look(TEXTS["classes"], write={"encoder.0.self.weights": uniform})
    assert (changed.trace["encoder.0.self.weights"] == uniform).all()
    assert not np.allclose(changed.trace["logits"], plain.trace["logits"])


@pytest.mark.parametrize("objective", TEXTS)
def test_every_number_of_the_page_is_the_models_to_six_decimals(objective: str, seen: dict[str, Shown]) -> None:
    look = seen[objective]
    found = numbers_of(look.document())
    assert found
    for address, values in found.items():
        if values.shape == look.trace[address].shape:  # a vocabulary is cut to the words at hand
            np.testing.assert_allclose(values, look.trace[address].astype(np.float64), rtol=0, atol=1e-6)


def test_the_page_of_four_layers_and_thirty_tokens_is_small(tmp_path: Path) -> None:
    run = load(small_run(tmp_path / "run", layers=4, width=128, heads=4, hidden=512).path)
    saved = run.look("good " * 30).save(tmp_path / "page.html")
    assert saved.bytes == saved.path.stat().st_size <= 5_000_000
    assert not saved.left_out
    smaller = run.look("good " * 30).save(tmp_path / "page.html", megabytes=0.9)
    assert smaller.bytes == saved.path.stat().st_size <= 900_000
    assert smaller.rounded
    assert "encoder.0.feed_forward.expand_weight" in smaller.left_out


@pytest.mark.parametrize(
    ("objective", "asked", "error"),
    [
        ("classes", {"text": "  \n"}, "no text yet"),
        ("classes", {"text": ["one"]}, "given as a string; this is a list"),
        ("classes", {"text": "good " * 68}, "has 68 tokens; this model can be looked at with 67 at most"),
        ("classes", {"text": "good", "target": "x"}, "Only a translator takes a target"),
        ("pairs", {"text": "may", "target": " "}, "The target is empty"),
        ("pairs", {"text": "may", "target": "1" * 67}, "This target has 68 tokens"),
        ("pairs", {"text": "may", "longest": 0}, "`longest` is 0; it counts"),
        ("answers", {"text": "3 1 2", "longest": -1}, "`longest` is -1"),
    ],
)
def test_what_cannot_be_looked_at_is_said(
    objective: str, asked: dict[str, Any], error: str, trained: dict[str, Run]
) -> None:
    with pytest.raises(InputError, match=error):
        trained[objective].look(**asked)
