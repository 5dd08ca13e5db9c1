"""Notes cut, doubled, reordered, with stray signs and letters of other alphabets: each must get an answer, and soon.

    python tests/survey/mutated_notes.py COUNT [SEED]

Mutates the project's own notes and made ones in every format; prints how many had a traceback, and the slowest.
"""

import random
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))  # as a command

from survey.made_notes import made_notes, word_file

from glassformer.by_hand.check import check_document
from glassformer.by_hand.notes.reading import open_bytes

STRAY = "{}[]()$&\\^_=`\"'%#?|~<>→≈·×√∑Σ∫ᵀ⊤−–…½²₁∞\u200b\u202e\u0301\ufeff\x0b\t"
ALPHABETS = "αβγΣΩжЖшЩאבגعغ中文数学ｘ１＝ＡあいเĀßéñøŷ𝐱𝟏🙂"
OWN = Path(__file__).parent.parent.parent / "docs"


def sources() -> list[tuple[str, str]]:
    """Suffix and text."""
    own = [(path.suffix, path.read_text(encoding="utf-8")) for path in sorted(OWN.rglob("*.md"))]
    return [*made_notes(), *own]


def mutated(text: str, draw: random.Random) -> str:
    """The text after one to four mutations."""
    for _ in range(draw.randint(1, 4)):
        lines = text.split("\n")
        i, j = draw.randrange(len(lines)), draw.randrange(len(lines))
        at = draw.randrange(len(text) + 1)
        match draw.randrange(8):
            case 0:
                text = text[:at]
            case 1:
                text = text[:at] + text[draw.randrange(at, len(text) + 1) :] if text else text
            case 2:
                lines[i:i] = lines[min(i, j) : max(i, j) + 1][:50]
                text = "\n".join(lines)
            case 3:
                lines[i], lines[j] = lines[j], lines[i]
                text = "\n".join(lines)
            case 4:
                draw.shuffle(lines)
                text = "\n".join(lines)
            case 5:
                text = text[:at] + "".join(draw.choices(STRAY, k=draw.randint(1, 5))) + text[at:]
            case 6:
                text = text[:at] + "".join(draw.choices(ALPHABETS, k=draw.randint(1, 5))) + text[at:]
            case _:
                sign = draw.choice(STRAY + ALPHABETS)
                old = text[at : at + 1]
                text = text.replace(old, sign, draw.randint(1, 20)) if old else text + sign
    return text


def answered(suffix: str, text: str) -> float:
    """Seconds of the processor until the answer; a traceback is raised."""
    data = word_file(text) if suffix == ".docx" else text.encode("utf-8", "surrogatepass")
    start = time.process_time()
    check_document(open_bytes(data, f"mutated{suffix}", suffix))
    return time.process_time() - start


def main(count: int, seed: int) -> int:
    """Tries so many mutations, and says what came of them."""
    draw = random.Random(seed)
    notes, slowest, tracebacks = sources(), (0.0, ""), 0
    for i in range(count):
        suffix, text = draw.choice(notes)
        text = mutated(text, draw)
        try:
            seconds = answered(suffix, text)
            slowest = max(slowest, (seconds, f"{suffix}, number {i}"))
        except Exception:  # that is what is looked for
            tracebacks += 1
            print(f"number {i}, {suffix}:\n{traceback.format_exc()}", file=sys.stderr)
    print(f"{count} mutated notes: {tracebacks} tracebacks; the slowest took {slowest[0]:.2f} s ({slowest[1]})")
    return int(tracebacks > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
