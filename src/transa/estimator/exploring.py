"""What an estimator says beyond answers: why, and what else may be true."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from transa.errors import ConfigError
from transa.estimator.answering import Answerer

if TYPE_CHECKING:
    from transa.asking.discovery.discovering import Progress, Stop
    from transa.asking.discovery.order import Order
    from transa.asking.discovery.table import Discoveries
    from transa.asking.discovery.types import Types
    from transa.asking.reasons.table import Reasons


class Explorer(Answerer):
    """The part of an estimator that explains answers and looks for facts by itself."""

    def reasons(self, head: str, relation: str, tail: str, k: int = 5) -> Reasons:
        """What the graph knows that speaks for a triple, and what speaks against it.

        That the graph may have the triple itself counts for nothing.

        Args:
            head: label or name.
            relation: label or name.
            tail: label or name.
            k: at most so many reasons on either side.
        """
        from transa.asking.reasons.explaining import reasons_of

        model = self.learnt_.model
        entities, relations = model.graph.entities, model.graph.relations
        ids = entities.id(head), relations.id(relation), entities.id(tail)
        return reasons_of(model, *ids, k, self.learnt_.probabilities)

    def discover(
        self,
        relation: str | Iterable[str] | None = None,
        *,
        top: int = 1000,
        min_probability: float | None = None,
        per_head: int = 10,
        per_tail: int = 10,
        per_relation: int | None = None,
        types: Types = "seen",
        threads: int = 0,
        estimate: Callable[[int, float], None] | None = None,
        progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> Discoveries:
        """The most plausible facts that the graph does not have, over all its entities; exact.

        Ordered by probability where the model has any, else by how a fact stands beside the known
        ones of its relation; see `transa.asking.discovery.order`.

        Args:
            relation: one or several, by label or name; by default all.
            top: how many facts.
            min_probability: the least; needs probabilities, which `fit` makes by itself.
            per_head: at most so many of one head.
            per_tail: at most so many of one tail, among those.
            per_relation: at most so many of one relation, among those; None is no bound.
            types: who may stand in a place of a relation: who is 'seen' there, who is 'alike' to
                those (by the other places they stand in), or 'any' entity.
            threads: 0 is all cores.
            estimate: called before the work begins, with the pairs of head and tail to look at and
                the seconds that will take.
            progress: called with the pairs looked at and all there are.
            stop: asked several times a second whether to stop; `complete` of what is found so far
                is then False.
        """
        from transa.asking.discovery.discovering import Rules, Search

        order = self._order(min_probability, threads)
        least = float("-inf") if min_probability is None else min_probability
        rules = Rules(top, per_head, per_tail, per_relation, types, least)
        model = self.learnt_.model
        named = [relation] if isinstance(relation, str) else relation
        ids = range(model.graph.n_relations) if named is None else model.graph.relations.ids(named)
        search = Search(model, order, rules, sorted({int(each) for each in ids}), threads)
        if estimate is not None:
            estimate(search.pairs(), search.seconds())
        return search.run(progress, stop)

    def _order(self, min_probability: float | None, threads: int) -> Order:
        from transa.asking.discovery.order import by_probability, by_standing

        if min_probability is not None and not 0 <= min_probability <= 1:
            raise ConfigError(f"min_probability is from 0 to 1, found {min_probability!r}")
        learnt = self.learnt_
        if learnt.probabilities is not None:
            return by_probability(learnt.model, learnt.probabilities, threads)
        if min_probability is not None:
            raise ConfigError(
                "this model has no probabilities: leave min_probability out, or call "
                "fit_probabilities() first, which needs validation triples"
            )
        return by_standing(learnt.model)
