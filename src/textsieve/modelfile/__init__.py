"""Read and write a trained model as one file: a JSON header and arrays, without pickle or code."""

from .reading import read
from .writing import write

__all__ = ["read", "write"]
