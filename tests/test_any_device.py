"""Every model, lesson, decoder, certificate and look on a device that is not the processor: the same numbers there, and
no tensor left behind. The device is made up (helpers/other_device.py), and refuses whatever a graphics card would."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import torch
from helpers.other_device import NAME, elsewhere
from helpers.small_lessons import lessons_for
from helpers.small_models import inputs, small
from helpers.small_requests import counting, request
from helpers.small_runs import KINDS, language_run, small_run
from torch import nn

from glassformer.layers.attention import WEIGHERS
from glassformer.layers.blocks import ACTIVATIONS, NORMS
from glassformer.layers.positions import SCHEMES
from glassformer.models.beam import Beam, search
from glassformer.models.language_model import SCORERS, Continuation
from glassformer.models.registry import MODELS, build
from glassformer.models.sampling import Sampling, Stop, Writer, greedy, sample
from glassformer.models.translator import Translation
from glassformer.objectives.table import OBJECTIVES
from glassformer.runs.certificate.certificate import certify
from glassformer.runs.run import load
from glassformer.training.course import StoppedError, resume, teach
from glassformer.training.loop import Loop, Plan
from glassformer.training.optimizers import OPTIMIZERS

pytestmark = pytest.mark.other_device  # torch must know of the device before the first gradient of its process

# All that goes by a name is taken from its table, so that nothing new is forgotten here.
CLASSIFIERS = [name for name in MODELS if MODELS[name].family == "classifier"]
WRITERS = [name for name in MODELS if name not in CLASSIFIERS]


@pytest.fixture(autouse=True)
def device() -> Iterator[torch.device]:
    with elsewhere() as found:
        yield found


def answers_alike(name: str, device: torch.device, **settings: Any) -> None:
    """Forwards and backwards, in float64: another kernel may round otherwise."""
    here, there, given = small(name, **settings).double(), small(name, **settings).double().to(device), inputs(name)
    one, other = here(*given), there(*(each.to(device) for each in given))
    assert other.device == device
    torch.testing.assert_close(other.cpu(), one, atol=1e-12, rtol=1e-10)
    if not MODELS[name].counts:
        one.square().sum().backward()
        other.square().sum().backward()
        slopes = dict(there.named_parameters())
        for place, weight in here.named_parameters():
            if weight.grad is not None:
                torch.testing.assert_close(slopes[place].grad.cpu(), weight.grad, atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_answers_as_on_the_processor(name: str, device: torch.device) -> None:
    answers_alike(name, device)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ["transformer", "translator", "modern"])
def test_so_does_every_position_scheme(name: str, scheme: str, device: torch.device) -> None:
    answers_alike(name, device, positions=scheme, width=12)


@pytest.mark.parametrize("weigher", WEIGHERS)
@pytest.mark.parametrize("scorer", SCORERS)
def test_so_does_every_weigher_and_scorer(weigher: str, scorer: str, device: torch.device) -> None:
    answers_alike("gpt", device, weigher=weigher, scorer=scorer)


@pytest.mark.parametrize(("part", "kind"), [*product(["norm"], NORMS), *product(["activation"], ACTIVATIONS)])
def test_so_does_every_norm_and_activation(part: str, kind: str, device: torch.device) -> None:
    answers_alike("modern", device, **{part: kind})


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("name", OBJECTIVES)
def test_a_lesson_is_learnt_step_by_step_as_on_the_processor(name: str, optimizer: str, device: torch.device) -> None:
    """Without dropout, which draws from the device's own numbers."""
    losses = []
    for place in ("cpu", device):
        lessons, model = lessons_for(name, dropout=0.0)
        plan = Plan(steps=4, optimizer=optimizer, accumulate=2, average=0.9, smoothing=0.1, validate_every=0.5)
        loop = Loop(model.to(place), lessons, plan)
        losses.append([event.loss for event in loop.run() if hasattr(event, "loss")])
        assert {weight.device.type for weight in model.parameters()} == {torch.device(place).type}
    assert losses[1] == pytest.approx(losses[0], rel=1e-4)


@pytest.mark.parametrize("name", ["classes", "pairs", "answers"])
@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_dropout_and_half_precision_leave_nothing_behind(name: str, precision: str, device: torch.device) -> None:
    lessons, model = lessons_for(name, dropout=0.1)
    loop = Loop(model.to(device), lessons, Plan(steps=3, precision=precision, average=0.9))
    assert [event.step for event in loop.run()][-1] == 3


@pytest.mark.parametrize("way", [("cpu", NAME), (NAME, "cpu"), (NAME, NAME)], ids=str)
def test_a_checkpoint_moves_between_devices(way: tuple[str, str]) -> None:
    """What is learnt after the move is what would have been learnt without it."""
    loops = []
    for place in ("cpu", *way):
        lessons, model = lessons_for("pairs", dropout=0.0)
        loops.append(Loop(model.to(place), lessons, Plan(steps=6, average=0.9, precision="float32")))
    whole, first, second = loops
    wanted = [whole.step().loss for _ in range(5)]
    for _ in range(3):
        first.step()
    tensors, progress = first.state()
    second.restore({name: value.cpu() for name, value in tensors.items()}, progress)
    assert [second.step().loss for _ in range(2)] == pytest.approx(wanted[3:], rel=1e-4)
    assert {value.device.type for value in second.weights().values()} == {way[1]}


# --- writing ------------------------------------------------------------------------------------------------------


def writers(name: str, device: torch.device) -> list[Writer]:
    found: list[Writer] = []
    for place in ("cpu", device):
        model = small(name).to(place)
        if name == "translator":
            source, real, _ = (each.to(place) for each in inputs(name))
            found.append(Translation(model, source, real, 1))
        else:
            found.append(Continuation(model, [[5, 7, 3], [11, 2, 3, 5, 7], [13]]))
    return found


