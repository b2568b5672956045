"""The questions over HTTP: each singly by GET, and many at once by POST.

Handlers turn names into ids, wait for the answers and write them as JSON; what is computed is
computed in `answering`, `spheres` and `entities`.
"""

import json
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from transa.graph.known import Question
from transa.serving import answering, shapes
from transa.serving.answering import Asked, Like, Sought
from transa.serving.holding import Holder, Served
from transa.serving.options import Limits
from transa.serving.problems import Problem
from transa.serving.views import entities, overview, spheres
from transa.serving.views.names import NameIndex

# Not of a stringised annotation: FastAPI reads these when it makes the routes.
Label = Annotated[str, Query(min_length=1, max_length=10_000, description="A label or a name.")]
K = Annotated[int, Query(ge=1, description="How many answers.")]
Known = Annotated[bool, Query(description="Whether answers that the graph has are among them.")]
Typed = Annotated[str, Query(max_length=1000, description="What was typed.")]


def answered(content: Any) -> Response:  # noqa: ANN401 (whatever JSON can hold)
    """As JSON, without a look at every value by FastAPI, which would take longer than to answer."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text.encode(), media_type="application/json")


class Asker:
    """A request's view of the server: the model of the moment, and what may be asked of it."""

    def __init__(self, served: Served, limits: Limits) -> None:
        self.served, self._limits, self.seconds = served, limits, limits.seconds

    def check(self, count: int, k: int = 1) -> None:
        """Refuse more than a request may ask for."""
        if count > self._limits.batch:
            raise Problem(
                413,
                f"a batch has {self._limits.batch:,} questions at most, found {count:,}; send "
                "several",
                members={"most": self._limits.batch},
            )
        if k > self._limits.k:
            raise Problem(
                422,
                f"k is at most {self._limits.k:,}, found {k:,}",
                members={"most": self._limits.k},
            )

    def ids(
        self, head: str | None, relation: str | None, tail: str | None, **where: object
    ) -> Question:
        """The ids of what is given; the rest stays open."""
        served = self.served
        return (
            None if head is None else served.entity(head, **where),
            None if relation is None else served.relation(relation, **where),
            None if tail is None else served.entity(tail, **where),
        )

    async def answers(self, questions: Sequence[Question], k: int, known: bool) -> Any:  # noqa: ANN401
        """The best answers to each question."""
        return await self.served.answers.ask([Asked(q, k, known) for q in questions])


async def _asker(request: Request) -> Asker:
    holder: Holder = request.app.state.holder
    return Asker(holder.current, request.app.state.serving.limits)


Asking = Annotated[Asker, Depends(_asker)]

router = APIRouter(prefix="/api/v1")


@router.get("/tails", tags=["questions"])
async def tails(
    ask: Asking, head: Label, relation: Label, k: K = 10, known: Known = False
) -> Response:
    """The most plausible tails of (head, relation, ?)."""
    return await _one(ask, (head, relation, None), k, known)


@router.post("/tails", tags=["batches"])
async def tails_of_many(ask: Asking, asked: shapes.Tails) -> Response:
    """The most plausible tails of many questions."""
    return await _many(ask, [(q.head, q.relation, None) for q in asked.questions], asked)


@router.get("/heads", tags=["questions"])
async def heads(
    ask: Asking, relation: Label, tail: Label, k: K = 10, known: Known = False
) -> Response:
    """The most plausible heads of (?, relation, tail)."""
    return await _one(ask, (None, relation, tail), k, known)


@router.post("/heads", tags=["batches"])
async def heads_of_many(ask: Asking, asked: shapes.Heads) -> Response:
    """The most plausible heads of many questions."""
    return await _many(ask, [(None, q.relation, q.tail) for q in asked.questions], asked)


@router.get("/relations", tags=["questions"])
async def relations(
    ask: Asking, head: Label, tail: Label, k: K = 10, known: Known = False
) -> Response:
    """The most plausible relations of (head, ?, tail)."""
    return await _one(ask, (head, None, tail), k, known)


@router.post("/relations", tags=["batches"])
async def relations_of_many(ask: Asking, asked: shapes.Relations) -> Response:
    """The most plausible relations of many questions."""
    return await _many(ask, [(q.head, None, q.tail) for q in asked.questions], asked)


Words = tuple[str | None, str | None, str | None]


async def _one(ask: Asker, words: Words, k: int, known: bool) -> Response:
    ask.check(1, k)
    (found,) = await ask.answers([ask.ids(*words)], k, known)
    return answered({"answers": found})


async def _many(
    ask: Asker, words: list[Words], asked: shapes.Tails | shapes.Heads | shapes.Relations
) -> Response:
    ask.check(len(words), asked.k)
    questions = [ask.ids(*each, at=i) for i, each in enumerate(words)]
    found = await ask.answers(questions, asked.k, asked.known)
    return answered({"results": [{"answers": rows} for rows in found]})


@router.get("/similar", tags=["questions"])
async def similar(ask: Asking, entity: Label, k: K = 10) -> Response:
    """The entities whose vectors are nearest."""
    ask.check(1, k)
    (found,) = await ask.served.similar.ask([Like(ask.served.entity(entity), k)])
    return answered({"answers": found})


@router.post("/similar", tags=["batches"])
async def similar_to_many(ask: Asking, asked: shapes.Entities) -> Response:
    """The nearest entities of many."""
    ask.check(len(asked.entities), asked.k)
    ids = [ask.served.entity(label, at=i) for i, label in enumerate(asked.entities)]
    found = await ask.served.similar.ask([Like(id_, asked.k) for id_ in ids])
    return answered({"results": [{"answers": rows} for rows in found]})


