"""Labels, as the classifiers take them; what they share with others is in `stats`."""

from ..stats.targets import checked_labels as checked_labels
from ..stats.targets import pairs_of as pairs_of
