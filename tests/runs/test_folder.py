"""A run on the disk: what is saved comes back to the bit, and nothing that is damaged, strange or too large gets in."""

import json
import math
import os
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
from helpers.killing import run_script
from helpers.small_models import SMALL, inputs, small
from helpers.small_runs import small_run
from hypothesis import given
from hypothesis import strategies as st

from glassformer import storage
from glassformer.errors import GlassformerError, InputError
from glassformer.models import weights
from glassformer.models.card import FORMAT, Card
from glassformer.models.config import to_dict
from glassformer.models.registry import MODELS, build
from glassformer.runs.folder import RunFolder, to_toml
from glassformer.storage import DamagedError
from glassformer.text.tasks import tasks_for
from glassformer.text.token_kinds import SPECIAL
from glassformer.text.tokens import Tokens

TOKENS = Tokens("character", [*SPECIAL, *"abcdefghijklmnopqrstuvwx"])  # 29 of them


def card_of(name: str, model: torch.nn.Module, **changed: Any) -> Card:
    task = tasks_for(MODELS[name].family)[0]
    objective = {"classify": "classes", "translate": "pairs", "generate": "stream"}[task]
    labels = ("bad", "fine", "good") if task == "classify" else ()
    # recurrent and dense models keep no config of their own
    config = to_dict(model.config) if hasattr(model, "config") else None
    settings = {"vocabulary": 29, **({"classes": 3} if labels else {}), **SMALL[name]}
    config = config or {**to_dict(MODELS[name].default), **settings}
    return Card(
        task=task, model=name, config=config, objective=objective, labels=labels, longest=23, seed=3, **changed
    )  # fmt: skip


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return RunFolder.create(tmp_path / "run", settings={"run": {"seed": 3}})


# --- the model --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_save_and_load_give_the_same_bits_and_saving_again_the_same_bytes(run: RunFolder, name: str) -> None:
    model = small(name)
    random_state = torch.get_rng_state()
    run.save_model(card_of(name, model), model.state_dict(), TOKENS)
    before = {path.name: path.read_bytes() for path in (run.path / "model").iterdir()}
    card, state, tokens = RunFolder.open(run.path).load_model()
    assert torch.equal(torch.get_rng_state(), random_state)
    again = build(card.model, card.settings).eval()
    again.load_state_dict(state)
    with torch.no_grad():
        assert torch.equal(model(*inputs(name)), again(*inputs(name)))
    assert tokens == TOKENS
    assert card == card_of(name, model)
    run.save_model(card, again.state_dict(), tokens)
    assert {path.name: path.read_bytes() for path in (run.path / "model").iterdir()} == before
    assert sorted(before) == ["config.json", "manifest.json", "model.safetensors", "tokenizer.json"]


@pytest.mark.parametrize("name", ["modern", "translator"])
def test_in_half_the_room_a_model_has_its_numbers_rounded_to_eleven_bits(run: RunFolder, name: str) -> None:
    model = small(name)
    sizes = []
    for half in (False, True):
        run.save_model(card_of(name, model), model.state_dict(), TOKENS, half=half)
        sizes.append(sum(value.nbytes for value in safetensors.torch.load(_weights(run)).values()))
    assert sizes[0] == 2 * sizes[1]
    _, state, _ = run.load_model()
    for key, value in model.state_dict().items():
        assert state[key].dtype == torch.float32
        assert torch.equal(state[key], value.half().float())


def _weights(run: RunFolder) -> bytes:
    return (run.path / "model" / "model.safetensors").read_bytes()


def test_a_tied_matrix_is_written_once_also_from_copies(run: RunFolder) -> None:
    model = small("modern")
    copies = {name: value.clone() for name, value in model.state_dict().items()}
    for state in (model.state_dict(), copies):
        run.save_model(card_of("modern", model), state, TOKENS)
        written = safetensors.torch.load(_weights(run))
        assert set(copies) - set(written) == {"head.linear.weight"}
        assert set(run.load_model()[1]) == set(copies)
    copies["head.linear.weight"] += 1
    with pytest.raises(InputError, match="are one matrix, and these differ"):
        run.save_model(card_of("modern", model), copies, TOKENS)


