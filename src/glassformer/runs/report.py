"""The report of a run: one HTML file that says what was trained, how good it is and where it errs. It trains nothing.

All it tells stands in the run folder, so that a report can be written again at any time.
"""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from glassformer.drawing.charts import Line, line_chart
from glassformer.drawing.curves import Point, smoothed
from glassformer.drawing.html_page import bullets, fact_list, page, section, table
from glassformer.drawing.score_words import SCORES, between, caution, clock, in_figures, score_lines
from glassformer.errors import counted
from glassformer.models.card import Card
from glassformer.objectives.table import objective_of
from glassformer.runs.certificate.certificate import NO_GRADE
from glassformer.runs.folder import RunFolder
from glassformer.runs.learnt import Learnt, learnt
from glassformer.runs.pasting import pasteable
from glassformer.storage import figures
from glassformer.text.tasks import TASKS

MOST_CLASSES = 12  # in a confusion matrix; of more, the most frequent confusions are listed
MOST_CONFUSIONS = 10


def report(folder: RunFolder, card: Card) -> str:
    """The page about the model of this card."""
    with figures(folder.path):
        return _report(folder, card)


def _report(folder: RunFolder, card: Card) -> str:
    scores, certificate, about = folder.read_scores() or {}, folder.read_certificate() or {}, folder.read_about() or {}
    name, known = Path(card.data).name or card.data, learnt(folder, card)
    return page(
        f"{card.model} · {card.task} · {name}",
        [
            _headline(card, name, scores, about, certificate, known),
            _learning(known),
            section("Loss", _curve(folder.metrics()), "Training and validation loss over time; lower is better."),
            _accuracy(folder.metrics()),
            _confusion(scores),
            _examples(card, about.get("examples", [])),
            section("Scores", _scores(scores), "With a 95 % confidence interval where there is one."),
            _certificate(certificate),
            section("What was trained", fact_list(_trained(card, folder.settings, about))),
            section("What was read", bullets(about.get("notes", []))),
            section("What to do with it", _commands(card, folder.path)),
        ],
    )


# --- the answer first -------------------------------------------------------------------------------------------


def _headline(
    card: Card, name: str, scores: Mapping[str, Any], about: Mapping[str, Any], certificate: Mapping[str, Any],
    known: Learnt | None,
) -> str:  # fmt: skip
    main = objective_of(card).main
    interval = scores.get(f"{main}_interval")
    sure = f", 95 % confidence interval <span class='tight'>{between(main, interval)}</span>" if interval else ""
    count = counted(scores["samples"], "sample") if "samples" in scores else "a text"
    where = f"on {count} of the {scores.get('part', 'test')} part{_apart(card, scores)}"
    warned = f"<p class='wrong'>{escape(caution(scores))}</p>" if caution(scores) else ""
    passed = certificate.get("passed")
    marks = [] if passed is None else [_mark(passed, "keeps its promises" if passed else "breaks its promises")]
    if known:
        good = known.better and not known.advice
        marks.append(f"– {escape(known.verdict)}" if known.undecided else _mark(good, known.verdict, tight=""))
    seconds, parameters = about.get("seconds", 0.0), about.get("parameters", 0)
    return (
        f"<header><h1>{escape(card.model)} <span class='said'>{TASKS[card.task].does} {escape(name)}</span></h1>"
        f"<p class='headline'><b>{in_figures(main, scores[main])}</b> {escape(SCORES[main].words)}</p>"
        f"<p class='said'>{escape(where)}{sure}.</p>{warned}"
        f"<p class='said'>{parameters:,} parameters · {clock(seconds)} of training</p>"
        f"<p>{' · '.join(marks)}</p></header>"
    )


def _apart(card: Card, scores: Mapping[str, Any]) -> str:
    """What can be said of the samples it is scored on: what its parents have learnt from nobody knows here."""
    if scores.get("in_training", 0) != 0:
        return ""  # the caution says so
    return ", which it was not finetuned on" if card.parents else ", which it did not learn from"


