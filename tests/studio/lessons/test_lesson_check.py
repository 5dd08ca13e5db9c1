"""Every lesson that came along is whole: its addresses are there, its answers are worked, its steps are short."""

from pathlib import Path

import pytest

from glassformer.studio.lessons.lesson_check import check_lesson
from glassformer.studio.lessons.lesson_files import read_lesson, read_lesson_file
from glassformer.studio.lessons.lesson_room import taught
from glassformer.studio.lessons.places import Places
from glassformer.studio.shelf import Shelf

LESSONS = {path.stem: path for path in taught()}
BY_HAND = [name for name in LESSONS if name[0] in "1235"]  # the others load trained models


@pytest.fixture(scope="module")
def places() -> Places:
    return Places(Shelf())


@pytest.mark.parametrize("name", BY_HAND)
def test_a_lesson_by_hand_is_whole(places: Places, name: str) -> None:
    whole(places, LESSONS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", [each for each in LESSONS if each not in BY_HAND])
def test_a_lesson_on_a_trained_model_is_whole(places: Places, name: str) -> None:
    whole(places, LESSONS[name])


def whole(places: Places, path: Path) -> None:
    lesson = read_lesson_file(path)
    found = check_lesson(lesson, places)
    assert found.faults == []
    assert found.right
    assert found.views == len(lesson.steps)
    assert any(step.ask for step in lesson.steps)


def test_there_are_eight_of_them_with_short_steps() -> None:
    assert len(LESSONS) == 8
    for path in LESSONS.values():
        lesson = read_lesson_file(path)
        assert 5 <= len(lesson.steps) <= 7
        assert all(len(" ".join(step.words).split()) <= 60 for step in lesson.steps)


def test_a_first_step_that_shows_nothing_is_a_fault(places: Places) -> None:
    found = check_lesson(read_lesson("---\ntitle: x\n---\n## s\nwords\n"), places)
    assert [(fault.line, fault.words[:44]) for fault in found.faults] == [
        (4, "nothing says what the first step shows; put ")
    ]
    assert check_lesson(read_lesson("---\ntitle: x\nexample: i-love-ai\n---\n## s\nwords\n"), places).right


def test_a_model_that_is_not_there_is_told_once_and_not_for_every_step_that_goes_on_with_it(places: Places) -> None:
    view = ":::view\nmodel: sentimental\ntext: good\n:::\n"
    deed = "## s\nwords\n:::do\nhead off: any\n:::\n"
    found = check_lesson(read_lesson(f"---\ntitle: x\n---\n## s\nwords\n{view}{deed}{deed}"), places)
    assert [fault.line for fault in found.faults] == [7]
    on_top = check_lesson(read_lesson(f"---\ntitle: x\nmodel: sentimental\ntext: good\n---\n{deed}{deed}"), places)
    assert [fault.line for fault in on_top.faults] == [3]


def test_what_is_not_there_is_named_by_its_line(places: Places) -> None:
    text = LESSONS["1-a-query-meets-a-key"].read_text(encoding="utf-8")
    spoilt = (
        text.replace("queries[2,0]", "queries[2,7]")
        .replace("number: scores[1,2]", "number: scorez[1,2]")
        .replace("given: query_weight", "given: query_wait")
        .replace("stage: scores", "stage: scorez")
    )
    lines = spoilt.splitlines()
    found = check_lesson(read_lesson(spoilt), places)
    assert [lines[fault.line - 1].strip() for fault in found.faults] == [
        "cell: queries[2,7]", "stage: scorez", "number: scorez[1,2]", "stage: scorez", "given: query_wait",
    ]  # fmt: skip


def test_of_a_field_of_another_room_the_cause_is_told(places: Places) -> None:
    front = "---\ntitle: x\n{}\n---\n## s\nwords\n:::view\n{}\n:::\n"
    (fault,) = check_lesson(
        read_lesson(front.format("model: sentiment\ntext: a film", "stage: weights")), places
    ).faults
    assert fault.words.startswith("'stage' belongs to a worksheet, and this view shows a model, since the front matter")
    (fault,) = check_lesson(read_lesson(front.format("example: i-love-ai", "at: weights")), places).faults
    assert fault.words.startswith("'at' belongs to a model, and this view shows a worksheet")
    (fault,) = check_lesson(read_lesson(front.format("example: i-love-ai", "stag: weights")), places).faults
    assert fault.words == "'stag' is not part of an address; did you mean 'stage'?"


def test_an_answer_that_is_wrong_is_found(places: Places) -> None:
    text = LESSONS["2-softmax-and-beta"].read_text(encoding="utf-8")
    spoilt = text.replace("holds: weights[0,0] > 0", "holds: weights[0,0] = 0")
    (fault,) = check_lesson(read_lesson(spoilt), places).faults
    assert "does not hold: 0.1978 = 0." in fault.words
    worked = check_lesson(read_lesson(text), places).worked
    assert [each.words for each in worked][1] == "weights[0,0] > 0: 0.1978 > 0"


def test_one_fault_hides_no_other(places: Places) -> None:
    text = "\n".join(
        (
            "---", "title: Two", "minutes: ten", "example: i-love-yu", "---", "",
            "## One", ":::view", "example: i-love-ai", "stage: queris", ":::", ":::do", "cell: scores[2,9]", ":::", "",
            "## Two", ":::view", "model: sentiment", "tab: numbers", ":::", "",
        )
    )  # fmt: skip
    lines = text.splitlines()
    found = check_lesson(read_lesson(text), places)
    assert [lines[fault.line - 1] for fault in found.faults] == [
        "minutes: ten", "example: i-love-yu", "example: i-love-ai", "cell: scores[2,9]", "model: sentiment",
    ]  # fmt: skip
    assert "did you mean 'i-love-ai'?" in found.faults[1].words
    assert "put 'text: …' beside its model" in found.faults[-1].words
