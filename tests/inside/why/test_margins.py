"""The margin: that of the model itself, in float64, of ids and of rows; nobody else's pass is touched."""

import pytest
import torch
from helpers.small_models import small

from glassformer.errors import InputError
from glassformer.inside.why.margins import Margin, Prompted, at_once, margin_of
from glassformer.models.registry import MODELS
from glassformer.stages.watchers import nothing

IDS = ((5, 7, 11, 6), (9, 8, 5, 7, 13, 6), (17,))
EMBEDDED = [name for name in MODELS if name != "ngrams"]


def asked(name: str) -> tuple[Margin, list[Prompted]]:
    family = MODELS[name].family
    rows = [Prompted(ids, (2, *ids[:2]) if family == "translator" else ()) for ids in IDS]
    return margin_of(small(name), family).between(6 % 3, 7 % 3), rows


@pytest.mark.parametrize("name", EMBEDDED)
def test_it_is_the_model_s_own_one_text_at_a_time(name: str) -> None:
    margin, rows = asked(name)
    model = small(name)
    for row, found in zip(rows, margin.of_ids(rows), strict=True):
        ids = torch.tensor([row.ids])
        real = torch.ones_like(ids, dtype=torch.bool)
        with torch.no_grad():
            if margin.family == "translator":
                logits = model(ids, real, torch.tensor([row.written]))[:, -1]
            else:
                logits = model(ids, real) if margin.family == "classifier" else model(ids)[:, -1]
        assert float(found) == pytest.approx(float(logits[0, 0] - logits[0, 1]), abs=2e-5)


@pytest.mark.parametrize("name", EMBEDDED)
def test_rows_of_the_embedding_are_as_good_as_ids(name: str) -> None:
    margin, rows = asked(name)
    for row in rows:
        embedded = margin.table[torch.tensor(row.places)]
        both = margin.of_embedded(torch.stack([embedded, embedded.flip(-1)]), row)
        assert float(both[0]) == pytest.approx(float(margin.of_ids([row])[0]), abs=1e-12)
        assert abs(float(both[1] - both[0])) > 1e-6


def test_a_watched_batch_goes_in_one_pass() -> None:
    margin, rows = asked("modern")
    shapes = []

    def see(name: str, value: torch.Tensor, how: str = "") -> torch.Tensor:
        shapes.append(value.shape[0]) if name == "embedded" else None
        return value

    torch.testing.assert_close(margin.of_ids(rows, see), margin.of_ids(rows, nothing), atol=1e-12, rtol=0)
    assert shapes == [3]


def test_the_model_itself_is_left_alone() -> None:
    model = small("transformer")
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    margin = margin_of(model, "classifier").between(0, 1)
    margin.of_embedded(torch.zeros(2, 3, 6, dtype=torch.float64), Prompted((1, 2, 3)))
    assert next(model.parameters()).dtype == torch.float32
    assert all(torch.equal(weight, before[name]) for name, weight in model.state_dict().items())


def test_as_many_as_fit_go_together() -> None:
    assert [at_once(length) for length in (1, 50, 1024, 9999)] == [4096, 81, 3, 1]
    margin, rows = asked("gpt")
    assert [(begin, len(some)) for begin, some in margin.batches(rows * 500)] == [(0, 682), (682, 682), (1364, 136)]


def test_what_only_counts_words_is_refused() -> None:
    with pytest.raises(InputError, match=r"no embedding.*`glassformer look` lists the n-grams"):
        margin_of(small("ngrams"), "classifier")
