"""Puts a trained run into the package as a pocket model: weights of 16 bits, scored and certified as they are shipped.

    .venv/bin/python scripts/pack.py runs/sentiment
    .venv/bin/python scripts/pack.py runs/negation-race    a race, with all its runs
    .venv/bin/python scripts/pack.py --look sentiment      only what the studio says of a pocket model in advance

The run's folder gives the name; how each pocket model is trained stands in its card. Nothing of the texts it was
trained on comes along but the tokens of its vocabulary.
"""

import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import glassformer as gf
from glassformer.drawing.score_words import SCORES, in_figures
from glassformer.inside.head_names import head_names
from glassformer.inside.repeated_tokens import repeated_looks
from glassformer.objectives.predictions import room
from glassformer.runs.folder import RunFolder
from glassformer.runs.trial_data import texts_to_compare
from glassformer.studio.first_looks import keep_first_look
from glassformer.studio.rooms.inside import first_text, reading_look
from glassformer.studio.shelf import facts_of
from glassformer.text.files.named_sets import find_named

POCKET = Path(__file__).parent.parent / "src/glassformer/runs/pocket"
PARTS = {"valid": "validation", "test": "test"}  # in words
LARGEST = 3_000_000  # bytes of one model, or of one race
LOOKS, SHORT = 50, 120  # texts over which heads are named, and how many signs of each
ROUNDED = 0.002  # by which a score may differ in 16 bits
DATA = {
    "imdb": "Large Movie Review Dataset by Maas et al. (ACL 2011), its own split; published for research, to be cited. "
    "https://ai.stanford.edu/~amaas/data/sentiment/",
    "sst2": "Stanford Sentiment Treebank by Socher et al. (EMNLP 2013), phrases and sentences with two labels as GLUE "
    "has them, of film reviews collected by Pang and Lee (ACL 2005); published for research, to be cited. "
    "https://nlp.stanford.edu/sentiment/",
    "lecture.csv": "the four reviews that a lecture prints, 50 times each. It **has read the four reviews**: what "
    "it says of them shows the way of a text, not its skill. Without them it has three of the four right, and of two "
    "runs with them the one that has all four right was kept. Three of them are cut from reviews of the test part, on "
    "which it is scored: 3 of 25,000.",
    "tatoeba-en-de": "sentence pairs by the contributors of https://tatoeba.org, selected by "
    "https://www.manythings.org/anki; licence CC BY 2.0, https://creativecommons.org/licenses/by/2.0",
    "shakespeare": "Tiny Shakespeare, 1.1 million characters put together by Andrej Karpathy; the text is in the "
    "public domain. https://github.com/karpathy/char-rnn",
}


def main(source: Path) -> None:
    """Packs one run, or one race; what stood under its name is replaced."""
    place = POCKET / source.resolve().name
    earlier = [] if (source / "race.json").exists() else beginnings(source)  # one of them may stand in its place
    shutil.rmtree(place, ignore_errors=True)
    if (source / "race.json").exists():
        pack_race(source, place)
    else:
        packed = pack(source, place)
        (place / "README.md").write_text(described(packed) + "".join(earlier), encoding="utf-8")
        look_ahead(packed, place)
        print(headline(packed, packed.scores))
    size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
    print(f"{place.name}: {size:,} bytes")
    if size > LARGEST:
        sys.exit(f"{place.name} cannot be shipped: it must have {LARGEST:,} bytes at most.")


def pack(source: Path, place: Path) -> gf.Run:
    """The run as it will be shipped: what it was told, its weights, its scores and its certificate."""
    run = gf.load(source)
    card = replace(run.card, command=run.card.command.split(" --out")[0])
    settings = RunFolder.open(source).settings
    settings["run"]["command"] = card.command
    folder = RunFolder.create(place, settings=settings)
    folder.save_model(card, run.model.state_dict(), run.tokens, half=True)
    packed = gf.load(place)
    folder.write_scores({key: value for key, value in packed.evaluate().items() if key != "data"})
    certificate = packed.certify()
    folder.write_certificate(certificate.to_dict())
    if not certificate.passed:
        sys.exit(f"{place} cannot be shipped: it does not keep every promise.")
    return packed


