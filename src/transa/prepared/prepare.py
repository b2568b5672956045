"""From files larger than memory to a prepared graph: read, number, sort, hold out, write.

    prepared.json       counts, and a checksum of every other file
    entities.parquet    labels, and names if there are any; the row is the id
    relations.parquet   the same, and what is counted of each relation
    held_out.parquet    head, relation, tail (ids) and split: valid and test
    bucket-A-B          triples between two partitions, and what a training step needs of them
    around-A            the neighbourhoods of a partition's entities
    pairs-A             where the distances to these neighbours are found

The last three are of the safetensors format. Work goes on in a folder beside, which a kill leaves
and the next call goes on with; what is done is known by its files, each of which is whole.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import polars as pl

from transa.errors import ConfigError, InputError, StoreError, checked_seed
from transa.files.arrays import map_arrays, sum_of, write_arrays
from transa.files.forks import before_polars
from transa.files.locks import locked
from transa.files.whole import whole_file
from transa.graph import Graph, Triples
from transa.graph.graph import no_triples
from transa.graph.known import SPLITS
from transa.graph.readers.names import names_of
from transa.graph.readers.options import FileOptions
from transa.prepared.buckets import Maker
from transa.prepared.edges import Census, EdgeFiles, hold_out, numbered, remove_copies, take_out
from transa.prepared.graph import PreparedGraph
from transa.prepared.labels import HashCollisionError, Hashes, merge_labels, write_part
from transa.prepared.layout import Layout, around_path, bucket_path
from transa.prepared.memory import MOST_PARTITIONS, WAYS, choose_layout
from transa.prepared.record import (
    ENTITIES,
    FORMAT,
    HELD_OUT,
    RECORD,
    RELATIONS,
    Record,
    is_prepared,
    read_record,
    write_record,
)
from transa.prepared.source import Source, source_of

Say = Callable[[str], None]

DEFAULT_HELD_OUT = 5000
# Of all triples, at most, for valid and for test each.
_MOST_HELD_OUT = 10


@dataclass(frozen=True)
class Plan:
    """What is asked for.

    Attributes:
        partitions: how many; None chooses by `memory`.
        memory: bytes that preparing and training may take.
        row_bytes: of an entity, in training: its vector and what the optimiser keeps of it.
        held_out: triples for valid, and as many for test, where the source has neither; a tenth of
            all at most.
        seed: of what is held out, and of the order of entities.
    """

    partitions: int | None = None
    memory: int = 4 * 10**9
    row_bytes: int = 4 * 201
    held_out: int = DEFAULT_HELD_OUT
    seed: int = 0

    def __post_init__(self) -> None:
        checked_seed(self.seed)
        if self.partitions is not None and not 1 <= self.partitions <= MOST_PARTITIONS:
            raise ConfigError(
                f"partitions is from 1 to {MOST_PARTITIONS:,}, found {self.partitions!r}"
            )
        if self.held_out < 0:
            raise ConfigError(f"held_out is not negative, found {self.held_out!r}")


def prepare(
    source: Graph | str | Path,
    folder: Path,
    plan: Plan | None = None,
    options: FileOptions | None = None,
    say: Say = lambda _: None,
) -> PreparedGraph:
    """Prepare a graph; what an earlier call with the same arguments has done stays done.

    Args:
        source: a file or folder of triples, the name of a data set, or a graph in memory.
        folder: where the prepared graph goes.
        plan: how many partitions, what is held out.
        options: how to read the files.
        say: told what is being done.

    Raises:
        InputError: if the source is not what it should be.
        StoreError: if something else is in the way, or the disk refuses.
    """
    before_polars()
    plan = plan or Plan()
    files = source_of(source, options or FileOptions())
    told = json.dumps([FORMAT, files.fingerprint, asdict(plan)], sort_keys=True)
    made_of = hashlib.sha256(told.encode()).hexdigest()
    work = folder.with_name(folder.name + ".preparing")
    _check_free(folder)
    if is_prepared(folder) and read_record(folder).made_of == made_of:
        return PreparedGraph(folder)
    try:
        work.parent.mkdir(parents=True, exist_ok=True)
        with locked(work):
            _Preparation(files, work, plan, made_of, say).run()
            if folder.exists():
                shutil.rmtree(folder)
            (work / "out").rename(folder)
            shutil.rmtree(work)
    except OSError as error:
        raise StoreError(f"{work}: cannot be written ({error.strerror or error})") from error
    return PreparedGraph(folder)


def _check_free(folder: Path) -> None:
    if folder.exists() and not is_prepared(folder) and any(folder.iterdir()):
        raise StoreError(f"{folder}: holds something else; choose another folder")


class _Preparation:
    """The work on one graph."""

    def __init__(self, source: Source, work: Path, plan: Plan, made_of: str, say: Say) -> None:
        self.source, self.work, self.plan, self.say = source, work, plan, say
        self.made_of, self.out, self.parts = made_of, work / "out", work / "parts"
        # Hashes are the same within one version of Polars.
        owner, mark = f"{made_of} {pl.__version__}", work / "owner"
        if not mark.exists() or mark.read_text() != owner:
            # Left by other work, or nothing yet.
            shutil.rmtree(work, ignore_errors=True)
            self.parts.mkdir(parents=True)
            self.out.mkdir()
            with whole_file(mark) as part:
                part.write_text(owner)

    def run(self) -> None:
        """All that is left to do."""
        if (self.out / RECORD).exists():
            return
        for attempt in range(8):
            self._read(attempt)
            try:
                hashes = self._number(attempt)
            except HashCollisionError:
                continue
            break
        else:
            raise InputError(f"{self.source.name}: the labels cannot be told apart")
        relations = self._relations(attempt)
        layout, counts = self._sort(attempt, hashes, relations)
        self._write(layout, relations, counts)

    def _read(self, attempt: int) -> None:
        """Every part as hashes, and its labels."""
        rows = 0
        for split, parts in self.source.parts.items():
            for n, part in enumerate(parts()):
                stem = self.parts / f"{attempt}-{split}-{n:06}"
                done = stem.with_suffix(".json")
                if not done.exists():
                    frame = part()
                    names = write_part(
                        frame,
                        self.plan.seed + attempt,
                        stem.with_suffix(".edges"),
                        stem.with_suffix(".labels"),
                    )
                    with whole_file(done) as file:
                        file.write_text(json.dumps([len(frame), names]), encoding="utf-8")
                rows += json.loads(done.read_text(encoding="utf-8"))[0]
                self.say(f"read {rows:,} triples")
        if rows == 0:
            raise InputError(f"{self.source.name} holds no triples")

    def _number(self, attempt: int) -> Hashes:
        """Every label, in the order of the ids; their hashes."""
        kept = self.work / f"hashes-{attempt}.safetensors"
        entities = self.out / ENTITIES
        if not kept.exists():
            hashes = merge_labels(sorted(self.parts.glob(f"{attempt}-*.labels")), entities)
            _add_names(entities, self.source.entity_names)
            with whole_file(kept) as part:
                write_arrays(part, {"hashes": hashes})
        found: Hashes = map_arrays(kept)["hashes"]
        if len(found) > 2**31 - 1:
            raise InputError(f"{len(found):,} entities are more than there are ids for")
        self.say(f"numbered {len(found):,} entities")
        return found

    def _relations(self, attempt: int) -> pl.Series:
        """The labels of relations, in the order of the ids."""
        found: set[str] = set()
        for done in self.parts.glob(f"{attempt}-*.json"):
            found.update(json.loads(done.read_text(encoding="utf-8"))[1])
        return pl.Series("label", sorted(found), dtype=pl.String)

    def _runs(self, attempt: int, split: str) -> list[Path]:
        return sorted(self.parts.glob(f"{attempt}-{split}-*.edges"))

    def _sort(
        self, attempt: int, hashes: Hashes, relations: pl.Series
    ) -> tuple[Layout, dict[str, int]]:
        """Training triples by partition, without copies; the others held out."""
        total = sum(
            json.loads(done.read_text(encoding="utf-8"))[0]
            for done in self.parts.glob(f"{attempt}-train-*.json")
        )
        layout, plan = self._layout(len(hashes), total), self.plan
        done, edges = self.work / "sorted.json", EdgeFiles(self.work / "edges", layout)
        if done.exists():
            return layout, json.loads(done.read_text())
        shutil.rmtree(edges.folder, ignore_errors=True)
        edges.folder.mkdir()
        number = {label: n for n, label in enumerate(relations)}

        def triples(run: Path) -> Triples:
            names = json.loads(run.with_suffix(".json").read_text(encoding="utf-8"))[1]
            return numbered(run, hashes, np.array([number[n] for n in names], dtype=np.int32))

        for n, run in enumerate(self._runs(attempt, "train"), start=1):
            edges.route(triples(run))
            self.say(f"sorted {n:,} of {len(self._runs(attempt, 'train')):,} parts")
        wanted = min(plan.held_out, total // _MOST_HELD_OUT)
        census = remove_copies(edges, len(relations), wanted, total, plan.seed)
        given = {
            split: np.concatenate([no_triples(), *map(triples, self._runs(attempt, split))])
            for split in SPLITS[1:]
        }
        counts = self._hold_out(edges, census, given, wanted)
        with whole_file(done) as part:
            part.write_text(json.dumps(counts))
        return layout, counts

    def _layout(self, n_entities: int, n_triples: int) -> Layout:
        if self.plan.partitions is not None:
            return Layout.of(n_entities, self.plan.partitions)
        plan = self.plan
        layout = choose_layout(n_entities, WAYS * n_triples, plan.row_bytes, plan.memory)
        self.say(
            f"{layout.partitions:,} partitions of {layout.rows:,} entities, for "
            f"{self.plan.memory / 1e9:,.1f} GB of memory"
        )
        return layout

    def _hold_out(
        self, edges: EdgeFiles, census: Census, given: dict[str, Triples], wanted: int
    ) -> dict[str, int]:
        train = census.triples
        if set(self.source.parts) == {"train"}:
            given = dict(zip(SPLITS[1:], hold_out(census, wanted), strict=True))
            take_out(edges, given.values())
            train -= sum(map(len, given.values()))
        splits = np.repeat(SPLITS[1:], [len(given[split]) for split in SPLITS[1:]])
        head, relation, tail = np.concatenate([given[split] for split in SPLITS[1:]]).T
        frame = {"head": head, "relation": relation, "tail": tail, "split": splits}
        with whole_file(self.out / HELD_OUT) as part:
            pl.DataFrame(frame, schema_overrides={"split": pl.String}).write_parquet(part)
        return {"train": train, **{split: len(some) for split, some in given.items()}}

    def _write(self, layout: Layout, relations: pl.Series, counts: dict[str, int]) -> None:
        """The files of partitions and buckets, and the record."""
        edges = EdgeFiles(self.work / "edges", layout)
        maker = Maker(edges, self.out, len(relations), self.plan.seed)
        for partition in range(layout.partitions):
            self.say(f"neighbours of partition {partition + 1} of {layout.partitions}")
            maker.around(partition)
        for n, pair in enumerate(layout.pairs, start=1):
            self.say(f"bucket {n:,} of {len(layout.pairs):,}")
            maker.bucket(pair)
        for partition in range(layout.partitions):
            maker.pairs_around(partition)
        with whole_file(self.out / RELATIONS) as part:
            _of_relations(maker, relations).write_parquet(part)
        _add_names(self.out / RELATIONS, self.source.relation_names)
        for left in self.out.glob(".*"):  # by a call that was killed
            left.unlink()
        sums = {file.name: sum_of(file) for file in sorted(self.out.iterdir())}
        record = Record(
            name=self.source.name,
            entities=layout.n_entities,
            relations=len(relations),
            rows=layout.rows,
            seed=self.plan.seed,
            made_of=self.made_of,
            sums=sums,
            train=counts["train"],
            valid=counts["valid"],
            test=counts["test"],
        )
        write_record(self.out, record)


def _of_relations(maker: Maker, relations: pl.Series) -> pl.DataFrame:
    """What is counted of each relation.

    Triples, distinct heads and tails, loops, triples there both ways, and those whose pair of
    entities another triple joins as well.
    """
    n = len(relations)
    names = ("triples", "heads", "tails", "loops", "both", "paired")
    counts = {name: np.zeros(n, np.int64) for name in names}
    for pair in maker.layout.pairs:
        arrays = map_arrays(bucket_path(maker.folder, pair))
        h, r, t = arrays["triples"].T
        counts["triples"] += np.bincount(r, minlength=n)
        counts["loops"] += np.bincount(r[h == t], minlength=n)
        counts["both"] += arrays["reversed"]
        counts["paired"] += arrays["paired"]
    for partition in range(maker.layout.partitions):
        around = map_arrays(around_path(maker.folder, partition))
        counts["heads"] += np.bincount(around["out.group_relation"], minlength=n)
        counts["tails"] += np.bincount(around["into.group_relation"], minlength=n)
    return pl.DataFrame([relations, *(pl.Series(name, each) for name, each in counts.items())])


def _add_names(path: Path, names: Path | None) -> None:
    """Add what people call the things labelled, where a file tells."""
    if names is None:
        return
    frame = pl.read_parquet(path)
    found = names_of(frame["label"], names)
    assert found is not None  # noqa: S101 (narrows the type)
    with whole_file(path) as part:
        frame.with_columns(found.alias("name")).write_parquet(part, row_group_size=1 << 16)
