"""The objective *pairs*: translations, searched or greedy, and scored with signatures."""

import json
from pathlib import Path

import pytest
import torch
from helpers.small_runs import small_corpus, small_run

from glassformer.objectives.lessons import Measures
from glassformer.objectives.pairs import PAIRS
from glassformer.objectives.predictions import Translated
from glassformer.runs.run import Run, load
from glassformer.text.samples import Pair
from glassformer.text.tokens import Tokens
from glassformer.text.varied_pairs import Variety


@pytest.fixture
def translator(tmp_path: Path) -> Run:
    return load(small_run(tmp_path / "run", "pairs").path)


def test_translations_come_from_a_search_and_greedily_if_asked(translator: Run) -> None:
    texts = [sample.source for sample in small_corpus("pairs").test if isinstance(sample, Pair)][:11]
    searched = translator.predict(texts, longest=13)
    likeliest = translator.predict(texts, longest=13, beam=1)
    for one, other in zip(searched, likeliest, strict=True):
        assert isinstance(one, Translated)
        assert isinstance(other, Translated)
        assert one.score >= other.score - 5e-6
    assert translator.predict(texts[3:4], longest=13)[0].translation == searched[3].translation  # type: ignore[union-attr]
    by_chance = translator.predict(texts, longest=13, temperature=1.0, seed=5)
    assert by_chance == translator.predict(texts, longest=13, temperature=1.0, seed=5)
    assert by_chance != searched


@pytest.mark.parametrize("beam", [1, 3])
def test_a_translation_without_an_end_is_as_long_in_any_company(translator: Run, beam: int) -> None:
    """At most twice the ids of its own source, and 20: not of the longest that is translated with it."""
    end = translator.tokens.end
    with torch.no_grad():
        translator.model.head.linear.bias[end] = -50.0  # type: ignore[operator,union-attr,index]
    texts = [sample.source for sample in small_corpus("pairs").test if isinstance(sample, Pair)][:7]
    alone = [translator.predict([text], beam=beam)[0] for text in texts]
    together = translator.predict(texts, beam=beam)
    assert [each.translation for each in together] == [each.translation for each in alone]  # type: ignore[union-attr]
    assert len({len(each.translation) for each in together}) > 2  # type: ignore[union-attr]


def test_a_translator_is_scored_with_signatures(translator: Run) -> None:
    scores = translator.evaluate(limit=13, longest=11)
    keys = {"bleu", "bleu_interval", "chrf", "signature", "bleu_lowercase", "lowercase_signature", "chrf_signature"}
    assert keys | {"exact", "samples"} <= scores.keys()
    assert "version:" in scores["signature"]
    assert scores["samples"] == 13
    json.dumps(scores, allow_nan=False)


def test_training_pairs_are_varied_and_those_of_validation_are_not() -> None:
    pairs = [Pair(f"Tom sees {name}.", f"Tom sieht {name}.") for name in ("Ann", "Bo", "Cleo", "Dora", "Eve")]
    tokens = Tokens.train("character", [each.source + each.target for each in pairs], min_frequency=1)

    def read(share: float, part: str, epoch: int) -> list[tuple[str, str]]:
        measures = Measures(
            longest=41, tokens_per_batch=997, seed=3, variety=Variety(new_names=share, lost_stops=share)
        )
        lessons = PAIRS.lessons(pairs, pairs, (), tokens, measures)
        rows = lessons.train if part == "train" else lessons.valid
        batches = [rows.batch(epoch, i) for i in range(rows.n_batches(epoch))] if part == "train" else rows.in_order()
        return [
            (tokens.decode(source), tokens.decode(target))
            for batch in batches
            for source, target in zip(batch.source, batch.target_out, strict=True)
        ]

    plain = sorted((each.source, each.target) for each in pairs)
    assert sorted(read(0.0, "train", 2)) == plain
    assert sorted(read(1.0, "valid", 0)) == plain
    found = read(1.0, "train", 2)
    assert found == read(1.0, "train", 2) != read(1.0, "train", 3)
    for source, target in found:
        assert source.replace(" sees ", " sieht ") + "." == target
        assert (source, target) not in plain