@router.get("/score", tags=["questions"])
async def score(ask: Asking, head: Label, relation: Label, tail: Label) -> Response:
    """The plausibility of a triple; higher is more plausible."""
    (found,) = await ask.served.scores.ask([ask.ids(head, relation, tail)])
    return answered({"score": found})


@router.post("/score", tags=["batches"])
async def scores(ask: Asking, asked: shapes.Triples) -> Response:
    """The plausibility of many triples."""
    ask.check(len(asked.triples))
    ids = [ask.ids(*triple, at=i) for i, triple in enumerate(asked.triples)]
    return answered({"results": [{"score": s} for s in await ask.served.scores.ask(ids)]})


@router.get("/classify", tags=["questions"])
async def classify(ask: Asking, head: Label, relation: Label, tail: Label) -> Response:
    """Whether a triple is held true, with probability, threshold and reason."""
    (found,) = await ask.served.verdicts.ask([(head, relation, tail)])
    return answered(found)


@router.post("/classify", tags=["batches"])
async def classify_many(ask: Asking, asked: shapes.Triples) -> Response:
    """Whether many triples are held true."""
    ask.check(len(asked.triples))
    return answered({"results": list(await ask.served.verdicts.ask(asked.triples))})


@router.get("/reasons", tags=["questions"])
async def reasons(ask: Asking, head: Label, relation: Label, tail: Label, k: K = 5) -> Response:
    """What the graph knows that speaks for a triple, and what speaks against it."""
    ask.check(1, k)
    work = partial(answering.reasons, ask.served, ask.ids(head, relation, tail), k)
    return answered(await ask.served.threads.slowly(work))


@router.post("/reasons", tags=["batches"])
async def reasons_of_many(ask: Asking, asked: shapes.Triples) -> Response:
    """What speaks for and against many triples."""
    ask.check(len(asked.triples))
    ids = [ask.ids(*triple, at=i) for i, triple in enumerate(asked.triples)]
    # One at a time, so that other slow work has its turn in between.
    found = [
        await ask.served.threads.slowly(partial(answering.reasons, ask.served, triple, 5))
        for triple in ids
    ]
    return answered({"results": found})


@router.get("/discover", tags=["questions"])
async def discover(
    ask: Asking,
    relation: Label | None = None,
    top: K = 100,
    min_probability: Annotated[float | None, Query(ge=0, le=1, allow_inf_nan=False)] = None,
) -> Response:
    """The most plausible facts that the graph does not have; `complete` tells if all were tried."""
    labels = None if relation is None else [relation]
    return await _discovered(ask, labels, top, min_probability)


@router.post("/discover", tags=["batches"])
async def discover_many(ask: Asking, asked: shapes.Discover) -> Response:
    """The same by several relations together."""
    return await _discovered(ask, asked.relations, asked.top, asked.min_probability)


async def _discovered(
    ask: Asker, labels: list[str] | None, top: int, min_probability: float | None
) -> Response:
    ask.check(len(labels or ()), top)
    served = ask.served
    named = labels and tuple(
        served.relations.labels[served.relation(label, at=i)] for i, label in enumerate(labels)
    )
    sought = Sought(named or None, top, min_probability)
    work = partial(answering.discover, served, sought, ask.seconds / 3)
    return answered(await served.threads.slowly(work))


@router.get("/margins", tags=["questions"])
async def margins(ask: Asking, entity: Label) -> Response:
    """The spheres round an entity, relation by relation: figures 1 and 2 of the paper."""
    served, anchor = ask.served, ask.served.entity(entity)
    return answered(await served.threads.slowly(partial(spheres.spheres_round, served, anchor)))


@router.post("/margins", tags=["batches"])
async def margins_of_many(ask: Asking, asked: shapes.Entities) -> Response:
    """The spheres round many entities."""
    ask.check(len(asked.entities))
    served = ask.served
    anchors = [served.entity(label, at=i) for i, label in enumerate(asked.entities)]
    found = await served.threads.slowly(
        lambda: [spheres.spheres_round(served, anchor) for anchor in anchors]
    )
    return answered({"results": found})


@router.get("/entity", tags=["the graph"])
async def entity(ask: Asking, label: Label) -> Response:
    """What the graph has of an entity, relation by relation."""
    return answered(entities.known_of(ask.served, ask.served.entity(label)))


@router.get("/search/entities", tags=["the graph"])
async def search_entities(ask: Asking, q: Typed = "", k: K = 10) -> Response:
    """Entities by what was typed: whole names, beginnings, parts, misspellings."""
    return _found(ask, ask.served.entities, q, k)


@router.get("/search/relations", tags=["the graph"])
async def search_relations(ask: Asking, q: Typed = "", k: K = 10) -> Response:
    """Relations by what was typed."""
    return _found(ask, ask.served.relations, q, k)


def _found(ask: Asker, index: NameIndex, q: str, k: int) -> Response:
    ask.check(1, k)
    hits = index.search(q, k)
    return answered({"hits": [{"label": h.label, "name": h.name, "count": h.count} for h in hits]})


@router.get("/map", tags=["the model"])
async def map_of_vectors(ask: Asking) -> Response:
    """Where the entities lie: the two principal directions of their vectors."""
    served = ask.served
    return answered(await served.threads.slowly(lambda: served.map))


@router.get("/model", tags=["the model"])
async def model(ask: Asking) -> Response:
    """What the model is and how it learnt."""
    return answered(overview.card(ask.served))


@router.get("/model/test", tags=["the model"])
async def test_figures(ask: Asking) -> Response:
    """What the answers are worth: ranks of the test split, or of a sample of it."""
    served = ask.served
    return answered(await served.threads.slowly(lambda: served.test_figures))
