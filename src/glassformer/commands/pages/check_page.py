"""A check's report in the terminal: the line quoted, the wrong number underlined, the right one beside it."""

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from glassformer.by_hand.checking.findings import LOOK_AGAIN, MEANINGS, Coverage, Finding, Report
from glassformer.by_hand.reports.wording import (
    doubt,
    ending,
    groups,
    lines_in_words,
    look_again,
    marks_sentence,
    minus,
    place,
    sentence,
    summary,
    unchecked,
)
from glassformer.drawing.terminal import terminal
from glassformer.errors import counted, visible

WIDEST = 108
_SHOWN_MILD = 6
_SHOWN_AGAIN = 12
_SHOWN_UNCHECKED = 8
_SHOWN_FILES = 60
_SIGNS = {"fine": ("✓", "green"), "wrong": ("✗", "red"), "fault": ("!", "bold red")}  # by outcome


def show_lines(report: Report, *, strict: bool, least: float) -> None:
    """One line per finding that counts, `file:line:column: …`; and one if nothing, or too little, could be checked."""
    console = Console(highlight=False, soft_wrap=True)
    for finding in report.findings:
        if strict or not finding.is_mild:
            where = visible(f"{finding.file}:{finding.line}:{finding.column}")
            console.print(Text(f"{where}: {sentence(finding)}"))
    for fault in report.faults:
        console.print(Text(visible(f"{fault.file}: {fault.why}")))
    if report.outcome_for(strict=strict, least=least) not in ("fine", "wrong"):
        console.print(Text(f"{visible(_files(report))}: {ending(report, strict=strict, least=least)}"))


def _files(report: Report) -> str:
    return report.files[0] if len(report.files) == 1 else f"{len(report.files)} files"


def show_report(report: Report, *, strict: bool, least: float = 0.0) -> None:
    """The whole report."""
    console = terminal()
    width = min(console.width, WIDEST)
    console.print()
    console.print(Text(visible(f"  {_files(report)}"), style="bold"))
    console.print(Text(f"  {summary(report)}"))
    if len(report.each) > 1:
        _show_files(console, report)
    serious = [finding for finding in report.findings if strict or not finding.is_mild]
    mild = [finding for finding in report.findings if finding.is_mild and not strict]
    for number, group in enumerate(groups(serious)):
        console.print()
        _show_group(console, group, width, first=number == 0, alone=len(report.files) == 1)
    console.print()
    _show_again(console, [finding for finding in mild if finding.verdict == LOOK_AGAIN], width)
    _show_mild(console, mild)
    if report.rounded_givens:
        note = "numbers fit only if the given ones were rounded before they were printed; taken so if they are near."
        console.print(Text(f"  {report.rounded_givens} {note}", style="dim"))
    if serious:
        console.print(Text(f"  {marks_sentence(report)}", style="dim"))
    _show_unchecked(console, report.coverage, alone=len(report.files) == 1)
    for fault in report.faults:
        console.print(Text(f"  ! {visible(fault.file)}: {visible(fault.why)}", style="bold red"))
    outcome = report.outcome_for(strict=strict, least=least)
    if outcome != "wrong":
        sign, style = ("✓ ", "bold green") if outcome == "fine" and not report.faults else ("", "bold yellow")
        console.print(Text(f"  {sign}{ending(report, strict=strict, least=least)}", style=style))
    console.print()


def _show_files(console: Console, report: Report) -> None:
    """A line for each file."""
    for each in report.each[:_SHOWN_FILES]:
        brief = each.in_brief()
        sign, style = _SIGNS.get(brief["outcome"], ("–", "yellow"))
        words = "" if brief["outcome"] in _SIGNS else "nothing could be checked"
        if brief["outcome"] == "wrong":
            words = f"first wrong number in line {brief['first_wrong_line']}"
        words += f"{', ' if words else ''}{look_again(each)}" if brief["look_again"] else ""
        line = Text("  ").append(f"{sign} ", style=style)
        line.append(f"{brief['checked']:>5} of {brief['look_like_results']:<5} ", style="dim")
        console.print(line.append(visible(brief["file"])).append(f"  {words}", style="dim"), soft_wrap=True)
    if len(report.each) > _SHOWN_FILES:
        console.print(Text(f"    and {len(report.each) - _SHOWN_FILES} more files; --json lists them all", style="dim"))