def test_every_damaged_file_of_a_model_is_noticed_and_named(run: RunFolder) -> None:
    model = small("translator")
    run.save_model(card_of("translator", model), model.state_dict(), TOKENS)
    draw = random.Random(5)
    for path in sorted((run.path / "model").iterdir()):
        whole = path.read_bytes()
        for _ in range(20):
            place = draw.randrange(len(whole))
            for damaged in (
                whole[:place],
                whole + b"\n",
                whole[:place] + bytes([whole[place] ^ (1 << draw.randrange(8))]) + whole[place + 1 :],
            ):
                path.write_bytes(damaged)
                with pytest.raises(DamagedError, match=r"model/[\w.]+ is damaged"):
                    run.load_model()
        path.write_bytes(whole)
    run.load_model()


def test_a_run_without_a_model_says_so(run: RunFolder) -> None:
    with pytest.raises(InputError, match="no model yet; resume the run"):
        run.load_model()


# --- hostile files ----------------------------------------------------------------------------------------------


def planted(run: RunFolder, **changed: bytes) -> None:
    """A model folder whose manifest is right and whose content is not: damage is one thing, malice another."""
    files = storage.read_folder(run.path / "model")
    storage.write_folder(run.path / "model", files | {name.replace("__", "."): each for name, each in changed.items()})


@pytest.fixture
def modern(run: RunFolder) -> RunFolder:
    model = small("modern")
    run.save_model(card_of("modern", model), model.state_dict(), TOKENS)
    return run


def with_card(run: RunFolder, change: dict[str, Any]) -> None:
    content = json.loads((run.path / "model" / "config.json").read_text())
    content["config"] |= change.pop("config", {}) if isinstance(change.get("config", {}), dict) else {}
    planted(run, config__json=json.dumps(content | change).encode())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"auto_map": "evil.py"}, "has no 'auto_map'"),
        ({"format": FORMAT + 1, "something_new": 1}, "reads formats up to 1. Use a newer one"),
        ({"format": 0}, "1 or more"),
        ({"format": "1"}, "`format` must be a int"),
        ({"format": True}, "`format` must be a int"),
        ({"model": "modrn"}, "did you mean 'modern'"),
        ({"model": "os.system"}, "There is no model called"),
        ({"task": "destroy"}, "There is no task called"),
        ({"objective": "reversed"}, "There is no objective called"),
        ({"objective": "pairs"}, "cannot have learnt 'pairs' to generate"),
        ({"objective": ["stream"]}, "`objective` must be a str"),
        ({"labels": [1, 2]}, "are texts"),
        ({"longest": 0}, "1 or more"),
        ({"longest": 1e9}, "`longest` must be a int"),
        ({"seed": -1}, "not below 0"),
        ({"config": []}, "`config` must be a dict"),
        ({"config": {"width": 2**31, "vocabulary": 2**31}}, "tokenizer has 29"),
        ({"config": {"width": 2**31, "heads": 2**30}}, "No modern can be built|would have"),
        ({"config": {"layers": 10**9}}, "at most 1,000"),
        ({"config": {"layers": 0}}, "do not fit"),
        ({"config": {"hidden": 2**31}}, "would have"),
        ({"config": {"length": 2**31, "positions": "sinusoidal"}}, "would have"),
        ({"config": {"width": -1}}, "whole number from 1 up"),
        ({"config": {"width": True}}, "whole number from 1 up"),
        ({"config": {"width": "12"}}, "whole number from 1 up"),
        ({"config": {"layers": False}}, "whole number from 1 up"),
        ({"config": {"norm": "__import__"}}, "norm cannot be"),
        ({"config": {"weigher": "sofmax"}}, "did you mean 'softmax'"),
        ({"config": {"trust_remote_code": True}}, "no setting 'trust_remote_code' here"),
        ({"config": {"layers": 3}}, "do not fit: 'blocks.2"),
        ({"config": {"hidden": 17}}, "do not fit"),
        ({"config": {"vocabulary": 31}}, "knows 31 tokens, but its tokenizer has 29"),
    ],
)
def test_a_hostile_card_is_refused(modern: RunFolder, change: dict[str, Any], said: str) -> None:
    with_card(modern, change)
    with pytest.raises(InputError, match=said):
        modern.load_model()


