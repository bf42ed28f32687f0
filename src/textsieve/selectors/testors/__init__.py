"""Typical testors: the minimal sets of terms that distinguish a class from all others.

`contrast` compares classes and builds the rows that a testor must hit, `transversals` lists the minimal hitting sets of
these rows, `shares` computes how many of them contain each term, `shortest` finds the smallest, and `estimator` has the
selector.
"""

from .estimator import TypicalTestors as TypicalTestors
