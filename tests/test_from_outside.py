"""What a stranger adds from a file of his own: an objective, a weigher, an optimizer, a task. Each is one call, and is
then trained with, kept and loaded like any other."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

import glassformer as gf
from glassformer.errors import InputError
from glassformer.objectives import answers
from glassformer.objectives.evaluation import judge_answers
from glassformer.objectives.lessons import Lessons, Measures
from glassformer.objectives.objective import Trained, Verdict
from glassformer.objectives.predictions import Writing, Written
from glassformer.runs.folder import RunFolder
from glassformer.runs.run import Run
from glassformer.text.samples import Pair, Plain
from glassformer.text.tokens import Tokens

WORDS = ("cat", "dog", "sun", "moon", "tea", "rain", "owl", "fox", "elm", "oak", "ivy", "ash", "sea")
SMALL = {"width": 12, "layers": 1, "heads": 3, "hidden": 13, "precision": "float32"}


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    """A file with one text in each row."""
    texts = [f"{one} {other}" for one in WORDS for other in WORDS if one != other]
    path = tmp_path / "texts.csv"
    path.write_text("text\n" + "\n".join(texts), encoding="utf-8")
    return path


# --- a made-up objective: to write a text backwards ----------------------------------------------------------------


def turned_round(samples: Sequence[Plain]) -> list[Pair]:
    return [Pair(sample.text, sample.text[::-1]) for sample in samples]


def backwards_lessons(
    train: Sequence[Plain], valid: Sequence[Plain], labels: Sequence[str], tokens: Tokens, measures: Measures
) -> Lessons:
    return answers.lessons(turned_round(train), turned_round(valid), labels, tokens, measures)


def backwards_judge(trained: Trained, samples: Sequence[Plain], how: Writing, seed: int) -> Verdict:
    pairs = turned_round(samples)
    said = [each.text for each in answers.predict(trained, [pair.source for pair in pairs], how)]
    return judge_answers(said, [pair.target for pair in pairs], seed)


def add_backwards() -> None:
    gf.OBJECTIVES.add(
        "backwards",
        replace(
            gf.OBJECTIVES["answers"],
            learns="write a text backwards", samples=Plain, lessons=backwards_lessons, judge=backwards_judge,
        ),
    )  # fmt: skip


def test_a_made_up_objective_is_trained_kept_loaded_and_asked(lines: Path, tmp_path: Path) -> None:
    add_backwards()
    run = gf.train(
        "generate", lines, objective="backwards", steps=3, threads=1, out=tmp_path / "run", settings=SMALL
    )  # fmt: skip
    assert run.card.objective == "backwards"
    assert run.certificate["passed"]
    assert run.scores.keys() >= {"exact", "exact_interval", "samples"}
    loaded = gf.load(tmp_path / "run")
    assert isinstance(loaded, Run)
    (found,) = loaded.predict(["cat dog"], longest=5)
    assert isinstance(found, Written)
    assert found.text == "".join(loaded.stream("cat dog", longest=5))
    assert loaded.evaluate(limit=3)["samples"] == 3
    assert loaded.look("cat dog", longest=3).words.startswith("goes on with")
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "exactly right" in page
    examples = (RunFolder(tmp_path / "run").read_about() or {})["examples"]
    assert all(each["right"] == each["given"][::-1] for each in examples)
    assert all(each["right"] in page for each in examples)


def test_its_lessons_say_the_text_backwards(lines: Path) -> None:
    add_backwards()
    tokens = Tokens.train("character", ["cat dog"])
    found = gf.OBJECTIVES["backwards"].lessons(
        [Plain("cat")], [Plain("dog")], (), tokens, Measures(longest=13, tokens_per_batch=31)
    )
    batch = found.train.batch(0, 0)
    counted = batch.ids_out[batch.counted].tolist()
    assert tokens.decode(counted[:-1]) == "tac"  # and the end of the text


def test_without_the_file_that_adds_it_a_run_says_what_is_missing(lines: Path, tmp_path: Path) -> None:
    add_backwards()
    gf.train("generate", lines, objective="backwards", steps=1, threads=1, out=tmp_path / "run", settings=SMALL)
    del gf.OBJECTIVES["backwards"]
    with pytest.raises(InputError, match="There is no objective called 'backwards'"):
        gf.load(tmp_path / "run")
    with pytest.raises(InputError, match="There is no objective called 'backwards'"):
        gf.train("generate", lines, objective="backwards", steps=1, out=tmp_path / "other")


# --- a made-up weigher: all shares squared -------------------------------------------------------------------------


def squared(masked: Tensor) -> Tensor:
    """Softmax's shares, squared: what is small counts still less. A row need not sum to 1."""
    return gf.softmax(masked).square()


