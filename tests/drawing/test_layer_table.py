"""A table of layers as plain text: the tree drawn from depths alone, figures under their heads, nothing cut."""

from glassformer.drawing.layer_table import branches, layer_table


def test_a_tree_is_drawn_from_its_depths() -> None:
    assert branches([0, 1, 2, 2, 1, 2]) == ["", "├─", "│ ├─", "│ └─", "└─", "  └─"]
    assert branches([0]) == [""]


def test_the_table_as_it_is_printed() -> None:
    rows = [(0, "Net", "[2, 5]", "–", "–", "–"), (1, "fc: Linear", "[2, 5]", "20", "30", "0.001")]
    assert layer_table(rows, [("parameters", "20"), ("size", "1 B")]).splitlines() == [
        "layer         output  parameters  mult-adds     MB",
        "──────────────────────────────────────────────────",
        "Net           [2, 5]           –          –      –",
        "└─fc: Linear  [2, 5]          20         30  0.001",
        "──────────────────────────────────────────────────",
        "parameters  20",
        "size        1 B",
    ]


def test_a_long_name_makes_the_table_wider() -> None:
    name = "a_part_with_quite_a_long_name: AModuleWithALongNameAsWell"
    assert name in layer_table([(3, name, "[2, 5]", "–", "–", "–")], [])
