"""What stays and what moves while a model is finetuned, and LoRA: nothing at first, an ordinary model at the end."""

import copy
from pathlib import Path

import pytest
import torch
from helpers.foreign_models import foreign_folder
from helpers.small_models import inputs, small

from glassformer.errors import InputError
from glassformer.runs.imported import import_model
from glassformer.runs.run import load
from glassformer.training.adapters import LowRank, add_lora, blocks_of, freeze, merge_lora
from glassformer.training.course import resume, teach
from glassformer.training.prepare import prepare
from glassformer.training.request import Request


def test_a_product_beside_a_matrix_by_hand() -> None:
    beside = LowRank(2, 3, 1)
    weight = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert torch.equal(beside(weight), weight)  # at first
    beside.wide.data = torch.tensor([[1.0], [-1.0]])
    beside.narrow.data = torch.tensor([[10.0, 0.0, 1.0]])
    assert beside(weight).tolist() == [[11.0, 2.0, 4.0], [-6.0, 5.0, 5.0]]


def test_the_blocks_of_a_model_come_in_the_order_they_read() -> None:
    assert [name for name, _ in blocks_of(small("translator"))] == [
        "encoder.0.",
        "encoder.1.",
        "decoder.0.",
        "decoder.1.",
    ]
    assert blocks_of(small("rnn")) == []


@pytest.mark.parametrize("name", ["transformer", "bert", "translator", "gpt", "modern"])
def test_lora_changes_nothing_until_it_learns_and_is_an_ordinary_model_when_merged(name: str) -> None:
    model = small(name)
    before, names = model(*inputs(name)), list(model.state_dict())
    add_lora(model, 2)
    torch.testing.assert_close(model(*inputs(name)), before)
    learns = [key for key, weight in model.named_parameters() if weight.requires_grad]
    assert all(
        ("parametrizations" in key and "original" not in key) or key.startswith(("head.", "pooler.")) for key in learns
    )
    with torch.no_grad():
        for key, weight in model.named_parameters():
            if key.endswith(".wide"):
                weight.normal_()
    moved = model(*inputs(name))
    assert not torch.allclose(moved, before)
    merge_lora(model)
    assert sorted(model.state_dict()) == sorted(names)
    torch.testing.assert_close(model(*inputs(name)), moved)


def test_what_is_frozen_does_not_learn() -> None:
    model = small("bert")
    freeze(model, 1)
    still = {name for name, weight in model.named_parameters() if not weight.requires_grad}
    assert {name.split(".")[0] for name in still} == {"embedding", "order", "embedding_norm", "blocks"}
    assert all(name.startswith("blocks.0.") for name in still if name.startswith("blocks"))
    with pytest.raises(InputError, match="freeze=3 blocks cannot stay as they are: this model has 2"):
        freeze(small("bert"), 3)


def test_lora_needs_matrices_that_are_wider() -> None:
    with pytest.raises(InputError, match="this model has none"):
        add_lora(small("rnn"), 2)
    with pytest.raises(InputError, match="no narrower than a matrix"):
        add_lora(small("bert"), 7)


@pytest.fixture(scope="module")
def parents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    root = tmp_path_factory.mktemp("parents")
    for name in ("bert", "gpt2"):
        import_model(foreign_folder(root, name), root / f"run-{name}")
    return {name: str(root / f"run-{name}") for name in ("bert", "gpt2")}


@pytest.mark.parametrize("settings", [{}, {"freeze": 1}, {"lora": 2}, {"lora": 2, "freeze": 1}], ids=str)
def test_an_encoder_that_was_brought_in_learns_to_classify(
    settings: dict[str, int], parents: dict[str, str], tmp_path: Path
) -> None:
    asked = Request(
        task="classify",
        data="negation:100",
        steps=2,
        threads=1,
        parent=parents["bert"],
        settings=settings,
        baseline=False,
    )
    teach(asked, tmp_path / "run")
    run, parent = load(tmp_path / "run"), load(parents["bert"])
    assert run.tokens == parent.tokens
    assert run.card.parents == (parents["bert"],)
    assert run.predict(["the film was not good"])
    same = {
        name
        for name, value in run.model.state_dict().items()
        if name in parent.model.state_dict() and torch.equal(value, parent.model.state_dict()[name])
    }
    assert ("embedding.weight" in same) == bool(settings)
    assert ("blocks.0.attention.layer.query.weight" in same) == ("freeze" in settings)
    assert "blocks.1.attention.layer.query.weight" not in same


def test_a_language_model_that_was_brought_in_goes_on_learning(parents: dict[str, str], tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("the cat sat on the mat. " * 40, encoding="utf-8")
    asked = Request(
        task="generate", data=str(book), steps=2, threads=1, parent=parents["gpt2"], settings={"longest": 13}
    )
    prepared = prepare(asked)
    assert prepared.recipe.plan.learning_rate == 5e-5
    assert prepared.card.longest == 13
    assert prepared.card.config["length"] == 61  # all positions are the parent's still
    teach(asked, tmp_path / "run")
    assert load(tmp_path / "run").predict(["the cat"], longest=3)


def test_a_run_with_lora_is_resumed(parents: dict[str, str], tmp_path: Path) -> None:
    asked = Request(
        task="classify",
        data="negation:100",
        steps=3,
        threads=1,
        parent=parents["bert"],
        settings={"lora": 2},
        baseline=False,
    )
    run = teach(asked, tmp_path / "run")
    (tmp_path / "run" / "report.html").unlink()
    again = resume(tmp_path / "run")
    for name, value in run.model.state_dict().items():
        assert torch.equal(value, again.model.state_dict()[name]), name


def test_without_a_parent_there_is_nothing_to_hold() -> None:
    with pytest.raises(InputError, match="name one"):
        prepare(Request(task="classify", data="negation:100", settings={"freeze": 1}))


def test_a_copy_of_a_model_with_lora_is_a_model_with_lora() -> None:
    model = small("gpt")
    add_lora(model, 2)
    assert torch.equal(copy.deepcopy(model)(*inputs("gpt")), model(*inputs("gpt")))