def _learning(known: Learnt | None) -> str:
    """Whether it has learnt, and loudly if not."""
    if known is None:
        return ""
    advice = "".join(f"<p class='said'>→ {escape(each)}</p>" for each in known.advice)
    told = [
        f"<p class='{'wrong' if each.worse or (i == 0 and known.lost) else ''}'>{escape(sentence)}</p>"
        for i, (sentence, each) in enumerate(zip(known.sentences, known.against, strict=True))
    ]
    return section("Has it learnt?", "".join(told) + advice, "Against baselines, on the same samples.")


def _mark(good: bool, word: str, tight: str = "tight ") -> str:
    return f"<span class='{tight}{'right' if good else 'wrong'}'>{'✓' if good else '✗'} {escape(word)}</span>"


# --- how it learnt ----------------------------------------------------------------------------------------------


def training_points(metrics: Sequence[Mapping[str, Any]], event: str) -> list[Point]:
    """Seconds and loss of the logged steps ("step"), or of the validations ("judged")."""
    return [
        (float(line["seconds"]), float(line["loss"]))
        for line in metrics
        if line.get("event") == event and line.get("loss") is not None
    ]


def _curve(metrics: Sequence[Mapping[str, Any]]) -> str:
    stepped, valid = training_points(metrics, "step"), training_points(metrics, "judged")
    curves = [Line("training", smoothed(stepped), colour=7), Line("validation", valid, dotted=True)]
    said = f"The validation loss went from {valid[0][1]:.3f} to {valid[-1][1]:.3f}." if valid else "The loss."
    return line_chart([each for each in curves if each.points], clock, lambda loss: f"{loss:g}", said)


def epoch_points(metrics: Sequence[Mapping[str, Any]], part: str) -> list[Point]:
    """Epochs and the accuracy then, of the "training" or of the "validation" part."""
    return [(float(line["epoch"]), float(line[part])) for line in metrics if line.get("event") == "epoch"]


def _accuracy(metrics: Sequence[Mapping[str, Any]]) -> str:
    training, valid = epoch_points(metrics, "training"), epoch_points(metrics, "validation")
    if not valid:
        return ""
    curves = [Line("training", training, colour=7, dotted=True), Line("validation", valid, dotted=True)]
    first, last = (in_figures("accuracy", share) for share in (valid[0][1], valid[-1][1]))
    said = f"The accuracy on the validation part went from {first} to {last}."
    drawn = line_chart(curves, lambda epoch: f"{epoch:g}", lambda share: f"{100 * share:g} %", said)
    sentence = (
        "By epochs: of the answers while it learnt, and on the validation part. Where training goes on to rise and "
        "validation does not, it learns by heart."
    )
    return section("Accuracy", drawn, sentence)


# --- where it errs ----------------------------------------------------------------------------------------------


def _confusion(scores: Mapping[str, Any]) -> str:
    if "confusion" not in scores:
        return ""
    labels, counts = scores["confusion"]["labels"], scores["confusion"]["table"]
    body = _table_of_confusions(labels, counts) if len(labels) <= MOST_CLASSES else _frequent(labels, counts)
    rows = [
        [
            escape(label),
            *(f"{100 * each[name]:.1f} %" for name in ("precision", "recall", "f1")),
            f"{each['samples']:,}",
        ]
        for label, each in scores["classes"].items()
    ]
    per_class = table(["label", "precision", "recall", "F1", "samples"], rows, ["", *["number"] * 4])
    sentence = "Down, the true label; across, the predicted one." if len(labels) <= MOST_CLASSES else ""
    return section(
        "Confusion matrix" if len(labels) <= MOST_CLASSES else "Most frequent confusions", body + per_class, sentence
    )


def _table_of_confusions(labels: Sequence[str], counts: Sequence[Sequence[int]]) -> str:
    rows = []
    for label, row in zip(labels, counts, strict=True):
        total = sum(row) or 1
        rows.append([escape(label), *(_shaded(count, count / total) for count in row)])
    return f"<div class='confusion'>{table(['true ↓  predicted →', *labels], rows)}</div>"


def _shaded(count: int, share: float) -> str:
    return f"<span class='shade s{20 * share:.0f}'>{count:,} <small>{share:.0%}</small></span>"


