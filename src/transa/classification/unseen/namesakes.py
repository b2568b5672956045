"""What entities of like names would say: a triple's energy with its head or its tail so replaced.

Names tell of what they name: people who share a first name mostly share their gender, and words
that end alike are often of a kind. So each entity of a triple is replaced in turn by the mean of
those whose names are spelt most like its own (see `spelling`), itself left out, and the
energy is taken anew. Where nobody's name is alike it stays as it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from transa.classification.labelled import NumberedTriples
from transa.classification.unseen.fold_in import entity_tables
from transa.classification.unseen.spelling import similarly_spelt
from transa.models import FittedModel, Tables
from transa.models.scoring import energies


def namesake_energies(
    model: FittedModel,
    tables: Tables,
    numbered: NumberedTriples,
    answered: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Energies with namesakes of the head, and of the tail, (n, 2); 0 for what is not answered.

    The tables are the model's own, or longer ones: with a row for each entity of the triples.
    """
    found = np.zeros((len(numbered), 2))
    h, r, t = numbered.triples[answered].T.astype(np.int64)
    entities, place = np.unique(np.stack([h, t]), return_inverse=True)
    longer = _with_namesakes(model, tables, numbered, entities)
    of_head, of_tail = place.reshape(2, -1) + len(tables["entity"])
    found[answered, 0] = energies(model.energy, longer, of_head, r, t)
    found[answered, 1] = energies(model.energy, longer, h, r, of_tail)
    return found


def _with_namesakes(
    model: FittedModel,
    tables: Tables,
    numbered: NumberedTriples,
    entities: NDArray[np.int64],
) -> Tables:
    """The tables with a row at the end for the namesakes of each of these entities."""
    graph = model.graph
    learnt = np.flatnonzero(graph.seen)
    names = [graph.entities.display(int(entity)) for entity in learnt]
    wanted = [numbered.name(graph, int(entity)) for entity in entities]
    at = np.minimum(np.searchsorted(learnt, entities), len(learnt) - 1)
    itself = np.where(learnt[at] == entities, at, -1)
    alike = similarly_spelt(names, wanted, itself.tolist())
    longer = dict(tables)
    for name in entity_tables(model.energy):
        rows = tables[name][entities]
        for row, found in enumerate(alike):
            if len(found.ids):
                rows[row] = found.mean(tables[name][learnt[found.ids]])
        longer[name] = np.concatenate([tables[name], rows])
    return longer
