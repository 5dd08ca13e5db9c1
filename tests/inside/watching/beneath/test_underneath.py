"""The verdict of a watch: never a voucher for what ran unseen, never an alarm where no attention ran."""

import contextlib
from collections.abc import Iterator

import pytest
import torch
from helpers.hidden_attention import HIDDEN, PEACEFUL, WIDTH, Beside, rows
from helpers.watched_models import NanoGPT
from helpers.watching import watched
from helpers.weighing_otherwise import OTHERWISE, Rows, Way
from helpers.weights_as_a_newcomer_has_them import AS_A_NEWCOMER, NONE_AFTER_ALL
from helpers.weights_by_other_ways import BY_OTHER_WAYS, NONE_THOUGH, WHOLE
from helpers.weights_in_disguise import DISGUISED, HALF_SEEN, UNDISGUISED, PartedColumns
from helpers.without_attention import WITHOUT
from torch import Tensor, nn

import glassformer as gf

pytestmark = [
    pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors is in prototype stage:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*torch.jit.*is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*quantize_per_tensor.*:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*torch.jit.*is not supported in Python 3.14:DeprecationWarning"),
]


@contextlib.contextmanager
def gradients(how: str) -> Iterator[None]:
    with {"with": torch.enable_grad, "without": torch.no_grad, "inference": torch.inference_mode}[how]():
        yield


@pytest.mark.parametrize("how", ["with", "without", "inference"])
@pytest.mark.parametrize("name", HIDDEN)
def test_what_runs_unseen_is_never_vouched_for(name: str, how: str) -> None:
    model = Beside(HIDDEN[name]()).eval()
    with gradients(how):
        seen = watched(model, rows())
    assert any(call.kind == "sdpa" for call in seen.calls)  # the open one is seen
    rebuilt = len(seen.calls) > 1 and seen.honest
    assert rebuilt or seen.verdict in ("some not seen", "cannot tell"), seen.sentences
    assert rebuilt or len(seen.sentences) > 1


@pytest.mark.parametrize("how", ["with", "without", "inference"])
@pytest.mark.parametrize("name", PEACEFUL)
def test_where_no_attention_runs_there_is_no_alarm(name: str, how: str) -> None:
    torch.manual_seed(0)
    model = PEACEFUL[name]().eval()
    with gradients(how):
        seen = watched(model, rows())
    assert (seen.verdict, seen.calls, seen.missed, seen.unsure) == ("all seen", [], [], []), seen.sentences
    with gf.watch(model) as within:
        model(torch.randn(2, 7, WIDTH))  # made while somebody watches
    assert within.verdict == "all seen", within.sentences


@pytest.mark.parametrize("name", OTHERWISE)
def test_attention_of_another_spelling_is_never_vouched_for(name: str) -> None:
    torch.manual_seed(0)
    seen = watched(OTHERWISE[name]().eval(), rows())
    assert seen.honest or seen.verdict in ("some not seen", "cannot tell"), seen.sentences


@pytest.mark.parametrize("name", DISGUISED)
def test_weights_in_disguise_are_never_vouched_for(name: str) -> None:
    torch.manual_seed(0)
    seen = watched(DISGUISED[name]().eval(), rows())
    assert seen.honest or seen.verdict in ("some not seen", "cannot tell"), seen.sentences


@pytest.mark.parametrize("name", BY_OTHER_WAYS)
def test_attention_by_other_ways_is_never_vouched_for(name: str) -> None:
    torch.manual_seed(0)
    with torch.no_grad():
        seen = gf.watch(BY_OTHER_WAYS[name]().eval()).run(rows())
    assert seen.honest or seen.verdict in ("some not seen", "cannot tell"), seen.sentences


@pytest.mark.parametrize("name", AS_A_NEWCOMER)
def test_attention_as_a_newcomer_spells_it_is_never_vouched_for(name: str) -> None:
    torch.manual_seed(0)
    for wrapped in (False, True):  # alone, and beside an attention that is seen
        model = AS_A_NEWCOMER[name]()
        with torch.no_grad():
            seen = gf.watch((Beside(model) if wrapped else model).eval()).run(rows())
        assert seen.verdict in ("some not seen", "cannot tell"), seen.sentences


@pytest.mark.filterwarnings("ignore:`torch.jit.(script|freeze). is deprecated:DeprecationWarning")
@pytest.mark.parametrize("name", NONE_AFTER_ALL)
def test_what_was_called_attention_falsely_once_raises_no_alarm(name: str) -> None:
    torch.manual_seed(0)
    model = NONE_AFTER_ALL[name]().eval()
    with torch.no_grad():
        seen = watched(model, rows())
    assert (seen.verdict, seen.calls) == ("all seen", []), seen.sentences


