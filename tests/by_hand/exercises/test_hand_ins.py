"""The files of a class: a name for each student."""

from pathlib import Path

from glassformer.by_hand.exercises.hand_ins import hand_ins


def test_two_files_of_one_student_keep_their_endings(tmp_path: Path) -> None:
    for name in ("a.md", "a.tex", "b.md"):
        (tmp_path / name).write_text("")
    assert [name for _, name in hand_ins(tmp_path)] == ["a.md", "a.tex", "b"]
