"""Why as an object and a page: strangers' words stay words, colours follow the shares, a notebook keeps it."""

import re
from pathlib import Path

import pytest
from helpers.reasons_given import why as reasons_given
from helpers.reasons_given import word as given_word
from helpers.small_runs import small_run

import glassformer as gf
from glassformer.errors import InputError
from glassformer.inside.why.telling.why_page import LEVELS, NO_SHARE, Why, bullets_of, level, strip
from glassformer.inside.why.trials import OtherOrders
from glassformer.runs.run import load


@pytest.fixture(scope="module")
def why(tmp_path_factory: pytest.TempPathFactory) -> Why:
    run = load(small_run(tmp_path_factory.mktemp("runs") / "run").path)
    return run.why("the <b>film</b> was not good", instead="the <b>film</b> was so good")


def test_it_is_said_in_words(why: Why) -> None:
    assert str(why) == why.words == " ".join(why.sentences)
    assert repr(why) == f"<Why: {why.sentences[0]}>"
    assert isinstance(why, gf.Why)
    assert why.to_dict()["sentences"] == why.sentences


def test_a_page_is_one_file_without_script(why: Why, tmp_path: Path) -> None:
    page = why.save(tmp_path / "why.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "<script" not in page
    assert "<b>" not in page
    assert "style=" not in page.partition("<body>")[2]
    for title in ("Words", "Blocks and heads", "Instead"):
        assert f"<h2>{title}</h2>" in page
    with pytest.raises(InputError, match="is a folder"):
        why.save(tmp_path)


def test_every_word_has_its_number_beneath(why: Why) -> None:
    found = re.findall(r"<span class='(?:for|against)\d[^']*'>([^<]*)<i>([+−]?[\d.]+|–)</i></span>", strip(why.reasons))
    assert [word for word, _ in found] == [
        "the",
        "&lt;",
        "b",
        "&gt;",
        "film",
        "&lt;",
        "/",
        "b",
        "&gt;",
        "was",
        "not",
        "good",
    ]
    assert [number == NO_SHARE for _, number in found] == [word.is_blank for word in why.reasons.words]


def test_colour_says_the_sign_and_the_size() -> None:
    assert [level(share, 2.0) for share in (2.0, 1.0, 0.0, -0.1, -2.0)] == [
        "for9",
        "for4",
        "for0",
        "against0",
        "against9",
    ]
    assert level(0.0, 0.0) == "for0"
    assert LEVELS == 9


def test_where_no_share_is_a_reason_no_word_is_coloured() -> None:
    words = (given_word("not", 3.9, 2.0), given_word("good", -1.2, -0.9))
    plain, ordered = (strip(reasons_given(*words, orders=OtherOrders(16, turned, 3.0))) for turned in (0, 9))
    assert "class='for9'>not" in plain
    assert "class='for0'>not" in ordered
    assert "Not coloured" in ordered
    assert "speaks for" not in ordered


def test_words_stand_in_italics_unless_stars_are_their_own() -> None:
    assert bullets_of(["*not* gives <"]) == "<ul><li><em>not</em> gives &lt;</li></ul>"
    assert (
        bullets_of(["*** (2 times) +0.7, *_* −0.2"]) == "<ul><li><em>*</em> (2 times) +0.7, <em>_</em> −0.2</li></ul>"
    )
    assert bullets_of(["it would say c*d; without *not* “*” is behind"]) == (
        "<ul><li>it would say c*d; without <em>not</em> “*” is behind</li></ul>"
    )
    assert bullets_of(["a * b"]) == "<ul><li>a * b</li></ul>"
    assert bullets_of([]) == ""


def test_a_notebook_shows_the_same(why: Why) -> None:
    shown = why._repr_html_()
    assert shown.startswith("<style>")
    assert strip(why.reasons) in shown


def test_what_is_written_comes_with_its_lens(tmp_path: Path) -> None:
    run = load(small_run(tmp_path / "run", "answers").path)
    page = run.why("3 1 2").html()
    assert "early rows are often noise" in page
    assert "class='blank'" in page
