"""Models that are brought in: the same numbers as in the tool they come from, the same tokens, and a run that works.
And folders that are not what they say: each refused, with a reason.
"""

import contextlib
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
import transformers as there
from helpers.foreign_models import END, KINDS, TEXTS, foreign_folder, opened_there
from helpers.sentence_models import BOTH, MARIAN, NAMES, marian_folder
from tokenizers import Tokenizer

from glassformer.errors import GlassformerError, InputError
from glassformer.exchange.bring_in import bring_in_folder, unlike_vectors
from glassformer.models.sampling import Stop, greedy
from glassformer.models.translator import Translation
from glassformer.objectives.pairs import _rows_of
from glassformer.runs.imported import import_model
from glassformer.runs.run import Run, load
from glassformer.text.samples import Pair
from glassformer.training.course import teach
from glassformer.training.request import Request

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("bring_in")]  # the gate runs it


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("foreign")
    return {name: foreign_folder(root, name) for name in KINDS}


def both(run: Run, there: Any, name: str) -> tuple[torch.Tensor, torch.Tensor]:
    """What ours and theirs make of the same ids."""
    ids = torch.randint(0, run.card.settings.vocabulary, (3, 17), generator=torch.Generator().manual_seed(5))
    ids = ids.clamp(min=5)  # RoBERTa takes its pad for nothing, wherever it stands
    real = torch.ones_like(ids, dtype=torch.bool)
    with torch.inference_mode():
        if name == "marian":
            return run.model(ids, real, ids[:, :7]), there(input_ids=ids, decoder_input_ids=ids[:, :7]).logits
        if run.objective.predict is None:
            return run.model.read(ids, real), getattr(there, "bert", there)(ids).last_hidden_state
        return run.model(ids, real), there(ids).logits


@pytest.mark.parametrize("name", KINDS)
def test_the_same_numbers_come_out(name: str, folders: dict[str, Path], tmp_path: Path) -> None:
    run = import_model(folders[name], tmp_path / "run")
    ours, theirs = both(run, opened_there(folders[name]), name)
    assert theirs.std() > 0.05  # something is there to be the same
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", KINDS)
def test_texts_are_cut_into_the_same_tokens(name: str, folders: dict[str, Path]) -> None:
    tokens = bring_in_folder(folders[name]).tokens
    theirs = Tokenizer.from_file(str(folders[name] / "tokenizer.json"))
    theirs.encode_special_tokens = True  # a text that names a special token is text
    for text in TEXTS:
        assert list(tokens.encode(text).ids) == theirs.encode(text).ids
        assert list(tokens.encode(text, bare=True).ids) == theirs.encode(text, add_special_tokens=False).ids


