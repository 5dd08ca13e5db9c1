"""Why, measured: the seconds that it takes for 50 tokens, and on many texts how far its parts miss the margin.

    .venv/bin/python bench/why.py [--texts 200]

Texts are of each model's own test part, where the data are at hand (GLASSFORMER_DATA), else of random tokens. With 0
texts only the seconds are measured. One thread.
"""

import argparse
import statistics
import time
from collections.abc import Iterator

import torch

import glassformer as gf
from glassformer.inside.why.margins import Margin, Prompted, margin_of
from glassformer.inside.why.reasons import Reasons
from glassformer.inside.why.telling.sentences import DISAGREE, SEVERAL, doubted
from glassformer.inside.why.whole_words import Word, without
from glassformer.runs.run import pocket_folders
from glassformer.runs.trial_data import texts_to_compare

TOKENS = 50
TIMES = 5
TEXTS_OF_FIFTY = {
    "sentiment": "the film was not good at all , a waste of a good cast and of my time . the script is poor , the "
    "music is loud and the end comes late ; i would not see it again , and neither would my friends , who left early .",
    "english-german": "The old man who lives in the small house near the station told me that he had never seen such a "
    "beautiful garden in his life, and that he would like to come back with his wife next year, if you allow it.",
    "shakespeare": "To be, or not to be, that is the question: whether",
}  # fmt: skip


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--texts", type=int, default=0)
    count = asked.parse_args().texts
    torch.set_num_threads(1)
    for folder in pocket_folders():
        run = gf.load(folder)
        tokens, seconds, worked = timed(run, TEXTS_OF_FIFTY[folder.name])
        print(
            f"{folder.name}: {tokens} tokens in {seconds:.2f} s, {worked:.2f} s of them at work (medians of {TIMES})",
            flush=True,
        )
        if count:
            tried(run, count)


def timed(run: gf.Run, text: str) -> tuple[int, float, float]:
    """How many tokens, the seconds of one question about them, and those of the processor: where others are at work
    on the machine, these count."""
    ids = run.objective.prompt(run.tokens, text)
    seconds, worked = [], []
    for _ in range(TIMES):
        begin, start = time.perf_counter(), time.process_time()
        run.why(text)
        seconds.append(time.perf_counter() - begin)
        worked.append(time.process_time() - start)
    return len(ids), statistics.median(seconds), statistics.median(worked)


def shortened(run: gf.Run, texts: list[str]) -> Iterator[str]:
    """Each text up to its first fifty tokens."""
    for text in texts:
        ends = [end for _, end in run.tokens.encode(text).offsets[:TOKENS]]
        if ends and text[: max(ends)].strip():
            yield text[: max(ends)]


def tried(run: gf.Run, count: int) -> None:
    """The bars, over many texts."""
    texts, where = texts_to_compare(run.card, run.folder, run.tokens, count)
    found = [(text, run.why(text).reasons) for text in shortened(run, texts)]
    whys = [why for _, why in found]
    plain = margin_of(run.model, run.objective.family)
    print(f"  {len(whys)} texts from {where}")
    report("shares, blank and margin", [abs(_sum_of_shares(why) - why.margin) for why in whys])
    report("shared out in proportion", [why.shared.closed for why in whys])
    report("  of all shares", [why.shared.closed / sum(abs(word.share) for word in why.words) for why in whys])
    report("blocks, heads and margin", [_missed(why) for why in whys])
    report("leaving out, done by hand", [_leaving_out(run, plain, text, why) for text, why in found])
    report("points", [why.shared.points for why in whys])
    undecided = sum(why.shared.blank.undecided for why in whys)
    several, disagree = (sum(each in doubted(why) for why in whys) for each in (SEVERAL, DISAGREE))
    silent = sum(why.random.silent(why.margin) for why in whys)
    print(f"  undecided blank {undecided}, several share {several}, ways disagree {disagree}, nothing carries {silent}")


def _sum_of_shares(why: Reasons) -> float:
    return why.shared.blank.margin + sum(word.share for word in why.words)


def _missed(why: Reasons) -> float:
    assert why.direct is not None
    return abs(sum(part.value for part in why.direct.parts) - why.margin)


def _leaving_out(run: gf.Run, plain: Margin, text: str, why: Reasons) -> float:
    """The first word of all, left out of the text by hand, and the shorter text asked anew."""
    encoded = run.tokens.encode(text)
    end = max(encoded.offsets[place][1] for place in range(len(why.words[0].pieces)))
    rest = without(text, Word(why.words[0].text, 0, end, ()))
    written = (run.tokens.start,) if run.objective.family == "translator" else ()
    logits = plain.logits(
        [Prompted(tuple(run.objective.prompt(run.tokens, each).tolist()), written) for each in (text, rest)]
    )
    names = [str(label) for label in run.card.labels] or run.tokens.strings(range(len(run.tokens)))
    best = logits[0].topk(2).indices.tolist()
    assert names[best[0]].strip() == why.answer or not names[best[0]].strip()
    gained = logits[0, best[0]] - logits[0, best[1]] - (logits[1, best[0]] - logits[1, best[1]])
    return abs(float(gained) - why.words[0].without)


def report(name: str, values: list[float]) -> None:
    """Median and largest."""
    print(f"  {name:26} median {statistics.median(values):.2g}, largest {max(values):.2g}", flush=True)


if __name__ == "__main__":
    main()
