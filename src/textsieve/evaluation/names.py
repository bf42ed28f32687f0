"""The names that the settings `cut` and `probabilities` take, and their meanings, without importing the methods."""

CUTS = {
    "scut": "the best threshold for each class",
    "scutfbr": "the same, but a high one for a class whose F1 is low",
    "rcut": "the same number of best classes for each document",
    "pcut": "thresholds that preserve the share of each class",
    "zero": "a threshold of 0, for svm, logistic, nb and cnb",
}
"""How a multilabel model assigns labels by scores."""

CALIBRATIONS = {
    "sigmoid": "two parameters for each class",
    "isotonic": "any rising curve, for thousands of documents",
}
"""How scores become probabilities."""
