"""Triple classification: is this triple true?"""

from transa.classification.labelled import LabelledTriples, labelled_split
from transa.classification.negatives import make_negatives

__all__ = ["LabelledTriples", "labelled_split", "make_negatives"]