def test_500_mutated_cards_meet_only_our_errors(modern: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda _: None)  # what is planted need not last
    content = json.loads((modern.path / "model" / "config.json").read_text())
    draw = random.Random(11)
    longest = 0
    strange = [None, -1, 0, 1, 2**31, 2**63, 10**30, 1e308, math.nan, "", "x" * 10_000, [], [[]], {}, True, "rotary"]
    for _ in range(500):
        card = json.loads(json.dumps(content))
        for _ in range(draw.randint(1, 3)):
            where = card["config"] if draw.random() < 0.7 and isinstance(card.get("config"), dict) else card
            where[draw.choice([*where, "new"])] = draw.choice(strange)
        planted(modern, config__json=json.dumps(card).encode())
        try:
            modern.load_model()
        except GlassformerError as error:
            longest = max(longest, len(str(error)))
    assert 0 < longest < 2000


def test_hostile_weights_are_refused(modern: RunFolder) -> None:
    whole = (modern.path / "model" / "model.safetensors").read_bytes()
    state = weights.from_bytes(whole, Path("model.safetensors"))
    written = safetensors.torch.load(whole)
    some = "final_norm.weight"
    for content, said in (
        (b"", "header is said to have 0 bytes"),
        (b"\xff" * 100, "header is said to have"),
        ((2_000_000).to_bytes(8, "little") + b" " * 2_000_100, "header is said to have 2,000,000"),
        (whole[:-4], "no file of weights"),
        (whole + b"1234", "no file of weights"),
        (weights.to_bytes({**state, "more": torch.zeros(3)}), "'more' belongs to no part"),
        (weights.to_bytes({name: value for name, value in state.items() if name != some}), f"'{some}' is missing"),
        (weights.to_bytes({**state, some: state[some].double()}), "float64; this model needs"),
        (weights.to_bytes({**state, some: state[some][:1].clone()}), "has shape"),
        (safetensors.torch.save(written, {"same": '{"head.linear.weight": "nobody"}'}), "cannot be the same"),
        (safetensors.torch.save(written, {"same": '{"head.linear.weight": 1}'}), "not told by names"),
        (safetensors.torch.save(written, {"same": "["}), "not JSON"),
    ):
        planted(modern, model__safetensors=content)
        with pytest.raises(GlassformerError, match=said):
            modern.load_model()


def test_mutants_of_a_weights_file_load_or_meet_our_error(modern: RunFolder) -> None:
    whole = (modern.path / "model" / "model.safetensors").read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    draw = random.Random(13)
    for _ in range(2000):
        mutant = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            mutant[draw.randrange(header)] = draw.randrange(256)
        try:
            weights.from_bytes(bytes(mutant), Path("model.safetensors"))
        except DamagedError:
            continue


# --- settings and log -------------------------------------------------------------------------------------------

PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False)
WRITTEN = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = PLAIN | WRITTEN | st.lists(st.integers(-9, 9) | WRITTEN)


@given(st.dictionaries(WRITTEN, VALUES | st.dictionaries(WRITTEN, VALUES | st.dictionaries(WRITTEN, VALUES))))
def test_settings_come_back_as_they_were(settings: dict[str, Any]) -> None:
    def without_none(content: dict[str, Any]) -> dict[str, Any]:
        said = {name: value for name, value in content.items() if value is not None}
        return {name: without_none(each) if isinstance(each, dict) else each for name, each in said.items()}

    assert tomllib.loads(to_toml(settings)) == without_none(settings)


def test_settings_that_stand_in_no_table_are_refused(run: RunFolder) -> None:
    path = run.path / "config.toml"
    path.write_text("run = 3\n", encoding="utf-8")
    with pytest.raises(DamagedError, match=r"config\.toml is damaged: 'run' stands in no table"):
        _ = run.settings


