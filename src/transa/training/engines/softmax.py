"""The softmax engine: every question against many entities at once, by one matrix product.

A question's answers are to be likelier than all other candidates: the loss of a triple is

    −log (exp(−f_r(h, t)) / Σₑ exp(−f_r(h, e))) − log (exp(−f_r(h, t)) / Σₑ exp(−f_r(e, t)))

with e all entities (Joulin et al. 2017, Lacroix et al. 2018) or, where there are more of them than
`negatives`, that many drawn at random for the whole batch, besides the answers in it. A margin M
makes the answer less likely than it is: f + M stands for f of the answer, above and below.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from transa.kernels.training.sampling import HEAD, TAIL
from transa.margins.margin import Fixed
from transa.training.bucket import Ids, Key
from transa.training.engines.questions import QuestionBatch, batches
from transa.training.engines.torch_engine import TorchEngine, Touched, torch_threads, touched_rows
from transa.training.interrupt import StopAsked, never

if TYPE_CHECKING:
    from torch import Tensor

Floats = NDArray[np.float32]

# Of the questions of a batch with all their answers: 64 MB.
_MOST_ENERGIES = 1 << 24


class SoftmaxEngine(TorchEngine):
    """Steps on batches of questions."""

    def run(self, blocks: Ids, key: Key, threads: int, stop: StopAsked = never) -> float:
        """Train on blocks of triples, until `stop` says so; the sum of their losses."""
        which = self.bucket.triples_of(blocks)
        triples = self.bucket.triples[which]
        rng = np.random.default_rng((*key, len(triples)))
        by_relation = self.energy.by_relation
        sides = (TAIL,) if self.energy.reciprocal else (HEAD, TAIL)
        # Where all entities are candidates, answers add none.
        adds = self.recipe.negatives < self.bucket.known.n_entities
        most = _MOST_ENERGIES if adds else math.inf
        asked = batches(triples, sides, self.recipe.batch, rng, by_relation=by_relation, most=most)
        if self.position is not None:
            rng.bit_generator.state = self.position["random"]

        def step(some: QuestionBatch) -> float:
            return self.step(some, self.candidates(some, rng), self._margins(some, which))

        with torch_threads(threads):
            total = self.step_through(asked, step, stop, key)
        if self.position is not None:
            self.position["random"] = rng.bit_generator.state
        return total

    def candidates(self, questions: QuestionBatch, rng: np.random.Generator) -> Ids:
        """The distinct entities that a batch is held against, ascending."""
        n_entities, wanted = self.bucket.known.n_entities, self.recipe.negatives
        if wanted >= n_entities:
            return np.arange(n_entities)
        drawn = rng.choice(n_entities, wanted, replace=False)
        return np.union1d(drawn, questions.answer)

    def _margins(self, questions: QuestionBatch, which: Ids) -> Floats | None:
        """The margin of every answer; None if there is none."""
        margins = self.bucket.margins
        if self.recipe.margin == Fixed(0.0):
            return None
        values, group = margins.at_tail, margins.tail_group
        if questions.side == TAIL:
            values, group = margins.at_head, margins.head_group
        held: Floats = values[group[which[questions.triple]]]
        return held

    def step(
        self, questions: QuestionBatch, candidates: Ids, margins: Floats | None = None
    ) -> float:
        """One step; the sum of the losses of the questions' answers."""
        import torch

        asked, place = (
            self.tensor(ids)
            for ids in (questions.asked, np.searchsorted(candidates, questions.answer))
        )
        given, relation, others = (
            self.tensor(ids) for ids in (questions.anchor, questions.relation, candidates)
        )
        entities, relations = Touched(given, others), Touched(relation)
        rows = touched_rows(entities, relations)
        leaves = self.leaves(rows)
        given, relation, others = entities(given), relations(relation), entities(others)
        seen, anchors = self.thinned(leaves, given)
        energies = self.energy.energy(
            seen, *_triples(questions, anchors[:, None], relation[:, None], others[None])
        )
        held = None if margins is None else self.tensor(margins)
        loss, gradient = cross_entropy(energies.detach(), asked, place, held)
        relation = relation.expand_as(given)[asked]
        penalty = self.energy.penalty(
            leaves, *_triples(questions, given[asked], relation, others[place])
        )
        if penalty is None:
            energies.backward(gradient)  # type: ignore[no-untyped-call]
        else:
            penalty = penalty.sum()
            torch.autograd.backward([energies, penalty], [gradient, torch.ones_like(penalty)])
            loss += float(penalty.detach())
        self.update(leaves, rows)
        return loss


def _triples(
    questions: QuestionBatch, given: Tensor, relation: Tensor, other: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Heads, relations and tails, from the ends that are given and the others."""
    if questions.side == TAIL:
        return given, relation, other
    return other, relation, given


def cross_entropy(
    energies: Tensor, asked: Tensor, place: Tensor, margins: Tensor | None = None
) -> tuple[float, Tensor]:
    """The loss over all answers, and its gradient by the energies (n, m), both from one softmax.

    Args:
        energies: a row a question, a column a candidate.
        asked: per answer, the row of its question.
        place: per answer, its column.
        margins: per answer, by how much it is made less likely than it is.
    """
    import torch

    if margins is not None:
        return _with_margins(energies, asked, place, margins)
    logs = torch.log_softmax(-energies, dim=1)
    loss = -float(logs[asked, place].sum())
    answers = torch.bincount(asked, minlength=len(energies)).to(logs.dtype)
    # f falls where the energy of an answer does: answers pull by 1, candidates push by their share.
    gradient = logs.exp_().mul_(-answers[:, None])
    gradient.index_put_((asked, place), torch.ones_like(place, dtype=logs.dtype), accumulate=True)
    return loss, gradient


def _with_margins(
    energies: Tensor, asked: Tensor, place: Tensor, margins: Tensor
) -> tuple[float, Tensor]:
    """The same where each answer has a margin, and with it a sum of its own below.

    In double precision: what is left of the sum without a likely answer may be next to nothing.
    """
    import torch

    scores = -energies.double()
    scores -= scores.amax(dim=1, keepdim=True)
    shares = torch.exp(scores)
    of_answers = shares[asked, place]
    lost = of_answers * -torch.expm1(-margins.double())
    masses = shares.sum(dim=1)[asked] - lost
    loss = float((masses.log() - scores[asked, place] + margins).sum())
    weights = torch.zeros_like(shares[:, 0]).index_add_(0, asked, 1 / masses)
    gradient = shares.mul_(-weights[:, None])
    gradient.index_put_((asked, place), 1 + lost / masses, accumulate=True)
    return loss, gradient.to(energies.dtype)
