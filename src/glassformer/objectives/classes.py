"""The objective *classes*: the class of a text. It knows nothing of how a text came to have one.

text  →  a probability for each label
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import torch

from glassformer.choices import Later
from glassformer.errors import InputError
from glassformer.layers.embedding import mean_of_real
from glassformer.objectives.objective import SMALL, Objective, Preset, TokenPlan, Trained, Verdict
from glassformer.objectives.predictions import (
    TOKENS_AT_ONCE,
    Classified,
    Writing,
    encoded,
    padded_tensors,
    room,
    together,
)
from glassformer.text import batches
from glassformer.text.samples import Labelled
from glassformer.text.tokens import Ids, Tokens

if TYPE_CHECKING:  # what is learnt from is loaded when there is something to learn
    from glassformer.objectives.lessons import Lessons, Measures

_RECURRENT = ("rnn", "gru", "bilstm")
_BASELINES = (*_RECURRENT, "mlp", "conv", "conv-pool")


def preset(model: str, characters: int, samples: int) -> Preset:
    """The notes' models as the notes have them, and a GRU like them; a Transformer by the amount of text."""
    small = characters < SMALL
    if model == "ngrams":
        return _of_ngrams(small)
    tokens = TokenPlan(kind="word", min_frequency=1 if small else 3)
    if model in _RECURRENT and not small:
        return _of_recurrent(tokens)
    if model in _BASELINES or model.endswith("attention"):
        plan = {
            "optimizer": "adamw", "learning_rate": 1e-3, "weight_decay": 0.0, "schedule": "linear",
            "validate_every": 0.1,
        }  # fmt: skip
        return Preset(
            tokens=tokens, longest=500, tokens_per_batch=16_000, plan=plan, own_length=model in _BASELINES
        )  # fmt: skip
    if small:
        return Preset(
            settings={"width": 64, "hidden": 128, "layers": 2, "dropout": 0.0}, tokens=tokens, longest=256,
            tokens_per_batch=1024, plan={"learning_rate": 3e-3, "validate_every": 0.1, "patience": 0}, minutes=1.0,
        )  # fmt: skip
    return Preset(
        settings={"width": 64, "hidden": 128, "layers": 2, "dropout": 0.2, "word_dropout": 0.6},
        # Fewer words than the notes' 20,000: the rare ones are names, which say nothing of other texts.
        tokens=TokenPlan(kind="word", vocabulary=12_000, min_frequency=3), longest=1024, tokens_per_batch=8192,
        plan={
            "learning_rate": 2e-3, "table_rate": 0.2, "weight_decay": 0.1, "smoothing": 0.1, "average": 0.995,
            "validate_every": 0.1,
        },
        minutes=11.0,
    )  # fmt: skip


def _of_recurrent(tokens: TokenPlan) -> Preset:
    """The notes' networks as they are; words are left out and rare ones learnt slowly, or they learn texts by heart."""
    plan = {
        "optimizer": "adamw", "learning_rate": 2e-3, "table_rate": 0.3, "weight_decay": 0.1, "smoothing": 0.1,
        "average": 0.995, "schedule": "linear", "validate_every": 0.1,
    }  # fmt: skip
    return Preset(
        settings={"word_dropout": 0.6}, tokens=tokens, longest=500, tokens_per_batch=16_000, plan=plan, own_length=True,
    )  # fmt: skip


def _of_ngrams(small: bool) -> Preset:
    """Whole texts, and nearly all of their words: what is rare is counted for little anyway."""
    plan = {"optimizer": "adamw", "learning_rate": 2e-3, "weight_decay": 0.0, "schedule": "linear"}
    return Preset(
        settings={"ngrams": 50_000 if small else 1_000_000},
        tokens=TokenPlan(kind="word", vocabulary=100_000, min_frequency=1 if small else 2),
        longest=8192, tokens_per_batch=16_384, plan=plan, minutes=1.0,
    )  # fmt: skip


