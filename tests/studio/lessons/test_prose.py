"""Words of a lesson become trees; whatever looks like markup stays text."""

from hypothesis import given
from hypothesis import strategies as st

from glassformer.studio.lessons.prose import inline, paragraphs, tree_html


def test_paragraphs_and_marks() -> None:
    assert paragraphs(["a *b*", "", "", "`Q` and **c**", "d"]) == [
        ["p", {}, "a ", ["em", {}, "b"]],
        ["p", {}, ["code", {"class": "query"}, "Q"], " and ", ["strong", {}, "c"], " d"],
    ]


def test_markup_stays_text() -> None:
    (tree,) = paragraphs(["<script>alert(1)</script> & so on"])
    assert tree == ["p", {}, "<script>alert(1)</script> & so on"]
    assert tree_html(tree) == "<p>&lt;script&gt;alert(1)&lt;/script&gt; &amp; so on</p>"


def test_a_sign_has_its_index_below() -> None:
    assert inline("`W_Q`") == [["code", {"class": "query"}, "W", ["sub", {}, "Q"]]]
    assert inline("`query_weight` `W_` `_Q`") == [
        ["code", {}, "query_weight"], " ", ["code", {}, "W_"], " ", ["code", {}, "_Q"],
    ]  # fmt: skip


@given(st.text())
def test_no_word_is_lost(text: str) -> None:
    def words(tree: object) -> str:
        return tree if isinstance(tree, str) else "".join(words(each) for each in tree[2:])  # type: ignore[index]

    def bare(text: str) -> str:
        return "".join(each for each in text if each not in "*`_")

    assert bare("".join(words(each) for each in inline(text))) == bare(text)
