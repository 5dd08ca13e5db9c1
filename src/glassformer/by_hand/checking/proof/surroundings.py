"""What stands on the page around a formula or a printed number, and says that it may be meant otherwise.

Looks at the text alone, and knows nothing of values.
"""

import re

from glassformer.by_hand.grammar.expressions import Negative, Node, Number, Span, Sum, sum_of
from glassformer.by_hand.notes.plain_spelling import SAID_OF_IT, TICKS

_DASH_BEFORE = re.compile(r"(?:^|\n)[ \t>]*[-−–][ \t]+$")
_DASH_FIRST = re.compile(r"[-−–][ \t]")
_ORDINAL = re.compile(r"\$?(?:(?:th|st|nd|rd)\b|\s*per\s?cent)")
_ARRAY = re.compile(r"\b(?:array|asarray|tensor|matrix)\(\s*$")
_COMMAND = re.compile(r"\\(?:text)?color\s*\{[^{}]*\}|\\(?:begin|end)\s*\{[a-z]*\*?\}|\\[A-Za-z]+")
_WORD_AFTER = re.compile(
    r"(?:[ \t]|\\[,;:! ]|~|\*|\})*(?:\\(?:text|mathrm|textrm|mbox|operatorname)\s*\{)?[ \t]*"
    r"(?!(?:and|or|so|but|then|thus|which|where|when|while|because|is|are|as|for|with|by|in|to|not|instead)\b)[^\W\d_]"
)
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_LESS = re.compile(
    r"\W{0,6}(?:\w+\s+)?(?:decrease|reduction|drop|loss|less|lower|decline|fall|below|shorter|smaller)", re.I
)
_RATIO = re.compile(r"[ \t]*:[ \t]*\d")
_COMMENT = re.compile(r"#[^\n#]{0,20}$")
_SIZES = re.compile(r"[\[(]\s*[1-9]\d*(?:\s*,\s*[1-9]\d*)+\s*[\])]")
_SIGN_ABOVE = re.compile(r"(?:^|\n)[ \t]*[A-Za-z+−×*/·^-]\s*$")
_DIGITS_IN_QUOTES = re.compile(r"[\"'“][\d.]+[\"'”]")
_CELL = re.compile(r"(?<!\\)&|\|(?=.*[=])")
_IN_MATRIX = re.compile(r"&?\s*\\\\\s*&|\\begin\{([a-zA-Z]*)\*?\}.*?\\end\{\1\*?\}", re.DOTALL)
_BEGINNING = re.compile(
    r"(?:^|[\n$=≈→⇒,;|‖&>`│/]|\\[\[(\\]|\\(?:approx|to|Rightarrow|implies|item|quad|qquad)|(?<=\w)[.!?]"
    r"|(?:[^\W\d_][^:\n\\{}]{0,30}|[^\d\s}]\s?):|\b(?:and|so|then|thus|hence|gives?|get|have|is|that|with|because|since)\s)"
    r"(?:\s|[-*+•({$~\\]|\\(?:left|displaystyle|large|Large|small|huge|boxed|quad|underbrace|lceil|lfloor|[,;:! ])"
    r"|\d{1,2}[.)]\s|1\s*/"
    r"|\\[dt]?frac\s*\{?1?|1\s*\}(?:\s*\{)?|\\sqrt)*$"
)
_LONGEST_INDENT = 40
_GOES_BEFORE = re.compile(
    r"[-+*/]=\s*$|(?:(?<![\w.,])\d[\d.,]*\}?|[)\]%])"
    r"(?:[$\s]*(?:[÷/*×·⋅+−^-]|\\(?:times|cdot|div|pm|mp)\b)[$\s]*(?:\\left)?[({\[]*\s*|\s+:\s*[({\[]*|:[({\[]*)$"
)
_GOES_AFTER = re.compile(
    r"[\s}]*(?:\\left|\\[bB]igg?l?)\s*[(\[]|[ \t}]*(?:[×*÷·⋅^/]|\\(?:times|cdot|div)\b)\s*[\d({\\]"
)
_BULLET = re.compile(r"\n[ \t>]*[-*+•][ \t]+(?:\*\*|[$`\\\[(])*$")  # of a list; what stands on the line above has ended
_LABELS = re.compile(r"\s?\(\s*\d{1,2}\s*\)?(?:\s*[-+−/*×·]\s*\(?\s*\d{1,2}\s*\))+\s?")
_PAIR = re.compile(r"\d+,\d+")
_APPLIED = re.compile(r"[^\W\d_]\}?\s*\(\s*[-−]?\d[\d.]*\s*\)")
_UNIT_AFTER_MATH = re.compile(
    r"\$\s*(?:[KMGTP]i?B|[kMG]?bits?|bytes?|param(?:eter)?s?|thousand|[a-z]{1,10}ill?i(?:on|ard|one|oni|onen|ones)s?|[nmµ]?s|[km]?g|[kcm]?m|hours?"
    r"|minutes?|seconds?|days?|years?|dollars|degrees?|[GT]?FLOPs?|tokens?|points?|times|per\b|%|°)\b"
)
_ONE_OVER = re.compile(r"(?<![\d.,])1[\s)}]*/\s*[({]*$")  # 1 over something begins below
_DOUBLED = re.compile(r"([^=≈|]{1,40}=[^=≈|]{1,40}|[^=≈|]{1,200}≈[^=≈|]{1,40})\1")
_LONGEST_LINE = 1000
_PARAGRAPH = re.compile(r"\n[ \t>]*\n")
_LETTERED = re.compile(r"(?:^|\n)[ \t>]*(?:[-*][ \t]+)?(?:\*\*)?\(?[a-zA-Z][).](?:\*\*)?[ \t$\\(]*$")
_LETTERED_LINE = re.compile(r"(?:^|\n)[ \t>]*(?:[-*][ \t]+)?(?:\*\*)?\(?[a-zA-Z][).]")
_WRONG = (  # in a dozen languages; a bare "error" is as often what is worked out
    r"\b(?:wrong\w*|incorrect\w*|mistakes?|pitfalls?|(?:find|spot|fix|correct) the (?:error|bug)s?|common errors?"
    r"|yanlış\w*|hatalı\w*|hatasını|hatayı|hata avı|falsch\w*|erreurs? (?:fréquente|courante)s?|erron\w+|faux|fausse"
    r"|erróne\w+|equivocad\w+|errad[oa]s?|sbagliat\w+|błędn\w+|неверн\w*|неправильн\w*|ошибочн\w*|sai lầm|lỗi sai)\b"
    r"|错误(?!率)|误区|誤り|間違|틀린|잘못|[❌✗✘]"
)
_SHOWN_AS_WRONG = re.compile(_WRONG, re.I)
_HEADING = re.compile(
    r"^[ \t]*(?:(#{1,6})[ \t]+(.{1,120})|\\((?:sub)*)section\*?\{([^{}\n]{1,120})\}|\*\*([^*\n]{1,80})\*\*:?[ \t]*$)",
    re.M,
)
_SENTENCE = re.compile(r"(?<=[.!?。])\s+(?=\S)")
_COLUMN = re.compile(r"[ \t]{4,}[^\W\d_]\S*[ \t]*[=≈]")
_SHORT_FLOATS = re.compile(r"\bfloat(?:16|32)\b|\bb?f(?:loat|p)?16\b|\bfp32\b|[=≈]\s*[-−]?inf\b", re.I)
_NEARBY = 200  # signs: some lines of the same block
_REMARK = 30  # signs after a chain
_FAR = 4000  # signs in which a heading is looked for
_MODULO = re.compile(r"(?<![a-zA-Z])[bp]?mod\b")
_MODULUS = 12  # signs after a chain in which it is named
_ABOUT = re.compile(r"[≈≃≅~∼]|\\(?:approx|simeq|cong|sim|doteq)\b|\babout\b|\broughly\b", re.I)
_END = re.compile(
    rf"(?:[ \t.,;:!*`}}\])│|{TICKS}]|(?i:{SAID_OF_IT})|\\[,;:! )\]]|\\(?:right|qquad|quad)\b|\\end\{{[a-z]*\*?\}})*"
    r"(?:\$|\\\\|\n|$)"
)
_COPIED_FORMULA = re.compile(r"\u200b|[\w)\]]\\(?:text|frac|sum|sqrt|mathbf|begin)\b[^$\n]*[=≈]")