@pytest.mark.parametrize("name", ["gpt2", "llama", "bert-classes", "marian"])
def test_a_run_that_was_brought_in_answers_is_looked_at_and_certified(
    name: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    import_model(folders[name], tmp_path / "run")
    run = load(tmp_path / "run")
    assert run.predict(["the cat"], longest=5)
    assert run.look("the cat", longest=3).trace
    assert run.certify().passed


def test_classes_have_the_names_they_had(folders: dict[str, Path]) -> None:
    card = bring_in_folder(folders["bert-classes"]).card
    assert (card.labels, card.objective) == (("no", "yes", "well"), "classes")
    assert bring_in_folder(folders["bert"]).card.objective == "masked"


def test_an_encoder_whose_rows_are_averaged_is_averaged(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = copied(folders["bert"], tmp_path)
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}', encoding="utf-8")
    settings = bring_in_folder(folder).card.settings
    assert (settings.pooling, settings.pooler) == ("mean", False)
    settings = bring_in_folder(folders["bert"]).card.settings
    assert (settings.pooling, settings.pooler) == ("first", True)


@pytest.mark.parametrize(
    ("pooling", "kinds", "said"),
    [
        (None, None, ""),
        ({"word_embedding_dimension": 3, "pooling_mode_mean_tokens": True}, ["Transformer", "Pooling"], ""),
        ({"pooling_mode": "mean"}, None, ""),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, [], "(pooling by cls)"),
        ({"pooling_mode_mean_tokens": True}, ["Transformer", "Pooling", "Normalize"], "by mean, then Normalize)"),
        ({"pooling_mode_lasttoken": True, "pooling_mode_mean_tokens": True}, None, "by lasttoken, pooling by mean"),
    ],
)
def test_vectors_that_are_made_otherwise_are_told(
    pooling: dict[str, Any] | None, kinds: list[str] | None, said: str, tmp_path: Path
) -> None:
    (tmp_path / "1_Pooling").mkdir()
    if pooling is not None:
        (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps(pooling), encoding="utf-8")
    if kinds is not None:
        modules = [{"type": f"sentence_transformers.models.{kind}"} for kind in kinds]
        (tmp_path / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    assert said in unlike_vectors(tmp_path)
    assert bool(unlike_vectors(tmp_path)) == bool(said)
    for wrong, why in (("3}, {", "it is not JSON"), ('[], "modules": 3', "a list of modules"), ("[3]", "a list")):
        (tmp_path / "modules.json").write_text(wrong, encoding="utf-8")
        with pytest.raises(GlassformerError, match=why):
            unlike_vectors(tmp_path)


def test_what_ends_a_text_may_be_said_by_the_config(folders: dict[str, Path], tmp_path: Path) -> None:
    """A tokenizer.json alone does not say what its special tokens are for, unless by names that everybody uses."""
    folder = copied(folders["marian"], tmp_path)
    (folder / "tokenizer_config.json").unlink()
    content = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    place = folder / "tokenizer.json"
    place.write_text(json.dumps(content).replace(END, "<fin>"), encoding="utf-8")
    said = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    end = content["model"]["vocab"][END]
    for eos, found in ((end, end), ([end], None), (10**6, None)):
        (folder / "config.json").write_text(json.dumps({**said, "eos_token_id": eos}), encoding="utf-8")
        if found is None:
            with pytest.raises(InputError, match="which token ends a text"):
                bring_in_folder(folder)
        else:
            assert bring_in_folder(folder).tokens.end == found


@pytest.mark.processor_seconds(5)
def test_layers_that_no_weights_are_there_for_are_not_laid_out(folders: dict[str, Path], tmp_path: Path) -> None:
    for name, key in (("gpt2", "n_layer"), ("bert", "num_hidden_layers"), ("marian", "decoder_layers")):
        (tmp_path / name).mkdir()
        folder = copied(folders[name], tmp_path / name)
        said = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        for layers in (500, 999):
            (folder / "config.json").write_text(json.dumps({**said, key: layers}), encoding="utf-8")
            with pytest.raises(InputError, match=r"asks for [\d,]+ layers, and they are \d+ tensors"):
                bring_in_folder(folder)
    (folder / "model.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(InputError, match="only a pointer"):
        bring_in_folder(folder)


def test_an_older_file_that_is_not_needed_is_not_opened(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = copied(folders["bert"], tmp_path)
    (folder / "vocab.txt").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    assert bring_in_folder(folder).tokens == bring_in_folder(folders["bert"]).tokens
    (folder / "tokenizer.json").unlink()
    with pytest.raises(InputError, match="only a pointer"):
        bring_in_folder(folder)


def test_norms_may_have_their_older_names(folders: dict[str, Path], tmp_path: Path) -> None:
    """As in the first BERTs of the hub: gamma and beta."""
    folder = copied(folders["bert"], tmp_path)
    whole = bring_in_folder(folder).state
    tensors = safetensors.torch.load_file(folder / "model.safetensors")
    older = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): value
        for name, value in tensors.items()
    }
    assert older.keys() != tensors.keys()
    safetensors.torch.save_file(older, folder / "model.safetensors")
    found = bring_in_folder(folder).state
    assert all(torch.equal(found[name], whole[name]) for name in whole)
    safetensors.torch.save_file(
        {**older, **{name: value.clone() for name, value in tensors.items()}}, folder / "model.safetensors"
    )
    with pytest.raises(InputError, match="both its older and its newer names"):
        bring_in_folder(folder)


def test_weights_in_several_files_are_one_model(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = copied(folders["gpt2"], tmp_path)
    whole = bring_in_folder(folder).state
    tensors = safetensors.torch.load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = [f"model-0000{i}-of-00002.safetensors" for i in (1, 2)]
    places = {name: names[i % 2] for i, name in enumerate(sorted(tensors))}
    for part in names:
        some = {name: tensors[name].clone() for name, place in places.items() if place == part}
        safetensors.torch.save_file(some, folder / part)
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": places}), encoding="utf-8")
    found = bring_in_folder(folder).state
    assert all(torch.equal(found[name], whole[name]) for name in whole)
    for wrong in ("../model.safetensors", "/etc/passwd", "model.bin", 3):
        index.write_text(json.dumps({"weight_map": {**places, "more": wrong}}), encoding="utf-8")
        with pytest.raises(InputError, match="must say by `weight_map`"):
            bring_in_folder(folder)
    index.write_text(json.dumps({"weight_map": {**places, "more": names[0]}}), encoding="utf-8")
    with pytest.raises(InputError, match="does not hold the tensors"):
        bring_in_folder(folder)


def test_a_pointer_of_git_lfs_is_called_so(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = copied(folders["gpt2"], tmp_path)
    (folder / "model.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n")
    with pytest.raises(InputError, match="git lfs pull"):
        bring_in_folder(folder)


def test_how_a_translator_writes_may_be_said_beside_its_config(tmp_path: Path) -> None:
    folder = marian_folder(tmp_path / "marian", MARIAN)
    said = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**said, "bad_words_ids": None}), encoding="utf-8")
    beside = folder / "generation_config.json"
    beside.write_text('{"bad_words_ids": [[12], [3]], "decoder_start_token_id": 5}', encoding="utf-8")
    tokens = bring_in_folder(folder).tokens
    assert (tokens.start, tokens.specials.never) == (5, (12, 3))
    for key, value in (("forced_bos_token_id", 3), ("bad_words_ids", [[3, 4]])):
        beside.write_text(json.dumps({key: value}), encoding="utf-8")
        with pytest.raises(InputError, match=f"generation_config.json: `{key}`"):
            bring_in_folder(folder)


