"""The sentences that all reports share: what a verdict means, how a finding is told. Lays nothing out."""

from glassformer.by_hand.checking.findings import LOOK_AGAIN, MEANINGS, Finding, Report, Unchecked
from glassformer.errors import counted, visible


def place(finding: Finding) -> str:
    """`V, row 2, column 1`: in words, so that nobody asks whether rows count from 0 or from 1."""
    where = [] if finding.row is None else [f"row {finding.row}", f"column {finding.col}"]
    return visible(", ".join([part for part in (finding.name, *where) if part]) or "this number")


def doubt(finding: Finding) -> str:
    """How sure it is, where the verdict does not say so; empty if no reading of the notes allows the number."""
    return "" if finding.level == "rounding" or finding.sure == "impossible" else finding.sure


def sentence(finding: Finding) -> str:
    """One line that says it all."""
    ours = f"we get {minus(finding.right)}" if finding.verdict == LOOK_AGAIN else f"{minus(finding.right)} is right"
    text = f"{place(finding)}: {minus(finding.printed)} is printed, {ours}; "
    text += f"{finding.verdict}: {MEANINGS[finding.verdict]}"
    if finding.follows:
        text += f" ({lines_in_words(finding.follows)})"
    text += f", {doubt(finding)}" if doubt(finding) else ""
    return text + (
        f". Probable cause: {visible(finding.cause)}." if finding.cause and finding.verdict != "formula" else "."
    )


def lines_in_words(numbers: tuple[int, ...]) -> str:
    """`line 3`, `lines 3, 5 and 8`."""
    words = [str(number) for number in numbers]
    if len(words) == 1:
        return f"line {words[0]}"
    return f"lines {', '.join(words[:-1])} and {words[-1]}"


def look_again(report: Report) -> str:
    """`2 numbers to look at again.`; empty if there are none."""
    count = sum(finding.verdict == LOOK_AGAIN for finding in report.findings)
    return f"{counted(count, 'number')} to look at again." if count else ""


def minus(text: str) -> str:
    """With a real minus sign, no idle spaces, and nothing that steers a terminal."""
    return visible(text).replace("-", "−").replace("− ", "−")


def groups(findings: list[Finding]) -> list[list[Finding]]:
    """Findings that belong to one printed matrix, together."""
    answer: list[list[Finding]] = []
    for finding in findings:
        last = answer[-1][-1] if answer else None
        if last is not None and _key(last) == _key(finding):
            answer[-1].append(finding)
        else:
            answer.append([finding])
    return answer


def _key(finding: Finding) -> tuple[str, int, str, str, str | None]:
    return finding.file, finding.line, finding.name, finding.verdict, finding.cause


def summary(report: Report) -> str:
    """How much was checked: what every report begins with."""
    coverage = report.coverage
    if not coverage.look_like_results:
        return "Checked nothing: no number here looks like a result"
    share = f" ({100 * coverage.share:.0f} %)" if coverage.look_like_results > 1 else ""
    many = "numbers that look like results" if coverage.look_like_results > 1 else "number that looks like a result"
    return f"Checked {coverage.checked} of {coverage.look_like_results} {many}{share}"


def marks_sentence(report: Report) -> str:
    """As a teacher counts; empty if nothing was checked."""
    marks = report.marks
    through = f", {marks['follow_through']} of them by following through" if marks["follow_through"] else ""
    return f"{marks['right']} of {marks['numbers']} compared numbers right{through}" if marks["numbers"] else ""


def ending(report: Report, *, strict: bool = False, least: float = 0.0) -> str:
    """The outcome, in a sentence or two; empty where findings say it."""
    outcome = report.outcome_for(strict=strict, least=least)
    return "" if outcome == "wrong" else f"{_ending(report, outcome, least)} {look_again(report)}".rstrip()


def _ending(report: Report, outcome: str, least: float) -> str:
    coverage = report.coverage
    match outcome:
        case "nothing checked" if look_again(report):
            return "No number could be checked beyond doubt."
        case "nothing checked" if coverage.look_like_results:
            return "Nothing could be checked: no number follows from others in a way that could be read."
        case "nothing checked" if report.unreadable:
            first = report.unreadable[0]
            return f"Nothing could be checked. Line {first.line}: {first.why.rstrip('.')}."
        case "nothing checked":
            return "Nothing could be checked. Notes need claims such as Q = X W_Q = [[1, 0], [1, 1]]."
        case "too little checked":
            return f"Too little could be checked: {100 * coverage.share:.0f} %, and {100 * least:.0f} % were asked for."
    if coverage.checked < coverage.look_like_results:
        right = f"{coverage.checked} checked numbers are" if coverage.checked > 1 else "one checked number is"
        return f"The {right} right; the others may be right or wrong."
    return "Every number that looks like a result is right."


def unchecked(each: Unchecked) -> str:
    """`line 7: 0.2, 0.4 (not checked: nothing is known of 'W')`."""
    return f"line {each.line}: {minus(each.printed)}: {visible(each.why)}"
