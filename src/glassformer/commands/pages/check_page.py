"""A check's report in the terminal: the line quoted, the wrong number underlined, the right one beside it."""

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from glassformer.by_hand.checking.findings import MEANINGS, Finding, Remark, Report
from glassformer.by_hand.reports.wording import doubt, groups, lines, minus, place, sentence, summary
from glassformer.drawing.terminal import terminal

WIDEST = 108
_SHOWN_MILD = 6
_SHOWN_UNREADABLE = 5


def show_lines(report: Report, *, strict: bool) -> None:
    """One line per finding that counts: `file:line:column: …`."""
    console = Console(highlight=False, soft_wrap=True)
    for finding in report.findings:
        if strict or not finding.is_mild:
            console.print(Text(f"{finding.file}:{finding.line}:{finding.column}: {sentence(finding)}"))


def show_report(report: Report, *, strict: bool) -> None:
    """The whole report."""
    console = terminal()
    width = min(console.width, WIDEST)
    console.print()
    console.print(Text(f"  {', '.join(report.files[:4])}{' …' if len(report.files) > 4 else ''}", style="bold"))
    console.print(Text(f"  {summary(report)}", style="dim"))
    serious = [finding for finding in report.findings if strict or not finding.is_mild]
    mild = [finding for finding in report.findings if finding.is_mild and not strict]
    for number, group in enumerate(groups(serious)):
        console.print()
        _show_group(console, group, width, first=number == 0, alone=len(report.files) == 1)
    console.print()
    if mild:
        _show_mild(console, mild)
    if report.rounded_givens:
        note = "numbers fit only if the given ones were rounded before they were printed; taken so."
        console.print(Text(f"  {report.rounded_givens} {note}", style="dim"))
    if serious:
        marks = report.marks
        through = f", {marks['follow_through']} of them by following through" if marks["follow_through"] else ""
        console.print(Text(f"  {marks['right']} of {marks['numbers']} numbers right{through}", style="dim"))
    _show_unreadable(console, report.unreadable)
    console.print(_ending(report, serious))
    console.print()


def _show_group(console: Console, group: list[Finding], width: int, *, first: bool, alone: bool) -> None:
    head = group[0]
    title = Text("✗ ", style="bold red")
    title.append("First wrong number  " if first else "", style="bold red")
    title.append(place(head), style="bold")
    file = "" if alone and ", " not in head.file else f"{head.file}, "
    title.append(f"   {file}line {head.line}", style="dim")
    console.print(Padding(title, (0, 0, 0, 2), expand=False))
    for line in _quoted(head, width - 6):
        console.print(Text("      ").append_text(line))
    if head.arithmetic:
        console.print(_indented(Text(minus(head.arithmetic), style="green")))
    for other in group[1:]:
        also = Text(f"      also {place(other)}  ", style="dim")
        also.append(minus(other.printed), style="red")
        also.append(" → ", style="dim").append(minus(other.right), style="green")
        console.print(also)
    meaning = Text().append(head.verdict, style="bold")
    meaning.append(f": {MEANINGS[head.verdict]}" + (f" ({lines(head.follows)})" if head.follows else ""))
    console.print(_indented(meaning))
    if doubt(head):
        console.print(_indented(Text(f"how sure: {doubt(head)}", style="yellow")))
    if head.cause and head.verdict != "formula":
        console.print(_indented(Text("probable cause: ").append(head.cause, style="italic")))


def _indented(text: Text) -> Padding:
    """Under the quoted line, also where it needs a second line."""
    return Padding(text, (0, 0, 0, 6), expand=False)


def _quoted(finding: Finding, room: int) -> list[Text]:
    """The line around the number, and under it a mark with the right number beside."""
    quote, at = finding.quote, finding.column - 1
    before, number = quote[:at], quote[at : at + max(1, finding.length)]
    after = quote[at + len(number) :]
    space = max(10, (room - len(number)) // 2)
    if len(before) > space:
        before = "…" + before[-space + 1 :]
    rest = room - len(before) - len(number)
    if len(after) > rest:
        after = after[: max(0, rest - 1)] + "…"
    top = Text(before, style="dim").append(number, style="bold red not dim").append(after, style="dim")
    under = (
        Text(" " * len(before))
        .append("‾" * len(number), style="red")
        .append(f" {minus(finding.right)}", style="bold green")
    )
    return [top, under]


def _show_mild(console: Console, mild: list[Finding]) -> None:
    for verdict in ("cut-off", "doubtful"):
        found = [finding for finding in mild if finding.verdict == verdict]
        if not found:
            continue
        count = f"{len(found)} number{'s' if len(found) > 1 else ''}"
        console.print(Text(f"  ~ {count} {verdict}: {MEANINGS[verdict]} (counts with --strict)", style="yellow"))
        for finding in found[:_SHOWN_MILD]:
            text = Text(f"      line {finding.line}  {place(finding)}  {minus(finding.printed)}", style="dim")
            console.print(
                text.append(
                    f"  rounded: {minus(finding.right)}" if verdict == "cut-off" else f"  {minus(finding.right)}"
                )
            )
        if len(found) > _SHOWN_MILD:
            console.print(Text(f"      and {len(found) - _SHOWN_MILD} more", style="dim"))


def _show_unreadable(console: Console, unreadable: list[Remark]) -> None:
    if not unreadable:
        return
    console.print(Text(f"  ? {len(unreadable)} not read", style="dim"))
    for remark in unreadable[:_SHOWN_UNREADABLE]:
        console.print(Text(f"      {remark.file.rpartition('/')[2]}, line {remark.line}: {remark.why}", style="dim"))
    if len(unreadable) > _SHOWN_UNREADABLE:
        console.print(Text(f"      and {len(unreadable) - _SHOWN_UNREADABLE} more; --json lists them all", style="dim"))


def _ending(report: Report, serious: list[Finding]) -> Text:
    if serious:
        return Text("")
    if report.claims == len(report.unreadable):
        return Text(
            "  Nothing could be read. Notes need claims such as Q = X W_Q = [[1, 0], [1, 1]].", style="bold yellow"
        )
    if not report.checked:
        return Text(
            "  Nothing could be checked: the notes give numbers, but none that follow from others.", style="bold"
        )
    return Text("  ✓ Every number that could be checked is right.", style="bold green")
