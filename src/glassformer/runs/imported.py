"""A model of another tool as a run: brought in, and kept in a new run folder. Reading is exchange/'s."""

from collections.abc import Collection
from pathlib import Path

from glassformer.errors import InputError
from glassformer.exchange.bring_in import Foreigner, bring_in_folder
from glassformer.runs.folder import RunFolder
from glassformer.runs.pasting import pasteable
from glassformer.runs.run import Run, load


def import_model(path: str | Path, out: str | Path, *, ignore: Collection[str] = (), command: str = "") -> Run:
    """Brings in a folder of transformers, or a `.bin` of llama2.c, and keeps it as a run. `ignore` names keys of its
    config that are not known here, and that the caller knows to change nothing."""
    RunFolder(out).check_new(otherwise="remove it")
    card, state, tokens = _brought_in(Path(path), ignore)
    run = RunFolder.create(out, settings={"imported": {"from": card.data, "command": command}})
    run.save_model(card, state, tokens)
    return load(out)


def _brought_in(path: Path, ignore: Collection[str]) -> Foreigner:
    if path.is_dir():
        return bring_in_folder(path, ignore)
    if path.is_file() and path.suffix == ".bin":
        from glassformer.exchange.llama2c import bring_in_llama2c

        return bring_in_llama2c(path)
    if path.is_file():
        raise InputError(f"{path} is neither a folder of transformers nor a .bin of llama2.c; archives are not opened.")
    raise InputError(
        f"There is no folder {path}. A model of the hub is fetched first, by its name there: "
        f"{pasteable(['hf', 'download', 'OWNER/NAME', '--local-dir', path])}"
    )