def _show_group(console: Console, group: list[Finding], width: int, *, first: bool, alone: bool) -> None:
    head = group[0]
    title = Text("✗ ", style="bold red")
    title.append("First wrong number  " if first else "", style="bold red")
    title.append(place(head), style="bold")
    file = "" if alone and ", " not in head.file else f"{visible(head.file)}, "
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
    meaning.append(f": {MEANINGS[head.verdict]}" + (f" ({lines_in_words(head.follows)})" if head.follows else ""))
    console.print(_indented(meaning))
    if doubt(head):
        console.print(_indented(Text(f"how sure: {doubt(head)}", style="yellow")))
    if head.cause and head.verdict != "formula":
        console.print(_indented(Text("probable cause: ").append(visible(head.cause), style="italic")))


def _indented(text: Text) -> Padding:
    """Under the quoted line, also where it needs a second line."""
    return Padding(text, (0, 0, 0, 6), expand=False)


def _quoted(finding: Finding, room: int, style: str = "red") -> list[Text]:
    """The line around the number, and under it a mark with the right number beside."""
    quote, at = visible(finding.quote).replace("\t", " "), finding.column - 1
    before, number = quote[:at], quote[at : at + max(1, finding.length)]
    after = quote[at + len(number) :]
    space = max(10, (room - len(number)) // 2)
    if len(before) > space:
        before = "…" + before[-space + 1 :]
    rest = room - len(before) - len(number)
    if len(after) > rest:
        after = after[: max(0, rest - 1)] + "…"
    top = Text(before, style="dim").append(number, style=f"bold {style} not dim").append(after, style="dim")
    under = (
        Text(" " * len(before))
        .append("‾" * len(number), style=style)
        .append(f" {minus(finding.right)}", style="bold green")
    )
    return [top, under]


def _show_again(console: Console, found: list[Finding], width: int) -> None:
    """What is unequal and may be meant otherwise: line, what we get and how, and what is not certain."""
    if not found:
        return
    title = f"  ≠ {counted(len(found), 'number')} to look at again: {MEANINGS[LOOK_AGAIN]} (counts with --strict)"
    console.print(Text(title, style="yellow"))
    for group in groups(found)[:_SHOWN_AGAIN]:
        head = group[0]
        console.print(_indented(Text(f"{place(head)}   line {head.line}", style="dim")))
        for line in _quoted(head, width - 6, style="yellow"):
            console.print(Text("      ").append_text(line))
        told = f"{minus(head.arithmetic)}; " if head.arithmetic else ""
        console.print(_indented(Text(f"{told}{doubt(head)}", style="dim")))
    rest = len(groups(found)) - _SHOWN_AGAIN
    if rest > 0:
        console.print(_indented(Text(f"and {rest} more; --json lists them all", style="dim")))
    console.print()


def _show_mild(console: Console, mild: list[Finding]) -> None:
    for verdict in ("cut-off", "doubtful"):
        found = [finding for finding in mild if finding.verdict == verdict]
        if not found:
            continue
        count = counted(len(found), "number")
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


def _show_unchecked(console: Console, coverage: Coverage, *, alone: bool) -> None:
    """What was not checked, and why: nobody should take silence for a tick."""
    if not coverage.unchecked:
        return
    count = coverage.look_like_results - coverage.checked
    console.print(Text(f"  ? {count} not checked", style="yellow"))
    for each in coverage.unchecked[:_SHOWN_UNCHECKED]:
        file = "" if alone and ", " not in each.file else f"{visible(each.file.rpartition('/')[2])}, "
        console.print(_indented(Text(f"{file}{unchecked(each)}", style="dim")))
    rest = sum(each.count for each in coverage.unchecked[_SHOWN_UNCHECKED:])
    if rest:
        console.print(_indented(Text(f"and {rest} more; --json lists them all", style="dim")))
