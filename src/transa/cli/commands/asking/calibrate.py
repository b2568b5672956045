"""`transa calibrate`: probabilities for a model that has none."""

from __future__ import annotations

from dataclasses import asdict

from transa.cli.output import print_json, say
from transa.cli.parameters import Folder, Json
from transa.errors import InputError


def calibrate(folder: Folder, json: Json = False) -> None:
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
    if json:
        print_json({"probabilities": {place: asdict(each) for place, each in found.items()}})
    else:
        say(f"probabilities: {in_words(found)}")
