"""Stages for Spark ML pipelines: estimators with Params, and models that Spark can save.

`SieveCategorizer` corresponds to `textsieve.spark.fit` and `predict`. `SieveSelector` selects terms and adds their
weights as a vector, for a classifier of Spark ML. Both have the settings of a `Categorizer`, spelled in Spark's style
(`nTerms` is `n_terms`), and work in classic and in Connect sessions.
"""

from typing import TYPE_CHECKING

from ...lazy import attach

if TYPE_CHECKING:
    from .estimators import SieveCategorizer as SieveCategorizer
    from .estimators import SieveCategorizerModel as SieveCategorizerModel
    from .estimators import SieveSelector as SieveSelector
    from .estimators import SieveSelectorModel as SieveSelectorModel

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "estimators": ["SieveCategorizer", "SieveCategorizerModel", "SieveSelector", "SieveSelectorModel"],
    },
)