def dash_read_otherwise(first: Node, source: str) -> Node | None:
    """`- 0.5 + 1 = …` at the beginning of a line: a dash of a list may be a minus, and a minus such a dash."""
    before = source[max(0, first.span.start - _LONGEST_INDENT) : first.span.start]
    is_minus = bool(re.search(r"(?:^|\n)[ \t>]*$", before) and _DASH_FIRST.match(source, first.span.start))
    return _sign_turned(first) if is_minus or _DASH_BEFORE.search(before) else None


def _sign_turned(node: Node) -> Node:
    if isinstance(node, Sum):
        return sum_of([_sign_turned(node.terms[0]), *node.terms[1:]], node.span)
    if isinstance(node, Number):
        return Number(node.text, node.span, -node.sign, node.percent)
    return node.of if isinstance(node, Negative) else Negative(node, node.span)


def counts_otherwise(printed: Span, source: str) -> bool:
    """`$9/10 = 90$th` and `0.9 = 90 percent`: the number is said in hundredths, or counts places."""
    return _ORDINAL.match(source, printed.end) is not None


def is_set_by_program(printed: Span, source: str) -> bool:
    """`v = np.array([1, 1])`: a program sets a name, whatever it was before."""
    return _ARRAY.search(source[max(0, printed.start - _LONGEST_INDENT) : printed.start]) is not None


