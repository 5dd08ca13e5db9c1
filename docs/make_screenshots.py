"""Takes the screenshots of the docs from the real studio, as `.venv/bin/python docs/make_screenshots.py`.

It needs Debian's chromium. With `--all FOLDER` it takes every view in light and dark, on a desk, a tablet and a
telephone, for somebody to look at them.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

FOLDER = Path(__file__).parent / "pictures"
DESK, TABLET, PHONE = (1440, 900), (1024, 768), (390, 844)
VIEWS = {
    "by-hand": "room=by-hand&example=i-love-ai&cell=scores,2,2",
    "why": "room=inside&model=sentiment&text=the film was not good at all&instead=the film was really good at all",
    "inside": "room=inside&tab=numbers&model=english-german&text=Where is the station?",
    "judge": "room=inside&tab=numbers&model=sentiment&text=not a good film, but I loved every minute of it",
    "write": "room=inside&tab=numbers&model=shakespeare&text=To be, or not to be",
    "heads": "room=inside&tab=numbers&view=heads&model=sentiment&text=the film was not good at all",
    "next": "room=inside&model=shakespeare",
    "race": "room=race",
    "train": "room=train",
    "lessons": "room=lessons",
    "lesson": "lesson=1-a-query-meets-a-key&step=4",
}
OF_THE_DOCS = ("by-hand", "why", "inside", "lesson")


@contextmanager
def studio() -> Iterator[str]:
    """The address of a studio that is open as long as it is needed."""
    command = [sys.executable, "-m", "glassformer", "studio", "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        yield next(line.split(" at ")[1].strip() for line in running.stderr if " at " in line)
        running.terminate()


def opened(browser: Browser, address: str, size: tuple[int, int], theme: str) -> Page:
    """The page once it shows what the address asks for."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if theme == "dark" else "light"
    )
    page = context.new_page()
    page.add_init_script("localStorage.setItem('glassformer-toured', 'yes')")
    page.goto(address)
    page.wait_for_selector("#studio[data-ready]")
    page.wait_for_load_state("networkidle")
    page.wait_for_function("() => !document.body.innerText.includes('weighing every part')", timeout=120_000)
    page.wait_for_timeout(1500)  # what flashes when it changes has come to rest
    return page


def main(everything: Path | None) -> None:
    """The pictures of the docs, or all views in all looks."""
    every = [(size, look) for size in (DESK, TABLET, PHONE) for look in ("light", "dark")]
    looks = every if everything else every[:1]
    with studio() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name in OF_THE_DOCS if everything is None else VIEWS:
            for size, look in looks:
                page = opened(browser, f"{address}#{VIEWS[name]}", size, look)
                place = FOLDER / f"{name}.png" if everything is None else everything / f"{name}-{size[0]}-{look}.png"
                page.screenshot(path=place)
                page.context.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[2]) if sys.argv[1:2] == ["--all"] else None)
