"""How quickly a page shows a model: size of the file, first picture, opening a head, for texts of 30 to 1,024 tokens.

    .venv/bin/python bench/view.py [--quick]
    .venv/bin/python bench/view.py --beside CHECKOUT    the first picture of this version and of another, in turns

Each text is looked at twice: as one file from disk, and as a page that asks for one head at a time, as the studio does.
Then the studio itself: from opening the room to the answer of each bundled model, and how much a look at five
tokens sends; and a given number changed again and again in By hand: from the key to the changed number on the page.
"""

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import torch
from playwright.sync_api import Browser, Page, sync_playwright

from glassformer.inside.document.data import stage_numbers, view_data
from glassformer.inside.looks import Look, look_at_classifier
from glassformer.inside.page.one_file import look_page, view_script, view_style
from glassformer.models.registry import build, configure

LENGTHS = (30, 256, 512, 1024)
ROUNDS = 25
HEAD = "encoder.3.self.weights"
ASKED = ("encoder.0.self.", "encoder.3.self.")  # the part that is open at first, and that of HEAD
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


Answer = Callable[[str, int | None], Any]
MOUNTING = """async () => {
  const given = JSON.parse(document.scripts[0].textContent);
  window.view = await mount(document.querySelector('main'), given, { fetchHead: fetched });
}"""


def mounting_page(look: Look, path: Path) -> int:
    """A page that asks for one head at a time; gives the size of what comes along."""
    document = json.dumps(view_data(look, packed=False, later=True))
    script = f"{view_script()}\nwindow.mount = mount;"
    data = f"<script type='application/json'>{document.replace('<', chr(92) + 'u003c')}</script>"
    head = f"<!doctype html><meta charset='utf-8'><style>{view_style()}</style>"
    path.write_text(f"{head}<main></main>{data}<script type='module'>{script}</script>", encoding="utf-8")
    return len(document)


def mounted(browser: Browser, path: Path, answer: Answer) -> tuple[float, float]:
    """Seconds until the first number is explained, and until another head is drawn."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.expose_function("fetched", answer)
    start = time.perf_counter()
    page.goto(path.as_uri())
    page.evaluate(MOUNTING)
    taken = time.perf_counter() - start
    first, head = opened(page, "window.view")
    page.close()
    return taken + first, head


def one_head_at_a_time(browser: Browser, look: Look, folder: Path) -> tuple[float, float, float]:
    path = folder / "mounting.html"
    size = mounting_page(look, path)
    return size / 1e6, *mounted(browser, path, lambda address, head: stage_numbers(look, address, head))


# --- beside another version ---


def make(folder: Path, length: int) -> None:
    """The page of whichever version is imported, and the numbers that it may ask for, beside it."""
    look = look_of(length)
    mounting_page(look, folder / "mounting.html")
    stages = [each for each in view_data(look, packed=False, later=True)["stages"] if each.get("why") == "later"]
    asked = [
        (each["address"], head)
        for each in stages
        if each["address"].startswith(ASKED)
        for head in ((0, 2) if "H" in each["axes"] and each["stored"][each["axes"].index("H")] > 1 else (None,))
    ]
    numbers = {f"{address}/{head}": stage_numbers(look, address, head) for address, head in asked}
    (folder / "numbers.json").write_text(json.dumps(numbers), encoding="utf-8")


def beside(checkout: Path) -> None:
    """Two versions in turn, in an order drawn anew each round: every round gives one ratio."""
    chance = random.Random(0)
    homes = {"this": Path(__file__).parents[1], "other": checkout.resolve()}
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as place:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for length in LENGTHS[:2]:
            pages = {}
            for name, home in homes.items():
                folder = Path(place, f"{name}-{length}")
                folder.mkdir()
                command = [sys.executable, __file__, "--make", str(folder), str(length)]
                subprocess.run(command, env={**os.environ, "PYTHONPATH": str(home / "src")}, check=True)
                numbers = json.loads((folder / "numbers.json").read_text(encoding="utf-8"))
                pages[name] = (folder / "mounting.html", partial(kept, numbers))
                mounted(browser, *pages[name])  # the browser is warm
            ratios = []
            for _ in range(ROUNDS):
                taken = {name: mounted(browser, *pages[name])[0] for name in chance.sample(sorted(pages), 2)}
                ratios.append(taken["this"] / taken["other"])
            low, median, high = statistics.quantiles(ratios, n=4)
            print(f"{length} tokens, first picture, this / other: {median:.2f} ({low:.2f} to {high:.2f})", flush=True)
        browser.close()


def kept(numbers: dict[str, Any], address: str, head: int | None) -> Any:
    return numbers[f"{address}/{head}"]


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
    from glassformer.runs.run import find  # not every version that is measured beside this one has them
    from glassformer.studio.first_looks import first_look

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
    if "--make" in sys.argv:
        make(Path(sys.argv[-2]), int(sys.argv[-1]))
    elif "--beside" in sys.argv:
        beside(Path(sys.argv[-1]))
    else:
        main()
