"""Read and write a trained model as one file: a JSON header and arrays. It contains no pickle and no code."""

from .reading import read
from .writing import write

__all__ = ["read", "write"]
