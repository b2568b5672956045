"""The direct engine: a softmax step by hand, for models that bring their questions as points.

The same loss as on `transa.training.engines.softmax`, its twin. With Q the points of n questions, C
the rows of m candidates and G the derivative of the loss by the scores, a step of a product is
S = Q Cᵀ, G C and GᵀQ into room that is kept, one pass over S in which it becomes G, and one over
the rows that move. Only what makes Q of anchors and relations is differentiated by PyTorch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from transa.kernels.questions.rows import RowRule, descend_rows
from transa.kernels.questions.softmax import cross_entropies, held_cross_entropies
from transa.kernels.threads import over_spans
from transa.kernels.training.optimisers import Table
from transa.kernels.training.sampling import TAIL
from transa.models.energy import Energy
from transa.settings.recipe import Recipe
from transa.training.bucket import Bucket, Ids, Key
from transa.training.engines.comparing import MODULI, PRODUCTS, Floats
from transa.training.engines.fused import OPTIMISERS, table_of
from transa.training.engines.questions import QuestionBatch
from transa.training.engines.softmax import SoftmaxEngine
from transa.training.interrupt import StopAsked, never

if TYPE_CHECKING:
    from torch import Tensor

# Bytes of scores at a time: they are made, changed and used while they are in the cache.
_SCORES = 4 << 20
# Questions that a product has at least, for the candidates' rows are read anew for every one.
_FEWEST = 64


class DirectEngine(SoftmaxEngine):
    """Steps on batches of questions, with nothing differentiated but the questions themselves."""

    def __init__(self, energy: Energy, recipe: Recipe, bucket: Bucket) -> None:
        super().__init__(energy, recipe, bucket)
        queries = energy.queries()
        assert queries is not None  # noqa: S101 (see `engines.engine_for`)
        self._queries, self._threads = queries, 1
        self._comparison = MODULI if queries.moduli else PRODUCTS
        self._entity, self._relation = (
            table_of(name, bucket.tables, bucket.state) for name in ("entity", queries.relation)
        )
        self._relation_rule = RowRule(
            optimiser=OPTIMISERS[recipe.optimiser],
            rate=np.float32(recipe.lr),
            ball=False,
            l2=np.float32(queries.l2),
            n3=np.float32(queries.n3),
            of_moduli=queries.of_moduli,
        )
        self._entity_rule = self._relation_rule._replace(ball=recipe.constraint == "ball")
        self._room: dict[str, Floats] = {}
        self._place = np.empty(bucket.known.n_entities, np.int64)

    def run(self, blocks: Ids, key: Key, threads: int, stop: StopAsked = never) -> float:
        """Train on blocks of triples, until `stop` says so; the sum of their losses."""
        self._threads = threads
        return super().run(blocks, key, threads, stop)

    def step(
        self, questions: QuestionBatch, candidates: Ids, margins: Floats | None = None
    ) -> float:
        """One step; the sum of the losses of the questions' answers."""
        ids, anchor, answer = self._rows_of(questions, candidates)
        m, dim = len(candidates), self._entity.rows.shape[1]
        rows = self._entity.rows
        if m < len(rows):
            rows = np.take(rows, candidates, axis=0, out=self._floats("rows", m, dim), mode="clip")
        gradients = self._floats("gradients", len(ids), dim)
        gradients.fill(0)
        points, anchors, relations = self._points(questions)
        loss, by_points = self._compare(
            points.detach().numpy(), rows, questions.asked, answer, margins, gradients[:m]
        )
        points.backward(self.tensor(by_points))  # type: ignore[no-untyped-call]
        if self._queries.dura:
            whole = self._queries.of(anchors, relations, at_tail=True)
            loss += self._shorten(whole, questions, answer, gradients)
        self.tensor(gradients).index_add_(0, self.tensor(anchor), _gradient(anchors))
        counts = np.bincount(anchor[questions.asked], minlength=len(ids))
        counts += np.bincount(answer, minlength=len(ids))
        loss += self._descend(self._entity, ids, gradients, counts, self._entity_rule)
        return loss + self._move_relations(questions, _gradient(relations).flatten(1))

    def _rows_of(self, questions: QuestionBatch, candidates: Ids) -> tuple[Ids, Ids, Ids]:
        """The entities that a step moves, candidates first; where anchors and answers are there."""
        place, m = self._place, len(candidates)
        place[questions.anchor] = -1
        place[candidates] = np.arange(m)
        beyond = np.unique(questions.anchor[place[questions.anchor] < 0])
        place[beyond] = np.arange(m, m + len(beyond))
        ids = np.concatenate([candidates, beyond])
        return ids, place[questions.anchor], place[questions.answer]

    def _points(self, questions: QuestionBatch) -> tuple[Tensor, Tensor, Tensor]:
        """The points of questions, and the leaves that they were made of: anchors, relations."""
        entity, relation = self._tables["entity"], self._tables[self._queries.relation]
        anchors = entity.index_select(0, self.tensor(questions.anchor)).requires_grad_()
        relations = relation.index_select(0, self.tensor(questions.relation)).requires_grad_()
        seen = self.thin(anchors) if self.recipe.dropout else anchors
        points = self._queries.of(seen, relations, at_tail=questions.side == TAIL)
        return points.contiguous(), anchors, relations

    def _compare(
        self,
        points: Floats,
        rows: Floats,
        asked: Ids,
        answer: Ids,
        margins: Floats | None,
        by_rows: Floats,
    ) -> tuple[float, Floats]:
        """The loss, and its derivative by the points; that by the candidates' rows is added."""
        n, m = len(points), len(rows)
        by_points = self._floats("by_points", n, points.shape[1])
        at_once = min(n, max(_FEWEST, _SCORES // (4 * m)))
        room = self._floats("scores", at_once, m)
        starts = np.searchsorted(asked, np.arange(n + 1))
        loss, compare, threads = 0.0, self._comparison, self._threads
        for begin in range(0, n, at_once):
            some = slice(begin, min(begin + at_once, n))
            scores = room[: some.stop - begin]
            compare.score(points[some], rows, scores, threads)
            loss += self._softmax(scores, starts[begin : some.stop + 1], answer, margins)
            compare.differentiate(points[some], rows, scores, by_points[some], by_rows, threads)
        return loss, by_points

    def _shorten(
        self, points: Tensor, questions: QuestionBatch, answer: Ids, gradients: Floats
    ) -> float:
        """The penalty on points and answers, once for every answer; its derivatives are added."""
        weight, entity = 2 * self._queries.dura, self._entity.rows
        asked = self.tensor(np.bincount(questions.asked, minlength=len(points)))[:, None]
        points.backward(weight * asked * points.detach())  # type: ignore[no-untyped-call]
        columns, first, times = np.unique(answer, return_index=True, return_counts=True)
        rows = entity[questions.answer[first]]
        by_rows = np.float32(weight) * times.astype(np.float32)[:, None] * rows
        gradients[columns] += by_rows
        return float(
            weight / 2 * (asked * points.detach().square()).sum() + (by_rows * rows).sum() / 2
        )

    def _softmax(self, scores: Floats, starts: Ids, answers: Ids, margins: Floats | None) -> float:
        """The loss of some questions, whose scores become its derivatives."""
        room = np.empty(0 if margins is None else len(answers))

        def work(_: int, first: int, last: int) -> float:
            some = scores[first:last], starts[first : last + 1], answers
            if margins is None:
                return cross_entropies(*some)
            return held_cross_entropies(*some, margins, room)

        return sum(over_spans(work, len(scores), self._threads))

    def _move_relations(self, questions: QuestionBatch, gradients: Tensor) -> float:
        """Move the relations by gradients, a row a question or one for all; their penalty."""
        ids, place = np.unique(questions.relation, return_inverse=True)
        if len(gradients) > 1:
            summed = gradients.new_zeros(len(ids), gradients.shape[1])
            gradients = summed.index_add_(0, self.tensor(place), gradients)
        whose = np.broadcast_to(place, questions.anchor.shape)[questions.asked]
        counts = np.bincount(whose, minlength=len(ids))
        return self._descend(self._relation, ids, gradients.numpy(), counts, self._relation_rule)

    def _descend(
        self, table: Table, ids: Ids, gradients: Floats, counts: Ids, rule: RowRule
    ) -> float:
        """Move distinct rows; the sum of their penalties, each so often."""
        weights, rule = counts.astype(np.float32), rule._replace(rate=np.float32(self.rate))

        def work(_: int, first: int, last: int) -> float:
            some = slice(first, last)
            return descend_rows(table, ids[some], gradients[some], weights[some], rule)

        return sum(over_spans(work, len(ids), self._threads))

    def _floats(self, name: str, n: int, width: int) -> Floats:
        """Room that is kept from step to step, as large as the largest was."""
        kept = self._room.get(name)
        if kept is None or kept.size < n * width:
            kept = self._room[name] = np.empty(n * width, np.float32)
        return kept[: n * width].reshape(n, width)


def _gradient(leaf: Tensor) -> Tensor:
    assert leaf.grad is not None  # noqa: S101 (it was differentiated by)
    return leaf.grad
