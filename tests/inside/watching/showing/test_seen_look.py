"""A watched pass as a look: tokens as text, a wrong number of them refused, next tokens where there are logits."""

from typing import Any

import pytest
import torch
from helpers.hugging_folders import MAKERS, TEXT, tokenizer
from helpers.watched_models import NanoGPT
from helpers.watching import draw
from torch import nn

import glassformer as gf
from glassformer.inside.watching.showing.seen_look import Read


def gpt2() -> nn.Module:
    torch.manual_seed(4)
    model: nn.Module = MAKERS["gpt2"]().eval()
    return model


def test_a_tokenizer_names_what_the_model_was_run_on_and_what_may_follow() -> None:
    made, model = tokenizer(), gpt2()
    ids = torch.tensor([made(TEXT)["input_ids"][:9]])
    with torch.no_grad():
        look = gf.watch(model).run(ids).look(tokenizer=made).look
        best = model(ids).logits[0].softmax(-1).max(-1)
    assert look.texts.own[:4] == ("The", " cat", " sat", " on")
    assert look.answer is not None
    steps = look.answer["steps"]
    assert [step["items"][0]["id"] for step in steps] == best.indices.tolist()
    assert [step["items"][0]["share"] for step in steps] == pytest.approx(best.values.tolist(), abs=1e-5)
    assert steps[0]["given"]["name"] == " cat"
    assert "is most likely to follow" in look.words


def test_a_wrong_number_of_tokens_is_refused() -> None:
    seen = gf.watch(NanoGPT().eval()).run(draw(1, 7, 15))
    with pytest.raises(gf.InputError, match="These are 5 tokens, but the model had 7 at once"):
        seen.look(list("abcde"))
    with pytest.raises(gf.InputError, match="These are 3 tokens of the context"):
        seen.look(list("abcdefg"), list("abc"))
    assert seen.look(list("abcdefg")).look.texts.own == tuple("abcdefg")


def test_ids_need_a_tokenizer_and_words_are_words() -> None:
    with pytest.raises(gf.InputError, match="hand in the tokenizer too"):
        Read.of([1, 2], (), None)
    with pytest.raises(gf.InputError, match="this is a float"):
        Read.of([1.5], (), None)
    assert Read.of(torch.tensor([4, 5]), (), lambda ids: [f"<{each}>" for each in ids]).tokens == ("<4>", "<5>")


def test_a_text_that_was_written_is_one_matrix_with_all_its_tokens() -> None:
    model, made = gpt2(), tokenizer()
    ids = torch.tensor([made("The cat")["input_ids"]])
    with torch.no_grad(), gf.watch(model) as seen:
        text = model.generate(ids, max_new_tokens=4, min_new_tokens=4, do_sample=False)  # type: ignore[operator]
    look = seen.look(text[0], tokenizer=made).look  # the last one was written and not read
    assert len(look.texts.own) == 5
    assert look.trace["transformer.h.0.attn.weights"].shape == (1, 3, 5, 5)


def test_logits_of_a_model_that_sees_the_future_are_no_next_tokens() -> None:
    torch.manual_seed(4)
    encoder = nn.Sequential(nn.Embedding(13, 12), nn.TransformerEncoderLayer(12, 2, 20, batch_first=True)).eval()
    assert gf.watch(encoder).run(torch.tensor([[1, 2, 3]])).look(list("abc")).look.answer is None


def test_a_model_that_reads_numbers_foretells_no_token() -> None:
    look = gf.watch(NanoGPT().eval()).run(draw(1, 7, 15)).look(list("abcdefg")).look
    assert (look.answer, look.words) == (None, "")


def test_logits_that_are_no_numbers_are_told_and_the_page_is_drawn() -> None:
    model: Any = gpt2()
    model.transformer.wte.weight.data[7] = float("nan")
    shown = gf.watch(model).run(torch.tensor([[3, 7, 9]])).look(list("abc"))
    assert shown.look.answer is None
    assert "nothing can be said of what follows" in shown.look.words
    assert "got NaN" in shown.look.about
    assert shown._repr_html_()


def test_a_model_without_attention_is_shown_by_its_modules() -> None:
    model = nn.Sequential(nn.Embedding(13, 5), nn.LayerNorm(5), nn.Linear(5, 5)).eval()
    seen = gf.watch(model, keep="*").run(torch.tensor([[1, 2, 3]]))
    document = seen.look(list("abc")).document()
    assert [part["title"] for part in document["parts"]] == ["block 1", "block 2", "block 3", "answer"]
    labels = {stage["address"]: stage["labels"] for stage in document["stages"]}
    assert labels["1.module_output"] == [None, "own", None]
