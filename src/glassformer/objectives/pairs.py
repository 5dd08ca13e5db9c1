"""The objective *pairs*: a sentence and its translation. It knows nothing of languages.

text  →  <s> translation </s>
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from glassformer.choices import Later
from glassformer.errors import InputError
from glassformer.models.translator import Translation
from glassformer.objectives.objective import SMALL, Objective, Preset, TokenPlan, Trained, Verdict
from glassformer.objectives.predictions import (
    AND_SOME,
    SEARCHED_AT_ONCE,
    TIMES_LONGER,
    Translated,
    Writing,
    encoded,
    padded_tensors,
    room,
    together,
)
from glassformer.text import batches
from glassformer.text.samples import Pair
from glassformer.text.tokens import Ids, Tokens

if TYPE_CHECKING:  # what is learnt from is loaded when there is something to learn
    from glassformer.objectives.lessons import Lessons, Measures

USUAL_BEAM = 4
_Row = tuple[Ids, Ids]


def preset(model: str, characters: int, samples: int) -> Preset:
    """By the amount of text."""
    if characters < SMALL:
        return Preset(
            settings={"width": 64, "hidden": 256, "encoder_layers": 2, "decoder_layers": 2, "dropout": 0.0},
            tokens=TokenPlan(kind="bpe", vocabulary=300), longest=128, tokens_per_batch=1024,
            plan={"learning_rate": 3e-3}, minutes=1.0,
        )  # fmt: skip
    return Preset(
        settings={"width": 128, "hidden": 256, "encoder_layers": 3, "decoder_layers": 3, "dropout": 0.3},
        tokens=TokenPlan(kind="bpe", vocabulary=5000), longest=128, tokens_per_batch=2048,
        plan={"learning_rate": 3e-3, "smoothing": 0.1, "average": 0.998, "validate_every": 0.05}, minutes=30.0,
    )  # fmt: skip


def lessons(
    train: Sequence[Pair], valid: Sequence[Pair], labels: Sequence[str], tokens: Tokens, measures: "Measures"
) -> "Lessons":
    """Sentences and their translations; the loss is that of each next token."""
    from glassformer.objectives.lessons import Rows, lessons_of, translation_loss
    from glassformer.text.varied_pairs import VariedPairs, Variety, names_of

    def part(samples: Sequence[Pair], varied: VariedPairs) -> tuple[Rows, batches.Shortened]:
        changing = [i for i, pair in enumerate(samples) if varied.may_change(pair)]
        plain, cut = _rows_of(samples, tokens, measures.longest)

        @lru_cache(maxsize=2)  # the epoch at hand and the next
        def rows(epoch: int) -> Mapping[int, _Row]:
            now = [varied.in_place(samples[i], epoch=epoch, index=i) for i in changing]
            return dict(zip(changing, _rows_of(now, tokens, measures.longest)[0], strict=True))

        def made(indices: Sequence[int], epoch: int) -> batches.PairBatch:
            here = rows(epoch)
            sources, targets = zip(*(here.get(i, plain[i]) for i in indices), strict=True)
            return batches.pair_batch(sources, targets, (tokens.start, tokens.end))

        def lengths(epoch: int) -> list[int]:
            here = rows(epoch)
            both = (here.get(i, row) for i, row in enumerate(plain))
            return [max(len(source), len(target) + 1) for source, target in both]

        return Rows(lengths, made, measures.tokens_per_batch, measures.seed), cut

    names = names_of(train) if measures.variety.new_names else ()
    learnt, cut = part(train, VariedPairs(names, measures.variety, measures.seed))
    return lessons_of(learnt, part(valid, VariedPairs((), Variety(), 0))[0], translation_loss, cut)


def _rows_of(pairs: Sequence[Pair], tokens: Tokens, longest: int) -> tuple[list[_Row], batches.Shortened]:
    """Each pair as ids, and what was cut off the sources."""
    if tokens.reads_only:
        raise InputError(
            "These tokens were made for texts to be translated; for translations another file is needed (target.spm), "
            "which the folder did not have. The model can translate, but cannot be trained on."
        )
    sources = batches.shortened(tokens.encode_many([each.source for each in pairs]), longest, tokens.specials.after)
    written = tokens.for_targets.encode_many([each.target for each in pairs], bare=True)
    targets = batches.shortened(written, longest - 1)  # and </s>
    return list(zip(sources.rows, targets.rows, strict=True)), sources


def predict(trained: Trained, texts: Sequence[str], how: Writing) -> list[Translated]:
    """Each text's translation."""
    model, tokens = trained.model, trained.tokens
    rows = batches.shortened(encoded(tokens, texts), room(trained.card), tokens.specials.after).rows
    found: list[Any] = [None] * len(rows)
    for indices in together(rows, SEARCHED_AT_ONCE):
        source, real = padded_tensors(model, [rows[i] for i in indices])
        most = [how.longest or TIMES_LONGER * len(rows[i]) + AND_SOME for i in indices]  # whatever company it has
        writer = Translation(model, source, real, tokens.start, tokens.specials.never, most=most)
        answers = how.written(writer, tokens, max(most), how.beam or USUAL_BEAM)
        for i, answer in zip(indices, answers, strict=True):
            found[i] = Translated(how.ended(tokens.decode(answer.body))[0], answer.score(1.0))
    return found


def judge(trained: Trained, samples: Sequence[Pair], how: Writing, seed: int) -> Verdict:
    """BLEU and chrF, with the signatures that say how they were worked."""
    from glassformer.objectives import metrics
    from glassformer.objectives.evaluation import interval_of, judge_answers

    references = tuple(sample.target for sample in samples)
    answers = tuple(each.translation for each in predict(trained, [each.source for each in samples], how))
    found = asdict(metrics.score_translations(answers, references))
    bleu = metrics.bleu(answers, references)
    scores = {
        "bleu": found.pop("bleu"),
        "bleu_interval": interval_of(bleu, seed),
        **found,
        "exact_interval": judge_answers(answers, references, seed).scores["exact_interval"],
        "samples": len(samples),
    }
    return Verdict(scores, "bleu", bleu, answers, references)


PAIRS = Objective(
    learns="translate",
    family="translator",
    samples=Pair,
    preset=preset,
    lessons=lessons,
    predict=predict,
    judge=judge,
    main="bleu",
    beside="chrf",
    measure=Later("glassformer.objectives.metrics:bleu_of_rows"),
    writes=True,
)
