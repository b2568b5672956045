"""Triple classification: is this triple true?"""

from transa.classification.labelled import LabelledTriples, labelled_split
from transa.classification.negatives import Negatives, make_negatives
from transa.classification.result import TripleClassification

__all__ = [
    "LabelledTriples",
    "Negatives",
    "TripleClassification",
    "labelled_split",
    "make_negatives",
]