def is_shape_in_comment(printed: Span, source: str) -> bool:
    """`weights = softmax(scores)  # [8, 8]`: how large it is, and not what it is."""
    before = source[max(0, printed.start - _LONGEST_INDENT) : printed.start]
    return bool(_COMMENT.search(before) and _SIZES.match(source, printed.start))


def says_less(printed: Span, source: str) -> bool:
    """`≈ 0.03 decrease`: the word has the sign."""
    return _LESS.match(source, printed.end) is not None


def is_remainder(rest: Span, source: str) -> bool:
    """`1/12 = 3 (mod 5)`, `2^6 ≡ 1 ≡ 8 (mod 7)`: what goes on to the modulus tells of remainders."""
    return _MODULO.search(source, rest.start, rest.end + _MODULUS) is not None


def is_cut(first: Span, source: str) -> bool:
    """Whether a working may begin before: `0.9 : 3 × 4` is read from the 3 on if the colon is taken for a label's."""
    before = _ONE_OVER.sub("", source[max(0, first.start - _LONGEST_INDENT) : first.start])
    before = _BULLET.sub("\n", before)
    return _GOES_BEFORE.search(before) is not None


def has_column_between(first: Span, last: Span, source: str) -> bool:
    """`m = 1/4 = 0.25      m = 4/1`: another column of the page begins with a name of its own."""
    return _COLUMN.search(source, first.end, last.start) is not None


def goes_on(last: Span, source: str) -> bool:
    """`= 1.44 \\left( 0.9 + 0.1 \\right)`: what is taken for a result is the beginning of more."""
    return _GOES_AFTER.match(source, last.end) is not None


def is_applied(working: Span, source: str) -> bool:
    """`Q(0.025)` may be a function of a number, and no product."""
    return _APPLIED.search(source[working.start : working.end]) is not None


def has_labels(working: Span, source: str) -> bool:
    """`(1) + (2)`: equations that have numbers."""
    return _LABELS.fullmatch(source, max(0, working.start - 1), working.end + 1) is not None


def is_decimal_comma(pair: Span, source: str) -> bool:
    """`(0,5)`: a half, perhaps."""
    return _PAIR.fullmatch(source[pair.start : pair.end].strip("()[] ")) is not None


def is_copied_from_page(printed: Span, source: str) -> bool:
    """`3/5=0.63/5 = 0.6`, `y=22=4y = 2^2`: a formula as a page shows it, run together with its source."""
    start = source.rfind("\n", 0, printed.start) + 1
    end = source.find("\n", printed.end)
    line = source[start : end if end >= 0 else None]
    is_doubled = _DOUBLED.search(re.sub(r"\s", "", line[:_LONGEST_LINE])) is not None
    return is_doubled or ("$" not in line and _COPIED_FORMULA.search(line) is not None)


