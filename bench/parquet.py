"""Batch prediction over Parquet with Ray Data: two actors, each with the model, beside the same table worked in one
process. That every row is there, in its place, with the same answer is checked. Needs the package ray
(pip install 'glassformer[ray]'). Prints Markdown.

    python bench/parquet.py [--run sentiment] [--rows 20000] [--actors 2] [--batch 256]
"""

import argparse
import os
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import glassformer as gf

SENTENCE = "the film was not a good bad dull warm clever play story it slow bright and but at all never again"
NUMBER = {"classifier": "probability", "translator": "score"}


def table(rows: int) -> pa.Table:
    """Sentences by chance; every hundredth row has none."""
    draw, words = random.Random(0), SENTENCE.split()
    texts = [" ".join(draw.choices(words, k=draw.randint(3, 40))) if i % 100 else None for i in range(rows)]
    return pa.table({"row": range(rows), "text": texts})


def by_ray(given: Path, written: Path, asked: argparse.Namespace) -> None:
    """The lines that stand in docs/deploy.md. One core more than there are actors: reading needs one as well."""
    import ray

    ray.init(num_cpus=asked.actors + 1, include_dashboard=False, log_to_driver=False)
    ray.data.read_parquet(str(given)).map_batches(
        gf.BatchPredictor,
        fn_constructor_kwargs={"run": asked.run, "column": "text"},
        batch_size=asked.batch,
        concurrency=asked.actors,
    ).write_parquet(str(written))
    ray.shutdown()


def in_one_process(given: Path, asked: argparse.Namespace) -> pa.Table:
    """The same, batch after batch."""
    predictor, found = gf.BatchPredictor(asked.run), []
    for batch in pq.read_table(given).to_batches(asked.batch):
        answer = predictor(
            {
                name: column.to_numpy(zero_copy_only=False)
                for name, column in zip(batch.schema.names, batch.columns, strict=True)
            }
        )
        found.append(pa.table({name: pa.array(values.tolist()) for name, values in answer.items()}))
    return pa.concat_tables(found, promote_options="permissive")


def main() -> None:
    """Makes a table, works it twice, compares."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", default="sentiment")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--actors", type=int, default=2)
    parser.add_argument("--batch", type=int, default=256)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        given, written = Path(folder) / "given", Path(folder) / "written"
        given.mkdir()
        rows = table(asked.rows)
        for i, part in enumerate(
            range(0, asked.rows, asked.rows // 8 + 1)
        ):  # several files, as tables of this kind are
            pq.write_table(rows.slice(part, asked.rows // 8 + 1), given / f"part-{i}.parquet")
        begun = time.perf_counter()
        by_ray(given, written, asked)
        seconds = time.perf_counter() - begun
        mine = in_one_process(given, asked).sort_by("row")
        theirs = pq.read_table(written).sort_by("row")
    assert theirs["row"].to_pylist() == list(range(asked.rows)), "rows were lost"
    same = sum(a == b for a, b in zip(mine["prediction"].to_pylist(), theirs["prediction"].to_pylist(), strict=True))
    number = NUMBER.get(gf.load(asked.run).task.family)
    apart = 0.0
    if number:
        both = [each[number].to_numpy() for each in (mine, theirs)]
        assert np.array_equal(*(np.isnan(each) for each in both))
        apart = float(np.nanmax(np.abs(both[0] - both[1])))
    none = theirs["prediction"].null_count
    print(
        f"{asked.rows:,} rows, {asked.actors} actors: {same:,} answers as in one process, {none} rows without a text, "
    )
    print(f"largest difference of a {number or 'text'} {apart:.1e}; {seconds:.0f} s with Ray's own start.")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")


if __name__ == "__main__":
    main()
