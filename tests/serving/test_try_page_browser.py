"""The page to try the models, in a real browser; and a page of another site, which can do nothing."""

import json
import re
from pathlib import Path

import pytest
from helpers.server_visits import serving, small_models
from playwright.sync_api import Browser, Route, expect

pytestmark = pytest.mark.browser


def greedily(route: Route) -> None:
    """The same request, but nothing is drawn: a text that is may end at once."""
    route.continue_(post_data=json.dumps({**json.loads(route.request.post_data or ""), "temperature": 0}))


def test_a_model_can_be_tried_on_the_page(browser: Browser, tmp_path: Path) -> None:
    runs = small_models(tmp_path)
    with serving(runs) as (_, address):
        page = browser.new_page()
        faults: list[str] = []
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.goto(f"{address}/")
        page.select_option("#model", "classes")
        page.fill("#text", "the film was not good")
        page.click("#go")
        expect(page.locator("#answer")).to_contain_text("positive")
        assert "curl" in page.inner_text("#curl")
        page.select_option("#model", "stream")
        page.fill("#text", "the cat")
        page.route("**/v1/completions", greedily)
        page.click("#go")
        expect(page.locator("#answer")).to_have_text(re.compile("the cat.{5,}", re.DOTALL))
        page.select_option("#model", "pairs")
        page.fill("#text", " ")
        page.click("#go")
        expect(page.locator("#answer")).to_contain_text("is empty")
        assert not [fault for fault in faults if "422" not in fault]
        page.close()


def test_a_page_of_another_site_can_neither_ask_nor_read(browser: Browser, tmp_path: Path) -> None:
    asking = """async (address) => {
      const ways = [
        {method: "GET"}, {method: "POST", body: '{"input": "a"}'},
        {method: "POST", body: '{"input": "a"}', headers: {"content-type": "application/json"}},
        {method: "POST", body: '{"input": "a"}', mode: "no-cors"},
      ];
      const said = [];
      for (const way of ways) {
        try { said.push((await fetch(address + "/v1/classify", way)).type); } catch { said.push("refused"); }
      }
      return said;
    }"""
    with serving(small_models(tmp_path)) as (server, address), serving(small_models(tmp_path / "other")) as (_, other):
        page = browser.new_page()
        page.goto(f"{other}/healthz")
        assert page.evaluate(asking, address) == ["refused", "refused", "refused", "refused"]
        page.close()
        assert server.roster.models["classes"].workshop.turns == 0
