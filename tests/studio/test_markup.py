"""Our own markup as nested lists."""

from glassformer.studio.markup import markup_tree


def test_tags_attributes_and_texts_in_their_order() -> None:
    assert markup_tree("a<b class='x'>1</b>c<i/>") == ["div", {}, "a", ["b", {"class": "x"}, "1"], "c", ["i", {}]]


def test_what_was_escaped_is_text_and_what_xml_cannot_hold_is_replaced() -> None:
    assert markup_tree("&lt;script&gt;\x00\ud800") == ["div", {}, "<script>\ufffd\ufffd"]
