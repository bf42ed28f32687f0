"""Read and write a trained model as one file: a JSON header and arrays, without pickle or code."""

from .reading import read
from .writing import encode, write

__all__ = ["encode", "read", "write"]