def test_a_marian_as_the_hub_keeps_it_writes_what_it_writes_there(tmp_path: Path) -> None:
    folder = marian_folder(tmp_path / "marian", MARIAN)
    import_model(folder, tmp_path / "run")
    run, written = load(tmp_path / "run"), set()
    model = there.MarianMTModel.from_pretrained(folder)  # its waves are worked anew
    bound: dict[str, Any] = {"bad_words_ids": [[12]], "forced_eos_token_id": None}
    for text in ("ab", "ba ba", "bab x", ">>de<< a b"):
        ids = torch.tensor([run.tokens.encode(text).ids])
        theirs = model.generate(ids, max_new_tokens=9, num_beams=1, do_sample=False, **bound)[0, 1:].tolist()
        theirs = theirs[: theirs.index(0)] if 0 in theirs else theirs
        writer = Translation(
            run.model, ids, torch.ones_like(ids, dtype=torch.bool), run.tokens.start, run.tokens.specials.never
        )
        assert list(greedy(writer, Stop(longest=9, endings=((0,),)))[0].body) == theirs
        written |= {*theirs}
        assert run.predict([text], longest=5)
    assert len(written) > 1
    assert run.look("ab", longest=3).trace
    with pytest.raises(InputError, match="cannot be trained on"):
        _rows_of([Pair("ab", "y")], run.tokens, 9)


