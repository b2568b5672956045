"""The model card: a README.md in the model folder, made of what the folder holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from transa.errors import StoreError
from transa.files.paths import path_of
from transa.files.whole import settled, whole_file
from transa.inspection.copies import copies_in
from transa.inspection.leakage import Leakage, leakage_of
from transa.ranking.link_prediction import LinkPrediction, evaluate
from transa.ranking.metrics import Metrics
from transa.settings.config import to_yaml
from transa.storage.folder import CARD, CARD_MARK, SavedModel, load

_ENDS = {
    "early": "stopped early",
    "interrupted": "was interrupted",
    "finished": "ran to its end",
}


def write_card(folder: str | Path, *, threads: int = 0) -> Path:
    """Write the card of a model folder; the test triples, where there are some, are ranked for it.

    Raises:
        StoreError: if the folder has a README.md that somebody else wrote.
    """
    folder = path_of(folder)
    saved = load(folder)
    path = settled(folder) / CARD
    if path.exists() and CARD_MARK not in path.read_text(encoding="utf-8", errors="replace"):
        raise StoreError(f"{path} was written by somebody else; move it away for a card")
    graph = saved.model.graph
    found = evaluate(saved.model, threads=threads) if len(graph.test) else None
    text = model_card(saved, folder.resolve().name, found, leakage_of(graph, copies_in(graph)))
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8")
    return path


def model_card(
    saved: SavedModel, name: str, found: LinkPrediction | None, leakage: Leakage | None
) -> str:
    """The card as Markdown, its head as the Hugging Face hub reads it."""
    import yaml

    head = yaml.safe_dump(_head(saved, name, found), sort_keys=False, allow_unicode=True)
    graph, training = saved.model.graph, saved.training.summary()
    sizes = ", ".join(
        f"{len(graph.split(split)):,} {split}" for split in ("train", "valid", "test")
    )
    parts = [
        f"---\n{head}---\n{CARD_MARK}",
        f"# {name}",
        f"A {saved.settings.model} model of the knowledge graph {graph.name!r}: "
        f"{graph.n_entities:,} entities, {graph.n_relations:,} relations, triples: {sizes}.",
        "## Use\n\n```python\nimport transa\n\n"
        f'model = transa.load("{name}")  # this folder\n'
        f'model.predict_tails("{_quoted(graph.entities.display(0))}", '
        f'"{_quoted(graph.relations.display(0))}")\n```',
        *_results(found, leakage),
        f"## Training\n\nThe run of {training['epochs']} epochs {_ENDS[saved.training.stopped]} "
        f"after {training['seconds']:.0f} seconds.\n\n```yaml\n{to_yaml(saved.settings)}```",
    ]
    return "\n\n".join(parts) + "\n"


def _head(saved: SavedModel, name: str, found: LinkPrediction | None) -> dict[str, Any]:
    graph = saved.model.graph.name
    head: dict[str, Any] = {
        "library_name": "transa",
        "pipeline_tag": "graph-ml",
        "tags": ["knowledge-graph-embedding", "link-prediction", saved.settings.model],
    }
    if found is not None:
        metrics = [
            {"type": key, "name": f"{key} (filtered)", "value": round(value, 4)}
            for key, value in found.filtered.to_dict().items()
            if key != "count"
        ]
        result = {
            "task": {"type": "graph-ml", "name": "link prediction"},
            "dataset": {"name": graph, "type": graph, "split": found.split},
            "metrics": metrics,
        }
        head["model-index"] = [{"name": name, "results": [result]}]
    return head


def _results(found: LinkPrediction | None, leakage: Leakage | None) -> list[str]:
    if found is None:
        return ["## Results\n\nThe graph has no test triples, so that nothing was measured."]
    rows = [f"| {name} | {_numbers(m)} |" for name, m in _lines(found).items()]
    table = "| ranks | MR | MRR | Hits@1 | Hits@3 | Hits@10 |\n|---|---|---|---|---|---|\n"
    told = ["## Results", "Link prediction on the test triples, ties realistic:"]
    told.append(table + "\n".join(rows))
    if leakage is not None and leakage.is_worth_a_warning:
        told.append(f"Mind that {leakage}.")
    return ["\n\n".join(told)]


def _lines(found: LinkPrediction) -> dict[str, Metrics]:
    sides = found.overall
    return {
        "filtered": found.filtered,
        "filtered, heads": sides.head.filtered,
        "filtered, tails": sides.tail.filtered,
        "raw": found.raw,
    }


def _numbers(metrics: Metrics) -> str:
    shares = (metrics.mrr, metrics.hits_at_1, metrics.hits_at_3, metrics.hits_at_10)
    return " | ".join([f"{metrics.mr:,.1f}", *(f"{share:.3f}" for share in shares)])


def _quoted(label: str) -> str:
    return label.replace("\\", "\\\\").replace('"', '\\"')
