"""Writers: with a cache as without, in a batch as alone, whatever the model, and the same again from the beginning."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from glassformer.errors import InputError
from glassformer.models.beam import Beam, search
from glassformer.models.config import LanguageModelConfig, TranslatorConfig
from glassformer.models.language_model import Continuation, LanguageModel
from glassformer.models.sampling import Answer, Sampling, Stop, Writer, greedy, sample
from glassformer.models.translator import Translation, Translator

VOCABULARY, LONGEST, BEGIN = 23, 29, 1
STOP = Stop(longest=11, endings=((2,), (7, 7)), until=lambda ids: sum(ids) % 7 == 3)  # ends early and late
Ids = list[int]

LANGUAGE_MODELS = {
    "rotary": {},
    "learned positions": {"positions": "learned", "norm": "layer", "activation": "gelu", "bias": True},
    "sinusoidal": {"positions": "sinusoidal", "query_key_norm": False},
    "shared heads": {"kv_heads": 1},
    "alibi": {"positions": "alibi"},
    "t5, shared heads": {"positions": "t5", "kv_heads": 1},
    "sigmoid": {"weigher": "sigmoid"},
    "quiet softmax": {"weigher": "quiet softmax", "positions": "none"},
}
SYNTHESIZERS = {
    "dense": {"scorer": "dense synthesizer", "query_key_norm": False, "positions": "learned"},
    "random": {"scorer": "random synthesizer", "query_key_norm": False, "positions": "none"},
}


def loud(model: LanguageModel | Translator) -> None:
    """A new model says nearly the same after everything. One with large weights, and no id louder than another, not."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim > 1:
                weight.normal_(0.0, 0.3 if "contract" in name else 1.5)
        model.embedding.weight.copy_(F.normalize(model.embedding.weight))
    model.eval()


def language_model(**choices: object) -> LanguageModel:
    config = {
        "vocabulary": VOCABULARY,
        "width": 12,
        "length": LONGEST,
        "layers": 2,
        "heads": 2,
        "hidden": 13,
        **choices,
    }
    model = LanguageModel(LanguageModelConfig(**config)).double()  # type: ignore[arg-type]
    loud(model)
    return model


def translator(positions: str = "sinusoidal") -> Translator:
    config = TranslatorConfig(
        vocabulary=VOCABULARY, width=12, length=LONGEST, encoder_layers=1, decoder_layers=2, heads=2, hidden=13,
        positions=positions,
    )  # fmt: skip
    model = Translator(config).double()
    loud(model)
    return model


def prompts(count: int, shortest: int = 1, longest: int = 13) -> list[Ids]:
    lengths = torch.randint(shortest, longest + 1, (count,)).tolist()
    return [torch.randint(3, VOCABULARY, (length,)).tolist() for length in lengths]


def padded(texts: list[Ids]) -> tuple[Tensor, Tensor]:
    width = max(map(len, texts))
    ids = torch.tensor([text + [0] * (width - len(text)) for text in texts])
    return ids, torch.tensor([[True] * len(text) + [False] * (width - len(text)) for text in texts])


def check_greedy(answers: list[Answer], read: Callable[[int, Ids], Tensor]) -> None:
    """Read as a whole, without cache or company: at each place the likeliest next id is the one that was written.

    `read(text, written)` gives the scores before the first id, and after each of them.
    """
    for text, answer in enumerate(answers):
        with torch.no_grad():
            logprobs = read(text, list(answer.ids)).log_softmax(-1)[: len(answer.ids)]
        assert logprobs.argmax(-1).tolist() == list(answer.ids)
        assert answer.logprobs == pytest.approx(logprobs.amax(-1).tolist(), abs=1e-10)
        assert STOP.finish(answer.ids, LONGEST) == answer.finish
    assert len({answer.ids for answer in answers}) > 7  # they do not all say the same
    assert len({len(answer.ids) for answer in answers}) > 2


# --- language models --------------------------------------------------------------------------------------------


def check_continuations(model: LanguageModel, texts: list[Ids]) -> None:
    answers = greedy(Continuation(model, texts), STOP)
    check_greedy(answers, lambda text, ids: model(torch.tensor([texts[text] + ids]))[0, len(texts[text]) - 1 :])


@pytest.mark.parametrize("choices", [*LANGUAGE_MODELS.values()], ids=LANGUAGE_MODELS.keys())
def test_a_batch_of_unequal_prompts_with_a_cache_is_each_without(choices: dict[str, object]) -> None:
    check_continuations(language_model(**choices), prompts(100))


@pytest.mark.parametrize("choices", [*SYNTHESIZERS.values()], ids=SYNTHESIZERS.keys())
def test_a_synthesizer_writes_prompts_of_equal_length(choices: dict[str, object]) -> None:
    model, texts = language_model(**choices), prompts(37, 5, 5)
    check_continuations(model, texts)
    with pytest.raises(InputError, match="Prompts of 2 to 5 ids cannot be written together by a Synthesizer"):
        Continuation(model, [[3, 4], *texts])


