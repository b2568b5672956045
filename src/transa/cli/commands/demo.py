"""`transa demo`: the whole way, on a graph that a person can judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from transa.cli.commands.margins import draw_entity
from transa.cli.output import print_json, print_next, results, say
from transa.cli.parameters import Json, option
from transa.cli.progress import training_progress
from transa.cli.training_run import introduce, rank_test
from transa.errors import ConfigError

if TYPE_CHECKING:
    from transa.estimator import Estimator
    from transa.printing import Table
    from transa.ranking import LinkPrediction

# What is asked, and the triple with a gap that asks it.
_QUESTIONS = (
    ("Which countries border France?", ("France", "borders", None)),
    ("Where is Arabic spoken?", (None, "language", "Arabic")),
    ("What does Kenya speak?", ("Kenya", "language", None)),
    ("Which money does France use?", ("France", "currency", None)),
    ("What is Iceland's capital?", ("Iceland", "capital", None)),
    ("Which continent is Turkey in?", ("Turkey", "continent", None)),
)
_SHOWN = "France"
_MOST_KNOWN = _MOST_ANSWERS = 3


@dataclass(frozen=True)
class _Answer:
    """A question, what training told of it, and what the model adds: (answer, is it true)."""

    question: str
    known: list[str]
    added: list[tuple[str, bool]]


def demo(
    out: Annotated[Path, option("A folder for the model and the figure.")] = Path("demo"),
    json: Json = False,
) -> None:
    """Train on the countries of the world, then ask what was held back."""
    from transa.datasets import load
    from transa.estimator import estimator_of
    from transa.settings.config import make_settings, suited
    from transa.storage.places import check_free

    folder, figure = out / "model", out / "margins.png"
    check_free(folder)
    graph = load("countries")
    # One thread: everyone sees the same answers.
    settings = suited(make_settings("transa", threads=1), graph.n_entities, len(graph.train))
    model = estimator_of(settings)
    introduce(graph, settings)
    with training_progress(settings.recipe, hidden=False) as report:
        model.fit(graph, report=report, progress=False)
    model.save(folder)
    found = rank_test(model)
    answers = list(_answers(model))
    drawn = _draw(model, figure)
    if json:
        told = {"folder": str(folder), "figure": str(figure) if drawn else None}
        print_json({**told, "questions": [asdict(a) for a in answers], **found.to_dict()})
        return
    results().print(_table(answers))
    results().print(_verdict(found, graph.n_entities))
    say(f"model: {folder}" + (f", figure: {figure}" if drawn else ""))
    print_next(
        ("transa", "predict", str(folder), "--relation", "language", "--tail", "Portuguese"),
        ("transa", "similar", str(folder), "Peru"),
        ("transa", "margins", str(folder), "--entity", "Egypt", "--figure", "egypt.png"),
        ("transa", "train", "your-triples.tsv"),
        ("transa", "serve", str(folder), "--open"),
    )


def _answers(model: Estimator) -> Iterator[_Answer]:
    everything = model.graph_.n_entities
    for question, (head, relation, tail) in _QUESTIONS:
        if head is not None:
            ranked = model.predict_tails(head, relation, everything, known=True)
        elif tail is not None:
            ranked = model.predict_heads(relation, tail, everything, known=True)
        known = [answer.name for answer in ranked if answer.known == "train"]
        added = [answer for answer in ranked if answer.known != "train"][:_MOST_ANSWERS]
        yield _Answer(question, known, [(a.name, a.known is not None) for a in added])


def _draw(model: Estimator, path: Path) -> bool:
    try:
        draw_entity(model, _SHOWN, path)
    except ConfigError as error:  # matplotlib is an extra
        say(str(error))
        return False
    return True


def _table(answers: list[_Answer]) -> Table:
    from transa.printing import Table

    table = Table()
    table.words("Question", style="bold")
    table.words("Training says", style="dim")
    table.words("The model adds")
    for answer in answers:
        known = ", ".join(answer.known[:_MOST_KNOWN]) or "–"
        more = len(answer.known) - _MOST_KNOWN
        added = [f"[green]✓ {name}[/]" if true else name for name, true in answer.added]
        known += f" and {more} more" if more > 0 else ""
        table.add_row(answer.question, known, ", ".join(added))
    table.caption = "✓ is true and was held back from training."
    table.caption_justify = "left"
    return table


def _verdict(found: LinkPrediction, n_entities: int) -> str:
    metrics = found.filtered
    return (
        f"Of {metrics.count:,} such questions, the answer held back is [bold]first[/] in "
        f"{metrics.hits_at_1:.0%} and [bold]among the first ten[/] in {metrics.hits_at_10:.0%},\n"
        f"out of {n_entities:,} entities (filtered MRR {metrics.mrr:.3f}, mean rank "
        f"{metrics.mr:.1f})."
    )
