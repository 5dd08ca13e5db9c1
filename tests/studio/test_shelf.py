"""The shelf of models: names for run folders, a few loaded at a time."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from helpers.hugging_folders import hugging_folder
from helpers.small_runs import small_run

from glassformer.errors import InputError
from glassformer.studio.shelf import LOADED, Shelf


def test_two_of_one_name_stand_under_two_names_and_mine_come_first(tmp_path: Path) -> None:
    folders = [small_run(tmp_path / place / "mine").path for place in "ab"]
    shelf = Shelf(folders)
    assert shelf.names[:2] == ["mine", "mine-2"]
    assert len(shelf.names) > 2  # those that came with the package
    assert [shelf.folder(name) for name in ("mine", "mine-2")] == folders
    assert shelf.add(folders[1]) == "mine-2"


def test_a_run_of_the_studios_own_folder_is_found_by_its_name_and_no_other_run_is(tmp_path: Path) -> None:
    root = tmp_path / "runs"
    mine, coin = (small_run(root / name).path for name in ("my run", "coin"))
    shelf = Shelf([mine], root=root)
    assert "coin" not in shelf.names  # nothing is loaded that nobody asked for
    assert shelf.folder("coin") == coin
    assert shelf.folder("coin-untrained") == coin
    assert shelf.folder("my run") == mine
    elsewhere = small_run(tmp_path / "elsewhere" / "coin").path
    (root / "empty").mkdir()
    for name in ("elsewhere/coin", "../elsewhere/coin", str(elsewhere), "..", ".", "", "empty", "coin/model"):
        with pytest.raises(InputError, match="There is no model called"):
            shelf.folder(name)


def test_a_run_of_a_race_is_called_by_its_model(tmp_path: Path) -> None:
    for place in ("race/rnn-0", "race/gru-0", "race/gru-1", "alone-0"):
        small_run(tmp_path / place)
    (tmp_path / "race" / "race.json").write_text("{}")
    shelf = Shelf([tmp_path / place for place in ("race/rnn-0", "race/gru-0", "race/gru-1", "alone-0")])
    called = [shelf.called(name) for name in ("rnn-0", "gru-0", "gru-1", "alone-0", "sentiment")]
    assert called == ["rnn of race", "gru 1 of race", "gru 2 of race", "alone-0", "sentiment"]
    assert shelf.called("sentiment-untrained") == "sentiment-untrained"
    with pytest.raises(InputError, match="known: alone-0, english-german, sentiment, shakespeare"):
        shelf.folder("nosuch")


def test_a_run_of_a_race_has_one_name_whoever_asks_for_it_and_when(tmp_path: Path) -> None:
    runs = [small_run(tmp_path / place).path for place in ("spring/rnn-0", "autumn/rnn-0", "autumn/rnn-1")]
    for race in ("spring", "autumn"):
        (tmp_path / race / "race.json").write_text("{}")
    names = ["rnn of spring", "rnn 1 of autumn", "rnn 2 of autumn"]
    for order in ((0, 1, 2), (2, 1, 0)):
        shelf = Shelf()
        for run in runs:
            shelf.offer(run)
        assert not set(shelf.names) & set(names)  # nothing is loaded that nobody asked for
        assert [shelf.folder(names[i]) for i in order] == [runs[i] for i in order]
        assert [shelf.add(run) for run in runs] == names
        assert shelf.folder("rnn of spring-untrained") == runs[0]


def test_a_run_never_stands_under_the_name_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, other = tmp_path / "runs", small_run(tmp_path / "elsewhere" / "coin").path
    coin, second, reviews = (small_run(root / name).path for name in ("coin", "coin-2", "sentiment"))
    shelf = Shelf([other], root=root)
    assert shelf.folder("coin-2") == second  # its own name, though one more coin needs another
    assert shelf.add(other) == "coin-3"
    assert shelf.folder("coin") == coin
    pocket = shelf.folder("sentiment")
    assert pocket != reviews
    assert shelf.folder(shelf.add(reviews)) == reviews
    monkeypatch.chdir(tmp_path)
    assert shelf.add(Path("runs") / "coin") == "coin"  # the same folder, said otherwise
    shelf.remove(reviews)
    assert (shelf.folder("sentiment"), shelf.name_of(reviews)) == (pocket, "")


def test_a_model_stays_loaded_until_it_is_forgotten_or_others_were_asked_for(tmp_path: Path) -> None:
    names = [f"run{i}" for i in range(LOADED + 1)]
    shelf = Shelf([small_run(tmp_path / name, model="bare-attention").path for name in names])
    first = shelf.get("run0")
    assert shelf.get("run0") is first
    shelf.forget("run0")
    again = shelf.get("run0")
    assert again is not first
    for name in names[1:]:
        shelf.get(name)
    assert shelf.get("run0") is not again


def test_what_is_said_of_a_model(tmp_path: Path) -> None:
    mine = small_run(tmp_path / "mine", "pairs")
    mine.write_scores({"bleu": 31.44, "bleu_interval": [29.5, 33.0], "samples": 39, "in_training": 2})
    shelf = Shelf([mine.path])
    about = shelf.about("mine")
    assert about["scored"] == "BLEU 31.4 (29.5 to 33.0, 39 samples)"
    assert about["caution"].startswith("2 of the 39 samples stand in the training part too")
    assert (about["task"], about["model"], about["can_be_led"], about["goes_on"]) == (
        "translate", "translator", True, False
    )  # fmt: skip
    (tmp_path / "mine" / "model" / "model.safetensors").write_bytes(b"")
    shelf.forget("mine")
    assert "model.safetensors" in shelf.about("mine")["error"]
    with pytest.raises(InputError, match="no model called 'mien'; did you mean 'mine'"):
        shelf.get("mien")


def test_a_folder_of_hugging_face_stands_beside_the_runs(tmp_path: Path) -> None:
    place = Path(f"hf:{hugging_folder(tmp_path / 'tiny')}")
    shelf = Shelf([place])
    assert shelf.names[0] == "tiny"
    about = shelf.about("tiny")
    assert (about["model"], about["origin"], about["goes_on"]) == (
        "GPT2LMHeadModel",
        "opened through transformers",
        False,
    )
    assert shelf.model("tiny") is shelf.model("tiny")
    with pytest.raises(InputError, match="no run; it can be looked at"):
        shelf.get("tiny")
    with pytest.raises(InputError, match="There is no folder"):
        Shelf([Path("hf:nowhere")])


def test_two_who_ask_for_one_run_at_once_find_it_under_one_name(tmp_path: Path) -> None:
    runs = [small_run(tmp_path / f"run{number}").path for number in range(7)]
    shelf = Shelf()
    with ThreadPoolExecutor(5) as people:
        names = list(people.map(shelf.add, runs * 11))
        people.map(shelf.remove, runs * 3)
    assert names == [path.name for path in runs] * 11
    assert not any(path.name in shelf.names for path in runs)
