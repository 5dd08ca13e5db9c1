"""`glassformer import`: says what came in, and what to do with it."""

import json
from pathlib import Path

import pytest
from helpers.foreign_models import foreign_folder

from glassformer.commands.ship_models.import_model import import_model
from glassformer.errors import InputError
from glassformer.runs.run import load


def test_it_says_what_came_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import_model(foreign_folder(tmp_path, "gpt2"), out=tmp_path / "run")
    assert "283 tokens, cut as gpt2's are." in capsys.readouterr().out
    import_model(foreign_folder(tmp_path, "bert"), out=tmp_path / "other")
    assert f"glassformer train classify DATA --from {tmp_path / 'other'}" in capsys.readouterr().out
    import_model(tmp_path / "gpt2", out=tmp_path / "third", json=True)
    assert json.loads(capsys.readouterr().out)["model"] == "gpt"


def test_what_is_not_taken_in_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import_model(foreign_folder(tmp_path, "bert-masked"), out=tmp_path / "run")
    assert "Of this BertForMaskedLM the encoder was taken in; its head, which names" in capsys.readouterr().out
    import_model(foreign_folder(tmp_path, "bert-classes"), out=tmp_path / "classes")
    assert "head" not in capsys.readouterr().out
    with pytest.raises(InputError, match=r"brought in without a head to answer with; finetune it \(--from\)"):
        load(tmp_path / "run").predict(["good"])


def test_the_command_that_goes_on_can_be_pasted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import_model(foreign_folder(tmp_path, "bert"), out=tmp_path / "i bert")
    assert f'DATA --from "{tmp_path / "i bert"}"' in capsys.readouterr().out
    with pytest.raises(InputError, match="holds a run already; remove it, or choose another --out"):
        import_model(tmp_path / "bert", out=tmp_path / "i bert")
    with pytest.raises(InputError, match='hf download OWNER/NAME --local-dir "no where"'):
        import_model(Path("no where"), out=tmp_path / "new")


def test_where_transformers_would_end_or_cut_otherwise_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = foreign_folder(tmp_path, "gpt2")
    config, settings = (
        json.loads((folder / name).read_text(encoding="utf-8")) for name in ("config.json", "tokenizer_config.json")
    )
    end = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"][settings["eos_token"]]

    def said(eos: object, later: object, number: int) -> str:
        (folder / "config.json").write_text(json.dumps({**config, "eos_token_id": eos}), encoding="utf-8")
        (folder / "generation_config.json").write_text(json.dumps(later), encoding="utf-8")
        import_model(folder, out=tmp_path / f"run{number}")
        return capsys.readouterr().out.split("\n", 1)[1]  # below what came in

    assert said(end, {}, 0) == said(9, {"eos_token_id": [end]}, 1) == ""  # the newer file counts
    assert f"ends what is written at {settings['eos_token']} and at" in said(end, {"eos_token_id": [end, 9]}, 2)
    assert f"; here only {settings['eos_token']} does." in said(9, {}, 3)
    content = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    content["pre_tokenizer"]["add_prefix_space"] = True
    (folder / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    silent = {**{name: value for name, value in settings.items() if name != "add_prefix_space"}}
    (folder / "tokenizer_config.json").write_text(
        json.dumps(silent | {"tokenizer_class": "GPT2Tokenizer"}), encoding="utf-8"
    )
    assert "transformers cuts texts otherwise" in said(end, {}, 4)
    import_model(folder, out=tmp_path / "run5", json=True)
    (sentence,) = json.loads(capsys.readouterr().out)["warnings"]
    assert sentence.startswith("transformers cuts texts otherwise")
