"""Notes as they are meant, sign for sign in the same place: what only frames or colours a number is blanked, habits of
typing (`0.42x1`, `~`, `\\[1, 0]`) are respelt, and what makes no claim (front matter, links, pictures) is left out.

Every answer is as long as the text it was made from. Where a habit may mean two things, it stays. Knows no values.
"""

import re
from collections.abc import Callable

Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], str]]


LONGEST_LINE = 5000  # signs; a longer line is taken as it is


def plainly(text: str, suffix: str) -> str:
    """The text of Markdown, LaTeX or plain notes, respelt."""
    is_tex = suffix == ".tex"
    text = _TEX_SILENT.sub(_blank, text) if is_tex else _front_matter(_without_remarks(text))
    text = _ALIGNED.sub(_as_lines, _without_boxes(text))
    has_names = is_tex or _NAMED_X.search(text) is not None
    lines = [
        line if len(line) > LONGEST_LINE else _plain_line(line, is_tex=is_tex, has_names=has_names)
        for line in text.split("\n")
    ]
    return _without_braces("\n".join(lines))


def _plain_line(line: str, *, is_tex: bool, has_names: bool) -> str:
    if not is_tex:
        line = line.translate(_WIDE)
        line = _TABLE_OF_CONTENTS.sub(_blank, _SILENT.sub(_blank, line))
        line = _LINK.sub(lambda match: " " + match[1] + " " * (len(match[0]) - len(match[1]) - 1), line)
        line = _ESCAPED_BRACKET.sub(" [", line)
        line = _TILDE.sub(lambda match: match[0].replace("~=", "≈ ").replace("~", "≈"), line)
        line = _TICK.sub(_blank, line)
        line = _BOLD_WORKING.sub(lambda match: match[0].replace("**", "  "), line)
        line = line if "```" in line else _QUOTED.sub(r"\1;", _QUOTED_NUMBERS.sub(r";\1;", line))
        line = _SLANTED.sub(lambda match: f" {match[1]} ", line)
        line = _LABEL.sub(lambda match: f" {match[1]} ", line)
        line = _BOLD_NUMBER.sub(lambda match: match[0].replace("**", "  "), line)
        line = _DOT_PRODUCT.sub(r"\1·\2", line)
        line = line if has_names else _with_times(line)
        line = _SAID.sub(lambda m: f"{m[1]}{' ' * len(m[2])}{m[3]}{'='.center(len(m[4]))}", line)
        line = _CONVOLVED.sub(lambda m: f"conv({m[1]}, {m[2]}) =".ljust(len(m[0])), line)
    return _seen_through(_LAYOUT.sub(_blank, line)) if "\\" in line else line


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


# --- what makes no claim ----------------------------------------------------------------------------------------------

_SILENT = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)(?:\{[^{}\n]*\})?|<https?://[^>\s]*>|(?<![(\w])https?://[^\s)\]]+")
_TEX_SILENT = re.compile(
    r"\\begin\{(thebibliography|tikzpicture|comment|filecontents\*?)\}.*?\\end\{\1\}"
    r"|\\(?:includegraphics|input|include|bibliography|bibliographystyle|usepackage|documentclass|graphicspath|url|href)"
    r"\*?(?:\[[^\]\n]*\])?\{[^{}\n]*\}|\\setlength\{?\\[A-Za-z]+\}?\{[^{}\n]*\}",
    re.S,
)
_TABLE_OF_CONTENTS = re.compile(r"^[ \t]*(?:[-*+]|\d{1,2}[.)])[ \t]+\[[^\]\n]*\]\(#[^)\n]*\)[ \t]*$", re.M)
_LINK = re.compile(r"(?<!!)\[([^\[\]\n]*)\]\((?:https?:|#|\.{0,2}/|mailto:|[\w-]+[./])[^()\s]*(?:[ ]\"[^\"\n]*\")?\)")
_FENCED_TOP = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?)\n\1[ \t]*(?:\n|\Z)", re.S)
_KEY = re.compile(r"^[\w\"'.-]+\s*[:=]", re.M)


def _without_remarks(text: str) -> str:
    """Without `<!-- … -->`."""
    pieces, position = [], 0
    while (start := text.find("<!--", position)) >= 0 and (end := text.find("-->", start)) >= 0:
        pieces += [text[position:start], re.sub(r"[^\n]", " ", text[start : end + 3])]
        position = end + 3
    return "".join([*pieces, text[position:]])


def _front_matter(text: str) -> str:
    top = _FENCED_TOP.match(text)
    return text if top is None or not _KEY.search(top[2]) else _blank(top) + text[top.end() :]


# --- habits of typing -------------------------------------------------------------------------------------------------

