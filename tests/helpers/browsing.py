"""A page that is listened to: whatever it complains of, and whatever it asks for elsewhere, is written down."""

from playwright.sync_api import Page, Route, expect

PATIENCE = 120_000  # milliseconds, on a machine that has much other work; who waits in vain fails all the same
expect.set_options(timeout=PATIENCE)


def listen(page: Page, complaints: list[str], own: tuple[str, ...]) -> None:
    """Writes down errors, warnings, dialogs, and requests for what is not one's `own`. What is refused on purpose, with
    a 422, is told on the page; that a browser calls it an error as well is no complaint."""
    page.on(
        "console",
        lambda said: (
            complaints.append(said.text) if said.type in ("error", "warning") and "422" not in said.text else None
        ),
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(f"a dialog: {dialog.message}"))
    page.on("request", lambda ask: None if ask.url.startswith(own) else complaints.append(ask.url))


def close_all_but(kept: Page) -> None:
    """Closes what was opened beside a page, and forgets what was kept: whoever comes next comes for the first time."""
    for page in kept.context.pages:
        if page is not kept:
            page.close()
    kept.evaluate("localStorage.clear()")


def number(text: str) -> float:
    """A figure of the page, as a number."""
    return float(text.replace("−", "-").replace("∞", "inf"))


def click_cell(page: Page, row: int, column: int) -> None:
    """A click in the middle of a cell of the matrix."""
    place = page.evaluate(
        """([row, column]) => {
          const { matrix } = document.getElementById("view").view;
          matrix.frame.scrollIntoView({ block: "center" });
          const box = matrix.canvas.getBoundingClientRect();
          return [box.left + matrix.left + (column + 0.5) * matrix.w, box.top + matrix.top + (row + 0.5) * matrix.h];
        }""",
        [row, column],
    )
    page.mouse.click(*place)


class Held:
    """Requests for an action wait from now on, until all are let go: those that came, and those on their way."""

    def __init__(self, page: Page, action: str) -> None:
        self.page, self.address = page, f"**/do/{action}"
        self.waiting: list[Route] = []
        self.open = False
        page.route(self.address, self._hold)

    def _hold(self, route: Route) -> None:
        if self.open:
            route.continue_()
        else:
            self.waiting.append(route)

    def let_go(self) -> None:
        self.open = True
        for route in self.waiting:
            route.continue_()
