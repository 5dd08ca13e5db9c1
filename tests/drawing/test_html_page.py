"""A page as one file: what was written by others is escaped, and what is empty is left out."""

from html.parser import HTMLParser

from glassformer.drawing.html_page import bullets, fact_list, framed, page, section, table

EVIL = "<b>&"
TAME = "&lt;b&gt;&amp;"


class Opened(HTMLParser):
    """The tags of a page in their order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)


def test_a_frame_has_a_script_only_if_one_was_given() -> None:
    plain = framed(EVIL, "<p>1</p>", style="p { color: red }")
    assert f"<title>{TAME}</title>" in plain
    assert "script-src" not in plain
    assert "script" not in Opened(plain).tags
    assert Opened(framed("A", "", style="", script="1", kind="gf")).tags[-2:] == ["body", "script"]


def test_sections_without_anything_in_them_are_left_out() -> None:
    assert section("A title", "") == ""
    assert section(EVIL, "<i>1</i>", EVIL) == (
        f"<section><h2>{TAME}</h2><p class='said'>{TAME}</p><i>1</i></section>"
    )  # fmt: skip
    assert "<main>\n<p>1</p>\n<p>2</p>\n</main>" in page("A", ["<p>1</p>", "", "<p>2</p>"])


def test_a_table_names_the_column_in_each_cell() -> None:
    drawn = table(["who", EVIL], [["Ada", "3"], ["Bob", "5"]], ["", "number"])
    assert Opened(drawn).tags == ["div", "table", "thead", "tr", "th", "th", "tbody", *["tr", "th", "td"] * 2]
    assert f"<td class='number' data-name='{TAME}'>5</td>" in drawn


def test_facts_and_bullets_are_plain_text() -> None:
    assert fact_list({"name": EVIL, "empty": ""}) == f"<dl><dt>name</dt><dd>{TAME}</dd></dl>"
    assert bullets(["one", EVIL]) == f"<ul><li>one</li><li>{TAME}</li></ul>"
    assert (fact_list({}), bullets([])) == ("", "")
