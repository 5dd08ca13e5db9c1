"""A trained model in use: the same answers alone and in company, scores that follow from the answers, and the run's own
data read again as they were."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from helpers.small_runs import SEED, small_corpus, small_run

import glassformer as gf
from glassformer.errors import InputError
from glassformer.models.card import Card
from glassformer.models.config import to_dict
from glassformer.models.language_model import Continuation
from glassformer.models.registry import build, configure
from glassformer.models.sampling import Stop, greedy
from glassformer.objectives.predictions import Classified, Translated, Writing, Written
from glassformer.objectives.table import evaluate
from glassformer.runs.folder import RunFolder
from glassformer.runs.run import Run, load
from glassformer.text.corpora import read
from glassformer.text.files.columns import Columns
from glassformer.text.samples import Labelled, Pair, Plain
from glassformer.text.tokens import END, MASK, START, Tokens

TEXT = "the cat sat on the mat. the dog sat on the cat. " * 12


@pytest.fixture
def classifier(tmp_path: Path) -> Run:
    return gf.load(small_run(tmp_path / "run").path)


@pytest.fixture
def translator(tmp_path: Path) -> Run:
    return load(small_run(tmp_path / "run", "pairs").path)


@pytest.fixture
def answerer(tmp_path: Path) -> Run:
    return load(small_run(tmp_path / "run", "answers").path)


def language_run(objective: str = "stream", kind: str = "character", **settings: Any) -> Run:
    tokens = Tokens.train(kind, [TEXT], min_frequency=1)
    sizes = {"width": 12, "layers": 1, "heads": 3, "hidden": 13, "length": 23, **settings}
    config = configure("modern", vocabulary=len(tokens), **sizes)
    card = Card(task="generate", model="modern", config=to_dict(config), objective=objective, longest=23)
    return Run(build("modern", config), card, tokens)


# --- predicting -------------------------------------------------------------------------------------------------


def test_a_text_has_the_same_answer_alone_and_in_company(classifier: Run) -> None:
    texts = [sample.text for sample in small_corpus("classes").test if isinstance(sample, Labelled)]
    together = classifier.predict(texts)
    for text, found in zip(texts[:7], together, strict=False):
        alone = classifier.predict([text])[0]
        assert isinstance(found, Classified)
        assert isinstance(alone, Classified)
        assert alone.label == found.label == max(found.scores, key=found.scores.__getitem__)
        assert alone.scores == pytest.approx(found.scores, abs=5e-6)
        assert sum(found.scores.values()) == pytest.approx(1.0)
        assert list(found.scores) == ["negative", "positive"]


def test_a_text_without_a_word_is_one_unknown_word(classifier: Run) -> None:
    assert classifier.predict(["<br />"]) == classifier.predict(["zzzz"])
    with pytest.raises(InputError, match="Text 2 of 2 is empty: there is nothing to classify in it"):
        classifier.predict(["good", " "])


def test_translations_come_from_a_search_and_greedily_if_asked(translator: Run) -> None:
    texts = [sample.source for sample in small_corpus("pairs").test if isinstance(sample, Pair)][:11]
    searched = translator.predict(texts, longest=13)
    likeliest = translator.predict(texts, longest=13, beam=1)
    for one, other in zip(searched, likeliest, strict=True):
        assert isinstance(one, Translated)
        assert isinstance(other, Translated)
        assert one.score >= other.score - 5e-6
    assert translator.predict(texts[3:4], longest=13)[0].translation == searched[3].translation  # type: ignore[union-attr]
    by_chance = translator.predict(texts, longest=13, temperature=1.0, seed=5)
    assert by_chance == translator.predict(texts, longest=13, temperature=1.0, seed=5)
    assert by_chance != searched


def test_an_answer_follows_the_mark_that_training_put_there(answerer: Run) -> None:
    prompt = "3 1 2 ="
    ids = [*answerer.tokens.encode(prompt).ids, START]
    wanted = greedy(Continuation(answerer.model, [ids]), Stop(longest=19, endings=((END,),)))[0]  # type: ignore[arg-type]
    found = answerer.predict([prompt, "9 9 ="], longest=19)
    assert found[0] == Written(answerer.tokens.decode(wanted.body))
    assert "".join(answerer.stream(prompt, longest=19)) == found[0].text  # type: ignore[union-attr]


def test_a_gap_is_filled_where_it_is_marked_or_at_the_end() -> None:
    run = language_run("spans")
    a, b = run.tokens.encode("the ").ids, run.tokens.encode(" sat").ids
    assert run.objective.prompt(run.tokens, "the <mask> sat").tolist() == [*a, MASK, *b, START]
    assert run.objective.prompt(run.tokens, "the ").tolist() == [*a, MASK, START]
    assert isinstance(run.predict(["the <mask> sat"], longest=5)[0], Written)


@pytest.mark.parametrize("scorer", ["dot product", "random synthesizer"])
def test_prompts_of_any_length_are_answered_by_any_scorer(scorer: str) -> None:
    run = language_run("answers", scorer=scorer)
    texts = ["the cat", "a", "the dog sat", "mat"]
    together = run.predict(texts, longest=5)
    assert together == [run.predict([text], longest=5)[0] for text in texts]


# --- text that goes on ------------------------------------------------------------------------------------------


@pytest.fixture
def _endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """No end is ever written: a model that nobody taught comes to one by chance, and soon."""
    monkeypatch.setattr("glassformer.objectives.writing.END", 10**6)


@pytest.mark.usefixtures("_endless")
def test_what_is_written_goes_on_beyond_what_the_model_can_look_back_on() -> None:
    run = language_run()
    pieces = list(run.stream("the cat", longest=101, seed=3))
    written = run.predict(["the cat"], longest=101, seed=3)[0]
    assert "".join(pieces) == written.text  # type: ignore[union-attr]
    assert len(pieces) > 40
    assert run.predict(["a", "the cat"], longest=7, seed=2)[1] == run.predict(["the cat"], longest=7, seed=3)[0]
    assert run.predict([TEXT], longest=7)[0] == run.predict([TEXT[-23:]], longest=7)[0]


@pytest.mark.parametrize("kind", ["character", "word", "bpe", "byte-bpe"])
def test_pieces_add_up_to_the_text_whatever_it_is_cut_into(kind: str) -> None:
    run = language_run(kind=kind)
    ids = run.tokens.encode("the cat").ids
    pieces = list(run.stream("the cat", longest=31, temperature=0))
    wanted = greedy(Continuation(run.model, [list(ids)]), Stop(longest=10, endings=((END,),)))[0]  # type: ignore[arg-type]
    whole = run.tokens.decode([*ids, *wanted.body])
    assert (run.tokens.decode(ids) + "".join(pieces)).startswith(whole[:-1])


@pytest.mark.usefixtures("_endless")
def test_writing_stops_at_a_stop_and_never_shows_a_part_of_it() -> None:
    run = language_run()
    free = "".join(run.stream("the cat", longest=60, seed=1))
    stop = free[20:23]
    pieces = list(run.stream("the cat", longest=60, seed=1, stop=(stop,)))
    assert "".join(pieces) == free[: free.index(stop)]
    assert run.predict(["the cat"], longest=60, seed=1, stop=(stop,)) == [Written(free[: free.index(stop)])]


def test_what_cannot_be_is_told(classifier: Run) -> None:
    with pytest.raises(InputError, match="list of texts"):
        classifier.predict("one text")
    with pytest.raises(InputError, match="Only language models"):
        classifier.stream("text")
    with pytest.raises(InputError, match="`longest` must be"):
        Writing(longest=0)
    with pytest.raises(InputError, match="no characters"):
        Writing(stop=("",))
    with pytest.raises(InputError, match="no part called 'tests'; did you mean 'test'"):
        classifier.evaluate(part="tests")


# --- scores -----------------------------------------------------------------------------------------------------


def test_a_classifier_is_scored_on_its_own_test_part(classifier: Run) -> None:
    scores = classifier.evaluate()
    test = small_corpus("classes").test
    found = classifier.predict([sample.text for sample in test])  # type: ignore[union-attr]
    right = [one.label == sample.label for one, sample in zip(found, test, strict=True)]  # type: ignore[union-attr]
    assert scores["accuracy"] == sum(right) / len(right)
    assert scores["accuracy_interval"][0] <= scores["accuracy"] <= scores["accuracy_interval"][1]
    assert np.array(scores["confusion"]["table"]).trace() == sum(right)
    assert scores["confusion"]["labels"] == ["negative", "positive"]
    assert (scores["data"], scores["part"], scores["samples"]) == ("negation:300", "test", len(test))
    assert {"macro_f1", "calibration_error", "loss", "classes"} <= scores.keys()
    json.dumps(scores, allow_nan=False)
    assert classifier.evaluate(limit=7)["samples"] == 7
    assert classifier.evaluate("negation:300")["accuracy"] == scores["accuracy"]


def test_a_translator_is_scored_with_signatures(translator: Run) -> None:
    scores = translator.evaluate(limit=13, longest=11)
    keys = {"bleu", "bleu_interval", "chrf", "signature", "bleu_lowercase", "lowercase_signature", "chrf_signature"}
    assert keys | {"exact", "samples"} <= scores.keys()
    assert "version:" in scores["signature"]
    assert scores["samples"] == 13
    json.dumps(scores, allow_nan=False)


def test_answers_are_scored_as_a_whole_and_by_the_piece(answerer: Run) -> None:
    test = small_corpus("answers").test
    scores = answerer.evaluate()
    assert scores["exact"] == 0.0  # nobody has taught it
    assert scores["perplexity"] == pytest.approx(math.exp(scores["loss"]))
    pair = test[0]
    assert isinstance(pair, Pair)
    found = answerer.predict([pair.source], longest=19)[0]
    told = Pair(pair.source, found.text)  # type: ignore[union-attr]
    scored = evaluate(answerer.model, answerer.card, answerer.tokens, [told, told, pair], how=Writing(longest=19))
    assert scored["exact"] == pytest.approx(2 / 3)
    assert scored["exact_interval"][0] <= 2 / 3 <= scored["exact_interval"][1]


def test_the_loss_of_a_text_is_over_every_token_after_the_first() -> None:
    run = language_run()
    scores = evaluate(run.model, run.card, run.tokens, [Plain(TEXT)])
    assert scores["tokens"] == len(TEXT) - 1
    assert scores["bytes"] == len(TEXT)
    assert scores["bits_per_byte"] == pytest.approx(scores["loss"] * (len(TEXT) - 1) / len(TEXT) / math.log(2))
    assert scores["loss_interval"][0] <= scores["loss"] <= scores["loss_interval"][1]
    short = TEXT[:23]
    ids = torch.tensor([run.tokens.encode(short).ids])
    with torch.no_grad():
        wanted = torch.nn.functional.cross_entropy(run.model(ids)[0, :-1], ids[0, 1:])
    found = evaluate(run.model, run.card, run.tokens, [Plain(short)])
    assert found["loss"] == pytest.approx(float(wanted), rel=1e-5)


@pytest.mark.parametrize("objective", ["spans", "masked"])
def test_what_is_only_pretrained_has_a_loss(objective: str) -> None:
    run = language_run("spans")
    if objective == "masked":
        config = configure("transformer", vocabulary=len(run.tokens), width=12, heads=3, hidden=13, length=23)
        card = Card(task="classify", model="transformer", config=to_dict(config), objective="masked", longest=23)
        run = Run(build("transformer", config), card, run.tokens)
        with pytest.raises(InputError, match="only learnt to find hidden tokens"):
            run.predict(["text"])
    scores = evaluate(run.model, run.card, run.tokens, [Plain(TEXT[:40]), Plain(TEXT[40:70])])
    assert scores.keys() == {"loss", "perplexity", "tokens", "loss_interval"}


def test_samples_of_another_kind_are_refused(classifier: Run) -> None:
    for samples, said in (([Plain("a")], "these are Plain"), ([], "these are none")):
        with pytest.raises(InputError, match=said):
            evaluate(classifier.model, classifier.card, classifier.tokens, samples)
    with pytest.raises(InputError, match="these samples have 'neutral'"):
        evaluate(classifier.model, classifier.card, classifier.tokens, [Labelled("a", "neutral")])


# --- the data of a run ------------------------------------------------------------------------------------------


def test_a_file_without_parts_is_used_in_whole(classifier: Run, tmp_path: Path) -> None:
    lines = [f"film {i},{label}" for i in range(20) for label in ("positive", "negative")]
    (tmp_path / "new.csv").write_text("text,label\n" + "\n".join(lines))
    scores = classifier.evaluate(tmp_path / "new.csv")
    assert (scores["samples"], scores["part"]) == (40, "all")


def test_the_own_file_is_read_and_split_as_it_was_in_training(tmp_path: Path) -> None:
    lines = [f"{i} film {i},{'positive' if i % 3 else 'negative'},{i}" for i in range(60)]
    (tmp_path / "own.csv").write_text("words,verdict,number\n" + "\n".join(lines))
    run = small_run(tmp_path / "run")
    card, state, tokens = run.load_model()
    columns = {"text": "words", "label": "verdict"}
    other = RunFolder.create(
        tmp_path / "other", settings={"data": {"source": str(tmp_path / "own.csv"), "columns": columns}}
    )
    other.save_model(card, state, tokens)
    corpus = read(tmp_path / "own.csv", "classify", columns=Columns(**columns), seed=SEED)
    assert load(other.path).evaluate()["samples"] == len(corpus.test)


def test_one_document_has_no_test_part_so_its_end_is_used(tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text(TEXT)
    run = language_run()
    folder = RunFolder.create(tmp_path / "run", settings={"data": {"source": str(tmp_path / "book.txt")}})
    folder.save_model(run.card, run.model.state_dict(), run.tokens)
    loaded = load(folder.path)
    scores = loaded.evaluate()
    assert scores["part"] == "valid"
    assert scores["bytes"] == len(read(str(tmp_path / "book.txt"), "generate").valid[0].text)  # type: ignore[union-attr]
    assert loaded.evaluate(tmp_path / "book.txt")["bytes"] == len(TEXT)


def test_what_training_left_is_at_hand(classifier: Run) -> None:
    assert classifier.scores == {}
    assert classifier.certificate == {}
    assert classifier.folder is not None
    RunFolder(classifier.folder).write_scores({"accuracy": 0.5})
    assert classifier.scores == {"accuracy": 0.5}
    assert classifier.certify().passed
    assert repr(classifier).startswith("Run(transformer to classify")
