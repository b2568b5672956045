"""`transa calibrate`: probabilities for a model that has none."""

from __future__ import annotations

from transa.cli.output import say
from transa.cli.parameters import Folder
from transa.errors import InputError


def calibrate(folder: Folder) -> None:
    """Fit how probable answers are, and keep it in the folder: training does so by itself.

    For folders of older versions and of runs that were stopped. Needs validation triples.
    """
    import transa
    from transa.asking.probability.curves import PLACES
    from transa.storage.probabilities import in_words

    model = transa.load(folder)
    if len(model.graph_.valid) == 0:
        raise InputError(
            f"{folder}: its graph has no validation triples, on which probabilities are fitted"
        )
    model.fit_probabilities().save(folder)
    found = {place: model.probabilities_.of_place(place).reliability for place in PLACES}
    say(f"probabilities: {in_words(found)}")
