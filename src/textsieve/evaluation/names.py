"""The names of choices and what they stand for, without loading what they name."""

CUTS = {
    "scut": "a threshold for each class",
    "scutfbr": "the same, but none for classes that it finds badly",
    "rcut": "the best classes of each document",
    "pcut": "as many documents for each class as its share",
    "zero": "the classes whose score is not below 0; for svm, logistic, nb and cnb",
}
"""How several labels are cut from scores."""

CALIBRATIONS = {
    "sigmoid": "two numbers a class",
    "isotonic": "any rising curve, for thousands of documents",
}
"""How scores become probabilities."""
