"""The room of lessons: what is taught, what a step shows, and answers that the core works."""

import json
from pathlib import Path

import pytest
from helpers.studio_visits import Visitor, asked, refused

from glassformer.errors import InputError
from glassformer.studio.lessons.lesson_room import LessonRoom, taught
from glassformer.studio.lessons.places import Places
from glassformer.studio.shelf import Shelf

FIRST = "1-a-query-meets-a-key"


def test_all_lessons_are_told_in_their_order(visitor: Visitor) -> None:
    found = asked(visitor, "lessons/start")["lessons"]
    assert [each["name"] for each in found] == [path.stem for path in taught()]
    assert found[0]["title"] == "A query meets a key"
    assert found[0]["about"] == ["What a score is: one number for how well two words fit."]


def test_a_step_says_what_it_shows_and_keeps_its_answer(visitor: Visitor) -> None:
    steps = asked(visitor, "lessons/open", lesson=FIRST)["steps"]
    assert steps[3]["view"] == {"room": "by-hand", "example": "i-love-ai", "stage": "scores"}
    assert steps[3]["deed"]["address"] == "scores"
    assert steps[3]["deed"]["index"] == [0, 0, 2, 2]
    assert steps[5]["deed"]["before"] == [[1, 0], [1, 1]]
    assert set(steps[4]["ask"]) == {"question", "choices"}


def test_a_lesson_leads_to_the_next(visitor: Visitor) -> None:
    assert asked(visitor, "lessons/open", lesson=FIRST)["next"] == {
        "name": "2-softmax-and-beta", "title": "Softmax and β",
    }  # fmt: skip
    assert asked(visitor, "lessons/open", lesson=taught()[-1].stem)["next"] is None


def test_what_the_lessons_say_of_numbers_is_so(visitor: Visitor) -> None:
    """Sentences that no question holds: each is said in a lesson, and worked here."""
    house = Places(Shelf())
    i_love_ai = {"room": "by-hand", "example": "i-love-ai"}
    before = house.solution(i_love_ai).trace
    sheet = asked(visitor, "by-hand/example", name="i-love-ai")["sheet"]
    sheet["query_weight"][0][0] = 4
    after = house.solution({"room": "by-hand", "sheet": json.dumps(sheet)}).trace
    for stage in ("queries", "scores", "weights", "mixed"):
        assert (before[stage] != after[stage]).any()
    for stage in ("keys", "values"):
        assert (before[stage] == after[stage]).all()
    untrained = {"room": "inside", "model": "english-german-untrained", "text": "Where is the station?"}
    weights = house.trace({**untrained, "target": "Wo ist der Bahnhof?"})["decoder.2.cross.weights"][0, 1]
    assert weights.shape[-1] == 5
    assert weights.max() < 0.3
    text = {"model": "sentiment", "text": "the film was not good at all", "changes": []}
    matters = asked(visitor, "inside/matters", **text)["matters"]
    first, second = ([matters[f"encoder.{block}.self/{head}"] for head in range(4)] for block in (0, 1))
    assert min(first) > 0.055
    assert first[2] > 0.09
    assert max(second) < 0.02


def test_answers_are_worked(visitor: Visitor) -> None:
    assert asked(visitor, "lessons/answer", lesson=FIRST, step=4, number=2)["right"]
    wrong = asked(visitor, "lessons/answer", lesson=FIRST, step=4, number=2.1)
    assert wrong == {"right": False, "says": ["1 × 1, and 1 × 1 again; add them."]}
    second = taught()[1].stem
    assert [asked(visitor, "lessons/answer", lesson=second, step=3, choice=i)["right"] for i in range(3)] == [
        False, True, False,
    ]  # fmt: skip
    assert "Nothing is asked" in refused(visitor, "lessons/answer", lesson=FIRST, step=0, number=1)
    assert "did you mean" in refused(visitor, "lessons/open", lesson="1-a-query-meets-a-kee")


def test_a_lesson_of_ones_own_comes_first_and_must_be_whole(tmp_path: Path) -> None:
    mine = tmp_path / "mine.md"
    mine.write_text("---\ntitle: Mine\nexample: masked\n---\n## One\nWords.\n:::view\nstage: weights\n:::\n")
    found = LessonRoom(Places(Shelf()), [mine]).start({})["lessons"]
    assert [(each["name"], each["number"]) for each in found[:2]] == [("mine", None), (FIRST, 1)]
    mine.write_text("---\ntitle: Mine\nexample: masked\n---\n## One\nWords.\n:::view\nstage: wieghts\n:::\n")
    with pytest.raises(InputError, match=r"line 8: .*wieghts"):
        LessonRoom(Places(Shelf()), [mine])