def test_a_folder_that_holds_a_run_is_not_made_into_another(run: RunFolder, tmp_path: Path) -> None:
    assert RunFolder.open(run.path).settings == {"run": {"seed": 3}}
    with pytest.raises(InputError, match=r"holds a run already; resume it \(--resume .*, or choose another --out"):
        RunFolder.create(run.path, settings={})
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file"):
        RunFolder.create(tmp_path / "file", settings={})
    for path, said in ((tmp_path, "holds no run"), (tmp_path / "nowhere", "is no folder")):
        with pytest.raises(InputError, match=said):
            RunFolder.open(path)


def test_the_log_outlives_a_line_cut_in_half(run: RunFolder) -> None:
    assert run.metrics() == []
    run.log({"step": 1, "loss": 2.5})
    run.log({"step": 2, "loss": math.nan})
    with (run.path / "metrics.jsonl").open("ab") as file:
        file.write(b'{"step": 3, "lo')
    first = [{"step": 1, "loss": 2.5}, {"step": 2, "loss": None}]
    assert run.metrics() == first
    run.log({"step": 3, "loss": 1.5})
    assert run.metrics() == [*first, {"step": 3, "loss": 1.5}]
    run.rewind(1)
    assert run.metrics() == first[:1]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"step": "2"}', "`step` is '2'"),
        ('{"step": true}', "`step` is True"),
        ('{"event": "judged", "step": 2, "seconds": null, "loss": 1.5}', "`seconds` is None"),
        ('{"event": "step", "step": 2, "seconds": 1.0, "loss": [2]}', r"`loss` is \[2\]"),
        ('{"event": "step", "step": 2, "seconds": NaN, "loss": null}', "`seconds` is nan"),
        ('{"step"', "not JSON"),
    ],
)
def test_a_log_that_somebody_has_edited_is_refused_with_its_line(run: RunFolder, line: str, said: str) -> None:
    run.log({"event": "step", "step": 1, "seconds": 0.5, "loss": math.nan})
    with (run.path / "metrics.jsonl").open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(DamagedError, match=rf"metrics\.jsonl is damaged: .*{said}"):
        run.metrics()


# --- checkpoints ------------------------------------------------------------------------------------------------


def state_of(step: int) -> dict[str, torch.Tensor]:
    matrix = torch.full((5, 7), float(step))
    return {"model.a": matrix, "model.b": matrix, "turned": matrix.T + 1, "random": torch.get_rng_state()}


def save(run: RunFolder, step: int, **choices: Any) -> None:
    run.save_checkpoint(step, state_of(step), {"step": step, "best": math.inf}, **choices)


def best_step(run: RunFolder) -> int:
    return int(run.best_checkpoint().progress["step"])


def test_a_checkpoint_comes_back_to_the_bit_and_what_was_shared_is_shared(run: RunFolder) -> None:
    save(run, 7, value=0.5)
    tensors, progress, skipped = run.newest_checkpoint()
    assert progress == {"step": 7, "best": math.inf}
    assert skipped == []
    wanted = state_of(7)
    assert tensors.keys() == wanted.keys()
    assert all(torch.equal(tensors[name], wanted[name]) for name in wanted)
    assert tensors["model.a"] is tensors["model.b"]


def test_the_best_and_the_last_two_are_kept(run: RunFolder) -> None:
    for step, best in ((10, True), (20, True), (30, False), (40, False), (50, False)):
        save(run, step, best=best)
    assert run.checkpoints() == [20, 40, 50]
    assert run.newest_checkpoint().progress["step"] == 50
    assert best_step(run) == 20
    save(run, 60, best=True)
    assert run.checkpoints() == [50, 60]
    assert best_step(run) == 60
    save(run, 55)  # gone on from 50; 60 was the best and stays so
    assert run.checkpoints() == [50, 55, 60]


