"""From documents and settings to a model."""

from .train import train

__all__ = ["train"]