# The stops and signs of Chinese and Japanese; a comma there parts sentences, and is none between decimals.
_WIDE = str.maketrans("，、；。：（）＝＋－", ";;;;:()=+-")
_ESCAPED_BRACKET = re.compile(r"(?<!\\)\\\[(?=[^\[\]\\\n]*\](?!\())")  # \[1, 0] as Markdown editors write [1, 0]
_TILDE = re.compile(r"(?<=[\d)\]%])[ \t]*~=?[ \t]*(?=[-−]?[\d\[.])(?!~)|(?<=[\d)\]%])[ \t]*=[ \t]*~(?=[-−]?\d)")
_BOLD_NUMBER = re.compile(r"(?<![\w*)])\*\*[-−+]?[\d.,%\[\] ;\-−]*\d[\d.,%\[\] ;\-−]*\*\*(?![\w*(])")
_BOLD_WORKING = re.compile(r"(?<![\w*)\]])\*\*(?=[-−\d(\[])[^*\n]*[=≈][^*\n]*(?<=[\d)\]%])\*\*(?![\w*(])")
# `8 × 10 = 80` to `8 × 11 = 88`: each is a working of its own.
_QUOTED = re.compile(r"(`[^`\n]*[=≈][^`\n]*)`(?=[^`\n]*[^\W_][^`\n]*`[^`\n]*[=≈])")
# "has `3×3×3 = 27` weights": nothing but numbers, and the words around it are no part of it.
_QUOTED_NUMBERS = re.compile(r"(?<!`)`((?=[^`\n]*\d)[-−\d\s.,()+*/×·÷√%]+(?:[=≈][-−\d\s.,()+*/×·÷√%]+)+)`(?!`)")
# _x1 = 0.02 × 40 = 0.8_ in slanted type; an underscore within a name has a letter behind it.
_SLANTED = re.compile(r"(?<![^\s(,;:])_(?=[^\s_{}])([^\n`$\\{}]*?[=≈][^\n`$\\{}]*?(?<=[\w)\]%]))_(?![^\s),.;:])")
_LABEL = re.compile(r"(?<![\w_])_([^_\n`$=]{1,60}:)_(?![\w_])")  # _Example (ear shape):_
# What somebody says of a line that came out. A cross, which says the opposite, stays.
TICKS = "✓✔✅☑🎉👍\ufe0f"
SAID_OF_IT = r"[\[(](?:ok|okay|checked|correct|verified|exact)[!.]?[\])]|(?:←|<-+|◄)[^=≈\n]*"  # [ok], ← from above
_TICK = re.compile(rf"[{TICKS}]|(?<=[\d)\]%$`}}])[ \t]+(?:{SAID_OF_IT})[ \t]*$", re.I)
_DOT_PRODUCT = re.compile(r"(?<![\w.])([A-Za-z]_?\d+)\.([A-Za-z]_?\d+)(?=[ \t]*[=≈])")
# softmax of [4, 2] is [0.88, 0.12]
_SAID = re.compile(
    r"\b(softmax|sigmoid|tanh|relu|mean|sum|exp)( of )(\[[^\[\]\n]*\]|\([^()\n]*\))"
    r"( (?:is|gives|equals|yields) )(?=[\[\d-])",
    re.I,
)
# convolving X with K gives [[11, 14]]
_CONVOLVED = re.compile(
    r"\b(?:convolving|convolution of)\s+\$?([A-Z]\w?)\$?\s+(?:with|and)\s+(?:the\s+)?(?:kernel\s+|filter\s+)?"
    r"\$?([A-Z]\w?)\$?\s+(?:is|gives|equals|yields):?\s*(?=\[)",
    re.I,
)
_X = re.compile(r"(?<![\w.])([-−]?\d+(?:\.\d+)?)[ \t]?[xX][ \t]?([-−]?\d+(?:\.\d+)?)(?![\w.])")
_NAMED_X = re.compile(r"(?<![\w.])[xX]_?\d\s*[=≈:(,]|\\?[xX]_\{?\d|[xX]_?[ni]\b")


def _with_times(line: str) -> str:
    """`0.42x1 + 0.15x0` multiplies, unless x0, x1, … are names here; `3x4` may be a shape, and stays."""
    pairs = _X.findall(line) if "=" in line or "≈" in line else []
    seconds = [second for _, second in pairs]
    has_decimals = any("." in first + second for first, second in pairs)
    repeated = any("." in second for second in seconds) or len(set(seconds)) < len(seconds)  # no list of names
    return _X.sub(lambda pair: re.sub("[xX]", "×", pair[0]), line) if has_decimals and repeated else line


# --- frames and colours -----------------------------------------------------------------------------------------------