def test_chance_and_beams_are_the_same_in_a_batch_as_alone() -> None:
    model, texts = language_model(), prompts(13)
    seeds, beam = list(range(13)), Beam(width=3, n_best=2)
    drawn, found = (
        sample(Continuation(model, texts), STOP, Sampling(), seeds),
        search(Continuation(model, texts), STOP, beam),
    )
    for text, seed, one_drawn, one_found in zip(texts, seeds, drawn, found, strict=True):
        [alone] = sample(Continuation(model, [text]), STOP, Sampling(), [seed])
        assert alone.ids == one_drawn.ids
        assert alone.logprobs == pytest.approx(one_drawn.logprobs, abs=1e-12)
        [searched] = search(Continuation(model, [text]), STOP, beam)
        assert [answer.ids for answer in searched] == [answer.ids for answer in one_found]


def test_scores_of_unequal_prompts_are_those_of_each_alone() -> None:
    """Step by step, with a row dropped and one doubled: float32 within 5e-6, float64 within 1e-12."""
    for kind, tolerance in ((torch.float32, 5e-6), (torch.float64, 1e-12)):
        model = language_model().to(kind)
        texts = prompts(5)
        writer = Continuation(model, texts)
        with torch.no_grad():
            scores = [writer.first()]
            kept = torch.tensor([4, 1, 1, 3])
            writer.keep(kept)
            texts = [texts[row] for row in kept.tolist()]
            for step in range(3):
                ids = torch.tensor([5, 6, 7, 8]) + step
                scores.append(writer.next(ids))
                texts = [[*text, id_] for text, id_ in zip(texts, ids.tolist(), strict=True)]
                alone = torch.cat([model(torch.tensor([text]))[:, -1] for text in texts])
                assert torch.allclose(scores[-1], alone, rtol=0.0, atol=tolerance)


def test_the_room_ends_where_the_model_no_longer_looks_back() -> None:
    model = language_model(positions="learned")
    texts = prompts(3, LONGEST - 2, LONGEST)
    answers = greedy(Continuation(model, [*texts, [3]]), Stop(longest=1000))
    assert [len(answer.ids) for answer in answers] == [*(LONGEST - len(text) + 1 for text in texts), LONGEST]


@pytest.mark.parametrize("positions", ["alibi", "t5"])
def test_where_distances_are_counted_the_room_does_not_end(positions: str) -> None:
    model, texts = language_model(positions=positions), [*prompts(3, LONGEST - 2, LONGEST), [3] * (LONGEST + 2)]
    answers = greedy(Continuation(model, texts), Stop(longest=2 * LONGEST))
    assert [len(answer.ids) for answer in answers] == [2 * LONGEST] * 4
    for text, answer in zip(texts, answers, strict=True):
        logits = model(torch.tensor([text + list(answer.ids)]))[0, len(text) - 1 : -1]
        assert logits.argmax(-1).tolist() == list(answer.ids)
    by_table = language_model(**{**SYNTHESIZERS["dense"], "positions": positions})
    assert Continuation(by_table, [[3]]).room == [LONGEST]  # a table of scores has its end all the same


# --- translators ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("positions", ["sinusoidal", "alibi", "t5"])
def test_a_translation_with_a_cache_and_padding_is_each_without(positions: str) -> None:
    model, texts = translator(positions), prompts(100)
    answers = greedy(Translation(model, *padded(texts), BEGIN), STOP)
    check_greedy(answers, lambda text, ids: model(*padded([texts[text]]), torch.tensor([[BEGIN, *ids]]))[0])


@pytest.mark.parametrize("width", [1, 3, 5])
def test_beams_look_at_their_own_source(width: int) -> None:
    """Rows trade places, end and double; the answers are those of each text alone, scored as the model scores them."""
    model, texts = translator(), prompts(17)
    found = search(Translation(model, *padded(texts), BEGIN), STOP, Beam(width=width, n_best=width))
    for text, answers in zip(texts, found, strict=True):
        [alone] = search(Translation(model, *padded([text]), BEGIN), STOP, Beam(width=width, n_best=width))
        assert [answer.ids for answer in answers] == [answer.ids for answer in alone]
        for answer in answers:
            with torch.no_grad():
                logits = model(*padded([text]), torch.tensor([[BEGIN, *answer.ids[:-1]]]))[0].log_softmax(-1)
            read = [float(row[id_]) for row, id_ in zip(logits, answer.ids, strict=True)]
            assert answer.logprobs == pytest.approx(read, abs=1e-10)


# --- both -------------------------------------------------------------------------------------------------------


def test_first_begins_anew() -> None:
    language, source = Continuation(language_model(), prompts(5)), Translation(translator(), *padded(prompts(5)), BEGIN)
    for writer in (language, source):
        assert isinstance(writer, Writer)
        once = greedy(writer, STOP)
        search(writer, STOP, Beam(width=3))
        assert greedy(writer, STOP) == once


def test_a_model_in_training_does_not_write() -> None:
    for make in (
        lambda: Continuation(language_model().train(), [[1]]),
        lambda: Translation(translator().train(), *padded([[1]]), BEGIN),
    ):
        with pytest.raises(InputError, match=r"call model.eval\(\)"):
            make()


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([], "There are 0 prompts, "),
        ([[3], []], r"There are 2 prompts, of \[1, 0\] ids; a model needs at least one id"),
        ([[3], [3] * 31], "Prompt 1 has 31 ids, but this model looks back on 29 at most"),
    ],
)
def test_a_prompt_has_some_ids_but_not_too_many(texts: list[Ids], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Continuation(language_model(), texts)
