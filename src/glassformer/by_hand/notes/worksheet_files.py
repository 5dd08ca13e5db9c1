"""Reads a worksheet in TOML or YAML: strict, so that a typing error is found and not read around.

    inputs = [[1, 0], [0, 1]]    # as in a worksheet to be explained, or under [given] by any name
    query_weight = [[1, 0], [1, 1]]
    [formulas]                   # only where the catalogue of stages does not say it already
    T = "Q K^T"
    [work]
    queries = [[1, 0], [1, 1]]

The given numbers are exact, unless it says `exact = false`. Knows the layout of the file, not what the names mean.
"""

import re
import tomllib
from typing import Any

import yaml

from glassformer.by_hand.grammar.expressions import Matrix, Name, Node, Number, Span
from glassformer.by_hand.grammar.lexing import DEEPEST, lex
from glassformer.by_hand.grammar.name_lexing import Ground
from glassformer.by_hand.grammar.names import canonical
from glassformer.by_hand.grammar.parsing import UnreadableError, parse
from glassformer.by_hand.notes.block_sheets import add_block, is_block
from glassformer.by_hand.notes.documents import Document, Passage
from glassformer.by_hand.worksheets.layer_sheets import LAYER_GIVENS, LAYERS, implied, ways_of
from glassformer.by_hand.worksheets.worksheet import GIVENS as ATTENTION_GIVENS
from glassformer.by_hand.worksheets.worksheet import LAYER_SETTINGS, SETTINGS
from glassformer.errors import nearest
from glassformer.stages.catalogue import stage
from glassformer.stages.other_names import goes_by

TABLES = ("given", "formulas", "work")
GIVENS = (*ATTENTION_GIVENS, *LAYER_GIVENS)
WORDS = ("exact", *(name for kind in LAYERS.values() for name in kind.settings), *SETTINGS, *LAYER_SETTINGS)


def read_toml(text: str, file: str) -> Document:
    """A worksheet in TOML."""
    document = Document(file, text)
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = match[1] if (match := re.search(r"line (\d+)", str(error))) else "1"
        offset = sum(len(each) + 1 for each in text.split("\n")[: int(line) - 1])
        document.unreadable.append((min(offset, len(text)), f"this is not TOML: {error}"))
        return document
    if is_block(content):
        add_block(document, content, _toml_literals(document))
        return document
    if not _check_tables(document, content):
        return document
    table = ""
    for start, end in _toml_statements(text):
        line = text[start:end]
        if header := re.match(r"\s*\[\s*(\w+)\s*\]", line):
            table = header[1]
        elif table in ("given", "work") or (not table and line.partition("=")[0].strip() in GIVENS):
            document.passages.append(Passage("code", Span(start, end)))
        elif table == "formulas" and (match := re.match(r"""\s*(["'\w]+)\s*=\s*["'](.*)["']""", line)):
            _formula(document, (match[1].strip("\"'"), start), (match[2], start + match.start(2)))
    return document


def _toml_literals(document: Document) -> dict[str, tuple[Span, Node]]:
    """What stands in the table `work` and in its own tables: `[work.self]` with `scores = …` is self.scores."""
    found: dict[str, tuple[Span, Node]] = {}
    table = ""
    for start, end in _toml_statements(document.text):
        line = re.sub(r"#.*", lambda match: " " * len(match[0]), document.text[start:end])
        if header := re.match(r"\s*\[([\w.\s]+)\]", line):
            table = re.sub(r"\s", "", header[1])
        elif (f"{table}." if table else "").startswith("work.") and (match := re.match(r"\s*([\w. ]+?)\s*=", line)):
            name = f"{table}.{match[1]}".partition(".")[2].replace(" ", "")
            here = Span(start + match.start(1), start + match.end(1))
            try:
                found[name] = here, parse(lex(Ground(line[match.end() :], start + match.end(), "text")))
            except UnreadableError as error:
                document.unreadable.append((here.start, str(error)))
    return found


def _toml_statements(text: str) -> list[tuple[int, int]]:
    """Lines; one that leaves a bracket open goes on."""
    spans, start, depth, position = [], 0, 0, 0
    for line in text.split("\n"):
        plain = line.partition("#")[0]
        depth += plain.count("[") - plain.count("]")
        end = position + len(line)
        if depth <= 0:
            spans.append((start, end))
            start, depth = end + 1, 0
        position = end + 1
    return spans


def _check_tables(document: Document, content: Any) -> bool:
    """True if the worksheet has the right tables; says what is wrong otherwise."""
    if not isinstance(content, dict) or not any(table in content for table in TABLES + GIVENS):
        document.unreadable.append((0, f"a worksheet needs one of the tables {', '.join(TABLES)}"))
        return False
    for key, value in content.items():
        if key not in TABLES + WORDS + GIVENS:
            why = f"'{key}' is not known here; {_hint(str(key), str(content.get('layer', 'attention')))}"
            document.unreadable.append((max(0, document.text.find(str(key))), why))
            return False
        if key in TABLES and not isinstance(value, dict):
            document.unreadable.append((max(0, document.text.find(str(key))), f"'{key}' must be a table of names"))
            return False
    if content.get("exact", True) is True:
        document.exact = True
    layer = content.get("layer", "attention")
    if layer != "attention":
        document.ways = ways_of(str(layer), content)
        document.passages += [_implied(name, rows) for name, rows in implied(str(layer), content).items()]
    if content.get("mask") == "causal" and isinstance(content.get("inputs"), list):
        document.passages.append(_causal(len(content["inputs"]), max(0, document.text.find("mask"))))
    return True