def test_a_marian_with_both_its_files_of_pieces_learns_on(tmp_path: Path) -> None:
    """Its translations are cut by target.spm: what it has learnt of them it writes."""
    torch.manual_seed(5)
    model = there.MarianMTModel(
        there.MarianConfig(
            vocab_size=len(NAMES), d_model=24, encoder_layers=1, decoder_layers=1, encoder_attention_heads=3,
            decoder_attention_heads=3, encoder_ffn_dim=29, decoder_ffn_dim=29, max_position_embeddings=31,
            pad_token_id=12, eos_token_id=0, decoder_start_token_id=12, scale_embedding=True,
        )
    )  # fmt: skip
    model.save_pretrained(tmp_path / "marian")
    for name, data in BOTH.items():
        (tmp_path / "marian" / name).write_bytes(data)
    import_model(tmp_path / "marian", tmp_path / "parent")
    words = {"ab": "xx", "ba": "y"}
    sources = [each for length in range(1, 6) for each in itertools.product(words, repeat=length)]
    rows = [f"{' '.join(each)}\t{' '.join(words[word] for word in each)}" for each in sources]
    (tmp_path / "pairs.tsv").write_text("source\ttarget\n" + "\n".join(rows) + "\n", encoding="utf-8")
    asked = Request(
        task="translate", data=str(tmp_path / "pairs.tsv"), steps=30, threads=1, parent=str(tmp_path / "parent"),
        settings={"learning_rate": 1e-2, "dropout": 0.0, "tokens_per_batch": 256}, baseline=False,
    )  # fmt: skip
    teach(asked, tmp_path / "run")
    run = load(tmp_path / "run")
    parent = load(tmp_path / "parent")
    said = {word for each in run.predict(["ab ab", "ba ab"]) for word in each.translation.split()}
    assert said
    assert said <= {*words.values()}
    assert not {word for each in parent.predict(["ab ab", "ba ab"]) for word in each.translation.split()} <= said
    assert run.tokens == parent.tokens
    assert run.look("ab", target="y xx").words
    assert run.why("ab", target="y xx", at=2)


# --- hostile until checked --------------------------------------------------------------------------------------


def copied(folder: Path, root: Path) -> Path:
    new = root / "folder"
    new.mkdir()
    for each in folder.iterdir():
        (new / each.name).write_bytes(each.read_bytes())
    return new