def test_the_log_is_on_the_disk_before_a_checkpoint_says_that_its_step_was_done(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a power cut the log has every line that led to the checkpoint, under a name that is there."""
    order: list[str] = []
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (order.append(Path(f"/dev/fd/{file}").resolve().name), sync(file))[1])
    run.log({"event": "step", "step": 10, "loss": 1.0, "lr": 0.1, "seconds": 1.0, "tokens": 1})
    assert order == []  # a line costs no sync
    save(run, 10)
    assert order.index("metrics.jsonl") < order.index("run") < order.index("state.safetensors")
    assert order[-1] == "checkpoints"


def test_all_are_kept_for_a_time_lapse(run: RunFolder) -> None:
    for step in range(1, 10):
        save(run, step, best=step == 1, keep_every=3)
    assert run.checkpoints() == [1, 3, 6, 8, 9]


def test_half_and_damaged_checkpoints_are_passed_over_and_named(run: RunFolder) -> None:
    for step in range(1, 6):
        save(run, step, keep_every=1)
    folder = run.path / "checkpoints"
    (folder / "step-00000005" / "manifest.json").unlink()
    (folder / "step-00000004" / "state.safetensors").write_bytes(b"half")
    (folder / "step-00000006").mkdir()
    (folder / ".step-00000007.part").mkdir()
    _, progress, skipped = run.newest_checkpoint()
    assert progress["step"] == 3
    assert [each.split("checkpoints/")[1][:13] for each in skipped] == [
        "step-00000006", "step-00000005", "step-00000004"
    ]  # fmt: skip
    save(run, 4)
    assert run.checkpoints() == [3, 4]
    assert sorted(path.name for path in folder.iterdir()) == ["step-00000003", "step-00000004"]


def test_where_nothing_is_whole_that_is_said(run: RunFolder) -> None:
    for ask in (run.newest_checkpoint, run.best_checkpoint):
        with pytest.raises(InputError, match="no checkpoint to resume from"):
            ask()
    with pytest.raises(DamagedError, match="no whole checkpoint"):
        run.checkpoint(1)
    save(run, 1)
    assert run.checkpoint(1).progress["step"] == 1
    (run.path / "checkpoints" / "step-00000001" / "progress.json").write_bytes(b"{}")
    with pytest.raises(DamagedError, match="no whole checkpoint"):
        run.newest_checkpoint()


SAVER = """
import sys
import torch
from helpers.killing import killed_in_a_loop
from glassformer.runs.folder import RunFolder

torch.set_num_threads(1)
run = RunFolder(sys.argv[1])
state = {"model.a": torch.randn(70, 300), "model.b": torch.randn(31)}

def work(say):
    step = (run.checkpoints() or [0])[-1]
    while True:
        step += 1
        run.log({"step": step})
        run.save_checkpoint(step, state, {"step": step}, best=step % 3 == 0)
        say(step)

def look(said):
    if not run.checkpoints():
        assert said == 0
        return 0
    tensors, progress, skipped = run.newest_checkpoint()
    step = progress["step"]
    assert step in (said, said + 1), (step, said)
    assert skipped == []
    assert torch.equal(tensors["model.a"], state["model.a"])
    assert run.metrics()[-1]["step"] in (step, step + 1)
    return step

killed_in_a_loop(60, work, look)
"""


def test_a_run_killed_60_times_always_goes_on_from_its_last_checkpoint(run: RunFolder) -> None:
    """In one and the same folder, and nothing is ever put in order by hand."""
    run_script(SAVER, run.path)
    save(run, run.checkpoints()[-1] + 1)
    assert not list(run.path.rglob(".*"))


# --- scores -----------------------------------------------------------------------------------------------------


def test_scores_and_certificate_come_back(run: RunFolder) -> None:
    assert run.read_scores() is None
    assert run.read_certificate() is None
    run.write_scores({"accuracy": 0.5, "labels": ["ä"]})
    run.write_certificate({"passed": True})
    assert run.read_scores() == {"accuracy": 0.5, "labels": ["ä"]}
    assert run.read_certificate() == {"passed": True}
    (run.path / "scores.json").write_text("{")
    with pytest.raises(DamagedError, match=r"scores\.json is damaged"):
        run.read_scores()


def test_a_run_as_training_leaves_it(tmp_path: Path) -> None:
    card, state, tokens = small_run(tmp_path / "run").load_model()
    assert card.labels == ("negative", "positive")
    assert card.config["vocabulary"] == len(tokens) == len(state["embedding.weight"])


def test_a_folder_of_another_tool_is_imported_first(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=f"imported first: glassformer import {tmp_path} --out runs/{tmp_path.name}"):
        RunFolder.open(tmp_path)
