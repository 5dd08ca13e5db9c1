"""How the signs of mathematics look in a text: the patterns that lexing.py cuts by. Cuts nothing itself."""

import re

PATTERN = re.compile(
    r"""
    (?P<ROWEND>\\\\(?:\[[^\]\n]{0,20}\])?(?:\s*\\\\)*)
  | (?P<BEGIN>\\begin\s{0,3}\{(?P<env>[A-Za-z]+)\*?\}(?:\{[clr|\s@{}!.]*\})?)
  | (?P<END>\\end\s{0,3}\{(?P<endenv>[A-Za-z]+)\*?\})
  | (?P<WIDE>\\q?quad(?![A-Za-z]))
  | (?P<SPACE>\s+|(?<=[a-z]{2})['’](?:s|t|d|m|re|ll|ve)(?![A-Za-z])
        |\\[,;:!>\ ]|\\(?:left|right|[bB]igg?[lr]?|displaystyle|textstyle|limits|nonumber|notag|hline|phantom
        |boxed|fbox|num|underline|mathstrut|cancel|red|blue|green|orange|purple
        |color\s*\{[A-Za-z]*\}|textcolor\s*\{[A-Za-z]*\}|checkmark|,)
        (?![A-Za-z])\.?|~|\$+
        |\\(?:tag|label|ref|eqref|cite[a-z]*)\*?(?:\[[^\]\n]{0,40}\])*\{[^{}\n]{0,80}\}
        |(?<=[\w\])])\s*,\s*(?:dim|axis)\s*=\s*-?\d+|[`"“”„]+
        |\*\*(?=[A-Za-z\\(])|(?<=[=≈:→]\ )\*\*(?=[-−\d\[])|(?<=[\w\])%.:!?])\*\*(?=[\s.,;:]|$))
  | (?P<TEXT>\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathsf|mathit|mathcal|mathbb|boldsymbol|bm|operatorname)\*?\s*
        \{(?P<text>[^{}$\\]{0,80})\})
  | (?P<DERIVATIVE>\\[dt]?frac\s*\{\s*(?:\\partial|\\delta|∂|d(?=\s*[A-Za-z\\{]|\s*\}))\s*
        (?P<over>(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\}){0,40})\}
        \s*\{\s*(?:\\partial|\\delta|∂|d(?=\s*[A-Za-z\\{]))\s*(?P<by>(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\}){1,40})\}
      | (?<![A-Za-z0-9_])[∂δd](?P<over_>[A-Za-zŷ][A-Za-z]{0,6}_?\w{0,8})
        \s?/\s?[∂δd](?P<by_>[A-Za-zŷ][A-Za-z]{0,6}_?\w{0,8}))
  | (?P<CHANGE>(?:\\nabla|\\Delta|∇|Δ)(?![A-Za-z])\s*(?P<changed>\\?[A-Za-z]+))
  | (?P<ACCENT>\\(?P<accent>hat|tilde|bar|vec|dot|widehat|widetilde|overline)
        \s*(?:\{(?P<under>\\?[A-Za-z]+)\}|(?P<bare>(?<=\s)[A-Za-z](?![A-Za-z])|\\[a-z]+)))
  | (?P<MARKED>[^\W\d_][\u0300-\u036f\u20d7]|(?<!\w)[âêîôûĉĝĥĵŝŵŷẑȳŶŴĤŜẐ](?![^\W\d_]))
  | (?P<COMMENT>\#[ \t]*(?:=|->|→|≈)?[ \t]*(?=[-\[\d])|\#[^\n]*)
  | (?P<ELLIPSIS>\.\.\.)
  | (?P<COMMAND>\\[A-Za-z]+|\\[{}%&_|*\#])
  | (?P<RELATION>:=|===?|=>|⇒|⟹|->|→|⟶|↦|←|≈|≃|≅|≐|∈|≠|!=|<=|>=|≤|≥|<|>|=|∼)
  | (?P<NUMBER>(?:(?<=frac)\d|(?<=frac\d)\d|(?<=frac\ )\d|(?<=frac\ \d)\d  # \frac14 is a quarter
        |\d+\{,\}\d+|\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d{1,4}(?![\w.]))?)
  | (?P<CODE>(?:np|numpy|torch|F|math|jnp)\.[A-Za-z_.]+)
  | (?P<IDENT>[A-Za-zα-ωΑ-ΩÀ-ÖØ-öø-ÿЀ-ӿ\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]+[0-9₀-₉ₖᵢⱼ]*)
  | (?P<SYMBOL>[-+−–*×·⋅∗∙@/÷^_(){}\[\],;:&|‖%√ᵀ⊤∞…⊙'!?"'“”.#~]|−|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)
  | (?P<OTHER>.)
    """,
    re.VERBOSE | re.DOTALL,
)

