"""The same as stages of Spark's own pipelines: estimators with Params, models that are saved where Spark saves.

`SieveCategorizer` is `textsieve.spark.fit` and `predict`. `SieveSelector` chooses terms and gives their weights as a
vector, for a classifier of Spark's to learn from. Both take what a `Categorizer` takes, spelled as Spark spells it
(`nTerms` is `n_terms`), and work in classic and in Connect sessions.
"""

from typing import TYPE_CHECKING

from ...lazy import attach

if TYPE_CHECKING:
    from .categorizing import SieveCategorizer as SieveCategorizer
    from .categorizing import SieveCategorizerModel as SieveCategorizerModel
    from .selecting import SieveSelector as SieveSelector
    from .selecting import SieveSelectorModel as SieveSelectorModel

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "categorizing": ["SieveCategorizer", "SieveCategorizerModel"],
        "selecting": ["SieveSelector", "SieveSelectorModel"],
    },
)
