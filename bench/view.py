"""How quickly a page shows a model: size of the file, first picture, opening a head, for texts of 30 to 1,024 tokens.

    .venv/bin/python bench/view.py [--quick]

Each text is looked at twice: as one file from disk, and as a page that asks for one head at a time, as the studio does.
Then the studio itself: from opening the room to the answer of each model that came along, and how much a look at five
tokens sends; and a given number changed again and again in By hand: from the key to the changed number on the page.
"""

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from playwright.sync_api import Browser, Page, sync_playwright

from glassformer.inside.document.data import stage_numbers, view_data
from glassformer.inside.looks import Look, look_at_classifier
from glassformer.inside.page.one_file import look_page, view_script, view_style
from glassformer.models.registry import build, configure
from glassformer.runs.run import find
from glassformer.studio.first_looks import first_look

LENGTHS = (30, 256, 512, 1024)
HEAD = "encoder.3.self.weights"
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def look_of(length: int) -> Look:
    torch.manual_seed(0)
    settings = {"vocabulary": 2000, "classes": 2, "width": 64, "layers": 4, "heads": 4, "hidden": 128, "length": 1024}
    model = build("transformer", configure("transformer", **settings)).eval()
    ids = [int(each) for each in torch.randint(5, 2000, (length,))]
    return look_at_classifier(model, ids, [f"w{each}" for each in ids], ["no", "yes"], title=f"{length} tokens")


def opened(page: Page, view: str) -> tuple[float, float]:
    """Seconds until the first number is explained, and from a click until another head is drawn."""
    start = time.perf_counter()
    page.wait_for_selector(".gf .number .figure", timeout=300_000)
    first = time.perf_counter() - start
    start = time.perf_counter()
    page.evaluate(f"() => {view}.go({{ at: '{HEAD}', head: 2 }})")
    page.evaluate(SETTLED)
    return first, time.perf_counter() - start


def from_disk(browser: Browser, look: Look, folder: Path) -> tuple[float, float, float]:
    path = folder / "page.html"
    path.write_text(look_page(view_data(look)), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    start = time.perf_counter()
    page.goto(path.as_uri(), timeout=300_000)
    loaded = time.perf_counter() - start
    first, head = opened(page, "document.getElementById('view').view")
    page.close()
    return path.stat().st_size / 1e6, loaded + first, head


def one_head_at_a_time(browser: Browser, look: Look, folder: Path) -> tuple[float, float, float]:
    document = json.dumps(view_data(look, packed=False, later=True))
    path = folder / "mounting.html"
    script = f"{view_script()}\nwindow.mount = mount;"
    data = f"<script type='application/json'>{document.replace('<', chr(92) + 'u003c')}</script>"
    head = f"<!doctype html><meta charset='utf-8'><style>{view_style()}</style>"
    whole = f"{head}<main></main>{data}<script type='module'>{script}</script>"
    path.write_text(whole, encoding="utf-8")
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.expose_function("fetched", lambda address, head: stage_numbers(look, address, head))
    start = time.perf_counter()
    page.goto(path.as_uri())
    given = "JSON.parse(document.scripts[0].textContent)"
    mounting = f"window.view = await mount(document.querySelector('main'), {given}, {{ fetchHead: fetched }});"
    page.evaluate(f"async () => {{ {mounting} }}")
    mounted = time.perf_counter() - start
    first, head = opened(page, "window.view")
    page.close()
    return len(document) / 1e6, mounted + first, head


EDITS = 50
# Types a number into the first given cell, and waits until the first number that follows from it is another.
EDIT = """async (number) => {
  const given = document.querySelector('.givens td input');
  const place = document.querySelector('.working');
  const shown = () => place.querySelector('[data-stage=queries] .figure-cell').textContent;
  const before = shown();
  const start = performance.now();
  given.value = number;
  given.dispatchEvent(new Event('input', { bubbles: true }));
  while (shown() === before) await new Promise((done) => requestAnimationFrame(done));
  return performance.now() - start;
}"""


LOOKS = {"sentiment": "the film was not good", "english-german": "Where is the station?", "shakespeare": "To be"}
TIMES = 5
# Opens a door, and waits until the first sentence of the answer is drawn.
FIRST = """async ([model, start]) => {
  location.hash = 'room=race';
  while (document.querySelector('main.room').dataset.room !== 'race') await new Promise((done) => setTimeout(done, 5));
  const begin = performance.now();
  location.hash = `room=inside&model=${model}`;
  const drawn = () => document.querySelector('main .why .first')?.textContent.startsWith(start);
  while (!drawn()) await new Promise((done) => requestAnimationFrame(done));
  return performance.now() - begin;
}"""


@contextmanager
def studio(browser: Browser) -> Iterator[tuple[str, Page]]:
    """The address of a studio, and a page for it."""
    command = [sys.executable, "-m", "glassformer", "studio", "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        address = next(line.split(" at ")[1].strip() for line in running.stderr if " at " in line)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script("localStorage.setItem('glassformer-toured', 'yes')")
        yield address, page
        page.close()
        running.terminate()


def edits(address: str, page: Page) -> list[float]:
    """Milliseconds of each edit."""
    page.goto(f"{address}#room=by-hand&example=i-love-ai")
    page.wait_for_selector("[data-stage=weights]")
    return sorted(float(page.evaluate(EDIT, str(2 + i))) for i in range(EDITS))


def first_looks(address: str, page: Page) -> None:
    """For each model: milliseconds until its answer is there, and the bytes of a look at five tokens."""
    print("\n| model | its first answer, ms (median and slowest of 5) | a look at five tokens, MB |\n|---|---|---|")
    for model, text in LOOKS.items():
        times = []
        for _ in range(TIMES):
            page.goto("about:blank")
            page.goto(f"{address}#room=race")
            page.wait_for_selector("#studio[data-ready]")
            said = first_look(find(model))["why"]["sentences"][0].partition(":")[0]
            times.append(float(page.evaluate(FIRST, [model, said])))
            page.wait_for_load_state("networkidle")
        with page.expect_response(lambda answer: answer.url.endswith("/inside/look")) as look:
            page.goto(f"{address}#room=inside&tab=numbers&model={model}&text={text}")
        size = len(look.value.body()) / 1e6
        print(f"| {model} | {statistics.median(times):.0f}, {max(times):.0f} | {size:.2f} |", flush=True)


def main() -> None:
    lengths = LENGTHS[:2] if "--quick" in sys.argv else LENGTHS
    print("| tokens | way | MB | first picture, s | another head, s |\n|---|---|---|---|---|")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for length in lengths:
            look = look_of(length)
            ways = {"one head at a time": one_head_at_a_time}
            ways |= {"one file": from_disk} if length <= 512 else {}
            for way, measure in ways.items():
                size, first, head = measure(browser, look, Path(folder))
                print(f"| {length} | {way} | {size:.2f} | {first:.2f} | {head:.2f} |", flush=True)
        with studio(browser) as (address, page):
            first_looks(address, page)
            times = edits(address, page)
        print(f"\nAn edit in By hand: median {statistics.median(times):.0f} ms, slowest of {EDITS} {times[-1]:.0f} ms.")
        browser.close()


if __name__ == "__main__":
    main()