def _frequent(labels: Sequence[str], counts: Sequence[Sequence[int]]) -> str:
    found = [
        (count, labels[i], labels[j])
        for i, row in enumerate(counts)
        for j, count in enumerate(row)
        if i != j and count
    ]  # fmt: skip
    rows = [[escape(true), escape(said), f"{count:,}"] for count, true, said in sorted(found, reverse=True)]
    return table(["true", "predicted", "samples"], rows[:MOST_CONFUSIONS], ["", "", "number"]) if rows else ""


def _examples(card: Card, examples: Sequence[Mapping[str, str]]) -> str:
    objective = objective_of(card)
    if objective.goes_on:
        return section(
            "What it writes", "".join(f"<p class='written'>{escape(each['said'])}</p>" for each in examples),
            "From an empty prompt, by sampling.",
        )  # fmt: skip
    words = TASKS[card.task].words
    sentence = "The first of all, then the first that differ." if objective.writes else "The first it got wrong."
    return section("Answers", "".join(_example(each, words) for each in examples), sentence)


def _example(each: Mapping[str, str], words: tuple[str, str, str]) -> str:
    good = each["said"] == each["right"]
    given, right, said = (f"<span class='label'>{word}</span>" for word in words)
    mark = f"<span class='{'right' if good else 'wrong'}' aria-label='{'right' if good else 'differs'}'>"
    sign = "✓" if good else "✗"
    return (
        f"<div class='example'>{given}<p>{escape(each['given'])}</p>{right}<p>{escape(each['right'])}</p>"
        f"{said}<p>{escape(each['said'])} {mark}{sign}</span></p></div>"
    )


# --- what is known of it ----------------------------------------------------------------------------------------


def _scores(scores: Mapping[str, Any]) -> str:
    return fact_list({**dict(score_lines(scores)), "BLEU signature": scores.get("signature", "")})


def _certificate(certificate: Mapping[str, Any]) -> str:
    rows = [
        [
            _mark(check["passed"], check["name"]),
            escape(check["sentence"]),
            "no number" if check["value"] is None else f"{check['value']:.2g}",
            f"{check['bar']:.2g}",
        ]
        for check in certificate.get("checks", [])
    ]
    if not rows:
        return ""
    left_out = [f"{each['name']}: {each['sentence']}" for each in certificate.get("not_applicable", [])]
    kept = table(["promise", "what was tried", "found", "allowed"], rows, ["tight", "", "number", "number"])
    rest = f"<details><summary>{len(left_out)} not tried</summary>{bullets(left_out)}</details>" if left_out else ""
    sentence = f"What is promised of every model, tried on this one. {NO_GRADE}"
    return section("Certificate", f"<div class='stacked'>{kept}</div>{rest}", sentence)


def _trained(card: Card, settings: Mapping[str, Any], about: Mapping[str, Any]) -> dict[str, str]:
    machine, plan = about.get("machine", {}), settings.get("plan", {})
    samples = about.get("samples", {})
    config = ", ".join(f"{name} {value}" for name, value in card.config.items() if value not in ("", 0, None))
    return {
        "data": card.data,
        "samples": ", ".join(f"{count:,} {part}" for part, count in samples.items() if count),
        "task": f"{card.task} ({card.objective})",
        "model": card.model,
        "hyperparameters": config,
        "finetuned from": " → ".join(card.parents),
        "training": ", ".join(f"{name.replace('_', ' ')} {plan[name]}" for name in _LEARNING if plan.get(name)),
        "command": card.command,
        "seed": str(card.seed),
        "machine": f"{machine['processor']}, {settings.get('run', {}).get('threads', 1)} of {machine['usable_cores']} "
        f"cores, {machine['system']}" if machine else "",
        "versions": ", ".join(f"{name} {number}" for name, number in machine.get("versions", {}).items()),
    }  # fmt: skip


_LEARNING = ("optimizer", "learning_rate", "schedule", "weight_decay", "steps", "precision")


def _commands(card: Card, folder: Path) -> str:
    commands = [
        ("predict", folder, TASKS[card.task].example),
        ("evaluate", folder),
        ("certify", folder),
    ]
    return "".join(f"<p><code>{escape(pasteable(('glassformer', *each)))}</code></p>" for each in commands)
