"""A trained model as one file: a JSON header and arrays. No pickle, no names of types, nothing that runs."""

from .reading import read
from .writing import write

__all__ = ["read", "write"]