def _hint(key: str, layer: str) -> str:
    """The name that was meant: by its symbol, or nearly spelled."""
    givens = LAYERS[layer].givens if layer in LAYERS else ATTENTION_GIVENS
    meant = next((name for name in givens if "." not in name and goes_by(stage(name), key)), None)
    return f"to be checked it is called {meant}" if meant else nearest(key, TABLES + givens)


def _causal(n: int, offset: int) -> Passage:
    """The mask that lets no token see a later one, as it is added on paper: 0 and −∞."""
    here = Span(offset, offset + len("mask"))
    rows = tuple(tuple(Number("0", here) if j <= i else Number("inf", here, -1) for j in range(n)) for i in range(n))
    return Passage("given", here, sides=(Name("mask", here), Matrix(rows, here)))


def _implied(name: str, numbers: list[float]) -> Passage:
    """What the layer takes to be given without being told."""
    here = Span(0, 0)
    row = tuple(Number(f"{number:g}", here) for number in numbers)
    return Passage("given", here, sides=(Name(name, here), Matrix((row,), here) if len(row) > 1 else row[0]))


def _formula(document: Document, name: tuple[str, int], formula: tuple[str, int]) -> None:
    text, start = formula
    try:
        tree = parse(lex(Ground(text, start, "text")))
    except UnreadableError as error:
        document.unreadable.append((start, str(error)))
        return
    here = Span(name[1], name[1] + len(name[0]))
    sides: tuple[Node, ...] = (Name(canonical(name[0]), here), tree)
    document.passages.append(Passage("given", Span(here.start, start + len(text)), sides=sides))


def read_yaml(text: str, file: str) -> Document:
    """A worksheet in YAML."""
    document = Document(file, text)
    try:
        _check_yaml(text)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        content = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        why = getattr(error, "problem", None) or str(error)
        document.unreadable.append((min(mark.index, len(text)) if mark else 0, f"this is not YAML: {why}"))
        return document
    if root is not None and is_block(content):
        add_block(document, content, _yaml_literals(document, root))
        return document
    if root is None or not _check_tables(document, content):
        return document
    for key, value in root.value:
        if key.value in GIVENS:
            _yaml_entry(document, "given", key, value)
        elif key.value in TABLES and isinstance(value, yaml.MappingNode):
            for name, node in value.value:
                _yaml_entry(document, key.value, name, node)
    return document


def _yaml_literals(document: Document, root: yaml.Node) -> dict[str, tuple[Span, Node]]:
    """What stands under `work`, and in the mappings within it."""
    found: dict[str, tuple[Span, Node]] = {}
    waiting = [("", node) for key, node in root.value if key.value == "work"]
    while waiting:
        scope, node = waiting.pop(0)
        if isinstance(node, yaml.MappingNode):
            for key, inner in node.value:
                here, name = key.start_mark.index, f"{scope}{key.value}"
                if isinstance(inner, yaml.MappingNode):
                    waiting.append((f"{name}.", inner))
                    continue
                try:
                    found[name] = Span(here, here + len(str(key.value))), _yaml_literal(inner)
                except (UnreadableError, ValueError) as error:
                    document.unreadable.append((here, str(error)))
    return found


def _check_yaml(text: str) -> None:
    """Refuses what a worksheet never needs: lists within lists without end, and aliases that unfold into huge ones."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not used in worksheets; write the values out")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise yaml.YAMLError(f"lists more than {DEEPEST} deep")


def _yaml_entry(document: Document, table: str, name: yaml.Node, node: yaml.Node) -> None:
    start = name.start_mark.index
    if table == "formulas" and isinstance(node, yaml.ScalarNode):
        shift = 1 if node.style in ("'", '"') else 0
        _formula(document, (str(name.value), start), (str(node.value), node.start_mark.index + shift))
        return
    try:
        literal = _yaml_literal(node)
    except (UnreadableError, ValueError) as error:
        document.unreadable.append((node.start_mark.index, str(error)))
        return
    here = Span(start, start + len(str(name.value)))
    sides: tuple[Node, ...] = (Name(canonical(str(name.value)), here), literal)
    document.passages.append(Passage("given", Span(start, literal.span.end), sides=sides))


def _yaml_literal(node: yaml.Node) -> Matrix | Number:
    span = Span(node.start_mark.index, node.end_mark.index)
    if isinstance(node, yaml.ScalarNode):
        return _number(str(node.value), span)
    if not isinstance(node, yaml.SequenceNode) or not node.value:
        raise UnreadableError("expected a number, a row or a matrix")
    entries = [_yaml_literal(child) for child in node.value]
    if all(isinstance(entry, Number) for entry in entries):
        return Matrix((tuple(entries),), span)
    rows = [entry.rows[0] if isinstance(entry, Matrix) else (entry,) for entry in entries]
    if len({len(row) for row in rows}) != 1:
        raise UnreadableError(f"a ragged matrix: its rows have {', '.join(str(len(row)) for row in rows)} entries")
    return Matrix(tuple(rows), span)


def _number(text: str, span: Span) -> Number:
    match = re.fullmatch(r"([-+]?)(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|\.?inf)", text.strip(), re.I)
    if match is None:
        raise UnreadableError(f"'{text}' is not a number")
    digits = "inf" if match[2].lower().endswith("inf") else match[2]
    return Number(digits, span, -1 if match[1] == "-" else 1)
