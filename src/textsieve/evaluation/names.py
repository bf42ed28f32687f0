"""The values of the settings `cut` and `probabilities`, and their meanings, for help and errors.

They are apart from the methods, so that the command line can list them without importing numpy.
"""

from ..registry import list_classifiers

CUTS = {
    "scut": "the best threshold for each class",
    "scutfbr": "the same, but a high one for a class whose F1 is low",
    "rcut": "the same number of best classes for each document",
    "pcut": "thresholds that preserve the share of each class",
    "zero": f"a threshold of 0, for {list_classifiers(lambda traits: traits.border_at_zero, 'and')}",
}
"""How a multilabel model assigns labels by scores."""

CALIBRATIONS = {
    "auto": "sigmoid for one label per document, none for multilabel documents",
    "sigmoid": "a curve of two parameters, for all classes together, or for each class if multilabel",
    "isotonic": "any rising curve for each class, for thousands of multilabel documents",
}
"""How scores become probabilities."""