def test_a_made_up_weigher_is_trained_with_and_seen_inside(tmp_path: Path) -> None:
    gf.WEIGHERS.add("squared", squared)
    run = gf.train(
        "generate", "sorting:200", steps=3, threads=1, out=tmp_path / "run", settings={**SMALL, "weigher": "squared"}
    )
    assert run.certificate["passed"]
    loaded = gf.load(tmp_path / "run")
    assert loaded.card.config["weigher"] == "squared"
    assert loaded.predict(["3 1 2 ="], longest=5) == run.predict(["3 1 2 ="], longest=5)
    look = loaded.look("3 1 2 =", longest=0)
    entry = look.trace.entry("blocks.0.self.weights")
    masked = torch.tensor(look.trace["blocks.0.self.masked"])
    torch.testing.assert_close(torch.tensor(entry.values), squared(masked), rtol=1e-5, atol=1e-6)
    assert entry.how == "handed in"  # the catalogue does not know how it is worked, and does not claim to


# --- the other tables ----------------------------------------------------------------------------------------------


def test_a_made_up_optimizer_moves_the_weights(tmp_path: Path) -> None:
    steps: list[int] = []

    def plain(weights: Any, rates: Any) -> list[torch.optim.Optimizer]:
        steps.append(len(weights.groups(rates)))
        return [torch.optim.SGD(weights.groups(rates), lr=rates.lr)]

    gf.OPTIMIZERS.add("plain", plain)
    run = gf.train(
        "classify", "negation:100", steps=2, threads=1, out=tmp_path / "run",
        settings={**SMALL, "optimizer": "plain"},
    )  # fmt: skip
    assert steps
    assert set(steps) == {3}
    assert run.scores["samples"] > 0


def test_a_made_up_task_has_its_own_words(tmp_path: Path) -> None:
    gf.TASKS.add("shorten", replace(gf.TASKS["translate"], does="shortens", first="A long and winding sentence."))
    pairs = [f"{one} and {other}\t{one[0]}{other[0]}" for one in WORDS for other in WORDS]
    (tmp_path / "pairs.tsv").write_text("source\ttarget\n" + "\n".join(pairs), encoding="utf-8")
    sizes = {"encoder_layers": 1, "decoder_layers": 1, **{name: SMALL[name] for name in SMALL if name != "layers"}}
    gf.train("shorten", tmp_path / "pairs.tsv", steps=2, threads=1, out=tmp_path / "run", settings=sizes)
    loaded = gf.load(tmp_path / "run")
    assert (loaded.card.task, loaded.card.objective, loaded.card.model) == ("shorten", "pairs", "translator")
    assert loaded.predict(["cat and dog"], longest=3)[0].said is not None
    assert ">shortens " in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    with pytest.raises(InputError, match="nothing to shorten in it"):
        loaded.predict([" "])


def test_what_came_along_is_not_replaced_but_ones_own_is() -> None:
    with pytest.raises(InputError, match="a weigher called 'softmax' already; choose another name"):
        gf.WEIGHERS.add("softmax", squared)
    gf.WEIGHERS.add("mine", squared)
    gf.WEIGHERS.add("mine", gf.sigmoid)  # a notebook's cell is run more than once
    assert gf.WEIGHERS["mine"] is gf.sigmoid
    with pytest.raises(InputError, match="no weigher called 'sofmax'; did you mean 'softmax'"):
        _ = gf.WEIGHERS["sofmax"]
