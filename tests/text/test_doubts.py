"""Odd labels and texts are told, usual ones are not."""

from collections import Counter

import pytest

from glassformer.text.doubts import doubts, doubts_of_pairs, doubts_of_texts
from glassformer.text.samples import Labelled, Pair, Plain


def told(labels: list[str], text: str = "a text") -> list[str]:
    return doubts([Labelled(text, label) for label in labels], Counter(labels))


@pytest.mark.parametrize("labels", [["pos", "neg"] * 9, ["1", "2", "3", "4", "5"] * 3, ["1.0", "0.0", "2.0"] * 5])
def test_of_usual_labels_nothing_is_said(labels: list[str]) -> None:
    assert told(labels) == []


def test_amounts_are_no_classes() -> None:
    assert told(["0.0", "0.13", "0.5", "0.87"] * 5) == [
        "3 labels are numbers such as 0.13, and each is taken for a class of its own. If they are amounts, write what "
        "is to be told apart in their place."
    ]


def test_lists_of_labels_are_no_classes() -> None:
    assert told(["['1', '2']", "['1']", "[]"] * 5) == [
        "3 labels are lists such as ['1', '2'], and each list is taken for a class of its own: a text has one label "
        "here."
    ]
    assert told(["(none)", "glad", "sad"] * 5) == []


def test_labels_that_join_others_are_told() -> None:
    single, joined = ["rude", "sad", "glad"] * 9, ["rude_sad", "rude, glad", "rude|sad"] * 5
    assert told(single + joined) == [
        "3 labels are made of others, as 'rude_sad' of 'rude' and 'sad': texts seem to have several labels, and each "
        "combination is taken for a class of its own."
    ]
    assert told(single + ["very glad", "sad glad", "rude_word", "rude glad", "glad sad"] * 5) == []


def test_pairs_of_numbers_are_told() -> None:
    numbers = [Pair(f"{number * 7 % 40}.5", f"-{number}.25") for number in range(40)]
    assert doubts_of_pairs(numbers) == ["40 of 40 pairs hold no letter on either side; are these texts?"]
    assert doubts_of_pairs([*numbers, *(Pair("3 May", f"{number}") for number in range(5))]) == []


def test_targets_that_are_labels_are_told() -> None:
    pairs = [Pair(f"text {number}", str(number % 3)) for number in range(60)]
    assert doubts_of_pairs(pairs) == [
        "There are 60 targets, and 3 different ones ('0', '1', '2'): if they are labels, it is a task to classify."
    ]
    phrases = [Pair(f"text {number}", f"part {number % 3}") for number in range(60)]
    assert len(doubts_of_pairs(phrases)) == 1
    assert doubts_of_pairs(phrases[:59]) == []
    tagged = [Pair(f"text {number}", f"N{number % 12}") for number in range(60)]
    assert doubts_of_pairs(tagged)[0].startswith("There are 60 targets, and 12 different ones")
    assert doubts_of_pairs(tagged[:59]) == []
    assert doubts_of_pairs(pairs[:19]) == []  # too few to tell
    assert doubts_of_pairs([Pair("glad", f"text {number}") for number in range(60)]) == [
        "There are 60 sources, and 1 different one ('glad'): if they are labels, it is a task to classify."
    ]
    assert doubts_of_pairs([Pair(f"text {number}", f"Text {number // 2}") for number in range(200)]) == []


def test_lists_to_translate_are_told() -> None:
    pairs = [Pair(f"[sad, {number}]", f"text {number}") for number in range(9)]
    assert doubts_of_pairs(pairs) == [
        "The sources are lists such as [sad, 0]: if they are labels, it is a task to classify."
    ]
    assert doubts_of_pairs([*pairs, Pair("(sighs) Well.", "text 10")]) == []


def test_what_is_no_text_to_go_on_with_is_told() -> None:
    assert doubts_of_texts([Plain("0.768 0.744 1_3\n43.53 0.75 1_3\n" * 9)]) == [
        "100 % of it are digits and punctuation; is it a text?"
    ]
    assert doubts_of_texts([Plain("In 1984, on 3 March: 12.5 %!"), Plain("ومع ذلك، فقد تم."), Plain("なに？")]) == []
    assert doubts_of_texts([Plain("")]) == []
    table = "ID,Name,Town\n" + "".join(f"{number},Ann,York\n" for number in range(9))
    assert doubts_of_texts([Plain(table)]) == [
        "Each line holds 2 commas: is it a table? In a file called .csv or .tsv its columns are told apart."
    ]
    assert doubts_of_texts([Plain("one\teins\n" * 9)])[0].startswith("Each line holds 1 tab: is it a table?")
    assert doubts_of_texts([Plain("DUMMY/a.wav|It is read.\n" * 9)])[0].startswith(
        "Each line holds 1 bar: is it a table?"
    )
    assert doubts_of_texts([Plain("A line, of verse,\n" * 9 + "and its end.\n")]) == []
    assert doubts_of_texts([Labelled("1 2 3", "sad")]) == []


def test_numbers_of_rows_are_no_sources() -> None:
    """As in corpora of numbered sentences."""
    numbered = [Pair(str(number), f"Satz {number}") for number in (*range(1, 9), 12, *range(14, 40))]
    assert doubts_of_pairs(numbered) == ["The sources only count the rows (1, 2, …); is it the right column?"]
    assert doubts_of_pairs([Pair(str(number * 7 % 40), f"Zahl {number}") for number in range(40)]) == []
    named = [Pair(str(10_007 + number * 7919 % 20_011), f"text {number}") for number in range(40)]
    assert doubts_of_pairs(named) == ["All sources are numbers such as 10007; is it the right column?"]
    assert doubts_of_pairs([Pair(f"{number}" * 5000, f"text {number}") for number in range(1, 40)]) == []


def test_labels_that_hardly_repeat_and_texts_without_a_letter_are_doubted() -> None:
    said = told(["a", "b", "c", "d", "a"], "459147266641899520")
    assert said == [
        "There are 4 labels for 5 samples, too few of each to learn; is it the right column?",
        "5 of 5 texts hold no letter; is it the right column?",
    ]
    assert told(["ja", "nein"] * 5, "é") == []


def test_unequal_labels_are_told_and_other_samples_are_not_judged() -> None:
    assert told(["b"] * 101 + ["c"])[0].startswith("Labels are unequal: 101 samples of 'b', 1 of 'c'.")
    assert told(["b"] * 100 + ["c"]) == []
    assert doubts([Plain("7")], Counter()) == []