def test_a_state_that_is_handed_in_and_grows_is_doubted() -> None:
    class HandedIn(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(5, 15)

        def forward(self, x: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
            q, k, v = self.layer(x).chunk(3, -1)
            state = state + k.mT @ v
            return q @ state, state

    assert gf.watch(HandedIn()).run(torch.randn(2, 1, 5), torch.randn(2, 5, 5)).verdict == "cannot tell"


@pytest.mark.parametrize("name", WHOLE)
def test_what_inference_mode_hands_over_whole_is_seen_in_pieces(name: str) -> None:
    model = Beside(Rows(WHOLE[name])).eval()
    with torch.inference_mode():
        seen = watched(model, rows())
    assert seen.verdict in ("some not seen", "cannot tell"), seen.sentences


@pytest.mark.parametrize("name", NONE_THOUGH)
def test_layers_that_weigh_nothing_raise_no_alarm_in_inference_mode_either(name: str) -> None:
    torch.manual_seed(0)
    model = NONE_THOUGH[name]().eval()
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            seen = watched(model, rows())
        assert (seen.verdict, seen.calls) == ("all seen", []), seen.sentences


@pytest.mark.parametrize("name", HALF_SEEN)
def test_half_of_an_attention_is_never_vouched_for_as_all_of_it(name: str) -> None:
    torch.manual_seed(0)
    seen = watched(Rows(HALF_SEEN[name]).eval(), rows())
    assert seen.verdict in ("some not seen", "cannot tell"), seen.sentences


@pytest.mark.parametrize("way", [
    lambda x, q, k, v: (q @ k.mT).softmax(-1) @ v @ x[:, :1].mT,
    lambda x, q, k, v: ((q @ k.mT).softmax(-1) @ v @ k.mT).softmax(-1) @ v,
    lambda x, q, k, v: ((q[:, None] @ k[:, None].mT).softmax(-1) @ v[:, None]).transpose(1, 2).flatten(2) @ x[:, :1].mT,
    lambda x, q, k, v: x @ (x + (q @ k.mT).softmax(-1) @ v).mT,
], ids=["a candidate", "asks again", "heads and a candidate", "rows and rows"])  # fmt: skip
def test_what_weights_came_to_may_be_compared_with_other_rows(way: Way) -> None:
    assert watched(Rows(way).eval(), rows()).honest


def test_rows_of_which_one_column_is_turned_by_its_place_are_rows() -> None:
    def turned(x: Tensor) -> Tensor:
        return torch.cat([x[..., :1] * torch.arange(7.0)[:, None].cos(), x[..., 1:]], -1)

    def attend(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return (turned(q) @ turned(k).mT).softmax(-1) @ v + q[..., 0].sum() * 0

    assert watched(Rows(attend).eval(), rows()).honest


@pytest.mark.parametrize("name", UNDISGUISED)
def test_answers_and_filters_that_are_chosen_raise_no_alarm(name: str) -> None:
    torch.manual_seed(0)
    seen = watched(UNDISGUISED[name]().eval(), rows())
    assert (seen.verdict, seen.calls) == ("all seen", []), seen.sentences


def test_parts_that_one_filter_reads_may_be_two_pictures() -> None:
    assert watched(PartedColumns(n_filters=1).eval(), rows()).verdict == "some not seen"


@pytest.mark.parametrize("name", WITHOUT)
def test_what_only_looks_like_it_raises_no_alarm(name: str) -> None:
    torch.manual_seed(0)
    seen = watched(WITHOUT[name]().eval(), rows())
    assert (seen.verdict, seen.calls) == ("all seen", []), seen.sentences


class SeveralRowsForAWord(nn.Module):
    """A table that has, for each word, a row for each of two heads."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(11, 2, WIDTH))

    def forward(self, ids: Tensor) -> Tensor:
        rows = self.table[ids].transpose(1, 2)
        return rows @ rows.mT @ rows


def test_rows_that_words_have_in_a_table_are_read_and_not_the_models_own() -> None:
    assert watched(SeveralRowsForAWord().eval(), torch.tensor([[3, 1, 4, 1, 5]])).verdict == "cannot tell"


def test_a_thread_that_gives_the_answer_itself() -> None:
    class Elsewhere(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return HIDDEN["in a thread"]()(x)

    assert watched(Elsewhere(), rows()).verdict == "cannot tell"


def test_our_own_error_does_not_stop_the_model_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from glassformer.inside.watching.beneath.bookkeeping import Bookkeeping

    def fails(*_: object) -> None:
        raise ValueError("by us")

    monkeypatch.setattr(Bookkeeping, "after", fails)
    seen = watched(NanoGPT(), torch.randn(2, 7, 15))
    assert seen.verdict == "cannot tell"
    assert "looking on failed with ValueError: by us" in seen.sentences[-1]


class Pooled(nn.Module):
    """Rows pooled along the text, and a layer: how the pooled rows lie in memory decides how they are added up."""

    def __init__(self) -> None:
        super().__init__()
        self.pool, self.layer = nn.MaxPool1d(2), nn.Linear(67, 31)

    def forward(self, x: Tensor) -> Tensor:
        rows = self.pool(x.mT).mT
        return self.layer((rows @ rows.mT).softmax(-1) @ rows)  # type: ignore[no-any-return]


@pytest.mark.parametrize("how", ["with", "without", "inference"])
def test_pooled_rows_lie_as_they_would_with_nobody_looking(how: str) -> None:
    model, x = Pooled().eval(), torch.randn(2, 46, 67)
    with gradients(how):
        alone = model.pool(x.mT)
        with gf.watch(model):
            assert model.pool(x.mT).stride() == alone.stride()
        seen = watched(model, x)
        with gf.watch(model) as outer, gf.watch(model) as inner:
            model(x)
    assert [each.verdict for each in (seen, outer, inner)] == ["all seen"] * 3
