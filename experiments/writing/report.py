"""The report: `docs/results.md` and its pictures, made of records and of nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.catalogue import EXPERIMENTS, Experiment
from experiments.running.graphs import whole_of
from experiments.running.records import Record, read_all
from experiments.running.scale import Scale
from experiments.writing.markdown import wrapped
from transa.errors import StoreError
from transa.files.whole import whole_file

PICTURES = Path("images") / "results"

_INTRODUCTION = """\
# Results

Made from the records in `experiments/records` by `python -m experiments report`; do not edit. A
record holds every setting, the seed, the commit, the times and the figures of one run. Choices are
made on validation triples; the test split is measured once, for what was chosen. "MR" is the mean
rank (lower is better), ± the standard deviation over seeds. A run on one thread, which its record
tells, is the same to the last bit when it is repeated at its commit; later ones may draw other
numbers.
"""


def write_report(records: Path, docs: Path) -> Path:
    """Write ``results.md`` and its pictures into a folder; where it is."""
    if not any(records.rglob("*.json")):
        raise StoreError(f"{records}: no records; run an experiment first, or name their folder")
    text = report(records, docs / PICTURES)
    path = docs / "results.md"
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8")
    return path


def report(records: Path, pictures: Path) -> str:
    """The report as text; its pictures go into a folder."""
    parts = [_INTRODUCTION]
    for experiment in EXPERIMENTS.values():
        found = read_all(records, experiment.NAME)
        parts.append(experiment_section(experiment, found, pictures))
    return "\n".join(parts)


def experiment_section(
    experiment: Experiment, records: Sequence[Record], pictures: Path, scale: Scale | None = None
) -> str:
    """An experiment's part: what its records say, or that there are none."""
    title = "Takes hours, and the benchmark graphs"
    said = f'```bash title="{title}"\npython -m experiments {experiment.NAME}\n```\n'
    if not records:
        return f"## {experiment.TITLE}\n\n{said}\nNot run.\n"
    current, stale = _apart(experiment, records, scale or Scale())
    # Where a graph has been run again after the settings changed, what it gave before is history.
    anew = {record.graph for record in current}
    stale = [record for record in stale if record.graph not in anew]
    shown = sorted([*current, *stale], key=lambda record: (record.graph, record.seed))
    parts = [experiment.section(shown, pictures), _provenance(shown)]
    if stale:
        graphs = ", ".join(sorted({record.graph for record in stale}))
        parts.append(f"*The settings have changed since for {len(stale)} of them ({graphs}).*")
    return f"## {experiment.TITLE}\n\n{said}\n" + wrapped("\n\n".join(parts)) + "\n"


def _provenance(records: Sequence[Record]) -> str:
    commits = sorted({record.made.get("commit", "no commit known")[:10] for record in records})
    seconds = sum(record.made["processor_seconds_training"] for record in records)
    threads = " or ".join(str(n) for n in sorted({record.made["threads"] for record in records}))
    count = f"{len(records):,} records" if len(records) > 1 else "1 record"
    return (
        f"*{count}; {seconds / 60:,.1f} processor minutes of training, threads: "
        f"{threads}; commits {', '.join(commits)}.*"
    )


def _apart(
    experiment: Experiment, records: Sequence[Record], scale: Scale
) -> tuple[list[Record], list[Record]]:
    """The records of the settings that the experiment has now, and those of other settings."""
    graphs = tuple(dict.fromkeys(whole_of(record.graph) for record in records))
    seeds = 1 + max(record.seed for record in records)
    now = {unit.digest for unit in experiment.units(Scale(scale.quick, seeds, graphs))}
    current = [record for record in records if record.digest in now]
    return current, [record for record in records if record.digest not in now]