def reconfigured(folder: Path, **changes: Any) -> None:
    content = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**content, **changes}), encoding="utf-8")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"auto_map": {"AutoModel": "evil.Model"}}, "`auto_map` is"),
        ({"n_layer": 10**9}, "at most 1,000 can be built"),
        ({"n_embd": 2**30, "n_inner": 8, "n_head": 2}, "at most 1,000,000,000 are built"),
        ({"n_layer": -1}, "`n_layer` must be from 0"),
        ({"n_layer": "2"}, "`n_layer` must be int"),
        ({"n_layer": True}, "`n_layer` must be int"),
        ({"scale_attn_by_inverse_layer_idx": True}, "only false can be taken in"),
        ({"activation_function": "os.system"}, "can be taken in"),
        ({"attention_window": 5}, "`attention_window`.*may change what the model computes"),
        (
            {"architectures": ["EvilModel"]},
            "A EvilModel cannot be taken in. Known are: ApertusForCausalLM, ",
        ),
        ({"architectures": None}, "must name one architecture"),
        ({"layer_norm_epsilon": float("nan")}, "must be from 0"),
        ({"n_positions": 67}, r"'transformer.wpe.weight' has shape \[61, 12\]"),
        ({"n_layer": 3}, "there is no 'transformer.h.2.ln_1.weight'"),
        ({"n_layer": 1}, "'transformer.h.1.*' belongs to no part of this model"),
        ({"vocab_size": 7}, "has shape"),
    ],
)
def test_a_config_that_is_not_what_it_says_is_refused(
    changes: dict[str, Any], message: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    folder = copied(folders["gpt2"], tmp_path)
    reconfigured(folder, **changes)
    with pytest.raises(InputError, match=message):
        bring_in_folder(folder)


@pytest.mark.parametrize(
    "changes",
    [
        {"problem_type": "multi_label_classification"},
        {"problem_type": "regression"},
        {"id2label": {"0": "how near"}, "label2id": {"how near": 0}},
    ],
)
def test_what_chooses_no_class_is_no_classifier(
    changes: dict[str, Any], folders: dict[str, Path], tmp_path: Path
) -> None:
    folder = copied(folders["bert-classes"], tmp_path)
    reconfigured(folder, **changes)
    with pytest.raises(InputError, match="chooses one of two classes or more"):
        bring_in_folder(folder)


def reweighted(folder: Path, change: Any) -> None:
    tensors = safetensors.torch.load_file(folder / "model.safetensors")
    change(tensors)
    (folder / "model.safetensors").write_bytes(safetensors.torch.save(tensors))


def _not_finite(tensors: dict[str, torch.Tensor]) -> None:
    tensors["transformer.ln_f.weight"][3] = float("inf")


def _whole_numbers(tensors: dict[str, torch.Tensor]) -> None:
    tensors["transformer.ln_f.weight"] = tensors["transformer.ln_f.weight"].long()


def _untied(tensors: dict[str, torch.Tensor]) -> None:
    tensors["lm_head.weight"] = tensors["transformer.wte.weight"] + 1


def _one_more(tensors: dict[str, torch.Tensor]) -> None:
    tensors["transformer.extra"] = torch.zeros(3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_not_finite, "not finite"), (_whole_numbers, "kept in torch.int64"), (_untied, "is not the embedding"),
        (_one_more, "belongs to no part"),
    ],
)  # fmt: skip
def test_weights_that_do_not_fit_are_refused(
    change: Any, message: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    folder = copied(folders["gpt2"], tmp_path)
    reweighted(folder, change)
    with pytest.raises(InputError, match=message):
        bring_in_folder(folder)


def test_what_is_shared_may_stand_twice_and_in_sixteen_bits(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = copied(folders["gpt2"], tmp_path)

    def halved(tensors: dict[str, torch.Tensor]) -> None:
        tensors["lm_head.weight"] = tensors["transformer.wte.weight"].clone()
        tensors.update({name: value.bfloat16() for name, value in tensors.items()})

    reweighted(folder, halved)
    assert all(value.dtype == torch.float32 for value in bring_in_folder(folder).state.values())


def test_a_pickle_is_not_opened(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = copied(folders["gpt2"], tmp_path)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"pytorch_model.bin may run code when it is opened, and is not read"):
        bring_in_folder(folder)


def test_a_file_of_weights_far_larger_than_its_model_is_not_read(
    folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glassformer.exchange.bring_in.ROOM", 100)
    folder = copied(folders["gpt2"], tmp_path)
    with (folder / "model.safetensors").open("ab") as file:
        file.truncate(10**9)
    with pytest.raises(InputError, match="at most"):
        bring_in_folder(folder)


def test_an_archive_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "model.zip").write_bytes(b"PK")
    with pytest.raises(InputError, match="archives are not opened"):
        import_model(tmp_path / "model.zip", tmp_path / "run")
    with pytest.raises(InputError, match="There is no folder"):
        import_model(tmp_path / "gpt2", tmp_path / "run")


def test_mutated_configs_are_refused_in_words_or_give_the_same_model(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = copied(folders["gpt2"], tmp_path)
    whole = (folder / "config.json").read_bytes()
    draw = torch.Generator().manual_seed(11)
    for _ in range(150):
        content = bytearray(whole)
        for _ in range(int(torch.randint(1, 4, (), generator=draw))):
            place = int(torch.randint(len(content), (), generator=draw))
            content[place] = int(torch.randint(32, 127, (), generator=draw))
        (folder / "config.json").write_bytes(bytes(content))
        with contextlib.suppress(GlassformerError):  # any other error is a failure
            assert len(bring_in_folder(folder).tokens) == 283
