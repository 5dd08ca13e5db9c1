"""A model of another tool as a run folder."""

from pathlib import Path

import pytest
from helpers.foreign_models import foreign_folder

from glassformer.errors import InputError
from glassformer.runs.folder import RunFolder
from glassformer.runs.imported import import_model
from glassformer.runs.run import load


def test_it_is_a_run_like_any_other(tmp_path: Path) -> None:
    run = import_model(foreign_folder(tmp_path, "gpt2"), tmp_path / "run", command="glassformer import gpt2")
    assert run.folder == tmp_path / "run"
    assert RunFolder(run.folder).settings["imported"]["command"] == "glassformer import gpt2"
    assert load(tmp_path / "run").tokens == run.tokens
    with pytest.raises(InputError, match="holds a run already"):
        import_model(tmp_path / "gpt2", tmp_path / "run")


def test_what_is_refused_leaves_no_run_behind(tmp_path: Path) -> None:
    folder = foreign_folder(tmp_path, "gpt2")
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError):
        import_model(folder, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_one_byte_of_its_special_tokens_changed_is_noticed(tmp_path: Path) -> None:
    import_model(foreign_folder(tmp_path, "bert-classes"), tmp_path / "run")
    path = tmp_path / "run" / "model" / "special_tokens.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"pad": 0', '"pad": 1'), encoding="utf-8")
    with pytest.raises(Exception, match="damaged"):
        load(tmp_path / "run")