@pytest.mark.parametrize("name", WRITERS)
def test_greedy_sampling_and_beam_search_write_the_same(name: str, device: torch.device) -> None:
    stop = Stop(longest=9, endings=((2,),))
    drawn = Sampling(temperature=0.9, top_k=11, top_p=0.9, min_p=0.01)
    ways: list[Any] = [
        lambda writer: [answer.ids for answer in greedy(writer, stop)],
        lambda writer: [answer.ids for answer in sample(writer, stop, drawn, (3, 5, 7))],
        lambda writer: [[answer.ids for answer in best] for best in search(writer, stop, Beam(width=3, n_best=2))],
    ]
    here, there = writers(name, device)
    for way in ways:
        assert way(there) == way(here)


def test_texts_join_and_leave_a_batch(device: torch.device) -> None:
    scores = []
    for place in ("cpu", device):
        model = small("modern").to(place)
        writer, other = Continuation(model, [[5, 7, 3], [11, 2]]), Continuation(model, [[3, 1, 4, 1, 5]])
        with torch.inference_mode():
            writer.first()
            other.first()
            writer.join(other)
            writer.next(torch.tensor([3, 5, 7]))
            writer.keep(torch.tensor([0, 1]))
            writer.close_up()
            scores.append(writer.next(torch.tensor([2, 3])).cpu())
    torch.testing.assert_close(*scores, atol=2e-6, rtol=2e-6)


# --- certificates -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_certified(name: str, device: torch.device) -> None:
    model = small(name)
    certificate = certify(model.to(device), MODELS[name].family, rebuild=lambda: build(name, model.config))
    assert certificate.passed, [(check.name, check.value, check.bar) for check in certificate.failed]


# --- runs ---------------------------------------------------------------------------------------------------------

TEXTS = {"classes": "the film was not good", "pairs": "3 May 2007", "answers": "52413"}


@pytest.mark.parametrize("objective", KINDS)
def test_a_run_predicts_scores_and_is_looked_into(objective: str, tmp_path: Path, device: torch.device) -> None:
    folder, text = small_run(tmp_path / "run", objective).path, TEXTS[objective]
    here, there = load(folder, "cpu"), load(folder, NAME)
    assert there.device == device
    assert [each.said for each in there.predict([text, text[:3]])] == [
        each.said for each in here.predict([text, text[:3]])
    ]
    assert there.evaluate(limit=7).keys() == here.evaluate(limit=7).keys()
    assert there.tokenize([text]).to_dict() == here.tokenize([text]).to_dict()
    one, other = here.look(text), there.look(text)
    assert other.words == one.words
    assert set(other.trace) == set(one.trace)
    for address in one.trace:
        assert other.trace[address] == pytest.approx(one.trace[address], abs=1e-5, nan_ok=True)
    assert there.why(text).to_dict()["answer"] == here.why(text).to_dict()["answer"]
    assert there.use("auto").name == "torch"
    assert [each.said for each in there.predict([text])] == [each.said for each in here.predict([text])]


@pytest.mark.parametrize("model", CLASSIFIERS)
def test_every_classifier_is_looked_into(model: str, tmp_path: Path) -> None:
    run = load(small_run(tmp_path / "run", model=model).path, NAME)
    assert run.look(TEXTS["classes"]).words
    if model != "ngrams":  # it has no embedding to share an answer out over
        assert run.why(TEXTS["classes"]).words


def test_a_text_goes_on(device: torch.device) -> None:
    here, there = language_run(), language_run()
    there.model.to(device)
    assert "".join(there.stream("the c", longest=11, seed=3)) == "".join(here.stream("the c", longest=11, seed=3))


@pytest.mark.parametrize("work", ["classify negation:90", "translate dates:90", "generate sorting:90"])
def test_training_ends_with_a_run(work: str, tmp_path: Path) -> None:
    said: list[str] = []
    asked = request(*work.split(), device=NAME, steps=3)
    run = teach(asked, tmp_path / "run", lambda event: said.append(str(event)))
    assert run.device.type == NAME
    assert run.certificate["passed"]
    assert any(f"It computes on {NAME}:0." in each for each in said)
    assert load(tmp_path / "run", "cpu").predict(["1"])


def test_a_model_that_counts_is_trained(tmp_path: Path) -> None:
    assert teach(counting(device=NAME, steps=3), tmp_path / "run").certificate["passed"]


@pytest.mark.parametrize("way", [("cpu", NAME), (NAME, "cpu")], ids=str)
def test_a_run_that_was_stopped_goes_on_elsewhere(way: tuple[str, str], tmp_path: Path) -> None:
    stop = Event()
    stop.set()
    with pytest.raises(StoppedError):
        teach(request("classify", "negation:90", device=way[0]), tmp_path / "run", stop=stop)
    assert resume(tmp_path / "run", device=way[1]).device.type == way[1]


# --- the test can fail --------------------------------------------------------------------------------------------


class Forgetful(nn.Module):
    """Adds a row that was made where nobody said."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(5, 5)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return self.linear(rows) + torch.arange(5.0)  # type: ignore[no-any-return]


def test_a_forgotten_tensor_is_noticed(device: torch.device) -> None:
    model = Forgetful().to(device)
    with pytest.raises(RuntimeError, match="on elsewhere and on the processor"):
        model(torch.ones(3, 5, device=device))


def test_what_is_there_does_not_come_back_by_itself(device: torch.device) -> None:
    rows = torch.ones(3, 5, device=device)
    with pytest.raises(RuntimeError, match="numpy"):
        rows.numpy()
    with pytest.raises(RuntimeError, match="on elsewhere and on the processor"):
        rows[torch.tensor([0, 2])]
    assert rows.cpu().numpy().sum() == 15