def look_ahead(run: gf.Run, place: Path) -> None:
    """What the studio shows of it before it is loaded."""
    facts = facts_of(run)
    text = first_text(place, facts["data"], facts["task"])
    texts, where = texts_to_compare(run.card, run.folder, run.tokens, LOOKS)
    twice = repeated_looks(run.model, run.tokens, room(run.card), LOOKS) if run.objective.goes_on else ()
    named = head_names((reading_look(run, each[:SHORT]) for each in texts), twice)
    heads = {"of": where, "looks": len(texts), "names": {key: name.to_dict() for key, name in named.items()}}
    keep_first_look(place.name, {"about": facts, "text": text, "why": run.why(text, at=None).to_dict(), "heads": heads})


def pack_race(source: Path, place: Path) -> None:
    """The standings, and each run with the curve of its validation loss. Its scores must be those of the standings."""
    standings = json.loads((source / "race.json").read_text(encoding="utf-8"))
    score = standings["score"]
    for model in standings["models"]:
        for name, was in zip(model["runs"], model[f"{score}_of_each_seed"], strict=True):
            packed = pack(source / name, place / name)
            print(f"{name}: {headline(packed, packed.scores)}")
            if abs(packed.scores[score] - was) > ROUNDED:
                sys.exit(f"{name} has {packed.scores[score]} in 16 bits, but {was} in the race.")
            for event in RunFolder(source / name).metrics():
                if event.get("event") == "judged":
                    RunFolder(place / name).log(event)
    shutil.copy(source / "race.json", place)


def described(run: gf.Run) -> str:
    """The card of a model, for a person."""
    card = run.card
    parameters = sum(weight.numel() for weight in run.model.parameters())
    checks = [check["passed"] for check in run.certificate["checks"]]
    return f"""# {run.folder.name if run.folder else card.model}

The model `{card.model}`, trained to {card.task}: {parameters:,} parameters, kept in 16 bits each.
Made to be looked into: it is small, and wrong now and then.

{known_from(run)}
- **Certificate**: {sum(checks)} of {len(checks)} promises kept; `glassformer certify` tries them again.
- **Command**: `{card.command}`
"""


def known_from(run: gf.Run) -> str:
    """The lines on its data and its scores: of what was only learnt from as well, on the part that was not."""
    assert run.folder
    more = RunFolder.open(run.folder).settings["data"].get("more", [])
    first = f"{headline(run, run.scores)}, on the {run.scores['part']} part"
    lines = [f"**Data**: {DATA[name]}" for name in dict.fromkeys((run.card.data, *more))]
    lines.append(f"**Score**: {first}{f' of {run.card.data}' if more else ''}, with the weights as they are here.")
    for name in dict.fromkeys(each for each in more if find_named(each)):  # of what was not learnt from
        scores = run.evaluate(name, part="valid")
        lines.append(f"**Score on {name}**: {headline(run, scores)}, on its {PARTS[scores['part']]} part.")
    return "\n".join(f"- {line}" for line in lines)


def beginnings(source: Path) -> list[str]:
    """A line for each run that it was finetuned from."""
    parents = gf.load(source).card.parents
    return [f"- **Begun from** `{name}`, of the command `{gf.load(name).card.command}`\n" for name in parents]


def headline(run: gf.Run, scores: Mapping[str, Any]) -> str:
    """The score that counts most, with its interval, and the one beside it."""
    main, beside = run.objective.main, run.objective.beside
    between = " to ".join(in_figures(main, each) for each in scores[f"{main}_interval"])
    first = f"{SCORES[main].words} {in_figures(main, scores[main])} ({between})"
    return f"{first}, {SCORES[beside].words} {in_figures(beside, scores[beside])}"


if __name__ == "__main__":
    if sys.argv[1] == "--look":
        look_ahead(gf.load(sys.argv[2]), POCKET / sys.argv[2])
    else:
        main(Path(sys.argv[1]))