def is_asked(working: Span, source: str) -> bool:
    """`Are they independent? $p q = r$`: whether it is so is the question, and not said."""
    paragraph = _PARAGRAPH.split(source[max(0, working.start - 300) : working.start])[-1]
    return "?" in paragraph


def is_shown_as_wrong(chain: Span, source: str) -> bool:
    """`### A common mistake`, `Find the error:`, `❌ 2 + 3 = 6`, `2 + 3 = 6 (wrong)`: such a chain is no claim."""
    before = source[max(0, chain.start - _FAR) : chain.start]
    above = _HEADING.split(before)[-1].rstrip(" \n\t$\\[`")
    sentence = _SENTENCE.split(_PARAGRAPH.split(above)[-1])[-1]
    after = source[chain.end : chain.end + _REMARK].partition("\n")[0]
    if _SHOWN_AS_WRONG.search(sentence[-300:]) or _SHOWN_AS_WRONG.search(after):
        return True
    return any(_SHOWN_AS_WRONG.search(title) for title in _titles(before))


def _titles(before: str) -> list[str]:
    """The headings above a place: the nearest one, and those that it stands under."""
    answer: list[str] = []
    level = 9
    for match in reversed(list(_HEADING.finditer(before))):
        own = 7 if match[5] else len(match[1]) if match[1] else 1 + len(match[3]) // 3
        if own < level:
            answer.append(match[2] or match[4] or match[5])
            level = own
    return answer


def is_in_short_floats(chain: Span, source: str) -> bool:
    """Where float32 is spoken of, or a result is infinite, another is that of a machine, too, and not exact."""
    return _SHORT_FLOATS.search(source, max(0, chain.start - _NEARBY), chain.end + _NEARBY) is not None


def is_to_be_judged(first: Span, source: str) -> bool:
    """`Which of these are true?` over `(a) 1 + 1 = 3`: the lettered items of a question need not be so."""
    if not _LETTERED.search(source[max(0, first.start - _LONGEST_INDENT) : first.start]):
        return False
    before = source[max(0, first.start - 600) : first.start]
    asked = next((part for part in reversed(_PARAGRAPH.split(before)) if not _LETTERED_LINE.match(part)), "")
    return "?" in _LETTERED_LINE.split(asked)[0]


def is_text(working: Span, source: str) -> bool:
    """`"1" + "1"`: letters that are put together."""
    return _DIGITS_IN_QUOTES.match(source, max(0, working.start - 1)) is not None


def has_unit(printed: Span, source: str) -> bool:
    """Whether a word stands after a number that may be a unit: `96 × 32 ≈ 3 GiB`; or it is one of a ratio: `5 : 2`."""
    patterns = (_WORD_AFTER, _RATIO, _UNIT_AFTER_MATH)
    return any(pattern.match(source, printed.end) for pattern in patterns)


def begins_anew(first: Span, source: str) -> bool:
    """Whether nothing before a working may belong to it: it begins a line, or follows a sign or a label."""
    return _BEGINNING.search(source[max(0, first.start - _LONGEST_INDENT) : first.start]) is not None


def is_about(working: Span, printed: Span, source: str) -> bool:
    """Whether ≈ or the like stands between a working and its result."""
    first, last = sorted((working, printed), key=lambda span: span.start)
    return _ABOUT.search(source, first.end, max(first.end, last.start)) is not None


def ends_there(printed: Span, source: str) -> bool:
    """Whether nothing comes after a number in its line or formula."""
    return _END.match(source, printed.end) is not None


def stands_plainly(working: Span, printed: Span, source: str) -> bool:
    """Whether nothing but a relation stands between a working and its result, and no unit or other word after it."""
    first, last = sorted((working, printed), key=lambda span: span.start)
    if last.start < first.end or has_unit(last, source):
        return False
    if not begins_anew(first, source):
        return False
    between, written = source[first.end : last.start], source[working.start : working.end]
    if ":" in between.replace(":=", ""):
        return False  # `at x = 0.1: ≈ 3`
    if "$" in written or _CELL.search(_IN_MATRIX.sub(" ", written)):
        return False  # from one formula or cell into the next
    if "\n" in written and _SIGN_ABOVE.search(source[max(0, working.start - 200) : working.start]):
        return False  # signs from line to line, which begin above
    return not _LETTERS.search(_COMMAND.sub(" ", between))
