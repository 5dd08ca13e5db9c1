"""The pages of `look` in a real browser, from disk with the network off: each task, and a model that was watched."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from helpers.browsing import click_cell, close_all_but, listen, number
from helpers.small_runs import small_run
from playwright.sync_api import Page, expect

import glassformer as gf
from glassformer.inside.shown import Shown
from glassformer.runs.run import load

pytestmark = pytest.mark.browser
Open = Callable[..., Page]


@pytest.fixture
def opened(blank_page: Page, tmp_path: Path) -> Iterator[Open]:
    """Saves a look and opens it. At the end: nothing was complained of, and nothing asked for."""
    complaints: list[str] = []

    def show(look: Shown, hash_: str = "") -> Page:
        saved = look.save(tmp_path / "page.html")
        page = blank_page.context.new_page()
        page.set_viewport_size({"width": 1440, "height": 900})
        listen(page, complaints, ("file:",))
        page.goto(f"{saved.path.as_uri()}{hash_}")
        page.wait_for_selector(".gf .path .last")
        return page

    yield show
    close_all_but(blank_page)
    assert not complaints


def adds_up(page: Page) -> None:
    """A number of the second row is clicked; its terms make it."""
    click_cell(page, 1, 0)
    values = [number(text) for text in page.locator(".terms tbody td:last-child").all_inner_texts()]
    assert len(values) > 1
    assert number(page.locator(".number .figure").inner_text()) == pytest.approx(sum(values), abs=2e-3 * len(values))


def test_a_class(opened: Open, tmp_path: Path) -> None:
    look = load(small_run(tmp_path / "feelings").path).look("the film was not good")
    page = opened(look, "#at=encoder.1.self.mixed&head=1")
    expect(page.locator(".title")).to_have_text("feelings")
    expect(page.locator(".about")).to_contain_text("trained to classify negation")
    expect(page.locator(".text .token")).to_have_text(["the", "film", "was", "not", "good"])
    best = look.answer["items"][0]
    expect(page.locator(".answer-item.best")).to_contain_text(best["name"])
    expect(page.locator(".answer-item.best")).to_contain_text(f"{best['share']:.3f}")
    adds_up(page)


def test_a_text_gone_on_with(opened: Open, tmp_path: Path) -> None:
    look = load(small_run(tmp_path / "run", "answers").path).look("3 1 2", longest=5)
    assert len(look.look.texts.own) > look.answer["read"]  # these weights do go on
    page = opened(look, f"#view=answer&row={look.answer['read'] - 1}")
    written = page.locator(".text .token.written")
    assert written.count() == len(look.look.texts.own) - look.answer["read"]
    expect(written.first).to_have_attribute("title", "written by the model")
    expect(page.locator(".answer.panel")).to_contain_text("It went on with")
    page.locator(".text .token").first.click()
    expect(page.locator(".answer.panel")).to_contain_text("Really followed by")
    page.goto(f"{page.url.partition('#')[0]}#at=blocks.1.self.scores")
    page.reload()
    page.wait_for_selector(".gf .path .last")
    adds_up(page)


def test_a_translation_beside_the_one_it_is_led_along(opened: Open, tmp_path: Path) -> None:
    look = load(small_run(tmp_path / "run", "pairs").path).look("the third of May", target="1984-05-03")
    page = opened(look, "#view=answer")
    expect(page.locator(".sides tr.differs th")).to_have_text(str(look.answer["divergence"] + 1))
    assert page.locator(".text").count() == 2
    page.goto(f"{page.url.partition('#')[0]}#at=decoder.1.cross.mixed&head=2")
    page.reload()
    page.wait_for_selector(".gf .path .last")
    expect(page.locator(".path")).to_contain_text("cross-attention")
    adds_up(page)


def test_a_model_that_was_watched(opened: Open) -> None:
    model = torch.nn.Transformer(6, 2, 1, 1, 13, batch_first=True).eval()
    seen = gf.watch(model).run(torch.randn(1, 7, 6), torch.randn(1, 5, 6))
    look = seen.look(tokens=["<b>I</b>", "love", "AI", "!", "</script>"], context=list("ABCDEFG"))
    page = opened(look, "#at=decoder.layers.0.multihead_attn.mixed")
    expect(page.locator(".text .token")).to_have_text([*"ABCDEFG", "<b>I</b>", "love", "AI", "!", "</script>"])
    expect(page.locator(".about")).to_contain_text("3 attentions")
    adds_up(page)


def test_hostile_words_are_only_words(opened: Open, tmp_path: Path) -> None:
    text = '</script><script>alert(1)</script>"><img src=x onerror=alert(1)>\u202e1'
    page = opened(load(small_run(tmp_path / "<i>run", "answers").path).look(text, longest=0))
    expect(page.locator(".title")).to_have_text("<i>run")
    assert page.locator("img, iframe, .gf script, .gf i").count() == 0