TURNS = re.compile(
    r"\^\s*(?:T(?![A-Za-z])|\\top|\\intercal|⊤|\{\s*(?:T|\\top|\\intercal|⊤|\\mathsf\s*\{?T\}?|\\mathrm\s*\{?T\}?|\\prime)\s*\})"
)
SUBSCRIPT = re.compile(
    r"_\s*(?:\{(?P<group>(?:[^{}]|\{[^{}]{0,40}\}){1,60})\}|\\(?:text|mathrm|textrm|mathsf)\s*\{(?P<words>[^{}]{1,40})\}|\\(?P<greek>[a-z]+)|(?P<digits>\d+)|(?P<letter>[A-Za-z]))"
)
INVERSE_TEMPERATURE = re.compile(r"_\s*\{?\s*(?:\\beta|β)\s*\}?")  # softmax_β(x) = softmax(β x)
LONG_SUBSCRIPT = re.compile(r"\\?_(?P<run>[A-Za-z0-9]+)")
NAME_SUPERSCRIPT = re.compile(
    r"\^\s*(?:\{\s*(?P<group>\(?[A-Za-z]{1,6}\)?|\(\d+\)|\[\w{1,3}\]|[<(][^{}()<>]{1,12}[>)]|\\?[*+]|\\text\{[^{}]{1,12}\}|\\prime)\s*\}"
    r"|(?P<number>\(\d+\)|\[\d+\])|(?P<letter>[A-Za-z]|\*(?!\s*[\d(\[A-Za-z\\]))(?![A-Za-z]))"
)
INDEX = re.compile(r"(?:\[\s*\d+\s*(?:,\s*\d+\s*)?\])+")
SHORT_NAME = re.compile(r"[A-Za-zα-ω]\d+|[Ww][qkvoQKVO]\d?|d[kv]")
SYMBOL_LETTERS = re.compile(r"[QKVXWADHMSZCYPE]{2}|QK[Tt]|[QKVXADHMSZCYPE]?W[qkvo]|dk|dv|QKV")
ARGUMENT = re.compile(
    r"(?:_\s*(?:\{[^{}]*\}|\\?[A-Za-zβ]+))?(?:\s|\\[,;:!])*(?:\\(?:left|[bB]igg?l?)\s*)?(?:[(\[{]|\\begin)"
)  # of a function
LONG_FUNCTION = re.compile(
    r"(?:(?:binary[_ -]?)?cross[_ -]?entropy(?:_?loss)?|mean[_ ]squared[_ ]error|(?:mse|bce|ce)_loss"
    r"|conv[12]d|(?:global[_ ]?)?max[_ -]?pool(?:ing)?(?:_?[12]d)?)(?=\()",
    re.I,
)  # names of more than one word, which a bracket follows
CHAIN_INDEX = re.compile(r"(?:\[\d+\])+(?!\s*[·×*])")
CONNECTIVES = frozenset(
    {"and", "so", "then", "thus", "hence", "likewise", "where", "when", "because", "therefore", "but", "also", "while"}
)
OPERAND = re.compile(r"\s*\$*\s*(?:[\[(\d−-]|\\begin|\\left)")
THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?!\d|,\d)(?:\.\d+)?")
UNCLEAR = re.compile(r"\d+(?:,\d+)+(?!\d|\.\d)")  # 3,50 and 0,1,2
NEXT_NAME = re.compile(
    r"(?:\d+ ?)?[^\W\d_][\w^{}'\u0300-\u036f]*(?: (?:[×·*] )?[^\W\d_][\w^{}'\u0300-\u036f]*){0,2}"
    r"(?:\([^()=]{0,30}\))?\s*[=≈]"
)  # K, 2 Q, Q K^T
IN_BARS = re.compile(r"[^|‖=≈→\n]+[|‖]")
BOLD = (r"\mathbf", r"\boldsymbol", r"\bm", r"\textbf")
BOLD_BEFORE = re.compile(r"\\(?:mathbf|boldsymbol|bm|textbf|vec)\s*\{?\s*[^{}]?$")
VECTOR_E = "evec"  # not Euler's number
COUNTED_E = re.compile(r"\^\s*(?:\{\s*\(\d\)\s*\}|\(\d\))")
COUNTED_NAME = re.compile(r"(?<![A-Za-z])[A-DF-Za-df-zŷ]\}?(?:_\{?\w\}?)?\s*\^\s*\{?\(\d\)")
STYLES = frozenset({"text", "textbf", "textit", "mathrm", "mathbf", "mathsf", "mathit", "boldsymbol", "bm", "emph"})
APPLIED = re.compile(r"\(\s*(?:[^\W\d_][\w^{}']*|\d+)(?:\s*[,;]\s*(?:[^\W\d_][\w^{}']*|\d+))*\s*\)")  # u(x), L(y, t)
LATEX_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:(?:\{,\}\d{3})+|(?:\\[,:;]\d{3})+)(?!\d|\{,\}|\\[,:;]\d)")
OF_LIST = re.compile(r"\s+of\s+(?=\[)")
SCIENTIFIC = re.compile(
    r"\s*(?:×|·|\*|\\times|\\cdot|x)\s*10\s*(?:(?P<high>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})|\^\s*[{(]?\s*(?P<low>[-−]?\d{1,3})\s*[})]?)(?![\d.])"
)
FACTORIAL = re.compile(r"(?:(?<![\d.])\d{1,3}|[)}]) ?$")  # what stands before its sign; a wonder at 0.5 is none
AFTER_FACTORIAL = re.compile(r"\s*(?:[-=≈+*/·×⋅−)}\]^]|\\[a-z\\])|\\,\s*\d")  # `= 5!` at the end may be a wonder
HIGH = "⁰¹²³⁴⁵⁶⁷⁸⁹"
LOWERED = str.maketrans(HIGH, "0123456789")
LOW = str.maketrans("₀₁₂₃₄₅₆₇₈₉ₖᵢⱼ", "0123456789kij")
