"""The same model from Apache Spark, for collections that one machine can't hold.

What is spread over the machines is counting, statistics and the scores of terms, by the functions that are used on one
machine; what comes out is an ordinary `Categorizer`. Only DataFrames and Arrow are used, so a Spark Connect session
will do. Needs the extra `textsieve[spark]`, here and on the machines that do the work.
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
