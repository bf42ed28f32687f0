"""Train and apply the same models with Apache Spark, for collections that don't fit on one machine.

The cluster counts terms, computes statistics and scores terms, with the same functions that are used on one machine;
the result is an ordinary `Categorizer`. Only DataFrames and Arrow are used, so a Spark Connect session works, too. The
extra `textsieve[spark]` must be installed here and on the workers.
"""

from typing import TYPE_CHECKING, Any

from ..extras import require_extra
from ..lazy import attach

require_extra("spark", what="textsieve.spark")

if TYPE_CHECKING:
    from .fitting import fit as fit
    from .ml import SieveCategorizer as SieveCategorizer
    from .ml import SieveCategorizerModel as SieveCategorizerModel
    from .ml import SieveSelector as SieveSelector
    from .ml import SieveSelectorModel as SieveSelectorModel
    from .predicting import predict as predict
    from .statistics import SparkStats as SparkStats
    from .statistics import stats as stats

_load, _names, __all__ = attach(
    __name__,
    {
        "fitting": ["fit"],
        "predicting": ["predict"],
        "statistics": ["SparkStats", "stats"],
        "ml": ["SieveCategorizer", "SieveCategorizerModel", "SieveSelector", "SieveSelectorModel"],
    },
)


def __getattr__(name: str) -> Any:
    return _load(name)


def __dir__() -> list[str]:
    return _names()