_LAYOUT = re.compile(
    r"\\(?:hspace|vspace|hskip|vskip|phantom|hphantom|vphantom|intertext|shortintertext)\*?\{[^{}\n]*\}"
    r"|\\color\{[^{}\n]*\}(?:\[[^\]\n]*\])?"
    r"|\\(?:small|footnotesize|scriptsize|tiny|large|Large|huge|normalsize|centering|noindent|medskip|bigskip|smallskip"
    r"|scriptstyle|scriptscriptstyle|enspace|thinspace|medspace|checkmark|smash|strut|nonumber|notag|qed)(?![A-Za-z])"
)
_COLOURS = "red|blue|green|orange|purple|cyan|magenta|brown|teal|violet|gray|grey|pink|yellow"
_FRAME = re.compile(
    r"\\(?:boxed|fbox|mathbox|hl|underline|uline|emph|ensuremath|mathstrut|highlight|alert|bm|"
    + _COLOURS
    + r")\s*(?=\{)"
    r"|\\(?:textcolor|colorbox|mathcolor)\s*(?:\[[^\]\n]*\])?\{[^{}\n]*\}(?=\{)"
    r"|\\fcolorbox\s*\{[^{}\n]*\}\{[^{}\n]*\}(?=\{)"
    r"|\\(?:textbf|mathbf|textit|mathrm|text)\s*(?=\{\s*[-−+]?\$?[\d.][\d.,]*\$?\s*\})"
)
_BRACE = re.compile(r"\\(?:under|over)brace\s*\{")
_BOX = re.compile(r"\\f?box(?:ed)?\s*\{")
_RELATION = re.compile(r"[=≈]|\\approx\b")
# An array of lines, and no matrix: relations stand in it, and no bracket around it.
_ALIGNED = re.compile(
    r"(?<![(\[|{.])(\\begin\s*\{array\}\s*\{[^{}\n]*\})"
    r"((?:(?!\\begin\s*\{array\}|\\end\s*\{array\}).){0,2000}?(?:=|≈|\\approx\b)"
    r"(?:(?!\\begin\s*\{array\}|\\end\s*\{array\}).){0,4000}?)(\\end\s*\{array\})",
    re.S,
)


def _as_lines(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[1]) + match[2] + " " * len(match[3])


def _without_boxes(text: str) -> str:
    """`\\boxed{15 - 3 = 12}` holds a working: it is read as if nothing stood around it."""
    signs = list(text) if _BOX.search(text) else []
    for match in _BOX.finditer(text) if signs else ():
        end = closing_brace(text, match.end() - 1)
        if end and _RELATION.search(text, match.end(), end):
            signs[match.start() : match.end()] = " " * len(match[0])
            signs[end - 1] = " "
    return "".join(signs) if signs else text


def _seen_through(line: str) -> str:
    """Frames gone, what they hold kept in its braces."""
    line = _FRAME.sub(_blank, line)
    line = _UPRIGHT_SCRIPT.sub(lambda match: match[1] + " " * len(match[2]) + match[3], line)
    return _SCRIPT.sub(_plain_script, line)


def _without_braces(text: str) -> str:
    """What stands over a curly brace, without the brace and the remark under it."""
    signs = list(text) if _BRACE.search(text) else []
    for match in _BRACE.finditer(text) if signs else ():
        end = closing_brace(text, match.end() - 1)
        remark = re.compile(r"\s*[_^]\s*\{").match(text, end) if end else None
        stop = closing_brace(text, remark.end() - 1) if remark else 0
        for span in (range(match.start(), match.end() - 1), range(end, stop)):
            for i in span:
                signs[i] = "\n" if signs[i] == "\n" else " "
    return "".join(signs) if signs else text


_TYPE = r"\\(?:mathrm|text|textrm|textbf|mathbf|mathit|textit|texttt|mathtt|operatorname|mathsf|mathcal|rm)"
_UPRIGHT_SCRIPT = re.compile(rf"(_\s*)({_TYPE}\s*)(\{{[^{{}}]*\}})")  # y_\text{pred}
_SCRIPT = re.compile(
    rf"(_\s*\{{)([^{{}}]{{0,40}}{_TYPE}\s*\{{[^{{}}]*\}}(?:[^{{}}]|\{{[^{{}}]*\}}){{0,40}})\}}"
    rf"|(\^\s*\{{)(\s*{_TYPE}\s*\{{\s*(?!T\b|\\top)[A-Za-z ]{{1,20}}\}}\s*)\}}"
)


def _plain_script(match: re.Match[str]) -> str:
    """`S_{\\mathrm{full}}` is S_{full}; an upright T above a name is a transpose, and stays."""
    opening, inner = (match[1], match[2]) if match[1] else (match[3], match[4])
    inner = re.sub(_TYPE, lambda each: " " * len(each[0]), inner)
    return opening + inner.replace("{", " ").replace("}", " ") + "}"


def closing_brace(text: str, start: int) -> int:
    """Where the group that is opened at `start` ends; 0 if it does not end within a page."""
    depth = 0
    for i in range(start, min(len(text), start + 4000)):
        if text[i] in "{}" and text[i - 1] != "\\":
            depth += 1 if text[i] == "{" else -1
            if depth == 0:
                return i + 1
    return 0
