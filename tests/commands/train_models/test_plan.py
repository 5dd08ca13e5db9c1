"""`glassformer plan`: says what it will cost."""

import json

import pytest

from glassformer.commands.train_models import plan as plan_command
from glassformer.commands.train_models.plan import plan
from glassformer.errors import InputError
from glassformer.training.request import Request

GPT2 = ("vocabulary=50257", "width=768", "layers=12", "heads=12", "hidden=3072", "length=1024", "accumulate=5")


def on_paper(capsys: pytest.CaptureFixture[str], **options: object) -> str:
    plan("generate", model="gpt", set_=GPT2, tokens=294.9e9, tokens_per_step=491_520, processes=8, **options)
    return capsys.readouterr().out


def test_gpt_2_on_paper(capsys: pytest.CaptureFixture[str]) -> None:
    said = on_paper(capsys, device="a100-40", share=1.0)
    assert "124,439,808 parameters, 8.54e+08 FLOPs a token" in said
    assert "28 hours in all" in said
    assert "What limits is compute" in said


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(on_paper(capsys, device="a100", json=True))
    assert found["seconds"] == pytest.approx(28 * 3600 / 0.4, rel=0.01)
    assert found["limit"] == "compute"


def test_what_does_not_fit_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    large = ("vocabulary=32000", "width=8192", "layers=80", "heads=64", "hidden=22016")
    plan("generate", model="modern", set_=large, tokens=1e9, tokens_per_step=1000, device="a100")
    assert "What limits is memory: it does not fit" in capsys.readouterr().out


def test_the_columns_of_data_can_be_named_and_fewer_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Request] = []

    def planned(request: Request, where: object) -> None:
        asked.append(request)
        raise InputError("enough")

    monkeypatch.setattr(plan_command, "plan_request", planned)
    with pytest.raises(InputError, match="enough"):
        plan("classify", "a.csv", text="smiles", label="kind", encoding="cp1251", limit=7, steps=3)
    assert asked[0].columns == {"text": "smiles", "label": "kind"}
    assert (asked[0].encoding, asked[0].limit, asked[0].steps) == ("cp1251", 7, 3)


def test_a_plan_needs_data_or_tokens() -> None:
    with pytest.raises(InputError, match="Name the data to plan for; or, to plan on paper, how many --tokens"):
        plan("generate")