def lessons(
    train: Sequence[Labelled], valid: Sequence[Labelled], labels: Sequence[str], tokens: Tokens, measures: "Measures"
) -> "Lessons":
    """Texts and their classes; the loss is that of the right class. Only in training are pieces read."""
    from glassformer.objectives.lessons import Rows, class_loss, graded_loss, lessons_of
    from glassformer.text.corruption import Crop

    numbers = {label: i for i, label in enumerate(labels)}
    specials = tokens.specials

    def part(samples: Sequence[Labelled], crop: Crop) -> tuple[Rows, batches.Shortened]:
        cut = batches.shortened(
            tokens.encode_many([each.text for each in samples]), measures.longest, specials.after
        )  # fmt: skip
        classes = [numbers[each.label] for each in samples]

        @lru_cache(maxsize=2)  # the epoch at hand and the next
        def rows(epoch: int) -> Sequence[Ids]:
            return [crop.of(row, seed=measures.seed, epoch=epoch, index=i) for i, row in enumerate(cut.rows)]

        def made(indices: Sequence[int], epoch: int) -> batches.LabelledBatch:
            here = rows(epoch)
            return batches.labelled_batch([here[i] for i in indices], [classes[i] for i in indices])

        def lengths(epoch: int) -> list[int]:
            return [len(row) for row in rows(epoch)]

        return Rows(lengths, made, measures.tokens_per_batch, measures.seed), cut

    crop = Crop(share=measures.crop, before=len(specials.before), after=len(specials.after))
    learnt, cut = part(train, crop)
    return replace(lessons_of(learnt, part(valid, Crop())[0], class_loss, cut), graded=graded_loss)


def class_probabilities(trained: Trained, texts: Sequence[str]) -> np.ndarray:
    """The probability of each label (columns) for each text (rows)."""
    rows = batches.shortened(encoded(trained.tokens, texts), room(trained.card), trained.tokens.specials.after).rows
    probabilities = np.zeros((len(rows), len(trained.card.labels)))
    for indices in together(rows, TOKENS_AT_ONCE):
        ids, real = padded_tensors(trained.model, [rows[i] for i in indices])
        with torch.inference_mode():
            probabilities[indices] = trained.model(ids, real).double().softmax(-1).cpu().numpy()
    return probabilities


def text_vectors(trained: Trained, texts: Sequence[str]) -> np.ndarray:
    """What an encoder makes of each text before it decides (rows): the mean of what its tokens have become."""
    rows = batches.shortened(encoded(trained.tokens, texts), room(trained.card)).rows
    vectors = np.zeros((len(rows), trained.card.settings.width), dtype=np.float32)
    for indices in together(rows, TOKENS_AT_ONCE):
        ids, real = padded_tensors(trained.model, [rows[i] for i in indices])
        with torch.inference_mode():
            vectors[indices] = mean_of_real(trained.model.read(ids, real), real).cpu().numpy()
    return vectors


def predict(trained: Trained, texts: Sequence[str], how: Writing) -> list[Classified]:
    """Each text's label."""
    labels = trained.card.labels
    return [
        Classified(labels[int(row.argmax())], dict(zip(labels, row.tolist(), strict=True)))
        for row in class_probabilities(trained, texts)
    ]


def judge(trained: Trained, samples: Sequence[Labelled], how: Writing, seed: int) -> Verdict:
    """Accuracy first; precision, recall and F1 of each class, and the confusion matrix."""
    from glassformer.objectives import metrics
    from glassformer.objectives.evaluation import interval_of

    labels = trained.card.labels
    numbers = {label: i for i, label in enumerate(labels)}
    strange = sorted({sample.label for sample in samples} - numbers.keys())
    if strange:
        raise InputError(f"The model knows the labels {', '.join(labels)}; these samples have '{strange[0]}'.")
    truth = np.array([numbers[sample.label] for sample in samples])
    probabilities = class_probabilities(trained, [sample.text for sample in samples])
    found = metrics.score_classes(truth, probabilities)
    accuracy = metrics.accuracy(truth, probabilities.argmax(axis=1))
    scores = {
        "accuracy": found.accuracy,
        "accuracy_interval": interval_of(accuracy, seed),
        "macro_f1": found.macro_f1,
        "loss": found.log_loss,
        "calibration_error": found.calibration_error,
        "samples": len(samples),
        "classes": {label: asdict(each) for label, each in zip(labels, found.classes, strict=True)},
        "confusion": {"labels": list(labels), "table": found.confusion.tolist()},
    }
    answers = tuple(labels[i] for i in probabilities.argmax(axis=1))
    return Verdict(scores, "accuracy", accuracy, answers, tuple(sample.label for sample in samples))


CLASSES = Objective(
    learns="tell the class of a text",
    family="classifier",
    samples=Labelled,
    preset=preset,
    lessons=lessons,
    counts="samples",
    predict=predict,
    judge=judge,
    main="accuracy",
    beside="macro_f1",
    measure=Later("glassformer.objectives.metrics:share_of_rows"),
    baseline="ngrams",
    crops=True,
)
